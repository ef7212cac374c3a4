// SPDX-License-Identifier: MIT
// Tests region strings, interval sets and read-group lines.
#include "data/regions.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/read_group.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gannet::data {
namespace {

class Regions : public testing::Test {
  protected:
    tests::TemporaryFolder folder_;
    std::shared_ptr<const Reference> reference_ =
        fasta::load(folder_.write("r.fa", ">20\n" + std::string(5000, 'A') + "\n>HLA:01\nACGTACGT\n"));

    std::string refusal(const std::string& text, ErrorKind kind) const {
        try {
            parse_region(text, *reference_);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind);
            return error.what();
        }
        return "parsed";
    }
};

TEST_F(Regions, strings_are_one_based_and_closed) {
    EXPECT_EQ(parse_region("20", *reference_), (Region{0, 0, 5000}));
    EXPECT_EQ(parse_region("20:1,001-2,000", *reference_), (Region{0, 1000, 2000}));
    EXPECT_EQ(parse_region("20:4000", *reference_), (Region{0, 3999, 5000}));
    EXPECT_EQ(parse_region("20:4000-5000", *reference_), (Region{0, 3999, 5000}));
    EXPECT_EQ(parse_region("HLA:01", *reference_), (Region{1, 0, 8}));
    EXPECT_EQ(parse_region("HLA:01:2-3", *reference_), (Region{1, 1, 3}));
}

TEST_F(Regions, bad_strings_are_refused) {
    EXPECT_NE(refusal("chr20:1-5", ErrorKind::reference_mismatch).find("which has '20'"), std::string::npos);
    refusal("20:x-5", ErrorKind::usage);
    refusal("20:0-5", ErrorKind::usage);
    refusal("20:9-5", ErrorKind::usage);
    refusal("20:5-1x", ErrorKind::usage);
    EXPECT_EQ(
        refusal("20:5001", ErrorKind::usage),
        "region '20:5001': it begins past the end of 20, which has 5000 bp; write NAME:BEGIN-END, 1-based");
    EXPECT_EQ(refusal("20:4000-5001", ErrorKind::usage),
              "region '20:4000-5001': it ends past the end of 20, which has 5000 bp; write NAME:BEGIN-END, "
              "1-based");
    EXPECT_NE(refusal("20:99999999999999999999-5", ErrorKind::usage), "parsed");
}

TEST(RegionTexts, names_in_braces_are_whole_and_a_contig_named_like_a_part_is_ambiguous) {
    const tests::TemporaryFolder folder;
    const auto reference = fasta::load(folder.write(
        "r.fa", ">chr1\n" + std::string(5000, 'A') + "\n>chr1:100-200\nACGT\n>chr1:alt\nACGTA\n"));
    const auto refusal = [&reference](const char* text) -> std::string {
        try {
            parse_region(text, *reference);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            return error.what();
        }
        return "parsed";
    };
    EXPECT_EQ(refusal("chr1:100-200"),
              "region 'chr1:100-200' is a contig and also a part of chr1; write "
              "{chr1:100-200} or {chr1}:100-200");
    EXPECT_EQ(parse_region("{chr1:100-200}", *reference), (Region{1, 0, 4}));
    EXPECT_EQ(parse_region("{chr1}:100-200", *reference), (Region{0, 99, 200}));
    EXPECT_EQ(parse_region("{chr1:100-200}:2-3", *reference), (Region{1, 1, 3}));
    EXPECT_EQ(parse_region("chr1:100-200:2", *reference), (Region{1, 1, 4}));
    EXPECT_EQ(parse_region("chr1:100-201", *reference), (Region{0, 99, 201}));
    EXPECT_EQ(parse_region("chr1:alt", *reference), (Region{2, 0, 5}));  // no part of chr1
    for (const char* bad : {"{chr1", "{chr1}100", "{chr1}:x", "{chr1}:", "{chr1}:5001"})
        EXPECT_NE(refusal(bad), "parsed") << bad;
    EXPECT_THROW(parse_region("{}", *reference), Error);
}

TEST(RegionSet, sorts_merges_and_answers) {
    const RegionSet set({{1, 50, 60}, {0, 10, 20}, {0, 20, 30}, {0, 5, 12}, {0, 40, 40}, {1, 52, 55}});
    EXPECT_EQ(set.regions(), (std::vector<Region>{{0, 5, 30}, {1, 50, 60}}));
    EXPECT_EQ(set.total_bp(), 35u);
    EXPECT_FALSE(set.contains(0, 4));
    EXPECT_TRUE(set.contains(0, 5));
    EXPECT_TRUE(set.contains(0, 29));
    EXPECT_FALSE(set.contains(0, 30));
    EXPECT_FALSE(set.contains(2, 55));
    EXPECT_TRUE(set.overlaps(1, 0, 51));
    EXPECT_FALSE(set.overlaps(1, 0, 50));
    EXPECT_FALSE(set.overlaps(1, 55, 55));
}

TEST(ReadGroup, line_comes_back) {
    const std::string line = "@RG\tID:a\tSM:s x\tLB:l\tPL:ILLUMINA\tPU:f.1\tCN:here";
    EXPECT_EQ(ReadGroup::parse(line).to_sam(), line);
    EXPECT_EQ(ReadGroup::parse("@RG\\tID:a\\tSM:s").to_sam(), "@RG\tID:a\tSM:s\tPL:ILLUMINA");
    for (const char* bad :
         {"", "ID:a", "@RG", "@RG\tSM:s", "@RG\tID:", "@RG\tID:a\tID:b", "@RG\tID:a\t", "@RG\tID:a\tx"}) {
        EXPECT_THROW(ReadGroup::parse(bad), Error) << bad;
    }
}

}  // namespace
}  // namespace gannet::data
