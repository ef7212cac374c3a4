// SPDX-License-Identifier: MIT
// Tests the made-up genome that is like the human one: its contigs and strata, a male's copies, the depth of
// chrM, equal files whatever the threads.
#include "data/error.hpp"
#include "data/simulate/genome.hpp"
#include "tests/unit/simulate/run_fixture.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gannet::data::simulate {
namespace {

const Genome& genome() {
    static const Genome made = make_human_genome(20'000'000, 5, 2);
    return made;
}

const Sequence& sequence(const std::string& name) {
    return *std::find_if(genome().sequences.begin(), genome().sequences.end(),
                         [&](const Sequence& one) { return one.name == name; });
}

TEST(HumanGenome, has_the_contigs_of_a_male_to_scale) {
    EXPECT_NEAR(static_cast<double>(genome().size()), 20e6, 2e6);
    EXPECT_NEAR(static_cast<double>(sequence("chr1").bases.size()), 248956422 * 20e6 / 3217e6, 1000);
    EXPECT_EQ(sequence("chrX").copies, 1U);
    EXPECT_EQ(sequence("chrY").copies, 1U);
    EXPECT_EQ(sequence("chrM").bases.size(), 16569U);
    std::map<Role, uint64_t> roles;
    std::set<std::string> names;
    for (const Sequence& one : genome().sequences) {
        ++roles[one.role];
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_EQ(one.role == Role::alternate, one.copies == 0) << one.name;
        EXPECT_EQ(one.role == Role::decoy, one.name.ends_with("_decoy")) << one.name;
        EXPECT_GE(one.bases.size(), 500U) << one.name;
    }
    EXPECT_GE(roles[Role::decoy], 10U);
    const auto lines = std::count(genome().alternates.begin(), genome().alternates.end(), '\n');
    EXPECT_EQ(static_cast<uint64_t>(lines), roles[Role::alternate]);
}

TEST(HumanGenome, marked_runs_lie_inside_and_have_their_shares) {
    std::map<Stratum, uint64_t> bases;
    for (const Sequence& one : genome().sequences)
        for (const MarkedRun& run : one.marked) {
            ASSERT_LT(run.begin, run.end) << one.name;
            ASSERT_LE(run.end, one.bases.size()) << one.name;
            bases[run.stratum] += run.end - run.begin;
        }
    const auto share = [&](Stratum stratum) {
        return static_cast<double>(bases[stratum]) / static_cast<double>(genome().size());
    };
    EXPECT_NEAR(share(Stratum::repeat), 0.48, 0.06);
    EXPECT_NEAR(share(Stratum::duplication), 0.055, 0.015);
    EXPECT_NEAR(share(Stratum::satellite), 0.017, 0.008);
}

TEST(HumanGenome, does_not_depend_on_threads) {
    const Genome again = make_human_genome(20'000'000, 5, 1);
    ASSERT_EQ(again.sequences.size(), genome().sequences.size());
    for (size_t i = 0; i < again.sequences.size(); ++i)
        EXPECT_EQ(again.sequences[i].bases, genome().sequences[i].bases) << again.sequences[i].name;
    EXPECT_EQ(again.alternates, genome().alternates);
}

TEST_F(SimulateRun, human_sample_has_reads_by_copies_and_depth) {
    Options human = options("human");
    human.human = true;
    human.size_mb = 12;
    human.coverage = 1;
    run(human);
    std::vector<std::string> names;
    std::map<std::string, double> length;
    std::istringstream fai(bytes_of(file("human/ref.fa.fai")));
    for (std::string name, line; std::getline(fai, name, '\t') && std::getline(fai, line);) {
        names.push_back(name);
        length[name] = std::stod(line);
    }
    std::map<std::string, double> depth;
    std::istringstream reads(inflated(file("human/reads_1.fq.gz")));
    for (std::string line; std::getline(reads, line);)
        if (line.starts_with("@sim.")) depth[names[std::stoul(line.substr(15)) - 1]] += 300;
    for (auto& [name, bases] : depth) bases /= length[name];
    EXPECT_NEAR(depth["chrM"], 2000, 100);
    EXPECT_NEAR(depth["chr2"], 1, 0.15);
    EXPECT_NEAR(depth["chrX"], 0.5, 0.1);
    for (const auto& [name, bases] : depth) {
        EXPECT_FALSE(name.ends_with("_alt") || name.starts_with("HLA")) << name << ' ' << bases;
    }
    std::istringstream truth(body(inflated(file("human/truth.vcf.gz"))));
    for (std::string line; std::getline(truth, line);) {
        const std::string name = line.substr(0, line.find('\t'));
        EXPECT_FALSE(name.ends_with("_alt") || name.starts_with("HLA")) << line;
        EXPECT_EQ(line.ends_with(":PS\t1:1"), name == "chrX" || name == "chrY" || name == "chrM") << line;
    }
    std::istringstream confident(bytes_of(file("human/confident.bed")));
    for (std::string line; std::getline(confident, line);)
        EXPECT_EQ(line.find("_decoy"), std::string::npos) << line;
}

TEST_F(SimulateRun, human_genome_needs_a_size) {
    Options human = options("human");
    human.human = true;
    EXPECT_THROW(run(human), Error);  // 0.3 Mb
    human.size_mb = 0;
    human.reference = "ref.fa";
    EXPECT_THROW(run(human), Error);
}

}  // namespace
}  // namespace gannet::data::simulate
