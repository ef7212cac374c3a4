// SPDX-License-Identifier: MIT
// Tests the profile of a sample: the choice of windows, and the counting in them.
#include "variants/sample/sample_profile.hpp"

#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace gannet::variants {
namespace {

using testing::make_reference;
using testing::random_letters;

constexpr size_t k_t_to_c = change_class(3, 1);

/// Single reads of 100 bases on a contig of 2,000.
class ProfileWindowTest : public ::testing::Test {
  protected:
    /// Adds a read of the reference at `position`, with letter `base` at `site` if the read covers it.
    void add(int64_t position, int64_t site = -1, char base = 'A', uint8_t quality = 30, uint16_t flags = 0,
             uint8_t mapping_quality = 60, int32_t mate_position = -1, std::vector<uint32_t> cigar = {}) {
        std::string letters = letters_.substr(static_cast<size_t>(position), 100);
        if (site >= position && site < position + 100) letters[static_cast<size_t>(site - position)] = base;
        std::vector<data::Base> bases(letters.size());
        data::to_bases(letters, bases);
        const std::vector<uint8_t> qualities(bases.size(), quality);
        if (cigar.empty()) cigar = {data::cigar_element(100, data::k_cigar_match)};
        data::RecordFields fields;
        fields.contig = 0;
        fields.position = static_cast<int32_t>(position);
        fields.mate_contig = mate_position < 0 ? -1 : 0;
        fields.mate_position = mate_position;
        fields.mapping_quality = mapping_quality;
        fields.flag = flags;
        fields.name = "r";
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordBatch batch;
        { data::RecordAppender appender(batch, fields); }
        window_.add(batch.view(0), flags);
    }
    SampleProfile finish() {
        SampleProfile profile;
        window_.finish(profile);
        window_.depths().count(profile.depths);
        return profile;
    }

