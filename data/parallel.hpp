// SPDX-License-Identifier: MIT
// Provides a loop over several threads, for work that is not part of a flow graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace gannet::data {

/// Starts `count` threads with body(1), body(2) ..., and fewer where the system gives no more of them: for
/// loops that a single thread can do too.
template <class Thread, class Body>
void start_helpers(std::vector<Thread>& threads, size_t count, const Body& body) {
    threads.reserve(count);
    try {
        for (size_t i = 1; i <= count; ++i) threads.emplace_back(body, i);
    } catch (const std::system_error&) {
        // Those that there are do it.
    }
}

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
    start_helpers(others, errors.size() - 1, loop);
    loop(0);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace gannet::data
