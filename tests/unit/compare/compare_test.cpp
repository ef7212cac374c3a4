// SPDX-License-Identifier: MIT
// Tests the comparison from files to counts, and against bcftools norm + isec where exact alleles decide.
#include "variants/compare/compare.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/vcf/reader.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <random>

namespace gannet::variants::compare::test {
namespace {

//                         1234567890123456789012345678901234567890
const std::string k_fasta =
    ">c\nGATTACAGCTCACACACAGGTTTTTTTCGATCGGATCCATGCAAGTCTGACCTTAGACGT\n>d\nACGTACGTACGTACGTACGT\n";
const std::string k_header =
    "##fileformat=VCFv4.2\n##contig=<ID=c,length=60>\n##contig=<ID=d,length=20>\n##FILTER=<ID=low,"
    "Description=\"x\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\n";

std::string line(const std::string& contig, int position, const std::string& ref, const std::string& alt,
                 const std::string& genotype, const std::string& filter = "PASS",
                 const std::string& quality = "50") {
    return contig + "\t" + std::to_string(position) + "\t.\t" + ref + "\t" + alt + "\t" + quality + "\t" +
           filter + "\t.\tGT\t" + genotype + "\n";
}

class CompareFiles : public ::testing::Test {
  protected:
    Options options(const std::string& truth, const std::string& calls) {
        Options out;
        out.reference = folder_.write("ref.fa", k_fasta);
        out.truth = folder_.write("truth.vcf", k_header + truth);
        out.calls = folder_.write("calls.vcf", k_header + calls);
        return out;
    }
    std::vector<data::vcf::Site> sites(const std::string& path) {
        const auto reference = data::fasta::load(folder_.path("ref.fa"));
        data::vcf::Reader reader(path, *reference);
        std::vector<data::vcf::Site> out;
        for (data::vcf::Site site; reader.read(site);) {
            out.push_back(site);
        }
        return out;
    }
    tests::TemporaryFolder folder_;
};

TEST_F(CompareFiles, counts_by_kind_with_and_without_genotype) {
    const Result result = run(options(
        line("c", 2, "ATT", "GTC", "0/1") + line("c", 10, "TCA", "T", "1/1") + line("d", 5, "A", "G", "0/1"),
        line("c", 2, "A", "G", "0/1") + line("c", 4, "T", "C", "0/1") + line("c", 16, "ACA", "A", "0/1") +
            line("d", 7, "G", "T", "0/1")));
    EXPECT_EQ(result.snp.truth_matched, 2U);
    EXPECT_EQ(result.snp.truth_missed, 1U);
    EXPECT_EQ(result.snp.calls_right, 2U);
    EXPECT_EQ(result.snp.calls_wrong, 1U);
    EXPECT_EQ(result.indel.truth_matched, 0U);
    EXPECT_EQ(result.indel.calls_wrong, 1U);
    EXPECT_EQ(result.indel_allele.truth_matched, 1U);
    EXPECT_EQ(result.indel_allele.calls_right, 1U);
    EXPECT_NEAR(result.snp.recall(), 2.0 / 3, 1e-12);
    EXPECT_NEAR(result.snp.f1(), 2.0 / 3, 1e-12);
}

TEST_F(CompareFiles, files_none_of_whose_records_has_a_genotype_are_named) {
    const std::string call = line("c", 2, "A", "G", "0/1");
    const std::string depth_only = "c\t4\t.\tT\tC\t50\tPASS\t.\tDP\t3\n";
    const Result unknown = run(options(call, line("c", 2, "A", "G", "./.") + depth_only));
    ASSERT_EQ(unknown.unknown_genotypes.size(), 1U);
    EXPECT_TRUE(unknown.unknown_genotypes[0].starts_with(folder_.path("calls.vcf") +
                                                         ": none of its 2 records has a genotype (GT) of s1"))
        << unknown.unknown_genotypes[0];
    EXPECT_EQ(run(options(depth_only, call)).unknown_genotypes.size(), 1U);
    EXPECT_TRUE(run(options(call, call + depth_only)).unknown_genotypes.empty());
    EXPECT_TRUE(run(options("", "")).unknown_genotypes.empty());
}

TEST_F(CompareFiles, haploid_genotype_counts_as_homozygous) {
    const std::string truth = line("c", 2, "A", "C", "1") + line("c", 30, "A", "G", "1") +
                              line("c", 40, "T", "G", "1/1") + line("d", 5, "A", "G", "1");
    Options chosen = options(truth, line("c", 2, "A", "C", "1") + line("c", 30, "A", "G", "1/1") +
                                        line("c", 40, "T", "G", "1") + line("d", 5, "A", "G", "0/1"));
    chosen.output = folder_.path("out");
    const Result result = run(chosen);
    EXPECT_EQ(result.snp.truth_matched, 3U);
    EXPECT_EQ(result.snp.calls_right, 3U);
    EXPECT_EQ(result.snp.truth_missed, 1U);  // 0/1 is another genotype, of the same allele
    EXPECT_EQ(result.snp_allele.truth_matched, 4U);
    std::vector<int> ploidies;
    for (const data::vcf::Site& site : sites(folder_.path("out/tp.vcf.gz"))) ploidies.push_back(site.ploidy);
    EXPECT_EQ(ploidies, (std::vector<int>{1, 2, 1}));  // as the calls state them
}

TEST_F(CompareFiles, record_without_a_genotype_is_unknown_where_others_have_one) {
    const std::string bare = "d\t5\t.\tA\tG\t50\tPASS\t.\tDP\t30\n";
    const std::string depth = "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n";
    const std::string with_depth =
        k_header.substr(0, k_header.find("#CHROM")) + depth + k_header.substr(k_header.find("#CHROM"));
    const std::string known = line("c", 2, "A", "C", "0/1");
    Options chosen = options("", "");
    chosen.truth = folder_.write("truth.vcf", with_depth + known + line("d", 5, "A", "G", "./."));
    chosen.calls = folder_.write("calls.vcf", with_depth + known + bare);
    const Result result = run(chosen);
    EXPECT_EQ(result.snp.truth_matched, 1U);
    EXPECT_EQ(result.snp.truth_missed, 0U);
    EXPECT_EQ(result.snp.calls_right, 1U);
    EXPECT_EQ(result.snp.calls_wrong, 0U);
    // Of a file without genotypes every allele counts.
    chosen.calls =
        folder_.write("sites.vcf", "##fileformat=VCFv4.2\n##contig=<ID=d,length=20>\n" + depth +
                                       "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\n" + bare);
    EXPECT_EQ(run(chosen).snp.calls_wrong, 1U);
}

TEST_F(CompareFiles, targets_without_a_region_are_refused) {
    Options chosen = options(line("c", 2, "A", "C", "0/1"), line("c", 30, "A", "G", "0/1"));
    for (const char* bed : {"", "# a comment\n"}) {
        chosen.targets = folder_.write("targets.bed", bed);
        EXPECT_THROW(run(chosen), data::Error);
    }
}

TEST_F(CompareFiles, a_record_that_is_there_twice_counts_once) {
    const std::string one = line("c", 2, "A", "C", "0/1"), other = line("c", 2, "A", "G", "0/1");
    for (const auto& [truth, calls] :
         {std::pair(one + other + one, one + other), std::pair(one, one + one)}) {
        const Result result = run(options(truth, calls));
        EXPECT_EQ(result.repeated_records, 1U);
        EXPECT_EQ(result.snp.truth_missed + result.snp.calls_wrong, 0U);
    }
    const Result both = run(options(one, line("c", 2, "A", "C", "0/1") + line("c", 2, "A", "C", "1/1")));
    EXPECT_EQ(both.repeated_records, 0U);
}

TEST_F(CompareFiles, truth_that_did_not_pass_is_not_missed) {
    Options chosen = options(line("c", 2, "A", "C", "0/1", "low") + line("c", 9, "C", "G", "0/1", "."), "");
    for (const bool pass_only : {true, false}) {
        chosen.pass_only = pass_only;
        EXPECT_EQ(run(chosen).snp.truth_missed, 1U);
    }
}

TEST_F(CompareFiles, filters_qualities_and_targets_select) {
    Options chosen =
        options(line("c", 2, "A", "C", "0/1") + line("c", 30, "A", "G", "0/1"),
                line("c", 2, "A", "C", "0/1") + line("c", 9, "C", "G", "0/1", "low") +
                    line("c", 22, "T", "G", "0/1", "PASS", "3") + line("c", 40, "T", "G", "0/1"));
    EXPECT_EQ(run(chosen).snp.calls_wrong, 2U);
    chosen.pass_only = false;
    EXPECT_EQ(run(chosen).snp.calls_wrong, 3U);
    chosen.minimum_quality = 10;
    EXPECT_EQ(run(chosen).snp.calls_wrong, 2U);
    chosen.targets = folder_.write("targets.bed", "c\t0\t25\n");
    const Result inside = run(chosen);
    EXPECT_EQ(inside.snp.calls_wrong, 1U);
    EXPECT_EQ(inside.snp.truth_missed, 0U);
    EXPECT_EQ(inside.snp.truth_matched, 1U);
}

TEST_F(CompareFiles, a_change_counts_where_its_normalised_position_lies) {
    // The deletion is written at 16 and normalises to 10: inside [0, 12), although its record lies outside.
    Options chosen = options("", line("c", 16, "ACA", "A", "0/1"));
    chosen.targets = folder_.write("targets.bed", "c\t0\t12\n");
    EXPECT_EQ(run(chosen).indel.calls_wrong, 1U);
    chosen.targets = folder_.write("targets.bed", "c\t12\t40\n");
    EXPECT_EQ(run(chosen).indel.calls_wrong, 0U);
}

TEST_F(CompareFiles, outputs_hold_the_records_and_are_read_back) {
    Options chosen = options(line("c", 2, "ATT", "GTC", "0/1") + line("d", 5, "A", "G", "1/1"),
                             line("c", 2, "A", "G", "0/1") + line("c", 4, "T", "C", "0|1") +
                                 line("d", 5, "A", "G", "0/1") + line("d", 9, "A", "ATT", "0/1"));
    chosen.output = folder_.path("out");
    const Result result = run(chosen);
    const auto right = sites(chosen.output + "/tp.vcf.gz");
    const auto wrong = sites(chosen.output + "/fp.vcf.gz");
    const auto missed = sites(chosen.output + "/fn.vcf.gz");
    ASSERT_EQ(right.size(), 2U);
    EXPECT_EQ(right[1].position, 3);
    EXPECT_TRUE(right[1].phased);
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[1].alleles, (std::vector<std::string>{"A", "ATT"}));
    ASSERT_EQ(missed.size(), 1U);
    EXPECT_EQ(missed[0].contig, 1U);
    const std::string json = tests::read_file(chosen.output + "/compare.json");
    EXPECT_EQ(json, to_json(result, chosen));
    EXPECT_NE(json.find("\"calls_wrong\": 1"), std::string::npos);
    EXPECT_NE(to_table(result).find("INDEL"), std::string::npos);
    const std::string first = tests::read_file(chosen.output + "/fp.vcf.gz");
    run(chosen);
    EXPECT_EQ(first, tests::read_file(chosen.output + "/fp.vcf.gz"));
}

TEST_F(CompareFiles, empty_files_give_zeros_and_a_missing_file_is_an_error) {
    Options chosen = options("", "");
    EXPECT_EQ(run(chosen).snp.f1(), 0);
    chosen.truth = folder_.path("missing.vcf");
    EXPECT_THROW(run(chosen), data::Error);
}

/// Output of a shell command; empty when it fails.
std::string shell(const std::string& command) {
    std::string out;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (size_t got = 1; got > 0;) {
        got = std::fread(buffer.data(), 1, buffer.size(), pipe);
        out.append(buffer.data(), got);
    }
    return pclose(pipe) == 0 ? out : "";
}

TEST_F(CompareFiles, agrees_with_bcftools_norm_and_isec_on_lone_variants) {
    if (shell("bcftools --version").empty()) {
        GTEST_SKIP() << "bcftools is not installed: the comparison with norm + isec did not run";
    }
    std::mt19937 random(7);
    std::string letters;
    for (int i = 0; i < 20000; ++i) {
        letters += "ACGT"[random() % 4];
    }
    const std::string header =
        "##fileformat=VCFv4.2\n##contig=<ID=c,length=20000>\n"
        "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\n";
    std::array<std::string, 2> bodies;
    for (int at = 50; at < 19900; at += 60) {  // far enough apart for exact alleles to decide
        const auto index = static_cast<size_t>(at);
        const std::string base = letters.substr(index, 1);
        const std::array<std::array<std::string, 2>, 3> kinds = {
            {{base, base == "A" ? "C" : "A"}, {letters.substr(index, 3), base}, {base, base + "GT"}}};
        const auto& alleles = kinds[random() % 3];
        const uint32_t where = random() % 4;  // in truth, in calls, in both twice as often
        for (uint32_t side = 0; side < 2; ++side) {
            if (where == side || where > 1) {
                bodies[side] += line("c", at + 1, alleles[0], alleles[1], "0/1");
            }
        }
    }
    Options chosen;
    chosen.reference = folder_.write("ref.fa", ">c\n" + letters + "\n");
    chosen.truth = folder_.write("truth.vcf", header + bodies[0]);
    chosen.calls = folder_.write("calls.vcf", header + bodies[1]);
    const Result result = run(chosen);
    std::string command =
        "cd " + folder_.path("") +
        " && for f in truth calls; do bcftools norm -f ref.fa -Oz -o $f.vcf.gz $f.vcf 2>/dev/null && "
        "bcftools index $f.vcf.gz || exit 1; done; bcftools isec -p isec truth.vcf.gz calls.vcf.gz; "
        "for i in 0 1 2; do grep -vc '^#' isec/000$i.vcf; done";
    const std::string counts = shell(command);
    unsigned missed = 0;
    unsigned wrong = 0;
    unsigned both = 0;
    ASSERT_EQ(std::sscanf(counts.c_str(), "%u %u %u", &missed, &wrong, &both), 3) << counts;
    EXPECT_GT(missed, 20U);
    EXPECT_GT(both, 100U);
    EXPECT_EQ(result.snp.truth_missed + result.indel.truth_missed, missed);
    EXPECT_EQ(result.snp.calls_wrong + result.indel.calls_wrong, wrong);
    EXPECT_EQ(result.snp.truth_matched + result.indel.truth_matched, both);
    EXPECT_EQ(result.snp_allele.calls_right + result.indel_allele.calls_right, both);
}

}  // namespace
}  // namespace gannet::variants::compare::test
