// SPDX-License-Identifier: MIT
// Tests the confidence in the reference's bases: against the genotyper's pile-up, and near repeats, gaps and
// clips.
#include "variants/records/reference_confidence.hpp"

#include "tests/unit/variants/caller_support.hpp"
#include "variants/genotype/genotype.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

/// A window of 2,000 bp with reads that are given one by one.
class ReferenceConfidenceTest : public ::testing::Test {
  protected:
    static constexpr int64_t k_size = 2000;

    void add(int64_t position, std::vector<uint32_t> cigar, const std::string& letters,
             const std::string& name = "", uint8_t quality = 30, uint8_t mapping_quality = 60) {
        std::vector<data::Base> bases(letters.size());
        data::to_bases(letters, bases);
        const std::vector<uint8_t> qualities(letters.size(), quality);
        data::RecordFields fields;
        fields.contig = fields.mate_contig = 0;
        fields.position = fields.mate_position = static_cast<int32_t>(position);
        fields.mapping_quality = mapping_quality;
        fields.flag = name.empty() ? 0 : data::k_flag_paired;
        names_.push_back(name.empty() ? "r" + std::to_string(names_.size()) : name);
        fields.name = names_.back();
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordAppender appender(batch_, fields);
    }
    /// A read of the reference; `changes` are (offset, letter).
    void add_matching(int64_t position, int64_t length = 100,
                      std::vector<std::pair<int64_t, char>> changes = {}, const std::string& name = "",
                      uint8_t quality = 30, uint8_t mapping_quality = 60) {
        std::string read = letters_.substr(static_cast<size_t>(position), static_cast<size_t>(length));
        for (const auto& [offset, letter] : changes) read[static_cast<size_t>(offset)] = letter;
        add(position, {data::cigar_element(static_cast<uint32_t>(length), data::k_cigar_match)}, read, name,
            quality, mapping_quality);
    }
    const ReferenceConfidence& build() {
        reference_ = make_reference(letters_);
        std::vector<data::RecordView> views;
        std::vector<size_t> order(batch_.entries.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return batch_.entries[a].position < batch_.entries[b].position;
        });
        for (const size_t i : order) views.push_back(batch_.view(i));
        load_reads(views, MappingFilter(20), reported_qualities(), {}, set_, slots_);
        slice_.load(*reference_, 0, -2048, k_size + 2048);
        gather_evidence(set_, slice_, -1024, k_size + 1024, 10, evidence_);
        builder_.build(set_, slice_, evidence_, {0, 0, k_size}, 10, usual_gap_qualities(), confidence_);
        return confidence_;
    }
    char other_than(int64_t position) const {
        return letters_[static_cast<size_t>(position)] == 'C' ? 'G' : 'C';
    }

    std::mt19937_64 random_{3};
    std::string letters_ = random_letters(random_, k_size);
    data::RecordBatch batch_;
    std::vector<std::string> names_;
    std::shared_ptr<const data::Reference> reference_;
    ReadSet set_;
    std::vector<int32_t> slots_;
    ReferenceSlice slice_;
    Evidence evidence_;
    ReferenceConfidenceBuilder builder_;
    ReferenceConfidence confidence_;
};

/// PL by pile_up() of the best other base.
std::array<int64_t, 2> pile_up_likelihoods(const ReadSet& set, data::Base reference, int64_t position) {
    std::array<int64_t, 2> lowest = {INT64_MAX, INT64_MAX};
    for (data::Base base = 0; base < 4; ++base) {
        if (base == reference) continue;
        const data::Base bases[] = {reference, base};
        SiteEvidence evidence;
        pile_up(set, position, bases, 2, 10, Contamination(), evidence);
        for (size_t i = 0; i < 2; ++i)
            lowest[i] = std::min(lowest[i], (evidence.genotypes[0] - evidence.genotypes[i + 1]) * 10);
    }
    for (int64_t& value : lowest) value = std::max<int64_t>(0, (value + k_log_scale / 2) / k_log_scale);
    return lowest;
}

