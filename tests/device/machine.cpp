// SPDX-License-Identifier: MIT
// Provides lanes, warps, blocks and grids of translated kernels.
#include "tests/device/machine.hpp"

#include "tests/parity/random.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>

namespace gannet::ptx {

namespace {

constexpr int k_poison = 0x5a;
constexpr uint32_t k_endless_loops = 1u << 30;  ///< of a lane that waits for no other: it hangs
constexpr uint32_t k_alignment = 16;

std::map<std::string, Kernel>& kernels() {
    static auto& all = *new std::map<std::string, Kernel>;
    return all;
}

/// Without its parameters.
std::string readable_name(const char* mangled) {
    const std::unique_ptr<char, void (*)(void*)> readable(
        abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr), std::free);
    std::string name = readable ? readable.get() : mangled;
    if (!name.ends_with(')')) return name;
    int open = 0;  // template arguments have parentheses too
    do {
        open += name.back() == ')' ? 1 : name.back() == '(' ? -1 : 0;
        name.pop_back();
    } while (open > 0 && !name.empty());
    return name.starts_with("void ") ? name.substr(5) : name;
}

/// Each turn of a lane takes a random number, so they must cost little.
class Chance {
  public:
    using result_type = uint64_t;
    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return UINT64_MAX; }

    explicit Chance(uint64_t seed) : random_(seed) {}
    uint64_t operator()() { return random_.next(); }

  private:
    parity::Random random_;
};

/// A number below `count`, of the upper half of a random one.
uint32_t below(uint32_t count, uint64_t drawn) { return static_cast<uint32_t>((drawn >> 32) * count >> 32); }

/// The numbers 0 to count - 1 in the order that was asked for.
std::vector<uint32_t> in_order(uint32_t count, Chance& random) {
    std::vector<uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    if (settings().order == Order::down) std::reverse(numbers.begin(), numbers.end());
    if (settings().order == Order::random) std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
}

/// The threads of a warp, with registers and memory of their own.
class Warp {
  public:
    void begin(const Kernel& kernel, Block& block, uint32_t first_thread, Stamp stamp) {
        kernel_ = &kernel;
        block_ = &block;
        stamp_ = stamp;
        const uint32_t register_bytes = (kernel.register_bytes + k_alignment - 1) / k_alignment * k_alignment;
        const uint32_t local_bytes = (kernel.local_bytes + k_alignment - 1) / k_alignment * k_alignment;
        const size_t each = register_bytes + local_bytes;
        if (memory_.size() * sizeof(Chunk) < each * k_lanes) memory_.resize(each * k_lanes / sizeof(Chunk));
        std::memset(static_cast<void*>(memory_.data()), k_poison, each * k_lanes);
        if (kernel.block_count > 0) counter_.begin_warp(kernel.block_sizes, kernel.block_count);
        auto* const memory = reinterpret_cast<std::byte*>(memory_.data());
        for (uint32_t number = 0; number < k_lanes; ++number) {
            Lane& lane = lanes_[number];
            lane = {};
            lane.number = number;
            lane.thread = first_thread + number;
            lane.registers = memory + number * each;
            lane.local = reinterpret_cast<uint8_t*>(lane.registers + register_bytes);
            lane.local_bytes = kernel.local_bytes;
            lane.stamp = stamp_ | number;
            lane.counter = kernel.block_count > 0 ? &counter_ : nullptr;
            if (lane.thread >= block.threads) lane.end();
        }
    }

    /// Until all its lanes wait, and have got what they waited for. False: all have ended.
    bool step(Chance& random) {
        if (settings().order == Order::random)
            run_mixed(random);
        else
            run_in_order();
        if (kernel_->block_count > 0) counter_.end_interval();
        for (Lane& lane : lanes_)
            if (lane.state == Lane::State::waiting) exchange(lane);
        return std::any_of(lanes_.begin(), lanes_.end(),
                           [](const Lane& lane) { return lane.state == Lane::State::running; });
    }
    /// Since the last call.
    Work take_work() { return counter_.take(); }

  private:
    struct alignas(k_alignment) Chunk {
        std::byte bytes[k_alignment];
    };

    void run(Lane& lane, uint32_t steps) {
        lane.steps = steps;
        try {
            kernel_->run(lane, *block_);
        } catch (const std::runtime_error& error) {
            if (std::strncmp(error.what(), "PTX: ", 5) == 0) throw;
            fault(*block_, lane, error.what());
        }
    }

    void run_in_order() {
        for (uint32_t k = 0; k < k_lanes; ++k) {
            Lane& lane = lanes_[settings().order == Order::up ? k : k_lanes - 1 - k];
            if (lane.state == Lane::State::running) run(lane, k_endless_loops);
            if (lane.state == Lane::State::running) fault(*block_, lane, "a loop without an end");
        }
    }

