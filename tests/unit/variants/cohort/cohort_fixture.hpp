// SPDX-License-Identifier: MIT
// Provides samples as lines of gVCFs, for tests of joint calling.
#pragma once

#include "data/fasta/reader.hpp"
#include "data/vcf/cohort_text.hpp"
#include "data/vcf/gvcf_line.hpp"
#include "tests/support/temporary_folder.hpp"
#include "variants/cohort/sample_window.hpp"
#include "variants/cohort/site_caller.hpp"
#include "variants/cohort/sites.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gannet::variants::cohort {

/// Position 1 is the first base. The reference: ACGTTGCA repeated, a run of A, a repeat of CAG.
class Cohort : public testing::Test {
  protected:
    //                      1       9       17      25      33      41      49
    explicit Cohort(std::string sequence = "ACGTTGCAACGTTGCATTAAAAAACGTTGCAGCAGCAGCAGTCGTTGCAACGTTGCA")
        : sequence_(std::move(sequence)) {}

    const std::string sequence_;
    tests::TemporaryFolder folder_;
    std::shared_ptr<const data::Reference> reference_ =
        data::fasta::load(folder_.write("r.fa", ">c\n" + sequence_ + "\n"));
    std::vector<SampleWindow> samples_;
    UnificationParameters parameters_;

    /// "10 A G 50 0/1 50,0,60,90,100,200": POS REF ALT QUAL GT PL, then AD and FILTER where they are given. A
    /// block is "10 20 50": the first and last position and GQ.
    struct Line {
        int64_t begin = 0;
        std::string ref, alt;
        std::string quality, genotype, phred;
        std::string depths = ".";
        std::string filter = "PASS";
    };
    void variant(const Line& line) {
        add("c\t" + std::to_string(line.begin) + "\t.\t" + line.ref + "\t" + line.alt + "\t" + line.quality +
            "\t" + line.filter + "\tDP=30\tGT:GQ:DP:AD:PL\t" + line.genotype + ":40:30:" + line.depths + ":" +
            line.phred);
    }
    /// Diploid: PL 0, quality, 10 times that. Haploid: 0, quality.
    void block(int64_t begin, int64_t end, int quality, int ploidy = 2, int depth = 20) {
        const std::string q = std::to_string(quality);
        const std::string base = sequence_.substr(static_cast<size_t>(begin - 1), 1);
        add("c\t" + std::to_string(begin) + "\t.\t" + base + "\t<*>\t.\t.\tEND=" + std::to_string(end) +
            "\tGT:GQ:DP:MIN_DP:AD:PL\t" + (ploidy == 2 ? "0/0:" : "0:") + q + ":30:" + std::to_string(depth) +
            ":" + std::to_string(depth) + ",0:0," + q +
            (ploidy == 2 ? "," + std::to_string(10 * quality) : ""));
    }
    /// What follows belongs to a further sample.
    void sample() { samples_.emplace_back(); }
    void add(const std::string& line) {
        data::vcf::GvcfLineParser parser("x", *reference_);
        data::GvcfRecord record;
        parser.parse(line, record);
        samples_.back().add(record, *reference_);
    }

    /// The records of the cohort as text, by GT and what stands before INFO: "10 A G 0/1 0/0".
    std::vector<std::string> genotypes() {
        std::vector<std::string> lines;
        for (const data::CohortRecord& record : records()) {
            std::string line = std::to_string(record.position + 1);
            for (size_t i = 0; i < record.alleles.size(); ++i)
                line += (i < 2 ? " " : ",") + record.alleles[i];
            for (const data::CohortSample& sample : record.samples) {
                line += ' ';
                for (int copy = 0; copy < sample.ploidy; ++copy) {
                    const int allele = sample.genotype[static_cast<size_t>(copy)];
                    line += (copy > 0 ? "/" : "") + (allele < 0 ? std::string(".") : std::to_string(allele));
                }
            }
            lines.push_back(line);
        }
        return lines;
    }
    std::vector<data::CohortRecord> records(int64_t begin = 0, int64_t end = 1000) {
        std::vector<data::CohortRecord> found;
        SiteCaller caller;
        for (const Site& site : unify(samples_, begin, end, parameters_)) {
            data::CohortRecord record;
            if (caller.call(samples_, site, record)) found.push_back(record);
        }
        return found;
    }
};

}  // namespace gannet::variants::cohort
