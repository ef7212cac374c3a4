// SPDX-License-Identifier: MIT
// Provides the checksum of gzip.
#include "data/checksum.hpp"

#include <isa-l/crc.h>

namespace gannet::data {

uint32_t crc32(std::span<const uint8_t> bytes) { return crc32_gzip_refl(0, bytes.data(), bytes.size()); }

}  // namespace gannet::data
