// SPDX-License-Identifier: MIT
// Provides counts of what translated kernels would cost a device: instructions of warps and accesses to
// memory. Only files that are compiled with GANNET_COUNT_WORK count.
//
// Between two exchanges of a warp's lanes (barriers, ballots, sums, shuffles) each lane runs by itself here.
// On a device lanes that are at the same instruction run it together. So a basic block counts as often as the
// lane that comes to it most often within the interval: that is what a warp costs whose lanes meet again as
// soon as they can. A device can need more, never less. The accesses of an instruction are put together in
// the same way, by how often a lane has come to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gannet::ptx {

/// Of launches of a kernel.
struct Work {
    /// Accesses of one space: `requests` are instructions of warps, `units` what each of them moves: sectors
    /// of 32 bytes in global and local memory; in shared memory passes, one for each word that lanes want of
    /// the bank where they want most.
    struct Traffic {
        uint64_t requests = 0;
        uint64_t units = 0;
    };

    uint64_t launches = 0;
    uint64_t warps = 0;
    uint64_t intervals = 0;
    uint64_t instructions = 0;       ///< of warps
    uint64_t lane_instructions = 0;  ///< at most 32 for each of a warp
    Traffic global, shared, local;

    Work& operator+=(const Work& other);
};

/// Of a warp. Not thread-safe.
class WorkCounter {
  public:
    enum class Kind : uint8_t { global, shared, local };

    /// `block_sizes`: instructions of the kernel's basic blocks, by their numbers.
    void begin_warp(const uint16_t* block_sizes, uint32_t blocks);
    /// Lane `lane` comes to a basic block.
    void visit(uint32_t lane, uint32_t block) {
        uint32_t& visits = visits_[size_t{block} * k_warp + lane];
        if (++visits == 1) touched_.push_back(block * k_warp + lane);
        at_[lane] = visits;
    }
    /// In the block that it is in, at the instruction `site`.
    void access(uint32_t lane, Kind kind, uint32_t site, uint64_t address, uint32_t bytes);
    void end_interval();
    /// What was counted since the last call.
    Work take() { return std::exchange(work_, {}); }

  private:
    static constexpr uint32_t k_warp = 32;
    struct Access {
        uint64_t instruction;  ///< kind, site and visit
        uint64_t place;        ///< sector, or word
        auto operator<=>(const Access&) const = default;
    };

    const uint16_t* block_sizes_ = nullptr;
    std::vector<uint32_t> visits_;   ///< in this interval, of each block and lane
    std::vector<uint32_t> touched_;  ///< those that are not 0
    std::array<uint32_t, k_warp> at_{};
    std::vector<Access> accesses_;
    Work work_;
};

/// Adds to the counts of the process, which its end writes as lines of JSON to the file that
/// GANNET_DEVICE_WORK names, or nowhere. Thread-safe.
void add_work(const std::string& kernel, const Work& work);
/// Of all launches so far, by kernel.
std::map<std::string, Work> work_so_far();

}  // namespace gannet::ptx
