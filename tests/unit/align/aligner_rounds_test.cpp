// SPDX-License-Identifier: MIT
// Provides tests that the rounds of the aligner leave the same on every backend.
#include "align/work_state.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace gannet::align {
namespace {

using tests::Random;

/// Two contigs, of which the second has ambiguous bases and short tandem repeats; 150 copies of an element,
/// each with changes of its own; and an ALT contig with a part of the first.
std::vector<std::pair<std::string, std::string>> make_contigs() {
    Random random(31);
    std::string one = random.bases(20'000);
    const std::string element = random.bases(300);
    for (int copy = 0; copy < 150; ++copy) {
        std::string changed = element;
        for (int i = 0; i < copy / 6; ++i) changed[random.below(300)] = "ACGT"[random.below(4)];
        one += random.bases(100) + changed;
    }
    std::string two = random.bases(5'000);
    const std::string unit = random.bases(23);
    for (int copy = 0; copy < 40; ++copy) two += unit;
    two += std::string(90, 'N') + random.bases(3'000);
    two[1'000] = 'N';
    std::string alternate = one.substr(4'000, 3'000);
    for (int i = 0; i < 30; ++i) alternate[random.below(3'000)] = "ACGT"[random.below(4)];
    return {{"chr1", one}, {"chr2", two}, {"chr1_KI270762v1_alt", alternate}};
}

std::vector<std::string> make_reads(const std::vector<std::pair<std::string, std::string>>& contigs) {
    Random random(32);
    std::vector<std::string> reads;
    for (int i = 0; i < 600; ++i) {
        const std::string& contig = contigs[random.below(contigs.size())].second;
        const size_t length = i % 50 == 0 ? 400 : 30 + random.below(250);
        std::string read = contig.substr(random.below(contig.size() - 100), length);
        for (uint64_t k = random.below(6); k > 0; --k)
            read[random.below(read.size())] = "ACGTN"[random.below(5)];
        if (random.below(5) == 0) read.erase(random.below(read.size() - 10), 1 + random.below(8));
        if (random.below(5) == 0) read.insert(random.below(read.size()), random.bases(1 + random.below(30)));
        reads.push_back(random.below(2) ? tests::reverse_complement(read) : read);
    }
    reads.push_back("ACGT");
    reads.push_back(Random(33).bases(5'000));  // too long for the aligner
    return reads;
}

/// The rounds of a batch on a backend.
class Rounds {
  public:
    Rounds(const Aligner& aligner, const data::ReadBatch& batch, kernels::Backend backend)
        : aligner_(aligner), batch_(batch), table_(kernels::make_op_table(backend, std::nullopt)) {}

    /// From the first one on to the preparation of `last`.
    const AlignmentWork& prepare(Round last, const InsertSizeModel& model = {}) {
        for (const Round round : k_rounds) {
            aligner_.prepare(round, batch_, model, work);
            if (round == last) break;
            if (aligner_.call(round, table_, *stream_, work)) stream_->wait();
            const RoundCounts counts = work.counts(round);
            EXPECT_EQ(counts.given, counts.done);
        }
        return work;
    }
    const AlignmentWork::State& state() const { return *work.state; }

    AlignmentWork work;

  private:
    const Aligner& aligner_;
    const data::ReadBatch& batch_;
    kernels::OpTable table_;
    std::unique_ptr<kernels::Stream> stream_ = table_.make_stream();
};

void expect_equal_jobs(const AlignmentWork& a, const AlignmentWork& b) {
    ASSERT_EQ(a.jobs.size(), b.jobs.size());
    EXPECT_EQ(0, std::memcmp(a.jobs.data(), b.jobs.data(), a.jobs.size() * sizeof(kernels::ExtensionJob)));
}

class AlignerRoundsTest : public testing::TestWithParam<kernels::Backend> {};

TEST_P(AlignerRoundsTest, find_the_candidates_that_the_reference_finds) {
    const tests::Genome genome(make_contigs());
    const Aligner aligner(genome.index, {}, {}, data::ContigClasses::by_name(*genome.reference));
    const data::ReadBatch batch = tests::make_batch(make_reads(genome.contigs), false);
    Rounds reference(aligner, batch, kernels::Backend::reference);
    Rounds other(aligner, batch, GetParam());
    reference.prepare(Round::extension);
    for (int round = 0; round < 2; ++round) {  // the second one in memory that has been used
        other.prepare(Round::extension);
        const AlignmentWork::State& a = reference.state();
        const AlignmentWork::State& b = other.state();
        ASSERT_GT(a.candidates.size(), 1'500u);
        ASSERT_EQ(a.candidates.size(), b.candidates.size());
        ASSERT_EQ(0, std::memcmp(a.candidates.data(), b.candidates.data(),
                                 a.candidates.size() * sizeof(Candidate)));
        ASSERT_GT(a.parts.size(), 100u);
        ASSERT_EQ(a.parts.size(), b.parts.size());
        for (size_t i = 0; i < a.parts.size(); ++i) {
            ASSERT_EQ(a.parts[i].begin, b.parts[i].begin) << i;
            ASSERT_EQ(a.parts[i].end, b.parts[i].end) << i;
        }
        for (size_t i = 0; i < batch.reads(); ++i) {
            ASSERT_EQ(a.reads[i].complete_seeds, b.reads[i].complete_seeds) << i;
            ASSERT_EQ(a.reads[i].narrowed, b.reads[i].narrowed) << i;
            ASSERT_EQ(a.reads[i].part_begin, b.reads[i].part_begin) << i;
            ASSERT_EQ(a.reads[i].part_end, b.reads[i].part_end) << i;
            ASSERT_EQ(a.reads[i].candidate_begin, b.reads[i].candidate_begin) << i;
            ASSERT_EQ(a.reads[i].candidate_end, b.reads[i].candidate_end) << i;
            ASSERT_EQ(0, std::memcmp(&a.reads[i].left_out, &b.reads[i].left_out,
                                     sizeof(kernels::CandidatesLeftOut)))
                << i;
        }
        EXPECT_TRUE(std::any_of(a.reads.begin(), a.reads.end(),
                                [](const ReadState& read) { return read.left_out.pruned_score > 0; }));
        ASSERT_GT(reference.work.jobs.size(), 300u);
        expect_equal_jobs(reference.work, other.work);
    }
}

/// Pairs of 100 bases with inserts of 250 to 550 from anywhere, some with a chimeric read and some with a
/// random mate.
std::vector<std::string> make_pairs(const std::vector<std::pair<std::string, std::string>>& contigs) {
    Random random(34);
    std::vector<std::string> reads;
    for (int i = 0; i < 1'500; ++i) {
        const std::string& contig = contigs[random.below(contigs.size())].second;
        const std::string insert = contig.substr(random.below(contig.size() - 600), 250 + random.below(300));
        std::string one = insert.substr(0, 100);
        std::string two = tests::reverse_complement(insert.substr(insert.size() - 100));
        for (uint64_t k = random.below(4); k > 0; --k) one[random.below(100)] = "ACGTN"[random.below(5)];
        if (random.below(8) == 0) two.erase(20 + random.below(50), 1 + random.below(8));
        if (random.below(12) == 0) two = random.bases(100);
        if (random.below(12) == 0) one.replace(50, 50, contigs[0].second, random.below(15'000), 50);
        if (random.below(2)) std::swap(one, two);
        reads.push_back(one);
        reads.push_back(two);
    }
    return reads;
}

void expect_equal_jobs(const Traced& a, const Traced& b) {
    EXPECT_EQ(a.candidate, b.candidate);
    EXPECT_EQ(a.left_job, b.left_job);
    EXPECT_EQ(a.right_job, b.right_job);
}

TEST_P(AlignerRoundsTest, choose_the_pairs_that_the_reference_chooses) {
    constexpr InsertSizeModel k_model{true, 400, 80, 150, 700};
    const tests::Genome genome(make_contigs());
    const Aligner aligner(genome.index, {}, {}, data::ContigClasses::by_name(*genome.reference));
    const data::ReadBatch batch = tests::make_batch(make_pairs(genome.contigs), true);
    Rounds reference(aligner, batch, kernels::Backend::reference);
    Rounds other(aligner, batch, GetParam());
    for (const Round round : {Round::rescue, Round::traceback}) {
        reference.prepare(round, k_model);
        other.prepare(round, k_model);
        EXPECT_GT(reference.work.jobs.size(), 100u);
        expect_equal_jobs(reference.work, other.work);
    }
    const AlignmentWork::State& a = reference.state();
    const AlignmentWork::State& b = other.state();
    ASSERT_EQ(a.chosen.size(), b.chosen.size());
    for (size_t i = 0; i < a.chosen.size(); ++i) {
        expect_equal_jobs(a.chosen[i], b.chosen[i]);
        EXPECT_EQ(a.chosen[i].sub_score, b.chosen[i].sub_score);
        EXPECT_EQ(a.chosen[i].alternate_score, b.chosen[i].alternate_score);
        EXPECT_EQ(a.chosen[i].other_begin, b.chosen[i].other_begin);
        EXPECT_EQ(a.chosen[i].other_end, b.chosen[i].other_end);
        EXPECT_EQ(a.chosen[i].mapping_quality, b.chosen[i].mapping_quality);
        EXPECT_EQ(a.chosen[i].supplementary, b.chosen[i].supplementary);
    }
    for (size_t i = 0; i < batch.reads(); ++i) {
        EXPECT_EQ(a.ranges[i].begin, b.ranges[i].begin);
        EXPECT_EQ(a.ranges[i].end, b.ranges[i].end);
        EXPECT_EQ(a.ranges[i].proper, b.ranges[i].proper);
    }
    ASSERT_EQ(a.other_hits.size(), b.other_hits.size());
    for (size_t i = 0; i < a.other_hits.size(); ++i) expect_equal_jobs(a.other_hits[i], b.other_hits[i]);
    // All that the op leaves to the host was there.
    const auto count = [&b](bool kernels::PlacedRead::*flag) {
        return std::count_if(b.placed.begin(), b.placed.end(),
                             [flag](const kernels::PlacedRead& read) { return read.*flag; });
    };
    EXPECT_GT(count(&kernels::PlacedRead::proper), 1'000);
    EXPECT_GT(count(&kernels::PlacedRead::needs_search), 20);
    EXPECT_GT(count(&kernels::PlacedRead::more_parts), 50);
    EXPECT_GT(count(&kernels::PlacedRead::other_hits), 20);
    EXPECT_TRUE(std::any_of(b.placed.begin(), b.placed.end(), [](const kernels::PlacedRead& read) {
        return read.candidate == kernels::k_no_candidate;
    }));
}

INSTANTIATE_TEST_SUITE_P(Backends, AlignerRoundsTest,
                         testing::Values(kernels::Backend::simd, kernels::Backend::emulated),
                         [](const auto& instance) { return std::string(kernels::name(instance.param)); });

}  // namespace
}  // namespace gannet::align
