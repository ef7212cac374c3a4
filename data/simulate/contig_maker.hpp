// SPDX-License-Identifier: MIT
// Provides the sequence of a made-up contig: isochores, interspersed repeats by family and age, tandem
// repeats.
#pragma once

#include "data/simulate/genome.hpp"

#include <cstdint>
#include <vector>

namespace gannet::data::simulate {

/// A family of repeats: its subfamilies, and the divergence of their copies.
struct RepeatFamily {
    std::vector<std::vector<Base>> members;
    std::vector<double> age;
};

struct RepeatFamilies {
    std::vector<RepeatFamily> ancient, line, sine, ltr;
};

/// Those of a genome; all its contigs have copies of the same.
RepeatFamilies make_families(uint64_t seed);

/// Bases at a GC content between 0 and 1, without repeats, CpG as rare as in mammals.
class Random;
std::vector<Base> background(Random& random, uint64_t count, double gc);
std::vector<Base> reversed(const std::vector<Base>& source);

/// Where a satellite array begins, and its length, bp.
struct ArrayPlan {
    uint64_t begin = 0;
    uint64_t length = 0;
};

/// A contig of `length` bases. Without `arrays` one array of at most 200 repeats of its unit is put at 45 %
/// of a contig of 400 kb or more; with it these, ascending, and no other. `marked`, where it is not null,
/// receives the repeats and satellites in ascending order. Deterministic in seed and contig. Cost: about 10
/// ns per base.
std::vector<Base> make_contig(const RepeatFamilies& families, uint64_t seed, uint64_t contig, uint64_t length,
                              const std::vector<ArrayPlan>* arrays = nullptr,
                              std::vector<MarkedRun>* marked = nullptr);

}  // namespace gannet::data::simulate
