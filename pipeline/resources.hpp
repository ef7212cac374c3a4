// SPDX-License-Identifier: MIT
// Provides what the machine, or the control group that the process lives in, lets a run have: threads,
// memory, disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gannet::pipeline {

/// CPUs: the smallest of the affinity mask and the cgroup's quota (v2 cpu.max, v1 cfs quota), rounded up; at
/// least 1.
int default_threads();
/// The smaller of MemAvailable and what is left below the cgroup's limit.
uint64_t free_memory_bytes();
/// 60 % of that.
uint64_t default_memory_bytes();
/// Highest resident size so far.
uint64_t peak_memory_bytes();
/// Of the process at this moment, mapped files included; 0 where it is not known.
uint64_t memory_in_use_bytes();
/// Gives what the allocator holds free back to the system. Visits all of the heap: for the ends of phases and
/// after work that took much memory.
void release_free_memory();
/// CPU seconds of the process so far, user and system.
double process_cpu_seconds();

/// "4G", "512M", "1.5g", "2048" (bytes). Empty when it is not a size.
std::optional<uint64_t> parse_size(std::string_view text);
std::string size_text(uint64_t bytes);  ///< "3.4 GB"

/// Bytes free to this user where `path` lies or will lie (its nearest existing parent).
uint64_t free_disk_bytes(const std::string& path);

// For tests: the same from the text of the files.
std::optional<double> cpu_quota(
    std::string_view cpu_max);  ///< cgroup v2 cpu.max: "200000 100000", "max 100000"
std::optional<uint64_t> memory_limit(
    std::string_view text);  ///< "max", a number; absurdly high v1 values are none

}  // namespace gannet::pipeline
