// SPDX-License-Identifier: MIT
// Provides the one shape of gannet's flow graphs: batches meet slots, go through steps, and end in a serial
// sink.
#pragma once

#include "kernels/stream.hpp"
#include "pipeline/graph/kernel_step.hpp"
#include "pipeline/graph/run_state.hpp"
#include "pipeline/trace.hpp"

#include <tbb/flow_graph.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace gannet::pipeline::graph {

/// One step that every batch goes through. Bodies may throw: the error then travels with the batch.
template <class Slot>
struct Step {
    using Body = std::function<void(Slot&)>;
    using CallOp = std::function<bool(Slot&)>;
    using StreamOf = std::function<kernels::Stream&(Slot&)>;

    Step(std::string stage, Body work) : name(std::move(stage)), body(std::move(work)) {}
    Step(std::string stage, CallOp work, StreamOf stream_of)
        : name(std::move(stage)), call_op(std::move(work)), stream(std::move(stream_of)) {}

    std::string name;  ///< of the stage, in trace and report
    Body body;         ///< of a host step: parallel over slots
    CallOp call_op;    ///< of a kernel step: calls the op on the stream; false when there was nothing to do
    StreamOf stream;   ///< set: a kernel step
    bool repeats = false;  ///< of a kernel step: call_op is called until there is nothing to do
    /// Of a host step: one batch at a time, in the order of their numbers. Two such steps work side by side.
    bool ordered = false;
};

/// source or put() -> reserving join with the pool of slots -> steps (parallel, or ordered) -> [sequencer] ->
/// sink (serial) -> slot back to the pool. The number of slots bounds the batches in flight, and so the
/// memory. `Item` is what the source makes before a slot is free (reused too).
template <class Item, class Slot>
class SlotGraph {
  public:
    /// Returned by the sink's lease when it is dropped: the slot goes back to the pool then.
    using Lease = std::shared_ptr<void>;
    struct Spec {
        std::string name;
        std::string source_name;
        std::function<bool(Item&)> next;         ///< serial; false at the end. Empty: items come by put()
        std::function<void(Item&, Slot&)> take;  ///< moves (better: swaps) the item into the slot
        std::vector<Step<Slot>> steps;
        bool ordered = false;
        std::function<void(Slot&, const Lease&)> sink;
        bool synchronous = true;  ///< streams of kernel steps
        /// What kernel steps need and is still being made when the graph starts; empty: nothing. Until it is
        /// ready, batches sleep in wait() before the first of these steps, on no thread of the graph. Not
        /// where streams are synchronous.
        std::function<bool()> is_ready;
        std::function<void()> wait;
        /// Number of the n-th item; the default is n. Only tests set it.
        std::function<uint64_t(uint64_t)> number;
    };

    SlotGraph(tbb::flow::graph& graph, RunState& state, Tracer& tracer, Spec spec,
              std::vector<std::unique_ptr<Slot>> slots);
    SlotGraph(const SlotGraph&) = delete;
    SlotGraph& operator=(const SlotGraph&) = delete;

    /// Starts the source. The caller then waits for the graph, and calls check(). May be called again once
    /// the graph has drained: where next() has more, it goes on.
    void activate() {
        if (source_) source_->activate();
    }
    /// For graphs without a source; thread-safe against itself only when called from one serial body. `fill`
    /// swaps into the item.
    void put(const std::function<void(Item&)>& fill);
    /// After the graph has drained without an error: checks that every batch arrived and every slot is back.
    void check() const {
        reconcile("batches of " + name_, started_, finished_);
        reconcile("slots of " + name_, slots_, home_);
    }
    uint64_t batches() const { return finished_; }

  private:
    struct Message {
        Item item;
        uint64_t number = 0;
        std::exception_ptr error;
    };
    struct Cell {
        std::unique_ptr<Slot> slot;
        uint64_t number = 0;
        std::exception_ptr error;
        bool on_device = false;    ///< in a kernel step: something was prepared
        int64_t submitted_ns = 0;  ///< and was then given to the device
        int64_t done_ns = 0;
    };
    using Pair = std::tuple<Message*, Cell*>;

