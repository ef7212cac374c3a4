// SPDX-License-Identifier: MIT
// Provides the check and the start of a job's threads.
#include "pipeline/thread_check.hpp"

#include "data/error.hpp"

#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace gannet::pipeline {
namespace {

using data::Error;
using data::ErrorKind;

constexpr int k_other_threads = 6;  // progress, reading ahead of four files, a pipe in front of an output
constexpr std::chrono::seconds k_patience(2);
constexpr size_t k_min_room_bytes = size_t{96} << 20;  // the program, its readers and writers

/// A pthread, since std::thread says nothing of stacks.
class StackThread {
  public:
    StackThread() = default;
    StackThread(const StackThread&) = delete;
    StackThread& operator=(const StackThread&) = delete;
    ~StackThread() {
        if (started_) pthread_join(thread_, nullptr);
    }
    bool start(void* (*body)(void*), void* argument) {
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes) != 0) return false;
        pthread_attr_setstacksize(&attributes, k_thread_stack_bytes);
        started_ = pthread_create(&thread_, &attributes, body, argument) == 0;
        pthread_attr_destroy(&attributes);
        return started_;
    }

  private:
    pthread_t thread_{};
    bool started_ = false;
};

/// Holds threads until it is opened.
struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;

    static void* wait(void* gate) {
        auto& self = *static_cast<Gate*>(gate);
        std::unique_lock lock(self.mutex);
        self.opened.wait(lock, [&self] { return self.open; });
        return nullptr;
    }
};

struct Found {
    int threads = 0;
    bool room = true;  ///< for what a job needs beside them
};

/// Whether so much address space is left.
bool is_room_for(size_t bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    void* const at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return false;
    munmap(at, bytes);
    return true;
}

/// How many of `wanted` further threads can be had at once.
Found threads_to_be_had(int wanted) {
    Gate gate;
    int started = 0;
    std::vector<StackThread> threads(static_cast<size_t>(wanted));
    for (StackThread& thread : threads) {
        if (!thread.start(Gate::wait, &gate)) break;
        ++started;
    }
    const bool room = started < wanted || is_room_for(k_min_room_bytes);
    {
        const std::lock_guard lock(gate.mutex);
        gate.open = true;
    }
    gate.opened.notify_all();
    return {started, room};
}

[[noreturn]] void refuse(int workers, int had) {
    throw Error(ErrorKind::host_memory,
                "this run needs " + std::to_string(workers + k_other_threads) +
                    " more threads for --threads " + std::to_string(workers) + ", and " +
                    std::to_string(had) +
                    " could be had: give fewer --threads, or raise the limit of processes (ulimit -u) or of "
                    "address space (ulimit -v)");
}

void* run_body(void* body) {
    (*static_cast<const std::function<void()>*>(body))();
    return nullptr;
}

}  // namespace

void set_thread_stacks() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, k_thread_stack_bytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

void with_enough_stack(const std::function<void()>& body) {
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= k_thread_stack_bytes) return body();
    StackThread thread;
    if (!thread.start(run_body, const_cast<std::function<void()>*>(&body))) {
        throw Error(
            ErrorKind::host_memory,
            "the limit of the stack (ulimit -s) is too low, and no thread with another stack could be "
            "started: raise it, or the limit of processes (ulimit -u) or of address space (ulimit -v)");
    }
}

void start_threads(tbb::task_arena& arena, int workers) {
    const int wanted = workers + k_other_threads;
    const auto [had, room] = threads_to_be_had(wanted);
    if (had < wanted) refuse(workers, had);
    if (!room) {
        throw Error(ErrorKind::host_memory,
                    "after the start of " + std::to_string(had) + " threads less than " +
                        std::to_string(k_min_room_bytes >> 20) +
                        " MB of address space are left: raise its limit (ulimit -v), or give "
                        "fewer --threads");
    }
    // oneTBB starts its threads when there is work, and gives no error where it cannot: each of them gets a
    // task now that waits for the others. Threads that come late are no fault.
    std::atomic<int> arrived{0};
    const auto deadline = std::chrono::steady_clock::now() + k_patience;
    try {
        tbb::task_group group;
        for (int i = 0; i < workers; ++i) {
            arena.enqueue(group.defer([&arrived, workers, deadline] {
                ++arrived;
                while (arrived < workers && std::chrono::steady_clock::now() < deadline)
                    std::this_thread::yield();
            }));
        }
        // Not in the arena, where this thread would do the work of one that is not there yet.
        while (arrived < workers && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        arena.execute([&group] { group.wait(); });
    } catch (const std::runtime_error&) {
        refuse(workers, had - k_other_threads);
    }
}

}  // namespace gannet::pipeline
