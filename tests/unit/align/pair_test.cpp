// SPDX-License-Identifier: MIT
// Provides tests of the choice among candidates: totals, mapping qualities and supplementaries worked out by
// hand.
//
// Totals are in sixteenths of a score unit: a read of 100 matches is 1600, the penalty of an unpaired
// template 17 * 16 = 272, and a margin of m gives m * 45 / 160 Phred (mapping_quality_test.cpp has the
// formula's other terms).
#include "align/pairing/pair.hpp"

#include "kernels/host_stream.hpp"
#include "tests/unit/align/candidates.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace gannet::align {
namespace {

using tests::candidate;

constexpr InsertSizeModel k_model{true, 400, 50, 200, 600};

/// No candidate is compared with it: what is given of them counts.
const tests::Genome& small_genome() {
    static const tests::Genome genome({{"c", tests::Random(1).bases(1'000)}});
    return genome;
}

/// One template, of one read or of two.
class Template {
  public:
    Template(std::string_view name, std::initializer_list<uint32_t> lengths) {
        batch.clear();
        batch.paired = lengths.size() == 2;
        batch.names.assign(name.begin(), name.end());
        batch.name_offset.push_back(static_cast<uint32_t>(name.size()));
        for (const uint32_t length : lengths) {
            ReadState& read = state().reads.emplace_back();
            read.length = length;
            read.has_n = true;
            batch.bases.insert(batch.bases.end(), length, 4);  // N: no seeds
            batch.base_offset.push_back(batch.base_offset.back() + length);
        }
        state().ranges.resize(lengths.size());
    }
    AlignmentWork::State& state() { return *work.state; }
    void choose() {
        const tests::Genome& genome = small_genome();
        const AlignerTables tables(*genome.reference);
        AlignmentWork::State::OpInputs& inputs = state().op_inputs;
        inputs.reads.reads = static_cast<uint32_t>(batch.reads());
        inputs.reads.paired = batch.paired;
        inputs.pairing = pairing_parameters(parameters, k_model, 21);
        inputs.pairs = pairing_batch(batch, state());
        kernels::HostStream stream;
        const auto op = kernels::pairing_function(kernels::Backend::simd, kernels::detected_simd_level());
        op(stream, inputs.pairing, tables.genome, inputs.reads, inputs.pairs, state().placed);
        const Ungapped ungapped(tables, parameters, inputs.reads);
        const OmittedPositions omitted(batch, *genome.index, ungapped, state());
        Extender extender(tables.genome, parameters, work);
        PairTaker(parameters, k_model, omitted, extender, state()).take(0);
    }
    const ChosenRange& range(size_t read) { return state().ranges.at(read); }
    size_t chosen(size_t read) { return range(read).end - range(read).begin; }
    const Chosen& part(size_t read, size_t index) { return state().chosen.at(range(read).begin + index); }
    int64_t diagonal(size_t read, size_t index = 0) {
        return state().candidates.at(part(read, index).candidate).diagonal;
    }

    data::ReadBatch batch;
    AlignerParameters parameters;
    AlignmentWork work;
};

TEST(ChooseTemplate, base_qualities_decide_between_near_equal_candidates) {
    Template of("r", {100});
    Candidate second = candidate(9'000, 0, 98, 0, 100);
    second.left_quality = 40;
    tests::set_candidates(of.state(), 0, {candidate(1'000, 0, 100, 0, 100), second});
    of.choose();
    ASSERT_EQ(of.chosen(0), 1u);
    EXPECT_EQ(of.diagonal(0), 9'000);  // 98 * 16 + 40 = 1608 against 1600
    EXPECT_EQ(of.part(0, 0).sub_score, 100);
    EXPECT_EQ(of.part(0, 0).mapping_quality, 2);  // 8 * 45 / 160
    EXPECT_FALSE(of.range(0).proper);
}

TEST(ChooseTemplate, a_read_below_the_minimum_score_is_unmapped) {
    Template low("r", {100});
    tests::set_candidates(low.state(), 0, {candidate(1'000, 0, 29, 0, 29)});
    low.choose();
    EXPECT_EQ(low.chosen(0), 0u);
    Template none("r", {100});
    none.choose();
    EXPECT_EQ(none.chosen(0), 0u);
    Template enough("r", {100});
    tests::set_candidates(enough.state(), 0, {candidate(1'000, 0, 30, 0, 30)});
    enough.choose();
    ASSERT_EQ(enough.chosen(0), 1u);
    EXPECT_EQ(enough.part(0, 0).mapping_quality, 20);  // short: 2 * (30 - 20)
}

TEST(ChooseTemplate, a_short_read_may_score_less) {
    const auto chosen = [](uint32_t length, int32_t score) {
        Template of("r", {length});
        tests::set_candidates(of.state(), 0, {candidate(1'000, 0, score, 0, length)});
        of.choose();
        return of.chosen(0);
    };
    EXPECT_EQ(chosen(36, 19), 1u);
    EXPECT_EQ(chosen(36, 18), 0u);
    EXPECT_EQ(chosen(30, 19), 1u);
    EXPECT_EQ(chosen(40, 23), 1u);
    EXPECT_EQ(chosen(40, 22), 0u);
    EXPECT_EQ(chosen(47, 29), 0u);
}

TEST(ChooseTemplate, equal_candidates_are_chosen_by_the_name_and_not_by_their_order) {
    std::map<int64_t, int> times;
    for (int i = 0; i < 100; ++i) {
        const std::string name = "read" + std::to_string(i);
        Template of(name, {100});
        tests::set_candidates(of.state(), 0,
                              {candidate(1'000, 0, 100, 0, 100), candidate(5'000, 1, 100, 0, 100)});
        of.choose();
        Template turned(name, {100});
        tests::set_candidates(turned.state(), 0,
                              {candidate(5'000, 1, 100, 0, 100), candidate(1'000, 0, 100, 0, 100)});
        turned.choose();
        EXPECT_EQ(of.diagonal(0), turned.diagonal(0)) << name;
        EXPECT_EQ(of.part(0, 0).mapping_quality, 0);
        ++times[of.diagonal(0)];
    }
    EXPECT_GT(times[1'000], 30);
    EXPECT_GT(times[5'000], 30);
}

TEST(ChooseTemplate, parts_of_a_split_read_become_supplementaries) {
    // Read bases [0, 90) forward, and [90, 150) reverse, where they are the first 60. The third candidate
    // repeats bases of the first, so it is no part of its own but lowers the primary's quality.
    Template of("r", {150});
    tests::set_candidates(of.state(), 0,
                          {candidate(1'000, 0, 90, 0, 90), candidate(8'000, 1, 55, 0, 60),
                           candidate(20'000, 0, 50, 10, 90), candidate(30'000, 1, 29, 0, 30)});
    of.choose();
    ASSERT_EQ(of.chosen(0), 2u);
    EXPECT_EQ(of.diagonal(0, 0), 1'000);
    EXPECT_FALSE(of.part(0, 0).supplementary);
    EXPECT_EQ(of.part(0, 0).sub_score, 50);
    EXPECT_EQ(of.part(0, 0).mapping_quality, 60);  // (90 - 50) * 4.5 = 180, less 4 for the clipped end
    EXPECT_EQ(of.diagonal(0, 1), 8'000);
    EXPECT_TRUE(of.part(0, 1).supplementary);
    EXPECT_EQ(of.part(0, 1).sub_score, 29);        // the last candidate, below the minimum score itself
    EXPECT_EQ(of.part(0, 1).mapping_quality, 60);  // 26 * 4.5 = 117, short: 2 * (55 - 20) = 70
}

TEST(ChooseTemplate, at_most_four_supplementaries_are_reported) {
    Template of("r", {300});
    tests::set_candidates(of.state(), 0,
                          {candidate(1'000, 0, 50, 0, 50), candidate(10'000, 0, 49, 50, 100),
                           candidate(20'000, 0, 48, 100, 150), candidate(30'000, 0, 47, 150, 200),
                           candidate(40'000, 0, 46, 200, 250), candidate(50'000, 0, 45, 250, 300)});
    of.choose();
    ASSERT_EQ(of.chosen(0), 5u);
    EXPECT_EQ(of.diagonal(0, 4), 40'000);
}

/// Read 1 has a candidate of 100 alone and one of `beside` that makes an insert of `insert_bp` with read 2.
Template pair_of(int32_t beside, int64_t insert_bp) {
    Template of("pair", {100, 100});
    tests::set_candidates(of.state(), 0,
                          {candidate(1'000, 0, 100, 0, 100), candidate(50'000, 0, beside, 0, 100)});
    tests::set_candidates(of.state(), 1, {candidate(50'000 + insert_bp - 100, 1, 100, 0, 100)});
    of.choose();
    return of;
}

TEST(ChooseTemplate, a_proper_pair_wins_over_a_better_single_candidate) {
    Template of = pair_of(95, 400);
    EXPECT_EQ(of.diagonal(0), 50'000);  // 95 * 16 + 1600 = 3120 against 3200 - 272 = 2928
    EXPECT_TRUE(of.range(0).proper);
    EXPECT_TRUE(of.range(1).proper);
    EXPECT_EQ(of.part(0, 0).sub_score, 100);
    // (3120 - 2928) * 45 / 160 = 54, less 10 for further differences beside a mismatch; alone the read fits
    // the other better, so that 40 is the most.
    EXPECT_EQ(of.part(0, 0).mapping_quality, 40);
    EXPECT_EQ(of.part(1, 0).mapping_quality, 60);
}

TEST(ChooseTemplate, what_either_mate_lacks_lowers_the_quality_of_both) {
    // Read 2 has a second candidate, whose insert of 350 bp costs 13: 95 * 16 + 90 * 16 - 13 = 2947 against
    // 95 * 16 + 1600 = 3120, so that its margin is 173 * 45 / 160 = 48. Beside the mismatch of read 1
    // these 2.2 differences are 8 cheaper.
    Template of("pair", {100, 100});
    tests::set_candidates(of.state(), 0, {candidate(50'000, 0, 95, 0, 100)});
    tests::set_candidates(of.state(), 1,
                          {candidate(50'300, 1, 100, 0, 100), candidate(50'250, 1, 90, 0, 100)});
    of.choose();
    EXPECT_TRUE(of.range(1).proper);
    EXPECT_EQ(of.part(1, 0).mapping_quality, 40);
    // And the other way round.
    Template turned("pair", {100, 100});
    tests::set_candidates(turned.state(), 0,
                          {candidate(50'000, 0, 100, 0, 100), candidate(50'050, 0, 90, 0, 100)});
    tests::set_candidates(turned.state(), 1, {candidate(50'300, 1, 95, 0, 100)});
    turned.choose();
    EXPECT_EQ(turned.part(0, 0).mapping_quality, 40);
}

TEST(ChooseTemplate, a_clipped_end_costs_no_more_than_a_mismatch) {
    // 100 bases of 150 aligned, next best with a mismatch: 80 * 45 / 160 = 22. The 50 clipped ones are a
    // difference, beside which the second is 3 cheaper.
    Template of("r", {150});
    tests::set_candidates(of.state(), 0, {candidate(1'000, 0, 100, 0, 100), candidate(9'000, 0, 95, 0, 100)});
    of.choose();
    EXPECT_EQ(of.part(0, 0).mapping_quality, 19);
    // A single clipped base costs what it is worth, a fifth of a difference.
    Template one("r", {101});
    tests::set_candidates(one.state(), 0,
                          {candidate(1'000, 0, 100, 0, 100), candidate(9'000, 0, 95, 0, 100)});
    one.choose();
    EXPECT_EQ(one.part(0, 0).mapping_quality, 22);
}

TEST(ChooseTemplate, the_penalty_of_an_unpaired_template_is_seventeen) {
    EXPECT_EQ(pair_of(83, 400).diagonal(0), 50'000);  // 83 * 16 + 1600 = 2928: a draw, and the pair is taken
    EXPECT_EQ(pair_of(83, 400).part(0, 0).mapping_quality, 0);
    Template unpaired = pair_of(82, 400);  // 2912
    EXPECT_EQ(unpaired.diagonal(0), 1'000);
    EXPECT_FALSE(unpaired.range(0).proper);
    EXPECT_FALSE(unpaired.range(1).proper);
}

TEST(ChooseTemplate, inserts_cost_by_their_distance_from_the_mean_and_end_at_the_limits) {
    // 500 bp are two standard deviations: 36 off the total. 85 * 16 + 1600 - 36 = 2924 < 2928 <= 2940 of 86.
    EXPECT_EQ(pair_of(85, 500).diagonal(0), 1'000);
    EXPECT_EQ(pair_of(86, 500).diagonal(0), 50'000);
    // 600 bp, four of them, cost 112: 95 * 16 + 1600 - 112 = 3008; 601 bp is no proper pair.
    EXPECT_EQ(pair_of(95, 600).diagonal(0), 50'000);
    EXPECT_EQ(pair_of(95, 601).diagonal(0), 1'000);
    EXPECT_EQ(pair_of(95, 200).diagonal(0), 50'000);
    EXPECT_EQ(pair_of(95, 199).diagonal(0), 1'000);
}

TEST(ChooseTemplate, a_mate_without_candidates_leaves_the_other_by_itself) {
    Template of("pair", {100, 100});
    tests::set_candidates(of.state(), 1, {candidate(1'000, 1, 100, 0, 100), candidate(9'000, 1, 95, 0, 100)});
    of.choose();
    EXPECT_EQ(of.chosen(0), 0u);
    ASSERT_EQ(of.chosen(1), 1u);
    EXPECT_EQ(of.diagonal(1), 1'000);
    EXPECT_EQ(of.part(1, 0).mapping_quality, 22);  // 80 * 45 / 160
    EXPECT_FALSE(of.range(1).proper);
}

}  // namespace
}  // namespace gannet::align
