// SPDX-License-Identifier: MIT
// Provides the keys by which duplicates are found, made from the records of one template.
#pragma once

#include "data/record.hpp"

#include <cstdint>

namespace gannet::align::duplicates {

/// How the ends of a template point, the outer left end first; for equal strands it also says which mate is
/// left.
enum class Orientation : uint8_t { forward_reverse, reverse_forward, forward_forward, reverse_reverse };

/// A template with both mates mapped: where it begins and ends. Coordinates are 1-based and clips are undone.
struct PairKey {
    int32_t left_contig;
    int32_t right_contig;
    int32_t left;
    int32_t right;
    uint64_t template_ordinal;
    uint32_t score;  ///< sum of the base qualities >= 15 of both mates
    uint16_t library;
    Orientation orientation;
    bool left_is_read1;

    bool same_position(const PairKey& other) const {
        return left == other.left && right == other.right && left_contig == other.left_contig &&
               right_contig == other.right_contig && orientation == other.orientation &&
               library == other.library;
    }
};
static_assert(sizeof(PairKey) == 32);

/// One end: a mapped read without a mapped mate, or the end of a pair that such a read may duplicate.
struct EndKey {
    int32_t contig;
    int32_t position;  ///< unclipped 5' end, 1-based
    uint64_t template_ordinal;
    int32_t
        mapped_position;  ///< of the record: of equal scores the first in coordinate order is no duplicate
    uint32_t score;
    uint16_t library;
    bool reverse;
    bool of_pair;
    uint32_t padding = 0;

    bool same_position(const EndKey& other) const {
        return position == other.position && contig == other.contig && reverse == other.reverse &&
               library == other.library;
    }
};
static_assert(sizeof(EndKey) == 32);

/// Keys with the UMI of their template.
struct UmiPairKey : PairKey {
    uint64_t umi;
};
struct UmiEndKey : EndKey {
    uint64_t umi;
};

/// One mate of a template whose other mate is elsewhere in the input: what a key needs of it.
struct MateKey {
    uint64_t name_hash;  ///< this and the next: 96 bits, so that names need not be compared
    uint32_t name_check;
    uint16_t read_group;
    uint16_t places_hash;  ///< of where the two mates begin by the record's fields: both have the same
    uint64_t ordinal;      ///< of the record
    uint64_t umi;          ///< 0: not used
    int32_t contig;
    int32_t start, end;  ///< 1-based first and last position, clips undone
    int32_t mapped_position;
    uint32_t score;
    uint16_t library;
    bool reverse : 1;
    bool read1 : 1;
    bool qc_fail : 1;

    bool same_name(const MateKey& other) const {
        return name_hash == other.name_hash && name_check == other.name_check;
    }
};
static_assert(sizeof(MateKey) == 56);

MateKey make_mate_key(const data::RecordView& read, uint64_t ordinal, uint64_t umi, uint16_t read_group,
                      uint16_t library);
/// As of the records of `a` and `b`; the library is that of the one that comes first in coordinate order.
PairKey make_pair_key(const MateKey& a, const MateKey& b, uint64_t template_ordinal);
EndKey make_end_key(const MateKey& mate, bool of_pair);

PairKey make_pair_key(const data::RecordView& a, const data::RecordView& b, uint64_t template_ordinal,
                      uint16_t library);
EndKey make_end_key(const data::RecordView& read, uint64_t template_ordinal, uint16_t library);

/// The two ends of a pair whose mates lie on opposite strands, from its key alone (on equal strands one outer
/// end is a 3' end).
void ends_of_pair(const PairKey& key, EndKey (&ends)[2]);

/// Hashes of the fields that same_position() compares.
uint64_t position_hash(const PairKey& key);
uint64_t position_hash(const EndKey& key);

}  // namespace gannet::align::duplicates
