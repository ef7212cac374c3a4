// SPDX-License-Identifier: MIT
// Provides the building of an index: sampled positions scattered by hash, then each part sorted.
#include "align/index/file.hpp"
#include "data/error.hpp"
#include "data/memory_budget.hpp"
#include "data/threads.hpp"
#include "kernels/seeds/syncmers.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace gannet::align {

using kernels::Syncmer;
using kernels::SyncmerScratch;
namespace {

/// Bases that one thread takes at a time.
constexpr uint64_t k_chunk_bases = uint64_t{1} << 18;
// Memory beside the arrays of a genome's size: the program with its buffers, and the scratch of find_syncmers
// for a chunk.
constexpr uint64_t k_program_bytes = 48 << 20;
constexpr uint64_t k_thread_bytes = 12 << 20;
constexpr uint64_t k_part_bytes = 2 * sizeof(uint64_t) + sizeof(uint32_t);  // begin, cursor and count

/// A stretch of ACGT only; pieces of one contig's run overlap by k - 1 bases, so each k-mer is in one of
/// them.
struct Piece {
    uint64_t begin;
    uint64_t end;
};

std::vector<Piece> cut(const data::Reference& reference, uint32_t k) {
    std::vector<Piece> pieces;
    const auto add = [&](uint64_t begin, uint64_t end) {
        for (; begin + k <= end; begin += k_chunk_bases) {
            pieces.push_back({begin, std::min(end, begin + k_chunk_bases + k - 1)});
        }
    };
    for (const data::Contig& contig : reference.contigs()) {
        uint64_t from = contig.offset;
        const uint64_t to = contig.offset + contig.length;
        auto run =
            std::lower_bound(reference.runs().begin(), reference.runs().end(), from,
                             [](const data::NonAcgtRun& r, uint64_t position) { return r.end <= position; });
        for (; run != reference.runs().end() && run->begin < to; ++run) {
            if (run->begin > from) add(from, run->begin);
            from = run->end;
        }
        if (from < to) add(from, to);
    }
    return pieces;
}

void sample(const data::Reference& reference, const IndexParameters& parameters, Piece piece,
            std::vector<Syncmer>& found) {
    thread_local SyncmerScratch scratch;
    thread_local std::vector<uint8_t> codes;
    found.clear();
    codes.resize(piece.end - piece.begin);
    reference.genome_bases(static_cast<int64_t>(piece.begin), codes);
    find_syncmers(parameters.kmer, parameters.smer, codes, false, reference.packed().data(), piece.begin,
                  scratch, found);
}

/// Hashes are split into parts by what does not fit into an entry's fingerprint.
struct Parts {
    unsigned shift;
    std::vector<uint64_t> begin;  ///< entries before each part; parts + 1
};

Parts count_parts(const data::Reference& reference, const IndexParameters& parameters,
                  const std::vector<Piece>& pieces, int threads) {
    Parts parts;
    parts.shift = IndexEntry::k_fingerprint_bits;
    const size_t count = size_t{1} << (2 * parameters.kmer - parts.shift);
    std::vector<std::atomic<uint32_t>> sizes(count);
    data::for_each_index(static_cast<size_t>(threads), pieces.size(), [&](size_t i) {
        thread_local std::vector<Syncmer> found;
        sample(reference, parameters, pieces[i], found);
        for (const Syncmer& syncmer : found)
            sizes[syncmer.hash >> parts.shift].fetch_add(1, std::memory_order_relaxed);
    });
    parts.begin.assign(count + 1, 0);
    for (size_t i = 0; i < count; ++i) parts.begin[i + 1] = parts.begin[i] + sizes[i].load();
    return parts;
}

std::vector<IndexEntry> scatter(const data::Reference& reference, const IndexParameters& parameters,
                                const std::vector<Piece>& pieces, const Parts& parts, int threads) {
    std::vector<IndexEntry> entries(parts.begin.back());
    std::vector<std::atomic<uint64_t>> cursor(parts.begin.size() - 1);
    for (size_t i = 0; i < cursor.size(); ++i) cursor[i] = parts.begin[i];
    data::for_each_index(static_cast<size_t>(threads), pieces.size(), [&](size_t i) {
        thread_local std::vector<Syncmer> found;
        sample(reference, parameters, pieces[i], found);
        for (const Syncmer& syncmer : found) {
            const uint64_t at = cursor[syncmer.hash >> parts.shift].fetch_add(1, std::memory_order_relaxed);
            entries[at] = IndexEntry(syncmer.hash, pieces[i].begin + syncmer.position, syncmer.reverse != 0);
        }
    });
    return entries;
}

/// The total order of entries within a part: where scattering left them does not matter.
void sort_parts(const data::Reference& reference, uint32_t k, const Parts& parts, int threads,
                std::vector<IndexEntry>& entries) {
    const std::span<const uint64_t> packed = reference.packed();
    const auto less = [packed, k](IndexEntry a, IndexEntry b) {
        if (a.fingerprint() != b.fingerprint()) return a.fingerprint() < b.fingerprint();
        for (uint32_t word = 0; word < k_context_bases / 32; ++word) {
            const uint64_t x = context_word(packed, a, k, word);
            const uint64_t y = context_word(packed, b, k, word);
            if (x != y) return x < y;
        }
        return a.value() < b.value();
    };
    data::for_each_index(static_cast<size_t>(threads), parts.begin.size() - 1, [&](size_t i) {
        std::sort(entries.begin() + static_cast<int64_t>(parts.begin[i]),
                  entries.begin() + static_cast<int64_t>(parts.begin[i + 1]), less);
    });
}

void check(const data::Reference& reference, const IndexParameters& parameters) {
    const uint32_t width = parameters.kmer - parameters.smer + 1;
    if (parameters.kmer % 2 == 0 || parameters.kmer < 15 || parameters.kmer > 31 || parameters.smer < 8 ||
        parameters.smer > 16 || width < 8 || width > 16) {
        throw data::Error(data::ErrorKind::usage,
                          "index: the k-mer must be odd, 15 to 31, the s-mer 8 to 16 and 7 to 15 shorter");
    }
    if (reference.genome_size() >> IndexEntry::k_position_bits != 0) {
        throw data::Error(data::ErrorKind::usage, reference.path() + ": more than 2^36 bases");
    }
}

/// One or two entries per bucket; the hashes of a bucket must differ in nothing but their fingerprints.
uint32_t bucket_bits_of(const IndexParameters& parameters, uint64_t entries) {
    const uint32_t key_bits = 2 * parameters.kmer;
    const auto wanted = static_cast<uint32_t>(std::bit_width(entries / 2));
    return std::clamp(wanted, std::max(10u, key_bits - IndexEntry::k_fingerprint_bits),
                      std::min(32u, key_bits));
}

[[noreturn]] void throw_too_large(const data::Reference& reference) {
    throw data::Error(data::ErrorKind::usage,
                      reference.path() +
                          ": too large for an index of this density (2^32 words of 8 bytes); choose a "
                          "longer k-mer with the same s-mer");
}

/// Error(host_memory) when what is to come needs more than `memory_bytes` (0: no limit).
void check_memory(const data::Reference& reference, const Parts& parts, uint32_t bucket_bits, int threads,
                  uint64_t memory_bytes) {
    const uint64_t needed = k_program_bytes + static_cast<uint64_t>(threads) * k_thread_bytes +
                            reference.packed().size_bytes() + reference.runs().size_bytes() +
                            reference.contigs().size() * data::k_reference_contig_bytes +
                            parts.begin.size() * k_part_bytes + parts.begin.back() * sizeof(IndexEntry) +
                            (sizeof(uint32_t) << bucket_bits) / kernels::k_block_buckets;
    if (memory_bytes == 0 || needed <= memory_bytes) return;
    throw data::Error(data::ErrorKind::host_memory,
                      reference.path() + ": building its index needs " + std::to_string((needed >> 20) + 1) +
                          " MB, more than --memory " + std::to_string(memory_bytes >> 20) +
                          " MB: give more, or build it on a larger machine (an index may be copied)");
}

}  // namespace

