// SPDX-License-Identifier: MIT
// Tests the reference blocks of a gVCF: their bands and edges, and that shards, batches and the scorer's path
// give the blocks of the whole.
#include "variants/records/reference_blocks.hpp"

#include "data/vcf/text.hpp"
#include "kernels/op_table.hpp"
#include "tests/unit/variants/caller_support.hpp"
#include "variants/caller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

using Positions = std::vector<std::array<uint16_t, 2>>;

class BlockBuilderTest : public ::testing::Test {
  protected:
    /// Blocks as "begin-end:GQ".
    std::vector<std::string> blocks() {
        std::vector<data::ReferenceBlock> out;
        BlockBuilder().build({0, 8192, 8292}, window_, parameters_, targets_, ploidy_, out);
        std::vector<std::string> texts;
        for (const auto& block : out) {
            texts.push_back(std::to_string(block.begin - 8192) + "-" + std::to_string(block.end - 8192) +
                            ":" + std::to_string(block.quality));
        }
        last_ = out;
        return texts;
    }
    void SetUp() override {
        window_.clear({0, 8192, 8292});
        window_.confidence.depth.assign(100, 20);
        window_.confidence.likelihoods.assign(100, {60, 900});
        parameters_.bands = {20, 60};
    }
    void set(size_t begin, size_t end, uint16_t some) {
        for (size_t i = begin; i < end; ++i) window_.confidence.likelihoods[i] = {some, 900};
    }

    WindowBlocks window_;
    BlockParameters parameters_;
    data::RegionSet targets_;
    PloidyMap ploidy_;
    std::vector<data::ReferenceBlock> last_;
};

using Texts = std::vector<std::string>;

TEST_F(BlockBuilderTest, a_block_ends_where_the_band_ends_and_zero_is_a_band) {
    set(10, 20, 70);
    set(20, 30, 59);
    set(30, 40, 20);
    set(40, 50, 19);
    set(50, 60, 0);
    set(60, 70, 1);
    EXPECT_EQ(blocks(), (Texts{"0-20:60", "20-40:20", "40-50:19", "50-60:0", "60-70:1", "70-100:60"}));
}

TEST_F(BlockBuilderTest, a_block_has_the_lowest_values_and_the_median_depth) {
    window_.confidence.likelihoods[7] = {88, 640};
    window_.confidence.depth[3] = 11;
    for (size_t i = 50; i < 100; ++i) window_.confidence.depth[i] = 31;
    ASSERT_EQ(blocks(), (Texts{"0-100:60"}));
    EXPECT_EQ(last_[0].likelihoods, (std::array<int32_t, 2>{60, 640}));
    EXPECT_EQ(last_[0].minimum_depth, 11);
    EXPECT_EQ(last_[0].depth, 20);
}

TEST_F(BlockBuilderTest, called_records_are_left_out) {
    window_.covered = {{8192 + 40, 8192 + 43}, {8000, 8194}, {8192 + 41, 8192 + 42}, {8192 + 98, 9000}};
    EXPECT_EQ(blocks(), (Texts{"2-40:60", "43-98:60"}));
}

TEST_F(BlockBuilderTest, what_a_record_outside_the_bounds_covers_is_in_blocks_of_nothing) {
    window_.covered = {
        {8192 + 5, 8192 + 30}, {8000, 8192 + 3}, {8192 + 40, 8192 + 43}, {8192 + 60, 8192 + 90}};
    parameters_.bounds = data::RegionSet({{0, 8192, 8192 + 2}, {0, 8192 + 20, 8192 + 70}});
    EXPECT_EQ(blocks(), (Texts{"0-2:0", "20-30:0", "30-40:60", "43-60:60"}));
    EXPECT_EQ(last_[1].depth, 20);
    EXPECT_EQ(last_[1].likelihoods, (std::array<int32_t, 2>{0, 0}));
}

TEST_F(BlockBuilderTest, sites_that_were_not_called_are_not_certain) {
    window_.uncalled = {{8192 + 5, {3, 0}}, {8192 + 90, {400, 800}}};
    EXPECT_EQ(blocks(), (Texts{"0-5:60", "5-6:0", "6-100:60"}));
    EXPECT_EQ(last_[2].likelihoods[1], 800);
}

