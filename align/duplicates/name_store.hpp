// SPDX-License-Identifier: MIT
// Provides the names of templates, front-coded in blocks: about 9 bytes each, and found again by ordinal.
#pragma once

#include "align/sort/spill_file.hpp"
#include "data/saved_state.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::align::duplicates {

/// Names of one batch, ordinals ascending: each is its difference to the one before (ordinal step, read group
/// if it is another one, shared prefix, rest).
struct NameBlock {
    uint64_t first = 0;
    uint64_t last = 0;
    std::vector<uint8_t> bytes;
    sort::SpillExtent extent;  ///< where they are stored when spilled; bytes is empty then

    bool has_colon = false;  ///< in any name

    void add(uint64_t ordinal, std::string_view name, uint16_t read_group = 0);
    bool empty() const { return bytes.empty(); }

  private:
    std::string previous_;
    uint16_t previous_group_ = 0;
};

/// A name as it was added.
struct StoredName {
    size_t index;  ///< among those asked for
    std::string_view name;
    uint16_t read_group;
};

/// add() is thread-safe.
class NameStore {
  public:
    void add(NameBlock&& block);
    /// Without a colon no name says where on a flow cell it was read.
    bool has_colons() const { return has_colons_; }
    uint64_t held_bytes() const { return held_bytes_; }
    void spill(sort::SpillFile& file);
    /// Writes what is held to the file and describes it; restore() is the inverse, in an empty store.
    void save(sort::SpillFile& file, data::StateWriter& state);
    void restore(data::StateReader& state, std::vector<sort::SpillExtent>& extents);
    /// To be called after the last add(), before the next two.
    void end_input();
    /// Calls visit(StoredName) for the names of `ordinals` (ascending, distinct, all known), in that order.
    /// Thread-safe.
    void for_each(const std::vector<uint64_t>& ordinals, const sort::SpillFile& file,
                  const std::function<void(const StoredName&)>& visit) const;
    std::vector<std::string> find(const std::vector<uint64_t>& ordinals, const sort::SpillFile& file) const;

  private:
    std::mutex mutex_;
    std::vector<NameBlock> blocks_;
    std::atomic<uint64_t> held_bytes_{0};
    std::atomic<bool> has_colons_{false};
};

}  // namespace gannet::align::duplicates