void build_index(const data::Reference& reference, const IndexParameters& parameters, const std::string& path,
                 const BuildOptions& options) {
    check(reference, parameters);
    const int threads = std::max(1, options.threads);
    const std::vector<Piece> pieces = cut(reference, parameters.kmer);
    const Parts parts = count_parts(reference, parameters, pieces, threads);
    const uint32_t bucket_bits = bucket_bits_of(parameters, parts.begin.back());
    check_memory(reference, parts, bucket_bits, threads, options.memory_bytes);
    // What is certain to be too large, before it is sorted.
    if (parts.begin.back() + ((uint64_t{1} << bucket_bits) / kernels::k_block_buckets) >
        std::numeric_limits<uint32_t>::max())
        throw_too_large(reference);
    std::vector<IndexEntry> entries = scatter(reference, parameters, pieces, parts, threads);
    sort_parts(reference, parameters.kmer, parts, threads, entries);
    const kernels::SortedEntries sorted{parameters.kmer, entries, parts.begin, reference.packed().data(),
                                        reference.packed().size()};
    std::optional<kernels::SeedIndexLayout> layout;
    try {
        layout.emplace(sorted, bucket_bits);
    } catch (const std::length_error&) {
        throw_too_large(reference);
    }
    IndexFile::write(path, reference, parameters, bucket_bits, *layout, options.source);
}

std::string default_index_path(const std::string& reference_path) { return reference_path + ".gannet"; }

}  // namespace gannet::align
