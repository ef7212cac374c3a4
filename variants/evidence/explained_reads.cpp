// SPDX-License-Identifier: MIT
// Provides the comparison of ungapped reads with the haplotype of one insertion or deletion.
#include "variants/evidence/explained_reads.hpp"

#include "variants/model/reads.hpp"
#include "variants/reads/alignment_walk.hpp"
#include "variants/sequence/gapped_haplotype.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr int64_t k_min_explained_cost =
    reads_number("realign_min_cost");  // Phred: two mismatches of good bases

}  // namespace

int64_t count_explained_reads(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                              const Allele& indel) {
    const auto inserted = bases_of(indel, evidence.arena);
    int64_t explained = 0;
    for (size_t i = set.first_over(indel.position);
         i < set.reads.size() && set.reads[i].begin <= indel.position; ++i) {
        const CallRead& read = set.reads[i];
        if (read.end <= indel.end() || has_gap(set.cigar(read))) continue;
        const auto first = read.bases + static_cast<size_t>(read_offset_at(set, read, read.begin));
        // Phred by which the read fits the haplotype better than the reference.
        const auto gain = [&](bool keeps_left) {
            const GappedHaplotype haplotype{slice, inserted, indel.size_change(), keeps_left,
                                            keeps_left ? indel.position : indel.end()};
            int64_t sum = 0;
            for (int64_t p = read.begin; p < read.end; ++p) {
                const size_t at = first + static_cast<size_t>(p - read.begin);
                const data::Base base = set.bases[at];
                const bool fits = base == slice.at(p);
                const bool would_fit = base == haplotype.at(p);
                if (fits != would_fit) sum += would_fit ? set.qualities[at] : -int64_t{set.qualities[at]};
            }
            return sum;
        };
        if (std::max(gain(true), gain(false)) >= k_min_explained_cost) ++explained;
    }
    return explained;
}

}  // namespace gannet::variants