TEST_F(BlockBuilderTest, blocks_end_at_the_edges_of_bounds) {
    parameters_.bounds = data::RegionSet({{0, 0, 8195}, {0, 8200, 8210}, {0, 8280, 9000}, {1, 0, 9000}});
    EXPECT_EQ(blocks(), (Texts{"0-3:60", "8-18:60", "88-100:60"}));
    parameters_.bounds = data::RegionSet({{1, 0, 9000}});
    EXPECT_EQ(blocks(), Texts{});
}

TEST_F(BlockBuilderTest, a_block_belongs_to_the_target_that_holds_its_first_position) {
    set(30, 100, 0);
    targets_ = data::RegionSet({{0, 8192 + 20, 8192 + 60}});
    EXPECT_EQ(blocks(), (Texts{"30-100:0"}));
    targets_ = data::RegionSet({{0, 0, 8192 + 20}});
    EXPECT_EQ(blocks(), (Texts{"0-30:60"}));
}

TEST_F(BlockBuilderTest, haploid_positions_have_the_likelihood_of_all_copies_and_absent_ones_none) {
    for (auto& values : window_.confidence.likelihoods) values = {60, 77};
    ploidy_.set({0, 8192 + 10, 8192 + 20}, 1);
    ploidy_.set({0, 8192 + 20, 8192 + 30}, 0);
    EXPECT_EQ(blocks(), (Texts{"0-10:60", "10-20:77", "30-100:60"}));
    EXPECT_EQ(last_[1].ploidy, 1);
    EXPECT_EQ(last_[0].ploidy, 2);
}

TEST_F(BlockBuilderTest, a_window_without_reads_is_one_block_of_nothing) {
    window_.clear({0, 8192, 8292});
    EXPECT_EQ(blocks(), (Texts{"0-100:0"}));
    EXPECT_EQ(last_[0].depth, 0);
    EXPECT_EQ(last_[0].likelihoods, (std::array<int32_t, 2>{0, 0}));
}

/// Lines of the gVCF. With `correction`, by the scorer's path: each example gets the same three corrections.
struct GvcfCall {
    std::shared_ptr<const data::Reference> reference;
    std::vector<std::shared_ptr<const RecordChunk>> chunks;
    data::RegionSet regions;
    size_t batch = 1;
    BlockParameters blocks;
    PloidyMap ploidy;
    bool scored = false;

    GvcfCall(std::shared_ptr<const data::Reference> r, std::vector<std::shared_ptr<const RecordChunk>> c)
        : reference(std::move(r)), chunks(std::move(c)) {
        blocks.enabled = true;
    }

    std::vector<std::string> lines() const {
        const kernels::OpTable ops = kernels::make_op_table(std::nullopt, std::nullopt);
        const auto stream = ops.make_stream();
        ScoringParameters scoring;
        scoring.enabled = scored;
        scoring.decision = trusted_everywhere();
        const Caller caller(reference, {}, regions, scoring, ploidy, {}, blocks);
        CallWork work;
        std::vector<WindowReads> waiting;
        std::vector<std::string> out;
        const auto flush = [&] {
            caller.begin(std::move(waiting), work);
            waiting.clear();
            ops.pair_hmm(*stream, work.jobs, work.likelihoods);
            stream->wait();
            std::vector<data::Variant> variants;
            caller.genotype(work);
            for (size_t i = 0; i < work.examples.facts.size(); ++i) {  // every fourth allele is taken back
                const int32_t odds = work.examples.facts[i].position % 4 == 0 ? -40 * k_log_scale : 0;
                work.corrections.insert(work.corrections.end(), {0, odds, odds});
            }
            caller.finish(work, variants);
            std::vector<data::ReferenceBlock> found;
            for (size_t i = 0; i < work.window_count(); ++i) caller.reference_blocks(work, i, found);
            data::vcf::LinePacker packer(*reference, data::vcf::Format::text, data::vcf::GvcfDialect::gatk);
            data::vcf::PackedLines lines;
            packer.add(variants, found, lines);
            for (auto at = lines.bytes.begin(); at != lines.bytes.end();) {
                const auto end = std::find(at, lines.bytes.end(), uint8_t{'\n'});
                out.emplace_back(at, end);
                at = end + 1;
            }
        };
        WindowFeeder feeder(
            *reference, regions,
            [&](WindowReads&& window) {
                waiting.push_back(std::move(window));
                if (waiting.size() == batch) flush();
            },
            true);
        for (const auto& chunk : chunks) feeder.push(chunk);
        feeder.finish();
        flush();
        return out;
    }
};

