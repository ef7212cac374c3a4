// SPDX-License-Identifier: MIT
// Provides requests for memory that is read soon: what hides the latency of look-ups in lock-step.
#pragma once

namespace gannet::kernels {

/// Brings the cache line of `at`, which must be readable, into the cache; returns before it has arrived. It
/// is a load whose value nothing waits for, not a prefetch instruction: processors may drop a prefetch whose
/// address translation is not cached, and for random places of an index of gigabytes it never is. Several in
/// a row, with nothing between them that needs their values, are under way together.
inline void fetch(const void* at) { static_cast<void>(*static_cast<const volatile unsigned char*>(at)); }

/// The same by a prefetch instruction, for which nothing waits, not even the instructions behind it to be
/// retired: where its page was used a short while ago. Any address is allowed.
inline void prefetch(const void* at) {
    __builtin_prefetch(at);
    // To GCC 12 a function that does nothing but prefetch is pure, and it drops the calls.
    asm volatile("");
}

}  // namespace gannet::kernels
