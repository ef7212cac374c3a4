// SPDX-License-Identifier: MIT
// Provides the stream of the backend cuda.
#include "kernels/cuda/stream.hpp"

#include "kernels/cuda/range.hpp"

#include <stdexcept>

namespace gannet::kernels::cuda {

Stream::Stream(Device& device)
    : device_(device),
      device_arena_(device.memory, device.budget),
      pinned_arena_(pinned_memory().source, pinned_memory().budget) {
    device_.select();
    events_ = std::make_unique<Events>();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream");
}

Stream::~Stream() {
    ignore(cudaSetDevice(device_.info.ordinal));
    ignore(cudaStreamSynchronize(stream_));
    states_.clear();
    ignore(cudaStreamDestroy(stream_));
}

void Stream::start(const StreamSize& size) {
    device_.select();
    device_arena_.start(size.device_bytes, "the memory of a stream");
    pinned_arena_.start(size.pinned_bytes, "the memory of a stream");
}

Stream& Stream::of(kernels::Stream& stream) {
    auto* const found = dynamic_cast<Stream*>(&stream);
    if (found == nullptr) throw std::logic_error("an op of the backend cuda was given a stream of another");
    return *found;
}

void Stream::submit() {
    span_ = {};
    if (!enqueue_) return;
    const Range range("submit");
    const std::function<void(Queue&)> enqueue = std::exchange(enqueue_, nullptr);
    device_.select();
    try {
        events_->begin.record(stream_, op_);
        Queue queue(*this);
        enqueue(queue);
        events_->done.record(stream_, op_);
        kept_ = std::exchange(kept_next_, nullptr);
        kept_in_ = device_arena_.blocks_taken();
    } catch (...) {
        // What was enqueued may not outlive the caller's arrays.
        ignore(cudaStreamSynchronize(stream_));
        enqueue_rest_ = nullptr;
        collect_ = nullptr;
        throw;
    }
    under_way_ = true;
}

void Stream::finish() {
    const std::function<bool(Queue&)> enqueue_rest = std::exchange(enqueue_rest_, nullptr);
    device_.select();
    events_->done.wait(op_);
    if (!enqueue_rest) return;
    try {
        Queue queue(*this, true);
        if (!enqueue_rest(queue)) return;
        events_->done.record(stream_, op_);
        events_->done.wait(op_);
    } catch (...) {
        ignore(cudaStreamSynchronize(stream_));
        throw;
    }
}

void Stream::block() noexcept {
    if (!under_way_ || fault_) return;
    try {
        finish();
    } catch (...) {
        fault_ = std::current_exception();
    }
}

void Stream::wait() {
    if (enqueue_) submit();
    if (!under_way_) return;
    const Range range("collect");
    under_way_ = false;
    const std::function<void()> collect = std::exchange(collect_, nullptr);
    if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
    finish();
    const EventClock& clock = events_->clock;
    span_ = {clock.host_time_ns(events_->begin), clock.host_time_ns(events_->kernels_begin),
             clock.host_time_ns(events_->kernels_end), clock.host_time_ns(events_->done)};
    if (collect) collect();
}

Work::Work(Stream& stream, const char* op) : stream_(stream) {
    stream_.wait();
    kept_ = std::exchange(stream_.kept_, nullptr);
    stream_.kept_next_ = nullptr;
    stream_.device_.select();
    stream_.op_ = op;
    stream_.events_->clock.compare(stream_.stream_);
}

uint64_t Work::reserve(uint64_t bytes, uint64_t least_scratch, uint64_t wanted_scratch) {
    stream_.pinned_arena_.reserve(bytes, bytes, stream_.op_);
    stream_.device_arena_.reserve(bytes + least_scratch, bytes + wanted_scratch, stream_.op_);
    return stream_.device_arena_.bytes() - bytes;
}

bool Work::keeps(std::shared_ptr<const void> inputs) {
    const bool are_there = inputs == kept_ && stream_.kept_in_ == stream_.device_arena_.blocks_taken();
    stream_.kept_next_ = std::move(inputs);
    return are_there;
}

void Work::prepared(std::function<void(Queue&)> enqueue, std::function<void()> collect) {
    prepared(std::move(enqueue), nullptr, std::move(collect));
}

void Work::prepared(std::function<void(Queue&)> enqueue, std::function<bool(Queue&)> enqueue_rest,
                    std::function<void()> collect) {
    stream_.enqueue_ = std::move(enqueue);
    stream_.enqueue_rest_ = std::move(enqueue_rest);
    stream_.collect_ = std::move(collect);
}

void Queue::copy_in(uint64_t begin, uint64_t end) {
    if (begin != end) {
        check(cudaMemcpyAsync(stream_.device_arena_.data() + begin, stream_.pinned_arena_.data() + begin,
                              end - begin, cudaMemcpyHostToDevice, native()),
              op());
    }
    stream_.events_->kernels_begin.record(native(), op());
}

void Queue::copy_out(uint64_t begin, uint64_t end) {
    if (!std::exchange(kernels_ended_, true)) stream_.events_->kernels_end.record(native(), op());
    if (begin == end) return;
    check(cudaMemcpyAsync(stream_.pinned_arena_.data() + begin, stream_.device_arena_.data() + begin,
                          end - begin, cudaMemcpyDeviceToHost, native()),
          op());
}

void Queue::clear(uint64_t begin, uint64_t end) {
    if (begin == end) return;
    check(cudaMemsetAsync(stream_.device_arena_.data() + begin, 0, end - begin, native()), op());
}

}  // namespace gannet::kernels::cuda
