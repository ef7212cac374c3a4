// SPDX-License-Identifier: MIT
// Provides the comparison of ungapped reads with the haplotype of one insertion or deletion.
#include "variants/evidence/explained_reads.hpp"

#include "variants/model/reads.hpp"
#include "variants/reads/alignment_walk.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr int64_t k_min_explained_cost =
    reads_number("realign_min_cost");  // Phred: two mismatches of good bases

/// What the haplotype has where a read without a gap is aligned to `position`, if the read's part before the
/// indel stays where it is (`stays_left`), or the part behind it.
data::Base base_of_haplotype(const ReferenceSlice& slice, const Allele& indel,
                             std::span<const data::Base> inserted, int64_t position, bool stays_left) {
    const int64_t size = indel.size_change();
    if (stays_left) {
        if (position < indel.position) return slice.at(position);
        const int64_t offset = position - indel.position;
        return offset < size ? inserted[static_cast<size_t>(offset)] : slice.at(position - size);
    }
    if (position >= indel.end()) return slice.at(position);
    const int64_t offset = indel.end() - 1 - position;
    return offset < size ? inserted[static_cast<size_t>(size - 1 - offset)] : slice.at(position + size);
}

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
        // Of the alignment beyond those with the indel.
        const auto gain = [&](bool stays_left) {
            int64_t sum = 0;
            for (int64_t p = read.begin; p < read.end; ++p) {
                const size_t at = first + static_cast<size_t>(p - read.begin);
                const data::Base base = set.bases[at];
                const bool fits = base == slice.at(p);
                const bool would_fit = base == base_of_haplotype(slice, indel, inserted, p, stays_left);
                if (fits != would_fit) sum += would_fit ? set.qualities[at] : -int64_t{set.qualities[at]};
            }
            return sum;
        };
        if (std::max(gain(true), gain(false)) >= k_min_explained_cost) ++explained;
    }
    return explained;
}

}  // namespace gannet::variants
