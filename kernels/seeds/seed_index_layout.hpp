// SPDX-License-Identifier: MIT
// Provides the laying out of sorted entries as the words of a seed index (seed_index_view.hpp).
#pragma once

#include "kernels/seeds/seed_index_view.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gannet::kernels {

/// All entries of an index, in its order, with their fingerprints.
struct SortedEntries {
    uint32_t kmer = 0;
    std::span<const SeedEntry> entries;
    /// Entries of a part have the same bits of the hash above the fingerprint, which are the part's number:
    /// those of part p are [part_begin[p], part_begin[p + 1]).
    std::span<const uint64_t> part_begin;
    const uint64_t* packed = nullptr;  ///< the genome, whose bases are the contexts
    uint64_t packed_words = 0;
};

/// The words of an index; made from the first to the last, since they may not fit in memory beside the
/// entries.
class SeedIndexLayout {
  public:
    /// `bucket_bits`: 2^bucket_bits buckets; at least 2 * kmer - 27. Throws std::length_error
    /// where there would be more than 2^32 words.
    SeedIndexLayout(const SortedEntries& sorted, uint32_t bucket_bits);

    std::span<const uint32_t> block_begin() const { return block_begin_; }
    uint64_t words() const { return words_; }
    /// Calls take() with all words, in order, some at a time.
    void write(const std::function<void(std::span<const uint64_t>)>& take) const;

  private:
    const SortedEntries& sorted_;
    const uint32_t bucket_shift_;
    std::vector<uint32_t> block_begin_;
    uint64_t long_begin_ = 0;  ///< word of the first long bucket
    uint64_t words_ = 0;
};

}  // namespace gannet::kernels
