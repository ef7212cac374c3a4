// SPDX-License-Identifier: MIT
// Provides the queue between the thread that reads a file, those that inflate it, and the one that uses the
// text; internal to ReadAhead.
#pragma once

#include "data/bgzf/block_inflater.hpp"
#include "data/gzip_inflater.hpp"
#include "data/read_ahead.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gannet::data {

/// The parts of the file between the one that was read last and the one that is used now, in their order. All
/// members are guarded by `mutex_`, except the stream (of the reading thread), the gzip inflater (of whoever
/// has claimed a unit of kind gzip), and the contents of a unit or a batch that is claimed.
class ReadAhead::Queue : public std::enable_shared_from_this<Queue> {
  public:
    Queue(std::unique_ptr<InputStream> stream, TaskRunner* runner, BatchInflater* batches)
        : stream_(std::move(stream)), gzip_(stream_->name()) {
        use_runner(runner, batches);
    }

    const InputStream& stream() const { return *stream_; }
    void use_runner(TaskRunner* runner, BatchInflater* batches);
    void read_file();  ///< the body of the reading thread
    void stop();       ///< returns when no batch is under way
    /// The next stretch of text, never empty; false at the end. Throws the fault that follows the text.
    bool take(Chunk& chunk);
    void give_back(Chunk&& chunk);
    size_t buffer_bytes();

  private:
    struct Unit {
        enum class State : uint8_t { stored, inflating, ready };
        State state = State::stored;
        StoredPiece piece;
        Chunk text;
        std::exception_ptr error;    ///< after the text
        bool is_for_thread = false;  ///< a batch could not inflate it
    };
    /// Units that a BatchInflater inflates; they are as if a thread did.
    struct Batch {
        struct Part {
            Unit* unit;
            size_t end = 0;         ///< behind its last block
            size_t text_bytes = 0;  ///< of its blocks
            bool is_good = false;   ///< they have been inflated
        };
        size_t place = 0;  ///< of the inflater
        std::vector<Part> parts;
        std::vector<BatchInflater::Block> blocks;
        std::vector<bool> good;    ///< of the blocks
        std::exception_ptr fault;  ///< it could not be begun
        bool is_begun = false;
        bool is_used = false;  ///< what is good of it is text
    };
    using Lock = std::unique_lock<std::mutex>;

    bool inflates_itself() const { return runner_ == nullptr; }
    void read_or_inflate(Lock& lock);
    void fail(Lock& lock);
    bool take(Lock& lock, Chunk& chunk);
    bool may_read() const { return !file_ended_ && units_.size() < max_units_; }
    std::unique_ptr<Unit> read_unit(Lock& lock);
    bool has_batches() const { return batches_ != nullptr && batches_->works(); }
    bool has_helpers() const { return runner_ != nullptr && runner_->threads() > 1; }
    Unit* claimable(bool is_needed = false);
    std::vector<Unit*> units_of_batch() const;
    bool work_on_batches(Lock& lock);
    void begin(Lock& lock, const std::vector<Unit*>& units, size_t place);
    void list_blocks(Batch& batch);
    void end(const std::shared_ptr<Batch>& batch);
    void collect(Lock& lock, Batch& batch);
    void use_text(Batch& batch);
    void put_back(Unit& unit);
    void inflate(Lock& lock, Unit& unit);
    void settle(Unit& unit, bool piece_done);
    void submit_task();
    Chunk take_chunk();
    template <class T>
    static T take_spare(std::vector<T>& spares);

    std::unique_ptr<InputStream> stream_;
    GzipInflater gzip_;
    std::mutex mutex_;
    std::condition_variable changed_;
    TaskRunner* runner_ = nullptr;
    BatchInflater* batches_ = nullptr;
    size_t begun_ = 0;                           ///< batches that are not collected yet
    std::vector<std::shared_ptr<Batch>> ended_;  ///< of these, those that can be
    size_t max_units_ = 4;
    std::deque<std::unique_ptr<Unit>> units_;
    size_t ready_ = 0;
    size_t buffer_bytes_ = 0;
    std::vector<StoredPiece> spare_pieces_;
    std::vector<Chunk> spare_chunks_;
    std::vector<std::unique_ptr<bgzf::BlockInflater>> spare_inflaters_;
    bool file_ended_ = false;
    bool stopping_ = false;
    std::exception_ptr error_;
};

}  // namespace gannet::data
