// SPDX-License-Identifier: MIT
// Tests whole simulations: files equal whatever the threads, a given genome and given variants, options
// refused.
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/unit/simulate/run_fixture.hpp"

#include <limits>
#include <map>

namespace gannet::data::simulate {
namespace {

TEST_F(SimulateRun, haploid_contig_has_one_copy_at_half_the_depth) {
    Options diploid = options("diploid");
    diploid.coverage = 8;
    Options haploid = diploid;
    haploid.output = file("haploid");
    haploid.haploid = {"sim2"};
    const Summary of_diploid = run(diploid);
    const Summary of_haploid = run(haploid);
    EXPECT_EQ(of_diploid.haploid, 0u);
    EXPECT_GT(of_haploid.haploid, 50u);
    EXPECT_EQ(bytes_of(file("haploid/ref.fa")), bytes_of(file("diploid/ref.fa")));
    std::istringstream truth(body(inflated(file("haploid/truth.vcf.gz"))));
    uint64_t haploid_lines = 0;
    for (std::string line; std::getline(truth, line);) {
        const bool is_haploid = line.starts_with("sim2\t");
        EXPECT_EQ(line.ends_with("\tGT:PS\t1:1"), is_haploid) << line;
        haploid_lines += is_haploid;
    }
    EXPECT_EQ(haploid_lines, of_haploid.haploid);
    std::map<char, uint64_t> pairs;  // by contig
    std::istringstream reads(inflated(file("haploid/reads_1.fq.gz")));
    for (std::string line; std::getline(reads, line);) {
        if (!line.starts_with("@sim.")) continue;
        ++pairs[line[16]];  // "@sim.000000001.02."
        if (line[16] != '2') continue;
        EXPECT_EQ(line[line.size() - 3], '1') << line;  // of haplotype 1
    }
    const auto reference = fasta::load(file("haploid/ref.fa"));
    const auto depth = [&](char contig) {
        return static_cast<double>(pairs[contig]) * 2 * haploid.read_length /
               static_cast<double>(reference->contigs()[static_cast<size_t>(contig - '1')].length);
    };
    EXPECT_NEAR(depth('2') / depth('1'), 0.5, 0.05);
    EXPECT_NEAR(depth('1'), 8, 0.7);
    haploid.haploid = {"chrX"};
    EXPECT_THROW(run(haploid), Error);
}

TEST_F(SimulateRun, files_are_equal_whatever_the_threads) {
    Options one = options("one");
    Options three = options("three");
    three.threads = 3;
    const Summary first = run(one);
    run(three);
    for (const char* name : {"ref.fa", "ref.fa.fai", "truth.vcf.gz", "truth.vcf.gz.tbi", "confident.bed",
                             "reads_1.fq.gz", "reads_2.fq.gz", "library.json", "simulate.json"})
        EXPECT_EQ(bytes_of(file("one/") + name), bytes_of(file("three/") + name)) << name;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file("one")), {}), 9)
        << "a partial file is left";
    Options other = options("other");
    other.seed = 12;
    run(other);
    EXPECT_NE(bytes_of(file("one/reads_1.fq.gz")), bytes_of(file("other/reads_1.fq.gz")));
    EXPECT_GT(first.snvs, 100U);
    EXPECT_EQ(first.snvs + first.indels, first.heterozygous + first.homozygous);
}

TEST_F(SimulateRun, coverage_is_close_to_what_was_asked) {
    const Summary summary = run(options("x"));
    const std::string text = inflated(file("x/reads_1.fq.gz"));
    const auto lines = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(lines, 4 * summary.pairs);
    EXPECT_NEAR(static_cast<double>(summary.pairs) * 300 / static_cast<double>(summary.known_bp), 5, 0.01);
}

TEST_F(SimulateRun, no_coverage_gives_valid_empty_reads) {
    Options none = options("none");
    none.coverage = 0;
    EXPECT_EQ(run(none).pairs, 0U);
    EXPECT_EQ(bytes_of(file("none/reads_1.fq.gz")).size(), 28U);
}

