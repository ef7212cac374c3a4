// SPDX-License-Identifier: MIT
// Provides simulated Illumina-like read pairs of a sample.
#pragma once

#include "data/simulate/sample.hpp"
#include "data/simulate/simulate.hpp"

#include <array>
#include <memory>
#include <vector>

namespace gannet::data::simulate {

class Random;

struct ReadCounts {
    uint64_t duplicate_pairs = 0;
    uint64_t substitution_errors = 0;
    uint64_t indel_errors = 0;
    uint64_t adapter_pairs = 0;
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
};

/// Makes any pair by its ordinal, whatever was made before: each has its own random streams. Immutable;
/// one for all threads.
class ReadMaker {
  public:
    /// `haplotypes` must outlive it. Throws Error(usage) when no fragment fits anywhere.
    ReadMaker(const std::vector<Haplotype>& haplotypes, const Options& options);
    ~ReadMaker();

    Molecule molecule(uint64_t pair) const;
    /// Appends the FASTQ records of the pairs [begin, end) for mate 1 and mate 2.
    void append(uint64_t begin, uint64_t end, std::array<std::vector<uint8_t>, 2>& text,
                ReadCounts& counts) const;

  private:
    struct Tables;
    struct Read;
    void append_name(uint64_t pair, const Molecule& molecule, std::vector<uint8_t>& text) const;
    void take_template(const Molecule& molecule, uint32_t mate, Read& read) const;
    void draw_indels(Random& random, Read& read, ReadCounts& counts) const;
    void draw_qualities(Random& random, uint32_t mate, Read& read) const;
    void draw_substitutions(Random& random, Read& read, ReadCounts& counts) const;

    static void append_record(const std::vector<uint8_t>& name, const Read& read, uint32_t length,
                              std::vector<uint8_t>& text);

    const std::vector<Haplotype>& haplotypes_;
    const Options& options_;
    std::vector<uint64_t> offsets_;  ///< of the haplotypes, concatenated
    std::unique_ptr<const Tables> tables_;
};

}  // namespace gannet::data::simulate
