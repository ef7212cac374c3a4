// SPDX-License-Identifier: MIT
// Provides the reads of copies that the reference lacks: fragments that share many alleles where the sample
// has more copies than the reference.
#pragma once

#include "variants/alleles/copy_number.hpp"
#include "variants/evidence/evidence.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sample/foreign_reads.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// Finds the haplotypes of extra copies. In a stretch of extra copies, SNV alleles are grouped that fragments
/// show to be on the same copy: a fragment has both or neither. A copy that has diverged from the reference
/// is a group dense in alleles, while each of the sample's own haplotypes has one in a kilobase or two. The
/// densest groups are taken for extra copies, as far as the number of copies allows: of three copies one, a
/// third of the reads. But a dense group may be one of two haplotypes that differ much, even where reads of a
/// third one are too: it is taken only if by the depth that is left without it, and its share of the
/// fragments, it is more probably foreign than one of two copies (foreign_group_odds), there, or where it
/// goes on at both ends of the extra copies. Takes time in proportion to the reads, and to the alleles times
/// the fragments that cover each.
class HiddenCopies {
  public:
    /// `alleles`: the SNV alleles that only a part of the reads has. `dispersion_size`: PlaceDepth::size of
    /// the sample. Sets extra_reads().
    void find(const ReadSet& set, const CopyNumber& copy_number, std::span<const AlleleFraction> alleles,
              int32_t usual_copies, int32_t dispersion_size, int32_t minimum_base_quality);
    /// Reads of fragments that are of an extra copy, ascending.
    std::span<const uint32_t> extra_reads() const { return extra_reads_; }

  private:
    /// Fragments at a site, and whether they have its allele.
    using FragmentAlleles = std::vector<std::pair<uint32_t, bool>>;
    struct Observation {
        uint32_t fragment = 0;
        uint32_t site = 0;
        bool has_allele = false;
    };
    /// Fragments that cover both of two sites, by what they have: neither, the second, the first, both.
    using PairCounts = std::array<uint16_t, 4>;
    struct Group {
        std::vector<uint32_t> sites;
        int64_t begin = 0, end = 0;
        int64_t alleles_per_mb = 0;
        int64_t share_permille = 0;  // of the reads
    };

    void number_fragments(const ReadSet& set);
    void observe(const ReadSet& set, const AlleleFraction& site, FragmentAlleles& out) const;
    void observe_sites(const ReadSet& set);
    void count_pairs();
    void link();
    void collect_groups();
    void vote(const Group& group);
    void refine(Group& group);
    void merge_groups();
    void measure(Group& group) const;
    bool agrees(const FragmentAlleles& site, bool is_member) const;
    GroupFragments fragments_of(const Group& group);
    template <class Iterator>
    int64_t odds_beside(const ReadSet& set, Iterator first, Iterator last, const CopyNumber& copy_number,
                        int32_t dispersion_size);
    bool is_own(const ReadSet& set, const Group& group, const CopyNumber& copy_number,
                int32_t dispersion_size);
    void choose(const ReadSet& set, const CopyNumber& copy_number, int32_t usual_copies,
                int32_t dispersion_size);
    uint32_t root_of(uint32_t site);

    int32_t minimum_base_quality_ = 0;
    std::vector<AlleleFraction> sites_;         // of extra copies
    std::vector<AlleleFraction> sites_beside_;  // where the number of copies is the usual one
    std::vector<uint32_t> fragment_of_;         // by read
    std::vector<uint32_t> order_;
    uint32_t fragments_ = 0;
    std::vector<Observation> observations_;  // by fragment, then site
    std::vector<FragmentAlleles> site_observations_;
    FragmentAlleles at_site_;
    std::vector<PairCounts> pairs_;
    std::vector<uint32_t> parent_;
    std::vector<Group> groups_;
    std::vector<int32_t> votes_;     // by fragment
    std::vector<uint32_t> seen_;     // fragments of a group
    std::vector<uint32_t> beside_;   // fragments beside it
    std::vector<uint8_t> is_extra_;  // by fragment
    std::vector<uint32_t> extra_reads_;
};

}  // namespace gannet::variants
