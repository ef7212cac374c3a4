// SPDX-License-Identifier: MIT
// Provides the genome of a simulation: made up with realistic repeats, or taken from a reference.
#pragma once

#include "data/reference.hpp"
#include "data/sequence.hpp"

#include <string>
#include <vector>

namespace gannet::data::simulate {

/// Bases [begin, end).
struct BaseRun {
    uint64_t begin = 0;
    uint64_t end = 0;
};

struct Sequence {
    std::string name;
    std::vector<Base> bases;
    std::vector<BaseRun> unknown;  ///< runs of bases that are not ACGT, ascending, none touching
    uint64_t known_bp() const;
};

struct Genome {
    std::vector<Sequence> sequences;
    uint64_t size() const;
    uint64_t known_bp() const;
};

/// Of `size_bp` bases, deterministic in the seed. Cost: about 10 ns per base.
Genome make_genome(uint64_t size_bp, uint64_t seed);
Genome genome_of(const Reference& reference);

class Random;
/// A copy that has aged: substitutions at that rate, two in three of them transitions and CpG three times as
/// fast, and short indels.
std::vector<Base> aged(Random& random, const std::vector<Base>& source, double substitutions, double indels);

/// Runs of bases that are not ACGT.
std::vector<BaseRun> unknown_runs(const std::vector<Base>& bases);
/// No unknown base in [begin, end) of the sequence that `unknown` is of.
bool is_known(const std::vector<BaseRun>& unknown, uint64_t begin, uint64_t end);

}  // namespace gannet::data::simulate