    /// Each of the lanes that are not waiting in turn, for a few loops.
    void run_mixed(Chance& random) {
        std::array<Lane*, k_lanes> left{};
        uint32_t count = 0;
        for (Lane& lane : lanes_)
            if (lane.state == Lane::State::running) left[count++] = &lane;
        for (uint64_t turns = 0; count > 0; ++turns) {
            if (turns == k_endless_loops) fault(*block_, *left[0], "a loop without an end");
            const uint64_t drawn = random();
            const uint32_t chosen = below(count, drawn);
            run(*left[chosen], 1 + static_cast<uint32_t>(drawn % 16));
            if (left[chosen]->state != Lane::State::running) left[chosen] = left[--count];
        }
    }

    /// What a lane and those that its mask names wait for.
    void exchange(const Lane& one) {
        if ((one.mask >> one.number & 1) == 0)
            fault(*block_, one, "its mask, " + std::to_string(one.mask) + ", leaves out the lane itself");
        std::array<Lane*, k_lanes> named{};
        for (Lane& lane : lanes_) {
            if ((one.mask >> lane.number & 1) == 0 || lane.state == Lane::State::ended) continue;
            const bool same_place = one.kind == Together::barrier || lane.at == one.at;
            if (lane.state != Lane::State::waiting || lane.kind != one.kind || lane.mask != one.mask ||
                !same_place)
                fault(
                    *block_, one,
                    "it waits for lane " + std::to_string(lane.number) + ", which waits for something else");
            named[lane.number] = &lane;
        }
        complete(one.kind, named);
    }

    void complete(Together kind, const std::array<Lane*, k_lanes>& named) {
        std::array<uint32_t, k_lanes> values{};
        uint32_t bits = 0;
        uint32_t sum = 0;
        for (const Lane* lane : named) {
            if (lane == nullptr) continue;
            values[lane->number] = lane->value;
            bits |= static_cast<uint32_t>(lane->value != 0) << lane->number;
            sum += lane->value;
        }
        if (kind == Together::barrier) {
            stamp_ += Stamp{1} << k_lane_bits;
        }
        for (Lane* const lane : named) {
            if (lane == nullptr) continue;
            lane->state = Lane::State::running;
            if (kind == Together::barrier)
                lane->stamp = stamp_ | lane->number;
            else if (kind == Together::ballot || kind == Together::sum)
                lane->result = kind == Together::ballot ? bits : sum;
            else
                shuffle(*lane, named, values);
        }
    }

    /// shfl.sync: operand b in `first`, c (clamp and segments) in `second`.
    void shuffle(Lane& lane, const std::array<Lane*, k_lanes>& named,
                 const std::array<uint32_t, k_lanes>& values) {
        const uint32_t b = lane.first & 31;
        const uint32_t clamp = lane.second & 31;
        const uint32_t segment = lane.second >> 8 & 31;
        const uint32_t own = lane.number;
        const uint32_t limit = (own & segment) | (clamp & ~segment);
        uint32_t from = own;
        switch (lane.kind) {
            case Together::shuffle_up:
                lane.is_valid = own >= b && own - b >= limit;
                from = own - b;
                break;
            case Together::shuffle_down:
                lane.is_valid = own + b <= limit;
                from = own + b;
                break;
            case Together::shuffle_across:
                lane.is_valid = (own ^ b) <= limit;
                from = own ^ b;
                break;
            default:
                from = (own & segment) | (b & ~segment);
                lane.is_valid = from <= limit;
        }
        if (!lane.is_valid) from = own;
        if (named[from] == nullptr)
            fault(*block_, lane,
                  "it takes a value from lane " + std::to_string(from) + ", which brings none");
        lane.result = values[from];
    }

    const Kernel* kernel_ = nullptr;
    Block* block_ = nullptr;
    Stamp stamp_ = 0;
    std::array<Lane, k_lanes> lanes_;
    std::vector<Chunk> memory_;
    WorkCounter counter_;
};

/// Shared memory of the block that a thread of the host is at.
class SharedMemory {
  public:
    Extent of(uint64_t bytes) {
        if (memory_.size() < bytes + k_alignment) {
            memory_.resize(bytes + k_alignment);
            stamps_.assign(memory_.size(), {});
        }
        std::memset(memory_.data(), k_poison, memory_.size());
        const uint64_t begin =
            (reinterpret_cast<uint64_t>(memory_.data()) + k_alignment - 1) / k_alignment * k_alignment;
        return {begin, begin + bytes, settings().stamps ? stamps_.data() : nullptr};
    }

  private:
    std::vector<uint8_t> memory_;
    std::vector<Stamps> stamps_;
};

