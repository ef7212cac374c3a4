// SPDX-License-Identifier: MIT
// Provides the warp on which the host runs the device schedule of pileup_network.
#pragma once

#include "kernels/warp.hpp"

#include <cstdint>
#include <cstring>

namespace gannet::kernels::pileup {

class NetworkWarp : public HostWarp {
  public:
    using HostWarp::HostWarp;
    static uint32_t word(const void* from) {
        uint32_t value = 0;
        std::memcpy(&value, from, sizeof(value));
        return value;
    }
    static int32_t dot(uint32_t inputs, uint32_t weights, int32_t sum) {
        for (uint32_t bit = 0; bit < 32; bit += 8)
            sum += static_cast<int32_t>(inputs >> bit & 0xff) * static_cast<int8_t>(weights >> bit & 0xff);
        return sum;
    }
};

}  // namespace gannet::kernels::pileup
