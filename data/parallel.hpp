// SPDX-License-Identifier: MIT
// Provides a loop over several threads, for work that is not part of a flow graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace gannet::data {

/// Calls work(i) for each i below `count`, from `threads` threads (the calling one among them). The first
/// exception of each thread ends its part; one of them is thrown again at the end.
template <class Work>
void for_each_index(unsigned threads, size_t count, Work work) {
    std::atomic<size_t> next{0};
    std::vector<std::exception_ptr> errors(threads == 0 ? 1 : threads);
    const auto loop = [&](size_t thread) {
        try {
            for (size_t i = next++; i < count; i = next++) work(i);
        } catch (...) {
            errors[thread] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (size_t t = 1; t < errors.size(); ++t) others.emplace_back(loop, t);
    loop(0);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace gannet::data
