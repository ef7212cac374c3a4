// SPDX-License-Identifier: MIT
// Provides the checks of accesses to memory.
#include "tests/device/memory.hpp"

#include "tests/device/machine.hpp"

#include <cstdio>
#include <string>

namespace gannet::ptx {

namespace {

constexpr unsigned k_recent_extents = 4;
thread_local std::array<Extent, k_recent_extents> t_recent;
thread_local unsigned t_next = 0;

const char* name(Space space) {
    switch (space) {
        case Space::global:
            return "global";
        case Space::shared:
            return "shared";
        case Space::local:
            return "local";
        case Space::param:
            return "parameter";
        case Space::generic:
            break;
    }
    return "generic";
}

const char* name(Access access) {
    return access == Access::load ? "load" : access == Access::store ? "store" : "atomic instruction";
}

bool holds(uint64_t begin, uint64_t end, uint64_t address, uint32_t bytes) {
    return address >= begin && address < end && end - address >= bytes;
}

Place in_extent(const Extent& extent, uint64_t address) {
    auto* const at = reinterpret_cast<uint8_t*>(address);
    return {at, extent.stamps == nullptr ? nullptr : extent.stamps + (address - extent.begin)};
}

bool are_equal(const Stamps& a, const Stamps& b) { return a.written == b.written && a.read == b.read; }

Stamp lane_of(Stamp stamp) { return stamp & k_lane_mask; }
Stamp with_lane(Stamp stamp, Stamp lane) { return (stamp & ~k_lane_mask) | lane; }

/// Whether two accesses of which one writes have nothing between them that orders them.
bool is_unordered(Stamp before, Stamp now) {
    if (!same_launch(before, now)) return false;
    if (!same_warp(before, now) || lane_of(before) == k_several_warps) return true;
    return same_interval(before, now) && lane_of(before) != lane_of(now);
}

std::string who(Stamp stamp) {
    const Stamp lane = lane_of(stamp);
    const Stamp warp = stamp >> (k_lane_bits + k_interval_bits) & ((Stamp{1} << k_warp_bits) - 1);
    const std::string of_warp = " of warp " + std::to_string(warp);
    if (lane == k_several_lanes) return "several lanes" + of_warp;
    if (lane == k_several_warps) return "several warps";
    if (lane == k_by_atomic) return "an atomic instruction" + of_warp;
    return "lane " + std::to_string(lane) + of_warp;
}

[[noreturn]] void race(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes,
                       Access access, Stamp before, const char* did) {
    const std::string what = "no barrier after " + who(before) + " has " + did + " it";
    bad_access(block, lane, space, reinterpret_cast<uint64_t>(place.at), bytes, access, what.c_str());
}

/// A stamp in shared memory that is of another block of threads is as none.
Stamp of_block(const Block& block, Space space, Stamp stamp) {
    if (space != Space::shared) return stamp;
    constexpr unsigned k_shift = k_lane_bits + k_interval_bits;
    const Stamp warp = (stamp >> k_shift) - (block.first_warp >> k_shift);
    return warp < (block.threads + k_lanes - 1) / k_lanes ? stamp : k_never;
}

/// The stamp of a byte that `now` reads after `read` did.
Stamp both_read(Stamp read, Stamp now) {
    if (same_launch(read, now) && (!same_warp(read, now) || lane_of(read) == k_several_warps))
        return with_lane(now, k_several_warps);
    return same_interval(read, now) ? with_lane(now, k_several_lanes) : now;
}

}  // namespace

Space space_of(const Block& block, const Lane& lane, uint64_t address) {
    if (holds(block.shared.begin, block.shared.end, address, 1)) return Space::shared;
    if (holds(lane.local_pointer(0), lane.local_pointer(lane.local_bytes), address, 1)) return Space::local;
    const uint64_t parameters = block.parameter_pointer(0);
    if (holds(parameters, parameters + block.parameter_bytes, address, 1)) return Space::param;
    return Space::global;
}

Extent recent_extent(uint64_t address) {
    for (const Extent& extent : t_recent)
        if (holds(extent.begin, extent.end, address, 1)) return extent;
    const Extent found = device_extent(address);
    if (found.end != 0) t_recent[t_next++ % k_recent_extents] = found;
    return found;
}

void forget_extents() { t_recent = {}; }

void bad_access(const Block& block, const Lane& lane, Space space, uint64_t address, uint32_t bytes,
                Access access, const char* what) {
    const Extent extent = space == Space::shared ? block.shared : device_extent(address);
    char place[96];
    if (extent.end != 0 && space != Space::local && space != Space::param)
        std::snprintf(place, sizeof place, "byte %lld of %llu",
                      static_cast<long long>(address - extent.begin),
                      static_cast<unsigned long long>(extent.end - extent.begin));
    else
        std::snprintf(place, sizeof place, "address 0x%llx", static_cast<unsigned long long>(address));
    fault(block, lane,
          std::string(name(access)) + " of " + std::to_string(bytes) + " bytes of " + name(space) +
              " memory at " + place + ": " + what);
}

Place place_of(const Block& block, const Lane& lane, Space space, uint64_t address, uint32_t bytes,
               Access access) {
    if (space == Space::generic) {
        space = space_of(block, lane, address);
    } else if (space == Space::shared) {
        address = block.shared_pointer(static_cast<uint32_t>(address));
    }
    Extent extent;
    switch (space) {
        case Space::shared:
            extent = block.shared;
            break;
        case Space::local:
            extent = {lane.local_pointer(0), lane.local_pointer(lane.local_bytes)};
            break;
        case Space::param:
            extent = {block.parameter_pointer(0), block.parameter_pointer(block.parameter_bytes)};
            if (access != Access::load)
                bad_access(block, lane, space, address, bytes, access, "parameters cannot be written");
            break;
        default:
            extent = recent_extent(address);
    }
    if ((address & (bytes - 1)) != 0)  // a power of two, which a division need not be for
        bad_access(block, lane, space, address, bytes, access, "misaligned");
    if (!holds(extent.begin, extent.end, address, bytes))
        bad_access(block, lane, space, address, bytes, access, "outside of any block of memory");
    return in_extent(extent, address);
}

void check_load(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes) {
    if (space == Space::generic) space = space_of(block, lane, reinterpret_cast<uint64_t>(place.at));
    Stamps before;
    Stamp now_read = k_never;
    for (uint32_t k = 0; k < bytes; ++k) {
        Stamps& stamps = place.stamps[k];
        if (k == 0 || !are_equal(stamps, before)) {  // most bytes have the stamps of the one before them
            before = stamps;
            const Stamp written = of_block(block, space, before.written);
            if (written == k_never)
                bad_access(block, lane, space, reinterpret_cast<uint64_t>(place.at), bytes, Access::load,
                           "nothing has written it");
            // Lanes that all wrote the same value may read it too.
            if (is_unordered(written, lane.stamp) && lane_of(written) != k_several_lanes)
                race(block, lane, space, place, bytes, Access::load, written, "written");
            now_read = before.read == lane.stamp ? lane.stamp
                                                 : both_read(of_block(block, space, before.read), lane.stamp);
        }
        stamps.read = now_read;
    }
}

void check_store(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes,
                 const uint8_t* values) {
    if (space == Space::generic) space = space_of(block, lane, reinterpret_cast<uint64_t>(place.at));
    Stamps before;
    Stamp written = k_never;
    Stamp read = k_never;
    bool is_second = false;
    bool is_after_read = false;
    for (uint32_t k = 0; k < bytes; ++k) {
        Stamps& stamps = place.stamps[k];
        if (k == 0 || !are_equal(stamps, before)) {
            before = stamps;
            written = of_block(block, space, before.written);
            read = of_block(block, space, before.read);
            is_second = is_unordered(written, lane.stamp);
            is_after_read = is_unordered(read, lane.stamp);
        }
        if ((is_second || is_after_read) && place.at[k] != values[k]) {
            if (is_second) race(block, lane, space, place, bytes, Access::store, written, "written");
            race(block, lane, space, place, bytes, Access::store, read, "read");
        }
        stamps.written = is_second ? with_lane(lane.stamp, k_several_lanes) : lane.stamp;
    }
}

void check_atomic(const Block& block, const Lane& lane, Space space, const Place& place, uint32_t bytes) {
    if (space == Space::generic) space = space_of(block, lane, reinterpret_cast<uint64_t>(place.at));
    for (uint32_t k = 0; k < bytes; ++k) {
        const Stamp written = of_block(block, space, place.stamps[k].written);
        const Stamp read = of_block(block, space, place.stamps[k].read);
        if (written == k_never)
            bad_access(block, lane, space, reinterpret_cast<uint64_t>(place.at), bytes, Access::atomic,
                       "nothing has written it");
        if (is_unordered(written, lane.stamp) && lane_of(written) != k_by_atomic)
            race(block, lane, space, place, bytes, Access::atomic, written, "written");
        if (is_unordered(read, lane.stamp))
            race(block, lane, space, place, bytes, Access::atomic, read, "read");
        place.stamps[k].written = with_lane(lane.stamp, k_by_atomic);
    }
}

}  // namespace gannet::ptx
