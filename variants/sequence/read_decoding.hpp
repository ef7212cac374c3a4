// SPDX-License-Identifier: MIT
// Provides the decoding of a record's bases and qualities, sixteen at a time, and the hash of its name.
#pragma once

#include "data/record.hpp"
#include "data/sequence.hpp"
#include "variants/model/sequence.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gannet::variants {

/// The base quality that is used, by the one that a record reports.
using QualityMap = std::array<uint8_t, 256>;

/// Codes of the packed bases, two a byte, for all of `out`: `nibbles` has half as many bytes, rounded up.
void decode_bases(std::span<const uint8_t> nibbles, std::span<data::Base> out);

/// out[i] = map[qualities[i]]; both are of the same size.
void map_qualities(const QualityMap& map, std::span<const uint8_t> qualities, std::span<uint8_t> out);

/// Appends the bases of a record as codes.
void append_bases(const data::RecordView& record, std::vector<data::Base>& bases);

/// FNV-1a with a final mix: the same in all runs and on all machines, as down-sampling depends on it.
uint64_t hash_name(std::string_view name);

/// Higher base qualities are overestimates.
inline constexpr uint8_t k_quality_cap = sequence_number("base_quality_cap");

/// Qualities as they are reported, at most k_quality_cap.
constexpr QualityMap reported_qualities() {
    QualityMap map{};
    for (size_t q = 0; q < map.size(); ++q) map[q] = std::min(static_cast<uint8_t>(q), k_quality_cap);
    return map;
}

}  // namespace gannet::variants
