// SPDX-License-Identifier: MIT
// Provides the comparison of a sequence with itself one to six bases further, and the search for runs of
// bits.
#include "data/tandem_repeats.hpp"

#include "data/sixteen_bases.hpp"

#include <bit>
#include <cstring>

namespace gannet::data {

namespace {

using sixteen_bases::k_at_once;
using sixteen_bases::load;

constexpr size_t k_planes = TandemRepeats::k_max_period + 1;
constexpr size_t k_block = 64;

uint64_t mask_of(__m128i equal) { return static_cast<uint32_t>(_mm_movemask_epi8(equal)); }

/// The bits of 64 bases, the words of a plane each; at least k_max_period bases before `bases` can be read.
std::array<uint64_t, k_planes> compare_block(const Base* bases) {
    std::array<uint64_t, k_planes> words{};
    for (size_t i = 0; i < k_block; i += k_at_once) {
        const __m128i here = load(bases + i);
        const __m128i known = _mm_cmplt_epi8(here, _mm_set1_epi8(k_base_n));
        for (size_t period = 1; period <= TandemRepeats::k_max_period; ++period) {
            const __m128i equal = _mm_cmpeq_epi8(here, load(bases + i - period));
            words[period - 1] |= mask_of(_mm_and_si128(equal, known)) << i;
        }
        words[k_planes - 1] |= (mask_of(known) ^ 0xffff) << i;
    }
    return words;
}

}  // namespace

void TandemRepeats::find(std::span<const Base> bases) {
    size_ = bases.size();
    stride_ = size_ / k_block + 2;
    has_unknown_ = false;
    bits_.assign(k_planes * stride_, 0);
    for (size_t at = 0; at < size_; at += k_block) {
        const size_t count = std::min(k_block, size_ - at);
        std::array<uint64_t, k_planes> words;
        if (at != 0 && count == k_block) {
            words = compare_block(bases.data() + at);
        } else {  // at an end, beyond which nothing is known
            std::array<Base, k_at_once + k_block> padded;
            padded.fill(k_base_n);
            const size_t before = std::min(at, k_at_once);
            std::memcpy(padded.data() + k_at_once - before, bases.data() + at - before, before + count);
            words = compare_block(padded.data() + k_at_once);
            if (count < k_block) words[k_planes - 1] &= (uint64_t{1} << count) - 1;
        }
        for (size_t plane = 0; plane < k_planes; ++plane)
            bits_[plane * stride_ + at / k_block] = words[plane];
        has_unknown_ |= words[k_planes - 1] != 0;
    }
}

uint64_t TandemRepeats::word(size_t period, size_t index, UnknownBases unknown) const {
    const uint64_t repeated = plane(period)[index];
    if (unknown == UnknownBases::never_repeat) return repeated;
    const uint64_t* const n = plane(k_planes);
    const uint64_t earlier = n[index] << period | (index == 0 ? 0 : n[index - 1] >> (k_word_bits - period));
    return repeated | (n[index] & earlier);
}

size_t TandemRepeats::repeated_from(size_t period, size_t at, UnknownBases unknown) const {
    if (at >= size_) return 0;
    size_t index = at / k_word_bits;
    const size_t skipped = at % k_word_bits;
    auto count = static_cast<size_t>(std::countr_one(word(period, index, unknown) >> skipped));
    if (count < k_word_bits - skipped) return count;
    for (;;) {  // the last word of a plane is 0
        const auto more = static_cast<size_t>(std::countr_one(word(period, ++index, unknown)));
        count += more;
        if (more < k_word_bits) return count;
    }
}

size_t TandemRepeats::count_before(size_t period, size_t end, UnknownBases unknown) const {
    if (end == 0 || end > size_) return 0;
    size_t index = (end - 1) / k_word_bits;
    const size_t skipped = k_word_bits - 1 - (end - 1) % k_word_bits;
    auto count = static_cast<size_t>(std::countl_one(word(period, index, unknown) << skipped));
    if (count < k_word_bits - skipped) return count;
    while (index > 0) {
        const auto more = static_cast<size_t>(std::countl_one(word(period, --index, unknown)));
        count += more;
        if (more < k_word_bits) break;
    }
    return count;
}

size_t TandemRepeats::repeated_before(size_t period, size_t end) const {
    return count_before(period, end, UnknownBases::never_repeat);
}

bool TandemRepeats::has_shorter_period(const Repeat& repeat, UnknownBases unknown) const {
    for (size_t period = 1; 2 * period <= repeat.period; ++period) {
        const size_t second = repeat.begin + period;
        if (repeat.period % period == 0 && second + repeated_from(period, second, unknown) >= repeat.end)
            return true;
    }
    return false;
}

/// A bit is left of a word for each base from which on enough bases are repeated.
TandemRepeats::Repeat TandemRepeats::next(size_t period, size_t shortest, size_t from,
                                          UnknownBases unknown) const {
    if (!has_unknown_) unknown = UnknownBases::never_repeat;
    const size_t least = shortest - period;
    const size_t first = from + 1 - std::min(from + 1, least);
    for (size_t index = first / k_word_bits; index + 1 < stride_; ++index) {
        uint64_t here = word(period, index, unknown);
        uint64_t beyond = word(period, index + 1, unknown);
        for (size_t reach = 1; reach < least && here != 0;) {
            const size_t step = std::min(reach, least - reach);
            here &= here >> step | beyond << (k_word_bits - step);
            beyond &= beyond >> step;
            reach += step;
        }
        if (index == first / k_word_bits) here &= ~uint64_t{0} << first % k_word_bits;
        if (here == 0) continue;
        const size_t at = index * k_word_bits + static_cast<size_t>(std::countr_zero(here));
        return {period, at - count_before(period, at, unknown) - period,
                at + repeated_from(period, at, unknown)};
    }
    return {};
}

size_t unit_length(std::span<const Base> bases) {
    for (size_t unit = 1; unit < bases.size(); ++unit) {
        if (bases.size() % unit == 0 &&
            std::equal(bases.begin() + static_cast<std::ptrdiff_t>(unit), bases.end(), bases.begin()))
            return unit;
    }
    return bases.size();
}

bool is_tandem_repeat(std::span<const Base> bases) {
    for (size_t period = 1; period <= std::min(bases.size(), TandemRepeats::k_max_period); ++period) {
        if (std::equal(bases.begin() + static_cast<std::ptrdiff_t>(period), bases.end(), bases.begin()))
            return true;
    }
    return false;
}

}  // namespace gannet::data
