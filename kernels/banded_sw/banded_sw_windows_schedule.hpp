// SPDX-License-Identifier: MIT
// Provides the device schedule that writes out the sequences of windows, before the groups of warps extend
// them: a warp takes a job, and its lanes the job's bases.
//
// The bases go to an arena in the device's memory, where the jobs of the plan (WarpJob) have their offsets;
// it is neither copied to the device nor back.
#pragma once

#include "kernels/genome/ambiguity.hpp"
#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::banded_sw {

/// A window, and where the words of its query lie among those of the batch.
struct WindowJob {
    int64_t target_begin = 0;
    uint32_t target_length = 0;
    uint32_t offset = 0;  ///< of the query in the arena; the target follows it
    uint32_t words = 0;   ///< the first of the query's words; where it is masked, those of its mask follow
    uint16_t query_length = 0;
    uint8_t query_begin = 0;  ///< in the first of the words, 0 to 31
    bool left = false;
    bool masked = false;
};

/// All that this schedule reads and writes, in the memory of the host or of the device.
struct WindowArrays {
    const WindowJob* jobs = nullptr;
    uint32_t count = 0;
    const uint64_t* words = nullptr;  ///< oriented parts of reads: 2 bits a base
    GenomeView genome;
    uint8_t* bases = nullptr;
};

/// Words that hold `length` bases from base `begin` of the first one on.
constexpr uint32_t words_of(uint32_t begin, uint32_t length) { return (begin + length + 31) / 32; }

constexpr uint8_t two_bits(const uint64_t* words, uint64_t base) {
    return static_cast<uint8_t>(words[base >> 5] >> 2 * (base & 31) & 3);
}

constexpr uint8_t genome_code(const GenomeView& genome, int64_t position) {
    const auto at = static_cast<uint64_t>(position);
    const uint64_t block = at >> k_fine_block_bits;
    if ((genome.ambiguous_fine[block >> 6] >> (block & 63) & 1) != 0) {
        const uint32_t next = first_ambiguous(genome, position);
        if (next < genome.ambiguous_count && genome.ambiguous[next].begin <= position) return 4;
    }
    return two_bits(genome.packed, at);
}

template <class Warp>
constexpr void write_window(const Warp& warp, const WindowArrays& arrays, uint32_t index) {
    const WindowJob job = arrays.jobs[index];
    uint8_t* const query = arrays.bases + job.offset;
    uint8_t* const target = query + job.query_length;
    const uint64_t* const words = arrays.words + job.words;
    const uint64_t* const mask = words + words_of(job.query_begin, job.query_length);
    warp.each([&](uint32_t lane) {
        for (uint32_t i = lane; i < job.query_length; i += k_warp_lanes) {
            const uint32_t at = job.query_begin + (job.left ? job.query_length - 1 - i : i);
            query[i] = job.masked && two_bits(mask, at) != 0 ? uint8_t{4} : two_bits(words, at);
        }
        for (uint32_t j = lane; j < job.target_length; j += k_warp_lanes) {
            target[j] =
                genome_code(arrays.genome, job.target_begin + (job.left ? job.target_length - 1 - j : j));
        }
    });
}

}  // namespace gannet::kernels::banded_sw
