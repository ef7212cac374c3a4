// SPDX-License-Identifier: MIT
// Provides base qualities by tile of the flow cell and cycle, of a sample of a file's reads.
#pragma once

#include "data/read_batch.hpp"
#include "data/saved_state.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace gannet::pipeline::qc {

/// The number of the tile in a name of Illumina's: the fifth of seven fields or more, the third of five or
/// six; nothing in others.
std::optional<int32_t> tile_of(std::string_view name);

/// Of one file: every tenth read, as FastQC 0.11.9 takes them. Sums, so that the order of batches is of no
/// account. Memory: 16 bytes per tile and cycle.
class TileQualities {
  public:
    struct Tile {
        std::vector<uint64_t> reads;  ///< by cycle
        std::vector<uint64_t> sums;   ///< of their qualities

        void merge(const Tile& other);
    };
    using Tiles = std::map<int32_t, Tile>;

    /// Reads `first`, `first` + `step` and so on of the batch, before which the file has had `before`.
    /// Thread-safe.
    void add(const data::ReadBatch& batch, size_t first, size_t step, uint64_t before);
    /// Empty where a read of the sample has no tile in its name, or there are more than FastQC takes.
    Tiles tiles() const;

    void save(data::StateWriter& state) const;
    void restore(data::StateReader& state);

  private:
    std::mutex mutex_;
    Tiles tiles_;
    bool unknown_ = false;  ///< a read without a tile was met
};

}  // namespace gannet::pipeline::qc
