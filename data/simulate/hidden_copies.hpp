// SPDX-License-Identifier: MIT
// Provides copies of sequence that the sample has and the reference lacks, and paralogues that are taken out
// of the reference.
#pragma once

#include "data/simulate/library.hpp"
#include "data/simulate/sample.hpp"

#include <array>
#include <string>
#include <vector>

namespace gannet::data::simulate {

/// A place of the reference of which the sample has more copies.
struct HiddenPlace {
    struct Copy {
        uint64_t position = 0;  ///< it stands before this base of the reference
        bool backwards = false;
        double divergence = 0;
        std::vector<Base> bases;  ///< the same on both haplotypes
    };
    uint32_t contig = 0;
    uint64_t begin = 0;  ///< the original
    uint64_t end = 0;
    std::array<bool, 2> sides = {true, false};  ///< haplotypes that have the copies
    std::vector<Copy> copies;
};

/// By contig and begin, not overlapping; deterministic in the seed. `copies_of_contig`: 1 where the sample is
/// haploid. Memory: the bases of the copies.
std::vector<HiddenPlace> make_hidden_copies(const Genome& genome, const Truth& truth,
                                            const std::vector<uint32_t>& copies_of_contig,
                                            const Library& library, uint64_t seed);
/// What a haplotype of a contig gets of them, ascending.
std::vector<Insertion> insertions_of(const std::vector<HiddenPlace>& places, uint32_t contig, uint32_t side);
/// Lines of BED: the original; number of copies; haplotypes; divergence and place of each copy.
std::string bed_of(const std::vector<HiddenPlace>& places, const Genome& genome);

/// Sequence that has a near copy elsewhere in the genome.
struct Paralogue {
    uint32_t contig = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t other_contig = 0;
    uint64_t other_begin = 0;
};

/// Stretches of 1 to 100 kb that resemble another one at 97 % or so, either orientation: the later one of
/// each pair, ascending, not overlapping. By shared 32-mers, one in 32 of which is looked at. Cost: 60 ns and
/// 0.7 bytes of memory per base of the genome.
std::vector<Paralogue> find_paralogues(const Genome& genome);
/// Makes a random `share` of the paralogues unknown sequence in `genome`, and returns these.
std::vector<Paralogue> take_out_paralogues(Genome& genome, double share, uint64_t seed);

}  // namespace gannet::data::simulate
