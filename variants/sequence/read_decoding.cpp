// SPDX-License-Identifier: MIT
// Provides the look-ups of sixteen bases or qualities at a time, and the hash of names.
#include "variants/sequence/read_decoding.hpp"

#include "data/sixteen_bases.hpp"

#include <cstddef>
#include <immintrin.h>

namespace gannet::variants {

using data::sixteen_bases::each_at_once;
using data::sixteen_bases::k_at_once;
using data::sixteen_bases::load;
using data::sixteen_bases::store;

namespace {

constexpr size_t k_quality_tables = 4;  // of sixteen qualities each: higher ones are looked up one by one

/// Sixteen bases of eight bytes, the higher four bits of each byte first.
void decode_block(const uint8_t* nibbles, data::Base* out) {
    const __m128i codes = load(data::k_base_of_nibble);
    const __m128i low_bits = _mm_set1_epi8(15);
    const __m128i packed = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(nibbles));
    const __m128i high = _mm_and_si128(_mm_srli_epi16(packed, 4), low_bits);
    const __m128i low = _mm_and_si128(packed, low_bits);
    store(out, _mm_shuffle_epi8(codes, _mm_unpacklo_epi8(high, low)));
}

/// The part of a map that is looked up sixteen qualities at a time.
struct QualityTables {
    __m128i tables[k_quality_tables];

    explicit QualityTables(const QualityMap& map) {
        for (size_t table = 0; table < k_quality_tables; ++table)
            tables[table] = load(map.data() + table * k_at_once);
    }
    /// Of the qualities that are of the table; 0 for the others, whose index gets its highest bit set.
    template <int table>
    __m128i of(__m128i given) const {
        const __m128i index = _mm_sub_epi8(given, _mm_set1_epi8(table * k_at_once));
        return _mm_shuffle_epi8(tables[table], _mm_adds_epu8(index, _mm_set1_epi8(0x70)));
    }
    static bool has_all(__m128i given) {
        const __m128i highest = _mm_set1_epi8(k_quality_tables * k_at_once - 1);
        return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(given, highest), highest)) == 0xffff;
    }
    __m128i map(__m128i given) const {
        return _mm_or_si128(_mm_or_si128(of<0>(given), of<1>(given)),
                            _mm_or_si128(of<2>(given), of<3>(given)));
    }
};

}  // namespace

void decode_bases(std::span<const uint8_t> nibbles, std::span<data::Base> out) {
    static_assert(sizeof data::k_base_of_nibble == k_at_once);
    each_at_once<2>(
        out.size(), [&](size_t i) { decode_block(nibbles.data() + i / 2, out.data() + i); },
        [&](size_t i) {
            const uint8_t pair = nibbles[i / 2];
            out[i] = data::k_base_of_nibble[i % 2 == 0 ? pair >> 4 : pair & 0xf];
        });
}

void map_qualities(const QualityMap& map, std::span<const uint8_t> qualities, std::span<uint8_t> out) {
    const QualityTables tables(map);
    each_at_once(
        out.size(),
        [&](size_t i) {
            const __m128i given = load(qualities.data() + i);
            if (tables.has_all(given)) {
                store(out.data() + i, tables.map(given));
            } else {
                for (size_t k = i; k < i + k_at_once; ++k) out[k] = map[qualities[k]];
            }
        },
        [&](size_t i) { out[i] = map[qualities[i]]; });
}

void append_bases(const data::RecordView& record, std::vector<data::Base>& bases) {
    const size_t at = bases.size();
    bases.resize(at + record.read_length());
    decode_bases(record.nibbles(), std::span(bases).subspan(at));
}

uint64_t hash_name(std::string_view name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char letter : name) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001b3u;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

}  // namespace gannet::variants
