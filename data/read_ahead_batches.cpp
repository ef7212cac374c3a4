// SPDX-License-Identifier: MIT
// Provides the batches of BGZF that are inflated by a BatchInflater while a file is read ahead.
#include "data/read_ahead_queue.hpp"

#include <optional>
#include <span>

namespace gannet::data {

/// Those of the next batch, all of them behind those that threads inflate; none where these are too few.
auto ReadAhead::Queue::units_of_batch() const -> std::vector<Unit*> {
    std::vector<Unit*> found;
    if (error_ || stopping_ || !has_batches() || !batches_->has_room()) return found;
    const size_t wanted = batches_->batch_pieces();
    for (size_t k = 0; k < units_.size() && !units_[k]->error; ++k) {
        Unit& unit = *units_[k];
        if (k < wanted || unit.state != Unit::State::stored || unit.is_for_thread ||
            unit.piece.kind != StoredPiece::Kind::blocks)
            continue;
        found.push_back(&unit);
        if (found.size() == wanted) return found;
    }
    return {};
}

/// Collects a batch or begins one; false where there is none.
bool ReadAhead::Queue::work_on_batches(Lock& lock) {
    if (!ended_.empty()) {
        const std::shared_ptr<Batch> batch = std::move(ended_.front());
        ended_.erase(ended_.begin());
        collect(lock, *batch);
        return true;
    }
    const std::vector<Unit*> units = units_of_batch();
    if (units.empty()) return false;
    const std::optional<size_t> place = batches_->reserve();
    if (!place) return false;
    begin(lock, units, *place);
    return true;
}

void ReadAhead::Queue::begin(Lock& lock, const std::vector<Unit*>& units, size_t place) {
    const auto batch = std::make_shared<Batch>();
    batch->place = place;
    for (Unit* const unit : units) {
        unit->text = take_chunk();
        unit->state = Unit::State::inflating;
        batch->parts.push_back({unit});
    }
    ended_.reserve(begun_ + 1);  // end() allocates nothing
    ++begun_;
    lock.unlock();
    try {
        list_blocks(*batch);
        batch->is_begun = !batch->blocks.empty();
        if (batch->is_begun)
            batches_->begin(place, batch->blocks, [self = shared_from_this(), batch] { self->end(batch); });
    } catch (...) {
        batch->fault = std::current_exception();
        batch->is_begun = false;
    }
    lock.lock();
    if (!batch->is_begun) ended_.push_back(batch);
}

void ReadAhead::Queue::list_blocks(Batch& batch) {
    for (Batch::Part& part : batch.parts) {
        const std::span<uint8_t> out(part.unit->text.memory.data() + part.unit->text.begin, k_chunk_bytes);
        const std::optional<size_t> bytes = bgzf::list_blocks(part.unit->piece, out, batch.blocks);
        part.is_good = bytes.has_value();
        part.text_bytes = bytes.value_or(0);
        part.end = batch.blocks.size();
    }
}

/// The batch can be collected; in any thread.
void ReadAhead::Queue::end(const std::shared_ptr<Batch>& batch) {
    Lock lock(mutex_);
    ended_.push_back(batch);
    try {
        if (!stopping_) submit_task();
    } catch (...) {
        fail(lock);
    }
    changed_.notify_all();
}

void ReadAhead::Queue::collect(Lock& lock, Batch& batch) {
    lock.unlock();
    std::exception_ptr fault = batch.fault;
    try {
        if (batch.is_begun)
            batches_->collect(batch.place, batch.good, [&] { use_text(batch); });
        else
            batches_->release(batch.place);
    } catch (...) {
        fault = std::current_exception();
    }
    lock.lock();
    --begun_;
    for (const Batch::Part& part : batch.parts) {
        if (!fault && batch.is_used && part.is_good)
            settle(*part.unit, true);
        else
            put_back(*part.unit);
    }
    if (fault && !error_) {
        error_ = fault;
        file_ended_ = true;
    }
    if (!stopping_) submit_task();
    changed_.notify_all();
}

/// Of the units all of whose blocks are good; the others are for a thread.
void ReadAhead::Queue::use_text(Batch& batch) {
    size_t block = 0;
    for (Batch::Part& part : batch.parts) {
        for (; block < part.end; ++block) part.is_good = part.is_good && batch.good[block];
        if (!part.is_good) continue;
        Chunk& text = part.unit->text;
        text.end += part.text_bytes;
        text.lines.count(text.text());
    }
    batch.is_used = true;
}

void ReadAhead::Queue::put_back(Unit& unit) {
    unit.state = Unit::State::stored;
    unit.is_for_thread = true;
    unit.text.end = unit.text.begin;
    spare_chunks_.push_back(std::move(unit.text));
}

}  // namespace gannet::data
