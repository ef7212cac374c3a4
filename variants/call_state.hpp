// SPDX-License-Identifier: MIT
// Provides the windows of a batch, and the steps that serve it.
#pragma once

#include "variants/call_work.hpp"
#include "variants/window_call.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace gannet::variants {

struct CallWork::State {
    /// The next window of the batch. With `keeps_reads`, which examples need until the network has answered,
    /// it has reads of its own; else all windows of the batch have those of the last one.
    WindowCall& add_window(const data::Region& window, bool keeps_reads);
    std::span<WindowCall> windows() { return {windows_.data(), count_}; }
    void clear() { count_ = 0; }

    WindowCaller caller;

  private:
    std::vector<WindowCall> windows_;  // the first count_ are in use
    size_t count_ = 0;
};

}  // namespace gannet::variants
