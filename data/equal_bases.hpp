// SPDX-License-Identifier: MIT
// Provides the bases of records whose SEQ has '=' where a base equals the reference's (SAM specification 1.4;
// `samtools calmd -e` writes it).
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::data {

/// Whether one of the first `bases` nibbles, two a byte and the first in the high half, is '='.
bool has_equal_base(std::span<const uint8_t> nibbles, size_t bases);

/// Replaces each '=' of an aligned base by the base of the reference. One that the alignment does not place
/// (in an insertion, a clip or an unmapped read) becomes N, as do all on a contig that the reference lacks.
/// `record`: the bytes of one record.
void resolve_equal_bases(std::span<uint8_t> record, const Reference& reference);

}  // namespace gannet::data
