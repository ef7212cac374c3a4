// SPDX-License-Identifier: MIT
// Provides the request for memory that is read soon, for loops over more data than the caches hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::data {

/// Asks for the cache line of `at`, any address, by a prefetch instruction: nothing waits for it, not even
/// the instructions behind it to be retired, as with a load whose value is not used
/// (kernels/genome/fetch.hpp).
inline void prefetch(const void* at) {
    __builtin_prefetch(at);
    // To GCC 12 a function that does nothing but prefetch is pure, and it drops the calls.
    asm volatile("");
}

/// For all lines of these bytes.
inline void prefetch(std::span<const uint8_t> bytes) {
    constexpr size_t k_line_bytes = 64;
    for (size_t at = 0; at < bytes.size(); at += k_line_bytes) prefetch(bytes.data() + at);
}

}  // namespace gannet::data
