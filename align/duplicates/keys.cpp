// SPDX-License-Identifier: MIT
// Provides the making of duplicate keys: unclipped ends, orientation and score.
#include "align/duplicates/keys.hpp"

#include <algorithm>
#include <cstring>
#include <emmintrin.h>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace gannet::align::duplicates {
namespace {

constexpr uint8_t k_min_scored_quality = 15;  // as Picard and samtools markdup

/// A mate with its clips undone: 1-based first and last position.
struct Extent {
    int32_t contig;
    int32_t start;
    int32_t end;
    bool reverse;
    bool read1;
};

bool is_clip(uint32_t element) {
    const data::CigarOp op = data::cigar_op(element);
    return op == data::k_cigar_soft_clip || op == data::k_cigar_hard_clip;
}

Extent extent_of(const data::RecordView& read) {
    const size_t count = read.cigar_count();
    int64_t start = int64_t{read.position()} + 1;
    int64_t end = read.end_position();
    for (size_t i = 0; i < count && is_clip(read.cigar(i)); ++i) start -= data::cigar_length(read.cigar(i));
    for (size_t i = count; i > 0 && is_clip(read.cigar(i - 1)); --i)
        end += data::cigar_length(read.cigar(i - 1));
    return {read.contig(), static_cast<int32_t>(start), static_cast<int32_t>(end),
            read.has(data::k_flag_reverse), read.has(data::k_flag_read1)};
}

/// Sixteen qualities per step: compilers do not vectorise the plain loop at -O2, and it would be most of the
/// cost of a key.
uint32_t score_of(const data::RecordView& read) {
    const std::span<const uint8_t> qualities = read.qualities();
    const __m128i minimum = _mm_set1_epi8(k_min_scored_quality);
    __m128i sums = _mm_setzero_si128();
    size_t i = 0;
    for (; i + 16 <= qualities.size(); i += 16) {
        __m128i block;
        std::memcpy(&block, qualities.data() + i, sizeof block);
        const __m128i counts = _mm_cmpeq_epi8(_mm_max_epu8(block, minimum), block);
        sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_and_si128(block, counts), _mm_setzero_si128()));
    }
    auto score =
        static_cast<uint32_t>(_mm_cvtsi128_si64(sums) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
    for (; i < qualities.size(); ++i) score += qualities[i] >= k_min_scored_quality ? qualities[i] : 0;
    return score;
}

/// Which mate is left: by contig, else by where their 5' ends lie. Of opposite strands at one point the
/// forward one, of equal strands at one point the first given (samtools takes both for left then, and decides
/// for each mate alone).
bool is_left(const Extent& a, const Extent& b) {
    if (a.contig != b.contig) return a.contig < b.contig;
    if (a.reverse == b.reverse) return a.reverse ? a.end <= b.end : a.start <= b.start;
    return a.reverse ? a.end < b.start : a.start <= b.end;
}

uint64_t mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t join(int32_t high, int32_t low) {
    return static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low);
}

}  // namespace

namespace {

PairKey pair_key_of(Extent left, Extent right) {
    if (!is_left(left, right)) std::swap(left, right);
    PairKey key{};
    key.left_is_read1 = left.read1;
    key.left_contig = left.contig;
    key.right_contig = right.contig;
    if (left.reverse == right.reverse) {
        key.left = left.start;
        key.right = right.end;
        key.orientation =
            left.read1 != left.reverse ? Orientation::forward_forward : Orientation::reverse_reverse;
    } else {
        key.left = left.reverse ? left.end : left.start;
        key.right = right.reverse ? right.end : right.start;
        key.orientation = left.reverse ? Orientation::reverse_forward : Orientation::forward_reverse;
    }
    return key;
}

Extent extent_of(const MateKey& mate) {
    return {mate.contig, mate.start, mate.end, mate.reverse, mate.read1};
}

/// FNV-1a, its state begun with `seed`, and mixed at the end.
uint64_t hash_of(std::string_view text, uint64_t seed) {
    uint64_t hash = seed;
    for (const char letter : text) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001b3u;
    return mix(hash, seed);
}

/// Equal for the two mates of a template whose fields are whole: of both positions, whichever is given first.
uint16_t places_hash_of(const data::RecordView& read) {
    const uint64_t own = join(read.contig(), read.position());
    const uint64_t mate = join(read.mate_contig(), read.mate_position());
    return static_cast<uint16_t>(mix(std::min(own, mate), std::max(own, mate)) >> 32);
}

bool comes_first(const MateKey& a, const MateKey& b) {
    return std::tuple(a.contig, a.mapped_position, b.read1) <
           std::tuple(b.contig, b.mapped_position, a.read1);
}

}  // namespace

PairKey make_pair_key(const data::RecordView& a, const data::RecordView& b, uint64_t template_ordinal,
                      uint16_t library) {
    PairKey key = pair_key_of(extent_of(a), extent_of(b));
    key.template_ordinal = template_ordinal;
    key.score = score_of(a) + score_of(b);
    key.library = library;
    return key;
}

MateKey make_mate_key(const data::RecordView& read, uint64_t ordinal, uint64_t umi, uint16_t read_group,
                      uint16_t library) {
    const Extent extent = extent_of(read);
    return {hash_of(read.name(), 0xcbf29ce484222325u),
            static_cast<uint32_t>(hash_of(read.name(), 0x2545f4914f6cdd1du)),
            read_group,
            places_hash_of(read),
            ordinal,
            umi,
            extent.contig,
            extent.start,
            extent.end,
            read.position(),
            score_of(read),
            library,
            extent.reverse,
            extent.read1,
            read.has(data::k_flag_qc_fail)};
}

PairKey make_pair_key(const MateKey& a, const MateKey& b, uint64_t template_ordinal) {
    PairKey key = pair_key_of(extent_of(a), extent_of(b));
    key.template_ordinal = template_ordinal;
    key.score = a.score + b.score;
    key.library = (comes_first(a, b) ? a : b).library;
    return key;
}

EndKey make_end_key(const MateKey& mate, bool of_pair) {
    return {mate.contig,  mate.reverse ? mate.end : mate.start,
            mate.ordinal, mate.mapped_position,
            mate.score,   mate.library,
            mate.reverse, of_pair};
}

EndKey make_end_key(const data::RecordView& read, uint64_t template_ordinal, uint16_t library) {
    const Extent extent = extent_of(read);
    return {extent.contig,    extent.reverse ? extent.end : extent.start,
            template_ordinal, read.position(),
            score_of(read),   library,
            extent.reverse,   false};
}

void ends_of_pair(const PairKey& key, EndKey (&ends)[2]) {
    const bool left_reverse = key.orientation == Orientation::reverse_forward;
    ends[0] = {key.left_contig, key.left, key.template_ordinal, 0, 0, key.library, left_reverse, true};
    ends[1] = {key.right_contig, key.right, key.template_ordinal, 0, 0, key.library, !left_reverse, true};
}

uint64_t position_hash(const PairKey& key) {
    const uint64_t rest = static_cast<uint64_t>(key.library) << 8 | static_cast<uint64_t>(key.orientation);
    return mix(mix(join(key.left_contig, key.left), join(key.right_contig, key.right)), rest);
}

uint64_t position_hash(const EndKey& key) {
    const uint64_t rest = static_cast<uint64_t>(key.library) << 8 | static_cast<uint64_t>(key.reverse);
    return mix(join(key.contig, key.position), rest);
}

}  // namespace gannet::align::duplicates
