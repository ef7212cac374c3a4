// SPDX-License-Identifier: MIT
// Provides the seed index as ops see it: plain arrays, on the host or on a device.
//
// Sampled positions of the genome (closed syncmers), ordered by the hash of their canonical k-mer, then by
// the bases that follow the k-mer in its canonical direction (k_context_bases of them, as the packed genome
// has them), then by position.
#pragma once

#include <cstdint>

namespace gannet::kernels {

/// Bases behind a k-mer that order the entries of one k-mer, and by which a long run of them is narrowed.
inline constexpr uint32_t k_context_bases = 128;

/// One sampled position of the genome, in 64 bits: its position in the lowest 36, then whether the canonical
/// k-mer is the reverse complement of what stands there, then the lowest 27 bits of the k-mer's hash.
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
    constexpr uint64_t value() const { return value_; }
    static constexpr uint64_t fingerprint_of(uint64_t hash) {
        return hash & ((uint64_t{1} << k_fingerprint_bits) - 1);
    }

  private:
    uint64_t value_ = 0;
};
static_assert(sizeof(SeedEntry) == 8);

/// Refers to memory that lives as long as the process uses the index; the same on all streams.
struct SeedIndexView {
    uint32_t kmer = 0;  ///< bp, odd, 15 to 31
    uint32_t smer = 0;  ///< bp of the syncmers, 8 to 16; kmer - smer + 1 is 8 to 16
    /// The bucket of a hash is hash >> bucket_shift; a hash has 2 * kmer bits.
    uint32_t bucket_shift = 0;
    uint64_t buckets = 0;
    /// buckets + 1, ascending: the entries of bucket b are [bucket_begin[b], bucket_begin[b + 1]). Those of
    /// one bucket and one k-mer have the same fingerprint, and no others of the bucket do.
    const uint32_t* bucket_begin = nullptr;
    const SeedEntry* entries = nullptr;
    uint64_t entry_count = 0;
};

}  // namespace gannet::kernels
