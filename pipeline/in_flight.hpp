// SPDX-License-Identifier: MIT
// Provides what a run works on at this moment, for the view on a terminal.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gannet::pipeline {

/// Stages and graphs by their number in the Tracer; those beyond the limits are not shown. Thread-safe; costs
/// two additions per span and per batch. Only for people: the numbers of one moment need not fit together.
class InFlight {
  public:
    static constexpr size_t k_max_stages = 128;
    static constexpr size_t k_max_graphs = 16;

    void enter(size_t stage) { add(stages_, stage, 1); }
    void leave(size_t stage) { add(stages_, stage, -1); }
    int64_t threads_in(size_t stage) const { return get(stages_, stage); }

    /// The batches of a graph that are on their way, and how many there can be.
    void set_slots(size_t graph, int64_t slots) {
        if (graph < k_max_graphs) slots_[graph].store(slots, std::memory_order_relaxed);
    }
    void begin_batch(size_t graph) { add(batches_, graph, 1); }
    void end_batch(size_t graph) { add(batches_, graph, -1); }
    int64_t batches(size_t graph) const { return get(batches_, graph); }
    int64_t slots(size_t graph) const { return get(slots_, graph); }

    void set_memory_limit(uint64_t bytes) { memory_limit_ = bytes; }
    uint64_t memory_limit() const { return memory_limit_; }

  private:
    template <size_t Size>
    using Counts = std::array<std::atomic<int64_t>, Size>;
    template <size_t Size>
    static void add(Counts<Size>& counts, size_t at, int64_t amount) {
        if (at < Size) counts[at].fetch_add(amount, std::memory_order_relaxed);
    }
    template <size_t Size>
    static int64_t get(const Counts<Size>& counts, size_t at) {
        return at < Size ? counts[at].load(std::memory_order_relaxed) : 0;
    }

    Counts<k_max_stages> stages_{};
    Counts<k_max_graphs> batches_{};
    Counts<k_max_graphs> slots_{};
    std::atomic<uint64_t> memory_limit_{0};
};

}  // namespace gannet::pipeline
