// SPDX-License-Identifier: MIT
// Provides the check of headers against --memory.
#include "data/memory_budget.hpp"

#include "data/error.hpp"

#include <atomic>

namespace gannet::data {
namespace {

std::atomic<uint64_t> budget_bytes{0};

}  // namespace

void set_memory_budget(uint64_t bytes) noexcept { budget_bytes = bytes; }

void require_memory(const std::string& file, const std::string& what, uint64_t bytes) {
    const uint64_t budget = budget_bytes;
    if (budget == 0 || bytes <= budget / 2) return;
    throw Error(ErrorKind::host_memory,
                file + ": " + what + " needs about " + std::to_string((bytes >> 20) + 1) +
                    " MB, more than half of --memory " + std::to_string(budget >> 20) + " MB: give more");
}

}  // namespace gannet::data
