// SPDX-License-Identifier: MIT
// Provides tests of what ALT contigs change: ranges, competing candidates, and records of reads that fit
// them.
#include "align/alternate.hpp"

#include "tests/unit/align/candidates.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gannet::align {
namespace {

using data::RecordBatch;
using data::RecordView;
using tests::align_batch;
using tests::candidate;
using tests::Genome;
using tests::make_batch;
using tests::Random;

constexpr InsertSizeModel k_model{true, 400, 50, 200, 600};

Candidate on_alternate(Candidate candidate) {
    candidate.alternate = true;
    return candidate;
}

TEST(AlternateMap, holds_the_alternate_contigs_and_no_others) {
    const std::string bases(300, 'A');
    const Genome genome({{"a", bases}, {"b_alt", bases}, {"c_alt", bases}, {"d", bases}, {"e_alt", bases}});
    const AlternateMap map(*genome.reference, data::ContigClasses::by_name(*genome.reference));
    for (const data::Contig& contig : genome.reference->contigs()) {
        const bool alternate = contig.name.ends_with("_alt");
        const auto first = static_cast<int64_t>(contig.offset);
        EXPECT_EQ(map.contains(first), alternate) << contig.name;
        EXPECT_EQ(map.contains(first + 299), alternate) << contig.name;
    }
    EXPECT_FALSE(map.contains(-1));
    EXPECT_FALSE(map.contains(static_cast<int64_t>(genome.reference->genome_size()) + 100));
    EXPECT_TRUE(AlternateMap(*genome.reference, {}).empty());
}

TEST(CandidateParts, the_primary_assembly_competes_alone_if_it_scores_enough) {
    AlignmentWork work;
    AlignmentWork::State& state = *work.state;
    state.reads.resize(3);
    for (ReadState& read : state.reads) read.length = 100;
    tests::set_candidates(state, 0,
                          {candidate(1'000, 0, 40, 0, 40), on_alternate(candidate(5'000, 0, 100, 0, 100))});
    tests::set_candidates(state, 1,
                          {candidate(1'000, 0, 29, 0, 40), on_alternate(candidate(5'000, 0, 100, 0, 100))});
    tests::set_candidates(state, 2,
                          {candidate(1'000, 0, 20, 0, 40), on_alternate(candidate(5'000, 0, 29, 0, 100))});
    const CandidateParts usual = candidate_parts(state, state.reads[0], AlignerParameters{});
    EXPECT_EQ(usual.competing.size(), 1u);
    EXPECT_EQ(usual.aside.size(), 1u);
    EXPECT_EQ(usual.begin, 0u);
    const CandidateParts weak = candidate_parts(state, state.reads[1], AlignerParameters{});
    ASSERT_EQ(weak.competing.size(), 1u);
    EXPECT_TRUE(weak.competing[0].alternate);
    EXPECT_TRUE(weak.aside.empty());
    EXPECT_EQ(weak.begin, 3u);
    const CandidateParts neither = candidate_parts(state, state.reads[2], AlignerParameters{});
    ASSERT_EQ(neither.competing.size(), 1u);
    EXPECT_FALSE(neither.competing[0].alternate);
}

