// SPDX-License-Identifier: MIT
// Provides counts of what translated kernels would cost a device.
#include "tests/device/work.hpp"

#include <algorithm>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace gannet::ptx {

namespace {

constexpr uint64_t k_sector_bytes = 32;
constexpr uint64_t k_word_bytes = 4;
constexpr uint64_t k_banks = 32;
constexpr unsigned k_kind_shift = 62, k_site_shift = 40;

void add(Work::Traffic& to, const Work::Traffic& from) {
    to.requests += from.requests;
    to.units += from.units;
}

/// The counts of the process. They are written when it ends.
struct Totals {
    std::mutex mutex;
    std::map<std::string, Work> by_kernel;

    ~Totals() {
        const char* const path = std::getenv("GANNET_DEVICE_WORK");
        if (path == nullptr || by_kernel.empty()) return;
        std::FILE* const file = std::fopen(path, "a");
        if (file == nullptr) return;
        for (const auto& [kernel, work] : by_kernel) {
            const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
            std::fprintf(file,
                         "{\"process\": %d, \"kernel\": \"%s\", \"launches\": %llu, \"warps\": %llu, "
                         "\"intervals\": %llu, "
                         "\"instructions\": %llu, \"lane_instructions\": %llu, \"global_requests\": %llu, "
                         "\"global_sectors\": %llu, \"shared_requests\": %llu, \"shared_passes\": %llu, "
                         "\"local_requests\": %llu, \"local_sectors\": %llu}\n",
                         static_cast<int>(getpid()), kernel.c_str(), number(work.launches),
                         number(work.warps), number(work.intervals), number(work.instructions),
                         number(work.lane_instructions), number(work.global.requests),
                         number(work.global.units), number(work.shared.requests), number(work.shared.units),
                         number(work.local.requests), number(work.local.units));
        }
        std::fclose(file);
    }
};

Totals& totals() {
    static Totals instance;
    return instance;
}

}  // namespace

Work& Work::operator+=(const Work& other) {
    launches += other.launches;
    warps += other.warps;
    intervals += other.intervals;
    instructions += other.instructions;
    lane_instructions += other.lane_instructions;
    add(global, other.global);
    add(shared, other.shared);
    add(local, other.local);
    return *this;
}

void WorkCounter::begin_warp(const uint16_t* block_sizes, uint32_t blocks) {
    block_sizes_ = block_sizes;
    visits_.assign(size_t{blocks} * k_warp, 0);
    touched_.clear();
    accesses_.clear();
    ++work_.warps;
}

void WorkCounter::access(uint32_t lane, Kind kind, uint32_t site, uint64_t address, uint32_t bytes) {
    const uint64_t unit = kind == Kind::shared ? k_word_bytes : k_sector_bytes;
    const uint64_t instruction =
        static_cast<uint64_t>(kind) << k_kind_shift | uint64_t{site} << k_site_shift | at_[lane];
    // Local memory is laid out so that the same word of all lanes is one stretch.
    const uint64_t from = kind == Kind::local ? address / k_word_bytes * 4 + lane / 8 : address / unit;
    const uint64_t to = kind == Kind::local ? from : (address + bytes - 1) / unit;
    for (uint64_t place = from; place <= to; ++place) accesses_.push_back({instruction, place});
}

void WorkCounter::end_interval() {
    ++work_.intervals;
    std::sort(touched_.begin(), touched_.end());
    for (size_t first = 0; first < touched_.size();) {
        const uint32_t block = touched_[first] / k_warp;
        uint32_t most = 0;
        uint64_t sum = 0;
        for (; first < touched_.size() && touched_[first] / k_warp == block; ++first) {
            uint32_t& visits = visits_[touched_[first]];
            most = std::max(most, visits);
            sum += visits;
            visits = 0;
        }
        work_.instructions += uint64_t{most} * block_sizes_[block];
        work_.lane_instructions += sum * block_sizes_[block];
    }
    touched_.clear();
    std::sort(accesses_.begin(), accesses_.end());
    accesses_.erase(std::unique(accesses_.begin(), accesses_.end()), accesses_.end());
    for (size_t first = 0; first < accesses_.size();) {
        const uint64_t instruction = accesses_[first].instruction;
        size_t last = first;
        std::array<uint64_t, k_banks> of_bank{};
        for (; last < accesses_.size() && accesses_[last].instruction == instruction; ++last)
            ++of_bank[accesses_[last].place % k_banks];
        const auto kind = static_cast<Kind>(instruction >> k_kind_shift);
        Work::Traffic& traffic = kind == Kind::global   ? work_.global
                                 : kind == Kind::shared ? work_.shared
                                                        : work_.local;
        ++traffic.requests;
        traffic.units +=
            kind == Kind::shared ? *std::max_element(of_bank.begin(), of_bank.end()) : last - first;
        first = last;
    }
    accesses_.clear();
}

void add_work(const std::string& kernel, const Work& work) {
    Totals& all = totals();
    const std::lock_guard lock(all.mutex);
    all.by_kernel[kernel] += work;
}

std::map<std::string, Work> work_so_far() {
    Totals& all = totals();
    const std::lock_guard lock(all.mutex);
    return all.by_kernel;
}

}  // namespace gannet::ptx
