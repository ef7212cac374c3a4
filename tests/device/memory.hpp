// SPDX-License-Identifier: MIT
// Provides the memory that translated kernels see, with the checks of every access.
//
// An access must lie within its block of memory (of the device: as it was allocated) and be aligned to its
// size, vectors too. With Checks::all every byte of global and of shared memory also has a stamp of who wrote
// it last and one of who read it. So it is a fault
//   - to read what nothing has written: since the memory was allocated, or the block of threads began;
//   - when two lanes of a warp use a byte between the same two barriers (bar.warp.sync; ballots, sums and
//     shuffles order no memory), or two warps in the same launch, and one of them writes another value there,
//     unless both do so by atomic instructions.
// That finds what depends on the order of lanes in whatever order they run.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace gannet::ptx {

struct Lane;
struct Block;

enum class Space : uint8_t { generic, global, shared, local, param };
enum class Access : uint8_t { load, store, atomic };

/// Who did something to a byte, from the highest bit: launch, warp, interval between barriers, lane.
using Stamp = uint64_t;
inline constexpr Stamp k_never = 0;
inline constexpr Stamp k_by_host = 1;
inline constexpr unsigned k_lane_bits = 6;
inline constexpr unsigned k_interval_bits = 24;
inline constexpr unsigned k_warp_bits = 14;
inline constexpr unsigned k_launch_bits = 20;
inline constexpr Stamp k_lane_mask = (Stamp{1} << k_lane_bits) - 1;
// In place of a lane:
inline constexpr Stamp k_several_lanes = 32;
inline constexpr Stamp k_by_atomic = 33;
inline constexpr Stamp k_several_warps = 34;

constexpr bool same_interval(Stamp a, Stamp b) { return (a ^ b) >> k_lane_bits == 0; }
constexpr bool same_warp(Stamp a, Stamp b) { return (a ^ b) >> (k_lane_bits + k_interval_bits) == 0; }
constexpr bool same_launch(Stamp a, Stamp b) {
    return (a ^ b) >> (k_lane_bits + k_interval_bits + k_warp_bits) == 0;
}

/// Of a byte. Beside each other, as both are looked at.
struct Stamps {
    Stamp written = k_never;
    Stamp read = k_never;
};

/// A block of memory; the stamps of its bytes, or null where they are not kept.
struct Extent {
    uint64_t begin = 0;
    uint64_t end = 0;
    Stamps* stamps = nullptr;
};

/// Where an access goes, and the stamps there.
struct Place {
    uint8_t* at = nullptr;
    Stamps* stamps = nullptr;
};

/// The block of the device's memory that holds an address, or an empty one.
Extent device_extent(uint64_t address);
/// The same, remembered by each thread until forget_extents().
Extent recent_extent(uint64_t address);
void forget_extents();

[[noreturn]] void bad_access(const Block& block, const Lane& lane, Space space, uint64_t address,
                             uint32_t bytes, Access access, const char* what);
Place place_of(const Block& block, const Lane& lane, Space space, uint64_t address, uint32_t bytes,
               Access access);
/// Of a generic address.
Space space_of(const Block& block, const Lane& lane, uint64_t address);
void check_load(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes);
void check_store(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes,
                 const uint8_t* values);
void check_atomic(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes);

template <Space space, uint32_t bytes>
const uint8_t* loaded(const Block& block, const Lane& lane, uint64_t address) {
    const Place place = place_of(block, lane, space, address, bytes, Access::load);
    if (place.stamps != nullptr) check_load(block, lane, space, place, bytes);
    return place.at;
}
template <Space space, class T, size_t count>
void store(const Block& block, const Lane& lane, uint64_t address, std::array<T, count> values) {
    const Place place = place_of(block, lane, space, address, sizeof values, Access::store);
    if (place.stamps != nullptr)
        check_store(block, lane, space, place, sizeof values,
                    reinterpret_cast<const uint8_t*>(values.data()));
    std::memcpy(place.at, values.data(), sizeof values);
}
template <Space space, uint32_t bytes>
uint8_t* changed(const Block& block, const Lane& lane, uint64_t address) {
    const Place place = place_of(block, lane, space, address, bytes, Access::atomic);
    if (place.stamps != nullptr) check_atomic(block, lane, space, place, bytes);
    return place.at;
}

}  // namespace gannet::ptx
