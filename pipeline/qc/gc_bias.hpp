// SPDX-License-Identifier: MIT
// Provides windows of 100 bases by their C and G, as Picard CollectGcBiasMetrics counts them.
#pragma once

#include "data/reference.hpp"
#include "pipeline/qc/unknown_bases.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gannet::pipeline::qc {

inline constexpr uint64_t k_gc_window_bp = 100;
/// A window with more N is of no percentage.
inline constexpr uint64_t k_max_unknown_in_window = 4;

/// C and G of the window that begins at a position of the whole reference; N count as A.
uint32_t gc_of_window(const data::Reference& reference, uint64_t begin);

/// All windows of the reference by percent. The work, 2 ns per base, is done in parts beside that on records.
class GcWindows {
  public:
    using Counts = std::array<uint64_t, 101>;

    explicit GcWindows(const data::Reference& reference);
    /// The next part, if any is left; from any thread.
    void count_part();
    /// What is left; once, after the last count_part().
    void finish();
    const Counts& counts() const { return counts_; }  ///< after finish()

  private:
    struct Part {
        uint64_t begin;  ///< of windows
        uint64_t end;
    };
    Counts count(const Part& part) const;

    const data::Reference& reference_;
    std::vector<Part> parts_;
    std::atomic<size_t> next_ = 0;
    std::mutex mutex_;
    Counts counts_{};
};

}  // namespace gannet::pipeline::qc
