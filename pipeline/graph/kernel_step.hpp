// SPDX-License-Identifier: MIT
// Provides the step of a flow graph that runs an op on a stream: the seam where the host hands a batch to a
// device.
#pragma once

#include "data/threads.hpp"

#include <tbb/flow_graph.h>

#include <functional>
#include <memory>
#include <tuple>

namespace gannet::pipeline::graph {

/// What a kernel step does with a batch; none of these may throw (errors are kept in the cell).
template <class Cell>
struct KernelCalls {
    std::function<bool(Cell&)> prepare;  ///< calls the op; false when there is nothing for the device
    std::function<void(Cell&)> submit;   ///< only enqueues
    std::function<void(Cell&)> block;    ///< sleeps until the device is done
    std::function<void(Cell&)> collect;  ///< takes the results, and what went wrong
    /// A batch goes through all of this again until prepare() finds nothing more for the device.
    bool repeats = false;
};

/// One instance per kernel round. Where streams are synchronous, the op's call is the work itself: one
/// parallel function_node. Where they are not, there are three nodes: preparing (parallel), an async_node
/// whose body only submits while a thread of the waiters blocks, and collecting (parallel). A batch without
/// work for the device goes through at once. `on_device` of a cell says whether it has some. A step that
/// repeats leads a batch from collecting back to preparing.
template <class Cell>
class KernelStep {
  public:
    KernelStep(tbb::flow::graph& graph, bool synchronous, data::ThreadPool* waiters, KernelCalls<Cell> given)
        : calls_(std::move(given)), first_(graph, tbb::flow::unlimited, [this, synchronous](Cell* cell) {
              do {
                  cell->on_device = calls_.prepare(*cell);
                  if (synchronous && cell->on_device) calls_.collect(*cell);
              } while (synchronous && calls_.repeats && cell->on_device);
              return cell;
          }) {
        if (synchronous) return;
        device_ = std::make_unique<Deferred>(graph, tbb::flow::unlimited,
                                             [this, waiters](Cell* cell, Gateway& gateway) {
                                                 if (!cell->on_device) {
                                                     gateway.try_put(cell);
                                                     return;
                                                 }
                                                 calls_.submit(*cell);
                                                 gateway.reserve_wait();
                                                 waiters->submit([this, cell, &gateway] {
                                                     calls_.block(*cell);
                                                     gateway.try_put(cell);
                                                     gateway.release_wait();
                                                 });
                                             });
        last_ = std::make_unique<Last>(graph, tbb::flow::unlimited,
                                       [this](Cell* cell, typename Last::output_ports_type& ports) {
                                           if (cell->on_device) calls_.collect(*cell);
                                           if (cell->on_device && calls_.repeats)
                                               std::get<1>(ports).try_put(cell);
                                           else
                                               std::get<0>(ports).try_put(cell);
                                       });
        tbb::flow::make_edge(first_, *device_);
        tbb::flow::make_edge(tbb::flow::output_port<0>(*device_), *last_);
        tbb::flow::make_edge(tbb::flow::output_port<1>(*last_), first_);
    }
    KernelStep(const KernelStep&) = delete;
    KernelStep& operator=(const KernelStep&) = delete;

    tbb::flow::receiver<Cell*>& input() { return first_; }
    tbb::flow::sender<Cell*>& output() {
        if (last_) return tbb::flow::output_port<0>(*last_);
        return first_;
    }

  private:
    using Node = tbb::flow::function_node<Cell*, Cell*>;
    using Deferred = tbb::flow::async_node<Cell*, Cell*>;
    using Last = tbb::flow::multifunction_node<Cell*, std::tuple<Cell*, Cell*>>;
    using Gateway = typename Deferred::gateway_type;

    KernelCalls<Cell> calls_;
    Node first_;
    std::unique_ptr<Deferred> device_;
    std::unique_ptr<Last> last_;
};

}  // namespace gannet::pipeline::graph
