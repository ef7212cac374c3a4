// SPDX-License-Identifier: MIT
// Provides the normal form of alleles, the repeats around them, and differences of a haplotype from the
// reference.
#include "variants/sequence/allele.hpp"

#include "variants/model/sequence.hpp"

#include <algorithm>

namespace gannet::variants {

void ReferenceSlice::load(const data::Reference& reference, uint32_t contig, int64_t begin, int64_t end) {
    begin_ = begin;
    bases_.resize(static_cast<size_t>(end - begin));
    reference.bases(contig, begin, bases_);
    repeats_.find(bases_);
}

void ReferenceSlice::copy(int64_t begin, int64_t end, std::vector<data::Base>& out) const {
    out.assign(static_cast<size_t>(end - begin), data::k_base_n);
    const int64_t from = std::clamp(begin, begin_, this->end());
    const int64_t to = std::min(end, this->end());
    if (from >= to) return;
    const std::span<const data::Base> known = span(from, to);
    std::copy(known.begin(), known.end(), out.begin() + (from - begin));
}

int64_t ReferenceSlice::repeated_from(int64_t period, int64_t position, data::UnknownBases unknown) const {
    if (position < begin_ || position >= end()) return 0;
    const auto at = static_cast<size_t>(position - begin_);
    const auto distance = static_cast<size_t>(period);
    if (distance <= data::TandemRepeats::k_max_period)
        return static_cast<int64_t>(repeats_.repeated_from(distance, at, unknown));
    if (at < distance) return 0;
    size_t end = at;
    while (end < bases_.size() && bases_[end] == bases_[end - distance] &&
           (bases_[end] < data::k_base_n || unknown == data::UnknownBases::repeat_each_other))
        ++end;
    return static_cast<int64_t>(end - at);
}

int64_t ReferenceSlice::repeated_before(int64_t period, int64_t end) const {
    if (end <= begin_ || end > this->end()) return 0;
    const auto last = static_cast<size_t>(end - begin_);
    const auto distance = static_cast<size_t>(period);
    if (distance <= data::TandemRepeats::k_max_period)
        return static_cast<int64_t>(repeats_.repeated_before(distance, last));
    size_t at = last;
    while (at > distance && bases_[at - 1] == bases_[at - 1 - distance] && bases_[at - 1] < data::k_base_n)
        --at;
    return static_cast<int64_t>(last - at);
}

namespace {
// The prior of indels is at its highest long before.
constexpr int64_t k_max_counted_bp = sequence_number("repeat_counted_bp");
}  // namespace

std::strong_ordering compare_alleles(const Allele& a, const Allele& b, const std::vector<data::Base>& arena) {
    if (const auto order = a.position <=> b.position; order != 0) return order;
    if (const auto order = a.reference_length <=> b.reference_length; order != 0) return order;
    if (const auto order = a.alternate_length <=> b.alternate_length; order != 0) return order;
    const auto left = bases_of(a, arena);
    const auto right = bases_of(b, arena);
    return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
}

void left_align(const ReferenceSlice& slice, Allele& allele, std::vector<data::Base>& arena, int64_t most) {
    int64_t shift = 0;
    if (allele.reference_length == 0) {
        const int64_t length = allele.alternate_length;
        data::Base* bases = arena.data() + allele.alternate;
        while (shift < length && slice.at(allele.position - 1 - shift) < data::k_base_n &&
               slice.at(allele.position - 1 - shift) == bases[length - 1 - shift]) {
            ++shift;
        }
        if (shift == length) shift += slice.repeated_before(length, allele.position);
        shift = std::min(shift, most);
        std::rotate(bases, bases + (length - shift % length) % length, bases + length);
    } else if (allele.alternate_length == 0) {
        shift = std::min(slice.repeated_before(allele.reference_length, allele.end()), most);
    }
    allele.position -= shift;
}

int64_t rightward_shift_bp(const ReferenceSlice& slice, const Allele& allele,
                           const std::vector<data::Base>& arena) {
    int64_t shift = 0;
    if (allele.reference_length == 0) {
        const auto bases = bases_of(allele, arena);
        const int64_t length = allele.alternate_length;
        while (shift < length && slice.at(allele.position + shift) == bases[static_cast<size_t>(shift)])
            ++shift;
        // A duplication of a part of the reference may hold N.
        if (shift == length)
            shift +=
                slice.repeated_from(length, allele.position + length, data::UnknownBases::repeat_each_other);
    } else if (allele.alternate_length == 0) {
        shift = slice.repeated_from(allele.reference_length, allele.end());
    }
    return std::min(shift, k_max_rightward_shift_bp);
}

RepeatContext repeat_of(const ReferenceSlice& slice, const Allele& allele,
                        const std::vector<data::Base>& arena) {
    const int64_t length = std::max(allele.reference_length, allele.alternate_length);
    std::vector<data::Base> deleted;
    if (allele.reference_length > 0) slice.copy(allele.position, allele.position + length, deleted);
    const std::span<const data::Base> changed = deleted.empty() ? bases_of(allele, arena) : deleted;
    const auto period = static_cast<int64_t>(data::unit_length(changed));
    int64_t tract = 0;
    while (tract < period && slice.at(allele.position + tract) < data::k_base_n &&
           slice.at(allele.position + tract) == changed[static_cast<size_t>(tract)])
        ++tract;
    if (tract == period) tract += slice.repeated_from(period, allele.position + period);
    return {static_cast<int32_t>(period), static_cast<int32_t>(std::min(tract, k_max_counted_bp) / period)};
}

namespace {

constexpr int32_t k_match = sequence_number("allele_match");
constexpr int32_t k_mismatch = sequence_number("allele_mismatch");
constexpr int32_t k_open = sequence_number("allele_gap_open");
constexpr int32_t k_extend = sequence_number("allele_gap_extend");
enum Trace : uint8_t {
    k_from_diagonal = 0,
    k_from_deletion = 1,
    k_from_insertion = 2,
    k_deletion_goes_on = 4,
    k_insertion_goes_on = 8
};

Allele make_allele(int64_t position, int64_t reference_length, std::span<const data::Base> alternate,
                   std::vector<data::Base>& arena) {
    Allele allele{position, static_cast<int32_t>(reference_length), static_cast<uint32_t>(arena.size()),
                  static_cast<int32_t>(alternate.size())};
    arena.insert(arena.end(), alternate.begin(), alternate.end());
    return allele;
}

/// Of the differences of one haplotype, from left to right, each as far as that keeps the haplotype.
void left_align_all(const ReferenceSlice& slice, std::span<Allele> alleles, std::vector<data::Base>& arena) {
    for (size_t a = 0; a < alleles.size(); ++a) {
        Allele& allele = alleles[a];
        if (allele.reference_length == 0 && a + 1 < alleles.size() && alleles[a + 1].alternate_length == 0 &&
            alleles[a + 1].position == allele.position) {
            std::swap(allele, alleles[a + 1]);
            alleles[a + 1].position = allele.end();
        }
        if (!allele.is_indel()) continue;
        int64_t leftmost = slice.begin();
        if (a > 0) leftmost = std::max(alleles[a - 1].end(), alleles[a - 1].position + 1);
        left_align(slice, allele, arena, std::max<int64_t>(0, allele.position - leftmost));
    }
}

}  // namespace

void HaplotypeAligner::fill(const ReferenceSlice& slice, int64_t begin, int64_t end,
                            std::span<const data::Base> haplotype) {
    const auto rows = static_cast<size_t>(end - begin);
    const size_t columns = haplotype.size();
    const size_t stride = columns + 1;
    constexpr int32_t k_never = -(1 << 29);
    trace_.assign((rows + 1) * stride, 0);
    best_.assign(stride, 0);
    deletion_.assign(stride, k_never);
    for (size_t j = 1; j <= columns; ++j) {
        best_[j] = k_open + static_cast<int32_t>(j) * k_extend;
        trace_[j] = static_cast<uint8_t>(k_from_insertion | (j > 1 ? k_insertion_goes_on : 0));
    }
    for (size_t i = 1; i <= rows; ++i) {
        int32_t diagonal = best_[0];
        best_[0] = k_open + static_cast<int32_t>(i) * k_extend;
        trace_[i * stride] = static_cast<uint8_t>(k_from_deletion | (i > 1 ? k_deletion_goes_on : 0));
        int32_t insertion = k_never;
        const data::Base reference = slice.at(begin + static_cast<int64_t>(i) - 1);
        for (size_t j = 1; j <= columns; ++j) {
            uint8_t trace = 0;
            const int32_t deletion_open = best_[j] + k_open + k_extend;
            deletion_[j] += k_extend;
            if (deletion_[j] > deletion_open)
                trace |= k_deletion_goes_on;
            else
                deletion_[j] = deletion_open;
            const int32_t insertion_open = best_[j - 1] + k_open + k_extend;
            insertion += k_extend;
            if (insertion > insertion_open)
                trace |= k_insertion_goes_on;
            else
                insertion = insertion_open;
            int32_t score = diagonal + (reference == haplotype[j - 1] ? k_match : k_mismatch);
            if (deletion_[j] > score) score = deletion_[j], trace |= k_from_deletion;
            if (insertion > score)
                score = insertion, trace = static_cast<uint8_t>((trace & ~3) | k_from_insertion);
            diagonal = best_[j];
            best_[j] = score;
            trace_[i * stride + j] = trace;
        }
    }
}

void HaplotypeAligner::differences(const ReferenceSlice& slice, int64_t begin, int64_t end,
                                   std::span<const data::Base> haplotype, std::vector<data::Base>& arena,
                                   std::vector<Allele>& alleles) {
    fill(slice, begin, end, haplotype);
    const size_t stride = haplotype.size() + 1;
    const size_t first = alleles.size();
    auto i = static_cast<size_t>(end - begin);
    size_t j = haplotype.size();
    while (i > 0 || j > 0) {
        const uint8_t source = trace_[i * stride + j] & 3;
        if (source == k_from_diagonal) {
            --i, --j;
            const int64_t position = begin + static_cast<int64_t>(i);
            if (slice.at(position) != haplotype[j] && slice.at(position) < data::k_base_n &&
                haplotype[j] < data::k_base_n) {
                alleles.push_back(make_allele(position, 1, haplotype.subspan(j, 1), arena));
            }
            continue;
        }
        const uint8_t goes_on = source == k_from_deletion ? k_deletion_goes_on : k_insertion_goes_on;
        size_t& index = source == k_from_deletion ? i : j;
        const size_t gap_end = index;
        bool more = true;
        while (more) {
            more = (trace_[i * stride + j] & goes_on) != 0;
            --index;
        }
        const int64_t position = begin + static_cast<int64_t>(i);
        alleles.push_back(source == k_from_deletion
                              ? make_allele(position, static_cast<int64_t>(gap_end - i), {}, arena)
                              : make_allele(position, 0, haplotype.subspan(j, gap_end - j), arena));
    }
    std::reverse(alleles.begin() + static_cast<std::ptrdiff_t>(first), alleles.end());
    left_align_all(slice, std::span(alleles).subspan(first), arena);
}

}  // namespace gannet::variants
