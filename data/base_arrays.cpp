// SPDX-License-Identifier: MIT
// Provides those loops, eight bases at a time.
#include "data/base_arrays.hpp"

#include "data/eight_bases.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gannet::data {

using eight_bases::codes_of;
using eight_bases::each_at_once;
using eight_bases::k_at_once;
using eight_bases::k_ones;
using eight_bases::load;
using eight_bases::nibbles_of;

void reverse_bytes(std::span<const uint8_t> in, std::span<uint8_t> out) {
    const size_t size = in.size();
    each_at_once(
        size,
        [&](size_t i) {
            const uint64_t reversed = __builtin_bswap64(load(in.data() + size - k_at_once - i));
            std::memcpy(out.data() + i, &reversed, sizeof reversed);
        },
        [&](size_t i) { out[i] = in[size - 1 - i]; });
}

void to_nibbles(std::span<const Base> bases, uint8_t* out) {
    each_at_once(
        bases.size(),
        [&](size_t i) {
            const uint32_t nibbles = nibbles_of(load(bases.data() + i));
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
    size_t i = 0;
    for (; i + k_at_once <= count; i += k_at_once) {
        const uint64_t own = load(a + i);
        const uint64_t differing = (own ^ load(b + i)) | (own & 4 * k_ones);
        if (differing != 0) return i + static_cast<size_t>(std::countr_zero(differing)) / 8;
    }
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
        each_at_once(
            here,
            [&](size_t i) {
                const uint64_t codes = codes_of(word >> 2 * i);
                std::memcpy(out + i, &codes, sizeof codes);
            },
            [&](size_t i) { out[i] = static_cast<Base>(word >> 2 * i & 3); });
        from += here;
        out += here;
        count -= here;
    }
}

}  // namespace gannet::data
