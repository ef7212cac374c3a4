// SPDX-License-Identifier: MIT
// Provides the counting of qualities by tile.
#include "pipeline/qc/tile_qualities.hpp"

#include "pipeline/qc/counts.hpp"

#include <algorithm>
#include <charconv>

namespace gannet::pipeline::qc {
namespace {

constexpr uint64_t k_tile_sample = 10;  // one read of so many
constexpr size_t k_max_tiles = 1001;

void add_read(TileQualities::Tile& tile, std::span<const uint8_t> qualities) {
    const size_t cycles = std::min(qualities.size(), k_max_cycles);
    if (tile.reads.size() < cycles) {
        tile.reads.resize(cycles);
        tile.sums.resize(cycles);
    }
    for (size_t cycle = 0; cycle < cycles; ++cycle) {
        ++tile.reads[cycle];
        tile.sums[cycle] += qualities[cycle];
    }
}

}  // namespace

std::optional<int32_t> tile_of(std::string_view name) {
    const auto fields = 1 + std::count(name.begin(), name.end(), ':');
    if (fields < 5) return std::nullopt;
    for (int skipped = 0; skipped < (fields >= 7 ? 4 : 2); ++skipped) name.remove_prefix(name.find(':') + 1);
    name = name.substr(0, name.find(':'));
    int32_t tile = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), tile);
    if (fault != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return tile;
}

void TileQualities::Tile::merge(const Tile& other) {
    if (reads.size() < other.reads.size()) {
        reads.resize(other.reads.size());
        sums.resize(other.reads.size());
    }
    for (size_t cycle = 0; cycle < other.reads.size(); ++cycle) {
        reads[cycle] += other.reads[cycle];
        sums[cycle] += other.sums[cycle];
    }
}

void TileQualities::add(const data::ReadBatch& batch, size_t first, size_t step, uint64_t before) {
    Tiles found;
    bool unknown = false;
    const uint64_t skipped = (k_tile_sample - 1 - before % k_tile_sample) * step;
    for (size_t read = first + skipped; read < batch.reads() && !unknown && found.size() <= k_max_tiles;
         read += k_tile_sample * step) {
        const std::optional<int32_t> tile = tile_of(batch.name(read / step));
        if (tile)
            add_read(found[*tile], batch.read_qualities(read));
        else
            unknown = true;
    }
    const std::lock_guard lock(mutex_);
    unknown_ |= unknown;
    if (tiles_.size() > k_max_tiles) return;  // names that only look as if they had one
    for (const auto& [tile, qualities] : found) tiles_[tile].merge(qualities);
}

TileQualities::Tiles TileQualities::tiles() const {
    return unknown_ || tiles_.size() > k_max_tiles ? Tiles() : tiles_;
}

void TileQualities::save(data::StateWriter& state) const {
    state.put(unknown_);
    state.put(uint64_t{tiles_.size()});
    for (const auto& [number, tile] : tiles_) {
        state.put(number);
        state.put_all(tile.reads);
        state.put_all(tile.sums);
    }
}

void TileQualities::restore(data::StateReader& state) {
    unknown_ = state.get<bool>();
    for (auto left = state.get<uint64_t>(); left > 0; --left) {
        Tile& tile = tiles_[state.get<int32_t>()];
        tile.reads = state.get_all<uint64_t>();
        tile.sums = state.get_all<uint64_t>();
        if (tile.reads.size() != tile.sums.size() || tile.reads.size() > k_max_cycles) state.fail();
    }
}

}  // namespace gannet::pipeline::qc
