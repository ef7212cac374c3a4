// SPDX-License-Identifier: MIT
// Provides the building of an index: sampled positions scattered by hash, then each part sorted.
#include "align/index/file.hpp"
#include "align/index/syncmer.hpp"
#include "data/error.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>

namespace gannet::align {
namespace {

/// Bases that one thread takes at a time.
constexpr uint64_t k_chunk_bases = uint64_t{1} << 18;

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

/// Runs body(index) for all indices on some threads; rethrows the first thing thrown.
void for_each_parallel(size_t count, int threads, const std::function<void(size_t)>& body) {
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto work = [&] {
        try {
            for (size_t i = next++; i < count; i = next++) body(i);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::jthread> pool;
    for (int i = 1; i < threads; ++i) pool.emplace_back(work);
    work();
    pool.clear();
    if (failure) std::rethrow_exception(failure);
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
    for_each_parallel(pieces.size(), threads, [&](size_t i) {
        thread_local std::vector<Syncmer> found;
        sample(reference, parameters, pieces[i], found);
        for (const Syncmer& syncmer : found)
            sizes[syncmer.hash >> parts.shift].fetch_add(1, std::memory_order_relaxed);
    });
    parts.begin.assign(count + 1, 0);
    for (size_t i = 0; i < count; ++i) parts.begin[i + 1] = parts.begin[i] + sizes[i].load();
    if (parts.begin.back() > std::numeric_limits<uint32_t>::max()) {
        throw data::Error(data::ErrorKind::usage,
                          reference.path() +
                              ": too large for an index of this density (2^32 entries); choose a "
                              "longer k-mer with the same s-mer");
    }
    return parts;
}

std::vector<IndexEntry> scatter(const data::Reference& reference, const IndexParameters& parameters,
                                const std::vector<Piece>& pieces, const Parts& parts, int threads) {
    std::vector<IndexEntry> entries(parts.begin.back());
    std::vector<std::atomic<uint64_t>> cursor(parts.begin.size() - 1);
    for (size_t i = 0; i < cursor.size(); ++i) cursor[i] = parts.begin[i];
    for_each_parallel(pieces.size(), threads, [&](size_t i) {
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
    for_each_parallel(parts.begin.size() - 1, threads, [&](size_t i) {
        std::sort(entries.begin() + static_cast<int64_t>(parts.begin[i]),
                  entries.begin() + static_cast<int64_t>(parts.begin[i + 1]), less);
    });
}

std::vector<uint32_t> make_buckets(const Parts& parts, unsigned bucket_shift, size_t buckets,
                                   const std::vector<IndexEntry>& entries) {
    std::vector<uint32_t> begin(buckets + 1, 0);
    for (size_t part = 0; part + 1 < parts.begin.size(); ++part) {
        for (uint64_t i = parts.begin[part]; i < parts.begin[part + 1]; ++i) {
            const uint64_t hash = uint64_t{part} << parts.shift | entries[i].fingerprint();
            ++begin[(hash >> bucket_shift) + 1];
        }
    }
    for (size_t i = 0; i < buckets; ++i) begin[i + 1] += begin[i];
    return begin;
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

}  // namespace

void build_index(const data::Reference& reference, const IndexParameters& parameters, const std::string& path,
                 int threads) {
    check(reference, parameters);
    threads = std::max(1, threads);
    const std::vector<Piece> pieces = cut(reference, parameters.kmer);
    const Parts parts = count_parts(reference, parameters, pieces, threads);
    std::vector<IndexEntry> entries = scatter(reference, parameters, pieces, parts, threads);
    sort_parts(reference, parameters.kmer, parts, threads, entries);
    // One entry a bucket or two; a bucket's entries must differ in their fingerprints alone.
    const uint32_t key_bits = 2 * parameters.kmer;
    const auto wanted = static_cast<uint32_t>(std::bit_width(entries.size() / 2));
    const uint32_t bucket_bits =
        std::clamp(wanted, std::max(10u, key_bits - IndexEntry::k_fingerprint_bits), std::min(32u, key_bits));
    const std::vector<uint32_t> buckets =
        make_buckets(parts, key_bits - bucket_bits, size_t{1} << bucket_bits, entries);
    IndexFile::write(path, reference, parameters, bucket_bits, buckets, entries);
}

std::string default_index_path(const std::string& reference_path) { return reference_path + ".gannet"; }

}  // namespace gannet::align
