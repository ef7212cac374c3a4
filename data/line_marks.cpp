// SPDX-License-Identifier: MIT
// Provides counting of newlines, 16 bytes at a time.
#include "data/line_marks.hpp"

#include <algorithm>
#include <cstring>
#include <emmintrin.h>

namespace gannet::data {

size_t count_newlines(std::string_view text) {
    // Each byte of a sum counts to 255 at most, so sums are added up after as many steps.
    constexpr size_t k_max_steps = 255;
    const __m128i newline = _mm_set1_epi8('\n');
    const __m128i zero = _mm_setzero_si128();
    size_t total = 0;
    size_t at = 0;
    while (text.size() - at >= 16) {
        const size_t steps = std::min((text.size() - at) / 16, k_max_steps);
        __m128i sums = zero;
        for (size_t i = 0; i < steps; ++i, at += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
            sums = _mm_sub_epi8(sums, _mm_cmpeq_epi8(bytes, newline));
        }
        const __m128i halves = _mm_sad_epu8(sums, zero);
        total += static_cast<size_t>(_mm_cvtsi128_si64(halves)) +
                 static_cast<size_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(halves, halves)));
    }
    return total +
           static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n'));
}

size_t end_of_line(std::string_view text, size_t n) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (; n != 0; --n)
        at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at))) + 1;
    return static_cast<size_t>(at - text.data());
}

void LineMarks::count(std::string_view text) {
    before_.assign(1, 0);
    for (size_t at = 0; at < text.size(); at += k_block_bytes)
        before_.push_back(before_.back() +
                          static_cast<uint32_t>(count_newlines(text.substr(at, k_block_bytes))));
}

size_t LineMarks::before(std::string_view text, size_t offset) const {
    const size_t block = std::min(offset / k_block_bytes, before_.size() - 1);
    const size_t begin = block * k_block_bytes;
    return before_[block] + (begin < offset ? count_newlines(text.substr(begin, offset - begin)) : 0);
}

size_t LineMarks::end_of(std::string_view text, size_t n) const {
    const auto after = std::lower_bound(before_.begin(), before_.end(), n);
    const auto block = static_cast<size_t>(after - before_.begin()) - 1;
    const size_t begin = block * k_block_bytes;
    return begin + end_of_line(text.substr(begin), n - before_[block]);
}

}  // namespace gannet::data
