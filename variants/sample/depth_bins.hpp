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

/// Bins whose depth is several times that of two copies; of these, those with an SNV that as many fragments
/// have as chance makes of a half, and those with one that they have not.
struct DeepBins {
    int64_t all = 0;
    int64_t balanced = 0;
    int64_t unbalanced = 0;
};

/// Positions are those in the window. Memory: 12 bytes per bin of k_depth_bin_bases.
class DepthBins {
  public:
    /// `bases`: the reference's, of the window.
    explicit DepthBins(std::span<const data::Base> bases);
    /// A read over [begin, end), of which only what is in the window counts.
    void add(int64_t begin, int64_t end);
    /// A place where `alternate` of the fragments have an SNV, and `reference` the reference's base, neither
    /// much less than the other. `is_whole`: nearly all reads over the place are among them.
    void add_snv(size_t position, int64_t alternate, int64_t reference, bool is_whole);
    /// Bases of reads by base of the window, x k_profile_depth_scale.
    int64_t mean_depth() const;
    /// Adds the bins without N to the counts.
    void count(DepthCounts& counts) const;
    DeepBins deep(const ExpectedDepth& expected) const;
    /// The median depth of its bins, in percent of those that are expected; 0 without such bins.
    int32_t relative_depth_percent(const ExpectedDepth& expected) const;

  private:
    int64_t expected_bases(size_t bin, const ExpectedDepth& expected) const;

    std::vector<int64_t> read_bases_;  // by bin, as are the others
    std::vector<uint8_t> gc_;          // class; k_gc_classes: it does not count
    struct Snvs {
        bool is_of_two_copies = false;
        bool is_balanced = false;
        bool is_unbalanced = false;
    };
    std::vector<Snvs> snvs_;  // which it has
};

}  // namespace gannet::variants
