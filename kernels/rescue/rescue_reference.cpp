// SPDX-License-Identifier: MIT
// Provides the backend `reference` of the op rescue: the contract base by base, apart from the code of the
// other backends.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/rescue/rescue_backends.hpp"

#include <algorithm>
#include <optional>

namespace gannet::kernels {
namespace {

uint32_t packed_code(const uint64_t* words, uint64_t base) { return words[base / 32] >> 2 * (base % 32) & 3; }

/// The packed base of an oriented read, made from the strand that was sequenced.
uint32_t oriented_code(const ReadBatchView& reads, const RescueWindow& window, uint32_t oriented) {
    if (window.strand == 0) return packed_code(reads.words(window.read, 0), oriented);
    return 3 - packed_code(reads.words(window.read, 0), reads.length[window.read] - 1 - oriented);
}

uint32_t value(const GenomeView& genome, const ReadBatchView& reads, const RescueWindow& window,
               int64_t diagonal) {
    uint32_t sum = 0;
    for (uint32_t block = 0; 32 * block + 32 <= reads.length[window.read]; ++block) {
        uint32_t matches = 0;
        for (uint32_t i = 32 * block; i < 32 * block + 32; ++i)
            matches += oriented_code(reads, window, i) ==
                       packed_code(genome.packed, static_cast<uint64_t>(diagonal) + i);
        if (matches >= 32 - k_max_block_mismatches) sum += matches;
    }
    return sum;
}

std::optional<int64_t> search(const GenomeView& genome, const ReadBatchView& reads,
                              const RescueWindow& window) {
    const int64_t end = static_cast<int64_t>(genome.genome_size()) - reads.length[window.read] - 64;
    std::optional<int64_t> found;
    uint32_t highest = 0;
    for (int64_t diagonal = std::max<int64_t>(window.begin, 0); diagonal < std::min(window.end, end);
         ++diagonal) {
        const uint32_t own = value(genome, reads, window, diagonal);
        if (own <= highest) continue;
        highest = own;
        found = diagonal;
    }
    return found;
}

}  // namespace

void rescue_reference(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results) {
    rescue::check(parameters, reads, windows);
    results.clear();
    for (size_t k = 0; k < windows.count; ++k) {
        const RescueWindow& window = windows.windows[k];
        const std::optional<int64_t> diagonal = search(genome, reads, window);
        if (!diagonal) continue;
        std::optional<Candidate> found = candidates::compare_reference(
            parameters, genome, reads, window.read, *diagonal, static_cast<uint8_t>(window.strand));
        if (!found) continue;
        for (const bool left : {true, false}) {
            if (!(left ? found->left_gapped : found->right_gapped)) continue;
            (left ? found->left_job : found->right_job) = static_cast<uint32_t>(results.jobs.size());
            results.jobs.push_back(
                candidates::job_reference(parameters, genome, reads, window.read, *found, left));
        }
        results.candidates.push_back(*found);
        results.window.push_back(static_cast<uint32_t>(k));
    }
}

}  // namespace gannet::kernels