TEST_F(SimulateRun, given_genome_and_variants_give_the_same_truth) {
    const Summary made = run(options("made"));
    Options given = options("given");
    given.size_mb = 0;
    given.reference = file("made/ref.fa");
    given.variants = file("made/truth.vcf.gz");
    const Summary again = run(given);
    EXPECT_EQ(body(inflated(file("given/truth.vcf.gz"))), body(inflated(file("made/truth.vcf.gz"))));
    EXPECT_EQ(bytes_of(file("given/reads_1.fq.gz")), bytes_of(file("made/reads_1.fq.gz")));
    EXPECT_EQ(again.snvs, made.snvs);
    EXPECT_EQ(again.skipped_variants, 0U);
    EXPECT_FALSE(std::filesystem::exists(file("given/ref.fa")));
}

TEST_F(SimulateRun, variants_of_another_reference_are_refused) {
    run(options("made"));
    Options given = options("given");
    given.seed = 99;
    given.variants = file("made/truth.vcf.gz");
    try {
        run(given);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::reference_mismatch) << error.what();
    }
    EXPECT_FALSE(std::filesystem::exists(file("given/simulate.json")));
}

TEST_F(SimulateRun, unphased_overlapping_and_missing_genotypes_are_settled) {
    run(options("made"));
    const auto reference = fasta::load(file("made/ref.fa"));
    std::string text =
        "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"GT\">\n##contig=<ID=sim1,"
        "length=" +
        std::to_string(reference->contigs()[0].length) +
        ">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n";
    const auto add = [&](uint64_t position, uint64_t length, const std::string& alt,
                         const std::string& genotype) {
        text += "sim1\t" + std::to_string(position + 1) + "\t.\t" +
                reference->letters(0, position, position + length) + "\t" + alt + "\t.\tPASS\t.\tGT\t" +
                genotype + "\n";
    };
    const std::string letter = reference->letters(0, 20000, 20001);
    add(20000, 4, letter, "0/1");
    add(20002, 1, "<DEL>", "0/1");
    add(20003, 1, letter == "A" ? "ACC" : "CACC", "1/1");
    add(20100, 1, "<DEL>", "0/1");
    add(20200, 1, reference->letters(0, 20200, 20201) + "T", "./.");
    std::ofstream(file("some.vcf")) << text;
    Options given = options("given");
    given.size_mb = 0;
    given.reference = file("made/ref.fa");
    given.variants = file("some.vcf");
    const Summary summary = run(given);
    EXPECT_EQ(summary.indels, 1U);
    EXPECT_EQ(summary.skipped_variants, 4U);
    EXPECT_EQ(summary.heterozygous, 1U);
}

TEST_F(SimulateRun, options_out_of_range_are_refused) {
    const auto refused = [&](auto change) {
        Options bad = options("bad");
        change(bad);
        try {
            run(bad);
            return false;
        } catch (const Error& error) {
            return error.kind() == ErrorKind::usage;
        }
    };
    EXPECT_TRUE(refused([](Options& o) { o.output.clear(); }));
    EXPECT_TRUE(refused([](Options& o) { o.size_mb = 0; }));
    EXPECT_TRUE(refused([](Options& o) { o.size_mb = -1; }));
    EXPECT_TRUE(refused([](Options& o) { o.reference = "also.fa"; }));
    EXPECT_TRUE(refused([](Options& o) { o.coverage = -1; }));
    EXPECT_TRUE(refused([](Options& o) { o.coverage = std::numeric_limits<double>::quiet_NaN(); }));
    EXPECT_TRUE(refused([](Options& o) { o.read_length = 10; }));
    EXPECT_TRUE(refused([](Options& o) { o.fragment_mean = 10; }));
    EXPECT_TRUE(refused([](Options& o) { o.fragment_sd = 1000; }));
    EXPECT_TRUE(refused([](Options& o) { o.library.duplicate_share = 1; }));
    EXPECT_TRUE(refused([](Options& o) { o.threads = 0; }));
    EXPECT_FALSE(std::filesystem::exists(file("bad")));
}

}  // namespace
}  // namespace gannet::data::simulate
