// SPDX-License-Identifier: MIT
// Provides a small sample with its haplotypes, and its reads as records, for the tests of the simulator.
#pragma once

#include "data/simulate/reads.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace gannet::data::simulate {

struct Sample {
    Genome genome = make_genome(400'000, 3);
    std::vector<Haplotype> haplotypes;
    Options options;
    Sample() {
        const Truth truth = make_variants(genome, 3);
        for (uint32_t i = 0; i < genome.sequences.size(); ++i)
            for (uint32_t side = 0; side < 2; ++side)
                haplotypes.push_back(make_haplotype(genome.sequences[i], truth[i], i, side));
    }
};
inline const Sample& sample() {
    static const Sample made;
    return made;
}

struct Record {
    std::string name, bases, qualities;
};

inline std::array<std::vector<Record>, 2> make_records(const ReadMaker& maker, uint64_t begin, uint64_t end,
                                                       ReadCounts& counts) {
    std::array<std::vector<uint8_t>, 2> text;
    maker.append(begin, end, text, counts);
    std::array<std::vector<Record>, 2> records;
    for (size_t mate = 0; mate < 2; ++mate) {
        std::istringstream in(std::string(text[mate].begin(), text[mate].end()));
        Record record;
        for (std::string plus; std::getline(in, record.name);) {
            std::getline(in, record.bases), std::getline(in, plus), std::getline(in, record.qualities);
            EXPECT_EQ(plus, "+");
            EXPECT_EQ(record.bases.size(), record.qualities.size());
            records[mate].push_back(record);
        }
    }
    return records;
}

}  // namespace gannet::data::simulate