    Message* acquire();
    void give_back(Message* message);
    bool make_message(Message*& message);
    Cell* meet(const Pair& pair);
    template <class Body>
    void keep_error(Cell& cell, const Body& body);
    /// A stage that is gone through whatever has happened; what `body` throws is kept in the cell.
    template <class Body>
    void always(Cell& cell, size_t stage, const Body& body);
    /// The same, but not after an error of the batch or of the run.
    template <class Body>
    void guarded(Cell& cell, size_t stage, const Body& body);
    void add_step(tbb::flow::graph& graph, Step<Slot> step);
    void add_kernel_step(tbb::flow::graph& graph, Step<Slot> step);
    void add_gate(tbb::flow::graph& graph);
    void add_sequencer(tbb::flow::graph& graph);
    void build_sink(tbb::flow::graph& graph, bool ordered);
    void finish(Cell* cell);
    void send_home(Cell* cell) {
        ++home_;
        // After a fault nothing new is begun; leases may then be dropped as late as when the graphs are taken
        // down.
        if (!state_.stopped()) pool_.try_put(cell);
    }

    std::string name_;
    RunState& state_;
    Tracer& tracer_;
    const size_t trace_;  ///< number of this graph in the trace
    Spec spec_;
    size_t source_stage_;
    size_t sink_stage_;
    std::vector<std::unique_ptr<Message>> messages_;
    std::vector<Message*> free_messages_;
    std::mutex messages_mutex_;
    std::vector<Cell> cells_;
    std::atomic<uint64_t> started_{0};
    std::atomic<uint64_t> finished_{0};
    const uint64_t slots_;
    std::atomic<uint64_t> home_{0};

    std::unique_ptr<tbb::flow::input_node<Message*>> source_;
    std::unique_ptr<tbb::flow::queue_node<Message*>> mailbox_;
    tbb::flow::queue_node<Cell*> pool_;
    tbb::flow::join_node<Pair, tbb::flow::reserving> join_;
    tbb::flow::function_node<Pair, Cell*> meeting_;
    std::vector<std::unique_ptr<tbb::flow::function_node<Cell*, Cell*>>> host_steps_;
    using Gate = tbb::flow::async_node<Cell*, Cell*>;
    std::unique_ptr<Gate> gate_;
    std::vector<std::unique_ptr<KernelStep<Cell>>> kernel_steps_;
    std::vector<std::unique_ptr<tbb::flow::sequencer_node<Cell*>>> sequencers_;
    std::unique_ptr<tbb::flow::function_node<Cell*, tbb::flow::continue_msg>> sink_;
    tbb::flow::sender<Cell*>* last_ = nullptr;
    /// Threads that block on streams of devices, so that no worker of the graph does.
    std::unique_ptr<data::ThreadPool> waiters_;  // destroyed first: its tasks use all of the above
};

template <class Item, class Slot>
SlotGraph<Item, Slot>::SlotGraph(tbb::flow::graph& graph, RunState& state, Tracer& tracer, Spec spec,
                                 std::vector<std::unique_ptr<Slot>> slots)
    : name_(spec.name),
      state_(state),
      tracer_(tracer),
      trace_(tracer.graph(name_)),
      spec_(std::move(spec)),
      source_stage_(spec_.next ? tracer.stage(spec_.source_name) : 0),
      cells_(slots.size()),
      slots_(slots.size()),
      pool_(graph),
      join_(graph),
      meeting_(graph, tbb::flow::unlimited, [this](const Pair& pair) { return meet(pair); }) {
    tracer_.in_flight().set_slots(trace_, static_cast<int64_t>(slots.size()));
    // One for each batch that can be on a device, so that none is noticed only after another.
    if (!spec_.synchronous) waiters_ = std::make_unique<data::ThreadPool>(slots.size());
    if (spec_.next) {
        source_ =
            std::make_unique<tbb::flow::input_node<Message*>>(graph, [this](tbb::flow_control& control) {
                Message* message = nullptr;
                if (!make_message(message)) control.stop();
                return message;
            });
        tbb::flow::make_edge(*source_, tbb::flow::input_port<0>(join_));
    } else {
        mailbox_ = std::make_unique<tbb::flow::queue_node<Message*>>(graph);
        tbb::flow::make_edge(*mailbox_, tbb::flow::input_port<0>(join_));
    }
    tbb::flow::make_edge(pool_, tbb::flow::input_port<1>(join_));
    tbb::flow::make_edge(join_, meeting_);
    last_ = &meeting_;
    for (Step<Slot>& step : spec_.steps) add_step(graph, std::move(step));
    sink_stage_ = tracer.stage(name_ + ".sink");
    build_sink(graph, spec_.ordered);
    for (size_t i = 0; i < slots.size(); ++i) {
        cells_[i].slot = std::move(slots[i]);
        send_home(&cells_[i]);
    }
}

