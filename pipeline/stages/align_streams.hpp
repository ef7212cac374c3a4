// SPDX-License-Identifier: MIT
// Provides the streams of the align graph, and index and reference on the devices, made beside what a run
// does until its first batch needs them.
#pragma once

#include "align/aligner.hpp"
#include "data/threads.hpp"
#include "kernels/op_table.hpp"
#include "kernels/stream.hpp"
#include "pipeline/stages/read_inflater.hpp"
#include "pipeline/stages/resident_index.hpp"
#include "pipeline/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

namespace gannet::pipeline::stages {

/// A thread of its own waits for the devices' contexts, copies index and reference there and takes the memory
/// of all streams; on the host there is nothing to wait for. The streams are those of all lanes of a run.
class AlignStreams {
  public:
    /// `slots` streams for batches of `batch_bases`. Starts the `inflater`, if there is one, when they are
    /// made. All but `ops` must outlive it.
    AlignStreams(const kernels::OpTable& ops, const align::Aligner& aligner, size_t slots,
                 uint64_t batch_bases, Tracer& tracer, ReadInflater* inflater = nullptr);
    AlignStreams(const AlignStreams&) = delete;
    AlignStreams& operator=(const AlignStreams&) = delete;

    size_t slots() const { return slots_; }
    /// Of the streams; known at once.
    bool are_synchronous() const { return given_.backend != kernels::Backend::cuda; }
    bool are_made() const;
    /// Sleeps until they are made. Throws what making them threw, each time, as the others: DeviceUnfit,
    /// DeviceOutOfMemory.
    void wait() const { made_.get(); }
    /// What the aligner is to run: those of the device only where it holds index and reference.
    const kernels::OpTable& ops() const;
    kernels::Stream& stream(size_t slot) const;

  private:
    void make();

    const kernels::OpTable given_;
    const align::Aligner& aligner_;
    const size_t slots_;
    const uint64_t batch_bases_;
    Tracer& tracer_;
    ReadInflater* const inflater_;
    std::optional<ResidentIndex> resident_;
    std::vector<std::unique_ptr<kernels::Stream>> streams_;
    std::promise<void> promise_;
    std::shared_future<void> made_{promise_.get_future().share()};
    std::optional<data::ThreadPool> thread_;  // destroyed first: it makes the above
};

}  // namespace gannet::pipeline::stages
