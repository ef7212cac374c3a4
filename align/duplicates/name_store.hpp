// SPDX-License-Identifier: MIT
// Provides the names of templates, front-coded in blocks: about 9 bytes each, and found again by ordinal.
#pragma once

#include "align/sort/spill_file.hpp"
#include "data/saved_state.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::align::duplicates {

/// Names of one batch, ordinals ascending: each is its difference to the one before (ordinal step, shared
/// prefix, rest).
struct NameBlock {
    uint64_t first = 0;
    uint64_t last = 0;
    std::vector<uint8_t> bytes;
    sort::SpillExtent extent;  ///< where they are stored when spilled; bytes is empty then

    void add(uint64_t ordinal, std::string_view name);
    bool empty() const { return bytes.empty(); }

  private:
    std::string previous_;
};

/// add() is thread-safe.
class NameStore {
  public:
    void add(NameBlock&& block);
    uint64_t held_bytes() const { return held_bytes_; }
    void spill(sort::SpillFile& file);
    /// Writes what is held to the file and describes it; restore() is the inverse, in an empty store.
    void save(sort::SpillFile& file, data::StateWriter& state);
    void restore(data::StateReader& state, std::vector<sort::SpillExtent>& extents);
    /// The names of `ordinals` (ascending, distinct, all known), in that order.
    std::vector<std::string> find(const std::vector<uint64_t>& ordinals, const sort::SpillFile& file);

  private:
    std::mutex mutex_;
    std::vector<NameBlock> blocks_;
    std::atomic<uint64_t> held_bytes_{0};
};

}  // namespace gannet::align::duplicates
