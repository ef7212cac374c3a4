// SPDX-License-Identifier: MIT
// Provides the depth of a window of the sample's profile, by bins.
#pragma once

#include "data/reference.hpp"
#include "variants/sample/expected_depth.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

inline constexpr int64_t k_profile_depth_scale = 256;  ///< of DepthBins::mean_depth()

/// Positions are those in the window. Memory: 9 bytes per bin of k_depth_bin_bases.
class DepthBins {
  public:
    /// `bases`: the reference's, of the window; they must outlive this.
    explicit DepthBins(std::span<const data::Base> bases);
    /// A read over [begin, end), of which only what is in the window counts.
    void add(int64_t begin, int64_t end);
    /// A place where half of the reads have an SNV: there the sample has two copies, and none was lost.
    void add_two_copies(size_t position);
    /// Bases of reads by base of the window, x k_profile_depth_scale.
    int64_t mean_depth() const;
    /// Adds the bins without N to the counts.
    void count(DepthCounts& counts) const;
    /// The median depth of its bins, in percent of those that are expected; 0 without such bins.
    int32_t relative_depth_percent(const ExpectedDepth& expected) const;

  private:
    /// use(bin, class of GC) for the bins without N.
    template <class Use>
    void for_each(const Use& use) const;

    std::span<const data::Base> bases_;
    std::vector<int64_t> read_bases_;     // by bin
    std::vector<uint8_t> is_two_copies_;  // by bin
};

}  // namespace gannet::variants
