// SPDX-License-Identifier: MIT
// Provides the times of every stage of every batch: sums for the report, and a Chrome/Perfetto trace where
// one is asked for; and what is in flight.
#pragma once

#include "pipeline/in_flight.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline {

struct StageTimes {
    std::string name;
    uint64_t batches = 0;
    double cpu_s = 0;      ///< of the threads while they were in the stage, without stages inside it
    double busy_s = 0;     ///< sum of the spans' wall time
    double elapsed_s = 0;  ///< from the first span's begin to the last one's end
};

/// A graph and its batches that are on their way.
struct QueueFill {
    std::string graph;
    int64_t batches = 0;
    int64_t slots = 0;
};
/// What is shown of one moment.
struct LiveView {
    std::vector<QueueFill> queues;                        ///< of the graphs that work
    std::vector<std::pair<std::string, int64_t>> stages;  ///< and threads in them, the most first
    uint64_t memory_bytes = 0;                            ///< of the process; not by the tracer
    uint64_t memory_limit_bytes = 0;                      ///< 0: not known
};

/// Thread-safe. A span costs two clock reads per batch; spans are kept only when `keep_spans`.
class Tracer {
  public:
    explicit Tracer(bool keep_spans);
    ~Tracer();
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// Index of a stage, made on first use; stages are reported in the order in which they were made.
    size_t stage(const std::string& name);
    /// Index of a flow graph, made on first use: batches are numbered within one, and graphs share stages.
    size_t graph(const std::string& name);
    /// A span of the calling thread.
    void record(size_t stage, size_t graph, uint64_t batch, int64_t begin_ns, int64_t end_ns, int64_t cpu_ns);
    /// The time that a batch spent on a device: from the moment all of it was enqueued on the stream of
    /// `slot` to the one when it was seen to be done. Drawn on a track of the slot, since spans of a stream
    /// never overlap.
    void record_device(size_t stage, size_t graph, uint64_t batch, size_t slot, int64_t begin_ns,
                       int64_t end_ns);
    std::vector<StageTimes> times() const;
    double elapsed_s() const;
    InFlight& in_flight() { return in_flight_; }
    LiveView live_view() const;
    /// Trace event format: load it at https://ui.perfetto.dev. Appears complete or not at all. Throws
    /// Error(output_failed) or Error(disk_space).
    void write(const std::string& path) const;

    static int64_t wall_ns();
    static int64_t thread_cpu_ns();

  private:
    struct Event {
        size_t stage;
        size_t graph;
        uint64_t batch;
        int64_t begin_ns;
        int64_t end_ns;
        size_t track;  ///< number of the thread, or of the slot
        bool device;
    };
    struct Sum {
        std::string name;
        uint64_t batches = 0;
        int64_t cpu_ns = 0;
        int64_t busy_ns = 0;
        int64_t first_ns = INT64_MAX;
        int64_t last_ns = 0;
    };
    void add(const Event& event, int64_t cpu_ns);

    const bool keep_spans_;
    const int64_t begin_ns_;
    mutable std::mutex mutex_;
    std::vector<Sum> sums_;
    std::vector<std::string> graphs_{""};  ///< number 0: no graph
    std::deque<Event> events_;
    InFlight in_flight_;
};

/// Times a scope as one batch of a stage. CPU time of a span inside it, on the same thread, counts for that
/// one only.
class Span {
  public:
    Span(Tracer& tracer, size_t stage, uint64_t batch, size_t graph = 0)
        : tracer_(tracer),
          stage_(stage),
          graph_(graph),
          batch_(batch),
          begin_ns_(Tracer::wall_ns()),
          outer_(innermost_),
          cpu_ns_(Tracer::thread_cpu_ns()) {
        if (outer_ != nullptr) tracer_.in_flight().leave(outer_->stage_);
        tracer_.in_flight().enter(stage_);
        innermost_ = this;
    }
    /// Inside another span of the thread: of the same batch of the same graph.
    Span(Tracer& tracer, size_t stage)
        : Span(tracer, stage, innermost_ != nullptr ? innermost_->batch_ : 0,
               innermost_ != nullptr ? innermost_->graph_ : 0) {}
    ~Span() {
        const int64_t cpu_ns = Tracer::thread_cpu_ns() - cpu_ns_;
        tracer_.record(stage_, graph_, batch_, begin_ns_, Tracer::wall_ns(), cpu_ns - inner_cpu_ns_);
        tracer_.in_flight().leave(stage_);
        if (outer_ != nullptr) {
            outer_->inner_cpu_ns_ += cpu_ns;
            tracer_.in_flight().enter(outer_->stage_);
        }
        innermost_ = outer_;
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

  private:
    Tracer& tracer_;
    size_t stage_;
    size_t graph_;
    uint64_t batch_;
    int64_t begin_ns_;
    Span* const outer_;  ///< around this one, on its thread
    int64_t cpu_ns_;
    int64_t inner_cpu_ns_ = 0;
    inline static thread_local Span* innermost_ = nullptr;
};

}  // namespace gannet::pipeline
