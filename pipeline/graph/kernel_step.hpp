// SPDX-License-Identifier: MIT
// Provides the step of a flow graph that runs an op on a stream: the seam where the host hands a batch to a
// device.
#pragma once

#include "pipeline/graph/waiter_pool.hpp"

#include <tbb/flow_graph.h>

#include <functional>
#include <memory>

namespace gannet::pipeline::graph {

/// One instance per kernel round. `enqueue(cell)` puts the work of the batch on its stream and returns
/// whether there was any, `wait(cell)` blocks until it is done; neither may throw (errors are kept in the
/// cell). Where streams are synchronous, enqueueing is the work itself: a parallel function_node. Where they
/// are not, the body of an async_node only enqueues, and a waiter thread blocks; a batch without work for the
/// device continues at once.
template <class Cell>
class KernelStep {
  public:
    using Enqueue = std::function<bool(Cell&)>;
    using Wait = std::function<void(Cell&)>;

    KernelStep(tbb::flow::graph& graph, bool synchronous, WaiterPool* waiters, Enqueue enqueue, Wait wait) {
        if (synchronous) {
            direct_ =
                std::make_unique<Direct>(graph, tbb::flow::unlimited,
                                         [enqueue = std::move(enqueue), wait = std::move(wait)](Cell* cell) {
                                             if (enqueue(*cell)) wait(*cell);
                                             return cell;
                                         });
            return;
        }
        deferred_ = std::make_unique<Deferred>(
            graph, tbb::flow::unlimited,
            [waiters, enqueue = std::move(enqueue), wait = std::move(wait)](Cell* cell, Gateway& gateway) {
                if (!enqueue(*cell)) {
                    gateway.try_put(cell);
                    return;
                }
                gateway.reserve_wait();
                waiters->submit([cell, &gateway, &wait] {
                    wait(*cell);
                    gateway.try_put(cell);
                    gateway.release_wait();
                });
            });
    }

    tbb::flow::receiver<Cell*>& input() {
        return direct_ ? static_cast<tbb::flow::receiver<Cell*>&>(*direct_) : *deferred_;
    }
    tbb::flow::sender<Cell*>& output() {
        return direct_ ? static_cast<tbb::flow::sender<Cell*>&>(*direct_)
                       : tbb::flow::output_port<0>(*deferred_);
    }

  private:
    using Direct = tbb::flow::function_node<Cell*, Cell*>;
    using Deferred = tbb::flow::async_node<Cell*, Cell*>;
    using Gateway = typename Deferred::gateway_type;
    std::unique_ptr<Direct> direct_;
    std::unique_ptr<Deferred> deferred_;
};

}  // namespace gannet::pipeline::graph
