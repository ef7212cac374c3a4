// SPDX-License-Identifier: MIT
// Provides the measurement of roofs.
#include "pipeline/bench/roofs.hpp"

#include "pipeline/bench/measurement.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace gannet::pipeline::bench {

namespace sse42 {
uint64_t banded_sw_roof(uint64_t rounds);
uint64_t pileup_network_roof(uint64_t rounds);
extern const uint64_t pileup_network_roof_products;
extern const uint64_t banded_sw_roof_cells;
}  // namespace sse42
namespace avx2 {
uint64_t banded_sw_roof(uint64_t rounds);
uint64_t pileup_network_roof(uint64_t rounds);
extern const uint64_t pileup_network_roof_products;
uint64_t pair_hmm_roof(uint64_t rounds);
extern const uint64_t banded_sw_roof_cells;
extern const uint64_t pair_hmm_roof_cells;
}  // namespace avx2
namespace avx512 {
uint64_t banded_sw_roof(uint64_t rounds);
uint64_t pileup_network_roof(uint64_t rounds);
extern const uint64_t pileup_network_roof_products;
uint64_t pair_hmm_roof(uint64_t rounds);
extern const uint64_t banded_sw_roof_cells;
extern const uint64_t pair_hmm_roof_cells;
}  // namespace avx512

using kernels::SimdLevel;

RoofLoop banded_sw_loop(SimdLevel level) {
    if (level == SimdLevel::avx512) return {avx512::banded_sw_roof, avx512::banded_sw_roof_cells};
    if (level == SimdLevel::avx2) return {avx2::banded_sw_roof, avx2::banded_sw_roof_cells};
    if (level == SimdLevel::sse42) return {sse42::banded_sw_roof, sse42::banded_sw_roof_cells};
    return {};
}

RoofLoop pair_hmm_loop(SimdLevel level) {
    if (level == SimdLevel::avx512) return {avx512::pair_hmm_roof, avx512::pair_hmm_roof_cells};
    if (level == SimdLevel::avx2) return {avx2::pair_hmm_roof, avx2::pair_hmm_roof_cells};
    return {};
}

RoofLoop pileup_network_loop(SimdLevel level) {
    if (level == SimdLevel::avx512)
        return {avx512::pileup_network_roof, avx512::pileup_network_roof_products};
    if (level == SimdLevel::avx2) return {avx2::pileup_network_roof, avx2::pileup_network_roof_products};
    if (level == SimdLevel::sse42) return {sse42::pileup_network_roof, sse42::pileup_network_roof_products};
    return {};
}

namespace {

constexpr uint64_t k_rounds = 4000;  // some 0.1 ms
constexpr int k_bursts = 100;

}  // namespace

const Roof* Roofs::find(const std::string& name) const {
    for (const Roof& roof : roofs_) {
        if (roof.name == name) return &roof;
    }
    return nullptr;
}

const Roof& Roofs::add(Roof roof) {
    if (const Roof* const known = find(roof.name)) return *known;
    return roofs_.emplace_back(std::move(roof));
}

double Roofs::best_rate(double work, const Burst& burst, int bursts) {
    std::vector<double> rates(static_cast<size_t>(threads_), 0.0);
    {
        std::vector<std::jthread> threads;
        for (size_t thread = 0; thread < rates.size(); ++thread) {
            threads.emplace_back([this, &rate = rates[thread], &burst, thread, work, bursts] {
                for (int i = 0; i < bursts; ++i) {
                    const double begin = thread_seconds();
                    sink_ += burst(thread);
                    rate = std::max(rate, work / std::max(1e-9, thread_seconds() - begin));
                }
            });
        }
    }
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum / threads_;
}

const Roof& Roofs::of_loop(const std::string& name, const RoofLoop& loop, const std::string& unit,
                           const std::string& what) {
    if (const Roof* const known = find(name)) return *known;
    if (loop.run == nullptr) return add({name, 0, unit, "this CPU has no vectors for it"});
    const double rate = best_rate(
        static_cast<double>(loop.work * k_rounds), [&loop](size_t) { return loop.run(k_rounds); }, k_bursts);
    return add({name, rate, unit, what + ", from registers only, " + std::string(kernels::name(level_))});
}

const Roof& Roofs::banded_sw_bytes() {
    return of_loop(
        "banded_sw_bytes", banded_sw_loop(level_), "cells",
        "11 vector operations a cell (4 saturating additions, 5 minima, xor, byte shuffle), one cell "
        "a byte");
}

const Roof& Roofs::banded_sw_words() {
    const double bytes = banded_sw_bytes().rate;
    return add({"banded_sw_words", bytes / 2, "cells", "as banded_sw_bytes, one cell two bytes"});
}

const Roof& Roofs::pair_hmm() {
    return of_loop(
        "pair_hmm", pair_hmm_loop(level_), "cells",
        "9 vector operations a cell (5 fused multiply-adds, multiplication, addition, shift, blend) "
        "in fp32");
}

const Roof& Roofs::pileup_network() {
    return of_loop(
        "pileup_network", pileup_network_loop(level_), "products",
        "3 vector operations (products of bytes added by twos, by fours, to a sum) a vector of bytes");
}

const Roof& Roofs::copy(size_t bytes) {
    constexpr size_t k_max_bytes = size_t{256} << 20;
    constexpr int k_copies = 5;
    if (const Roof* const known = find("copy")) return *known;
    const size_t each = std::max<size_t>(4096, std::min(bytes, k_max_bytes) / static_cast<size_t>(threads_));
    std::vector<std::vector<char>> memory(2 * static_cast<size_t>(threads_), std::vector<char>(each, 1));
    const Burst burst = [&memory, each](size_t thread) {
        std::memcpy(memory[2 * thread].data(), memory[2 * thread + 1].data(), each);
        return static_cast<uint64_t>(memory[2 * thread][each / 2]);
    };
    const double rate = best_rate(static_cast<double>(each), burst, k_copies);
    return add({"copy", rate, "bytes", "memcpy of " + std::to_string(each) + " bytes a thread"});
}

}  // namespace gannet::pipeline::bench