/// "chr" with a stretch of 4,000 bases at 3,000, of which "x_alt" and "y_alt" have versions that differ in
/// each 50th and in each 300th base.
class AlternateContigs : public testing::Test {
  protected:
    static std::string changed(std::string bases, size_t step) {
        for (size_t i = step / 2; i < bases.size(); i += step) bases[i] = tests::other_base(bases[i]);
        return bases;
    }
    static std::vector<std::pair<std::string, std::string>> make_contigs() {
        Random random(5);
        const std::string chromosome = random.bases(20'000);
        const std::string stretch = chromosome.substr(3'000, 4'000);
        return {{"chr", chromosome},
                {"x_alt", changed(stretch, 50)},
                {"y_alt", changed(stretch, 300)},
                {"z_alt", random.bases(2'000)}};
    }
    std::string part(size_t contig, size_t begin, size_t length) const {
        return genome.contigs[contig].second.substr(begin, length);
    }
    RecordBatch align(const std::vector<std::string>& reads, bool paired, bool aware = true) const {
        const Aligner aligner(
            genome.index, {}, {},
            aware ? data::ContigClasses::by_name(*genome.reference) : data::ContigClasses());
        return align_batch(aligner, make_batch(reads, paired), k_model);
    }

    Genome genome{make_contigs()};
};

TEST_F(AlternateContigs, reads_of_the_primary_assembly_keep_their_quality) {
    std::vector<std::string> reads;
    for (size_t i = 0; i < 40; ++i) {
        reads.push_back(part(0, 3'100 + 80 * i, 150));
        reads.push_back(tests::reverse_complement(part(0, 3'100 + 80 * i + 250, 150)));
    }
    size_t low = 0;
    for (const bool aware : {true, false}) {
        const RecordBatch out = align(reads, true, aware);
        for (size_t i = 0; i < out.entries.size(); ++i) {
            const RecordView record = out.view(i);
            if (!aware) {
                low += record.mapping_quality() < 20;
                continue;
            }
            ASSERT_FALSE(record.has(data::k_flag_supplementary));
            EXPECT_EQ(record.contig(), 0);
            EXPECT_EQ(record.mapping_quality(), 60) << i;
            EXPECT_TRUE(record.has(data::k_flag_proper_pair));
        }
    }
    EXPECT_GT(low, 20u) << "without knowing of ALT contigs";
}

TEST_F(AlternateContigs, a_better_alternate_hit_is_supplementary) {
    const RecordBatch out = align({part(1, 1'000, 150)}, false);
    ASSERT_EQ(out.entries.size(), 2u);
    const RecordView primary = out.view(0);
    const RecordView alternate = out.view(1);
    EXPECT_EQ(primary.contig(), 0);
    EXPECT_EQ(primary.position(), 4'000);
    EXPECT_GE(primary.mapping_quality(), 40);
    EXPECT_EQ(primary.integer_tag("AS"), 135);
    EXPECT_EQ(primary.integer_tag("XS"), 0) << "ALT hits do not count";
    const auto pa = primary.tag("pa");
    ASSERT_TRUE(pa && (*pa)[0] == 'f');
    float ratio = 0;
    std::memcpy(&ratio, pa->data() + 1, sizeof ratio);
    EXPECT_EQ(ratio, 0.9f);  // 135 / 150
    EXPECT_EQ(alternate.contig(), 1);
    EXPECT_TRUE(alternate.has(data::k_flag_supplementary));
    EXPECT_FALSE(alternate.tag("pa"));
    EXPECT_EQ(alternate.integer_tag("XS"), 135) << "all hits count";
    EXPECT_EQ(primary.string_tag("SA"),
              "x_alt,1001,+,150M," + std::to_string(alternate.mapping_quality()) + ",0;");
}

TEST_F(AlternateContigs, an_equal_alternate_hit_neither_wins_nor_is_reported) {
    const RecordBatch out = align({part(0, 3'160, 120)}, false);  // y_alt differs at 150 and 450
    ASSERT_EQ(out.entries.size(), 1u);
    EXPECT_EQ(out.view(0).contig(), 0);
    EXPECT_EQ(out.view(0).mapping_quality(), 60);
    EXPECT_EQ(out.view(0).string_tag("XA"), "y_alt,+161,120M,0;x_alt,+161,120M,3;");
}

TEST_F(AlternateContigs, reads_of_alternate_sequence_alone_are_aligned_there) {
    const RecordBatch out = align({part(3, 500, 150), tests::reverse_complement(part(3, 750, 150))}, true);
    ASSERT_EQ(out.entries.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(out.view(i).contig(), 3);
        EXPECT_EQ(out.view(i).mapping_quality(), 60);
        EXPECT_TRUE(out.view(i).has(data::k_flag_proper_pair));
    }
}

}  // namespace
}  // namespace gannet::align
