// SPDX-License-Identifier: MIT
// Tests the lines of gVCFs in both dialects, their header, and that htslib reads and indexes what is written.
#include "compress.hpp"
#include "data/fasta/reader.hpp"
#include "data/vcf/text.hpp"
#include "data/vcf/writer.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <fstream>
#include <iterator>

namespace gannet::data::vcf {
namespace {

class Gvcf : public testing::Test {
  protected:
    tests::TemporaryFolder folder_;
    std::shared_ptr<const Reference> reference_ =
        fasta::load(folder_.write("r.fa", ">one\n" + std::string(4000, 'A') + "\n>20\nACGTNRACGT\n"));

    static Variant variant(int64_t position = 9) {
        Variant v;
        v.position = position;
        v.alleles = {"A", "G"};
        v.quality_centi = 5317;
        v.genotype = {0, 1};
        v.genotype_quality = 53;
        v.depth = 31;
        v.allele_depth = {17, 13};
        v.likelihoods = {53, 0, 99};
        v.unobserved_likelihoods = {104, 132, 600};
        v.strand_counts = {8, 9, 6, 7};
        v.strand_bias_centi = 1250;
        v.mapping_quality = 60;
        return v;
    }

    static ReferenceBlock block(int64_t begin, int64_t end) {
        return {0, begin, end, 2, 60, 25, 23, {60, 900}};
    }

    std::string text_of(const auto& record, GvcfDialect dialect) const {
        std::string text;
        append_text(record, *reference_, text, dialect);
        return text;
    }

    HeaderFacts facts(GvcfDialect dialect) const {
        HeaderFacts facts;
        facts.sample = "me";
        facts.dialect = dialect;
        facts.bands = {20, 60};
        return facts;
    }

