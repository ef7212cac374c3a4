// SPDX-License-Identifier: MIT
// Provides a point in a stream's work that a thread can sleep on.
#pragma once

#include "kernels/cuda/check.hpp"

namespace gannet::kernels::cuda {

/// Waiting blocks the thread instead of spinning, so that a core is free for the host's own work.
class Event {
  public:
    Event() {
        check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming),
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

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace gannet::kernels::cuda
