// SPDX-License-Identifier: MIT
// Provides the streams of the align graph, made beside it.
#include "pipeline/stages/align_streams.hpp"

#include "pipeline/stages/stream_sizes.hpp"

#include <chrono>

namespace gannet::pipeline::stages {

AlignStreams::AlignStreams(const kernels::OpTable& ops, const align::Aligner& aligner, size_t slots,
                           uint64_t batch_bases, Tracer& tracer, ReadInflater* inflater)
    : given_(ops),
      aligner_(aligner),
      slots_(slots),
      batch_bases_(batch_bases),
      tracer_(tracer),
      inflater_(inflater) {
    if (are_synchronous()) {
        make();
        made_.get();
        return;
    }
    thread_.emplace(1);
    thread_->submit([this] { make(); });
}

void AlignStreams::make() {
    try {
        {
            std::optional<Span> span;
            if (!are_synchronous()) span.emplace(tracer_, tracer_.stage("device.upload"), 0);
            resident_.emplace(given_, aligner_, slots_, batch_bases_);
        }
        std::optional<Span> span;
        if (!are_synchronous()) span.emplace(tracer_, tracer_.stage("device.streams"), 0);
        streams_ = resident_->ops().make_streams(slots_, align_stream_size(batch_bases_, resident_->ops()));
        if (inflater_ != nullptr) inflater_->start();
        span.reset();
        promise_.set_value();
    } catch (...) {
        promise_.set_exception(std::current_exception());
    }
}

bool AlignStreams::are_made() const {
    return made_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

const kernels::OpTable& AlignStreams::ops() const {
    made_.get();
    return resident_->ops();
}

kernels::Stream& AlignStreams::stream(size_t slot) const {
    made_.get();
    return *streams_.at(slot);
}

}  // namespace gannet::pipeline::stages
