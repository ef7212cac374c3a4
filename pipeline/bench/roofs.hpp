// SPDX-License-Identifier: MIT
// Provides the bounds that results are compared with, measured on this machine when they are needed.
#pragma once

#include "kernels/backend.hpp"
#include "pipeline/bench/roof_loops.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace gannet::pipeline::bench {

/// A rate that nothing on this machine can pass, as measured in this process.
struct Roof {
    std::string name;
    double rate = 0;   ///< per CPU second of one thread; 0: not measured, because nothing is compared with it
    std::string unit;  ///< of what, as "cells"
    std::string what;  ///< how it is measured
};

/// Each roof is the best of several short bursts, on all threads at once, by each thread's own CPU clock.
class Roofs {
  public:
    Roofs(kernels::SimdLevel level, int threads) : level_(level), threads_(threads) {}

    const Roof& banded_sw_bytes();  ///< cells
    const Roof& banded_sw_words();  ///< cells
    const Roof& pair_hmm();         ///< cells
    const Roof& pileup_network();   ///< products
    /// Bytes copied, from and to memory that is `bytes` large altogether.
    const Roof& copy(size_t bytes);
    /// Adds a roof that a stage has measured by itself.
    const Roof& add(Roof roof);

    const std::deque<Roof>& all() const { return roofs_; }

  private:
    const Roof& of_loop(const std::string& name, const RoofLoop& loop, const std::string& unit,
                        const std::string& what);
    const Roof* find(const std::string& name) const;
    /// Does a piece of work on the thread of that number; what it returns keeps the work from being left out.
    using Burst = std::function<uint64_t(size_t thread)>;
    double best_rate(double work, const Burst& burst, int bursts);

    kernels::SimdLevel level_;
    int threads_;
    std::atomic<uint64_t> sink_{0};
    std::deque<Roof> roofs_;
};

}  // namespace gannet::pipeline::bench
