// SPDX-License-Identifier: MIT
// Checks what is taken for implausible: the spread of the reads over the reference, and the names and bases
// of mates.
#include "pipeline/jobs/plausibility.hpp"

#include "data/error.hpp"
#include "pipeline/coverage.hpp"
#include "pipeline/log.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gannet::pipeline {
namespace {

/// Per 1,000 bp bin the number of reads of a genome at `depth`, reads of 150 bp.
std::vector<uint32_t> genome(size_t bins, double depth, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::poisson_distribution<uint32_t> reads(depth * 1000 / 150);
    std::vector<uint32_t> counts(bins);
    for (uint32_t& count : counts) count = reads(random);
    return counts;
}

TEST(DepthSpread, genomes_are_even_at_any_depth) {
    for (const double depth : {0.4, 1.0, 8.0, 30.0, 50.0}) {
        const DepthSpread spread = depth_spread(genome(60'000, depth));
        EXPECT_FALSE(spread.is_uneven()) << depth;
        EXPECT_GT(spread.covered * 100, spread.windows * 98) << depth;
    }
}

variants::VariantCounts calls(uint64_t transitions, uint64_t transversions, uint64_t indels) {
    variants::VariantCounts counts;
    counts.snps = transitions + transversions;
    counts.transitions = transitions;
    counts.transversions = transversions;
    counts.indels = indels;
    return counts;
}

TEST(FindingOfCalls, genomes_exomes_and_few_calls_have_none) {
    EXPECT_EQ(finding_of_calls(calls(670, 330, 150)), "");
    EXPECT_EQ(finding_of_calls(calls(780, 220, 20)), "");
    EXPECT_EQ(finding_of_calls(calls(450, 550, 150)), "") << "AT-rich genomes";
    EXPECT_EQ(finding_of_calls(calls(10, 189, 0)), "");
    EXPECT_EQ(finding_of_calls(calls(0, 0, 199)), "");
}

TEST(FindingOfCalls, random_errors_damage_and_noisy_reads_are_named) {
    EXPECT_NE(finding_of_calls(calls(80, 120, 0)).find("40.0 % are transitions, hardly more"),
              std::string::npos);
    EXPECT_NE(finding_of_calls(calls(1'095, 255, 0)).find("81.1 % are transitions"), std::string::npos);
    EXPECT_NE(finding_of_calls(calls(900, 0, 0)).find("bisulfite"), std::string::npos);
    EXPECT_EQ(finding_of_calls(calls(67, 33, 1'288)),
              "more indels (1288) than SNPs (100) pass: calling is for reads with few indel errors, as of "
              "Illumina");
}

TEST(FirstReads, those_that_failed_the_filter_of_the_sequencer_are_counted) {
    const auto note = [](const std::string& comments) {
        std::string text;
        for (const char filter : comments) text += std::string("@r 1:") + filter + ":0:ACGT\nACGT\n+\nFFFF\n";
        return note_of_failed(first_reads(text + "@r Y:Y\nA\n+\nF\n", 100));
    };
    EXPECT_EQ(note("NNN"), "");
    EXPECT_EQ(note("NYNY").find("2 of the first 5 reads failed the sequencer's filter"), 0u);
}

TEST(FindingOfCalls, alleles_on_uneven_numbers_of_reads_are_named) {
    variants::VariantCounts counts = calls(670, 330, 150);
    counts.balance_known = 600;
    counts.uneven = 150;
    EXPECT_EQ(finding_of_calls(counts), "");
    counts.uneven = 151;
    EXPECT_EQ(
        finding_of_calls(counts).find("of the heterozygous SNPs that pass 25.2 % have their two alleles"),
        0u);
    counts.balance_known = counts.uneven = 199;
    EXPECT_EQ(finding_of_calls(counts), "");
}

TEST(DepthSpread, reads_cut_out_by_region_are_no_panel) {
    std::vector<uint32_t> counts(60'000);
    const std::vector<uint32_t> slice = genome(4'000, 30);
    std::copy(slice.begin(), slice.end(), counts.begin() + 10'000);
    EXPECT_GE(depth_spread(counts).reads, 100'000u);
    EXPECT_FALSE(depth_spread(counts).is_uneven());
}

TEST(DepthSpread, panels_and_exomes_are_uneven) {
    std::vector<uint32_t> panel(60'000);
    for (size_t gene = 0; gene < 50; ++gene) panel[1'000 + 1'100 * gene] = 5'000;
    EXPECT_TRUE(depth_spread(panel).is_uneven());

    std::vector<uint32_t> exome = genome(60'000, 0.02);  // some reads beside the targets
    std::mt19937 random(2);
    for (size_t gene = 0; gene < 400; ++gene) {
        const size_t begin = random() % 59'000;
        for (size_t exon = 0; exon < 9; ++exon) exome[begin + random() % 27] += 250;
    }
    EXPECT_TRUE(depth_spread(exome).is_uneven());
}

TEST(DepthSpread, targets_are_judged_by_their_own_windows) {
    std::vector<uint32_t> panel(60'000);
    std::vector<uint8_t> right(panel.size()), wrong(panel.size());
    for (size_t gene = 0; gene < 50; ++gene) {
        panel[1'000 + 1'100 * gene] = 5'000;
        right[1'000 + 1'100 * gene] = 1;
        wrong[1'500 + 1'100 * gene] = 1;
    }
    EXPECT_FALSE(depth_spread(panel, right).is_uneven());
    EXPECT_EQ(depth_spread(panel, right).windows, 50u);
    EXPECT_TRUE(depth_spread(panel, wrong).is_uneven());
    EXPECT_FALSE(depth_spread(genome(60'000, 30), right).is_uneven());  // a genome called on some genes
}

TEST(DepthSpread, few_reads_are_not_judged) {
    std::vector<uint32_t> counts(60'000);
    for (size_t i = 0; i < 99; ++i) counts[600 * i] = 1'000;
    EXPECT_FALSE(depth_spread(counts).is_uneven());
    counts[59'900] = 1'000;
    EXPECT_TRUE(depth_spread(counts).is_uneven());
    EXPECT_FALSE(depth_spread({}).is_uneven());
}

FirstReads reads_of(const std::string& tail, const std::string& bases, size_t count = 12) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
        text += "@r" + std::to_string(i) + tail + "\n" + bases + "ACGT"[i % 4] + "\n+\n" +
                std::string(bases.size() + 1, 'I') + "\n";
    return first_reads(text, 1000);
}

TEST(FirstReads, mate_number_is_read_from_name_or_comment) {
    EXPECT_EQ(reads_of("/1", "A").reads.at(3).mate, 1);
    EXPECT_EQ(reads_of("/2", "A").reads.at(3).name, "r3");
    EXPECT_EQ(reads_of(" 2:N:0:ACGT", "A").reads.at(3).mate, 2);
    EXPECT_EQ(reads_of(" length=150", "A").reads.at(3).mate, 0);
    EXPECT_EQ(reads_of("", "A").reads.at(3).mate, 0);
}

TEST(FirstReads, a_record_that_is_cut_is_left_out) {
    EXPECT_EQ(first_reads("@a\nAC\n+\nII\n@b\nAC\n+\n", 10).reads.size(), 1u);
    EXPECT_EQ(first_reads("@a\r\nAC\r\n+\r\nII\r\n", 10).reads.at(0).bases, "AC");
    EXPECT_EQ(first_reads("@a\nAC\n+\nII\n@b\nAC\n+\nII\n", 1).reads.size(), 1u);
    EXPECT_TRUE(first_reads("", 10).reads.empty());
}

TEST(FindingOfPair, same_bases_and_same_mates_are_found) {
    EXPECT_NE(finding_of_pair(reads_of("/1", "AC"), reads_of("/2", "AC")), "");
    EXPECT_NE(finding_of_pair(reads_of("/1", "AC"), reads_of("/1", "GT")), "");
    EXPECT_NE(finding_of_pair(reads_of(" 2:N:0:A", "AC"), reads_of(" 2:N:0:A", "GT")), "");
    EXPECT_EQ(finding_of_pair(reads_of("/1", "AC"), reads_of("/2", "GT")), "");
    EXPECT_EQ(finding_of_pair(reads_of("", "AC"), reads_of("", "GT")), "");
    EXPECT_EQ(finding_of_pair(reads_of("/1", "AC", 9), reads_of("/1", "AC", 9)), "") << "too few to judge";
}

TEST(FindingOfSingle, alternating_mates_are_found) {
    FirstReads single = reads_of("", "AC", 20);
    EXPECT_EQ(finding_of_single(single), "");
    for (size_t i = 1; i < single.reads.size(); i += 2) single.reads[i].name = single.reads[i - 1].name;
    EXPECT_NE(finding_of_single(single), "");
}

TEST(Plausibility, limits_are_half_of_the_reads) {
    stages::AlignCounts counts;
    counts.reads = counts.paired = 1000;
    counts.mapped = counts.proper_pairs = 500;
    Plausibility strict(true);
    EXPECT_NO_THROW(strict.check_alignment(counts));
    counts.proper_pairs = 499;
    EXPECT_THROW(strict.check_alignment(counts), data::Error);
    counts.proper_pairs = 500;
    counts.mapped = 499;
    EXPECT_THROW(strict.check_alignment(counts), data::Error);
    counts.too_long = 501;  // which another message says
    EXPECT_NO_THROW(strict.check_alignment(counts));
    counts.too_long = 0;
    counts.reads = 99;
    counts.mapped = counts.paired = counts.proper_pairs = 0;
    EXPECT_NO_THROW(strict.check_alignment(counts));
}

TEST(Plausibility, sex_is_compared_with_the_stated_one) {
    const auto finding = [](uint64_t x_reads, uint64_t y_reads, const std::string& stated) {
        Plausibility plausibility(false);
        PloidyOptions options;
        options.sex = stated;
        plausibility.check_sex({{x_reads, 5'000'000}, {y_reads, 1'000'000}, {100'000, 10'000'000}}, options);
        return plausibility.findings().empty() ? "" : plausibility.findings().front();
    };
    EXPECT_EQ(finding(25'000, 4'000, "male"), "");
    EXPECT_EQ(finding(25'000, 4'000, ""), "");
    EXPECT_NE(finding(25'000, 4'000, "female").find("--sex female, but X has 50.0 %"), std::string::npos);
    EXPECT_NE(finding(59'000, 5'000, "male").find("as in neither a male nor a female"), std::string::npos);
    EXPECT_EQ(finding(59'000, 5'000, ""), "");
}

TEST(Plausibility, more_than_four_fifths_of_duplicates_are_amplicons) {
    align::duplicates::LibraryMetrics pairs, single;
    pairs.read_pairs_examined = 450;
    pairs.read_pair_duplicates = 390;
    single.unpaired_reads_examined = 100;
    single.unpaired_read_duplicates = 20;
    using Libraries = std::vector<align::duplicates::LibraryMetrics>;
    const auto warns = [](const Libraries& libraries, const DuplicateOptions& options) {
        const size_t before = logged_warnings().size();
        Plausibility::check_duplicates(libraries, options);
        return logged_warnings().size() > before;
    };
    EXPECT_FALSE(warns({pairs, single}, {}));  // 800 of 1,000
    single.unpaired_read_duplicates = 21;
    EXPECT_TRUE(warns({pairs, single}, {}));
    DuplicateOptions by_umi;
    by_umi.by_umi = true;
    EXPECT_FALSE(warns({pairs, single}, by_umi));
    single.unpaired_reads_examined = 99;
    EXPECT_FALSE(warns({pairs, single}, {}));  // too few to judge
    EXPECT_FALSE(warns({}, {}));               // --no-duplicates
}

}  // namespace
}  // namespace gannet::pipeline
