// SPDX-License-Identifier: MIT
// Provides the queue that ops are enqueued on: opaque, so that no CUDA type leaves kernels/cuda.
#pragma once

#include <cstdint>
#include <memory>

namespace gannet::kernels {

/// Memory that a stream takes when it is made, for the batches that it will usually get: a larger one makes
/// it grow, and that is counted. Zero: it takes what its first batch needs. Only streams of devices take any.
struct StreamSize {
    uint64_t device_bytes = 0;
    uint64_t pinned_bytes = 0;  ///< of the host, which the device copies to and from
};

/// When a device worked on a batch: nanoseconds on the host's monotonic clock (CLOCK_MONOTONIC), from the
/// device's own clock.
struct DeviceSpan {
    int64_t begin_ns = 0;  ///< of the first copy to the device
    int64_t kernels_begin_ns = 0;
    int64_t kernels_end_ns = 0;
    int64_t end_ns = 0;  ///< of the last copy from the device
};

/// An ordered queue of work on one backend. On CPU backends every op has finished when its call returns.
///
/// On a device a batch goes through four steps, each on any thread but one after the other:
///   the op's call   prepares: the plan, and the inputs in pinned memory. Nothing has reached the device
///   submit()        enqueues the copies and the kernels; takes microseconds
///   block()         sleeps until the device is done, and asks for what only the results tell to ask for
///   wait()          puts the results where the op's call was told
/// wait() does what is missing of the second and the third, so that who needs no overlap calls it alone. Not
/// thread-safe; one per slot.
class Stream {
  public:
    virtual ~Stream() = default;
    /// Throws what the device refuses; nothing is under way then.
    virtual void submit() {}
    /// What went wrong is thrown by wait().
    virtual void block() noexcept {}
    /// Blocks until all that was enqueued has finished; throws what went wrong in it.
    virtual void wait() = 0;
    /// Of the batch that wait() ended last; all zero where there is no device.
    virtual DeviceSpan device_span() const { return {}; }
    /// What it has taken of the device and of pinned memory; zero where there is no device.
    virtual StreamSize memory() const { return {}; }
    /// True if the work is done when the call of an op returns, so that no other thread has to wait for it.
    virtual bool is_synchronous() const = 0;
};

}  // namespace gannet::kernels
