// SPDX-License-Identifier: MIT
// Provides the start of a job's threads before any work, so that a limit ends the run in one line and not in
// its middle.
#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <functional>

namespace gannet::pipeline {

/// Stack of every thread, whatever `ulimit -s` says: oneTBB gives its threads as much.
inline constexpr size_t k_thread_stack_bytes = size_t{4} << 20;

/// Threads that are started from now on have k_thread_stack_bytes.
void set_thread_stacks();

/// Runs `body`, which does not throw, in a thread of its own where the limit of the stack leaves this one
/// less than k_thread_stack_bytes, else in this one. Throws Error(host_memory) where that thread cannot be
/// started.
void with_enough_stack(const std::function<void()>& body);

/// Starts the `workers` threads of an arena, after it has tried whether they and the few others of a job can
/// be had. Throws Error(host_memory), which says how many there were, where the limit of processes (`ulimit
/// -u`, a control group) or of address space (`ulimit -v`) is too low.
void start_threads(tbb::task_arena& arena, int workers);

}  // namespace gannet::pipeline