template <class Item, class Slot>
auto SlotGraph<Item, Slot>::acquire() -> Message* {
    const std::lock_guard lock(messages_mutex_);
    if (free_messages_.empty()) {
        messages_.push_back(std::make_unique<Message>());
        return messages_.back().get();
    }
    Message* const message = free_messages_.back();
    free_messages_.pop_back();
    return message;
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::give_back(Message* message) {
    const std::lock_guard lock(messages_mutex_);
    free_messages_.push_back(message);
}

template <class Item, class Slot>
bool SlotGraph<Item, Slot>::make_message(Message*& message) {
    if (state_.stopped()) return false;
    message = acquire();
    const uint64_t ordinal = started_;
    message->number = spec_.number ? spec_.number(ordinal) : ordinal;
    message->error = nullptr;
    try {
        const Span span(tracer_, source_stage_, message->number, trace_);
        if (!spec_.next(message->item)) {
            give_back(message);
            return false;
        }
    } catch (...) {
        // The batch travels as an empty one with its error; the batches before it are still processed in
        // order.
        message->error = std::current_exception();
    }
    ++started_;
    return true;
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::put(const std::function<void(Item&)>& fill) {
    Message* const message = acquire();
    message->number = started_++;
    message->error = nullptr;
    fill(message->item);
    mailbox_->try_put(message);
}

template <class Item, class Slot>
auto SlotGraph<Item, Slot>::meet(const Pair& pair) -> Cell* {
    auto [message, cell] = pair;
    --home_;
    tracer_.in_flight().begin_batch(trace_);
    cell->number = message->number;
    cell->error = message->error;
    if (!cell->error) {
        try {
            spec_.take(message->item, *cell->slot);
        } catch (...) {
            cell->error = std::current_exception();
        }
    }
    if (cell->error) state_.fail(cell->number, cell->error);
    give_back(message);
    return cell;
}

template <class Item, class Slot>
template <class Body>
void SlotGraph<Item, Slot>::guarded(Cell& cell, size_t stage, const Body& body) {
    if (!cell.error && !state_.stopped()) always(cell, stage, body);
}

template <class Item, class Slot>
template <class Body>
void SlotGraph<Item, Slot>::always(Cell& cell, size_t stage, const Body& body) {
    keep_error(cell, [&] {
        const Span span(tracer_, stage, cell.number, trace_);
        body(*cell.slot);
    });
}

template <class Item, class Slot>
template <class Body>
void SlotGraph<Item, Slot>::keep_error(Cell& cell, const Body& body) {
    try {
        body();
    } catch (...) {
        cell.error = std::current_exception();
        state_.fail(cell.number, cell.error);
    }
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::add_step(tbb::flow::graph& graph, Step<Slot> step) {
    if (step.stream) {
        add_kernel_step(graph, std::move(step));
        return;
    }
    const auto run = [this, stage = tracer_.stage(step.name), body = std::move(step.body)](Cell* cell) {
        guarded(*cell, stage, body);
        return cell;
    };
    if (step.ordered) add_sequencer(graph);
    const size_t concurrency = step.ordered ? tbb::flow::serial : tbb::flow::unlimited;
    host_steps_.push_back(std::make_unique<tbb::flow::function_node<Cell*, Cell*>>(graph, concurrency, run));
    tbb::flow::make_edge(*last_, *host_steps_.back());
    last_ = host_steps_.back().get();
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::add_kernel_step(tbb::flow::graph& graph, Step<Slot> step) {
    if (kernel_steps_.empty() && spec_.wait && !spec_.synchronous) add_gate(graph);
    // On a host stream the op's call is the work. On a device the host prepares, submits and collects, and
    // the device's own time is that between its events.
    const size_t device_stage = tracer_.stage(step.name);
    const auto stage_of = [this, &step, device_stage](const char* part) {
        return spec_.synchronous ? device_stage : tracer_.stage(step.name + part);
    };
    KernelCalls<Cell> calls;
    calls.repeats = step.repeats;
    calls.prepare = [this, stage = stage_of(".prepare"), call_op = std::move(step.call_op)](Cell& cell) {
        if (cell.error) return false;
        bool any = false;
        guarded(cell, stage, [&any, &call_op](Slot& slot) { any = call_op(slot); });
        return any && !cell.error;
    };
    calls.submit = [this, stage = stage_of(".submit"), stream = step.stream](Cell& cell) {
        // Also when the run has failed: the stream is then as wait() expects it.
        always(cell, stage, [&stream](Slot& slot) { stream(slot).submit(); });
        cell.submitted_ns = Tracer::wall_ns();
    };
    calls.block = [stream = step.stream](Cell& cell) {
        stream(*cell.slot).block();
        cell.done_ns = Tracer::wall_ns();
    };
    calls.collect = [this, device_stage, stage = stage_of(".collect"), stream = step.stream](Cell& cell) {
        if (spec_.synchronous) {
            keep_error(cell, [&] { stream(*cell.slot).wait(); });
            return;
        }
        always(cell, stage, [&stream](Slot& slot) { stream(slot).wait(); });
        const kernels::DeviceSpan span = stream(*cell.slot).device_span();
        const bool is_timed = !cell.error && span.end_ns != 0;
        const auto slot = static_cast<size_t>(&cell - cells_.data());
        tracer_.record_device(device_stage, trace_, cell.number, slot,
                              is_timed ? span.begin_ns : cell.submitted_ns,
                              is_timed ? span.end_ns : cell.done_ns);
    };
    kernel_steps_.push_back(
        std::make_unique<KernelStep<Cell>>(graph, spec_.synchronous, waiters_.get(), std::move(calls)));
    tbb::flow::make_edge(*last_, kernel_steps_.back()->input());
    last_ = &kernel_steps_.back()->output();
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::add_gate(tbb::flow::graph& graph) {
    gate_ = std::make_unique<Gate>(
        graph, tbb::flow::unlimited, [this](Cell* cell, typename Gate::gateway_type& gateway) {
            if (spec_.is_ready()) {
                gateway.try_put(cell);  // where it could not be made, the next step meets that
                return;
            }
            gateway.reserve_wait();
            waiters_->submit([this, cell, &gateway] {
                if (!cell->error) keep_error(*cell, spec_.wait);
                gateway.try_put(cell);
                gateway.release_wait();
            });
        });
    tbb::flow::make_edge(*last_, *gate_);
    last_ = &tbb::flow::output_port<0>(*gate_);
}

/// Before every node that needs the order: a serial node gives its results to the next one in any order.
template <class Item, class Slot>
void SlotGraph<Item, Slot>::add_sequencer(tbb::flow::graph& graph) {
    sequencers_.push_back(std::make_unique<tbb::flow::sequencer_node<Cell*>>(
        graph, [](const Cell* cell) { return static_cast<size_t>(cell->number); }));
    tbb::flow::make_edge(*last_, *sequencers_.back());
    last_ = sequencers_.back().get();
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::build_sink(tbb::flow::graph& graph, bool ordered) {
    sink_ = std::make_unique<tbb::flow::function_node<Cell*, tbb::flow::continue_msg>>(
        graph, tbb::flow::serial, [this](Cell* cell) {
            finish(cell);
            return tbb::flow::continue_msg();
        });
    if (ordered) add_sequencer(graph);
    tbb::flow::make_edge(*last_, *sink_);
}

template <class Item, class Slot>
void SlotGraph<Item, Slot>::finish(Cell* cell) {
    const Lease lease(cell, [this](void* home) {
        tracer_.in_flight().end_batch(trace_);
        send_home(static_cast<Cell*>(home));
    });
    guarded(*cell, sink_stage_, [this, &lease](Slot& slot) { spec_.sink(slot, lease); });
    ++finished_;
}

}  // namespace gannet::pipeline::graph
