// SPDX-License-Identifier: MIT
// Provides the stream of the CPU backends, on which every op has finished when its call returns.
#pragma once

#include "kernels/stream.hpp"

namespace gannet::kernels {

class HostStream final : public Stream {
  public:
    void wait() override {}
    bool is_synchronous() const override { return true; }
};

}  // namespace gannet::kernels
