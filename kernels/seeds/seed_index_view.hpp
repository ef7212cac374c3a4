// SPDX-License-Identifier: MIT
// Provides the seed index as ops see it: plain arrays, on the host or on a device.
//
// Sampled positions of the genome (closed syncmers), ordered by the hash of their canonical k-mer, then by
// the bases that follow the k-mer in its canonical direction (k_context_bases of them, as the packed genome
// has them), then by position. The bucket of a hash is hash >> bucket_shift. All of it is one array of 64-bit
// words, so that a look-up needs one page of memory, beside a small array of where to look:
//
// Blocks. Buckets are in blocks of 16. Block b begins at word block_begin[b], with a word that has a number
// of four bits for each bucket, that of the first one lowest: how many words it has there, 0 to
// k_short_bucket, or k_long_mark. Behind it are the words of the buckets, one bucket after the other. Those
// of a short bucket are its entries (SeedEntry). A long bucket, marked so, has one: the word at which what it
// holds begins.
//
// Long buckets are behind all blocks. The first word of one has the number of its k-mers in the lower half,
// in the upper half the word behind its last entry. Then comes a word for each k-mer: the fingerprint in the
// highest 27 bits, ascending, and in the lower half the word of its first entry. Then come the entries, k-mer
// by k-mer. In place of the fingerprint, which is known, they have the first 13 bases behind the k-mer in its
// canonical direction, by which they are in order: most steps of a search among them need no other memory.
// Behind everything there is a word of zeros.
#pragma once

#include <cstdint>

namespace gannet::kernels {

/// Bases behind a k-mer that order the entries of one k-mer, and by which a long run of them is narrowed.
inline constexpr uint32_t k_context_bases = 128;
/// Of these, the bases that an entry of a long bucket holds itself.
inline constexpr uint32_t k_entry_context_bases = 13;

/// Buckets of a block; and the most entries of a bucket that are in its block.
inline constexpr uint32_t k_block_buckets = 16;
inline constexpr uint32_t k_short_bucket = 14;
/// In place of the number of words: the bucket is a long one.
inline constexpr uint32_t k_long_mark = 15;

/// One sampled position of the genome, in 64 bits: its position in the lowest 36, then whether the canonical
/// k-mer is the reverse complement of what stands there, then the lowest 27 bits of the k-mer's hash, or, in
/// a long bucket, a zero and the first bases of the context.
class SeedEntry {
  public:
    static constexpr unsigned k_position_bits = 36;
    static constexpr unsigned k_fingerprint_bits = 27;

    SeedEntry() = default;
    constexpr explicit SeedEntry(uint64_t value) : value_(value) {}
    constexpr SeedEntry(uint64_t hash, uint64_t position, bool reverse)
        : value_(hash << (k_position_bits + 1) | uint64_t{reverse} << k_position_bits | position) {}
    constexpr uint64_t position() const { return value_ & ((uint64_t{1} << k_position_bits) - 1); }
    constexpr bool reverse() const { return (value_ >> k_position_bits & 1) != 0; }
    constexpr uint64_t fingerprint() const { return value_ >> (k_position_bits + 1); }
    /// Of an entry of a long bucket: the first of its bases highest, in the highest bits; the rest is zero.
    constexpr uint64_t context() const { return value_ & ~uint64_t{0} << k_context_shift; }
    /// The same entry as a long bucket has it; `context`: the first 32 bases, the first one highest.
    constexpr SeedEntry with_context(uint64_t context) const {
        const uint64_t place = value_ & ((uint64_t{2} << k_position_bits) - 1);
        return SeedEntry((context & ~uint64_t{0} << k_context_shift) | place);
    }
    constexpr uint64_t value() const { return value_; }
    static constexpr uint64_t fingerprint_of(uint64_t hash) {
        return hash & ((uint64_t{1} << k_fingerprint_bits) - 1);
    }

  private:
    static constexpr unsigned k_context_shift = 64 - 2 * k_entry_context_bases;
    static_assert(k_context_shift > k_position_bits);
    uint64_t value_ = 0;
};
static_assert(sizeof(SeedEntry) == 8);

/// Refers to memory that lives as long as the process uses the index; the same on all streams.
struct SeedIndexView {
    uint32_t kmer = 0;  ///< bp, odd, 15 to 31
    uint32_t smer = 0;  ///< bp of the syncmers, 8 to 16; kmer - smer + 1 is 8 to 16
    /// A hash has 2 * kmer bits. Those of one bucket differ in their fingerprints: at most 27.
    uint32_t bucket_shift = 0;
    uint64_t blocks = 0;
    const uint32_t* block_begin = nullptr;  ///< one of each block
    const SeedEntry* words = nullptr;       ///< entries, and words of other kinds (value()) among them
    uint64_t word_count = 0;
};

}  // namespace gannet::kernels
