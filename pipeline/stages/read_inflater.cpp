// SPDX-License-Identifier: MIT
// Provides inflating of reads by the op inflate.
#include "pipeline/stages/read_inflater.hpp"

#include "kernels/cuda/device.hpp"
#include "pipeline/graph/run_state.hpp"
#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/stages/stream_sizes.hpp"

#include <algorithm>
#include <utility>

namespace gannet::pipeline::stages {
namespace {

constexpr size_t k_first_track = 1000;  // in the trace, behind those of the slots of other graphs

}  // namespace

ReadInflater::ReadInflater(const kernels::OpTable& ops, uint64_t batch_bases, Tracer& tracer)
    : ops_(ops),
      batch_pieces_(inflate_batch_pieces(batch_bases)),
      stream_size_(inflate_stream_size(batch_pieces_)),
      tracer_(tracer),
      graph_(tracer.graph("inflate")) {}

std::string ReadInflater::shortage() const {
    const kernels::cuda::MemoryUse use = kernels::cuda::memory_use();
    if (ops_.backend != kernels::Backend::cuda) return {};
    for (const kernels::cuda::MemoryUse::OfDevice& one : use.devices) {
        const uint64_t wanted = inflate_device_bytes(batch_pieces_, use.devices.size());
        const uint64_t left = one.limit_bytes - std::min(one.limit_bytes, one.most_bytes);
        if (leaves_room_to_inflate(left, wanted)) continue;
        return "device " + std::to_string(one.device.ordinal) + " (" + one.device.name + ") has " +
               size_text(left) + " of memory left beside the batches of reads, and inflating would take " +
               size_text(wanted);
    }
    return {};
}

void ReadInflater::give_up(const std::string& why) {
    if (works_.exchange(false)) log_info(why + ": reads are inflated on the CPU");
}

void ReadInflater::start() {
    try {
        const std::string why = shortage();
        if (!why.empty()) return give_up(why);
        std::vector<std::unique_ptr<kernels::Stream>> streams =
            ops_.make_streams(k_inflate_streams, stream_size_);
        if (!streams.front()->is_synchronous()) waiters_.emplace(streams.size());
        const std::lock_guard lock(mutex_);
        places_ = std::vector<Place>(streams.size());
        for (size_t k = 0; k < streams.size(); ++k) {
            places_[k].stream = std::move(streams[k]);
            free_.push_back(k);
        }
    } catch (const kernels::DeviceOutOfMemory& error) {
        give_up(error.what());
    }
}

bool ReadInflater::has_room() const {
    const std::lock_guard lock(mutex_);
    return works_ && !free_.empty();
}

std::optional<size_t> ReadInflater::reserve() {
    const std::lock_guard lock(mutex_);
    if (!works_ || free_.empty()) return std::nullopt;
    const size_t number = free_.back();
    free_.pop_back();
    return number;
}

void ReadInflater::release(size_t number) {
    const std::lock_guard lock(mutex_);
    free_.push_back(number);
}

/// As those of the kernel steps of a graph.
size_t ReadInflater::stage(const Place& place, const char* part) const {
    const std::string op = "align.inflate";
    return tracer_.stage(place.stream->is_synchronous() ? op : op + part);
}

void ReadInflater::prepare(Place& place, std::span<const Block> blocks) {
    const Span span(tracer_, stage(place, ".prepare"), place.batch, graph_);
    place.blocks.clear();
    place.statuses.clear();  // those of the last batch must not pass for this one's
    for (const Block& block : blocks) place.blocks.push_back({block.stream, block.out, block.crc32});
    ops_.inflate(*place.stream, place.blocks, place.statuses);
    place.is_prepared = true;
}

void ReadInflater::begin(size_t number, std::span<const Block> blocks, std::function<void()> done) {
    Place& place = places_[number];
    place.batch = batches_++;
    place.is_prepared = false;
    place.fault = nullptr;
    try {
        prepare(place, blocks);
        if (!place.stream->is_synchronous()) {
            const Span span(tracer_, stage(place, ".submit"), place.batch, graph_);
            place.stream->submit();
        }
    } catch (...) {
        place.fault = std::current_exception();
    }
    if (!place.is_prepared || place.stream->is_synchronous()) return done();
    place.submitted_ns = Tracer::wall_ns();
    waiters_->submit([&place, done = std::move(done)] {
        place.stream->block();
        place.done_ns = Tracer::wall_ns();
        done();
    });
}

void ReadInflater::take(Place& place, std::vector<bool>& good, const std::function<void()>& use) {
    const Span span(tracer_, stage(place, ".collect"), place.batch, graph_);
    if (place.is_prepared) place.stream->wait();
    if (place.fault) std::rethrow_exception(place.fault);
    graph::reconcile("blocks of reads, inflate", place.blocks.size(), place.statuses.size());
    for (size_t k = 0; k < good.size(); ++k) good[k] = place.statuses[k] == kernels::InflateStatus::ok;
    use();
}

void ReadInflater::collect(size_t number, std::vector<bool>& good, const std::function<void()>& use) {
    Place& place = places_[number];
    const std::shared_ptr<void> lease(&place, [this, number](void*) { release(number); });
    good.assign(place.blocks.size(), false);
    try {
        take(place, good, use);
    } catch (const kernels::DeviceOutOfMemory& error) {
        give_up(error.what());
        return;
    }
    if (place.stream->is_synchronous()) return;
    const kernels::DeviceSpan span = place.stream->device_span();
    const bool is_timed = span.end_ns != 0;
    tracer_.record_device(tracer_.stage("align.inflate"), graph_, place.batch, k_first_track + number,
                          is_timed ? span.begin_ns : place.submitted_ns,
                          is_timed ? span.end_ns : place.done_ns);
}

}  // namespace gannet::pipeline::stages
