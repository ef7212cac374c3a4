// SPDX-License-Identifier: MIT
// Provides tests of the ungapped comparison: against a scalar oracle, and of its claim that no gap is better.
#include "align/ungapped.hpp"

#include "align/extend.hpp"
#include "align/pack_reads.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace gannet::align {
namespace {

using tests::Genome;
using tests::Random;

struct Expected {
    int32_t score = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
};

/// One side, base by base: best[i] over i bases taken, shortest of equals, the end of the read preferred
/// within the bonus.
std::pair<uint32_t, int32_t> scalar_side(const std::vector<int32_t>& scores, int32_t bonus,
                                         bool reaches_end) {
    int32_t sum = 0;
    int32_t best = 0;
    uint32_t taken = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
        sum += scores[i];
        if (sum > best) {
            best = sum;
            taken = static_cast<uint32_t>(i + 1);
        }
    }
    if (reaches_end && sum + bonus >= best) return {static_cast<uint32_t>(scores.size()), sum};
    return {taken, best};
}

/// Scores of each oriented base on the diagonal; the contig's part only, from `from`.
Expected scalar(const std::vector<int32_t>& scores, uint32_t from, uint32_t read_length,
                const kernels::BandedSwScoring& scoring) {
    const int32_t bonus = scoring.end_bonus;
    uint32_t begin = 0;
    uint32_t end = 0;
    for (uint32_t i = 0; i < scores.size();) {
        uint32_t j = i;
        while (j < scores.size() && scores[j] > 0) ++j;
        if (j - i > end - begin) {
            begin = i;
            end = j;
        }
        i = j + 1;
    }
    const std::vector<int32_t> right(scores.begin() + end, scores.end());
    const std::vector<int32_t> left(scores.rend() - begin, scores.rend());
    const auto [left_taken, left_score] = scalar_side(left, bonus, from == 0);
    const auto [right_taken, right_score] = scalar_side(right, bonus, from + scores.size() == read_length);
    return {static_cast<int32_t>(end - begin) * scoring.match + left_score + right_score,
            from + begin - left_taken, from + end + right_taken};
}

class UngappedTest : public testing::Test {
  protected:
    UngappedTest() : random(17), genome({{"a", make_sequence()}, {"b", random.bases(700)}}) {}

