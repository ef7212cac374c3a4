// SPDX-License-Identifier: MIT
// Tests the contract of banded_sw on cases worked out by hand, and its scores against parasail.
#include "kernels/banded_sw/banded_sw.hpp"

#include "kernels/host_stream.hpp"
#include "kernels/op_table.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "tests/parity/genome.hpp"

#include <gtest/gtest.h>
#include <parasail.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gannet::kernels {
namespace {

std::vector<uint8_t> codes(std::string_view letters) {
    std::vector<uint8_t> result;
    for (const char letter : letters) {
        const size_t code = std::string_view("ACGT").find(letter);
        result.push_back(code == std::string_view::npos ? uint8_t{4} : static_cast<uint8_t>(code));
    }
    return result;
}

std::string text(const BandedSwResults& results, size_t job) {
    std::string cigar;
    for (uint32_t at = results.cigar_offset[job]; at < results.cigar_offset[job + 1]; ++at) {
        cigar += std::to_string(results.cigar[at] >> 4) + "MID"[results.cigar[at] & 0xf];
    }
    return std::to_string(results.score[job]) + " (" + std::to_string(results.query_end[job]) + "," +
           std::to_string(results.target_end[job]) + ") " + (results.to_end[job] ? "end " : "clip ") + cigar;
}

struct Extension {
    std::string_view query;
    std::string_view target;
    uint16_t band = 50;
    uint8_t flags = k_sw_traceback;
    BandedSwScoring scoring = {};
};

std::string extend(const Extension& job) {
    HostStream stream;
    BandedSwBatch batch;
    batch.add(codes(job.query), codes(job.target), job.band, job.flags);
    BandedSwResults results;
    banded_sw_function(Backend::reference, SimdLevel::none)(stream, job.scoring, batch, results);
    return text(results, 0);
}

TEST(BandedSw, equal_sequences_match_throughout) {
    EXPECT_EQ(extend({"ACGTACGT", "ACGTACGTTT"}), "8 (8,8) end 8M");
}

TEST(BandedSw, empty_query_ends_at_the_corner) {
    EXPECT_EQ(extend({"", "ACGT"}), "0 (0,0) end ");
    EXPECT_EQ(extend({"", ""}), "0 (0,0) end ");
}

TEST(BandedSw, empty_target_clips_the_query) { EXPECT_EQ(extend({"ACGT", ""}), "0 (0,0) clip "); }

TEST(BandedSw, end_bonus_decides_between_clip_and_end) {
    EXPECT_EQ(extend({"ACGTACGTAC", "ACGTACGTAG"}), "5 (10,10) end 10M");
    EXPECT_EQ(extend({.query = "ACGTACGTAC", .target = "ACGTACGTAG", .scoring = {.end_bonus = 4}}),
              "5 (10,10) end 10M");
    EXPECT_EQ(extend({.query = "ACGTACGTAC", .target = "ACGTACGTAG", .scoring = {.end_bonus = 3}}),
              "9 (9,9) clip 9M");
}

TEST(BandedSw, ambiguous_codes_never_match) {
    EXPECT_EQ(extend({"ACNTACGT", "ACNTACGT"}), "6 (8,8) end 8M");
    EXPECT_EQ(extend({"ACNTACGT", "ACGTACGT"}), "6 (8,8) end 8M");
}

TEST(BandedSw, gap_in_a_repeat_is_placed_as_asked) {
    const std::string_view longer = "ACGTCCCAAAAAAGGTCATGCA";
    const std::string_view shorter = "ACGTCCCAAAAAGGTCATGCA";
    EXPECT_EQ(extend({shorter, longer}), "14 (21,22) end 7M1D14M");
    EXPECT_EQ(extend({shorter, longer, 50, k_sw_traceback | k_sw_gaps_late}), "14 (21,22) end 12M1D9M");
    EXPECT_EQ(extend({longer, shorter}), "14 (22,21) end 7M1I14M");
    EXPECT_EQ(extend({longer, shorter, 50, k_sw_traceback | k_sw_gaps_late}), "14 (22,21) end 12M1I9M");
}

TEST(BandedSw, band_forbids_longer_gaps) {
    const std::string_view query = "ACGTCCATGCATTGCAGGACGTCA";
    const std::string_view target = "ACGTCCATGCAGGGTTGCAGGACGTCA";
    EXPECT_EQ(extend({query, target, 3}), "15 (24,27) end 11M3D13M");
    EXPECT_EQ(extend({query, target, 2}), "11 (11,11) clip 11M");
}

TEST(BandedSw, band_that_cannot_reach_the_query_end_clips) {
    EXPECT_EQ(extend({"ACGTACGT", "AC", 3}), "2 (2,2) clip 2M");
}

TEST(BandedSw, jobs_out_of_range_are_refused) {
    HostStream stream;
    BandedSwBatch batch;
    batch.add(codes("ACGT"), codes("ACGT"), 8, 0);
    batch.query_length[0] = 9;
    BandedSwResults results;
    const BandedSwFunction op = banded_sw_function(Backend::reference, SimdLevel::none);
    EXPECT_THROW(op(stream, {}, batch, results), std::invalid_argument);
    batch.query_length[0] = 4;
    EXPECT_THROW(op(stream, {.match = 0}, batch, results), std::invalid_argument);
    EXPECT_NO_THROW(op(stream, {}, batch, results));
}

TEST(BandedSwWindows, jobs_have_their_sequences_reversed_to_the_left_and_are_refused_out_of_range) {
    parity::MadeGenome genome;
    const int64_t begin = genome.add(codes("ACGTTGNNCA"));
    genome.finish();
    PackedReads packed;
    packed.add(codes("AACNGT"));
    const auto copied = [&](ExtensionJob job) {
        BandedSwBatch batch;
        copy_windows(genome.view(), packed.view(), {&job, 1, true}, batch);
        EXPECT_EQ(batch.flags, std::vector<uint8_t>{job.left != 0 ? uint8_t{3} : uint8_t{1}});
        return batch.bases;
    };
    ExtensionJob job;
    job.target_begin = begin + 4;
    job.target_length = 4;
    job.query_begin = 1;
    job.query_length = 4;
    job.band = 3;
    EXPECT_EQ(copied(job), codes("ACNGTGNN"));
    job.left = 1;
    EXPECT_EQ(copied(job), codes("GNCANNGT"));
    job.strand = 1;  // ACNGTT
    EXPECT_EQ(copied(job), codes("TGNCNNGT"));
    job.left = 0;
    EXPECT_EQ(copied(job), codes("CNGTTGNN"));
    const auto refused = [&](auto change) {
        ExtensionJob wrong = job;
        change(wrong);
        EXPECT_THROW(copied(wrong), std::invalid_argument);
    };
    refused([](ExtensionJob& wrong) { wrong.read = 1; });
    refused([](ExtensionJob& wrong) { wrong.query_begin = 3; });
    refused([](ExtensionJob& wrong) { wrong.target_begin = k_window_margin_bp - 1; });
    refused([&](ExtensionJob& wrong) {
        wrong.target_begin = static_cast<int64_t>(genome.view().genome_size()) - k_window_margin_bp - 3;
    });
    refused([](ExtensionJob& wrong) { wrong.band = k_banded_sw_widest_band + 1; });
}

/// A read-like query and the target that it was made from, with substitutions, gaps and a random tail.
struct RandomPair {
    std::string query;
    std::string target;
};
RandomPair random_pair(std::mt19937& random) {
    const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
    RandomPair pair;
    const uint32_t length = 1 + below(120);
    for (uint32_t i = 0; i < length; ++i) pair.target += "ACGT"[below(4)];
    for (uint32_t i = 0; i < length; ++i) {
        const uint32_t event = below(20);
        if (event == 0) i += below(6);
        if (event == 1) pair.query.append(below(6), "ACGT"[below(4)]);
        if (i < length) pair.query += event == 2 ? "ACGT"[below(4)] : pair.target[i];
    }
    if (pair.query.empty()) pair.query = "A";  // parasail takes no empty sequence
    for (uint32_t i = below(30); i > 0; --i) pair.target += "ACGT"[below(4)];
    return pair;
}

struct TableEnd {
    int score = 0;
    int query_end = 0;
    int target_end = 0;
    bool to_end = false;
};

/// The end that the contract asks for, from parasail's table of global alignment (nw), whose cell (i, j) is H
/// of the contract where the band is as wide as the sequences. parasail charges its `open` for a gap's first
/// base and `extend` for each further one, hence open + extend here.
TableEnd end_by_parasail(const RandomPair& pair, const BandedSwScoring& scoring) {
    const std::unique_ptr<parasail_matrix_t, void (*)(parasail_matrix_t*)> matrix(
        parasail_matrix_create("ACGT", scoring.match, -scoring.mismatch), parasail_matrix_free);
    const auto m = static_cast<int>(pair.query.size());
    const auto n = static_cast<int>(pair.target.size());
    const std::unique_ptr<parasail_result_t, void (*)(parasail_result_t*)> result(
        parasail_nw_table(pair.query.data(), m, pair.target.data(), n, scoring.gap_open + scoring.gap_extend,
                          scoring.gap_extend, matrix.get()),
        parasail_result_free);
    const int* table = parasail_result_get_score_table(result.get());
    TableEnd best;
    TableEnd whole{-scoring.gap_open - m * scoring.gap_extend, m, 0, true};
    for (int i = 1; i <= m; ++i) {
        for (int j = 1; j <= n; ++j) {
            const int score = table[(i - 1) * n + j - 1];
            if (score > best.score) best = {score, i, j, false};
            if (i == m && score > whole.score) whole = {score, i, j, true};
        }
    }
    return whole.score + scoring.end_bonus >= best.score ? whole : best;
}

/// Score of the path that a CIGAR describes; checks that it ends where the result says.
int score_of_path(const RandomPair& pair, const BandedSwScoring& scoring, const BandedSwResults& results) {
    int score = 0;
    size_t i = 0;
    size_t j = 0;
    for (const uint32_t element : results.cigar) {
        const uint32_t length = element >> 4;
        const uint32_t op = element & 0xf;
        if (op != 0) score -= scoring.gap_open + static_cast<int>(length) * scoring.gap_extend;
        for (uint32_t step = 0; step < length; ++step) {
            if (op == 0) score += pair.query[i] == pair.target[j] ? scoring.match : -scoring.mismatch;
            i += op != 2;
            j += op != 1;
        }
    }
    EXPECT_EQ(i, results.query_end[0]);
    EXPECT_EQ(j, results.target_end[0]);
    return score;
}

void compare_with_parasail(uint32_t seed, const BandedSwScoring& scoring) {
    std::mt19937 random(seed);
    HostStream stream;
    const BandedSwFunction op = banded_sw_function(Backend::reference, SimdLevel::none);
    for (int round = 0; round < 1000; ++round) {
        const RandomPair pair = random_pair(random);
        BandedSwBatch batch;
        batch.add(codes(pair.query), codes(pair.target), 1000, static_cast<uint8_t>(1 + 2 * (round & 1)));
        BandedSwResults results;
        op(stream, scoring, batch, results);
        const TableEnd expected = end_by_parasail(pair, scoring);
        ASSERT_EQ(results.score[0], expected.score) << pair.query << " " << pair.target;
        ASSERT_EQ(results.query_end[0], expected.query_end) << pair.query << " " << pair.target;
        ASSERT_EQ(results.target_end[0], expected.target_end) << pair.query << " " << pair.target;
        ASSERT_EQ(results.to_end[0], expected.to_end) << pair.query << " " << pair.target;
        ASSERT_EQ(score_of_path(pair, scoring, results), expected.score) << pair.query << " " << pair.target;
    }
}

TEST(BandedSw, ends_and_paths_equal_parasails_table) { compare_with_parasail(7, {}); }

TEST(BandedSw, ends_and_paths_equal_parasails_table_with_other_scores) {
    compare_with_parasail(8, {.match = 2, .mismatch = 3, .gap_open = 1, .gap_extend = 2, .end_bonus = 0});
    compare_with_parasail(9, {.match = 3, .mismatch = 1, .gap_open = 11, .gap_extend = 1, .end_bonus = 30});
}

/// The sequence is not read: only its length is.
TEST(BandedSwBatch, bases_that_offsets_cannot_reach_are_refused) {
    const uint8_t base = 0;
    BandedSwBatch batch;
    batch.add({&base, 1}, {&base, 1}, 10, 0);
    for (const uint64_t length : {(uint64_t{1} << 32) - 2, uint64_t{1} << 32}) {
        try {
            batch.add({&base, 1}, {&base, length}, 10, 0);
            FAIL() << "a target of " << length << " bases was taken";
        } catch (const std::length_error& fault) {
            EXPECT_NE(std::string(fault.what()).find("banded_sw: a batch of " + std::to_string(length + 3)),
                      std::string::npos)
                << fault.what();
        }
    }
    EXPECT_EQ(batch.size(), 1u);
    EXPECT_EQ(batch.bases.size(), 2u);
}

}  // namespace
}  // namespace gannet::kernels
