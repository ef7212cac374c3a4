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

/// What a stretch of a made-up genome is; where several hold, the last of these.
enum class Stratum : uint8_t { repeat, duplication, satellite };
struct MarkedRun {
    uint64_t begin = 0;
    uint64_t end = 0;
    Stratum stratum = Stratum::repeat;
};

/// How a sequence stands to the others.
enum class Role : uint8_t { primary, decoy, alternate };

struct Sequence {
    std::string name;
    std::vector<Base> bases;
    std::vector<BaseRun> unknown;  ///< runs of bases that are not ACGT, ascending, none touching
    Role role = Role::primary;
    uint32_t copies = 2;                 ///< that the sample has: 0 to 2
    double depth = 0;                    ///< x; 0: that of all
    std::vector<MarkedRun> marked = {};  ///< of make_human_genome; may overlap
    uint64_t known_bp() const;
};

struct Genome {
    std::vector<Sequence> sequences;
    std::string alternates;  ///< SAM records of the alternate sequences on the primary ones, as bwa's .alt
    uint64_t size() const;
    uint64_t known_bp() const;
};

/// Of `size_bp` bases, deterministic in the seed. Cost: about 10 ns per base.
Genome make_genome(uint64_t size_bp, uint64_t seed);
/// Like the human one, of a male, scaled to `size_bp`: chromosomes with centromeric arrays of 1 to 3 Mb,
/// gaps, segmental duplications, unplaced contigs, decoys, alternate contigs; chrM keeps its size. Cost as
/// above, divided by `threads`.
Genome make_human_genome(uint64_t size_bp, uint64_t seed, int threads);
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