    std::string letters_ = std::string(1000, 'C') + std::string(1000, 'G');
    std::shared_ptr<const data::Reference> reference_ = make_reference(letters_);
    MappingScale scale_;
    Primers primers_;
    ProfileWindow window_{*reference_, {0, 0, 2000}, scale_, primers_};
};

TEST_F(ProfileWindowTest, bases_and_mismatches_are_counted_by_quality) {
    for (int i = 0; i < 20; ++i) add(100 + i);
    add(105, 150, 'A', 12);
    const SampleProfile profile = finish();
    EXPECT_EQ(profile.bases[30], 2000u);
    EXPECT_EQ(profile.bases[12], 100u);
    EXPECT_EQ(profile.mismatches[30], 0u);
    EXPECT_EQ(profile.mismatches[12], 1u);
}

TEST_F(ProfileWindowTest, base_changes_are_counted_in_the_direction_of_mate_1) {
    constexpr uint16_t k_forward_1 = data::k_flag_paired | data::k_flag_proper_pair | data::k_flag_read1;
    constexpr uint16_t k_reverse_2 =
        data::k_flag_paired | data::k_flag_proper_pair | data::k_flag_read2 | data::k_flag_reverse;
    constexpr uint16_t k_reverse_1 = k_forward_1 | data::k_flag_reverse;
    for (int i = 0; i < 20; ++i) add(100 + i);
    add(105, 150, 'T', 30, k_forward_1, 60, 50);
    add(105, 160, 'T', 30, k_reverse_2, 60, 50);
    add(105, 170, 'T', 30, k_reverse_1, 60, 50);  // of a G of the other strand
    add(1105, 1150, 'A', 30, data::k_flag_reverse);
    const BaseChangeCounts changes = finish().changes;
    EXPECT_EQ(changes.places[0].mismatches[1][3], 3u);
    EXPECT_EQ(changes.places[0].mismatches[2][0], 1u);
    std::array<uint64_t, 4> all{};
    for (const auto& place : changes.places) {
        for (size_t base = 0; base < 4; ++base) all[base] += place.bases[base];
    }
    EXPECT_EQ(all, (std::array<uint64_t, 4>{0, 2300, 100, 0}));
    // Two ends of 17 bases of single reads, one of the others.
    EXPECT_EQ(changes.places[0].bases[1], 21u * 66 + 2 * 83);
    EXPECT_EQ(changes.places[0].bases[2], 83u);
    EXPECT_EQ(changes.places[begin_place(0)].bases[1], 22u);
    EXPECT_EQ(changes.places[begin_place(0)].bases[2], 1u);
    EXPECT_EQ(changes.places[end_place(0)].bases[1], 22u);
}

TEST_F(ProfileWindowTest, base_changes_are_counted_by_their_distance_from_the_ends) {
    for (int i = 0; i < 20; ++i) add(100 + i);
    add(105, 105, 'T');
    add(105, 203, 'T');
    add(1105, 1204, 'A', 30, data::k_flag_reverse);
    const BaseChangeCounts changes = finish().changes;
    EXPECT_EQ(changes.places[begin_place(0)].mismatches[1][3], 2u);
    EXPECT_EQ(changes.places[begin_place(0)].squares[1][3], 2u) << "of two positions";
    EXPECT_EQ(changes.places[end_place(1)].mismatches[1][3], 1u);
}

TEST_F(ProfileWindowTest, base_changes_of_low_quality_are_not_counted) {
    for (int i = 0; i < 20; ++i) add(100 + i);
    add(105, 150, 'T', 19);
    const BaseChangeCounts changes = finish().changes;
    EXPECT_EQ(changes.places[0].mismatches[1][3], 0u);
    EXPECT_EQ(changes.places[0].bases[1], 20u * 66);
}

TEST_F(ProfileWindowTest, homozygous_site_counts_fragments_with_the_reference_base) {
    for (int i = 0; i < 18; ++i) add(100 + i, 150, 'T');
    for (int i = 0; i < 2; ++i) add(100 + i);
    const SampleProfile profile = finish();
    EXPECT_EQ(profile.homozygous[k_t_to_c][20][2], 1u);
    EXPECT_EQ(profile.mismatches[30], 0u);  // an apparent variant is not held against the qualities
}

TEST_F(ProfileWindowTest, one_fragment_in_five_of_a_homozygous_site_may_have_the_reference_base) {
    for (int i = 0; i < 20; ++i) add(100 + i, i < 16 ? 150 : -1, 'T');
    for (int i = 0; i < 20; ++i) add(400 + i, i < 15 ? 450 : -1, 'T');
    const SampleProfile profile = finish();
    EXPECT_EQ(profile.homozygous[k_t_to_c][20][4], 1u);
    EXPECT_EQ(profile.homozygous[k_t_to_c][20][5], 0u);
}

uint32_t bins_of(const DepthHistogram& histogram) {
    uint32_t sum = 0;
    for (const auto& of_class : histogram.bins) sum = std::accumulate(of_class.begin(), of_class.end(), sum);
    return sum;
}

TEST_F(ProfileWindowTest, bin_with_an_snv_on_half_of_the_reads_has_two_copies) {
    for (int i = 0; i < 20; ++i) add(1'100 + i, i < 8 ? 1'180 : -1, 'T');
    for (int i = 0; i < 20; ++i) add(1'300 + i, i < 7 ? 1'380 : -1, 'T');  // of one of three copies
    const SampleProfile profile = finish();
    EXPECT_EQ(bins_of(profile.depths.two_copies), 1u);
    EXPECT_EQ(bins_of(profile.depths.all), 2u);
}

TEST_F(ProfileWindowTest, few_reads_or_some_that_are_left_out_show_no_two_copies) {
    for (int i = 0; i < 7; ++i) add(1'100 + i, i < 3 ? 1'180 : -1, 'T');
    for (int i = 0; i < 20; ++i) add(1'300 + i, i < 10 ? 1'380 : -1, 'T');
    for (int i = 0; i < 3; ++i) add(1'300 + i, -1, 'T', 30, 0, 39);
    EXPECT_EQ(bins_of(finish().depths.two_copies), 0u);
}

TEST_F(ProfileWindowTest, site_whose_other_haplotype_is_left_out_is_not_homozygous) {
    // The other haplotype has a deletion nearby; of its reads two end before it.
    for (int i = 0; i < 18; ++i) add(100 + i, 150, 'T');
    for (int i = 0; i < 2; ++i) add(70 + i);
    for (int i = 0; i < 16; ++i)
        add(100 + i, -1, 'A', 30, 0, 60, -1,
            {data::cigar_element(80, data::k_cigar_match), data::cigar_element(5, data::k_cigar_deletion),
             data::cigar_element(20, data::k_cigar_match)});
    EXPECT_EQ(finish().homozygous, SampleProfile().homozygous);
}

TEST_F(ProfileWindowTest, heterozygous_site_is_neither_homozygous_nor_a_mismatch) {
    for (int i = 0; i < 20; ++i) add(100 + i, i % 2 == 0 ? 150 : -1, 'T');
    EXPECT_EQ(finish().homozygous, SampleProfile().homozygous);
}

TEST_F(ProfileWindowTest, sites_of_one_strand_are_counted_by_the_base_before_them) {
    // The reference is C up to 1,000 and G from there on.
    const auto pile_up = [&](int64_t site, char base, uint16_t strand, int others) {
        for (int i = 0; i < 20; ++i) {
            const bool has_base = i < 2 * others && i % 2 == (strand == 0 ? 0 : 1);
            add(site - 50 + i, has_base ? site : -1, base, 30, i % 2 == 0 ? 0 : data::k_flag_reverse);
        }
    };
    pile_up(200, 'T', 0, 4);
    pile_up(400, 'T', data::k_flag_reverse, 4);
    pile_up(999, 'G', data::k_flag_reverse, 4);  // G follows, so it is before it on the reverse strand
    pile_up(1400, 'C', 0, 2);                    // 2 of 20
    const SystematicErrorCounts errors = finish().errors;
    EXPECT_EQ(errors.one_strand, (std::array<uint64_t, 2>{2, 1}));
    EXPECT_GT(errors.opportunities, 0u);
}

TEST_F(ProfileWindowTest, bases_of_low_quality_make_no_site) {
    for (int i = 0; i < 20; ++i)
        add(100 + i, i % 2 == 0 && i < 8 ? 150 : -1, 'T', 9, i % 2 == 0 ? 0 : data::k_flag_reverse);
    EXPECT_EQ(finish().errors.one_strand, SystematicErrorCounts().one_strand);
}

TEST_F(ProfileWindowTest, places_whose_reads_are_left_out_make_no_site) {
    const auto pile_up = [&](int doubtful) {
        window_ = ProfileWindow(*reference_, {0, 0, 2000}, scale_, primers_);
        for (int i = 0; i < 20; ++i)
            add(100 + i, i % 2 == 0 && i < 8 ? 150 : -1, 'T', 30, i % 2 == 0 ? 0 : data::k_flag_reverse);
        for (int i = 0; i < doubtful; ++i) add(120, -1, 'A', 30, 0, 39);
        return finish().errors;
    };
    const SystematicErrorCounts with_most = pile_up(2), with_fewer = pile_up(3);
    EXPECT_EQ(with_most.one_strand[0], 1u);
    EXPECT_EQ(with_fewer.one_strand[0], 0u);
    EXPECT_LT(with_fewer.opportunities, with_most.opportunities);
}

TEST_F(ProfileWindowTest, clipped_reads_are_left_out_where_their_clips_would_be) {
    const auto clipped = [](uint32_t left, uint32_t right) {
        std::vector<uint32_t> cigar;
        if (left > 0) cigar.push_back(data::cigar_element(left, data::k_cigar_soft_clip));
        cigar.push_back(data::cigar_element(100 - left - right, data::k_cigar_match));
        if (right > 0) cigar.push_back(data::cigar_element(right, data::k_cigar_soft_clip));
        return cigar;
    };
    const auto sites = [&](int64_t position, uint32_t left, uint32_t right) {
        window_ = ProfileWindow(*reference_, {0, 0, 2000}, scale_, primers_);
        for (int i = 0; i < 20; ++i)
            add(100 + i, i % 2 == 0 && i < 8 ? 150 : -1, 'T', 30, i % 2 == 0 ? 0 : data::k_flag_reverse);
        for (int i = 0; i < 3; ++i) add(position, -1, 'A', 30, 0, 60, -1, clipped(left, right));
        return finish().errors.one_strand[0];
    };
    EXPECT_EQ(sites(70, 0, 30), 0u) << "the clip is where the site is";
    EXPECT_EQ(sites(60, 0, 5), 0u) << "the aligned bases are";
    EXPECT_EQ(sites(170, 30, 0), 0u) << "the clip before them is";
    EXPECT_EQ(sites(170, 10, 0), 1u) << "neither is";
}

TEST_F(ProfileWindowTest, position_of_unusual_depth_is_left_out) {
    for (int i = 0; i < 20; ++i) {
        for (int64_t at = 0; at < 1900; at += 100) add(at, 150, 'T');  // 20x everywhere
    }
    for (int i = 0; i < 20; ++i) add(120, 150, 'T');
    EXPECT_EQ(finish().homozygous, SampleProfile().homozygous);
}

TEST_F(ProfileWindowTest, reads_of_doubtful_place_or_kind_do_not_count) {
    for (const uint16_t flags : {data::k_flag_duplicate, data::k_flag_secondary, data::k_flag_supplementary,
                                 data::k_flag_qc_fail, data::k_flag_unmapped})
        add(100, -1, 'A', 30, flags);
    add(100, -1, 'A', 30, 0, 39);
    add(100, -1, 'A', 30, data::k_flag_paired);  // not a proper pair
    SampleProfile profile = finish();
    EXPECT_EQ(profile.reads.reads(), 2u);
    profile.reads = {};   // of which the doubtful ones are part
    profile.depths = {};  // of which reads of all these kinds but the first are part: see expected_depth_test
    EXPECT_EQ(profile, SampleProfile());
}

TEST_F(ProfileWindowTest, doubtful_reads_are_those_of_the_aligner) {
    scale_ = MappingScale(42);
    for (int i = 0; i < 20; ++i) add(100 + i, -1, 'A', 30, 0, 28);  // 40 of 60
    EXPECT_EQ(finish().bases[30], 2000u);
    window_ = ProfileWindow(*reference_, {0, 0, 2000}, scale_, primers_);
    for (int i = 0; i < 20; ++i) add(100 + i, -1, 'A', 30, 0, 27);
    EXPECT_EQ(finish().bases[30], 0u);
}

TEST_F(ProfileWindowTest, reads_are_counted_by_mapping_quality_and_length) {
    add(100, -1, 'A', 30, data::k_flag_duplicate, 44);
    for (int i = 0; i < 2000; ++i) add(100, -1, 'A', 30, 0, i % 4 == 0 ? 3 : 42);
    const ReadCounts reads = finish().reads;
    EXPECT_EQ(reads.reads(), 2000u);
    EXPECT_EQ(reads.scale().ceiling(), 42);
    EXPECT_EQ(reads.usual_read_bp(), 100);
}

TEST_F(ProfileWindowTest, overlapping_mates_count_once) {
    constexpr uint16_t k_pair = data::k_flag_paired | data::k_flag_proper_pair;
    add(100, -1, 'A', 30, k_pair, 60, 160);
    add(160, -1, 'A', 30, k_pair, 60, 100);
    EXPECT_EQ(finish().bases[30], 160u);
}

TEST_F(ProfileWindowTest, bases_of_primers_do_not_count) {
    const std::vector<Primer> ends{{{0, 90, 120}, '+'}, {{0, 170, 200}, '-'}};
    primers_ = Primers(ends);
    for (int i = 0; i < 20; ++i) add(100, i < 5 ? 110 : 180, 'T');  // [100, 200), of which [120, 170) counts
    const SampleProfile profile = finish();
    EXPECT_EQ(profile.bases[30], 20u * 50);
    EXPECT_EQ(profile.mismatches[30], 0u);
    EXPECT_EQ(profile.homozygous, SampleProfile().homozygous);
}

TEST_F(ProfileWindowTest, sums_do_not_depend_on_the_order_of_records) {
    std::mt19937_64 random(3);
    std::vector<std::pair<int64_t, char>> reads;
    for (int i = 0; i < 300; ++i) reads.emplace_back(random() % 1900, "ACGT"[random() % 4]);
    for (const auto& [position, base] : reads) add(position, 900 + position % 7, base);
    const SampleProfile first = finish();
    window_ = ProfileWindow(*reference_, {0, 0, 2000}, scale_, primers_);
    std::shuffle(reads.begin(), reads.end(), random);
    for (const auto& [position, base] : reads) add(position, 900 + position % 7, base);
    EXPECT_EQ(finish(), first);
    EXPECT_NE(first, SampleProfile());
}

TEST(ProfileWindows, small_genome_is_used_completely_and_haploid_contigs_are_not) {
    std::mt19937_64 random(1);
    const auto reference = make_reference(random_letters(random, 300'000));
    const auto windows = ProfileWindows(*reference, {}).take(k_profile_bp);
    ASSERT_EQ(windows.size(), 5u);
    EXPECT_EQ(windows[0].begin, 0);
    EXPECT_EQ(windows[4].end, 300'000);
    PloidyMap haploid;
    haploid.set({0, 0, 300'000}, 1);
    EXPECT_TRUE(ProfileWindows(*reference, haploid).take(k_profile_bp).empty());
}

TEST(ProfileWindows, large_genome_has_about_the_stated_bases_in_scattered_windows) {
    const auto reference = make_reference(std::string(20'000'000, 'C'));
    const auto windows = ProfileWindows(*reference, {}).take(k_profile_bp);
    int64_t bases = 0;
    for (const data::Region& window : windows) bases += window.end - window.begin;
    EXPECT_GE(bases, k_profile_bp);
    EXPECT_LT(bases, k_profile_bp + k_profile_window_bp);
    EXPECT_LT(windows.front().begin, 3'000'000);
    EXPECT_GT(windows.back().end, 17'000'000);
}

TEST(ProfileWindows, further_windows_follow_until_all_are_taken) {
    const auto reference = make_reference(std::string(5'000'000, 'C') + std::string(200'000, 'N'));
    ProfileWindows ranks(*reference, {});
    std::vector<int64_t> begins;
    for (auto windows = ranks.take(k_profile_bp); !windows.empty(); windows = ranks.take(k_profile_bp)) {
        for (const data::Region& window : windows) begins.push_back(window.begin);
    }
    std::sort(begins.begin(), begins.end());
    EXPECT_EQ(std::adjacent_find(begins.begin(), begins.end()), begins.end());
    EXPECT_EQ(begins.size(), 77u);  // of 80; three have N only
}

/// Reads of 100 bases, `depth` times, over all of a window.
void cover(ProfileWindow& window, const std::string& letters, const data::Region& region, int depth) {
    for (int i = 0; i < depth; ++i) {
        for (int64_t at = region.begin; at + 100 <= region.end; at += 100) {
            data::RecordBatch batch;
            testing::append_match(batch, letters, at);
            window.add(batch.view(0), 0);
        }
    }
}

TEST(ProfileWindows, contigs_have_eight_windows_each) {
    const auto reference = make_reference(std::string(5'000'000, 'C'));
    ProfileWindows few(*reference, {});
    const auto taken = few.take(200'000);
    EXPECT_EQ(taken.size() + few.take_of_contigs().size(), 8u);
    ProfileWindows many(*reference, {});
    (void)many.take(k_profile_bp);
    EXPECT_TRUE(many.take_of_contigs().empty());
}

/// The windows of a genome of 800,000 random bases.
struct ProfiledGenome {
    /// add(window, its region, its number from 1): its reads.
    template <class Add>
    void add_windows(const Add& add) {
        for (const data::Region& region : ProfileWindows(*reference, {}).take(k_profile_bp)) {
            windows.push_back(std::make_unique<ProfileWindow>(*reference, region, scale, primers));
            add(*windows.back(), region, windows.size());
        }
    }
    std::mt19937_64 random{4};
    const std::string letters = random_letters(random, 800'000);
    std::shared_ptr<const data::Reference> reference = make_reference(letters);
    MappingScale scale;
    Primers primers;
    std::vector<std::unique_ptr<ProfileWindow>> windows;
};

TEST(ProfileWindows, depth_is_that_of_the_windows_that_were_sequenced) {
    ProfiledGenome genome;
    genome.add_windows([&](ProfileWindow& window, const data::Region& region, size_t number) {
        if (number <= 4) cover(window, genome.letters, region, 20);
        if (number == 5) cover(window, genome.letters, {0, region.begin, region.begin + 300}, 1);
    });
    ASSERT_GT(genome.windows.size(), 10u);
    const ExpectedDepth depth = profile_of_windows(genome.windows).depths.estimate(150);
    ASSERT_TRUE(depth.is_known());
    EXPECT_NEAR(depth.by_gc[10], 20 * 256, 256);
}

/// What judge_deep_places() makes of a sample of 20x, of which 2,000 bp in some of the windows have 40x
/// there, and an SNV in every `snv_bp` on `alternate` of these.
ExpectedDepth judged(size_t deep_windows, int alternate, size_t snv_bp = 2'000) {
    ProfiledGenome genome;
    std::string haplotype = genome.letters;
    for (size_t at = snv_bp / 2 + 50; at < haplotype.size(); at += snv_bp)
        haplotype[at] = haplotype[at] == 'A' ? 'C' : 'A';
    genome.add_windows([&](ProfileWindow& window, const data::Region& region, size_t number) {
        cover(window, genome.letters, region, 20);
        if (number > deep_windows) return;
        const data::Region place{0, (region.begin / 2'000 + 5) * 2'000, (region.begin / 2'000 + 6) * 2'000};
        cover(window, haplotype, place, alternate);
        cover(window, genome.letters, place, 20 - alternate);
    });
    ExpectedDepth depth = profile_of_windows(genome.windows).depths.estimate(100);
    EXPECT_TRUE(depth.is_known());
    depth.deviation_percent = 30;
    judge_deep_places(genome.windows, depth);
    return depth;
}

TEST(ProfileWindows, depth_is_no_evidence_where_deep_places_have_two_copies) {
    const ExpectedDepth enriched = judged(5, 20);
    EXPECT_TRUE(enriched.is_enriched);
    EXPECT_TRUE(enriched.is_uneven);
    EXPECT_FALSE(enriched.is_known());
    const ExpectedDepth few = judged(4, 20);
    EXPECT_FALSE(few.is_enriched);
    EXPECT_TRUE(few.is_known());
    EXPECT_EQ(few.deviation_percent, 30);
}

TEST(ProfileWindows, deep_places_with_alleles_on_another_share_are_copies) {
    const ExpectedDepth copies = judged(8, 10);
    EXPECT_FALSE(copies.is_enriched);
    EXPECT_TRUE(copies.is_known());
    EXPECT_EQ(copies.deviation_percent, 0);
}

TEST(ProfileWindows, deep_places_with_dense_alleles_are_copies) {
    EXPECT_FALSE(judged(8, 20, 100).is_enriched);
    EXPECT_TRUE(judged(8, 20, 1'000).is_enriched);
}

TEST(ProfileWindows, a_contig_has_the_copies_that_most_of_its_windows_show) {
    std::mt19937_64 random(4);
    const std::string letters = random_letters(random, 400'000);
    const auto reference = make_reference(letters);
    const MappingScale scale;
    const Primers primers;
    ExpectedDepth usual;
    usual.by_gc.fill(20 * 256);
    const auto copies_at = [&](int depth, size_t deep_windows) {
        std::vector<std::unique_ptr<ProfileWindow>> windows;
        ProfileWindows ranks(*reference, {});
        for (const data::Region& region : ranks.take_of_contigs()) {
            windows.push_back(std::make_unique<ProfileWindow>(*reference, region, scale, primers));
            cover(*windows.back(), letters, region, windows.size() <= deep_windows ? depth : 20);
        }
        EXPECT_EQ(windows.size(), 7u);
        return contig_copies(windows, usual);
    };
    EXPECT_EQ(copies_at(30, 7), std::vector<uint8_t>{3});
    EXPECT_EQ(copies_at(40, 7), std::vector<uint8_t>{4});
    EXPECT_TRUE(copies_at(60, 7).empty());  // of an organelle, or collapsed
    EXPECT_TRUE(copies_at(22, 7).empty());
    EXPECT_TRUE(copies_at(30, 3).empty());  // a duplication of a part
}

}  // namespace
}  // namespace gannet::variants
