// SPDX-License-Identifier: MIT
// Provides points in a stream's work: a thread can sleep on them, and the device notes their time.
#pragma once

#include "kernels/cuda/check.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>

namespace gannet::kernels::cuda {

enum class Waiting {
    sleep,  ///< blocks the thread, so that a core is free for the host's own work
    spin    ///< returns at once when the device is there
};

class Event {
  public:
    explicit Event(Waiting waiting) {
        check(cudaEventCreateWithFlags(&event_,
                                       waiting == Waiting::sleep ? cudaEventBlockingSync : cudaEventDefault),
              "creation of an event");
    }
    ~Event() { ignore(cudaEventDestroy(event_)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(cudaStream_t stream, const char* operation) {
        check(cudaEventRecord(event_, stream), operation);
    }
    /// Until all that was in the stream at record() is done; throws what failed in it.
    void wait(const char* operation) { check(cudaEventSynchronize(event_), operation); }
    /// Both are done.
    double ms_since(const Event& earlier) const {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, earlier.event_, event_), "time between two events");
        return ms;
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// Puts the times of a stream's events on the host's clock, by an event whose time is known on both.
class EventClock {
  public:
    /// Compares the clocks anew where that was long ago: the driver counts milliseconds from the event in a
    /// float, and the two clocks drift. The stream has nothing to do.
    void compare(cudaStream_t stream) {
        const int64_t now = host_ns();
        if (base_ns_ != 0 && now - base_ns_ < k_max_age_ns) return;
        int64_t best_ns = INT64_MAX;
        for (int round = 0; round < k_rounds && best_ns > k_good_ns; ++round) {
            const int64_t before = host_ns();
            base_.record(stream, "comparison of the clocks");
            base_.wait("comparison of the clocks");
            const int64_t after = host_ns();
            best_ns = after - before;
            base_ns_ = before + best_ns / 2;
        }
    }
    int64_t host_time_ns(const Event& event) const {
        return base_ns_ + std::llround(event.ms_since(base_) * 1e6);
    }

  private:
    static constexpr int64_t k_max_age_ns = 10'000'000'000;
    static constexpr int64_t k_good_ns = 50'000;
    static constexpr int k_rounds = 3;

    static int64_t host_ns() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    Event base_{Waiting::spin};
    int64_t base_ns_ = 0;
};

}  // namespace gannet::kernels::cuda
