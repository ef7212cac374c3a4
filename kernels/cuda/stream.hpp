// SPDX-License-Identifier: MIT
// Provides the stream of the backend cuda, and with it the pattern of every op on a device.
//
// An op's function prepares and returns:
//
//     struct State {                                  // what the op keeps with the stream
//         explicit State(Device& device);
//     };
//
//     void op_cuda(kernels::Stream& given, const Batch& batch, Results& results) {
//         Work work(Stream::of(given), "op");         // selects the device; waits for what is under way
//         Layout layout;                              // layout.hpp: inputs first, then outputs
//         const Section<Job> jobs = layout.add<Job>(...);
//         const uint64_t inputs = layout.bytes();
//         const Section<End> ends = layout.add<End>(...);
//         work.reserve(layout.bytes());               // both blocks of memory, the device's and the pinned
//         one
//         ... fill work.host(jobs) ...
//         work.prepared(
//             [=](Queue& queue) {                     // in submit(): enqueues, and nothing else
//                 queue.copy_in(0, inputs);
//                 launch(queue, shape, kernel, queue.device(jobs), ...);    // launch.hpp
//                 queue.copy_out(inputs, layout.bytes());
//             },
//             [=, &results] { ... });                 // in wait(): from the pinned memory to the results
//     }
//
// The second function runs on the thread that calls wait(), once all is done and only if nothing failed. It
// may call no CUDA. Where only the results say how much else is to be copied, a function between the two
// enqueues that; it runs on the thread that waits for the device, in block() or in wait(). What they capture
// by reference must live until then, as the contract of kernels::Stream requires. One batch is under way on a
// stream at a time; a second op on it waits for the first, so that all ops of a stream use the same memory.
#pragma once

#include "kernels/cuda/arena.hpp"
#include "kernels/cuda/device_set.hpp"
#include "kernels/cuda/event.hpp"
#include "kernels/cuda/layout.hpp"
#include "kernels/stream.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace gannet::kernels::cuda {

class Queue;

class Stream final : public kernels::Stream {
  public:
    explicit Stream(Device& device);
    /// Drains the device's queue: memory may not be freed under a kernel.
    ~Stream() override;

    /// Takes the memory of the stream. Best called when all streams of the device have been made.
    void start(const StreamSize& size);

    void submit() override;
    void block() noexcept override;
    void wait() override;
    DeviceSpan device_span() const override { return span_; }
    StreamSize memory() const override { return {device_arena_.bytes(), pinned_arena_.bytes()}; }
    bool is_synchronous() const override { return false; }

    /// Throws std::logic_error for a stream of another backend.
    static Stream& of(kernels::Stream& stream);

    Device& device() const { return device_; }
    cudaStream_t native() const { return stream_; }

    /// What an op keeps: made at its first call, and kept as long as the stream.
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
    friend class Queue;

    /// Sleeps until the device is done, also with what the results of the batch ask for.
    void finish();

    Device& device_;
    cudaStream_t stream_ = nullptr;
    Arena device_arena_;
    Arena pinned_arena_;
    struct Events {
        Event begin{Waiting::spin};
        Event kernels_begin{Waiting::spin};
        Event kernels_end{Waiting::spin};
        Event done{Waiting::sleep};
        EventClock clock;
    };
    std::unique_ptr<Events> events_;
    const char* op_ = "";
    bool under_way_ = false;  ///< something was enqueued, and neither waited for nor drained
    /// What an op wants to find again at the beginning of the device's block: in which block it is, and what
    /// it will be once the batch that was prepared has been enqueued.
    std::shared_ptr<const void> kept_;
    uint64_t kept_in_ = 0;
    std::shared_ptr<const void> kept_next_;
    std::function<void(Queue&)> enqueue_;
    std::function<bool(Queue&)> enqueue_rest_;
    std::function<void()> collect_;
    std::exception_ptr fault_;  ///< of block()
    DeviceSpan span_;
    std::vector<std::pair<const void*, std::shared_ptr<void>>> states_;
};

/// One op's preparation of a batch. Where prepared() is not reached, because something threw, nothing has
/// been enqueued.
class Work {
  public:
    Work(Stream& stream, const char* op);
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    /// Both blocks of memory hold `bytes` afterwards, and behind them the device's block has the op's
    /// scratch: at least `least_scratch` bytes, and `wanted_scratch` where they can be had. Returns its
    /// bytes. Called once, before anything is filled in.
    uint64_t reserve(uint64_t bytes, uint64_t least_scratch = 0, uint64_t wanted_scratch = 0);

    /// For inputs that are the same in batch after batch, which come first in the layout: true if the
    /// device's block still begins with what was copied there for `inputs`, so that copy_in() may leave that
    /// out. That is so if the last batch of the stream was of this op, with the same object, and the block
    /// has not grown since. Called once, after reserve().
    bool keeps(std::shared_ptr<const void> inputs);

    void* host_block() const { return stream_.pinned_arena_.data(); }
    template <class T>
    T* host(const Section<T>& section) const {
        return section.in(host_block());
    }
    /// Last: what submit() enqueues, and what wait() does when that is done.
    void prepared(std::function<void(Queue&)> enqueue, std::function<void()> collect);
    /// The same, and between the two: what is enqueued when the results are known, if anything (else false).
    void prepared(std::function<void(Queue&)> enqueue, std::function<bool(Queue&)> enqueue_rest,
                  std::function<void()> collect);

  private:
    Stream& stream_;
    std::shared_ptr<const void> kept_;
};

/// The queue of a stream's device while submit() fills it, or what comes after the results.
class Queue {
  public:
    explicit Queue(Stream& stream, bool kernels_ended = false)
        : stream_(stream), kernels_ended_(kernels_ended) {}

    const char* op() const { return stream_.op_; }
    cudaStream_t native() const { return stream_.stream_; }
    const Device& device() const { return stream_.device_; }

    /// Bytes [begin, end) of the pinned block to the same place of the device's. Once, before the kernels.
    void copy_in(uint64_t begin, uint64_t end);
    /// The other way round, after the kernels.
    void copy_out(uint64_t begin, uint64_t end);
    /// Sets these bytes of the device's block to zero.
    void clear(uint64_t begin, uint64_t end);

    void* device_block() const { return stream_.device_arena_.data(); }
    template <class T>
    T* on_device(const Section<T>& section) const {
        return section.in(device_block());
    }

  private:
    Stream& stream_;
    bool kernels_ended_;  ///< their end has been noted
};

}  // namespace gannet::kernels::cuda
