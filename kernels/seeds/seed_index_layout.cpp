// SPDX-License-Identifier: MIT
// Provides the laying out of the words of a seed index, in three passes over its entries.
#include "kernels/seeds/seed_index_layout.hpp"

#include "kernels/seeds/seeds_cell.hpp"

#include <limits>
#include <stdexcept>

namespace gannet::kernels {
namespace {

/// Calls use(bucket, its entries) for each bucket that has any, in order.
template <class Use>
void for_each_bucket(const SortedEntries& sorted, uint32_t bucket_shift, const Use& use) {
    for (size_t part = 0; part + 1 < sorted.part_begin.size(); ++part) {
        const uint64_t end = sorted.part_begin[part + 1];
        const uint64_t high = uint64_t{part} << SeedEntry::k_fingerprint_bits;
        for (uint64_t i = sorted.part_begin[part]; i < end;) {
            const uint64_t bucket = (high | sorted.entries[i].fingerprint()) >> bucket_shift;
            const uint64_t first = i;
            while (++i < end && (high | sorted.entries[i].fingerprint()) >> bucket_shift == bucket) {
            }
            use(bucket, sorted.entries.subspan(first, i - first));
        }
    }
}

/// Calls use(entries of one k-mer) for each k-mer of a bucket, in order.
template <class Use>
void for_each_kmer(std::span<const SeedEntry> bucket, const Use& use) {
    while (!bucket.empty()) {
        size_t count = 1;
        while (count < bucket.size() && bucket[count].fingerprint() == bucket[0].fingerprint()) ++count;
        use(bucket.first(count));
        bucket = bucket.subspan(count);
    }
}

uint64_t kmers_of(std::span<const SeedEntry> bucket) {
    uint64_t kmers = 0;
    for_each_kmer(bucket, [&](std::span<const SeedEntry>) { ++kmers; });
    return kmers;
}

uint64_t words_of_long(std::span<const SeedEntry> bucket) { return 1 + kmers_of(bucket) + bucket.size(); }

bool is_long(std::span<const SeedEntry> bucket) { return bucket.size() > k_short_bucket; }

/// Gives words away some at a time.
class WordBuffer {
  public:
    explicit WordBuffer(const std::function<void(std::span<const uint64_t>)>& take) : take_(take) {
        words_.reserve(k_words);
    }
    void add(uint64_t word) {
        words_.push_back(word);
        if (words_.size() == k_words) flush();
    }
    void flush() {
        take_(words_);
        words_.clear();
    }

  private:
    static constexpr size_t k_words = size_t{1} << 16;
    const std::function<void(std::span<const uint64_t>)>& take_;
    std::vector<uint64_t> words_;
};

/// One block after the other.
class BlockWriter {
  public:
    explicit BlockWriter(WordBuffer& out) : out_(out) {}

    /// `place`: word of what a long bucket holds.
    void add(uint64_t bucket, std::span<const SeedEntry> entries, uint64_t place) {
        begin_block(bucket / k_block_buckets);
        const uint64_t count = is_long(entries) ? k_long_mark : entries.size();
        counts_ |= count << 4 * (bucket % k_block_buckets);
        if (is_long(entries)) {
            block_.push_back(place);
        } else {
            for (const SeedEntry entry : entries) block_.push_back(entry.value());
        }
    }
    /// Ends the blocks before `block`.
    void begin_block(uint64_t block) {
        for (; at_ < block; ++at_) {
            out_.add(counts_);
            for (const uint64_t word : block_) out_.add(word);
            counts_ = 0;
            block_.clear();
        }
    }

  private:
    WordBuffer& out_;
    uint64_t at_ = 0;
    uint64_t counts_ = 0;
    std::vector<uint64_t> block_;
};

void write_long(const SortedEntries& sorted, std::span<const SeedEntry> bucket, uint64_t place,
                WordBuffer& out) {
    const uint64_t kmers = kmers_of(bucket);
    uint64_t entry = place + 1 + kmers;
    out.add((entry + bucket.size()) << 32 | kmers);
    for_each_kmer(bucket, [&](std::span<const SeedEntry> run) {
        out.add(run[0].fingerprint() << (SeedEntry::k_position_bits + 1) | entry);
        entry += run.size();
    });
    for (const SeedEntry each : bucket) {
        const uint64_t context = context_word(sorted.packed, sorted.packed_words, each, sorted.kmer, 0);
        out.add(each.with_context(context).value());
    }
}

}  // namespace

SeedIndexLayout::SeedIndexLayout(const SortedEntries& sorted, uint32_t bucket_bits)
    : sorted_(sorted), bucket_shift_(2 * sorted.kmer - bucket_bits) {
    const size_t blocks = ((size_t{1} << bucket_bits) + k_block_buckets - 1) / k_block_buckets;
    std::vector<uint32_t>& begin = block_begin_;
    begin.assign(blocks, 0);  // at first the words of each block
    uint64_t words_of_all_long = 0;
    for_each_bucket(sorted, bucket_shift_, [&](uint64_t bucket, std::span<const SeedEntry> entries) {
        begin[bucket / k_block_buckets] += is_long(entries) ? 1 : static_cast<uint32_t>(entries.size());
        if (is_long(entries)) words_of_all_long += words_of_long(entries);
    });
    for (uint32_t& block : begin) {
        const uint64_t words = block + uint64_t{1};
        block = static_cast<uint32_t>(long_begin_);
        long_begin_ += words;
    }
    words_ = long_begin_ + words_of_all_long + 1;
    if (words_ > std::numeric_limits<uint32_t>::max())
        throw std::length_error("a seed index of more than 2^32 words");
}

void SeedIndexLayout::write(const std::function<void(std::span<const uint64_t>)>& take) const {
    WordBuffer out(take);
    BlockWriter blocks(out);
    uint64_t place = long_begin_;
    for_each_bucket(sorted_, bucket_shift_, [&](uint64_t bucket, std::span<const SeedEntry> entries) {
        blocks.add(bucket, entries, place);
        if (is_long(entries)) place += words_of_long(entries);
    });
    blocks.begin_block(block_begin_.size());
    place = long_begin_;
    for_each_bucket(sorted_, bucket_shift_, [&](uint64_t, std::span<const SeedEntry> entries) {
        if (!is_long(entries)) return;
        write_long(sorted_, entries, place, out);
        place += words_of_long(entries);
    });
    out.add(0);
    out.flush();
}

}  // namespace gannet::kernels
