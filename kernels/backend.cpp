// SPDX-License-Identifier: MIT
// Provides the names of backends and SIMD levels and what this machine supports.
#include "kernels/backend.hpp"

#include "kernels/cuda/device.hpp"

#include <array>
#include <cpuid.h>
#include <cstdint>
#include <utility>

namespace gannet::kernels {

namespace {

constexpr std::array<std::pair<Backend, std::string_view>, 4> k_backends{{{Backend::reference, "reference"},
                                                                          {Backend::simd, "simd"},
                                                                          {Backend::emulated, "emulated"},
                                                                          {Backend::cuda, "cuda"}}};
constexpr std::array<std::pair<SimdLevel, std::string_view>, 4> k_levels{{{SimdLevel::none, "none"},
                                                                          {SimdLevel::sse42, "sse4.2"},
                                                                          {SimdLevel::avx2, "avx2"},
                                                                          {SimdLevel::avx512, "avx512"}}};

struct Leaf {
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(uint32_t leaf) {
    Leaf result;
    __get_cpuid_count(leaf, 0, &result.eax, &result.ebx, &result.ecx, &result.edx);
    return result;
}

bool has(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

/// The register sets that the operating system saves (XCR0); 0 where it saves none beyond SSE.
uint64_t saved_register_sets(const Leaf& features) {
    if (!has(features.ecx, bit_OSXSAVE)) return 0;
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

/// The levels are those of the x86-64 psABI (v2, v3, v4), because that is what the sources are compiled for.
SimdLevel detect() {
    constexpr uint64_t k_ymm_sets = 0x6;
    constexpr uint64_t k_zmm_sets = 0xe6;
    const Leaf features = cpuid(1);
    const Leaf extended = cpuid(7);
    const Leaf amd = cpuid(0x80000001);
    const uint64_t saved = saved_register_sets(features);
    if (!has(features.ecx, bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT)) return SimdLevel::none;
    if ((saved & k_ymm_sets) != k_ymm_sets || !has(features.ecx, bit_AVX | bit_FMA | bit_F16C | bit_MOVBE) ||
        !has(extended.ebx, bit_AVX2 | bit_BMI | bit_BMI2) || !has(amd.ecx, bit_LZCNT)) {
        return SimdLevel::sse42;
    }
    if ((saved & k_zmm_sets) != k_zmm_sets ||
        !has(extended.ebx, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL | bit_AVX512CD)) {
        return SimdLevel::avx2;
    }
    return SimdLevel::avx512;
}

}  // namespace

std::string_view name(Backend backend) {
    for (const auto& [value, text] : k_backends) {
        if (value == backend) return text;
    }
    return "unknown";
}

std::string_view name(SimdLevel level) {
    for (const auto& [value, text] : k_levels) {
        if (value == level) return text;
    }
    return "unknown";
}

std::optional<Backend> parse_backend(std::string_view text) {
    for (const auto& [value, known] : k_backends) {
        if (known == text) return value;
    }
    return std::nullopt;
}

std::optional<SimdLevel> parse_simd_level(std::string_view text) {
    for (const auto& [value, known] : k_levels) {
        if (known == text && value != SimdLevel::none) return value;
    }
    return std::nullopt;
}

SimdLevel detected_simd_level() {
    static const SimdLevel level = detect();
    return level;
}

BackendStatus backend_status(Backend backend) {
    switch (backend) {
        case Backend::reference:
            return {backend, true, "scalar code, the oracle of the others"};
        case Backend::simd: {
            const SimdLevel level = detected_simd_level();
            const bool has_simd = level != SimdLevel::none;
            return {backend, has_simd, has_simd ? std::string(name(level)) : "this CPU has no SSE4.2"};
        }
        case Backend::emulated:
            return {backend, true, "the device schedule on the host, for tests"};
        case Backend::cuda:
            break;
    }
    const cuda::DeviceStatus device = cuda::device_status();
    return {backend, device.usable, device.detail};
}

std::vector<BackendStatus> backend_status() {
    std::vector<BackendStatus> all;
    for (const auto& [backend, text] : k_backends) all.push_back(backend_status(backend));
    return all;
}

std::vector<OpBackend> op_backends(Backend backend) {
    // An op without a kernel runs on the host.
    const auto where = [backend](bool has_kernel) {
        return backend == Backend::cuda && !has_kernel ? Backend::simd : backend;
    };
    std::vector<OpBackend> ops{{"find_candidates", where(cuda::find_candidates() != nullptr)},
                               {"rescue", where(cuda::rescue() != nullptr)},
                               {"pairing", where(cuda::pairing() != nullptr)},
                               {"banded_sw", backend},
                               {"pair_hmm", where(cuda::pair_hmm() != nullptr)},
                               {"pileup_network", where(cuda::pileup_network() != nullptr)}};
    // On simd libraries compress and inflate.
    if (deflate_function(backend) != nullptr) ops.push_back({"deflate", backend});
    if (inflate_function(backend) != nullptr) ops.push_back({"inflate", backend});
    return ops;
}

}  // namespace gannet::kernels