/// POS (0-based), end (exclusive) and whether it is a block.
struct Span {
    int64_t begin = 0;
    int64_t end = 0;
    bool is_block = false;
};
Span span_of(const std::string& line) {
    const size_t position = line.find('\t') + 1;
    Span span;
    span.begin = std::stoll(line.substr(position)) - 1;
    const size_t end = line.find("\tEND=");
    span.is_block = end != std::string::npos;
    const size_t reference = line.find('\t', line.find('\t', position) + 1) + 1;
    span.end = span.is_block ? std::stoll(line.substr(end + 5))
                             : span.begin + static_cast<int64_t>(line.find('\t', reference) - reference);
    return span;
}

/// SNPs, insertions and deletions, some of them over the seams of windows.
std::vector<Change> dense_changes(std::mt19937_64& random, const std::string& letters) {
    std::vector<Change> changes;
    for (int64_t at = 200; at + 300 < static_cast<int64_t>(letters.size());
         at += 80 + static_cast<int64_t>(random() % 300)) {
        const auto i = static_cast<size_t>(at);
        const uint64_t sides = 1 + random() % 3;
        Change change{at, letters.substr(i, 1), "", {(sides & 1) != 0, (sides & 2) != 0}};
        if (random() % 3 == 0) {
            change.reference = letters.substr(i, 2 + random() % 40);
            change.alternate = letters.substr(i, 1);
        } else if (random() % 3 == 0) {
            change.alternate = letters.substr(i, 1) + random_letters(random, 1 + random() % 20);
        } else {
            change.alternate = letters[i] == 'A' ? "C" : "A";
        }
        changes.push_back(std::move(change));
    }
    for (const int64_t seam : {8'192, 16'384, 24'576}) {  // deletions that reach into the next window
        std::erase_if(changes, [&](const Change& c) { return std::abs(c.position - seam) < 120; });
        const auto i = static_cast<size_t>(seam - 10);
        changes.push_back({seam - 10, letters.substr(i, 30), letters.substr(i, 1), {true, seam == 16'384}});
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.position < b.position; });
    return changes;
}

class GvcfLines : public ::testing::TestWithParam<bool> {
  protected:
    GvcfLines() : random_(21), letters_(random_letters(random_, 36'000)) {
        reference_ = make_reference(letters_);
        const auto changes = dense_changes(random_, letters_);
        reads_ = simulate(random_, letters_, changes, {});
        // A gap of the reads longer than a window's half, and one read alone.
        std::erase_if(reads_, [](const SimulatedRead& read) {
            return read.position > 27'000 && read.position < 33'000 && read.position % 977 != 0;
        });
    }
    GvcfCall call(size_t per_chunk = 1'000'000) {
        GvcfCall c(reference_, make_chunks(reads_, per_chunk));
        c.scored = GetParam();
        return c;
    }
    std::mt19937_64 random_;
    std::string letters_;
    std::shared_ptr<const data::Reference> reference_;
    std::vector<SimulatedRead> reads_;
};

TEST_P(GvcfLines, random_shards_and_batches_give_the_same_lines) {
    const auto whole = call().lines();
    ASSERT_GT(whole.size(), 400u);
    for (int round = 0; round < 4; ++round) {
        std::set<int64_t> cuts{0, static_cast<int64_t>(letters_.size())};
        for (uint64_t i = 2 + random_() % 12; i > 0; --i)
            cuts.insert(static_cast<int64_t>(random_() % letters_.size()));
        if (round == 0) cuts.insert({8'192, 8'195, 16'384, 24'576, 30'000});
        std::vector<std::string> united;
        for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
            GvcfCall part = call(1 + random_() % 700);
            part.regions = data::RegionSet({{0, *cut, *std::next(cut)}});
            part.batch = 1 + random_() % 5;
            const auto lines = part.lines();
            united.insert(united.end(), lines.begin(), lines.end());
        }
        EXPECT_EQ(united, whole) << "round " << round;
    }
}

TEST_P(GvcfLines, every_position_is_in_one_block_or_in_records) {
    std::vector<int> blocks(letters_.size(), 0), records(letters_.size(), 0);
    size_t variants = 0;
    for (const std::string& line : call().lines()) {
        const Span span = span_of(line);
        variants += span.is_block ? 0 : 1;
        for (int64_t p = span.begin; p < span.end; ++p)
            ++(span.is_block ? blocks : records)[static_cast<size_t>(p)];
        if (span.is_block) {
            EXPECT_EQ(span.begin / k_window_bp, (span.end - 1) / k_window_bp) << line;
        }
    }
    EXPECT_GT(variants, 60u);
    for (size_t p = 0; p < letters_.size(); ++p) ASSERT_EQ(blocks[p], records[p] > 0 ? 0 : 1) << p;
}

TEST_P(GvcfLines, blocks_within_bounds_do_not_depend_on_shards) {
    GvcfCall whole = call();
    whole.blocks.bounds =
        data::RegionSet({{0, 1'000, 8'185}, {0, 8'190, 9'000}, {0, 12'345, 12'400}, {0, 16'380, 30'000}});
    whole.regions = whole.blocks.bounds;
    const auto expected = whole.lines();
    int64_t covered = 0;
    std::vector<uint8_t> described(letters_.size(), 0);
    for (const std::string& line : expected) {
        const Span span = span_of(line);
        EXPECT_TRUE(whole.regions.contains(0, span.begin)) << line;
        for (int64_t p = span.begin; p < span.end; ++p) described[static_cast<size_t>(p)] = 1;
        if (span.is_block) {
            EXPECT_TRUE(whole.regions.contains(0, span.end - 1)) << line;
            covered += span.end - span.begin;
        }
    }
    EXPECT_GT(covered, 15'000);
    for (const data::Region& region : whole.regions.regions()) {
        for (int64_t p = region.begin; p < region.end; ++p)
            ASSERT_EQ(described[static_cast<size_t>(p)], 1) << p;
    }
    std::vector<std::string> united;
    for (int64_t begin = 0; begin < 36'000; begin += 7'000) {
        std::vector<data::Region> both;
        for (const data::Region& region : whole.blocks.bounds.regions()) {
            const int64_t from = std::max(region.begin, begin), to = std::min(region.end, begin + 7'000);
            if (from < to) both.push_back({0, from, to});
        }
        if (both.empty()) continue;
        GvcfCall part = call(400);
        part.blocks.bounds = whole.blocks.bounds;
        part.regions = data::RegionSet(both);
        const auto lines = part.lines();
        united.insert(united.end(), lines.begin(), lines.end());
    }
    EXPECT_EQ(united, expected);
}

INSTANTIATE_TEST_SUITE_P(ByPath, GvcfLines, ::testing::Values(false, true),
                         [](const auto& path) { return path.param ? "scored" : "unscored"; });

TEST(GvcfRecord, has_likelihoods_of_the_unobserved_allele_that_exclude_it) {
    std::mt19937_64 random(4);
    std::string letters = random_letters(random, 9'000);
    letters.replace(3'000, 3, "CGT");
    letters.replace(5'000, 6, "GACTCA");
    const std::vector<Change> changes = {{3'000, "C", "A", {true, false}},
                                         {5'000, "GACT", "G", {true, true}}};
    const auto reads = simulate(random, letters, changes, {});
    const auto lines = GvcfCall(make_reference(letters), make_chunks(reads, 500)).lines();
    std::vector<std::vector<int>> likelihoods;
    std::vector<std::string> genotypes;
    for (const std::string& line : lines) {
        if (span_of(line).is_block) continue;
        EXPECT_NE(line.find(",<NON_REF>\t"), std::string::npos);
        std::vector<std::string> fields;
        for (size_t at = line.rfind('\t') + 1; at <= line.size();) {
            const size_t end = std::min(line.find(':', at), line.size());
            fields.push_back(line.substr(at, end - at));
            at = end + 1;
        }
        for (char& letter : fields[0]) letter = letter == '|' ? '/' : letter;
        genotypes.push_back(fields[0] == "1/0" ? "0/1" : fields[0]);
        likelihoods.emplace_back();
        for (size_t at = 0; at <= fields[4].size();) {
            const size_t end = std::min(fields[4].find(',', at), fields[4].size());
            likelihoods.back().push_back(std::stoi(fields[4].substr(at, end - at)));
            at = end + 1;
        }
    }
    ASSERT_EQ(genotypes, (std::vector<std::string>{"0/1", "1/1"}));
    for (const auto& values : likelihoods) {
        ASSERT_EQ(values.size(), 6u);
        EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0);
        for (size_t i = 3; i < 6; ++i) EXPECT_GT(values[i], 20);
    }
    // One copy of the unobserved allele is less improbable than two.
    EXPECT_LT(likelihoods[0][3], likelihoods[0][5]);
    EXPECT_LT(likelihoods[1][4], likelihoods[1][3]);
}

}  // namespace
}  // namespace gannet::variants