TEST_F(ReferenceConfidenceTest, bases_have_the_likelihoods_and_the_depth_of_the_pile_up) {
    // Mismatches, N, low base and mapping qualities, mates that overlap, agree and disagree.
    for (int i = 0; i < 150; ++i) {
        const auto position = static_cast<int64_t>(random_() % (k_size - 200));
        const auto quality = static_cast<uint8_t>(5 + random_() % 40);
        const auto mapping_quality = static_cast<uint8_t>(20 + random_() % 41);
        std::vector<std::pair<int64_t, char>> changes;
        for (int k = 0; k < 4; ++k) changes.push_back({random_() % 100, "ACGTN"[random_() % 5]});
        const std::string name = i % 3 == 0 ? "p" + std::to_string(i) : "";
        add_matching(position, 100, changes, name, quality, mapping_quality);
        if (!name.empty())
            add_matching(position, 80, {{random_() % 80, 'A'}, {random_() % 80, 'N'}}, name,
                         static_cast<uint8_t>(5 + random_() % 40), 60);
    }
    const ReferenceConfidence& confidence = build();
    int low = 0;
    for (int64_t p = 0; p < k_size; ++p) {
        const data::Base reference = slice_.at(p);
        const auto expected = pile_up_likelihoods(set_, reference, p);
        const auto found = confidence.likelihoods_at(p);
        for (size_t i = 0; i < 2; ++i) {
            ASSERT_LE(found[i], expected[i] + 1) << p;  // gaps may lower it
            // Within 1: the sums are rounded differently.
            if (found[i] + 1 < expected[i]) ++low;
        }
        const data::Base all[] = {0, 1, 2, 3};
        SiteEvidence evidence;
        pile_up(set_, p, all, 2, 10, Contamination(), evidence);
        ASSERT_EQ(confidence.depth_at(p), evidence.fragments) << p;
    }
    EXPECT_LT(low, 2 * k_size);
    EXPECT_GT(low, 0);
}

TEST_F(ReferenceConfidenceTest, reads_that_span_a_position_count_three_each_for_some_copies) {
    for (int i = 0; i < 20; ++i) add_matching(500);
    const ReferenceConfidence& confidence = build();
    EXPECT_EQ(confidence.depth_at(550), 20);
    EXPECT_EQ(confidence.likelihoods_at(550)[0], 60);
    EXPECT_GT(confidence.likelihoods_at(550)[1], 600);
    // A read says nothing of a gap at its end.
    EXPECT_EQ(confidence.depth_at(599), 20);
    EXPECT_EQ(confidence.likelihoods_at(599)[0], 0);
    EXPECT_EQ(confidence.likelihoods_at(501)[0], 0);
    EXPECT_EQ(confidence.depth_at(600), 0);
    EXPECT_EQ(confidence.likelihoods_at(700), (std::array<uint16_t, 2>{0, 0}));
}

/// Whether a read that ends at `end` shows every indel of the repeats that begin after `position`.
bool shows_repeats(const std::string& letters, size_t position, size_t end) {
    for (size_t period = 1; period <= 6; ++period) {
        if (letters[position] == letters[position + period]) continue;  // the repeat begins before
        size_t run = 0;
        while (letters[position + 1 + run] == letters[position + 1 + run + period]) ++run;
        if (run >= period && position + 2 + run + period > end) return false;
    }
    return true;
}

TEST_F(ReferenceConfidenceTest, repeats_of_any_unit_and_length_must_be_spanned) {
    for (int round = 0; round < 100; ++round) {
        batch_.clear();
        for (size_t at = 500; at < 600;) {
            const size_t period = 1 + random_() % 6;
            const std::string unit = random_letters(random_, period);
            const size_t length = 1 + random_() % (4 * period);
            for (size_t i = 0; i < length; ++i) letters_[at++] = unit[i % period];
        }
        for (int i = 0; i < 20; ++i) add_matching(450);  // to 550
        const ReferenceConfidence& confidence = build();
        for (size_t p = 500; p < 544; ++p) {
            EXPECT_EQ(confidence.likelihoods_at(static_cast<int64_t>(p))[0] > 0,
                      shows_repeats(letters_, p, 550))
                << round << ' ' << p;
        }
    }
}

