// SPDX-License-Identifier: MIT
// Provides the checksum of gzip.
#pragma once

#include <cstdint>
#include <span>

namespace gannet::data {

/// CRC-32 as in gzip and zlib (RFC 1952).
uint32_t crc32(std::span<const uint8_t> bytes);

}  // namespace gannet::data
