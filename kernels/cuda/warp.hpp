// SPDX-License-Identifier: MIT
// Provides the warp on which a kernel runs a device schedule; only for .cu files.
#pragma once

#include "kernels/warp.hpp"

#include <cstdint>

namespace gannet::kernels::cuda {

/// The lanes of a phase are the warp's threads. Phases begin and end together: what lies between them reads
/// the warp's memory on every lane. The members are the host's too in name only: constexpr functions that
/// call them exist on both sides. kernels/warp.hpp describes them.
class Warp {
  public:
    explicit __device__ Warp(uint32_t lane) : lane_(lane) {}

    template <class Phase>
    __host__ __device__ void each(const Phase& phase) const {
        synchronise();
        phase(lane_);
        synchronise();
    }
    template <class Phase>
    __host__ __device__ uint32_t ballot(const Phase& phase) const {
        synchronise();
        const bool bit = phase(lane_);
#ifdef __CUDA_ARCH__
        return __ballot_sync(~0u, bit);
#else
        return bit;
#endif
    }
    template <class Phase>
    __host__ __device__ uint32_t sum(const Phase& phase) const {
        synchronise();
        const uint32_t value = phase(lane_);
#ifdef __CUDA_ARCH__
        return __reduce_add_sync(~0u, value);
#else
        return value;
#endif
    }
    template <class Phase>
    __host__ __device__ uint32_t sum(const Phase& phase, [[maybe_unused]] uint32_t* before) const {
        synchronise();
        const uint32_t value = phase(lane_);
        uint32_t total = value;
#ifdef __CUDA_ARCH__
        for (uint32_t distance = 1; distance < k_warp_lanes; distance *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, total, distance);
            if (lane_ >= distance) total += other;
        }
        before[lane_] = total - value;
        total = __shfl_sync(~0u, total, k_warp_lanes - 1);
#endif
        return total;
    }
    __host__ __device__ static void add([[maybe_unused]] uint32_t* word, [[maybe_unused]] uint32_t count) {
#ifdef __CUDA_ARCH__
        atomicAdd(word, count);
#endif
    }
    __host__ __device__ static void raise([[maybe_unused]] uint32_t* word, [[maybe_unused]] uint32_t value) {
#ifdef __CUDA_ARCH__
        atomicMax(word, value);
#endif
    }
    __host__ __device__ static void set_bits([[maybe_unused]] uint32_t* word,
                                             [[maybe_unused]] uint32_t bits) {
#ifdef __CUDA_ARCH__
        atomicOr(word, bits);
#endif
    }
    __host__ __device__ static uint64_t claim([[maybe_unused]] unsigned long long* counter,
                                              [[maybe_unused]] uint32_t count) {
#ifdef __CUDA_ARCH__
        return atomicAdd(counter, static_cast<unsigned long long>(count));
#else
        return 0;
#endif
    }
    __host__ __device__ uint64_t take([[maybe_unused]] unsigned long long* counter,
                                      [[maybe_unused]] uint32_t count) const {
        unsigned long long before = 0;
#ifdef __CUDA_ARCH__
        if (lane_ == 0) before = claim(counter, count);
        before = __shfl_sync(~0u, before, 0);
#endif
        return before;
    }

  private:
    __host__ __device__ static void synchronise() {
#ifdef __CUDA_ARCH__
        __syncwarp();
#endif
    }

    uint32_t lane_;
};

}  // namespace gannet::kernels::cuda
