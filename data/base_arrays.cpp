// SPDX-License-Identifier: MIT
// Provides those loops, sixteen bases at a time.
#include "data/base_arrays.hpp"

#include "data/sixteen_bases.hpp"

#include <algorithm>
#include <bit>

namespace gannet::data {

using sixteen_bases::complement_each;
using sixteen_bases::each_at_once;
using sixteen_bases::k_at_once;
using sixteen_bases::load;
using sixteen_bases::nibbles_of;
using sixteen_bases::put_codes;
using sixteen_bases::reversed;
using sixteen_bases::store;

void reverse_bytes(std::span<const uint8_t> in, std::span<uint8_t> out) {
    const size_t size = in.size();
    each_at_once(
        size, [&](size_t i) { store(out.data() + i, reversed(load(in.data() + size - k_at_once - i))); },
        [&](size_t i) { out[i] = in[size - 1 - i]; });
}

void complement_bases(std::span<const Base> in, std::span<Base> out) {
    each_at_once(
        in.size(), [&](size_t i) { store(out.data() + i, complement_each(load(in.data() + i))); },
        [&](size_t i) { out[i] = complement(in[i]); });
}

void to_nibbles(std::span<const Base> bases, uint8_t* out) {
    each_at_once<2>(
        bases.size(),
        [&](size_t i) {
            const uint64_t nibbles = nibbles_of(load(bases.data() + i));
            std::memcpy(out + i / 2, &nibbles, sizeof nibbles);
        },
        [&](size_t i) {
            const uint8_t nibble = k_nibble_of_base[bases[i]];
            if (i % 2 == 0) {
                out[i / 2] = static_cast<uint8_t>(nibble << 4);
            } else {
                out[i / 2] = static_cast<uint8_t>(out[i / 2] | nibble);
            }
        });
}

size_t first_mismatch(const Base* a, const Base* b, size_t count) {
    // Of the sixteen bases from `i` on, those before the first that differs.
    const auto matches_from = [&](size_t i) {
        const __m128i own = load(a + i);
        const __m128i same =
            _mm_andnot_si128(_mm_cmpeq_epi8(own, _mm_set1_epi8(k_base_n)), _mm_cmpeq_epi8(own, load(b + i)));
        return static_cast<size_t>(std::countr_one(static_cast<uint32_t>(_mm_movemask_epi8(same))));
    };
    size_t i = 0;
    for (; i + k_at_once <= count; i += k_at_once) {
        const size_t matches = matches_from(i);
        if (matches != k_at_once) return i + matches;
    }
    if (i != 0 && i != count) return count - k_at_once + matches_from(count - k_at_once);
    for (; i < count; ++i)
        if (a[i] != b[i] || a[i] == k_base_n) return i;
    return count;
}

void unpack_bases(std::span<const uint64_t> packed, uint64_t from, size_t count, Base* out) {
    constexpr size_t k_word = 32;  // bases
    while (count != 0) {
        const size_t skipped = from % k_word;
        const size_t here = std::min(count, k_word);
        const uint64_t* const at = packed.data() + from / k_word;
        uint64_t word = at[0] >> 2 * skipped;
        if (skipped + here > k_word) word |= at[1] << 2 * (k_word - skipped);
        if (here == k_word) {
            put_codes(word, out);
        } else {
            Base codes[k_word];
            put_codes(word, codes);
            std::copy_n(codes, here, out);
        }
        from += here;
        out += here;
        count -= here;
    }
}

}  // namespace gannet::data
