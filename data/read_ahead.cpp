// SPDX-License-Identifier: MIT
// Provides the queue between the thread that reads a file, those that inflate it, and the one that uses the
// text.
#include "data/read_ahead_queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gannet::data {
namespace {

constexpr size_t k_min_units = 4;

/// Parsing is the limit from about five inflating threads on, so more than that need not be kept busy.
size_t units_for(unsigned threads, const BatchInflater* batches) {
    if (batches != nullptr) return ReadAhead::max_units(batches->batch_pieces());
    return std::min(k_min_units + threads, ReadAhead::k_max_units);
}

}  // namespace

void ReadAhead::Queue::use_runner(TaskRunner* runner, BatchInflater* batches) {
    const Lock lock(mutex_);
    runner_ = runner;
    batches_ = batches;
    if (runner_ != nullptr) max_units_ = units_for(runner_->threads(), batches);
    submit_task();
    changed_.notify_all();
}

void ReadAhead::Queue::stop() {
    Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    while (begun_ != 0) {
        if (ended_.empty())
            changed_.wait(lock);
        else
            work_on_batches(lock);
    }
}

template <class T>
T ReadAhead::Queue::take_spare(std::vector<T>& spares) {
    if (spares.empty()) return T{};
    T spare = std::move(spares.back());
    spares.pop_back();
    return spare;
}

auto ReadAhead::Queue::take_chunk() -> Chunk {
    Chunk chunk = take_spare(spare_chunks_);
    if (chunk.memory.empty()) {
        chunk.memory.resize(k_headroom_bytes + k_chunk_bytes);
        chunk.lines.reserve(k_chunk_bytes);
        buffer_bytes_ += chunk.memory.size();
    }
    chunk.begin = chunk.end = k_headroom_bytes;
    return chunk;
}

void ReadAhead::Queue::give_back(Chunk&& chunk) {
    if (chunk.memory.size() != k_headroom_bytes + k_chunk_bytes) return;  // a window that had grown, or none
    const Lock lock(mutex_);
    spare_chunks_.push_back(std::move(chunk));
}

size_t ReadAhead::Queue::buffer_bytes() {
    const Lock lock(mutex_);
    return buffer_bytes_;
}

void ReadAhead::Queue::read_file() {
    Lock lock(mutex_);
    try {
        for (;;) {
            const auto finished = [this] {
                return file_ended_ && (!inflates_itself() || ready_ == units_.size());
            };
            changed_.wait(lock, [&] {
                return stopping_ || finished() || may_read() || (inflates_itself() && claimable() != nullptr);
            });
            if (stopping_ || finished()) return;
            read_or_inflate(lock);
        }
    } catch (...) {
        fail(lock);
    }
}

void ReadAhead::Queue::read_or_inflate(Lock& lock) {
    if (Unit* const unit = inflates_itself() ? claimable() : nullptr) {
        inflate(lock, *unit);
        return;
    }
    auto unit = read_unit(lock);
    file_ended_ = !unit || unit->error || unit->piece.error;
    if (unit) {
        if (unit->state == Unit::State::ready) ++ready_;
        units_.push_back(std::move(unit));
        submit_task();
    }
    changed_.notify_all();
}

/// Out of memory, mostly in a thread that cannot throw it. A unit may stay claimed: whoever uses the text,
/// now or later, is given the error and does not wait for it.
void ReadAhead::Queue::fail(Lock& lock) {
    if (!lock.owns_lock()) lock.lock();
    if (!error_) error_ = std::current_exception();
    file_ended_ = true;
    changed_.notify_all();
}

