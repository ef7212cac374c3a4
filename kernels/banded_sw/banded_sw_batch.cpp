// SPDX-License-Identifier: MIT
// Provides the batches of banded_sw: filling, checking, sizing of results, and the function of a backend.
#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/banded_sw/banded_sw_driver.hpp"
#include "kernels/cuda/device.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

void BandedSwBatch::clear() {
    bases.clear();
    query_offset.clear();
    query_length.clear();
    target_offset.clear();
    target_length.clear();
    band.clear();
    flags.clear();
}

uint32_t BandedSwBatch::add(std::span<const uint8_t> query, std::span<const uint8_t> target,
                            uint16_t band_width, uint8_t flag) {
    const uint64_t bases_after = uint64_t{bases.size()} + query.size() + target.size();
    if (bases_after > UINT32_MAX)
        throw std::length_error("banded_sw: a batch of " + std::to_string(bases_after) +
                                " bases; its offsets hold " + std::to_string(UINT32_MAX));
    const auto job = static_cast<uint32_t>(size());
    query_offset.push_back(static_cast<uint32_t>(bases.size()));
    query_length.push_back(static_cast<uint32_t>(query.size()));
    bases.insert(bases.end(), query.begin(), query.end());
    target_offset.push_back(static_cast<uint32_t>(bases.size()));
    target_length.push_back(static_cast<uint32_t>(target.size()));
    bases.insert(bases.end(), target.begin(), target.end());
    band.push_back(band_width);
    flags.push_back(flag);
    return job;
}

namespace {

template <const banded_sw::LaneFunctions* lanes>
void banded_sw_simd(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results) {
    banded_sw::extend_in_groups(*lanes, scoring, batch, results);
}

template <const banded_sw::LaneFunctions* lanes>
void banded_sw_windows_simd(Stream&, const BandedSwScoring& scoring, const GenomeView& genome,
                            const ReadBatchView& reads, const BandedSwWindows& windows,
                            BandedSwResults& results) {
    thread_local BandedSwBatch copied;
    copy_windows(genome, reads, windows, copied);
    banded_sw::extend_in_groups(*lanes, scoring, copied, results);
}

}  // namespace

BandedSwFunction banded_sw_function(Backend backend, SimdLevel level) {
    if (backend == Backend::reference) return banded_sw_reference;
    if (backend == Backend::emulated) return banded_sw_emulated;
    if (backend == Backend::cuda) {
        if (const BandedSwFunction on_device = cuda::banded_sw()) return on_device;
    }
    switch (level) {
        case SimdLevel::avx512:
            return banded_sw_simd<&avx512::k_banded_sw_lanes>;
        case SimdLevel::avx2:
            return banded_sw_simd<&avx2::k_banded_sw_lanes>;
        case SimdLevel::sse42:
            return banded_sw_simd<&sse42::k_banded_sw_lanes>;
        case SimdLevel::none:
            break;
    }
    return banded_sw_reference;
}

BandedSwWindowsFunction banded_sw_windows_function(Backend backend, SimdLevel level) {
    if (backend == Backend::reference) return banded_sw_windows_reference;
    if (backend == Backend::emulated) return banded_sw_windows_emulated;
    if (backend == Backend::cuda) {
        if (const BandedSwWindowsFunction on_device = cuda::banded_sw_windows()) return on_device;
    }
    switch (level) {
        case SimdLevel::avx512:
            return banded_sw_windows_simd<&avx512::k_banded_sw_lanes>;
        case SimdLevel::avx2:
            return banded_sw_windows_simd<&avx2::k_banded_sw_lanes>;
        case SimdLevel::sse42:
            return banded_sw_windows_simd<&sse42::k_banded_sw_lanes>;
        case SimdLevel::none:
            break;
    }
    return banded_sw_windows_reference;
}

namespace banded_sw {

namespace {

void check_score(const char* what, int32_t value, int32_t lowest) {
    constexpr int32_t k_max = 1000;
    if (value < lowest || value > k_max) {
        throw std::invalid_argument("banded_sw: " + std::string(what) + " must be " + std::to_string(lowest) +
                                    " to " + std::to_string(k_max));
    }
}

}  // namespace

void check(const BandedSwScoring& scoring, size_t jobs) {
    check_score("match", scoring.match, 1);
    check_score("mismatch", scoring.mismatch, 0);
    check_score("ambiguous", scoring.ambiguous, 0);
    check_score("gap_open", scoring.gap_open, 0);
    check_score("gap_extend", scoring.gap_extend, 1);
    check_score("end_bonus", scoring.end_bonus, 0);
    // A device numbers the lanes of all groups with 32 bits; the last group of each kind may not be full.
    if (jobs > UINT32_MAX / 2)
        throw std::length_error("banded_sw: a batch of " + std::to_string(jobs) + " jobs; it may have " +
                                std::to_string(UINT32_MAX / 2));
}

void check(const BandedSwScoring& scoring, const BandedSwBatch& batch) {
    const size_t jobs = batch.size();
    check(scoring, jobs);
    if (batch.query_length.size() != jobs || batch.target_offset.size() != jobs ||
        batch.target_length.size() != jobs || batch.band.size() != jobs || batch.flags.size() != jobs) {
        throw std::invalid_argument("banded_sw: the lists of a batch differ in size");
    }
    for (size_t job = 0; job < jobs; ++job) {
        const uint64_t query_end = uint64_t{batch.query_offset[job]} + batch.query_length[job];
        const uint64_t target_end = uint64_t{batch.target_offset[job]} + batch.target_length[job];
        if (batch.query_length[job] > k_banded_sw_max_query ||
            batch.target_length[job] > k_banded_sw_max_target || batch.band[job] > k_banded_sw_widest_band ||
            query_end > batch.bases.size() || target_end > batch.bases.size()) {
            throw std::invalid_argument("banded_sw: job " + std::to_string(job) + " is out of range");
        }
    }
}

void prepare(size_t jobs, BandedSwResults& results) {
    results.score.resize(jobs);
    results.query_end.resize(jobs);
    results.target_end.resize(jobs);
    results.to_end.resize(jobs);
    results.cigar_offset.resize(jobs + 1);
    results.cigar_offset[0] = 0;
    results.cigar.clear();
}

}  // namespace banded_sw

}  // namespace gannet::kernels
