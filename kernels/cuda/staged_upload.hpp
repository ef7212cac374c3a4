// SPDX-License-Identifier: MIT
// Provides copies of large arrays of the host to several devices at the same time.
#pragma once

#include "kernels/cuda/device_set.hpp"
#include "kernels/cuda/event.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gannet::kernels::cuda {

/// Arrays go through two pinned buffers in turn: while the devices copy from one, the host fills the other.
/// From memory that is not pinned, as a mapped file, the driver would copy through a small buffer of its own,
/// once for each device; here the host reads each byte once for all of them. Not thread-safe.
class StagedUpload {
  public:
    static constexpr uint64_t k_buffer_bytes = uint64_t{8} << 20;

    /// `what` names the arrays in messages. Throws DeviceOutOfMemory where there is no pinned memory for the
    /// buffers, DeviceError where a device fails, as the other members.
    StagedUpload(std::span<Device* const> devices, const char* what);
    /// Waits for what is under way.
    ~StagedUpload();
    StagedUpload(const StagedUpload&) = delete;
    StagedUpload& operator=(const StagedUpload&) = delete;

    /// Copies `bytes` at `from` to `to[i]` on the i-th device. `from` is read before it returns.
    void add(std::span<void* const> to, const void* from, uint64_t bytes);
    /// Sleeps until all copies are done; throws what failed in them.
    void finish();

  private:
    /// A device's copies, and when it has read what each of the buffers had last.
    class Queue {
      public:
        explicit Queue(Device& device, const char* what);
        ~Queue();
        Queue(const Queue&) = delete;
        Queue& operator=(const Queue&) = delete;
        void copy(void* to, const void* from, uint64_t bytes, size_t buffer, const char* what);
        void wait(size_t buffer, const char* what);
        void finish(const char* what);

      private:
        Device& device_;
        cudaStream_t stream_ = nullptr;
        std::array<std::unique_ptr<Event>, 2> read_;
        std::array<bool, 2> is_reading_{};
    };

    const char* const what_;
    std::array<CountedBlock, 2> buffers_;
    std::vector<std::unique_ptr<Queue>> queues_;  // before the buffers in destruction: they read these
    size_t next_ = 0;                             ///< the buffer to be filled
};

}  // namespace gannet::kernels::cuda
