// SPDX-License-Identifier: MIT
// Provides the filter of linked SNVs whose reads together are more probably of a copy that the reference
// lacks.
#pragma once

#include "variants/records/called_record.hpp"
#include "variants/records/phase.hpp"
#include "variants/records/record.hpp"
#include "variants/sample/foreign_reads.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// Reads of a copy that the reference lacks have several alternate bases each, so what is too little at one
/// site (foreign_reads_odds) may be enough for all that the same fragments have. A group is of heterozygous
/// SNVs that pass all filters, are phased with each other, have their alternate bases on the same haplotype,
/// and follow one another within the length of a read. Every fragment counts once, for the base that its
/// observations together make more probable. Heterozygous indels whose alternate allele is on the same
/// haplotype within the length of a read of a group's SNVs came with the same reads: what the group is, they
/// are. They do not weigh for it themselves, since aligners lose reads with indels. SNVs that have AlleleBias
/// already are not phased: an indel is with those that the same fragments have, be it a single one, if they
/// are more than the SNVs on its haplotype that pass, and more probably foreign together with it.
class ForeignGroups {
  public:
    /// Sets AlleleBias in the records of groups of two SNVs or more that are more probably foreign, and of
    /// their indels. `phased`: the records that `phases` is of, both in the order of positions. Returns
    /// whether any was set. Cost: the fragments of the groups are sorted.
    bool filter(const CallModel& model, std::span<CalledRecord> records, std::span<const size_t> phased,
                std::span<const Phaser::Phase> phases);

  private:
    struct Member {
        size_t record = 0;
        uint8_t reference = 0, alternate = 0;  ///< as CalledRecord::seen names them
        int64_t set = -1;
        bool is_second = false;  ///< haplotype of the alternate allele
    };

    void gather(std::span<const CalledRecord> records, std::span<const size_t> phased,
                std::span<const Phaser::Phase> phases);
    int64_t foreign_odds(const CallModel& model, std::span<const CalledRecord> records,
                         std::span<const Member> group);
    bool filter_beside_filtered(const CallModel& model, std::span<CalledRecord> records);
    bool is_of_same_fragments(std::span<const CalledRecord> records, const Member& indel, const Member& snv);
    void set_filter(int64_t read_bp, std::span<const Member> group, std::span<CalledRecord> records) const;

    std::vector<Member> members_;  // SNVs
    std::vector<Member> indels_;
    std::vector<Member> filtered_;                     // SNVs with AlleleBias, by position
    std::vector<Member> companions_;                   // those of an indel
    std::vector<std::pair<uint64_t, int32_t>> votes_;  // fragment, Phred for the alternate base
};

}  // namespace gannet::variants
