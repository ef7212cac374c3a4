// SPDX-License-Identifier: MIT
// Tests the words of a seed index: every k-mer's entries are found, in short and in long buckets, and nothing
// else is.
#include "kernels/seeds/seed_index_layout.hpp"

#include "kernels/seeds/seed_bucket.hpp"
#include "kernels/seeds/seeds_cell.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <stdexcept>
#include <vector>

namespace gannet::kernels {
namespace {

constexpr uint32_t k_kmer = 15;  // 30 bits of hash: eight parts
constexpr uint32_t k_bucket_bits = 8;

/// An index of entries that are given by hash, on a genome of arbitrary bases.
class Layout : public testing::Test {
  protected:
    Layout() {
        std::mt19937_64 random(5);
        for (uint64_t& word : packed) word = random();
    }
    void add(uint64_t hash, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            const uint64_t position = next_position_ += 37;
            by_hash[hash].emplace_back(hash, position % (packed.size() * 32 - 200), i % 3 == 0);
        }
    }
    void lay_out() {
        for (const auto& [hash, of_hash] : by_hash) {
            part_begin.resize((hash >> SeedEntry::k_fingerprint_bits) + 1, entries.size());
            entries.insert(entries.end(), of_hash.begin(), of_hash.end());
        }
        part_begin.push_back(entries.size());
        const SortedEntries sorted{k_kmer, entries, part_begin, packed.data(), packed.size()};
        const SeedIndexLayout layout(sorted, k_bucket_bits);
        block_begin.assign(layout.block_begin().begin(), layout.block_begin().end());
        layout.write([this](std::span<const uint64_t> some) {
            for (const uint64_t word : some) words.emplace_back(word);
        });
        EXPECT_EQ(words.size(), layout.words());
        index = {
            k_kmer,       8,           2 * k_kmer - k_bucket_bits, block_begin.size(), block_begin.data(),
            words.data(), words.size()};
    }
    /// Compares the entries of a hash with what was added.
    void check(uint64_t hash) const {
        const auto added = by_hash.find(hash);
        const size_t count = added == by_hash.end() ? 0 : added->second.size();
        const SeedRun run = run_of(index, hash);
        ASSERT_EQ(run.count, count) << hash;
        const bool is_long = bucket_of(index, hash).is_long();
        for (size_t i = 0; i < count; ++i) {
            const SeedEntry entry = added->second[i];
            const SeedEntry found = words[run.begin + i];
            ASSERT_EQ(found.position(), entry.position());
            ASSERT_EQ(found.reverse(), entry.reverse());
            const uint64_t context = context_word(packed.data(), packed.size(), entry, k_kmer, 0);
            if (is_long) {
                ASSERT_EQ(found.context(), context >> 38 << 38);
            } else {
                ASSERT_EQ(found.fingerprint(), SeedEntry::fingerprint_of(hash));
            }
        }
    }

    std::vector<uint64_t> packed = std::vector<uint64_t>(1000);
    std::map<uint64_t, std::vector<SeedEntry>> by_hash;
    std::vector<SeedEntry> entries;
    std::vector<uint64_t> part_begin{0};
    std::vector<uint32_t> block_begin;
    std::vector<SeedEntry> words;
    SeedIndexView index;

  private:
    uint64_t next_position_ = 0;
};

TEST_F(Layout, every_kmer_is_found_and_no_other) {
    std::mt19937_64 random(7);
    const auto draw = [&] { return random() >> (64 - 2 * k_kmer); };
    for (int i = 0; i < 1500; ++i) add(draw(), 1 + (random() % 20 == 0 ? random() % 40 : 0));
    lay_out();
    size_t long_ones = 0;
    for (const auto& [hash, added] : by_hash) {
        check(hash);
        check(hash ^ 1);  // of the same bucket
        long_ones += bucket_of(index, hash).is_long() ? 1 : 0;
    }
    for (int i = 0; i < 1000; ++i) check(draw());
    EXPECT_GT(long_ones, 100u);
    EXPECT_LT(long_ones, by_hash.size() - 100);
}

TEST_F(Layout, buckets_of_fourteen_are_short_and_of_fifteen_long_whatever_stands_beside_them) {
    constexpr unsigned k_shift = 2 * k_kmer - k_bucket_bits;
    for (uint64_t bucket = 0; bucket < 16; ++bucket) add(bucket << k_shift | 9, bucket % 2 == 0 ? 14 : 15);
    for (uint64_t bucket = 16; bucket < 32; ++bucket) add(bucket << k_shift | 1, 15);
    add(uint64_t{255} << k_shift, 1);
    lay_out();
    for (uint64_t bucket = 0; bucket < 256; ++bucket) {
        check(bucket << k_shift | 9);
        check(bucket << k_shift | 1);
        check(bucket << k_shift);
        EXPECT_EQ(bucket_of(index, bucket << k_shift).is_long(),
                  bucket < 32 && (bucket >= 16 || bucket % 2 == 1));
    }
    // A bucket that has nothing points into the words all the same, as its entries may be asked for.
    EXPECT_LT(bucket_of(index, uint64_t{254} << k_shift).begin, index.word_count);
}

TEST_F(Layout, an_index_without_entries_finds_nothing) {
    lay_out();
    EXPECT_EQ(index.word_count, 16u + 1);
    for (uint64_t hash = 0; hash < uint64_t{1} << 30; hash += 99'999'989) check(hash);
}

TEST_F(Layout, the_bases_that_an_entry_holds_order_it_as_the_genome_does) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 2000; ++i) {
        const SeedEntry plain(1, random() % 30'000, i % 2 == 0);
        const uint64_t first = context_word(packed.data(), packed.size(), plain, k_kmer, 0);
        const SeedEntry entry = plain.with_context(first);
        // A read that shares 0 to 31 bases with the entry, and may end anywhere.
        const auto shared = static_cast<unsigned>(random() % 32);
        const uint64_t context[4] = {first ^ (uint64_t{1} + random() % 3) << (62 - 2 * shared), 1, 2, 3};
        const auto length = static_cast<uint32_t>(random() % 34);
        const ContextOrder expected =
            compare_context(packed.data(), packed.size(), k_kmer, plain, context, length);
        const ContextOrder found = compare_long(packed.data(), packed.size(), k_kmer, entry, context, length);
        ASSERT_EQ(found.shared, expected.shared) << shared << " " << length;
        ASSERT_EQ(found.less, expected.less) << shared << " " << length;
    }
}

}  // namespace
}  // namespace gannet::kernels
