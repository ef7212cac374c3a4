// SPDX-License-Identifier: MIT
// Tests whole simulations of libraries: `clean` is what it always was, other persons' reads have their share
// and are not truth, hidden copies leave the truth alone, a set can be made again from its files.
#include "data/sha256.hpp"
#include "tests/unit/simulate/run_fixture.hpp"

#include <cmath>
#include <map>
#include <vector>

namespace gannet::data::simulate {
namespace {

std::string digest_of(const std::string& text) {
    return sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::vector<std::string> names_in(const std::string& fastq) {
    std::vector<std::string> names;
    std::istringstream in(fastq);
    for (std::string line, rest; std::getline(in, line);) {
        names.push_back(line);
        for (int i = 0; i < 3; ++i) std::getline(in, rest);
    }
    return names;
}

char haplotype_in(const std::string& name) { return name[name.rfind('.') + 1]; }

void expect_share(uint64_t seen, uint64_t count, double share, const std::string& what) {
    const double n = static_cast<double>(count);
    EXPECT_NEAR(static_cast<double>(seen), n * share, 4 * std::sqrt(n * share * (1 - share)) + 1) << what;
}

TEST_F(SimulateRun, clean_library_gives_the_bytes_of_before_libraries) {
    run(options("x"));
    EXPECT_EQ(digest_of(inflated(file("x/reads_1.fq.gz"))),
              "2310428182df5c0a14f67f8e4396332236977b21ffebba31a51afb7ef34e51df");
    EXPECT_EQ(digest_of(inflated(file("x/reads_2.fq.gz"))),
              "38ebbd7f5b9ac59d34d5f8ead8465e2220f86d4be7614f073ff3e4a0eb654757");
    EXPECT_EQ(digest_of(inflated(file("x/truth.vcf.gz"))),
              "49df5729cc53cf8075a017ad99ec0e27b486586a5bed88474cd0efa279398da4");
    EXPECT_EQ(digest_of(bytes_of(file("x/confident.bed"))),
              "fa1d3f643ef62e95e7993ab8c59fc7eee87c85ac84d9ac3c3cef3b77b59ca1c3");
    EXPECT_FALSE(std::filesystem::exists(file("x/hidden_copies.bed")));
    EXPECT_FALSE(std::filesystem::exists(file("x/contaminant.vcf.gz")));
}

TEST_F(SimulateRun, library_files_are_equal_whatever_the_threads) {
    Options one = options("one");
    one.library = load_library("old");
    one.library.hidden_copies_per_mb = 10;
    one.library.missing_paralogue_share = 0.5;
    Options three = one;
    three.output = file("three");
    three.threads = 3;
    run(one);
    run(three);
    uint64_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(file("one"))) {
        const std::string name = entry.path().filename();
        EXPECT_EQ(bytes_of(file("one/") + name), bytes_of(file("three/") + name)) << name;
        ++files;
    }
    EXPECT_EQ(files, 13U);
}

TEST_F(SimulateRun, set_is_made_again_from_its_library_json) {
    Options first = options("first");
    first.library = load_library("pcr");
    first.library.contamination_share = 0.1 / 3;
    run(first);
    Options again = options("again");
    again.library = load_library(file("first/library.json"));
    EXPECT_EQ(again.library, first.library);
    run(again);
    EXPECT_EQ(bytes_of(file("first/reads_1.fq.gz")), bytes_of(file("again/reads_1.fq.gz")));
    EXPECT_EQ(bytes_of(file("first/library.json")), bytes_of(file("again/library.json")));
}

TEST_F(SimulateRun, other_persons_have_their_share_of_pairs_and_no_truth) {
    Options plain = options("plain");
    plain.coverage = 20;
    run(plain);
    Options mixed = plain;
    mixed.output = file("mixed");
    mixed.library.contamination_share = 0.05;
    mixed.library.hopping_share = 0.02;
    const Summary summary = run(mixed);
    EXPECT_EQ(body(inflated(file("mixed/truth.vcf.gz"))), body(inflated(file("plain/truth.vcf.gz"))));
    EXPECT_EQ(bytes_of(file("mixed/confident.bed")), bytes_of(file("plain/confident.bed")));
    std::map<char, uint64_t> pairs;
    const std::vector<std::string> names = names_in(inflated(file("mixed/reads_1.fq.gz")));
    for (const std::string& name : names) ++pairs[haplotype_in(name)];
    EXPECT_EQ(pairs.size(), 6U);
    expect_share(pairs['3'] + pairs['4'], names.size(), 0.98 * 0.05, "contamination");
    expect_share(pairs['5'] + pairs['6'], names.size(), 0.02, "hopping");
    EXPECT_EQ(pairs['3'] + pairs['4'], summary.contaminant_pairs);
    EXPECT_EQ(pairs['5'] + pairs['6'], summary.hopped_pairs);
}

TEST_F(SimulateRun, contaminating_person_shares_half_of_the_variants) {
    Options mixed = options("mixed");
    mixed.size_mb = 1;
    mixed.coverage = 0;
    mixed.library.contamination_share = 0.05;
    run(mixed);
    const auto sites = [](const std::string& text) {
        std::map<std::string, std::string> found;
        std::istringstream in(body(text));
        for (std::string line; std::getline(in, line);) {
            const size_t end = line.find("\t.\tPASS");
            found[line.substr(0, end)] = line.substr(line.rfind('\t') + 1, 3);
        }
        return found;
    };
    const auto own = sites(inflated(file("mixed/truth.vcf.gz")));
    const auto other = sites(inflated(file("mixed/contaminant.vcf.gz")));
    std::array<uint64_t, 2> alleles{};  // of the sample's, and how many of these the other has too
    uint64_t strangers = 0;
    for (const auto& [site, genotype] : own)
        for (const size_t side : {0, 2}) {
            if (genotype[side] == '0') continue;
            ++alleles[0];
            const auto found = other.find(site);
            alleles[1] += found != other.end() && found->second[side] == genotype[side];
        }
    for (const auto& [site, genotype] : other) strangers += !own.contains(site);
    expect_share(alleles[1], alleles[0], 0.5, "shared");
    EXPECT_NEAR(static_cast<double>(strangers), 0.5 * static_cast<double>(own.size()),
                0.12 * static_cast<double>(own.size()));
}

TEST_F(SimulateRun, hidden_copies_leave_truth_and_depth_elsewhere_alone) {
    Options plain = options("plain");
    plain.size_mb = 0.6;
    plain.coverage = 20;
    const Summary without = run(plain);
    Options copied = plain;
    copied.output = file("copied");
    copied.library.hidden_copies_per_mb = 8;
    copied.library.hidden_copy_max_bp = 5000;
    const Summary with = run(copied);
    for (const char* name : {"ref.fa", "confident.bed"})
        EXPECT_EQ(bytes_of(file("copied/") + name), bytes_of(file("plain/") + name)) << name;
    EXPECT_EQ(body(inflated(file("copied/truth.vcf.gz"))), body(inflated(file("plain/truth.vcf.gz"))));
    EXPECT_GT(with.hidden_places, 2U);
    const std::string bed = bytes_of(file("copied/hidden_copies.bed"));
    EXPECT_EQ(static_cast<uint64_t>(std::count(bed.begin(), bed.end(), '\n')), with.hidden_places);
    // The copies have pairs of their own, which say so; the others are as many as without copies.
    uint64_t hidden = 0;
    for (const std::string& name : names_in(inflated(file("copied/reads_1.fq.gz"))))
        hidden += name.ends_with('H');
    const double expected = 20.0 / 2 * static_cast<double>(with.hidden_bp) / 300;
    EXPECT_NEAR(static_cast<double>(hidden), expected, 0.25 * expected);
    EXPECT_NEAR(static_cast<double>(with.pairs - without.pairs), expected, 2);
}

TEST_F(SimulateRun, missing_paralogues_are_unknown_in_the_reference_and_have_reads) {
    Options whole = options("whole");
    whole.size_mb = 2;
    run(whole);
    Options lacking = whole;
    lacking.output = file("lacking");
    lacking.size_mb = 0;
    lacking.reference = file("whole/ref.fa");
    lacking.variants = file("whole/truth.vcf.gz");
    lacking.library.missing_paralogue_share = 1;
    const Summary summary = run(lacking);
    ASSERT_GT(summary.missing_paralogues, 3U);
    EXPECT_GT(summary.skipped_variants, 10U) << "variants of what was taken out";
    ASSERT_TRUE(std::filesystem::exists(file("lacking/ref.fa"))) << "another reference than the given one";
    std::istringstream bed(bytes_of(file("lacking/missing_paralogues.bed")));
    std::string contig;
    std::string twin;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t inside = 0;
    while (bed >> contig >> begin >> end >> twin) {
        std::istringstream truth(body(inflated(file("lacking/truth.vcf.gz"))));
        for (std::string line; std::getline(truth, line);) {
            if (!line.starts_with(contig + "\t")) continue;
            const uint64_t position = std::stoull(line.substr(contig.size() + 1));
            EXPECT_FALSE(position > begin && position <= end) << line;
        }
        inside += end - begin;
    }
    EXPECT_EQ(inside, summary.missing_bp);
    const std::string reference = bytes_of(file("lacking/ref.fa"));
    EXPECT_EQ(static_cast<uint64_t>(std::count(reference.begin(), reference.end(), 'N')),
              summary.reference_bp - summary.known_bp);
    EXPECT_GT(summary.pairs * 300.0 / 5, static_cast<double>(summary.known_bp + summary.missing_bp) * 0.99);
}

}  // namespace
}  // namespace gannet::data::simulate