/// Reads the file without the lock. Null at the end.
auto ReadAhead::Queue::read_unit(Lock& lock) -> std::unique_ptr<Unit> {
    auto unit = std::make_unique<Unit>();
    const bool compressed = stream_->compressed();
    if (compressed) {
        unit->piece = take_spare(spare_pieces_);
        if (unit->piece.memory.empty()) buffer_bytes_ += InputStream::k_max_piece_bytes;
    } else {
        unit->text = take_chunk();
        unit->state = Unit::State::ready;
    }
    lock.unlock();
    bool any = false;
    try {
        if (compressed) {
            any = stream_->next_piece(unit->piece);
        } else {
            Chunk& text = unit->text;
            text.end += stream_->read({text.memory.data() + text.begin, k_chunk_bytes});
            text.lines.count(text.text());
            any = text.size() != 0;
        }
    } catch (...) {
        unit->error = std::current_exception();
        unit->state = Unit::State::ready;  // there is nothing to inflate, and nobody to wait for
        any = true;
    }
    lock.lock();
    return any ? std::move(unit) : nullptr;
}

/// The first unit that a thread may inflate now: any of blocks, but where batches take them, only one that is
/// among the next or is waited for (`is_needed`); of gzip only the one that follows what has been inflated,
/// and not more text than the queue may hold.
auto ReadAhead::Queue::claimable(bool is_needed) -> Unit* {
    if (error_) return nullptr;
    size_t left = has_batches() && !is_needed ? batches_->batch_pieces() : units_.size();
    for (const auto& unit : units_) {
        if (unit->error) return nullptr;  // nothing after it is used
        const bool is_near = left != 0;
        if (is_near) --left;
        if (unit->state == Unit::State::ready) continue;
        const bool in_order = unit->piece.kind == StoredPiece::Kind::gzip;
        const bool may = in_order ? ready_ < max_units_ : is_near || unit->is_for_thread;
        if (unit->state == Unit::State::stored && may) return unit.get();
        if (in_order) return nullptr;
    }
    return nullptr;
}

void ReadAhead::Queue::inflate(Lock& lock, Unit& unit) {
    unit.state = Unit::State::inflating;
    unit.text = take_chunk();
    auto blocks = take_spare(spare_inflaters_);
    TaskRunner* const runner = runner_;
    lock.unlock();
    bool piece_done = true;
    const auto work = [&] {
        try {
            const std::span<uint8_t> out(unit.text.memory.data() + unit.text.begin, k_chunk_bytes);
            if (unit.piece.kind == StoredPiece::Kind::blocks) {
                if (!blocks) blocks = std::make_unique<bgzf::BlockInflater>();
                unit.text.end += blocks->inflate(unit.piece, out, stream_->name());
            } else {
                const GzipInflater::Result result = gzip_.inflate(unit.piece, out);
                unit.text.end += result.bytes;
                piece_done = result.piece_done;
            }
        } catch (...) {
            unit.piece.error = std::current_exception();
        }
        unit.text.lines.count(unit.text.text());
    };
    if (runner != nullptr) {
        runner->run(work);
    } else {
        work();
    }
    lock.lock();
    if (blocks) spare_inflaters_.push_back(std::move(blocks));
    settle(unit, piece_done);
}

/// Makes what was inflated ready. Of a piece of gzip that is longer than its text may be, the rest becomes a
/// unit of its own.
void ReadAhead::Queue::settle(Unit& unit, bool piece_done) {
    unit.state = Unit::State::ready;
    ++ready_;
    if (piece_done) {
        unit.error = unit.piece.error;
        if (unit.error) file_ended_ = true;
        spare_pieces_.push_back(std::move(unit.piece));
    } else {
        auto rest = std::make_unique<Unit>();
        rest->piece = std::move(unit.piece);
        const auto at = std::find_if(units_.begin(), units_.end(),
                                     [&unit](const auto& other) { return other.get() == &unit; });
        units_.insert(at + 1, std::move(rest));
    }
    changed_.notify_all();
}

/// One task for one event that gave somebody something to do; it goes on while there is more.
void ReadAhead::Queue::submit_task() {
    if (!has_helpers() || (claimable() == nullptr && ended_.empty() && units_of_batch().empty())) return;
    runner_->submit([self = shared_from_this()] {
        Lock lock(self->mutex_);
        try {
            while (!self->stopping_) {
                if (self->work_on_batches(lock)) continue;
                Unit* const unit = self->claimable();
                if (unit == nullptr) return;
                self->inflate(lock, *unit);
            }
        } catch (...) {
            self->fail(lock);
        }
    });
}