Settings settings_of_environment() {
    Settings result;
    const char* const order = std::getenv("GANNET_DEVICE_ORDER");
    const char* const stamps = std::getenv("GANNET_DEVICE_STAMPS");
    result.stamps = stamps == nullptr || std::strcmp(stamps, "0") != 0;
    if (order == nullptr || std::strcmp(order, "up") == 0) return result;
    result.order = std::strcmp(order, "down") == 0 ? Order::down : Order::random;
    if (result.order == Order::random) result.seed = std::strtoull(order, nullptr, 10);
    if (result.order == Order::random && result.seed == 0)
        throw std::runtime_error("GANNET_DEVICE_ORDER is up, down or a number from 1 on");
    return result;
}

}  // namespace

const Settings& settings() {
    static const Settings instance = settings_of_environment();
    return instance;
}

bool add_kernel(const Kernel& kernel) {
    const std::unique_ptr<char, void (*)(void*)> readable(
        abi::__cxa_demangle(kernel.name.c_str(), nullptr, nullptr, nullptr), std::free);
    kernels()[readable ? readable.get() : kernel.name] = kernel;
    return true;
}

const Kernel* find_kernel(const std::string& name) {
    const auto at = kernels().find(name);
    return at == kernels().end() ? nullptr : &at->second;
}

uint32_t target_of_kernels() {
    if (kernels().empty()) throw std::runtime_error("no device code has been loaded");
    const uint32_t target = kernels().begin()->second.target;
    for (const auto& [name, kernel] : kernels())
        if (kernel.target != target) throw std::runtime_error("device code for different devices was loaded");
    return target;
}

void fault(const Block& block, const Lane& lane, const std::string& what) {
    throw std::runtime_error("PTX: " + readable_name(block.kernel) + ", block " +
                             std::to_string(block.number) + " of " + std::to_string(block.blocks) +
                             ", thread " + std::to_string(lane.thread) + ": " + what);
}

void run_grid(const Kernel& kernel, uint32_t blocks, uint32_t threads, uint64_t dynamic_shared_bytes,
              const std::vector<uint8_t>& parameters) {
    static thread_local SharedMemory shared;
    static thread_local std::vector<Warp> warps;
    static std::atomic<uint64_t> launches{0};
    const uint64_t launch = ++launches;
    Chance random(settings().seed * 1'000'003 + launch);
    forget_extents();  // memory may have been freed since
    const uint32_t in_block = (threads + k_lanes - 1) / k_lanes;
    if (warps.size() < in_block) warps.resize(in_block);
    constexpr unsigned k_warp_shift = k_lane_bits + k_interval_bits;
    // Not 0, which is the host's.
    const Stamp of_launch = (launch % ((1u << k_launch_bits) - 1) + 1) << (k_warp_shift + k_warp_bits);
    const auto stamp_of = [&](uint64_t warp) {
        return of_launch | (warp & ((Stamp{1} << k_warp_bits) - 1)) << k_warp_shift;
    };
    for (const uint32_t number : in_order(blocks, random)) {
        Block block;
        block.kernel = kernel.name.c_str();
        block.number = number;
        block.blocks = blocks;
        block.threads = threads;
        block.parameters = parameters.data();
        block.parameter_bytes = kernel.parameter_bytes;
        block.shared = shared.of(kernel.shared_bytes + dynamic_shared_bytes);
        block.first_warp = stamp_of(uint64_t{number} * in_block);
        for (uint32_t k = 0; k < in_block; ++k)
            warps[k].begin(kernel, block, k * k_lanes, stamp_of(uint64_t{number} * in_block + k));
        std::vector<uint32_t> left = in_order(in_block, random);
        while (!left.empty()) {
            const size_t chosen =
                settings().order == Order::random ? below(static_cast<uint32_t>(left.size()), random()) : 0;
            if (!warps[left[chosen]].step(random))
                left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
        }
    }
    if (kernel.block_count == 0) return;
    Work work;
    work.launches = 1;
    for (Warp& warp : warps) work += warp.take_work();
    add_work(readable_name(kernel.name.c_str()), work);
}

void count_access(const Block& block, const Lane& lane, Space space, uint32_t site, uint64_t address,
                  uint32_t bytes) {
    space = space == Space::generic ? space_of(block, lane, address) : space;
    if (space == Space::param) return;
    if (space == Space::local) address -= lane.local_pointer(0);
    lane.counter->access(lane.number,
                         space == Space::global   ? WorkCounter::Kind::global
                         : space == Space::shared ? WorkCounter::Kind::shared
                                                  : WorkCounter::Kind::local,
                         site, address, bytes);
}

}  // namespace gannet::ptx
