// SPDX-License-Identifier: MIT
// Provides a loop over indices on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace gannet::align {

/// Calls body(index) for each index below `count` on `threads` threads (the calling one included); rethrows
/// the first exception, after which no further index is begun.
void for_each_parallel(size_t count, int threads, const std::function<void(size_t)>& body);

}  // namespace gannet::align
