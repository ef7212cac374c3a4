// SPDX-License-Identifier: MIT
// Provides the checks of windows, and their sequences out of packed reads and the packed genome.
#include "kernels/banded_sw/banded_sw_windows.hpp"

#include "kernels/genome/ambiguity.hpp"
#include "kernels/genome/fetch.hpp"
#include "kernels/genome/packed_words.hpp"

#include <algorithm>
#include <cstring>
#include <emmintrin.h>
#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace banded_sw {

namespace {

constexpr uint32_t k_word_bases = 32;
constexpr uint8_t k_ambiguous = 4;
/// The genome's bases of a job are on their way to the caches while so many jobs before it are written out.
constexpr size_t k_jobs_ahead = 8;

/// The 32 bases of a word as codes: bytes of four bases become two of two, and these two of one.
void put_word(uint64_t word, uint8_t* to) {
    const __m128i four = _mm_cvtsi64_si128(static_cast<int64_t>(word));
    const __m128i low_four = _mm_set1_epi8(15);
    const __m128i two =
        _mm_unpacklo_epi8(_mm_and_si128(four, low_four), _mm_and_si128(_mm_srli_epi16(four, 4), low_four));
    const __m128i low_two = _mm_set1_epi8(3);
    const __m128i first = _mm_and_si128(two, low_two);
    const __m128i second = _mm_and_si128(_mm_srli_epi16(two, 2), low_two);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi8(first, second));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16), _mm_unpackhi_epi8(first, second));
}

void write_query(const ReadBatchView& reads, const ExtensionJob& job, uint8_t* to) {
    // The reverse of a strand is the complement of the other one.
    const bool complement = job.left != 0;
    const uint32_t strand = complement ? 1 - job.strand : job.strand;
    const uint32_t begin =
        complement ? reads.length[job.read] - job.query_begin - job.query_length : job.query_begin;
    const uint64_t* const words = reads.words(job.read, strand);
    for (uint32_t at = 0; at < job.query_length; at += k_word_bases) {
        const uint64_t word = word_at(words, begin + at);
        put_word(complement ? ~word : word, to + at);
    }
    if (!reads.is_ambiguous(job.read)) return;
    const uint64_t* const mask = reads.mask_words(job.read, strand);
    for (uint32_t at = 0; at < job.query_length; ++at) {
        if ((mask[(begin + at) / k_word_bases] >> 2 * ((begin + at) % k_word_bases) & 1) != 0)
            to[at] = k_ambiguous;
    }
}

void write_target(const GenomeView& genome, const ExtensionJob& job, uint8_t* to) {
    const int64_t begin = job.target_begin;
    const int64_t end = begin + job.target_length;
    for (uint32_t at = 0; at < job.target_length; at += k_word_bases) {
        if (job.left == 0) {
            put_word(word_at(genome.packed, static_cast<uint64_t>(begin + at)), to + at);
        } else {
            put_word(reverse_bases(word_at(genome.packed, static_cast<uint64_t>(end - at - k_word_bases))),
                     to + at);
        }
    }
    if (is_plain(genome, begin, end)) return;
    for (uint32_t next = first_ambiguous(genome, begin);
         next < genome.ambiguous_count && genome.ambiguous[next].begin < end; ++next) {
        const int64_t first = std::max(begin, genome.ambiguous[next].begin);
        const int64_t last = std::min(end, genome.ambiguous[next].end);
        std::memset(to + (job.left == 0 ? first - begin : end - last), k_ambiguous,
                    static_cast<size_t>(last - first));
    }
}

/// Asks for the genome's bases of a job.
void fetch_target(const GenomeView& genome, const ExtensionJob& job) {
    constexpr int64_t k_line_bases = 256;
    const int64_t end = job.target_begin + job.target_length;
    for (int64_t at = job.target_begin; at < end; at += k_line_bases) fetch(genome.packed + (at >> 5));
    fetch(genome.packed + (end >> 5));
}

bool is_in_range(const WindowSource& source, const ExtensionJob& job) {
    const auto genome_size = static_cast<int64_t>(source.genome.genome_size());
    return job.read < source.reads.reads && job.strand <= 1 && job.query_length <= k_banded_sw_max_query &&
           uint32_t{job.query_begin} + job.query_length <= source.reads.length[job.read] &&
           job.target_length <= k_banded_sw_max_target && job.band <= k_banded_sw_widest_band &&
           job.target_begin >= k_window_margin_bp &&
           job.target_begin <= genome_size - k_window_margin_bp - int64_t{job.target_length};
}

}  // namespace

size_t list_windows(const WindowSource& source, BandedSwBatch& out) {
    const BandedSwWindows& windows = source.windows;
    out.query_offset.resize(windows.count);
    out.query_length.resize(windows.count);
    out.target_offset.resize(windows.count);
    out.target_length.resize(windows.count);
    out.band.resize(windows.count);
    out.flags.resize(windows.count);
    uint64_t bases = 0;
    for (size_t k = 0; k < windows.count; ++k) {
        const ExtensionJob& job = windows.jobs[k];
        if (!is_in_range(source, job))
            throw std::invalid_argument("banded_sw: window " + std::to_string(k) + " is out of range");
        out.query_offset[k] = static_cast<uint32_t>(bases);
        out.query_length[k] = job.query_length;
        bases += job.query_length;
        out.target_offset[k] = static_cast<uint32_t>(bases);
        out.target_length[k] = job.target_length;
        bases += job.target_length;
        if (bases > UINT32_MAX)
            throw std::length_error("banded_sw: windows of " + std::to_string(bases) +
                                    " bases; the offsets of a batch hold " + std::to_string(UINT32_MAX));
        out.band[k] = job.band;
        out.flags[k] = static_cast<uint8_t>((windows.traced ? k_sw_traceback : 0) |
                                            (job.left != 0 ? k_sw_gaps_late : 0));
    }
    return bases;
}

void write_sequences(const GenomeView& genome, const ReadBatchView& reads, const ExtensionJob& job,
                     uint8_t* to) {
    write_query(reads, job, to);
    write_target(genome, job, to + job.query_length);
}

}  // namespace banded_sw

void copy_windows(const GenomeView& genome, const ReadBatchView& reads, const BandedSwWindows& windows,
                  BandedSwBatch& out) {
    using namespace banded_sw;
    const size_t bases = list_windows({genome, reads, windows}, out);
    out.bases.resize(bases + k_overshoot_bases);
    for (size_t k = 0; k < windows.count; ++k) {
        if (k + k_jobs_ahead < windows.count) fetch_target(genome, windows.jobs[k + k_jobs_ahead]);
        write_sequences(genome, reads, windows.jobs[k], out.bases.data() + out.query_offset[k]);
    }
    out.bases.resize(bases);
}

}  // namespace gannet::kernels