TEST_F(ReferenceConfidenceTest, reads_that_end_within_a_repeat_do_not_show_its_length) {
    letters_.replace(600, 30, std::string(30, 'A'));
    letters_[599] = 'C';
    letters_[630] = 'G';
    for (int i = 0; i < 10; ++i) add_matching(520);  // to 620, within the repeat
    for (int i = 0; i < 4; ++i) add_matching(540);   // to 640
    const ReferenceConfidence& confidence = build();
    EXPECT_EQ(confidence.likelihoods_at(590)[0], 42);
    EXPECT_EQ(confidence.likelihoods_at(599)[0], 12);  // where an indel of the repeat has its record
    EXPECT_EQ(confidence.likelihoods_at(605)[0], 42);  // none has it here
    // All copies: the gap-open quality of a repeat of that length, and of sequence without one.
    EXPECT_EQ(confidence.likelihoods_at(599)[1], 4 * 22);
    EXPECT_GT(confidence.likelihoods_at(590)[1], 300);
}

TEST_F(ReferenceConfidenceTest, a_gap_that_reads_show_lowers_the_position_of_its_record) {
    const auto with_deletion = [this](int64_t position) {
        add(position,
            {data::cigar_element(50, data::k_cigar_match), data::cigar_element(3, data::k_cigar_deletion),
             data::cigar_element(50, data::k_cigar_match)},
            letters_.substr(static_cast<size_t>(position), 50) +
                letters_.substr(static_cast<size_t>(position + 53), 50));
    };
    letters_.replace(748, 8, "GCATTGCA");
    for (int i = 0; i < 20; ++i) add_matching(700);
    with_deletion(700);
    const ReferenceConfidence& one = build();
    const auto lowest = [&] {
        return std::min_element(confidence_.likelihoods.begin() + 740,
                                confidence_.likelihoods.begin() + 760) -
               confidence_.likelihoods.begin();
    };
    ASSERT_EQ(evidence_.indels.size(), 1u);
    const int64_t record = evidence_.indels[0].allele.record_position();
    EXPECT_EQ(lowest(), record);
    EXPECT_EQ(one.likelihoods_at(record)[0], 63 - 45);
    for (int i = 0; i < 10; ++i) with_deletion(700);
    EXPECT_EQ(build().likelihoods_at(record)[0], 0);
}

TEST_F(ReferenceConfidenceTest, overlapping_mates_span_a_position_once) {
    for (int i = 0; i < 5; ++i) {
        add_matching(900, 100, {}, "p" + std::to_string(i));
        add_matching(920, 100, {}, "p" + std::to_string(i));
    }
    const ReferenceConfidence& confidence = build();
    EXPECT_EQ(confidence.depth_at(950), 5);
    EXPECT_EQ(confidence.likelihoods_at(950)[0], 15);
    EXPECT_EQ(confidence.likelihoods_at(910)[0], 15);
}

TEST_F(ReferenceConfidenceTest, clipped_reads_lower_their_breakpoint) {
    for (int i = 0; i < 20; ++i) add_matching(1000);
    for (int i = 0; i < 6; ++i) {
        add(1000,
            {data::cigar_element(50, data::k_cigar_match), data::cigar_element(40, data::k_cigar_soft_clip)},
            letters_.substr(1000, 50) + std::string(40, 'A'));
    }
    const ReferenceConfidence& confidence = build();
    EXPECT_EQ(confidence.likelihoods_at(1049)[0], 0);
    EXPECT_GE(confidence.likelihoods_at(1070)[0], 60);
}

TEST_F(ReferenceConfidenceTest, unknown_reference_bases_have_no_confidence) {
    for (int i = 0; i < 20; ++i) add_matching(1200);
    letters_.replace(1250, 2, "NN");
    const ReferenceConfidence& confidence = build();
    EXPECT_EQ(confidence.likelihoods_at(1251), (std::array<uint16_t, 2>{0, 0}));
    EXPECT_GT(confidence.likelihoods_at(1249)[0], 0);
}

}  // namespace
}  // namespace gannet::variants
