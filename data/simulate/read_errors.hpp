// SPDX-License-Identifier: MIT
// Provides what sequencing makes of a template: base qualities, substitutions, lost and doubled bases, errors
// at error-prone places.
#pragma once

#include "data/sequence.hpp"
#include "data/simulate/library.hpp"
#include "data/simulate/random.hpp"

#include <array>
#include <vector>

namespace gannet::data::simulate {

/// The buffers of one read; reused. `bases` has read_length and k_spare_bp more.
struct Read {
    std::vector<Base> bases;
    std::vector<uint8_t> qualities;
};

inline constexpr uint32_t k_spare_bp = 24;  ///< template beyond the read's end, for reads that lose bases

struct ErrorCounts {
    uint64_t substitutions = 0;
    uint64_t indels = 0;
    uint64_t systematic = 0;
};

/// Qualities and errors of reads of one length from one library. Immutable; one for all threads.
class ReadErrors {
  public:
    ReadErrors(const Library& library, uint32_t read_length, uint64_t seed);

    /// Draws `read.qualities` and changes `read.bases`, the template in the direction of the read. `random`
    /// goes on from mate to mate of a pair, and so does `systematic`, which only the errors at error-prone
    /// places are drawn from.
    void apply(Random& random, Random& systematic, uint32_t mate, Read& read, ErrorCounts& counts) const;

    /// An error-prone place: what precedes a base, in the direction of the read, makes it misread.
    struct Site {
        double rate = 0;  ///< of errors in the middle of a read; 0: not error-prone
        Base wrong = 0;   ///< what is read instead
    };
    /// Of bases[at], by the k_context_bp bases before it. It depends on these bases and the seed only, so
    /// that all reads of one strand of a place share it.
    Site site(const std::vector<Base>& bases, size_t at) const;
    static constexpr size_t k_context_bp = 16;

  private:
    struct Context;
    void draw_indels(Random& random, Read& read, ErrorCounts& counts) const;
    void draw_qualities(Random& random, uint32_t mate, Read& read) const;
    void draw_systematic(Random& random, Read& read, ErrorCounts& counts) const;
    void draw_substitutions(Random& random, Read& read, ErrorCounts& counts) const;
    Site checked_site(uint32_t key, uint32_t hash, const Base* base) const;

    static constexpr uint32_t k_offset = 64;  ///< of the index into bins_: qualities before may be negative
    static constexpr uint32_t k_bands = 16;   ///< parts of a read that have an error rate of their own
    using Thresholds = std::array<std::array<uint64_t, 64>, 2>;  ///< by quality; [1] after GGC

    uint32_t length_;
    uint64_t seed_;
    Library library_;
    std::array<uint8_t, 256> bins_;
    std::array<int8_t, 256> jitter_;              ///< of a base's quality, by a random byte
    std::array<std::vector<int8_t>, 2> profile_;  ///< by mate and cycle
    std::array<Thresholds, k_bands> wrong_;
    std::array<uint64_t, 32> slip_;  ///< by length of the homopolymer
    Probability background_indel_, collapsed_, low_quality_;
    std::array<uint64_t, 3> prone_;  ///< of 2^32: elsewhere, after GGC, after an inverted repeat
    uint64_t max_prone_ = 0;
};

}  // namespace gannet::data::simulate
