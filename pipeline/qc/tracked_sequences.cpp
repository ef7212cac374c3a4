// SPDX-License-Identifier: MIT
// Provides the counting of tracked sequences, and the order of the batches while they are being found.
#include "pipeline/qc/tracked_sequences.hpp"

#include <algorithm>
#include <utility>

namespace gannet::pipeline::qc {

using data::Base;

namespace {

constexpr size_t k_starts_ahead = 16;  // whose slots are on their way to the caches
constexpr size_t k_bases_ahead = 8;    // the same of reads

}  // namespace

size_t TrackedSequences::slot_of(const ReadStart& start, uint64_t hash) const {
    const auto is_here = [&](uint32_t value) {
        const size_t number = number_of(value);
        return value == slot_value(number, hash) && tracked_[number].start == start;
    };
    size_t slot = hash >> k_slot_shift;
    while (slots_[slot] != 0 && !is_here(slots_[slot])) slot = (slot + 1) % k_slots;
    return slot;
}

void TrackedSequences::make_room() {
    slots_.resize(k_slots);
    bits_.resize(k_words);
    tracked_.reserve(limit_);
}

void TrackedSequences::insert(const Tracked& tracked, uint64_t hash, size_t slot) {
    slots_[slot] = slot_value(tracked_.size(), hash);
    tracked_.push_back(tracked);
    bits_[hash % k_words] |= bits_of(hash);
}

void TrackedSequences::add(const ReadStart& start, uint64_t hash) {
    if (is_complete()) {  // others may be counting
        add_reads(1);
        return count(start, hash);
    }
    if (slots_.empty()) make_room();
    reads_at_limit_ = ++reads_;
    const size_t slot = slot_of(start, hash);
    if (slots_[slot] != 0)
        ++tracked_[number_of(slots_[slot])].count;
    else
        insert({start, 1}, hash, slot);
}

void TrackedSequences::count_known(const ReadStart& start, uint64_t hash) {
    const uint32_t slot = slots_[slot_of(start, hash)];
    if (slot != 0) std::atomic_ref(tracked_[number_of(slot)].count).fetch_add(1, std::memory_order_relaxed);
}

/// Each look-up waits for memory twice, so that all are on their way before the first is made.
void TrackedSequences::look_up(const data::ReadBatch& batch, std::span<const Found> found) {
    for (const Found& read : found) request(read.hash);
    for (const Found& read : found) request_sequence(read.hash);
    for (const Found& read : found) count_known(ReadStart(start_of(batch.read_bases(read.read))), read.hash);
}

void TrackedSequences::count(const data::ReadBatch& batch, size_t first, size_t step) {
    constexpr size_t k_block = 32;
    std::array<uint64_t, k_block> hashes{};
    // Few reads are known: those of many blocks are looked up together.
    std::array<Found, 2 * k_block> found{};
    size_t waiting = 0;
    const auto start = [&](size_t read) { return start_of(batch.read_bases(read)); };
    for (size_t begin = first; begin < batch.reads(); begin += k_block * step) {
        const size_t reads = std::min(k_block, (batch.reads() - begin + step - 1) / step);
        for (size_t i = 0; i < reads; ++i) {
            const size_t read = begin + i * step;
            if (const size_t ahead = read + k_bases_ahead * step; ahead < batch.reads()) {
                const std::span<const Base> bases = start(ahead);
                data::prefetch(bases.data());
                if (!bases.empty()) data::prefetch(&bases.back());
            }
            hashes[i] = hash_of(start(read));
            data::prefetch(&bits_[hashes[i] % k_words]);
        }
        for (size_t i = 0; i < reads; ++i) {
            found[waiting] = {begin + i * step, hashes[i]};
            waiting += may_have(hashes[i]) ? 1 : 0;  // no branch: which ones cannot be foretold
        }
        if (waiting < k_block) continue;
        look_up(batch, std::span(found).first(waiting));
        waiting = 0;
    }
    look_up(batch, std::span(found).first(waiting));
}

void TrackedSequences::save(data::StateWriter& state) const {
    state.put(reads_);
    state.put(reads_at_limit_);
    state.put_all(tracked_);
}

void TrackedSequences::restore(data::StateReader& state) {
    reads_ = state.get<uint64_t>();
    reads_at_limit_ = state.get<uint64_t>();
    const auto all = state.get_all<Tracked>();
    if (all.size() > limit_ || reads_at_limit_ > reads_) state.fail();
    if (all.empty()) return;
    make_room();
    for (const Tracked& tracked : all) {
        if (!tracked.start.is_valid() || tracked.count == 0) state.fail();
        const uint64_t hash = tracked.start.hash();
        const size_t slot = slot_of(tracked.start, hash);
        if (slots_[slot] != 0) state.fail();
        insert(tracked, hash, slot);
    }
}

void SequenceTracker::add(const data::ReadBatch& batch) {
    const size_t files = batch.paired ? k_fragments : 1;
    const bool has_turn = !ends_order();
    Starts starts;
    for (size_t file = 0; file < files; ++file) {
        const bool is_counted = is_complete(file);
        tiles_[file].add(batch, file, files, file == k_first ? batch.first_template : batch.mates_before);
        if (is_counted) {
            files_[file].add_reads(batch.templates());
            files_[file].count(batch, file, files);
            continue;
        }
        starts[file].reserve(batch.templates());
        for (size_t read = file; read < batch.reads(); read += files) {
            const std::span<const Base> start = start_of(batch.read_bases(read));
            starts[file].push_back({ReadStart(start), hash_of(start)});
        }
    }
    if (has_turn) take_turn(batch.ordinal, std::move(starts));
}

void SequenceTracker::take_turn(uint64_t ordinal, Starts&& starts) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(ordinal, std::move(starts));
    // Once both files are complete there may be batches before this one that do not take their turn.
    while (!waiting_.empty() && (waiting_.begin()->first == next_batch_ || ends_order())) {
        add_in_order(waiting_.begin()->second);
        waiting_.erase(waiting_.begin());
        ++next_batch_;
    }
}

void SequenceTracker::add_in_order(const Starts& starts) {
    for (size_t file = 0; file < k_fragments; ++file) {
        const std::vector<Start>& of_file = starts[file];
        for (size_t i = 0; i < of_file.size(); ++i) {
            if (i + k_starts_ahead < of_file.size()) files_[file].request(of_file[i + k_starts_ahead].hash);
            files_[file].add(of_file[i].start, of_file[i].hash);
        }
        if (files_[file].is_complete()) complete_[file].store(true, std::memory_order_release);
    }
}

void SequenceTracker::save(data::StateWriter& state) const {
    for (const TrackedSequences& file : files_) file.save(state);
    for (const TileQualities& tiles : tiles_) tiles.save(state);
}

void SequenceTracker::restore(data::StateReader& state, uint64_t next_batch) {
    for (size_t file = 0; file < k_fragments; ++file) {
        files_[file].restore(state);
        complete_[file] = files_[file].is_complete();
    }
    for (TileQualities& tiles : tiles_) tiles.restore(state);
    next_batch_ = next_batch;
}

}  // namespace gannet::pipeline::qc