bool ReadAhead::Queue::take(Chunk& chunk) {
    Lock lock(mutex_);
    try {
        return take(lock, chunk);
    } catch (...) {
        fail(lock);
        throw;
    }
}

bool ReadAhead::Queue::take(Lock& lock, Chunk& chunk) {
    for (;;) {
        if (error_) std::rethrow_exception(error_);
        if (!has_helpers() && work_on_batches(lock)) continue;
        if (!units_.empty() && units_.front()->state == Unit::State::ready) {
            const std::unique_ptr<Unit> unit = std::move(units_.front());
            units_.pop_front();
            --ready_;
            error_ = unit->error;
            submit_task();
            changed_.notify_all();
            if (unit->text.size() != 0) {
                chunk = std::move(unit->text);
                return true;
            }
            spare_chunks_.push_back(std::move(unit->text));
        } else if (units_.empty() && file_ended_) {
            return false;
        } else if (work_on_batches(lock)) {
            continue;
        } else if (Unit* const unit = claimable(true)) {
            inflate(lock, *unit);
        } else {
            changed_.wait(lock);
        }
    }
}

ReadAhead::ReadAhead(std::unique_ptr<InputStream> stream, TaskRunner* runner, BatchInflater* batches)
    : name_(stream->name()),
      queue_(std::make_shared<Queue>(std::move(stream), runner, batches)),
      window_(std::make_shared<Chunk>()) {
    thread_ = std::thread([queue = queue_.get()] { queue->read_file(); });
}

ReadAhead::~ReadAhead() {
    queue_->stop();
    thread_.join();
}

uint64_t ReadAhead::position_bytes() const { return queue_->stream().position_bytes(); }

void ReadAhead::use_runner(TaskRunner* runner, BatchInflater* batches) {
    queue_->use_runner(runner, batches);
}

size_t ReadAhead::buffer_bytes() const { return queue_->buffer_bytes(); }

void ReadAhead::set_window(Chunk&& chunk) {
    window_ = std::shared_ptr<Chunk>(new Chunk(std::move(chunk)), [queue = queue_](Chunk* unused) {
        queue->give_back(std::move(*unused));
        delete unused;
    });
}

/// The kept bytes are longer than the headroom of a chunk: the chunk is copied behind them, into memory that
/// doubles, so that a long record costs linear time.
void ReadAhead::append_to_window(size_t kept, Chunk&& chunk) {
    const bool is_held = window_.use_count() > 1;  // what follows the window would be overwritten under it
    if (is_held || window_->memory.size() - window_->end < chunk.size()) {
        Chunk wider;
        wider.memory.resize(2 * kept + k_chunk_bytes);
        std::memcpy(wider.memory.data(), window_->memory.data() + window_->end - kept, kept);
        wider.end = kept;
        set_window(std::move(wider));
    }
    window_->begin = window_->end - kept;
    std::memcpy(window_->memory.data() + window_->end, chunk.memory.data() + chunk.begin, chunk.size());
    window_->end += chunk.size();
    std::swap(window_->lines, chunk.lines);
    queue_->give_back(std::move(chunk));
}

std::span<const char> ReadAhead::next(size_t kept) {
    Chunk chunk;
    if (!queue_->take(chunk)) {
        const std::string_view window = window_->text();
        return {window.data() + window.size() - kept, kept};
    }
    if (kept > k_headroom_bytes) {
        append_to_window(kept, std::move(chunk));
    } else {
        chunk.begin -= kept;
        if (kept != 0)
            std::memcpy(chunk.memory.data() + chunk.begin, window_->memory.data() + window_->end - kept,
                        kept);
        set_window(std::move(chunk));
    }
    const std::string_view window = window_->text();
    return {window.data(), window.size()};
}

}  // namespace gannet::data
