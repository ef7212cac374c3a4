// SPDX-License-Identifier: MIT
// Provides what runs translated kernels: lanes, warps, blocks and grids, in an order of one's choice.
//
// Each lane runs to the next instruction at which it waits for others, then the next lane does; when all wait
// they exchange what they have come for. The order of lanes, of a block's warps and of blocks is up, down, or
// random by a seed. In random order warps of a block take turns, and a lane may also stop at any loop, so
// that what lanes do between two barriers mixes. A fault is an exception that says kernel, block and lane.
#pragma once

#include "tests/device/memory.hpp"
#include "tests/device/work.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gannet::ptx {

inline constexpr uint32_t k_lanes = 32;

enum class Together : uint8_t {
    barrier,
    ballot,
    sum,
    shuffle_index,
    shuffle_up,
    shuffle_down,
    shuffle_across
};

struct Lane {
    enum class State : uint8_t { running, waiting, ended };

    uint32_t number = 0;  ///< in its warp
    uint32_t thread = 0;  ///< in its block
    State state = State::running;
    uint32_t at = 0;     ///< where it resumes
    uint32_t steps = 1;  ///< loops that it may still begin
    Stamp stamp = 0;
    std::byte* registers = nullptr;
    uint8_t* local = nullptr;
    uint32_t local_bytes = 0;
    WorkCounter* counter = nullptr;  ///< of its warp, where the kernel counts
    // What it waits for, and what it brings; then what it gets.
    Together kind = Together::barrier;
    uint32_t value = 0, first = 0, second = 0, mask = 0;
    uint32_t result = 0;
    bool is_valid = false;

    void wait(uint32_t place, Together what, uint32_t brought, uint32_t a, uint32_t b, uint32_t lanes) {
        state = State::waiting;
        at = place;
        kind = what;
        value = brought;
        first = a;
        second = b;
        mask = lanes;
    }
    void end() { state = State::ended; }
    bool pauses() { return --steps == 0; }
    uint64_t local_pointer(uint32_t offset) const { return reinterpret_cast<uint64_t>(local) + offset; }
};

struct Block {
    const char* kernel = nullptr;
    uint32_t number = 0;
    uint32_t blocks = 0;
    uint32_t threads = 0;
    const uint8_t* parameters = nullptr;
    uint32_t parameter_bytes = 0;
    Extent shared;
    Stamp first_warp = 0;  ///< the stamp of its first warp, of lane 0

    uint64_t parameter_pointer(uint32_t offset) const {
        return reinterpret_cast<uint64_t>(parameters) + offset;
    }
    uint64_t shared_pointer(uint64_t offset) const { return shared.begin + offset; }
    uint64_t shared_offset(uint64_t pointer) const { return pointer - shared.begin; }
};

struct Kernel {
    std::string name;                                       ///< mangled
    uint32_t target = 0;                                    ///< 90: for capability 9.0
    std::vector<std::pair<uint32_t, uint32_t>> parameters;  ///< offset and bytes
    uint32_t parameter_bytes = 0;
    uint32_t shared_bytes = 0;  ///< of fixed size, aligned; dynamic memory is behind them
    uint32_t local_bytes = 0;
    uint32_t register_bytes = 0;
    void (*run)(Lane& lane, Block& block) = nullptr;
    const uint16_t* block_sizes = nullptr;  ///< where it counts: instructions of its basic blocks
    uint32_t block_count = 0;
};

/// What translated files call when they are loaded; a later kernel of the same name takes its place.
bool add_kernel(const Kernel& kernel);
/// By the name as c++filt writes it; null if there is none.
const Kernel* find_kernel(const std::string& name);
/// Of all that have been added; throws where they differ.
uint32_t target_of_kernels();

[[noreturn]] void fault(const Block& block, const Lane& lane, const std::string& what);

enum class Order : uint8_t { up, down, random };

/// From the environment: GANNET_DEVICE_ORDER is up [default], down or the seed of a random order;
/// GANNET_DEVICE_STAMPS=0 leaves out the checks that need stamps.
struct Settings {
    Order order = Order::up;
    uint64_t seed = 0;
    bool stamps = true;
};
const Settings& settings();

/// Counts an access of a kernel that counts; parameters are constants, and cost nothing.
void count_access(const Block& block, const Lane& lane, Space space, uint32_t site, uint64_t address,
                  uint32_t bytes);

/// Runs all blocks of a launch in one dimension. `parameters`: laid out as the kernel says.
void run_grid(const Kernel& kernel, uint32_t blocks, uint32_t threads, uint64_t dynamic_shared_bytes,
              const std::vector<uint8_t>& parameters);

}  // namespace gannet::ptx

// What translated files say of their basic blocks and accesses.
#ifdef GANNET_COUNT_WORK
#define GANNET_VISIT(basic_block) lane.counter->visit(lane.number, basic_block)
#define GANNET_ACCESS(space, site, address, bytes) count_access(block, lane, space, site, address, bytes)
#define GANNET_BLOCK_SIZES(sizes) sizes, sizeof sizes / sizeof sizes[0]
#else
#define GANNET_VISIT(basic_block)
#define GANNET_ACCESS(space, site, address, bytes)
#define GANNET_BLOCK_SIZES(sizes) nullptr, 0
#endif