    static std::vector<std::string> lines_of(const std::string& text) {
        std::vector<std::string> lines;
        for (size_t at = 0; at < text.size();) {
            const size_t end = text.find('\n', at);
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return lines;
    }
};

TEST_F(Gvcf, variant_has_the_unobserved_allele_last) {
    EXPECT_EQ(text_of(variant(), GvcfDialect::vcf),
              "one\t10\t.\tA\tG,<*>\t53.17\tPASS\tAC=1,0;AF=0.5,0;AN=2;DP=31;FS=12.5;MQ=60;QD=1.77;SB=8,9,6,"
              "7;SOR=0\t"
              "GT:GQ:DP:AD:VAF:PL\t0/1:53:31:17,13,1:0.4194,0.0323:53,0,99,104,132,600");
    EXPECT_EQ(text_of(variant(), GvcfDialect::gatk),
              "one\t10\t.\tA\tG,<NON_REF>\t53.17\tPASS\tDP=31;RAW_MQandDP=111600,31\t"
              "GT:AD:DP:GQ:PL:SB\t0/1:17,13,1:31:53:53,0,99,104,132,600:8,9,6,7");
    EXPECT_EQ(text_of(variant(), GvcfDialect::none), to_text(variant(), *reference_));
}

TEST_F(Gvcf, phase_of_gatks_dialect_is_beside_the_genotype) {
    data::Variant phased = variant();
    phased.phase_set = 4;
    const auto is_phased_as = [&](std::array<int8_t, 2> genotype, const std::string& format,
                                  const std::string& gt, const std::string& phase) {
        phased.genotype = genotype;
        EXPECT_EQ(text_of(phased, GvcfDialect::gatk),
                  "one\t10\t.\tA\tG,<NON_REF>\t53.17\tPASS\tDP=31;RAW_MQandDP=111600,31\t" + format + "\t" +
                      gt + ":17,13,1:31:53:53,0,99,104,132,600:8,9,6,7" + phase);
    };
    is_phased_as({0, 1}, "GT:AD:DP:GQ:PL:SB:PGT:PID:PS", "0/1", ":0|1:5:5");
    is_phased_as({1, 0}, "GT:AD:DP:GQ:PL:SB:PGT:PID:PS", "0/1", ":1|0:5:5");
    is_phased_as({1, 1}, "GT:AD:DP:GQ:PL:SB", "1/1", "");
}

TEST_F(Gvcf, block_states_its_end_and_the_lowest_values) {
    EXPECT_EQ(text_of(block(99, 200), GvcfDialect::vcf),
              "one\t100\t.\tA\t<*>\t.\t.\tEND=200\tGT:GQ:DP:MIN_DP:AD:PL\t0/0:60:25:23:23,0:0,60,900");
    EXPECT_EQ(text_of(block(99, 200), GvcfDialect::gatk),
              "one\t100\t.\tA\t<NON_REF>\t.\t.\tEND=200\tGT:DP:GQ:MIN_DP:PL\t0/0:25:60:23:0,60,900");
}

TEST_F(Gvcf, haploid_block_has_one_copy_and_two_likelihoods) {
    ReferenceBlock haploid = block(99, 100);
    haploid.ploidy = 1;
    EXPECT_EQ(text_of(haploid, GvcfDialect::vcf),
              "one\t100\t.\tA\t<*>\t.\t.\tEND=100\tGT:GQ:DP:MIN_DP:AD:PL\t0:60:25:23:23,0:0,900");
}

TEST_F(Gvcf, block_without_evidence_has_no_genotype) {
    ReferenceBlock empty = {1, 4, 6, 2, 0, 0, 0, {0, 0}};
    EXPECT_EQ(text_of(empty, GvcfDialect::vcf),
              "20\t5\t.\tN\t<*>\t.\t.\tEND=6\tGT:GQ:DP:MIN_DP:AD:PL\t./.:0:0:0:0,0:0,0,0");
    EXPECT_EQ(text_of(empty, GvcfDialect::gatk),
              "20\t5\t.\tN\t<NON_REF>\t.\t.\tEND=6\tGT:DP:GQ:MIN_DP:PL\t0/0:0:0:0:0,0,0");
    empty.begin = 5;  // R: VCF has no such base
    EXPECT_EQ(text_of(empty, GvcfDialect::vcf).substr(0, 8), "20\t6\t.\tN");
}

TEST_F(Gvcf, header_states_bands_and_only_the_fields_of_the_dialect) {
    const std::string vcf = header_text(*reference_, facts(GvcfDialect::vcf));
    EXPECT_NE(vcf.find("##ALT=<ID=*,"), std::string::npos);
    EXPECT_NE(vcf.find("##GVCFBlock0-1=minGQ=0(inclusive),maxGQ=1(exclusive)\n"
                       "##GVCFBlock1-20=minGQ=1(inclusive),maxGQ=20(exclusive)\n"
                       "##GVCFBlock20-60=minGQ=20(inclusive),maxGQ=60(exclusive)\n"
                       "##GVCFBlock60-100=minGQ=60(inclusive),maxGQ=100(exclusive)\n"),
              std::string::npos);
    EXPECT_EQ(vcf.find("RAW_MQandDP"), std::string::npos);
    const std::string gatk = header_text(*reference_, facts(GvcfDialect::gatk));
    EXPECT_NE(gatk.find("##ALT=<ID=NON_REF,"), std::string::npos);
    EXPECT_NE(gatk.find("RAW_MQandDP"), std::string::npos);
    EXPECT_NE(gatk.find("##FORMAT=<ID=PGT,"), std::string::npos);
    EXPECT_NE(gatk.find("##FORMAT=<ID=PID,"), std::string::npos);
    EXPECT_EQ(vcf.find("PGT"), std::string::npos);
    EXPECT_EQ(gatk.find("ID=QD"), std::string::npos);
    HeaderFacts plain;
    plain.sample = "me";
    const std::string none = header_text(*reference_, plain);
    for (const char* tag : {"##ALT", "END", "MIN_DP", "RAW_MQandDP", "GVCFBlock"})
        EXPECT_EQ(none.find(tag), std::string::npos) << tag;
}

TEST_F(Gvcf, records_and_blocks_are_written_in_genome_order) {
    LinePacker packer(*reference_, Format::text, GvcfDialect::gatk);
    PackedLines lines;
    const std::vector<Variant> variants = {variant(9), variant(12)};
    std::vector<ReferenceBlock> blocks = {block(0, 9), block(10, 12), block(13, 50)};
    blocks.push_back({1, 0, 3, 2, 60, 25, 23, {60, 900}});
    packer.add(variants, blocks, lines);
    std::vector<std::string> starts;
    for (const std::string& line : lines_of({lines.bytes.begin(), lines.bytes.end()}))
        starts.push_back(line.substr(0, line.find('\t', 4)));
    EXPECT_EQ(starts,
              (std::vector<std::string>{"one\t1", "one\t10", "one\t11", "one\t13", "one\t14", "20\t1"}));
}

TEST_F(Gvcf, every_format_holds_the_same_records_and_is_indexed_by_the_end_of_blocks) {
    const std::vector<Variant> variants = {variant(2999)};
    const std::vector<ReferenceBlock> blocks = {block(0, 2999), block(3000, 4000)};
    std::vector<std::string> texts;
    for (const char* name : {"a.g.vcf", "a.g.vcf.gz", "a.g.bcf"}) {
        const std::string path = folder_.path(name);
        const Format format = format_of(path);
        LinePacker packer(*reference_, format, GvcfDialect::vcf);
        Writer writer(path, *reference_, facts(GvcfDialect::vcf));
        for (int part = 0; part < 2; ++part) {
            PackedLines lines;
            if (part == 0)
                packer.add({}, std::span(blocks).first(1), lines);
            else
                packer.add(variants, std::span(blocks).subspan(1), lines);
            writer.write(lines);
        }
        writer.close();
        htsFile* file = hts_open(path.c_str(), "r");
        bcf_hdr_t* header = bcf_hdr_read(file);
        bcf1_t* record = bcf_init();
        std::string text;
        kstring_t line = {0, 0, nullptr};
        while (bcf_read(file, header, record) == 0) {
            EXPECT_EQ(vcf_format(header, record, &line), 0);
        }
        text.assign(line.s, line.l);
        texts.push_back(text);
        EXPECT_EQ(record->rlen, 1000);  // of the last block
        std::free(line.s);
        bcf_destroy(record);
        bcf_hdr_destroy(header);
        hts_close(file);
    }
    EXPECT_EQ(lines_of(texts[0]).size(), 3u);
    EXPECT_EQ(texts[1], texts[0]);
    EXPECT_EQ(texts[2], texts[0]);
    // A position in the middle of the first block finds it.
    const std::string path = folder_.path("a.g.vcf.gz");
    htsFile* file = hts_open(path.c_str(), "r");
    tbx_t* index = tbx_index_load(path.c_str());
    ASSERT_NE(index, nullptr);
    hts_itr_t* found = tbx_itr_querys(index, "one:1500-1500");
    kstring_t line = {0, 0, nullptr};
    ASSERT_GE(tbx_itr_next(file, index, found, &line), 0);
    EXPECT_EQ(std::string(line.s).substr(0, 6), "one\t1\t");
    EXPECT_LT(tbx_itr_next(file, index, found, &line), 0);
    std::free(line.s);
    hts_itr_destroy(found);
    tbx_destroy(index);
    hts_close(file);
}

}  // namespace
}  // namespace gannet::data::vcf
