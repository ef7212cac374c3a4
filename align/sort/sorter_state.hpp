// SPDX-License-Identifier: MIT
// Provides what the sorter holds: buckets with their chunks in memory and their frames in the spill file.
#pragma once

#include "align/sort/chunk_memory.hpp"
#include "align/sort/record_codec.hpp"
#include "align/sort/sort_key.hpp"
#include "align/sort/sorter.hpp"
#include "align/sort/spill_file.hpp"
#include "data/brief_mutex.hpp"
#include "data/error.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gannet::align::sort {

inline constexpr unsigned k_min_bucket_bits = 14;
inline constexpr unsigned k_max_bucket_bits = 18;
inline constexpr uint64_t k_wanted_buckets = 256;       // of a small genome: enough for many threads
inline constexpr uint64_t k_max_buckets = 16384;        // of a huge one: each holds a chunk in memory
inline constexpr unsigned k_unplaced_bucket_bits = 17;  // templates of a bucket of unplaced records
inline constexpr uint64_t k_min_chunk_bytes = 4096;
inline constexpr uint64_t k_max_chunk_bytes = 64 << 10;
inline constexpr uint64_t k_max_spilled_bytes = 4 << 20;           // of frames that are compressed at a time
inline constexpr uint64_t k_max_frames_bytes = uint64_t{1} << 31;  // that RecordCodec takes

struct Chunk {
    ChunkMemory::Bytes bytes;
    uint64_t used = 0;
    uint64_t capacity = 0;
};

/// Frames that were written to the spill file.
struct SpilledFrames {
    SpillExtent extent;  // where they are, compressed
    uint64_t bytes = 0;  // as they were
};

/// What add() needs of a bucket is in one cache line: the threads take it from each other with every pair.
struct alignas(64) Bucket {
    data::BriefMutex mutex;
    uint8_t* next = nullptr;  // where the next frame goes, in the last chunk
    uint64_t room = 0;        // bytes from there on
    uint64_t records = 0;

    std::vector<Chunk> chunks;
    std::vector<SpilledFrames> spilled;
    uint64_t held = 0;            // capacity of chunks
    uint64_t record_bytes = 0;    // in chunks and spilled together, without frames, as of the last seal()
    uint64_t sealed_records = 0;  // records as of then
    std::vector<std::unique_ptr<Bucket>> parts;  // in output order; empty unless the bucket was cut

    /// Writes down what add() has put into the last chunk. Under the lock, or where nobody adds.
    void seal();
};

inline unsigned bucket_bits_of(uint64_t genome_size) {
    unsigned bits = k_min_bucket_bits;
    while (bits < k_max_bucket_bits && genome_size >> bits > k_wanted_buckets) ++bits;
    while (genome_size >> bits > k_max_buckets) ++bits;
    return bits;
}

struct Sorter::State {
    State(std::vector<uint64_t> lengths, SorterOptions given)
        : options(std::move(given)),
          spill(options.temporary_directory, options.file_name),
          contig_length(std::move(lengths)) {
        uint64_t genome_size = 0;
        for (const uint64_t length : contig_length) {
            contig_offset.push_back(genome_size);
            genome_size += length;
        }
        bucket_bits = bucket_bits_of(genome_size);
        max_uncut_bytes = std::max(k_min_cut_bytes, k_ordinary_bytes_per_bp << bucket_bits);
        placed = std::vector<Bucket>((genome_size >> bucket_bits) + 1);
        // One chunk per bucket must fit the budget several times over, or little would be written at a time.
        memory.emplace(std::bit_floor(
            std::clamp(options.memory_bytes / (placed.size() * 8), k_min_chunk_bytes, k_max_chunk_bytes)));
    }

    uint64_t bucket_of(const data::RecordEntry& entry) const {
        const auto contig = static_cast<size_t>(entry.contig);
        if (contig >= contig_offset.size()) {
            throw data::Error(data::ErrorKind::internal, "sort: record on contig " +
                                                             std::to_string(entry.contig) + " of " +
                                                             std::to_string(contig_offset.size()));
        }
        return position_of(entry.contig, entry.position) >> bucket_bits;
    }

    /// Buckets of unplaced records are added as the input goes on; they are few.
    Bucket& unplaced_bucket(uint64_t ordinal) {
        const uint64_t index = ordinal >> (8 + k_unplaced_bucket_bits);
        const std::lock_guard lock(unplaced_mutex);
        while (unplaced.size() <= index) unplaced.emplace_back();
        return unplaced[index];
    }
    size_t bucket_count() const {
        const std::lock_guard lock(unplaced_mutex);
        return placed.size() + unplaced.size();
    }
    /// Where the bucket begins in the genome; buckets without a place have one position.
    uint64_t begin_of(size_t index) const { return static_cast<uint64_t>(index) << bucket_bits; }
    /// Genome position by which records are assigned to buckets.
    uint64_t position_of(int32_t contig, int32_t position) const {
        // A position before or past its contig stays in that contig's buckets, so that buckets keep the
        // order.
        const auto index = static_cast<size_t>(contig);
        const auto within = static_cast<uint64_t>(std::max(position, 0));
        return contig_offset[index] + std::min(within, contig_length[index]);
    }
    Bucket& bucket_at(size_t index) {
        if (index < placed.size()) return placed[index];
        const std::lock_guard lock(unplaced_mutex);
        return unplaced.at(index - placed.size());
    }

    static void fetch(const Bucket& bucket) { __builtin_prefetch(&bucket, 1); }
    void append(Bucket& bucket, const data::RecordBatch& batch, size_t begin, size_t end);
    void new_chunk(Bucket& bucket, uint64_t needed_bytes);
    void spill_until_within_budget();
    void spill_bucket(Bucket& bucket);
    void recycle(std::vector<Chunk>& chunks);
    SpilledFrames write(RecordCodec& codec, std::span<const std::span<const uint8_t>> pieces);
    void read(RecordCodec& codec, const SpilledFrames& from, std::span<uint8_t> frames, bool release);
    std::unique_ptr<RecordCodec> borrow_codec();
    void give_back(std::unique_ptr<RecordCodec> codec);
    template <class Visit>
    void for_each_frame(Bucket& bucket, bool release, Visit visit);
    void cut(size_t index);
    bool fits_its_frames(const Bucket& bucket) const;
    void require_own(size_t index, const SortKey& key) const;

    SorterOptions options;
    SpillFile spill;
    std::vector<uint64_t> contig_length, contig_offset;  // offsets: of all contigs one after another
    unsigned bucket_bits = 0;
    std::optional<ChunkMemory> memory;
    std::vector<Bucket> placed;
    mutable std::mutex unplaced_mutex;
    std::deque<Bucket> unplaced;
    std::mutex free_mutex;
    std::vector<Chunk> free_chunks;
    std::mutex codecs_mutex;
    std::vector<std::unique_ptr<RecordCodec>> idle_codecs;
    std::atomic<uint64_t> held{0};
    std::atomic<uint64_t> records{0};
    uint64_t max_uncut_bytes = 0;   // of a bucket
    std::atomic<uint64_t> hand{0};  // where the next search for buckets to spill begins
};

}  // namespace gannet::align::sort
