// SPDX-License-Identifier: MIT
// Provides the queue that ops are enqueued on: opaque, so that no CUDA type leaves kernels/cuda.
#pragma once

#include <memory>

namespace gannet::kernels {

/// An ordered queue of work on one backend. On CPU backends every op has finished when its call returns; on a
/// device it has only been enqueued, and its outputs may be read after wait(). Not thread-safe; one per slot.
class Stream {
  public:
    virtual ~Stream() = default;
    /// Blocks until all that was enqueued has finished; throws what went wrong in it.
    virtual void wait() = 0;
    /// True if the work is done when the call of an op returns, so that no other thread has to wait for it.
    virtual bool is_synchronous() const = 0;
};

}  // namespace gannet::kernels
