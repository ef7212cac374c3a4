// SPDX-License-Identifier: MIT
// Tests the formatter, writer and reader of VCF, and the reader of BED.
#include "compress.hpp"
#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/vcf/reader.hpp"
#include "data/vcf/writer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <fstream>
#include <iterator>

namespace gannet::data {
namespace {

class Vcf : public testing::Test {
  protected:
    tests::TemporaryFolder folder_;
    std::shared_ptr<const Reference> reference_ =
        fasta::load(folder_.write("r.fa", ">one\n" + std::string(4000, 'A') + "\n>20\nACGTNRACGT\n"));
    const vcf::HeaderFacts facts_ = {"me", "gannet test", {"##gannet_backend=simd"}, {}};

    static Variant variant() {
        Variant v;
        v.position = 9;
        v.alleles = {"A", "G"};
        v.quality_centi = 5317;
        v.genotype = {0, 1};
        v.genotype_quality = 53;
        v.depth = 30;
        v.allele_depth = {17, 13};
        v.likelihoods = {53, 0, 99};
        v.strand_counts = {8, 9, 6, 7};
        v.strand_bias_centi = 1250;
        v.mapping_quality = 60;
        return v;
    }

    std::vector<vcf::Site> read_all(const std::string& path, const std::string& sample = "") const {
        vcf::Reader reader(path, *reference_, sample);
        std::vector<vcf::Site> sites;
        vcf::Site site;
        while (reader.read(site)) sites.push_back(site);
        return sites;
    }

