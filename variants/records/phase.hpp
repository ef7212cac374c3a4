// SPDX-License-Identifier: MIT
// Provides the phase of heterozygous sites: which of their alleles are on one haplotype, from the fragments
// that cover several.
#pragma once

#include "variants/genotype/genotype.hpp"
#include "variants/model/records.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// A fragment links two sites no further apart than this. It is less than the padding of windows, so that a
/// window sees all of such a fragment.
inline constexpr int64_t k_phase_reach_bp = records_number("phase_reach_bp");
/// A site joins a block if one order of its alleles is more probable than the other by this (Phred), ...
inline constexpr int32_t k_min_phase_phred = records_number("phase_min_phred");
/// ... where no fragment counts for more than this: one fragment may be two molecules that were joined, ...
inline constexpr int32_t k_max_fragment_phred = records_number("phase_max_fragment_phred");
/// ... and the fragments for the other order have at most one part in so many of the evidence for the first.
inline constexpr int32_t k_min_phase_ratio = records_number("phase_min_ratio");

/// Finds blocks of sites from left to right. A fragment that shows an allele of a site and alleles of earlier
/// sites of a block is evidence for one of the two orders, by the less certain of the two observations (its
/// log-odds that the other is wrong). A site that is linked to two blocks makes them one. Where the evidence
/// is too weak or contradicts itself, the site begins a block, to which later sites may be joined as to any
/// other. Integer arithmetic; the result depends on the sites and fragments alone, and that of a site only on
/// those it is connected to by gaps of at most k_phase_reach_bp between sites. Cost: sorting of what the
/// fragments show. Scratch is kept.
class Phaser {
  public:
    struct Site {
        int64_t position = 0;
        std::array<uint8_t, 2> alleles{};  ///< of the genotype
        std::span<const FragmentAllele> seen;
    };
    struct Phase {
        int64_t set = -1;         ///< position of the first site of the block, -1: unphased
        bool is_swapped = false;  ///< the first haplotype has the second of Site::alleles
    };
    /// `sites` by position. A block of one site is a set of its own. A site is unphased only where its block
    /// would begin at the position at which another one begins.
    void run(std::span<const Site> sites, std::vector<Phase>& out);

  private:
    struct Observation {
        uint64_t fragment = 0;
        uint32_t site = 0;
        int32_t phred = 0;  // above 0: the first allele
    };
    /// Evidence between a site and the block with this first site.
    struct Link {
        uint32_t root = 0;
        int64_t same = 0, swapped = 0;

        int64_t winner() const { return same > swapped ? same : swapped; }
        int64_t loser() const { return same > swapped ? swapped : same; }
        bool is_strong() const {
            return winner() - loser() >= k_min_phase_phred && loser() * k_min_phase_ratio <= winner();
        }
    };
    struct Membership {
        uint32_t root = 0;
        bool is_swapped = false;
    };

    void gather(std::span<const Site> sites);
    void add_votes(std::span<const Site> sites, size_t observation);
    void join(uint32_t site);
    void name_blocks(std::span<const Site> sites, std::vector<Phase>& out);
    Membership find(uint32_t site);

    std::vector<Observation> observations_;  // by fragment, then site
    std::vector<uint32_t> by_site_;          // indices of observations_
    std::vector<Membership> parents_;        // of each site: a site of its block that comes earlier
    std::vector<Link> links_;                // of the current site
    std::vector<std::pair<uint32_t, int64_t>> haplotypes_;  // of a fragment: block, and Phred for its first
    std::vector<uint32_t> first_of_position_, leaders_, sizes_;
    std::vector<bool> taken_;
};

}  // namespace gannet::variants
