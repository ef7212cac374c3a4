// SPDX-License-Identifier: MIT
// Provides the checks of the op pairing, its run over a batch by the host's code, and the choice of its
// backend.
#include "kernels/cuda/device.hpp"
#include "kernels/pairing/pairing_backends.hpp"
#include "kernels/pairing/pairing_cell.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace pairing {

namespace {

constexpr int32_t k_max_unpaired_penalty = 1 << 20;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("pairing: " + what); }

bool lies_in(uint32_t begin, uint32_t end, uint32_t count) { return begin <= end && end <= count; }

}  // namespace

void check(const PairingParameters& parameters, const ReadBatchView& reads, const PairingBatch& batch) {
    const BandedSwScoring& scoring = parameters.scoring;
    for (const int32_t score : {scoring.match, scoring.gap_extend})
        if (score < 1 || score > 1000) refuse("scores are out of range");
    for (const int32_t score : {scoring.mismatch, scoring.ambiguous, scoring.gap_open, scoring.end_bonus})
        if (score < 0 || score > 1000) refuse("scores are out of range");
    if (parameters.unpaired_penalty < 0 || parameters.unpaired_penalty > k_max_unpaired_penalty ||
        parameters.kmer < 1)
        refuse("a parameter is out of range");
    if (reads.paired && reads.reads % 2 != 0) refuse("a read has no mate");
    for (uint32_t i = 0; i < reads.reads; ++i) {
        const PairingRead& read = batch.reads[i];
        const bool is_long = read.length > k_banded_sw_max_query;
        if ((is_long && read.candidate_begin != read.candidate_end) ||
            !lies_in(read.candidate_begin, read.candidate_end, batch.candidate_count) ||
            !lies_in(read.part_begin, read.part_end, batch.part_count))
            refuse("read " + std::to_string(i) + " is out of range");
    }
}

}  // namespace pairing

void pairing_simd(Stream&, const PairingParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out) {
    pairing::check(parameters, reads, batch);
    const pairing::Given given{parameters, genome, reads, batch};
    int32_t totals[2 * k_max_candidates];
    const pairing::HostTotals memory{totals};
    out.resize(reads.reads);
    for (uint32_t i = 0; !reads.paired && i < reads.reads; ++i)
        out[i] = placed(given, choose_single(given, i, memory), false, false);
    for (uint32_t i = 0; reads.paired && i < reads.reads; i += 2) {
        const pairing::ChosenPair pair = choose_template(given, i / 2, memory);
        out[i] = placed(given, pair.a, pair.proper, pair.needs_search);
        out[i + 1] = placed(given, pair.b, pair.proper, pair.needs_search);
    }
}

PairingFunction pairing_function(Backend backend, SimdLevel) {
    switch (backend) {
        case Backend::reference:
            return pairing_reference;
        case Backend::emulated:
            return pairing_emulated;
        case Backend::cuda:
            if (const PairingFunction on_device = cuda::pairing(); on_device != nullptr) return on_device;
            break;
        case Backend::simd:
            break;
    }
    return pairing_simd;
}

}  // namespace gannet::kernels