    std::string refusal(const std::string& text, ErrorKind kind = ErrorKind::malformed_input) const {
        const std::string path = folder_.write("x.vcf", text);
        try {
            read_all(path);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            return std::string(error.what()).substr(path.size() + 2);
        }
        return "read";
    }
};

const std::string k_head =
    "##fileformat=VCFv4.2\n##contig=<ID=one>\n##contig=<ID=20>\n##FILTER=<ID=q,Description=\"\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n#"
    "CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n";

TEST_F(Vcf, record_is_formatted_from_integers) {
    Variant v = variant();
    EXPECT_EQ(vcf::to_text(v, *reference_),
              "one\t10\t.\tA\tG\t53.17\tPASS\tAC=1;AF=0.5;AN=2;DP=30;FS=12.5;MQ=60;QD=1.77;SB=8,9,6,7;SOR=0\t"
              "GT:GQ:DP:AD:VAF:PL\t0/1:53:30:17,13:0.4333:53,0,99");
    v.quality_centi = 5010;
    v.filters = k_filter_low_quality | k_filter_allele_bias;
    v.alleles = {"AA", "A", "*"};
    v.genotype = {1, 2};
    v.allele_depth = {0, 15, 5};
    EXPECT_EQ(vcf::to_text(v, *reference_),
              "one\t10\t.\tAA\tA,*\t50.1\tLowQual;AlleleBias\t"
              "AC=1,1;AF=0.5,0.5;AN=2;DP=30;FS=12.5;MQ=60;QD=2.51;SB=8,9,6,7;SOR=0\t"
              "GT:GQ:DP:AD:VAF:PL\t1/2:53:30:0,15,5:0.75,0.25:53,0,99");
    v = Variant();
    v.alleles = {"N"};
    EXPECT_EQ(vcf::to_text(v, *reference_),
              "one\t1\t.\tN\t.\t0\tPASS\tAC=.;AF=.;AN=0;DP=0;FS=0;MQ=0;SB=0,0,0,0;SOR=0\t"
              "GT:GQ:DP:AD:VAF:PL\t./.:0:0:.:.:.");
}

TEST_F(Vcf, record_has_its_id_and_what_gatk_filters_by) {
    Variant v = variant();
    v.id = "rs1;rs2";
    v.allele_strands = {{8, 9}, {6, 7}};
    v.strand_odds_milli = 1022;
    v.rank_sums = {-1282, 0, 500};
    EXPECT_EQ(
        vcf::to_text(v, *reference_),
        "one\t10\trs1;rs2\tA\tG\t53.17\tPASS\tAC=1;AF=0.5;AN=2;AS_SB_TABLE=8,9|6,7;BaseQRankSum=-1.282;DP=30;"
        "FS=12.5;MQ=60;MQRankSum=0;QD=1.77;ReadPosRankSum=0.5;SB=8,9,6,7;SOR=1.022\t"
        "GT:GQ:DP:AD:VAF:PL\t0/1:53:30:17,13:0.4333:53,0,99");
    v.rank_sums = {-5, std::nullopt, std::nullopt};
    EXPECT_NE(vcf::to_text(v, *reference_).find(";BaseQRankSum=-0.005;DP=30;FS=12.5;MQ=60;QD="),
              std::string::npos);
}

TEST_F(Vcf, haploid_record_has_one_allele) {
    Variant v = variant();
    v.ploidy = 1;
    v.genotype = {1, -1};
    v.allele_depth = {0, 15};
    v.likelihoods = {480, 0};
    EXPECT_EQ(vcf::to_text(v, *reference_),
              "one\t10\t.\tA\tG\t53.17\tPASS\tAC=1;AF=1;AN=1;DP=30;FS=12.5;MQ=60;QD=3.54;SB=8,9,6,7;SOR=0\t"
              "GT:GQ:DP:AD:VAF:PL\t1:53:30:0,15:1:480,0");
    const std::string path = folder_.write("h.vcf", k_head + "one\t10\t.\tA\tG\t.\t.\t.\tGT\t1\t0/1\n");
    const auto haploid = read_all(path);
    ASSERT_EQ(haploid.size(), 1u);
    EXPECT_EQ(haploid[0].ploidy, 1);
    EXPECT_EQ(haploid[0].genotype, (std::array<int, 2>{1, 1}));
    const auto diploid = read_all(path, "b");
    EXPECT_EQ(diploid[0].ploidy, 2);
    EXPECT_EQ(diploid[0].genotype, (std::array<int, 2>{0, 1}));
}

TEST_F(Vcf, phased_record_has_bars_and_the_phase_set) {
    Variant v = variant();
    v.phase_set = 4;
    v.genotype = {1, 0};
    const std::string text = vcf::to_text(v, *reference_);
    EXPECT_TRUE(text.ends_with("GT:GQ:DP:AD:VAF:PL:PS\t1|0:53:30:17,13:0.4333:53,0,99:5")) << text;
    EXPECT_NE(text.find("AC=1;AF=0.5;AN=2;"), std::string::npos) << text;
    const std::string path = folder_.path("p.bcf");  // htslib reads it by the header's definitions
    {
        vcf::Writer writer(path, *reference_, facts_);
        writer.write({&v, 1});
        writer.close();
    }
    const auto sites = read_all(path);
    ASSERT_EQ(sites.size(), 1u);
    EXPECT_TRUE(sites[0].phased);
    EXPECT_EQ(sites[0].genotype, (std::array<int, 2>{1, 0}));
}

TEST_F(Vcf, info_of_a_homozygous_call_counts_the_allele_twice) {
    Variant v = variant();
    v.genotype = {1, 1};
    v.allele_depth = {0, 0};
    const std::string text = vcf::to_text(v, *reference_);
    EXPECT_NE(text.find("\tAC=2;AF=1;AN=2;"), std::string::npos) << text;
    EXPECT_EQ(text.find("QD="), std::string::npos) << text;  // a quotient of nothing
}

TEST_F(Vcf, header_describes_the_filters_that_are_given) {
    vcf::HeaderFacts facts = facts_;
    facts.filters = {{k_filter_low_quality, "QUAL below 10"}, {k_filter_high_depth, "Too deep"}};
    const std::string path = folder_.path("o.vcf");
    {
        vcf::Writer writer(path, *reference_, facts);
        writer.close();
    }
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("\n##FILTER=<ID=LowQual,Description=\"QUAL below 10\">\n"
                        "##FILTER=<ID=HighDepth,Description=\"Too deep\">\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("StrandBias"), std::string::npos);
}

TEST_F(Vcf, every_format_gives_the_same_sites_and_index) {
    std::vector<Variant> variants;
    for (int i = 0; i < 3000; ++i) {
        variants.push_back(variant());
        variants.back().position = i;
        variants.back().quality_centi = i;
    }
    variants.push_back(variant());
    variants.back().contig = 1;
    variants.back().position = 2;
    variants.back().alleles = {"G", "T"};
    for (const std::string name : {"o.vcf", "o.vcf.gz", "o.bcf"}) {
        vcf::Writer writer(folder_.path(name), *reference_, facts_);
        writer.write(std::span(variants).first(1500));
        EXPECT_FALSE(std::filesystem::exists(folder_.path(name)));
        writer.write(std::span(variants).subspan(1500));
        writer.close();
        const std::vector<vcf::Site> sites = read_all(folder_.path(name));
        ASSERT_EQ(sites.size(), variants.size()) << name;
        EXPECT_EQ(sites[1234].position, 1234);
        EXPECT_FLOAT_EQ(sites[1234].quality, 12.34F);
        EXPECT_EQ(sites[3000].contig, 1u);
        EXPECT_EQ(sites[3000].genotype, (std::array<int, 2>{0, 1}));
    }
    EXPECT_TRUE(std::filesystem::exists(folder_.path("o.bcf.csi")));
    tbx_t* index = tbx_index_load(folder_.path("o.vcf.gz").c_str());
    ASSERT_NE(index, nullptr);
    EXPECT_EQ(tbx_name2id(index, "20"), 1);
    tbx_destroy(index);
    EXPECT_EQ(folder_.files(), 6u);
}

TEST_F(Vcf, unclosed_writer_leaves_nothing) {
    {
        vcf::Writer writer(folder_.path("o.vcf.gz"), *reference_, facts_);
        const Variant one = variant();
        writer.write({&one, 1});
    }
    EXPECT_EQ(folder_.files(), 1u);
    EXPECT_THROW(vcf::Writer("/dev/full", *reference_, facts_).close(), Error);
}

TEST_F(Vcf, genotypes_of_the_sample_asked_for) {
    const std::string path = folder_.write(
        "g.vcf", k_head +
                     "one\t1\t.\ta\tg,<DEL>\t.\t.\t.\tGT\t0/1\t2|1\none\t2\t.\tA\tC\t9\tq\t.\tGT\t1\t.\n"
                     "20\t5\t.\tN\t*\t9\tPASS\t.\tGT\t./.\t.|1\n");
    const auto first = read_all(path);
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].alleles, (std::vector<std::string>{"A", "G", "<DEL>"}));
    EXPECT_EQ(first[0].genotype, (std::array<int, 2>{0, 1}));
    EXPECT_TRUE(first[0].pass);
    EXPECT_FALSE(first[1].pass);
    EXPECT_EQ(first[1].genotype, (std::array<int, 2>{1, 1}));
    EXPECT_EQ(first[2].genotype, (std::array<int, 2>{-1, -1}));
    const auto second = read_all(path, "b");
    EXPECT_EQ(second[0].genotype, (std::array<int, 2>{2, 1}));
    EXPECT_TRUE(second[0].phased);
    EXPECT_EQ(second[2].record, 3u);
    EXPECT_THROW(read_all(path, "c"), Error);
}

TEST_F(Vcf, bad_files_are_refused) {
    EXPECT_EQ(refusal(k_head), "read");
    EXPECT_NE(refusal(""), "read");
    EXPECT_NE(refusal("##fileformat=VCFv4.2\none\t1\t.\tA\tG\t.\t.\t.\n"), "read");
    EXPECT_NE(refusal("one\t1\t.\tA\tG\t.\t.\t.\n"), "read");
    EXPECT_TRUE(refusal(k_head + "one\t4001\t.\tA\tG\t.\t.\t.\tGT\t0/1\t0/1\n")
                    .starts_with("record 1: at one:4001 reaches past"));
    EXPECT_TRUE(refusal(k_head + "one\t1\t.\tA\tR\t.\t.\t.\tGT\t0/1\t0/1\n")
                    .starts_with("record 1: its allele 'R' holds 'R'"));
    EXPECT_TRUE(refusal(k_head + "one\t1\t.\tA\tG\t.\t.\t.\tGT\t0/2\t0/1\n")
                    .starts_with("record 1: its genotype names allele 2 of 2"));
    EXPECT_TRUE(refusal(k_head + "one\t1\t.\tC\tG\t.\t.\t.\tGT\t0/1\t0/1\n", ErrorKind::reference_mismatch)
                    .starts_with("record 1: REF of one:1 is not the reference's: 'C' against 'A'"));
    EXPECT_NE(refusal(k_head + "one\tx\t.\tA\tG\t.\t.\t.\tGT\t0/1\t0/1\n"), "read");
    EXPECT_NE(refusal(k_head + "one\t1\t.\tA\tG\t.\t.\t.\tGT\t0/1\n"), "read");
    EXPECT_TRUE(
        refusal(k_head + "one\t1\t.\tA\tG\t.\t.\tDP=1").starts_with("record 1: ends before the columns"));
    EXPECT_TRUE(refusal(k_head + "one\t1\t.\tA\tG\t.\t.\n").starts_with("record 1: "));
    const std::string message =
        refusal(k_head + "chr20\t1\t.\tA\tG\t.\t.\t.\tGT\t0/1\t0/1\n", ErrorKind::reference_mismatch);
    EXPECT_NE(message.find("which has '20'"), std::string::npos) << message;
}

TEST_F(Vcf, interval_lists_are_read_as_bed_and_refused) {
    const std::string header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:one\tLN:100\n";
    const auto load = [&](const std::string& content) {
        return bed::load_rows(folder_.write("t.interval_list", content), *reference_);
    };
    const auto rows = load(header + "one\t11\t20\t+\ta name\none\t1\t1\t-\tb\n");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].region, (Region{0, 10, 20}));
    EXPECT_EQ(rows[0].name, "a name");
    EXPECT_EQ(rows[1].region, (Region{0, 0, 1}));
    for (const std::string line : {"one\t11\t20\n", "one\t0\t20\t+\tx\n", "one\t20\t11\t+\tx\n",
                                   "r1\t0\tone\t1\t60\t10M\t*\t0\t0\tACGT\tIIII\n"}) {
        try {
            load(header + line);
            ADD_FAILURE() << line;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("interval_list"), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW(load("r1\t0\tone\t1\t60\t10M\t*\t0\t0\tACGT\tIIII\n"), Error);
}

TEST_F(Vcf, bed_with_a_byte_order_mark_is_read) {
    const RegionSet set = bed::load(folder_.write("t.bed", "\xef\xbb\xbfone\t1\t2\n"), *reference_);
    ASSERT_EQ(set.regions().size(), 1u);
    EXPECT_EQ(set.regions()[0], (Region{0, 1, 2}));
}

TEST_F(Vcf, bed_is_read_and_refused) {
    const std::string text =
        "#c\ntrack name=x\nbrowser y\none\t10\t20\tname\t0\r\none 15 30\n\none\t50\t50\n20\t0\t10";
    for (const std::string& content : {text, tests::gzip(text), tests::bgzf(text)}) {
        const RegionSet set = bed::load(folder_.write("t.bed", content), *reference_);
        EXPECT_EQ(set.regions(), (std::vector<Region>{{0, 10, 30}, {1, 0, 10}}));
    }
    // A contig whose name begins with such a word is none of the browser's lines.
    EXPECT_THROW(bed::load(folder_.write("t.bed", "one\t1\t2\ntrack1\t1\t2\n"), *reference_), Error);
    const auto refusal_of = [this](const std::string& line, ErrorKind kind) {
        const std::string path = folder_.write("b.bed", "one\t1\t2\n" + line);
        try {
            bed::load(path, *reference_);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind);
            return std::string(error.what()).substr(path.size() + 2);
        }
        return std::string("read");
    };
    EXPECT_TRUE(refusal_of("one\t1\n", ErrorKind::malformed_input)
                    .starts_with("line 2: has fewer than three columns"));
    EXPECT_TRUE(refusal_of("one\t-1\t5\n", ErrorKind::malformed_input).starts_with("line 2: its begin '-1'"));
    EXPECT_TRUE(refusal_of("one\t1\t5x\n", ErrorKind::malformed_input).starts_with("line 2: its end '5x'"));
    EXPECT_TRUE(
        refusal_of("one\t9\t5\n", ErrorKind::malformed_input).starts_with("line 2: ends before it begins"));
    EXPECT_TRUE(refusal_of("20\t1\t11\n", ErrorKind::malformed_input)
                    .starts_with("line 2: ends at 11, past the end"));
    EXPECT_NE(refusal_of("chr20\t1\t2\n", ErrorKind::reference_mismatch).find("which has '20'"),
              std::string::npos);
}

}  // namespace
}  // namespace gannet::data
