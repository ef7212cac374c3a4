// SPDX-License-Identifier: MIT
// Checks the ploidy that options and reference give: known assemblies, mitochondria, sex, files of --ploidy.
#include "pipeline/jobs/ploidy.hpp"

#include "data/error.hpp"
#include "pipeline/jobs/sex_depth.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gannet::pipeline {
namespace {

constexpr const char* k_grch38_x_md5 = "2b3a55ff7f58eb308420c8a9b11cac50";

/// Contigs without bases: rules of ploidy consider names, lengths and MD5 only.
data::Reference make_reference(std::vector<data::Contig> contigs) {
    return data::Reference("ref.fa", std::move(contigs), {}, {}, nullptr);
}

data::Reference grch38() {
    return make_reference({{"chr1", 248'956'422, 0, ""},
                           {"chrX", 156'040'895, 0, k_grch38_x_md5},
                           {"chrY", 57'227'415, 0, ""},
                           {"chrM", 16'569, 0, ""}});
}

class Ploidy : public testing::Test {
  protected:
    SamplePloidy of(const PloidyOptions& options, const data::Reference& reference) const {
        return sample_ploidy(options, reference);
    }
    SamplePloidy of_file(const std::string& text, const std::string& sex,
                         const data::Reference& reference) const {
        PloidyOptions options;
        options.sex = sex;
        options.file = folder_.write("ploidy.txt", text);
        return sample_ploidy(options, reference);
    }
    std::string refusal(const std::string& text, const std::string& sex, data::ErrorKind kind) const {
        try {
            of_file(text, sex, grch38());
        } catch (const data::Error& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            return error.what();
        }
        return "";
    }
    tests::TemporaryFolder folder_;
};

TEST_F(Ploidy, human_mitochondria_alone_are_haploid_by_default) {
    const SamplePloidy ploidy = of({}, grch38());
    EXPECT_EQ(ploidy.map.at(0, 1000), 2);
    EXPECT_EQ(ploidy.map.at(1, 50'000'000), 2);
    EXPECT_EQ(ploidy.map.at(2, 20'000'000), 2);
    EXPECT_EQ(ploidy.map.at(3, 0), 1);
    EXPECT_EQ(ploidy.map.at(3, 16'568), 1);
    EXPECT_EQ(ploidy.text, "2; chrM 1 (mitochondrial)");
}

TEST_F(Ploidy, mitochondria_are_recognised_by_name_and_length) {
    EXPECT_TRUE(is_human_mitochondrion({"MT", 16'569, 0, ""}));
    EXPECT_TRUE(is_human_mitochondrion({"chrM", 16'571, 0, ""}));
    EXPECT_FALSE(is_human_mitochondrion({"chrM", 16'299, 0, ""}));  // of the mouse
    EXPECT_FALSE(is_human_mitochondrion({"scaffold_7", 16'569, 0, ""}));
}

TEST_F(Ploidy, males_are_haploid_on_x_and_y_outside_the_pseudoautosomal_regions) {
    PloidyOptions options;
    options.sex = "male";
    const SamplePloidy ploidy = of(options, grch38());
    // 1-based: X 10,001-2,781,479 and 155,701,383-156,030,895; Y 10,001-2,781,479 and 56,887,903-57,217,415.
    const std::vector<std::pair<int64_t, int>> x = {{9'999, 1},       {10'000, 2},      {2'781'478, 2},
                                                    {2'781'479, 1},   {155'701'381, 1}, {155'701'382, 2},
                                                    {156'030'894, 2}, {156'030'895, 1}};
    for (const auto& [position, copies] : x) EXPECT_EQ(ploidy.map.at(1, position), copies) << position;
    const std::vector<std::pair<int64_t, int>> y = {{9'999, 1},      {10'000, 2},     {2'781'479, 1},
                                                    {56'887'901, 1}, {56'887'902, 2}, {57'217'415, 1}};
    for (const auto& [position, copies] : y) EXPECT_EQ(ploidy.map.at(2, position), copies) << position;
    EXPECT_EQ(ploidy.map.at(0, 5), 2);
    EXPECT_EQ(ploidy.map.at(3, 5), 1);
    EXPECT_EQ(
        ploidy.text,
        "2; chrM 1 (mitochondrial); chrX 1 (male); chrY 1 (male); chrX:10001-2781479 2 (PAR of GRCh38); "
        "chrX:155701383-156030895 2 (PAR of GRCh38); chrY:10001-2781479 2 (PAR of GRCh38); "
        "chrY:56887903-57217415 2 (PAR of GRCh38)");
}

TEST_F(Ploidy, females_have_no_y) {
    PloidyOptions options;
    options.sex = "female";
    const SamplePloidy ploidy = of(options, grch38());
    EXPECT_EQ(ploidy.map.at(1, 50'000'000), 2);
    EXPECT_EQ(ploidy.map.at(2, 20'000), 0);
    EXPECT_EQ(ploidy.map.at(2, 20'000'000), 0);
    EXPECT_EQ(ploidy.text, "2; chrM 1 (mitochondrial); chrY 0 (female)");
}

TEST_F(Ploidy, assemblies_are_known_by_the_lengths_of_x_and_y) {
    const data::Contig x38{"X", 156'040'895, 0, "masked"};
    const data::Contig y38{"Y", 57'227'415, 0, ""};
    const data::Contig x37{"X", 155'270'560, 0, "7e0e2e580297b7764e31dbc80c2540dd"};
    const data::Contig y37{"Y", 59'373'566, 0, ""};
    ASSERT_TRUE(known_assembly(&x38, &y38));
    EXPECT_STREQ(known_assembly(&x38, &y38)->name, "GRCh38");
    EXPECT_FALSE(known_assembly(&x38, nullptr)->has_known_md5);
    EXPECT_STREQ(known_assembly(&x37, &y37)->name, "GRCh37");
    EXPECT_TRUE(known_assembly(&x37, &y37)->has_known_md5);
    // 1-based: X 60,001-2,699,520 and 154,931,044-155,260,560; Y 10,001-2,649,520 and 59,034,050-59,363,566.
    EXPECT_EQ(known_assembly(&x37, nullptr)->x_regions,
              (std::vector<data::Region>{{0, 60'000, 2'699'520}, {0, 154'931'043, 155'260'560}}));
    EXPECT_EQ(known_assembly(nullptr, &y37)->y_regions,
              (std::vector<data::Region>{{0, 10'000, 2'649'520}, {0, 59'034'049, 59'363'566}}));
    EXPECT_FALSE(known_assembly(&x38, &y37));
    EXPECT_FALSE(known_assembly(nullptr, nullptr));
}

TEST_F(Ploidy, male_on_another_reference_needs_par) {
    const auto other = make_reference({{"X", 5'000, 0, ""}, {"Y", 3'000, 0, ""}});
    PloidyOptions options;
    options.sex = "male";
    EXPECT_THROW(of(options, other), data::Error);
    options.par = folder_.write("par.bed", "X\t100\t200\n");
    const SamplePloidy ploidy = of(options, other);
    EXPECT_EQ(ploidy.map.at(0, 99), 1);
    EXPECT_EQ(ploidy.map.at(0, 100), 2);
    EXPECT_EQ(ploidy.map.at(0, 200), 1);
    EXPECT_EQ(ploidy.map.at(1, 150), 1);
    options.par = folder_.write("none.bed", "");
    EXPECT_EQ(of(options, other).map.at(0, 150), 1);
    options.par = folder_.write("wrong.bed", "chr1\t100\t200\n");
    EXPECT_THROW(of(options, grch38()), data::Error);
}

TEST_F(Ploidy, one_number_holds_everywhere) {
    PloidyOptions options;
    options.everywhere = 2;
    EXPECT_EQ(of(options, grch38()).map.at(3, 5), 2);
    EXPECT_EQ(of(options, grch38()).text, "2 (--ploidy)");
    options.everywhere = 1;
    EXPECT_EQ(of(options, grch38()).map.at(0, 5), 1);
}

TEST_F(Ploidy, bed_with_a_ploidy_replaces_the_built_in_rules) {
    const SamplePloidy ploidy = of_file("# comment\nchrX\t0\t1000\t0\nchrM\t0\t16569\t2\n", "male", grch38());
    EXPECT_EQ(ploidy.map.at(1, 999), 0);
    EXPECT_EQ(ploidy.map.at(1, 1000), 1);
    EXPECT_EQ(ploidy.map.at(3, 5), 2);
    EXPECT_TRUE(ploidy.text.ends_with("; chrX:1-1000 0 (--ploidy); chrM 2 (--ploidy)")) << ploidy.text;
}

TEST_F(Ploidy, rows_by_sex_are_those_of_bcftools) {
    // As `bcftools call --ploidy GRCh38?` prints them, with a row for a contig that is not there.
    const std::string text =
        "X 1 10000 M 1\nX 2781480 155701381 M 1\nchrX 1 10000 M 1\nchrX 2781480 155701381 M 1\nchrY 1 "
        "57227415 M 1\n"
        "chrY 1 57227415 F 0\nchrM 1 16569 M 1\nchrM 1 16569 F 1\n* * * M 2\n* * * F 2\n";
    const SamplePloidy male = of_file(text, "male", grch38());
    EXPECT_EQ(male.map.at(1, 9'999), 1);
    EXPECT_EQ(male.map.at(1, 10'000), 2);
    EXPECT_EQ(male.map.at(1, 2'781'479), 1);
    EXPECT_EQ(male.map.at(1, 155'701'381), 2);
    EXPECT_EQ(male.map.at(2, 20'000), 1);  // nothing of --sex is added
    EXPECT_EQ(male.map.at(3, 0), 1);
    const SamplePloidy female = of_file(text, "female", grch38());
    EXPECT_EQ(female.map.at(1, 9'999), 2);
    EXPECT_EQ(female.map.at(2, 20'000), 0);
}

TEST_F(Ploidy, files_that_cannot_be_followed_are_refused_with_their_line) {
    using enum data::ErrorKind;
    EXPECT_NE(refusal("chr1\t0\t10\t3\n", "", usage).find("line 1: the ploidy 3 is not supported"),
              std::string::npos);
    EXPECT_NE(refusal("chrX 1 10 M 1\n", "", usage).find("--sex"), std::string::npos);
    EXPECT_NE(refusal("chr1\t0\t10\n", "", malformed_input).find("line 1: has 3 columns"), std::string::npos);
    EXPECT_NE(refusal("#\nchr1\tx\t10\t1\n", "", malformed_input).find("line 2: 'x' is not a number"),
              std::string::npos);
    EXPECT_NE(refusal("chr1\t20\t10\t1\n", "", malformed_input).find("ends before"), std::string::npos);
    EXPECT_NE(refusal("chrM\t0\t16570\t1\n", "", malformed_input).find("past the end"), std::string::npos);
    EXPECT_NE(refusal("chrQ\t0\t10\t1\n", "", reference_mismatch).find("chrQ"), std::string::npos);
    EXPECT_NE(refusal("chrX 1 10 U 1\n", "male", malformed_input).find("neither M nor F"), std::string::npos);
    EXPECT_NE(refusal("chrX 0 10 M 1\n", "male", malformed_input).find("1-based"), std::string::npos);
    EXPECT_NE(refusal("chrX 1 10 M 1\nchrX\t0\t10\t1\n", "male", malformed_input).find("line 2"),
              std::string::npos);
}

TEST(SexDepth, is_that_of_x_and_y_relative_to_the_autosomes) {
    const auto sex = [](uint64_t x_reads, uint64_t y_reads) {
        return SexDepth{{x_reads, 5'000'000}, {y_reads, 1'000'000}, {100'000, 10'000'000}}.sex();
    };
    // At the depth of the autosomes X would have 50,000 reads and Y 10,000.
    EXPECT_EQ(sex(25'000, 4'000), "male");
    EXPECT_EQ(sex(50'000, 500), "female");
    EXPECT_EQ(sex(50'000, 5'000), "");                                                        // XXY
    EXPECT_EQ(sex(25'000, 500), "");                                                          // X0
    EXPECT_EQ((SexDepth{{250, 5'000'000}, {50, 1'000'000}, {1'000, 10'000'000}}.sex()), "");  // too few reads
    EXPECT_EQ((SexDepth{{25'000, 5'000'000}, {4'000, 1'000'000}, {}}.sex()), "");
}

TEST(SexDepth, is_known_where_enough_reads_are_expected) {
    EXPECT_TRUE((SexDepth{{0, 50'000}, {0, 50'000}, {100'000, 10'000'000}}.is_known()));
    EXPECT_FALSE((SexDepth{{0, 49'000}, {0, 50'000}, {100'000, 10'000'000}}.is_known()));
    EXPECT_FALSE((SexDepth{{0, 50'000}, {0, 49'000}, {100'000, 10'000'000}}.is_known()));
}

TEST(UnmaskedPar, is_that_of_y_in_known_assemblies) {
    constexpr uint64_t k_y = 200'000'000;  // its offset
    const data::NonAcgtRun masked{k_y + 10'000, k_y + 2'781'479, 'N'};
    const data::NonAcgtRun also_masked{k_y + 56'887'902, k_y + 57'217'415, 'N'};
    const auto is_unmasked = [](uint64_t y_length, std::vector<data::NonAcgtRun> runs) {
        return has_unmasked_par(data::Reference(
            "ref.fa", {{"chrX", 156'040'895, 0, ""}, {"chrY", y_length, k_y, ""}}, {}, runs, nullptr));
    };
    EXPECT_TRUE(is_unmasked(57'227'415, {}));
    EXPECT_FALSE(is_unmasked(57'227'415, {masked, also_masked}));
    EXPECT_TRUE(is_unmasked(57'227'415, {also_masked}));
    EXPECT_FALSE(is_unmasked(57'000'000, {})) << "no known assembly";
    EXPECT_FALSE(has_unmasked_par(data::Reference("x.fa", {{"chrX", 156'040'895, 0, ""}}, {}, {}, nullptr)));
}

}  // namespace
}  // namespace gannet::pipeline
