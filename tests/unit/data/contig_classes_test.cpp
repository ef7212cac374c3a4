// SPDX-License-Identifier: MIT
// Tests the classes of contigs: by their names, and from bwa's list of ALT contigs.
#include "data/contig_classes.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gannet::data {
namespace {

TEST(ContigClassOfName, names_follow_bwakit_and_ucsc) {
    for (const char* name : {"chr1", "chrX", "chrM", "chrEBV", "chr1_KI270706v1_random", "chrUn_KI270302v1",
                             "chr17_gl000204_random", "chrUn_gl000220", "1", "MT", "GL000207.1", "x_hap",
                             "x_hap1b", "alternate"}) {
        EXPECT_EQ(contig_class_of_name(name), ContigClass::primary) << name;
    }
    for (const char* name : {"chr6_GL000250v2_alt", "chr1_KN538361v1_fix", "HLA-A*01:01:01:01",
                             "HLA-DRB1*15:03:01:02", "chr6_cox_hap2", "chr17_ctg5_hap1"}) {
        EXPECT_EQ(contig_class_of_name(name), ContigClass::alternate) << name;
    }
    for (const char* name : {"chrUn_KN707606v1_decoy", "chrUn_JTFH01001998v1_decoy", "hs37d5"}) {
        EXPECT_EQ(contig_class_of_name(name), ContigClass::decoy) << name;
    }
}

class ContigClassesTest : public testing::Test {
  protected:
    std::shared_ptr<const Reference> load(const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += ">" + name + "\nACGT\n";
        return fasta::load(folder_.write("r.fa", text));
    }
    std::string refusal(const Reference& reference, const std::string& list, ErrorKind kind) {
        uint64_t unknown = 0;
        try {
            ContigClasses::by_file(reference, folder_.write("r.alt", list), unknown);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind);
            return error.what();
        }
        return "read";
    }

    tests::TemporaryFolder folder_;
};

TEST_F(ContigClassesTest, names_decide_unless_none_is_primary) {
    const auto usual = load({"chr6", "chr6_cox_hap2", "HLA-A*01:01", "chrUn_x_decoy"});
    const ContigClasses classes = ContigClasses::by_name(*usual);
    EXPECT_EQ(classes.of(0), ContigClass::primary);
    EXPECT_TRUE(classes.is_alternate(1));
    EXPECT_EQ(classes.count(ContigClass::alternate), 2u);
    EXPECT_EQ(classes.of(3), ContigClass::decoy);
    EXPECT_TRUE(ContigClasses::by_name(*load({"chr6_cox_hap2", "chr6_dbb_hap3"})).all_primary());
    EXPECT_TRUE(ContigClasses::by_name(*load({"chr6", "chr7"})).all_primary());
}

TEST_F(ContigClassesTest, a_list_of_bwa_decides_instead_of_names) {
    const auto reference = load({"chr6", "mine", "chr6_cox_hap2", "hs37d5"});
    uint64_t unknown = 0;
    const ContigClasses classes = ContigClasses::by_file(
        *reference,
        folder_.write("r.alt", "@SQ\tSN:chr6\tLN:4\nmine\t0\tchr6\t1\t60\t4M\t*\t0\t0\t*\t*\r\nother\t4\n\n"),
        unknown);
    EXPECT_EQ(unknown, 1u);
    EXPECT_TRUE(classes.is_alternate(1));
    EXPECT_EQ(classes.of(2), ContigClass::primary);
    EXPECT_EQ(classes.of(3), ContigClass::decoy);
}

TEST_F(ContigClassesTest, a_list_of_another_reference_is_refused) {
    const auto reference = load({"a", "b"});
    EXPECT_NE(refusal(*reference, "c\t0\n", ErrorKind::reference_mismatch).find("names none"),
              std::string::npos);
    EXPECT_NE(refusal(*reference, "a\nb\n", ErrorKind::reference_mismatch).find("names all"),
              std::string::npos);
    EXPECT_NE(refusal(*reference, "a\n\x01\x02\n", ErrorKind::malformed_input).find("line 2"),
              std::string::npos);
}

}  // namespace
}  // namespace gannet::data
