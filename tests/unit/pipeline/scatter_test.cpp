// SPDX-License-Identifier: MIT
// Checks plans of shards: they hold every base of the scope once, in order, and are of equal size.
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "pipeline/jobs/scatter_job.hpp"
#include "pipeline/jobs/shard_names.hpp"
#include "tests/support/temporary_folder.hpp"
#include "variants/reads/windows.hpp"

#include <gtest/gtest.h>

namespace gannet::pipeline {
namespace {

class Scatter : public testing::Test {
  protected:
    /// A contig of 400 kb whose second half is unknown, one of 200 kb and 20 of 1 kb.
    static std::string fasta() {
        std::string text = ">one\n" + std::string(200'000, 'C') + std::string(200'000, 'N') + "\n>two\n" +
                           std::string(200'000, 'G') + "\n";
        for (int i = 0; i < 20; ++i)
            text += ">small" + std::to_string(i) + "\n" + std::string(1000, 'T') + "\n";
        return text;
    }

    void expect_exact_cover(const std::vector<Shard>& shards, const std::vector<data::Region>& scope) const {
        std::vector<data::Region> all;
        uint64_t bases = 0;
        for (const Shard& shard : shards) {
            bases += shard.regions.total_bp();
            for (const data::Region& region : shard.regions.regions()) {
                EXPECT_TRUE(all.empty() || all.back() < region);
                all.push_back(region);
            }
        }
        const data::RegionSet expected(scope);
        EXPECT_EQ(data::RegionSet(all).regions(), expected.regions());
        EXPECT_EQ(bases, expected.total_bp());
    }

    std::vector<data::Region> everything() const {
        std::vector<data::Region> regions;
        for (uint32_t i = 0; i < reference_->contigs().size(); ++i)
            regions.push_back({i, 0, static_cast<int64_t>(reference_->contigs()[i].length)});
        return regions;
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<const data::Reference> reference_ = data::fasta::load(folder_.write("r.fa", fasta()));
};

TEST_F(Scatter, shards_hold_every_base_once_and_are_of_equal_size) {
    for (const uint32_t count : {1u, 2u, 5u, 8u}) {
        const std::vector<Shard> shards = plan_shards(*reference_, {}, count);
        ASSERT_EQ(shards.size(), count);
        expect_exact_cover(shards, everything());
        for (const Shard& shard : shards)
            EXPECT_NEAR(static_cast<double>(shard.known_bases), 420'000.0 / count, variants::k_window_bp)
                << count;
    }
}

TEST_F(Scatter, windows_are_never_cut) {
    for (const Shard& shard : plan_shards(*reference_, {}, 30)) {
        for (const data::Region& r : shard.regions.regions()) {
            EXPECT_EQ(r.begin % variants::k_window_bp, 0);
            const auto length = static_cast<int64_t>(reference_->contigs()[r.contig].length);
            EXPECT_TRUE(r.end == length || r.end % variants::k_window_bp == 0) << r.end;
        }
    }
}

TEST_F(Scatter, targets_of_a_window_stay_together) {
    std::vector<data::Region> targets;
    for (int64_t at = 100; at < 190'000; at += 1000) targets.push_back({0, at, at + 150});
    const std::vector<Shard> shards = plan_shards(*reference_, data::RegionSet(targets), 4);
    ASSERT_EQ(shards.size(), 4u);
    expect_exact_cover(shards, targets);
    for (size_t i = 1; i < shards.size(); ++i) {
        EXPECT_LT((shards[i - 1].regions.regions().back().end - 1) / variants::k_window_bp,
                  shards[i].regions.regions().front().begin / variants::k_window_bp);
    }
}

TEST_F(Scatter, there_are_fewer_shards_where_there_is_less_to_divide) {
    const std::vector<data::Region> small = {{3, 0, 1000}, {4, 10, 500}};
    const std::vector<Shard> shards = plan_shards(*reference_, data::RegionSet(small), 50);
    EXPECT_EQ(shards.size(), 2u);
    expect_exact_cover(shards, small);
}

TEST_F(Scatter, unknown_sequence_alone_is_divided_by_windows) {
    const std::vector<data::Region> unknown = {{0, 204'800, 400'000}};
    const std::vector<Shard> shards = plan_shards(*reference_, data::RegionSet(unknown), 3);
    EXPECT_EQ(shards.size(), 3u);
    expect_exact_cover(shards, unknown);
}

TEST_F(Scatter, a_size_makes_as_many_shards_as_it_takes) {
    EXPECT_EQ(shards_of_size(*reference_, {}, 0.1), 5u);  // 420 kb are known
    EXPECT_EQ(shards_of_size(*reference_, {}, 0.42), 1u);
    EXPECT_EQ(shards_of_size(*reference_, {}, 100), 1u);
}

TEST(ShardNames, sorted_by_name_they_are_in_the_order_of_their_numbers) {
    EXPECT_EQ(k_interval_shards.of(7, 50), "0007-of-0050.bed");
    EXPECT_EQ(k_interval_shards.of(7, 9'999), "0007-of-9999.bed");
    EXPECT_EQ(k_interval_shards.of(7, 10'000), "00007-of-10000.bed");
    EXPECT_EQ(k_example_shards.of(0, 3), "examples-00000-of-00003.gnx");
    for (const size_t count : {size_t{50}, size_t{10'001}, size_t{99'999}}) {
        for (size_t number = 2; number <= count; ++number)
            ASSERT_LT(k_interval_shards.of(number - 1, count), k_interval_shards.of(number, count));
    }
}

TEST(ShardNames, the_count_is_read_from_names_of_the_form_alone) {
    EXPECT_EQ(k_interval_shards.count_in("0007-of-0050.bed"), 50u);
    EXPECT_EQ(k_interval_shards.count_in("00007-of-10001.bed"), 10'001u);
    EXPECT_EQ(k_example_shards.count_in("examples-00000-of-00003.gnx"), 3u);
    for (const char* const name :
         {"", ".bed", "0007.bed", "x-of-0050.bed", "0007-of-50.bed", "0007-of-0050.bed.gz",
          "a0007-of-0050.bed", "0007-of-0050", "0007-of--050.bed", "-of-.bed"})
        EXPECT_FALSE(k_interval_shards.count_in(name)) << name;
}

TEST(ShardNames, shards_of_another_plan_are_refused) {
    const tests::TemporaryFolder folder;
    for (const char* const name : {"00001-of-10001.bed", "targets.bed", "0001-of-2.bed"})
        folder.write(name, "");
    EXPECT_NO_THROW(k_interval_shards.refuse_others(folder.path(""), 10'001));
    EXPECT_THROW(k_interval_shards.refuse_others(folder.path(""), 2), data::Error);
    folder.write("0002-of-10001.bed", "");  // as they were named once
    EXPECT_THROW(k_interval_shards.refuse_others(folder.path(""), 10'001), data::Error);
}

}  // namespace
}  // namespace gannet::pipeline
