// SPDX-License-Identifier: MIT
// Provides the checks of the op rescue, its run over a batch by the host's code, and the choice of its
// backend.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/rescue/rescue_backends.hpp"
#include "kernels/rescue/rescue_words.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gannet::kernels {

void RescueResults::clear() {
    candidates.clear();
    window.clear();
    jobs.clear();
}

namespace rescue {

void check(const CandidateParameters& parameters, const ReadBatchView& reads, const RescueWindows& windows) {
    candidates::check(parameters, reads.reads);
    if (windows.count > INT32_MAX)
        throw std::invalid_argument("rescue: " + std::to_string(windows.count) + " windows; " +
                                    std::to_string(INT32_MAX) + " are allowed");
    for (size_t k = 0; k < windows.count; ++k) {
        const RescueWindow& window = windows.windows[k];
        if (window.read >= reads.reads || window.strand > 1 || reads.length[window.read] < 32 ||
            reads.length[window.read] > k_banded_sw_max_query)
            throw std::invalid_argument("rescue: window " + std::to_string(k) + " is out of range");
    }
}

void append(const CandidateParameters& parameters, const GenomeView& genome, const ReadBatchView& reads,
            const RescueWindows& windows, uint32_t index, const Candidate& found, RescueResults& results) {
    const uint32_t read = windows.windows[index].read;
    Candidate& candidate = results.candidates.emplace_back(found);
    candidates::add_jobs(parameters, genome, read, reads.length[read], candidate, results.jobs);
    results.window.push_back(index);
}

}  // namespace rescue

void rescue_words(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results) {
    /// Windows whose memory is asked for together.
    constexpr size_t k_together = 32;
    static thread_local rescue::WordsScratch scratch;
    rescue::check(parameters, reads, windows);
    results.clear();
    for (size_t first = 0; first < windows.count; first += k_together) {
        const size_t last = std::min(windows.count, first + k_together);
        rescue::append_windows(parameters, genome, reads, windows, first, last, scratch, results);
    }
}

RescueFunction rescue_function(Backend backend, SimdLevel) {
    switch (backend) {
        case Backend::reference:
            return rescue_reference;
        case Backend::emulated:
            return rescue_emulated;
        case Backend::cuda:
            if (const RescueFunction on_device = cuda::rescue(); on_device != nullptr) return on_device;
            break;
        case Backend::simd:
            break;
    }
    return rescue_words;
}

}  // namespace gannet::kernels
