// SPDX-License-Identifier: MIT
// Provides the listing of the reads that windows name, and the collection of what the warps left.
#include "kernels/rescue/rescue_plan.hpp"

#include "kernels/rescue/rescue_backends.hpp"
#include "kernels/rescue/rescue_words.hpp"

namespace gannet::kernels::rescue {

void NamedReads::take(const ReadBatchView& reads, const RescueWindows& windows) {
    reads_.clear();
    windows_.assign(windows.windows, windows.windows + windows.count);
    for (size_t k = 0; k < windows.count; ++k) {
        const uint32_t read = windows.windows[k].read;
        // Those of a read follow each other, as a rule.
        if (k == 0 || read != windows.windows[k - 1].read) reads_.add(reads, read);
        windows_[k].read = static_cast<uint32_t>(reads_.length.size() - 1);
    }
}

void collect(const RescueCall& call, const int64_t* diagonals, const Candidate* found,
             RescueResults& results) {
    static thread_local WordsScratch scratch;
    const auto& [parameters, genome, reads, windows] = call;
    results.clear();
    for (uint32_t k = 0; k < windows.count; ++k) {
        if (diagonals[k] < 0) continue;
        if (!candidates::fits_warp(reads.length[windows.windows[k].read], 0)) {
            append_windows(parameters, genome, reads, windows, k, k + 1, scratch, results);
        } else if (found[k].anchor_end != 0) {
            append(parameters, genome, reads, windows, k, found[k], results);
        }
    }
}

}  // namespace gannet::kernels::rescue
