// SPDX-License-Identifier: MIT
// Provides a set of plain values cut into partitions that fill from many threads and can spill.
#pragma once

#include "align/sort/spill_file.hpp"
#include "data/brief_mutex.hpp"
#include "data/saved_state.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

namespace gannet::align::duplicates {

/// Values are taken as bytes. add() and spill() are thread-safe; take() empties a partition and is called
/// after the last add().
template <class T>
class PartitionStore {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    static constexpr size_t k_partitions = 256;

    /// `hash` chooses the partition by its top bits.
    void add(uint64_t hash, const T& value) {
        Partition& partition = partitions_[hash >> 56];
        const std::lock_guard lock(partition.mutex);
        append(partition, value);
    }

    struct Hashed {
        uint64_t hash;
        T value;
    };
    /// As add() of each, but a partition's together: with many threads, its line has been with another core
    /// since the last time, and to fetch it takes longer than all the rest.
    void add_all(std::span<const Hashed> values) {
        std::array<uint32_t, k_partitions + 1> begin{};
        for (const Hashed& one : values) ++begin[(one.hash >> 56) + 1];
        for (size_t i = 1; i <= k_partitions; ++i) begin[i] += begin[i - 1];
        std::vector<uint32_t> order(values.size());
        std::array<uint32_t, k_partitions + 1> end = begin;
        for (uint32_t i = 0; i < values.size(); ++i) order[end[values[i].hash >> 56]++] = i;
        for (size_t i = 0; i < k_partitions; ++i) {
            if (begin[i] == begin[i + 1]) continue;
            const std::lock_guard lock(partitions_[i].mutex);
            for (uint32_t k = begin[i]; k < begin[i + 1]; ++k) append(partitions_[i], values[order[k]].value);
        }
    }

    uint64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
    uint64_t size() const {
        uint64_t size = 0;
        for (const Partition& partition : partitions_) size += partition.count;
        return size;
    }

    /// Writes what is held to the file, partition by partition, until at most `keep_bytes` are held.
    void spill(sort::SpillFile& file, uint64_t keep_bytes) {
        for (Partition& partition : partitions_) {
            if (held_bytes() <= keep_bytes) return;
            const std::lock_guard lock(partition.mutex);
            if (partition.chunks.empty()) continue;
            std::vector<T> values;
            gather(partition, values);
            partition.extents.push_back(
                file.write({reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)}));
        }
    }

    /// Writes what is held to the file and describes it; restore() is the inverse, in an empty store, and
    /// adds to `extents` what has to be verified.
    void save(sort::SpillFile& file, data::StateWriter& state) {
        spill(file, 0);
        for (const Partition& partition : partitions_) {
            state.put(partition.count);
            state.put_all(partition.extents);
        }
    }
    void restore(data::StateReader& state, std::vector<sort::SpillExtent>& extents) {
        for (Partition& partition : partitions_) {
            partition.count = state.get<uint64_t>();
            partition.extents = state.get_all<sort::SpillExtent>();
            uint64_t left = partition.count;
            for (const sort::SpillExtent& extent : partition.extents) {
                const uint64_t values = extent.size_bytes / sizeof(T);
                if (extent.size_bytes % sizeof(T) != 0 || values > left) state.fail();
                left -= values;
            }
            if (left != 0) state.fail();
            extents.insert(extents.end(), partition.extents.begin(), partition.extents.end());
        }
    }

    std::vector<T> take(size_t index, sort::SpillFile& file) {
        Partition& partition = partitions_[index];
        std::vector<T> values(partition.count);
        size_t at = 0;
        for (const sort::SpillExtent& extent : partition.extents) {
            file.read(extent, {reinterpret_cast<uint8_t*>(values.data() + at), extent.size_bytes});
            file.release(extent);
            at += extent.size_bytes / sizeof(T);
        }
        values.resize(at);
        gather(partition, values);
        partition.extents.clear();
        partition.count = 0;
        return values;
    }

    /// Calls visit(value) on every value, without taking it.
    template <class Visit>
    void for_each(const sort::SpillFile& file, Visit visit) const {
        std::vector<T> values;
        for (const Partition& partition : partitions_) {
            for (const sort::SpillExtent& extent : partition.extents) {
                values.resize(extent.size_bytes / sizeof(T));
                file.read(extent, {reinterpret_cast<uint8_t*>(values.data()), extent.size_bytes});
                for (const T& value : values) visit(value);
            }
            for (size_t c = 0; c < partition.chunks.size(); ++c) {
                for (size_t i = 0; i < partition.chunk_size(c); ++i) visit(partition.chunks[c][i]);
            }
        }
    }

  private:
    static constexpr size_t k_chunk_values = 1024;
    /// What add() needs is in one cache line, which threads take from each other.
    struct alignas(64) Partition {
        data::BriefMutex mutex;
        T* next = nullptr;  // where the next value goes, in the last chunk
        size_t room = 0;    // values from there on
        uint64_t count = 0;

        std::vector<std::unique_ptr<T[]>> chunks;
        std::vector<sort::SpillExtent> extents;

        size_t chunk_size(size_t chunk) const {
            return chunk + 1 == chunks.size() ? k_chunk_values - room : k_chunk_values;
        }
    };

    /// Under the lock.
    void append(Partition& partition, const T& value) {
        if (partition.room == 0) {
            partition.next = partition.chunks.emplace_back(new T[k_chunk_values]).get();
            partition.room = k_chunk_values;
            held_bytes_.fetch_add(k_chunk_values * sizeof(T), std::memory_order_relaxed);
        }
        *partition.next++ = value;
        --partition.room;
        ++partition.count;
    }

    /// Moves the chunks of a partition to the end of `values`.
    void gather(Partition& partition, std::vector<T>& values) {
        for (size_t c = 0; c < partition.chunks.size(); ++c) {
            const T* chunk = partition.chunks[c].get();
            values.insert(values.end(), chunk, chunk + partition.chunk_size(c));
        }
        held_bytes_.fetch_sub(partition.chunks.size() * k_chunk_values * sizeof(T),
                              std::memory_order_relaxed);
        partition.chunks.clear();
        partition.room = 0;
    }

    Partition partitions_[k_partitions];
    std::atomic<uint64_t> held_bytes_{0};
};

}  // namespace gannet::align::duplicates
