// SPDX-License-Identifier: MIT
// Provides how often the first 100,000 different sequences of a file of reads are read: what FastQC's modules
// of duplication and of over-represented sequences are made of.
#pragma once

#include "data/prefetch.hpp"
#include "data/read_batch.hpp"
#include "data/saved_state.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/read_start.hpp"
#include "pipeline/qc/tile_qualities.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace gannet::pipeline::qc {

/// As many different sequences of a file as FastQC tracks.
inline constexpr size_t k_max_tracked = 100'000;

/// Of one file. Until `limit` different sequences are known, each read in the order of the file: add(). From
/// then on no new ones are taken, so that the order is of no account: count(), from any thread.
/// Memory: 6 MB with 100,000 sequences.
class TrackedSequences {
  public:
    /// `limit`: at most k_max_tracked.
    explicit TrackedSequences(size_t limit = k_max_tracked) : limit_(limit) {}

    struct Tracked {
        ReadStart start;
        uint64_t count = 0;
    };

    bool is_complete() const { return tracked_.size() >= limit_; }
    /// Lets memory bring what add() of this hash will look at.
    void request(uint64_t hash) const {
        if (!slots_.empty()) data::prefetch(&slots_[hash >> k_slot_shift]);
    }
    /// The same of what its slot points at.
    void request_sequence(uint64_t hash) const {
        const uint32_t slot = slots_[hash >> k_slot_shift];
        if (slot != 0) data::prefetch(&tracked_[number_of(slot)]);
    }
    void add(const ReadStart& start, uint64_t hash);
    /// Only where is_complete(); about 40 instructions where it is not tracked.
    void count(const ReadStart& start, uint64_t hash) {
        if (may_have(hash)) count_known(start, hash);
    }
    /// The same of every `step`-th read of the batch from `first` on; their look-ups wait for memory
    /// together.
    void count(const data::ReadBatch& batch, size_t first, size_t step);
    /// Reads that were given to count(), from any thread.
    void add_reads(uint64_t reads) { std::atomic_ref(reads_).fetch_add(reads, std::memory_order_relaxed); }

    uint64_t reads() const { return reads_; }
    /// Of them, those up to the last one that was looked at while there was room for its sequence.
    uint64_t reads_at_limit() const { return reads_at_limit_; }
    std::span<const Tracked> tracked() const { return tracked_; }  ///< in the order of the file

    void save(data::StateWriter& state) const;
    void restore(data::StateReader& state);

  private:
    static constexpr unsigned k_slot_shift = 46;  ///< of a hash, to the bits that may_have() does not use
    static constexpr size_t k_slots = size_t{1} << (64 - k_slot_shift);
    static constexpr uint32_t k_number_bits = 17;
    static_assert(k_max_tracked < (1u << k_number_bits));
    /// Words of may_have(): with four bits in one of them, one in two hundred hashes of others is let pass.
    static constexpr size_t k_words = size_t{1} << 14;

    /// Of bits that a slot's place does not use.
    static uint64_t bits_of(uint64_t hash) {
        return uint64_t{1} << (hash >> 14 & 63) | uint64_t{1} << (hash >> 20 & 63) |
               uint64_t{1} << (hash >> 26 & 63) | uint64_t{1} << (hash >> 32 & 63);
    }
    bool may_have(uint64_t hash) const { return (bits_of(hash) & ~bits_[hash % k_words]) == 0; }
    static uint32_t slot_value(size_t number, uint64_t hash) {
        constexpr unsigned k_hash_shift = 31;  // bits just below those of the slot's place
        return static_cast<uint32_t>(hash >> k_hash_shift) << k_number_bits |
               static_cast<uint32_t>(number + 1);
    }
    /// Of a slot that is not empty.
    static size_t number_of(uint32_t slot) { return (slot & ((1u << k_number_bits) - 1)) - 1; }
    /// The slot with the sequence, or the empty one where it belongs.
    size_t slot_of(const ReadStart& start, uint64_t hash) const;
    void insert(const Tracked& tracked, uint64_t hash, size_t slot);
    void make_room();
    /// A read of a batch that may_have() lets pass.
    struct Found {
        size_t read;
        uint64_t hash;
    };
    void look_up(const data::ReadBatch& batch, std::span<const Found> found);
    void count_known(const ReadStart& start, uint64_t hash);

    size_t limit_;
    uint64_t reads_ = 0;
    uint64_t reads_at_limit_ = 0;
    std::vector<Tracked> tracked_;
    /// One more than the number of a sequence, and above that bits of its hash, so that a sequence in memory
    /// is looked at where it is most likely the same; 0: empty.
    std::vector<uint32_t> slots_;
    std::vector<uint64_t> bits_;  ///< bits_of() the hashes of the sequences
};

/// The batches of a run, from any threads and in any order; the result is that of their order. A batch that
/// comes before its turn while sequences are still taken is kept: 40 bytes per read, at most the batches in
/// flight.
class SequenceTracker {
  public:
    explicit SequenceTracker(size_t limit = k_max_tracked)
        : files_{TrackedSequences(limit), TrackedSequences(limit)} {}

    /// Reads as they are in the file, before anything is trimmed.
    void add(const data::ReadBatch& batch);
    /// After the last batch, or between two of them: of first (and single) reads, and of second ones.
    const TrackedSequences& file(Fragment fragment) const { return files_[fragment]; }
    const TileQualities& tiles(Fragment fragment) const { return tiles_[fragment]; }
    uint64_t reads() const { return files_[k_first].reads() + files_[k_last].reads(); }
    /// Batches that wait for one before them; none where all have come.
    size_t waiting() const { return waiting_.size(); }

    void save(data::StateWriter& state) const;
    /// `next_batch`: the number of the batch that comes next.
    void restore(data::StateReader& state, uint64_t next_batch);

  private:
    struct Start {
        ReadStart start;
        uint64_t hash;
    };
    /// Empty where nothing of the batch is left to be done.
    using Starts = std::array<std::vector<Start>, k_fragments>;

    bool is_complete(size_t file) const { return complete_[file].load(std::memory_order_acquire); }
    /// Whether the order of batches is of no account any more.
    bool ends_order() const { return is_complete(k_first) && is_complete(k_last); }
    void take_turn(uint64_t ordinal, Starts&& starts);
    void add_in_order(const Starts& starts);

    std::array<TrackedSequences, k_fragments> files_;
    std::array<TileQualities, k_fragments> tiles_;
    std::array<std::atomic<bool>, k_fragments> complete_{};
    std::mutex mutex_;  ///< of the files while they are not complete, and of what follows
    uint64_t next_batch_ = 0;
    std::map<uint64_t, Starts> waiting_;  ///< by the number of the batch
};

}  // namespace gannet::pipeline::qc
