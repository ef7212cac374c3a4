// SPDX-License-Identifier: MIT
// Provides simulated Illumina-like read pairs of a sample.
#pragma once

#include "data/simulate/fragment_faults.hpp"
#include "data/simulate/read_errors.hpp"
#include "data/simulate/sample.hpp"
#include "data/simulate/simulate.hpp"

#include <array>
#include <memory>
#include <vector>

namespace gannet::data::simulate {

struct ReadCounts {
    uint64_t duplicate_pairs = 0;
    uint64_t adapter_pairs = 0;
    uint64_t contaminant_pairs = 0;
    uint64_t hopped_pairs = 0;
    uint64_t foldback_pairs = 0;
    uint64_t chimera_pairs = 0;
    uint64_t slipped_pairs = 0;
    FragmentCounts fragments;
    ErrorCounts errors;
    void add(const ReadCounts& other);
};

/// The position of a fragment: haplotype bases [begin, begin + length); mate 1 is read from its left end
/// unless `reverse`.
struct Molecule {
    uint32_t haplotype = 0;
    uint64_t begin = 0;
    uint32_t length = 0;
    bool reverse = false;
    bool duplicate = false;
    bool hopped = false;    ///< of another library of the flow cell
    uint64_t original = 0;  ///< the pair that was sequenced first: all of a family have the same
};

/// Makes any pair by its ordinal, whatever was made before: each has its own random streams. Immutable;
/// one for all threads.
class ReadMaker {
  public:
    /// `haplotypes` must outlive it; those of a person are adjacent, persons in the order of
    /// Haplotype::person. With contamination or index hopping, the persons that these come from must be
    /// there. Throws Error(usage) when no fragment fits anywhere.
    ReadMaker(const std::vector<Haplotype>& haplotypes, const Options& options);
    ~ReadMaker();

    Molecule molecule(uint64_t pair) const;
    /// The fragment as it reaches the flow cell, in the direction of mate 1.
    void take_fragment(const Molecule& molecule, std::vector<Base>& fragment, ReadCounts& counts) const;
    /// Appends the FASTQ records of the pairs [begin, end) for mate 1 and mate 2.
    void append(uint64_t begin, uint64_t end, std::array<std::vector<uint8_t>, 2>& text,
                ReadCounts& counts) const;

  private:
    struct Tables;
    bool draw_place(Random& random, uint32_t person, uint64_t length, Molecule& molecule) const;
    void copy_bases(const Molecule& molecule, std::vector<Base>& bases) const;
    bool is_chimeric(const Molecule& molecule, Stream stream, Probability share) const;
    void append_name(uint64_t pair, const Molecule& molecule, std::vector<uint8_t>& text) const;
    void take_template(const std::vector<Base>& fragment, uint32_t mate, Read& read) const;
    static void append_record(const std::vector<uint8_t>& name, const Read& read, uint32_t length,
                              std::vector<uint8_t>& text);

    const std::vector<Haplotype>& haplotypes_;
    const Options& options_;
    std::vector<uint64_t> offsets_;  ///< of the haplotypes, concatenated, each as often as its weight
    std::vector<uint64_t> persons_;  ///< offset of the first haplotype of each person, and the end
    std::unique_ptr<const Tables> tables_;
};

}  // namespace gannet::data::simulate
