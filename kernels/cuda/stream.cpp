// SPDX-License-Identifier: MIT
// Provides the stream of the backend cuda.
#include "kernels/cuda/stream.hpp"

#include <stdexcept>

namespace gannet::kernels::cuda {

Stream::Stream(Device& device) : device_(device) {
    device_.select();
    done_ = std::make_unique<Event>();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream");
}

Stream::~Stream() {
    ignore(cudaSetDevice(device_.info.ordinal));
    ignore(cudaStreamSynchronize(stream_));
    states_.clear();
    ignore(cudaStreamDestroy(stream_));
}

Stream& Stream::of(kernels::Stream& stream) {
    auto* const found = dynamic_cast<Stream*>(&stream);
    if (found == nullptr) throw std::logic_error("an op of the backend cuda was given a stream of another");
    return *found;
}

void Stream::wait() {
    if (!under_way_) return;
    under_way_ = false;
    const std::function<void()> finish = std::exchange(finish_, nullptr);
    device_.select();
    done_->wait(op_);
    if (finish) finish();
}

Work::Work(Stream& stream, const char* op) : stream_(stream) {
    stream_.wait();
    stream_.device_.select();
    stream_.op_ = op;
}

Work::~Work() {
    if (!finished_) ignore(cudaStreamSynchronize(stream_.stream_));
}

void Work::copy_in(DeviceBuffer& to, const PinnedBuffer& from, size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to.data<void>(), from.data<void>(), bytes, cudaMemcpyHostToDevice, stream_.stream_),
          op());
}

void Work::copy_out(PinnedBuffer& to, const DeviceBuffer& from, size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to.data<void>(), from.data<void>(), bytes, cudaMemcpyDeviceToHost, stream_.stream_),
          op());
}

void Work::clear(DeviceBuffer& buffer, size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemsetAsync(buffer.data<void>(), 0, bytes, stream_.stream_), op());
}

void Work::finish(std::function<void()> on_host) {
    stream_.done_->record(stream_.stream_, op());
    stream_.finish_ = std::move(on_host);
    stream_.under_way_ = true;
    finished_ = true;
}

}  // namespace gannet::kernels::cuda
