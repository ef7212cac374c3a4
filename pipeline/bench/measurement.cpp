// SPDX-License-Identifier: MIT
// Provides the measurement of pieces of work.
#include "pipeline/bench/measurement.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <thread>
#include <unistd.h>

namespace gannet::pipeline::bench {
namespace {

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void waste(double cpu_s, int threads) {
    const double each = cpu_s / threads;
    std::vector<std::jthread> burners;
    for (int i = 0; i < threads; ++i) {
        burners.emplace_back([each] {
            const double begin = thread_seconds();
            while (thread_seconds() - begin < each) {
            }
        });
    }
}

}  // namespace

double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }
double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

void Turns::take() const {
    char turn = 0;
    while (read(from_, &turn, 1) < 0 && errno == EINTR) {
    }
}

void Turns::pass() const {
    const char turn = 1;
    while (write(to_, &turn, 1) < 0 && errno == EINTR) {
    }
}

namespace {

/// How often the work must run to fill a sample.
uint64_t warm_up(const Task& task, double min_time_s) {
    constexpr double k_max_runs = 1e6;
    const double begin = wall_seconds();
    task.work();
    const double once = std::max(1e-9, wall_seconds() - begin);
    return static_cast<uint64_t>(std::clamp(std::ceil(min_time_s / once), 1.0, k_max_runs));
}

void take_sample(Task& task, const MeasureOptions& options) {
    constexpr uint64_t k_runs_worth_warming = 4;
    Samples& samples = task.result.samples;
    // Other works, and the other process, have had the caches since.
    if (samples.runs >= k_runs_worth_warming) task.work();
    const double wall_begin = wall_seconds();
    const double cpu_begin = process_seconds();
    for (uint64_t run = 0; run < samples.runs; ++run) task.work();
    if (options.handicap > 0) waste(options.handicap * (process_seconds() - cpu_begin), options.threads);
    const auto runs = static_cast<double>(samples.runs);
    samples.cpu_s.push_back((process_seconds() - cpu_begin) / runs);
    samples.wall_s.push_back((wall_seconds() - wall_begin) / runs);
}

}  // namespace

void measure(std::vector<Task>& tasks, const MeasureOptions& options, const Turns* turns) {
    for (Task& task : tasks) task.result.samples.runs = warm_up(task, options.min_time_s);
    // The first turn of each is empty: by then both are ready.
    if (turns != nullptr) {
        turns->take();
        turns->pass();
    }
    for (int repetition = 0; repetition < options.repetitions; ++repetition) {
        for (Task& task : tasks) {
            if (turns != nullptr) turns->take();
            take_sample(task, options);
            if (turns != nullptr) turns->pass();
        }
    }
}

}  // namespace gannet::pipeline::bench
