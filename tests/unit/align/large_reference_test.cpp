// SPDX-License-Identifier: MIT
// Provides the slow test of a reference beyond 2^32 bases, mostly N: index, file, look-up and alignment.
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

namespace gannet::align {
namespace {

using tests::Random;

/// Three contigs of 1,500,000,000 N with 20,000 bases near their end, packed by hand: about 1.2 GB.
std::shared_ptr<const data::Reference> make_large(const std::vector<std::string>& islands) {
    constexpr uint64_t k_contig = 1'500'000'000;
    constexpr uint64_t k_stride = (k_contig / 64 + 2) * 64;
    constexpr uint64_t k_island = 1'400'000'000;
    struct Owned {
        std::vector<uint64_t> packed;
        std::vector<data::NonAcgtRun> runs;
    };
    const auto owned = std::make_shared<Owned>();
    owned->packed.assign((64 + islands.size() * k_stride) / 32, 0);
    std::vector<data::Contig> contigs;
    uint64_t from = 0;
    for (size_t i = 0; i < islands.size(); ++i) {
        const uint64_t offset = 64 + i * k_stride;
        contigs.push_back({"c" + std::to_string(i), k_contig, offset, std::string(32, '0')});
        owned->runs.push_back({from, offset + k_island, 'N', {}});
        for (size_t j = 0; j < islands[i].size(); ++j) {
            const uint64_t at = offset + k_island + j;
            owned->packed[at / 32] |= uint64_t{data::k_base_of_letter[static_cast<uint8_t>(islands[i][j])]}
                                      << 2 * (at % 32);
        }
        from = offset + k_island + islands[i].size();
    }
    owned->runs.push_back({from, owned->packed.size() * 32, 'N', {}});
    return std::make_shared<const data::Reference>("large.fa", contigs, owned->packed, owned->runs, owned);
}

TEST(LargeReference, reads_beyond_32_bits_are_found) {
    Random random(41);
    std::vector<std::string> islands;
    for (size_t i = 0; i < 3; ++i) islands.push_back(random.bases(20'000));
    const tests::TemporaryFolder folder;
    {
        const auto reference = make_large(islands);
        ASSERT_GT(reference->genome_size(), uint64_t{1} << 32);
        build_index(*reference, {}, folder.path("large.gannet"), {.threads = 2});
    }
    const auto index = Index::open(folder.path("large.gannet"));
    ASSERT_GT(index->reference()->contigs()[2].offset + 1'400'000'000, uint64_t{1} << 32);
    const Aligner aligner(index, {}, {});
    std::vector<std::string> reads;
    for (size_t i = 0; i < 3; ++i) {
        std::string read = islands[i].substr(1'000, 120);
        read.erase(60, 2);
        reads.push_back(islands[i].substr(500, 100));
        reads.push_back(tests::reverse_complement(read));
    }
    const data::RecordBatch out = tests::align_batch(aligner, tests::make_batch(reads, false), {});
    ASSERT_EQ(out.entries.size(), 6u);
    for (size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(out.view(i).contig(), static_cast<int32_t>(i / 2));
        EXPECT_EQ(out.view(i).position(), i % 2 ? 1'400'001'000 : 1'400'000'500);
        EXPECT_EQ(out.view(i).mapping_quality(), 60);
        EXPECT_EQ(out.view(i).has(data::k_flag_reverse), i % 2 == 1);
        EXPECT_EQ(out.view(i).integer_tag("NM").value(), i % 2 ? 2 : 0);
    }
}

}  // namespace
}  // namespace gannet::align
