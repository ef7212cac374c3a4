// SPDX-License-Identifier: MIT
// Provides inflating of reads by the op inflate: the batches of BGZF blocks of all files of a run, on streams
// of their own.
#pragma once

#include "data/batch_inflater.hpp"
#include "data/threads.hpp"
#include "kernels/op_table.hpp"
#include "kernels/stream.hpp"
#include "pipeline/trace.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline::stages {

/// Has k_inflate_streams places once start() has returned, and none before. Where the devices have too little
/// memory, now or later, it works no longer and the log says so: the CPU inflates. What else goes wrong with
/// a batch collect() throws: DeviceUnfit, and Error(internal) where results are missing.
class ReadInflater final : public data::BatchInflater {
  public:
    /// `ops` has the op inflate. `batch_bases`: of a batch of reads.
    ReadInflater(const kernels::OpTable& ops, uint64_t batch_bases, Tracer& tracer);
    ReadInflater(const ReadInflater&) = delete;
    ReadInflater& operator=(const ReadInflater&) = delete;

    /// Makes the streams, of what those of the batches of reads have left of the devices. Throws DeviceUnfit.
    void start();

    size_t batch_pieces() const override { return batch_pieces_; }
    bool works() const override { return works_; }
    bool has_room() const override;
    std::optional<size_t> reserve() override;
    void release(size_t number) override;
    void begin(size_t number, std::span<const Block> blocks, std::function<void()> done) override;
    void collect(size_t number, std::vector<bool>& good, const std::function<void()>& use) override;

  private:
    struct Place {
        std::unique_ptr<kernels::Stream> stream;
        uint64_t batch = 0;
        std::vector<kernels::InflateBlock> blocks;
        std::vector<kernels::InflateStatus> statuses;
        bool is_prepared = false;
        std::exception_ptr fault;
        int64_t submitted_ns = 0;
        int64_t done_ns = 0;
    };
    /// Why there is not enough memory; empty where there is.
    std::string shortage() const;
    void give_up(const std::string& why);
    size_t stage(const Place& place, const char* part) const;
    void prepare(Place& place, std::span<const Block> blocks);
    void take(Place& place, std::vector<bool>& good, const std::function<void()>& use);

    const kernels::OpTable ops_;
    const size_t batch_pieces_;
    const kernels::StreamSize stream_size_;
    Tracer& tracer_;
    const size_t graph_;  ///< number in the trace
    std::atomic<bool> works_{true};
    std::atomic<uint64_t> batches_{0};
    mutable std::mutex mutex_;
    std::vector<Place> places_;  ///< made by start()
    std::vector<size_t> free_;
    std::optional<data::ThreadPool> waiters_;  // destroyed first: they block on the streams
};

}  // namespace gannet::pipeline::stages
