// SPDX-License-Identifier: MIT
// Provides the request for memory that is read soon: what hides the latency of look-ups in lock-step.
#pragma once

namespace gannet::kernels {

/// Brings the cache line of `at`, which must be readable, into the cache; returns before it has arrived. It
/// is a load whose value nothing waits for, not a prefetch instruction: processors may drop a prefetch whose
/// address translation is not cached, and for random places of an index of gigabytes it never is. Several in
/// a row, with nothing between them that needs their values, are under way together.
inline void fetch(const void* at) { static_cast<void>(*static_cast<const volatile unsigned char*>(at)); }

}  // namespace gannet::kernels
