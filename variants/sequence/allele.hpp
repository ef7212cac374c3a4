// SPDX-License-Identifier: MIT
// Provides alleles as changes of the reference in normal form, and slices of the reference.
#pragma once

#include "data/reference.hpp"
#include "data/sequence.hpp"
#include "data/tandem_repeats.hpp"
#include "variants/model/sequence.hpp"

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gannet::variants {

/// Reference bases around a window, and their tandem repeats; anything outside it reads as N.
class ReferenceSlice {
  public:
    void load(const data::Reference& reference, uint32_t contig, int64_t begin, int64_t end);
    data::Base at(int64_t position) const {
        const auto offset = static_cast<uint64_t>(position - begin_);
        return offset < bases_.size() ? bases_[offset] : data::k_base_n;
    }
    /// [begin, end) must be within the slice.
    std::span<const data::Base> span(int64_t begin, int64_t end) const {
        return {bases_.data() + (begin - begin_), static_cast<size_t>(end - begin)};
    }
    /// The bases of [begin, end), which may reach beyond the slice.
    void copy(int64_t begin, int64_t end, std::vector<data::Base>& out) const;
    int64_t begin() const { return begin_; }
    int64_t end() const { return begin_ + static_cast<int64_t>(bases_.size()); }

    /// Of the slice; its offsets count from begin().
    const data::TandemRepeats& repeats() const { return repeats_; }
    /// Consecutive bases from `position` on that equal the one `period` bases before them, within the slice:
    /// known ones, or also N after N. Of any period; linear in the result for those above 6.
    int64_t repeated_from(int64_t period, int64_t position,
                          data::UnknownBases unknown = data::UnknownBases::never_repeat) const;
    /// The same of known bases before `end`.
    int64_t repeated_before(int64_t period, int64_t end) const;

  private:
    int64_t begin_ = 0;
    std::vector<data::Base> bases_;
    data::TandemRepeats repeats_;
};

/// `reference_length` bases from `position` on become `alternate_length` bases of an arena: 1 and 1 for a
/// SNP, 0 and n for an insertion before `position`, n and 0 for a deletion.
struct Allele {
    int64_t position = 0;
    int32_t reference_length = 0;
    uint32_t alternate = 0;  ///< offset into the arena
    int32_t alternate_length = 0;

    bool is_indel() const { return reference_length != alternate_length; }
    int64_t end() const { return position + reference_length; }
    /// First position of the VCF record: indels carry the base before.
    int64_t record_position() const { return is_indel() ? position - 1 : position; }
    int32_t size_change() const { return alternate_length - reference_length; }
};

inline std::span<const data::Base> bases_of(const Allele& allele, const std::vector<data::Base>& arena) {
    return {arena.data() + allele.alternate, static_cast<size_t>(allele.alternate_length)};
}

/// Total order by position, reference length, alternate length and bases.
std::strong_ordering compare_alleles(const Allele& a, const Allele& b, const std::vector<data::Base>& arena);

/// Shifts a pure insertion or deletion to its leftmost position (Tan, Abecasis and Kang 2015), however long
/// the repeat; inserted bases are rotated in the arena. The slice must reach beyond the repeat's left end: a
/// shift ends at the first base of the slice, or after `most` bases.
void left_align(const ReferenceSlice& slice, Allele& allele, std::vector<data::Base>& arena,
                int64_t most = std::numeric_limits<int64_t>::max());

/// Regions of indels cover no more of a repeat than this, so that the padding of a window is enough.
inline constexpr int64_t k_max_rightward_shift_bp = sequence_number("allele_max_shift_bp");

/// How far right a left-aligned insertion or deletion could be shifted, in bases; at most
/// k_max_rightward_shift_bp.
int64_t rightward_shift_bp(const ReferenceSlice& slice, const Allele& allele,
                           const std::vector<data::Base>& arena);

/// The tandem repeat that an indel lengthens or shortens: its period and the number of copies in the
/// reference.
struct RepeatContext {
    int32_t period = 0;  ///< 0: none
    int32_t copies = 0;
};
RepeatContext repeat_of(const ReferenceSlice& slice, const Allele& allele,
                        const std::vector<data::Base>& arena);

/// Aligns `haplotype` globally to slice bases [begin, end) with affine gaps and appends its differences,
/// sorted, to `alleles`: all of them on the reference give the haplotype. So indels are left-aligned up to
/// the difference before them at most, and of an insertion and a deletion at one place the deletion comes
/// first. Quadratic in the lengths: for haplotypes of a few hundred bases.
class HaplotypeAligner {
  public:
    void differences(const ReferenceSlice& slice, int64_t begin, int64_t end,
                     std::span<const data::Base> haplotype, std::vector<data::Base>& arena,
                     std::vector<Allele>& alleles);

  private:
    void fill(const ReferenceSlice& slice, int64_t begin, int64_t end, std::span<const data::Base> haplotype);

    std::vector<uint8_t> trace_;
    std::vector<int32_t> best_;
    std::vector<int32_t> deletion_;
};

}  // namespace gannet::variants
