// SPDX-License-Identifier: MIT
// Provides the stream of the backend cuda, and with it the pattern of every op on a device.
//
// An op's function enqueues and returns:
//
//     struct State {                                  // buffers of this op, kept with the stream
//         explicit State(Device& device) : in(device.budget), out(device.budget) {}
//         PinnedBuffer host_in, host_out;
//         DeviceBuffer in, out;
//     };
//
//     void op_cuda(kernels::Stream& given, const Batch& batch, Results& results) {
//         Stream& stream = Stream::of(given);
//         Work work(stream, "op");                    // selects the device; waits for what is under way
//         State& state = stream.state<State>();
//         state.in.reserve(...);                      // grow first, then enqueue
//         ... fill state.host_in ...
//         work.copy_in(state.in, state.host_in, bytes);
//         launch(work, shape, kernel, arguments...);  // launch.hpp
//         work.copy_out(state.host_out, state.out, bytes);
//         work.finish([&state, &results] { ... });    // records the event; the function runs in wait()
//     }
//
// The function given to finish() runs on the thread that calls wait(), once all is done and only if nothing
// failed. It may call no CUDA. What it captures by reference must live until then, as the contract of
// kernels::Stream requires. One batch is under way on a stream at a time; a second op on it waits for the
// first.
#pragma once

#include "kernels/cuda/buffer.hpp"
#include "kernels/cuda/device_set.hpp"
#include "kernels/cuda/event.hpp"
#include "kernels/stream.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace gannet::kernels::cuda {

class Stream final : public kernels::Stream {
  public:
    explicit Stream(Device& device);
    /// Drains the device's queue: buffers may not be freed under a kernel.
    ~Stream() override;

    void wait() override;
    bool is_synchronous() const override { return false; }

    /// Throws std::logic_error for a stream of another backend.
    static Stream& of(kernels::Stream& stream);

    Device& device() const { return device_; }
    cudaStream_t native() const { return stream_; }

    /// The buffers of an op: made at its first call, and kept as long as the stream.
    template <class State>
    State& state() {
        static constexpr char key = 0;
        for (const auto& [known, kept] : states_) {
            if (known == &key) return *static_cast<State*>(kept.get());
        }
        states_.emplace_back(&key, std::make_shared<State>(device_));
        return *static_cast<State*>(states_.back().second.get());
    }

  private:
    friend class Work;

    Device& device_;
    cudaStream_t stream_ = nullptr;
    std::unique_ptr<Event> done_;
    const char* op_ = "";
    bool under_way_ = false;  ///< something was enqueued, and neither waited for nor drained
    std::function<void()> finish_;
    std::vector<std::pair<const void*, std::shared_ptr<void>>> states_;
};

/// One op's work on a stream. Where finish() is not reached, because something threw, the destructor drains
/// the queue, so that what was enqueued cannot outlive the caller's arrays.
class Work {
  public:
    Work(Stream& stream, const char* op);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    const Stream& stream() const { return stream_; }
    const char* op() const { return stream_.op_; }

    void copy_in(DeviceBuffer& to, const PinnedBuffer& from, size_t bytes);
    void copy_out(PinnedBuffer& to, const DeviceBuffer& from, size_t bytes);
    /// Sets the first `bytes` to zero.
    void clear(DeviceBuffer& buffer, size_t bytes);
    /// Last: from here on the caller may only wait().
    void finish(std::function<void()> on_host);

  private:
    Stream& stream_;
    bool finished_ = false;
};

}  // namespace gannet::kernels::cuda