    std::string make_sequence() {
        Random own(18);
        std::string sequence = own.bases(8'000);
        sequence.replace(3'000, 20, std::string(20, 'N'));
        sequence[5'000] = 'R';
        return sequence;
    }

    Random random;  // before the genome, which is made with it
    Genome genome;
    AlignerParameters parameters;
};

TEST_F(UngappedTest, scores_equal_a_scalar_oracle) {
    const AlignerTables tables(*genome.reference);
    size_t clipped = 0;
    // The default scores; -A 2; -A 2 -B 5; few matches lost by a mismatch; none that a mismatch is worth.
    constexpr std::array<kernels::BandedSwScoring, 5> k_scorings{
        {{}, {2, 8, 1, 12, 2, 10}, {2, 5, 1, 12, 2, 10}, {3, 1, 1, 6, 1, 5}, {1, 100, 0, 6, 1, 5}}};
    for (size_t round = 0; round < 3'000; ++round) {
        const kernels::BandedSwScoring& scoring = parameters.scoring = k_scorings[round % k_scorings.size()];
        const auto length = static_cast<uint32_t>(1 + random.below(300));
        const auto contig = static_cast<uint32_t>(random.below(2));
        const auto contig_length = static_cast<int64_t>(genome.contigs[contig].second.size());
        // Anywhere, over the ends of the contig too.
        const int64_t begin =
            static_cast<int64_t>(random.below(static_cast<uint64_t>(contig_length))) - length / 2;
        std::vector<uint8_t> codes(length);
        genome.reference->bases(contig, begin, codes);
        const std::vector<uint8_t> truth = codes;
        std::string oriented = data::to_letters(codes);
        // Some reads share little more than a seed with the reference.
        const size_t changes = random.below(3) == 0 ? random.below(2 * length) : random.below(12);
        for (size_t i = 0; i < changes; ++i) oriented[random.below(length)] = "ACGTN"[random.below(5)];
        data::to_bases(oriented, codes);

        const auto strand = static_cast<uint8_t>(random.below(2));
        const data::ReadBatch batch =
            tests::make_batch({strand ? tests::reverse_complement(oriented) : oriented}, false);
        AlignmentWork work;
        pack_reads(batch, *work.state);
        const Ungapped ungapped(tables, parameters, read_batch_view(batch, *work.state));
        Candidate candidate;
        candidate.strand = strand;
        candidate.diagonal = static_cast<int64_t>(genome.reference->contigs()[contig].offset) + begin;

        const int64_t from = std::max<int64_t>(0, -begin);
        const int64_t to = std::min<int64_t>(length, contig_length - begin);
        std::vector<int32_t> scores;
        for (int64_t i = from; i < to; ++i) {
            const auto at = static_cast<size_t>(i);
            scores.push_back(codes[at] > 3 || truth[at] > 3 ? -scoring.ambiguous
                             : codes[at] == truth[at]       ? scoring.match
                                                            : -scoring.mismatch);
        }
        const bool any = std::any_of(scores.begin(), scores.end(), [](int32_t score) { return score > 0; });
        const bool found = ungapped.compare(0, candidate);
        if (!any) {
            EXPECT_FALSE(found);
            continue;
        }
        // The middle decides the contig; a read that lies outside by more than half is not tested here.
        if (candidate.contig != contig) continue;
        ASSERT_TRUE(found);
        const Expected expected = scalar(scores, static_cast<uint32_t>(from), length, scoring);
        ASSERT_EQ(candidate.score, expected.score) << round;
        ASSERT_EQ(candidate.query_begin, expected.begin) << round;
        ASSERT_EQ(candidate.query_end, expected.end) << round;
        clipped += expected.begin > 0 || expected.end < length;
    }
    EXPECT_GT(clipped, 300u);
}

TEST_F(UngappedTest, sides_that_are_called_optimal_are) {
    const AlignerTables tables(*genome.reference);
    const kernels::OpTable ops = kernels::make_op_table(kernels::Backend::reference, std::nullopt);
    const auto stream = ops.make_stream();
    size_t settled = 0;
    size_t gapped = 0;
    for (size_t round = 0; round < 1'500; ++round) {
        const uint32_t length = 100;
        const int64_t begin = static_cast<int64_t>(100 + random.below(2'600));
        std::string read = genome.contigs[0].second.substr(static_cast<size_t>(begin), length + 10);
        for (size_t i = random.below(5); i > 0; --i) read[random.below(length)] = "ACGT"[random.below(4)];
        // Half of them with an insertion or deletion of up to four bases.
        if (round % 2 == 0) {
            const size_t at = 10 + random.below(80);
            if (random.below(2)) {
                read.erase(at, 1 + random.below(4));
            } else {
                read.insert(at, random.bases(1 + random.below(4)));
            }
        }
        read.resize(length);
        const data::ReadBatch batch = tests::make_batch({read}, false);
        AlignmentWork work;
        pack_reads(batch, *work.state);
        const Ungapped ungapped(tables, parameters, read_batch_view(batch, *work.state));
        Candidate candidate;
        candidate.diagonal = static_cast<int64_t>(genome.reference->contigs()[0].offset) + begin;
        ASSERT_TRUE(ungapped.compare(0, candidate));
        const Candidate before = candidate;
        candidate.left_gapped = candidate.right_gapped = true;
        Extender extender(tables.genome, parameters, work);
        Traced traced;
        extender.add_traceback_jobs(0, candidate, traced);
        candidate.left_job = traced.left_job;
        candidate.right_job = traced.right_job;
        ops.banded_sw_windows(*stream, parameters.scoring, tables.genome, read_batch_view(batch, *work.state),
                              {work.jobs.data(), work.jobs.size()}, work.results);
        extender.take_scores(candidate);
        if (!before.left_gapped) {
            ASSERT_EQ(before.left_score, candidate.left_score) << round << read;
        }
        if (!before.right_gapped) {
            ASSERT_EQ(before.right_score, candidate.right_score) << round << read;
        }
        settled += !before.left_gapped + !before.right_gapped;
        gapped += candidate.score > before.score;
    }
    EXPECT_GT(settled, 1'500u);
    EXPECT_GT(gapped, 300u);
}

}  // namespace
}  // namespace gannet::align
