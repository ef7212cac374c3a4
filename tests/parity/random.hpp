// SPDX-License-Identifier: MIT
// Provides the random numbers of the parity suite: the same on every machine and standard library.
#pragma once

#include <cstdint>

namespace gannet::parity {

/// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        uint64_t value = state_;
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
        value = (value ^ value >> 27) * 0x94d049bb133111eb;
        return value ^ value >> 31;
    }
    /// 0 .. bound - 1.
    uint64_t below(uint64_t bound) { return next() % bound; }
    /// low .. high, both included.
    uint32_t between(uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(below(high - low + 1));
    }
    bool chance(uint32_t percent) { return below(100) < percent; }

  private:
    uint64_t state_;
};

}  // namespace gannet::parity
