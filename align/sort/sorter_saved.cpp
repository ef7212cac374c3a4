// SPDX-License-Identifier: MIT
// Provides the saving of a sorter for a checkpoint, and its restoring.
#include "align/sort/sorter_state.hpp"
#include "data/threads.hpp"

namespace gannet::align::sort {

/// Whether the numbers of a saved bucket are possible, so that memory for it can be had.
bool Sorter::State::fits_its_frames(const Bucket& bucket) const {
    uint64_t left = bucket.record_bytes;
    if (bucket.records > left) return false;
    left += bucket.records * k_frame_bytes;
    for (const SpilledFrames& frames : bucket.spilled) {
        if (!spill.holds(frames.extent) || frames.bytes > left || frames.bytes > k_max_frames_bytes)
            return false;
        left -= frames.bytes;
    }
    return left == 0;
}

void Sorter::save(data::StateWriter& state, unsigned threads) {
    State& s = *state_;
    const size_t count = s.bucket_count();
    data::for_each_index(threads, count, [&s](size_t i) { s.spill_bucket(s.bucket_at(i)); });
    s.spill.sync();
    state.put(uint64_t{s.placed.size()});
    state.put(uint64_t{count});
    state.put(s.spill.bytes());
    state.put(s.records.load());
    for (size_t i = 0; i < count; ++i) {
        const Bucket& bucket = s.bucket_at(i);
        state.put(bucket.record_bytes);
        state.put(bucket.records);
        state.put_all(bucket.spilled);
    }
}

void Sorter::restore(data::StateReader& state, unsigned threads) {
    State& s = *state_;
    if (state.get<uint64_t>() != s.placed.size()) state.fail();
    const auto count = state.get<uint64_t>();
    if (count < s.placed.size() || count > state.left_bytes()) state.fail();
    s.spill.resume(state.get<uint64_t>());
    s.records = state.get<uint64_t>();
    while (s.bucket_count() < count) s.unplaced.emplace_back();
    std::vector<SpillExtent> extents;
    uint64_t records = 0;
    for (size_t i = 0; i < count; ++i) {
        Bucket& bucket = s.bucket_at(i);
        bucket.record_bytes = state.get<uint64_t>();
        bucket.sealed_records = bucket.records = state.get<uint64_t>();
        bucket.spilled = state.get_all<SpilledFrames>();
        if (!s.fits_its_frames(bucket)) state.fail();
        for (const SpilledFrames& frames : bucket.spilled) extents.push_back(frames.extent);
        records += bucket.records;
    }
    if (records != s.records) state.fail();
    s.spill.verify(extents, threads);
}

}  // namespace gannet::align::sort
