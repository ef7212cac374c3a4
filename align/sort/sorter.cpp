// SPDX-License-Identifier: MIT
// Provides the scatter into buckets, their spilling, and the sort of one bucket.
#include "align/sort/sorter.hpp"

#include "align/sort/part_plan.hpp"
#include "align/sort/record_codec.hpp"
#include "align/sort/sort_key.hpp"
#include "align/sort/sorter_state.hpp"
#include "align/sort/spill_file.hpp"
#include "data/error.hpp"
#include "data/prefetch.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>

namespace gannet::align::sort {
namespace {

/// In output order, records lie all over the chunks of a bucket: so many are on their way to the caches.
constexpr size_t k_records_ahead = 8;
/// While records are scattered, so many buckets are on their way from the caches of other cores.
constexpr size_t k_buckets_ahead = 6;

}  // namespace

void Bucket::seal() {
    if (chunks.empty()) return;
    Chunk& last = chunks.back();
    const auto used = static_cast<uint64_t>(next - last.bytes.get());
    record_bytes += used - last.used - (records - sealed_records) * k_frame_bytes;
    sealed_records = records;
    last.used = used;
}

void Sorter::State::new_chunk(Bucket& bucket, uint64_t needed_bytes) {
    bucket.seal();
    Chunk chunk;
    const bool is_usual = needed_bytes <= memory->chunk_bytes();
    if (is_usual) {
        const std::lock_guard lock(free_mutex);
        if (!free_chunks.empty()) {
            chunk = std::move(free_chunks.back());
            free_chunks.pop_back();
        }
    }
    if (!chunk.bytes) {
        chunk.capacity = is_usual ? memory->chunk_bytes() : needed_bytes;
        chunk.bytes = is_usual ? memory->chunk() : ChunkMemory::large(needed_bytes);
    }
    bucket.next = chunk.bytes.get();
    bucket.room = chunk.capacity;
    bucket.held += chunk.capacity;
    held.fetch_add(chunk.capacity, std::memory_order_relaxed);
    bucket.chunks.push_back(std::move(chunk));
}

void Sorter::State::append(Bucket& bucket, const data::RecordBatch& batch, size_t begin, size_t end) {
    const std::lock_guard lock(bucket.mutex);
    for (size_t i = begin; i < end; ++i) {
        const data::RecordEntry& entry = batch.entries[i];
        const uint64_t needed = k_frame_bytes + entry.size_bytes;
        if (bucket.room < needed) new_chunk(bucket, needed);
        uint8_t* const to = bucket.next;
        std::memcpy(to, &entry.ordinal, 8);
        std::memcpy(to + 8, &entry.size_bytes, 4);
        std::memcpy(to + k_frame_bytes, batch.bytes.data() + entry.offset, entry.size_bytes);
        bucket.next = to + needed;
        bucket.room -= needed;
        ++bucket.records;
    }
}

void Sorter::State::recycle(std::vector<Chunk>& chunks) {
    const std::lock_guard lock(free_mutex);
    for (Chunk& chunk : chunks) {
        if (chunk.capacity != memory->chunk_bytes()) continue;
        chunk.used = 0;
        free_chunks.push_back(std::move(chunk));
    }
    chunks.clear();
}

void Sorter::State::spill_bucket(Bucket& bucket) {
    std::vector<Chunk> chunks;
    uint64_t bucket_held = 0;
    {
        const std::lock_guard lock(bucket.mutex);
        bucket.seal();
        chunks.swap(bucket.chunks);
        std::swap(bucket_held, bucket.held);
        bucket.room = 0;
    }
    if (chunks.empty()) return;
    // In pieces, so that the codec needs little memory and each can be read back by itself.
    std::vector<SpilledFrames> spilled;
    std::vector<std::span<const uint8_t>> pieces;
    std::unique_ptr<RecordCodec> codec = borrow_codec();
    for (size_t next = 0; next < chunks.size();) {
        uint64_t bytes = 0;
        pieces.clear();
        do {
            bytes += chunks[next].used;
            pieces.emplace_back(chunks[next].bytes.get(), chunks[next].used);
        } while (++next < chunks.size() && bytes + chunks[next].used <= k_max_spilled_bytes);
        spilled.push_back(write(*codec, pieces));
    }
    give_back(std::move(codec));
    recycle(chunks);
    held.fetch_sub(bucket_held, std::memory_order_relaxed);
    const std::lock_guard lock(bucket.mutex);
    bucket.spilled.insert(bucket.spilled.end(), spilled.begin(), spilled.end());
}

SpilledFrames Sorter::State::write(RecordCodec& codec, std::span<const std::span<const uint8_t>> pieces) {
    SpilledFrames written;
    for (const std::span<const uint8_t> piece : pieces) written.bytes += piece.size();
    written.extent = spill.write(codec.encode(pieces));
    return written;
}

void Sorter::State::read(RecordCodec& codec, const SpilledFrames& from, std::span<uint8_t> frames,
                         bool release) {
    const std::span<uint8_t> stored = codec.room_for(from.extent.size_bytes);
    spill.read(from.extent, stored);
    if (release) spill.release(from.extent);
    try {
        codec.decode(stored, frames);
    } catch (const data::Error&) {
        if (options.file_name.empty()) throw;
        spill.fail_damaged();
    }
}

std::unique_ptr<RecordCodec> Sorter::State::borrow_codec() {
    {
        const std::lock_guard lock(codecs_mutex);
        if (!idle_codecs.empty()) {
            auto codec = std::move(idle_codecs.back());
            idle_codecs.pop_back();
            return codec;
        }
    }
    return std::make_unique<RecordCodec>();
}

void Sorter::State::give_back(std::unique_ptr<RecordCodec> codec) {
    const std::lock_guard lock(codecs_mutex);
    idle_codecs.push_back(std::move(codec));
}

/// Calls visit(frame bytes, record) for all frames of a bucket; with `release`, what was visited is freed.
template <class Visit>
void Sorter::State::for_each_frame(Bucket& bucket, bool release, Visit visit) {
    const auto walk = [&visit](const uint8_t* at, uint64_t size) {
        for (const uint8_t* const end = at + size; at != end;) {
            uint32_t record_bytes;
            std::memcpy(&record_bytes, at + 8, 4);
            visit(std::span(at, k_frame_bytes + record_bytes),
                  data::RecordView({at + k_frame_bytes, record_bytes}));
            at += k_frame_bytes + record_bytes;
        }
    };
    std::vector<uint8_t> bytes;
    std::unique_ptr<RecordCodec> codec = borrow_codec();
    for (const SpilledFrames& frames : bucket.spilled) {
        bytes.resize(frames.bytes);
        read(*codec, frames, bytes, release);
        walk(bytes.data(), bytes.size());
    }
    give_back(std::move(codec));
    for (Chunk& chunk : bucket.chunks) {
        walk(chunk.bytes.get(), chunk.used);
        if (release) chunk = Chunk();
    }
}

/// Records of another bucket, or more or fewer than there were, come from a checkpoint that was changed.
void Sorter::State::require_own(size_t index, const SortKey& key) const {
    const data::RecordView view({key.bytes, key.size});
    const bool unplaced_record = view.contig() < 0;
    if (unplaced_record != (index >= placed.size())) spill.fail_damaged();
    if (unplaced_record) return;
    if (static_cast<size_t>(view.contig()) >= contig_offset.size() ||
        position_of(view.contig(), view.position()) >> bucket_bits != index)
        spill.fail_damaged();
}

/// Writes the records of a large bucket to the spill file again, part by part.
void Sorter::State::cut(size_t index) {
    Bucket& bucket = bucket_at(index);
    const bool is_placed = index < placed.size();
    const auto key_of = [&](std::span<const uint8_t> frame, const data::RecordView& view) {
        PartPlan::Key key{};
        std::memcpy(&key.ordinal, frame.data(), 8);
        key.sort_key = position_key(view.contig(), view.position());
        key.bytes = frame.size();
        require_own(
            index, {0, 0, frame.data() + k_frame_bytes, static_cast<uint32_t>(frame.size() - k_frame_bytes)});
        key.position = is_placed ? position_of(view.contig(), view.position()) - begin_of(index) : 0;
        return key;
    };
    PartPlan plan(is_placed ? size_t{1} << bucket_bits : 1);
    for_each_frame(bucket, false, [&](auto frame, const auto& view) { plan.add(key_of(frame, view)); });
    if (plan.has_deep_positions())
        for_each_frame(bucket, false,
                       [&](auto frame, const auto& view) { plan.add_to_bins(key_of(frame, view)); });
    std::vector<std::unique_ptr<Bucket>> parts(plan.finish());
    if (parts.size() == 1) return;
    for (auto& part : parts) part = std::make_unique<Bucket>();
    std::vector<std::vector<uint8_t>> buffers(parts.size());
    const uint64_t buffer_bytes = std::max<uint64_t>(2 * k_max_spilled_bytes / parts.size(), 64 << 10);
    std::unique_ptr<RecordCodec> codec = borrow_codec();
    const auto flush = [&](size_t part) {
        const std::span<const uint8_t> frames = buffers[part];
        if (!frames.empty()) parts[part]->spilled.push_back(write(*codec, {&frames, 1}));
        buffers[part].clear();
    };
    for_each_frame(bucket, true, [&](auto frame, const auto& view) {
        const size_t part = plan.part_of(key_of(frame, view));
        if (buffers[part].size() + frame.size() > buffer_bytes) flush(part);
        buffers[part].insert(buffers[part].end(), frame.begin(), frame.end());
        parts[part]->record_bytes += frame.size() - k_frame_bytes;
        ++parts[part]->records;
    });
    for (size_t part = 0; part < parts.size(); ++part) flush(part);
    give_back(std::move(codec));
    bucket.chunks = std::vector<Chunk>();
    bucket.spilled = std::vector<SpilledFrames>();
    bucket.parts = std::move(parts);
}

/// Every thread that finds the budget exceeded helps. Buckets that hold less than half of the average are
/// left for later, so that what is written at a time is long.
void Sorter::State::spill_until_within_budget() {
    const uint64_t low_water = options.memory_bytes - options.memory_bytes / 8;
    const size_t count = bucket_count();
    uint64_t minimum = low_water / (2 * count);
    for (size_t seen = 0; held.load(std::memory_order_relaxed) > low_water; ++seen) {
        if (seen == count) {
            if (minimum == 0) return;  // all is on its way to the file already
            minimum = 0;
            seen = 0;
        }
        Bucket& bucket = bucket_at(hand.fetch_add(1, std::memory_order_relaxed) % count);
        uint64_t bucket_held;
        {
            const std::lock_guard lock(bucket.mutex);
            bucket_held = bucket.held;
        }
        if (bucket_held > minimum) spill_bucket(bucket);
    }
}

namespace {

std::vector<uint64_t> lengths_of(const data::Reference& reference) {
    std::vector<uint64_t> lengths;
    for (const data::Contig& contig : reference.contigs()) lengths.push_back(contig.length);
    return lengths;
}

}  // namespace

Sorter::Sorter(const data::Reference& reference, SorterOptions options)
    : Sorter(lengths_of(reference), std::move(options)) {}
Sorter::Sorter(std::vector<uint64_t> contig_lengths, SorterOptions options)
    : state_(std::make_unique<State>(std::move(contig_lengths), std::move(options))) {}

Sorter::~Sorter() = default;

void Sorter::add(const data::RecordBatch& batch) {
    State& state = *state_;
    const std::vector<data::RecordEntry>& entries = batch.entries;
    const auto fetch = [&](size_t i) {
        if (i < entries.size() && entries[i].contig >= 0)
            State::fetch(state.placed[state.bucket_of(entries[i])]);
    };
    const ChunkMemory::Ready ready =
        state.memory->make_ready(batch.bytes.size() + entries.size() * k_frame_bytes);
    for (size_t i = 0; i < k_buckets_ahead; ++i) fetch(i);
    for (size_t begin = 0; begin < entries.size();) {
        size_t end = begin + 1;
        if (entries[begin].contig < 0) {
            state.append(state.unplaced_bucket(entries[begin].ordinal), batch, begin, end);
        } else {
            // Mates are mostly in one bucket, and so need one lock.
            const uint64_t bucket = state.bucket_of(entries[begin]);
            while (end < entries.size() && entries[end].contig >= 0 &&
                   state.bucket_of(entries[end]) == bucket)
                ++end;
            state.append(state.placed[bucket], batch, begin, end);
        }
        for (; begin < end; ++begin) fetch(begin + k_buckets_ahead);
    }
    state.records.fetch_add(entries.size(), std::memory_order_relaxed);
    if (state.held.load(std::memory_order_relaxed) > state.options.memory_bytes)
        state.spill_until_within_budget();
}

void Sorter::finish_input() {
    for (size_t bucket = 0; bucket < state_->bucket_count(); ++bucket) state_->bucket_at(bucket).seal();
    const std::lock_guard lock(state_->free_mutex);
    state_->free_chunks.clear();
    state_->free_chunks.shrink_to_fit();
}

size_t Sorter::buckets() const { return state_->bucket_count(); }

uint64_t Sorter::bucket_bytes(size_t bucket) const {
    Bucket& source = state_->bucket_at(bucket);
    const std::lock_guard lock(source.mutex);
    source.seal();
    return source.record_bytes;
}

size_t Sorter::parts(size_t bucket) {
    Bucket& source = state_->bucket_at(bucket);
    if (source.parts.empty() && source.record_bytes > state_->max_uncut_bytes) state_->cut(bucket);
    return std::max<size_t>(source.parts.size(), 1);
}

void Sorter::load(size_t bucket, size_t part, SortedBucket& sorted) {
    Bucket& entire = state_->bucket_at(bucket);
    Bucket& source = entire.parts.empty() ? entire : *entire.parts.at(part);
    uint64_t spilled = 0;
    for (const SpilledFrames& frames : source.spilled) spilled += frames.bytes;
    const std::unique_ptr<uint8_t[]> scratch(new uint8_t[spilled]);
    std::vector<SortKey> keys;
    keys.reserve(source.records);
    uint64_t at = 0;
    if (!source.spilled.empty()) {
        std::unique_ptr<RecordCodec> codec = state_->borrow_codec();
        for (const SpilledFrames& frames : source.spilled) {
            state_->read(*codec, frames, {scratch.get() + at, frames.bytes}, true);
            collect_frames(scratch.get() + at, frames.bytes, keys);
            at += frames.bytes;
        }
        state_->give_back(std::move(codec));
    }
    for (const Chunk& chunk : source.chunks) collect_frames(chunk.bytes.get(), chunk.used, keys);
    if (keys.size() != source.records) state_->spill.fail_damaged();
    sort_keys(keys);
    if (!keys.empty()) {
        state_->require_own(bucket, keys.front());
        state_->require_own(bucket, keys.back());
    }

    sorted.index = bucket;
    sorted.bytes.clear();
    sorted.entries.clear();
    // A little more, so that the memory is enough for the next bucket too. What is not written to costs
    // nothing.
    if (sorted.bytes.capacity() < source.record_bytes)
        sorted.bytes.reserve(source.record_bytes + source.record_bytes / 4);
    sorted.entries.reserve(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
        if (i + k_records_ahead < keys.size())
            data::prefetch({keys[i + k_records_ahead].bytes, keys[i + k_records_ahead].size});
        const SortKey& key = keys[i];
        const data::RecordView view({key.bytes, key.size});
        sorted.entries.push_back(
            {sorted.bytes.size(), key.ordinal, key.size, view.contig(), view.position(), view.flag()});
        sorted.bytes.insert(sorted.bytes.end(), key.bytes, key.bytes + key.size);
    }
    source.chunks = std::vector<Chunk>();
    source.spilled = std::vector<SpilledFrames>();
}

void Sorter::visit(uint32_t contig, int64_t begin, int64_t end,
                   const std::function<void(const data::RecordView& record, uint64_t ordinal)>& visit) {
    State& s = *state_;
    if (begin >= end) return;
    const auto bucket_at = [&](int64_t position) {
        return s.position_of(static_cast<int32_t>(contig), static_cast<int32_t>(position)) >> s.bucket_bits;
    };
    for (uint64_t bucket = bucket_at(begin); bucket <= bucket_at(end - 1); ++bucket) {
        s.for_each_frame(s.placed[bucket], false, [&](auto frame, const data::RecordView& record) {
            if (record.contig() != static_cast<int32_t>(contig) || record.position() < begin ||
                record.position() >= end)
                return;
            uint64_t ordinal;
            std::memcpy(&ordinal, frame.data(), sizeof ordinal);
            visit(record, ordinal);
        });
    }
}

uint64_t Sorter::records() const { return state_->records.load(); }

uint64_t Sorter::spilled_bytes() const { return state_->spill.bytes(); }

}  // namespace gannet::align::sort
