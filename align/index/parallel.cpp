// SPDX-License-Identifier: MIT
// Provides a loop over indices on several threads.
#include "align/index/parallel.hpp"

#include "data/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gannet::align {

void for_each_parallel(size_t count, int threads, const std::function<void(size_t)>& body) {
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto work = [&] {
        try {
            for (size_t i = next++; i < count; i = next++) body(i);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::jthread> pool;
    data::start_helpers(pool, static_cast<size_t>(threads > 1 ? threads - 1 : 0),
                        [&work](size_t) { work(); });
    work();
    pool.clear();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace gannet::align
