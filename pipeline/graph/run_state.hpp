// SPDX-License-Identifier: MIT
// Provides what the graphs of one run have in common: the first error, whether to stop, and the
// reconciliation of counts at the end.
#pragma once

#include "data/error.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

namespace gannet::pipeline::graph {

/// Errors are data: they travel with their batch to the sink, end here, and are rethrown when the graph has
/// drained.
class RunState {
  public:
    /// Keeps the error of the lowest batch number, so that the reported error does not depend on threads.
    void fail(uint64_t batch, std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (!error_ || batch < batch_) {
            error_ = std::move(error);
            batch_ = batch;
        }
        stopped_ = true;
    }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr error_;
    uint64_t batch_ = 0;
    std::atomic<bool> stopped_{false};
};

/// Throws Error(internal) unless the two counts are equal. oneTBB ends normally when a message is lost.
inline void reconcile(const std::string& what, uint64_t in, uint64_t out) {
    if (in == out) return;
    throw data::Error(data::ErrorKind::internal, "internal fault: " + what + ": " + std::to_string(in) +
                                                     " went in and " + std::to_string(out) +
                                                     " came out: no output was written");
}

}  // namespace gannet::pipeline::graph
