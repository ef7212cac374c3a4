// SPDX-License-Identifier: MIT
// Provides copies of large arrays of the host to several devices at the same time.
#include "kernels/cuda/staged_upload.hpp"

#include "kernels/cuda/check.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::kernels::cuda {

namespace {

CountedBlock pinned_buffer(const char* what) {
    CountedPinnedMemory& pinned = pinned_memory();
    return {pinned.source, pinned.budget, StagedUpload::k_buffer_bytes, what};
}

}  // namespace

StagedUpload::Queue::Queue(Device& device, const char* what) : device_(device) {
    device.select();
    for (auto& read : read_) read = std::make_unique<Event>(Waiting::sleep);
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), what);
}

StagedUpload::Queue::~Queue() {
    ignore(cudaSetDevice(device_.info.ordinal));
    ignore(cudaStreamSynchronize(stream_));
    ignore(cudaStreamDestroy(stream_));
}

void StagedUpload::Queue::copy(void* to, const void* from, uint64_t bytes, size_t buffer, const char* what) {
    device_.select();
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), what);
    read_[buffer]->record(stream_, what);
    is_reading_[buffer] = true;
}

void StagedUpload::Queue::wait(size_t buffer, const char* what) {
    if (!is_reading_[buffer]) return;
    device_.select();
    read_[buffer]->wait(what);
    is_reading_[buffer] = false;
}

void StagedUpload::Queue::finish(const char* what) {
    device_.select();
    check(cudaStreamSynchronize(stream_), what);
    is_reading_ = {};
}

StagedUpload::StagedUpload(std::span<Device* const> devices, const char* what)
    : what_(what), buffers_{pinned_buffer(what), pinned_buffer(what)} {
    for (Device* const device : devices) queues_.push_back(std::make_unique<Queue>(*device, what));
}

StagedUpload::~StagedUpload() = default;

void StagedUpload::add(std::span<void* const> to, const void* from, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes;) {
        const uint64_t piece = std::min(bytes - done, k_buffer_bytes);
        for (const auto& queue : queues_) queue->wait(next_, what_);
        void* const buffer = buffers_[next_].data();
        std::memcpy(buffer, static_cast<const uint8_t*>(from) + done, piece);
        for (size_t i = 0; i < queues_.size(); ++i)
            queues_[i]->copy(static_cast<uint8_t*>(to[i]) + done, buffer, piece, next_, what_);
        next_ = 1 - next_;
        done += piece;
    }
}

void StagedUpload::finish() {
    for (const auto& queue : queues_) queue->finish(what_);
}

}  // namespace gannet::kernels::cuda
