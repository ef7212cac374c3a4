// SPDX-License-Identifier: MIT
// Provides reading ahead of an input file: a thread reads the file, and its text is inflated by threads that
// have nothing else to do.
#pragma once

#include "data/batch_inflater.hpp"
#include "data/input_stream.hpp"
#include "data/line_marks.hpp"
#include "data/task_runner.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace gannet::data {

/// Reads an InputStream ahead. One thread only reads the file. Compressed pieces are inflated by tasks of the
/// runner, and by the caller of `next` where it would otherwise wait: pieces of BGZF by several threads at a
/// time, plain gzip by one at a time. So no thread beyond the runner's computes, and with a runner of one
/// thread the caller inflates everything. Without a runner the thread that reads also inflates. What `next`
/// returns, and the error at the end of it, depend on the file only.
///
/// With a BatchInflater more is read ahead: what is needed soon the threads inflate, and pieces of BGZF
/// behind that go to it, a whole batch at a time. Those that it has no place for come near and are inflated
/// by threads then, so that neither waits for the other. A piece with a block that it finds bad is inflated
/// by a thread too, which says what is wrong. An error of its own ends the text.
///
/// `next` gives a window of contiguous bytes that begins with what the caller has kept of the previous
/// window. Who keeps more and more makes the window grow: callers limit the length of a record.
class ReadAhead {
  public:
    explicit ReadAhead(std::unique_ptr<InputStream> stream, TaskRunner* runner = nullptr,
                       BatchInflater* batches = nullptr);
    /// Waits for the batches that are under way.
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    const std::string& name() const { return name_; }
    uint64_t position_bytes() const;  ///< read ahead, in the file
    /// From now on text is inflated by tasks of `runner`, and by `batches` (null without a runner).
    void use_runner(TaskRunner* runner, BatchInflater* batches = nullptr);
    /// The last `kept` bytes of the previous window, and new bytes after them; without new ones (same size as
    /// `kept`) at the end of the file. Invalidates the previous window. Throws what is wrong with the file
    /// once all text before the fault has been returned.
    std::span<const char> next(size_t kept);
    /// Keeps the bytes of the window where they are for as long as somebody holds this, in any thread.
    std::shared_ptr<const void> hold() const { return window_; }
    /// Of the new bytes of the window, which its last ones are.
    const LineMarks& line_marks() const { return window_->lines; }

    static constexpr size_t k_headroom_bytes = size_t{1} << 14;  ///< kept bytes that need no larger window
    static constexpr size_t k_chunk_bytes = InputStream::k_piece_text_bytes;
    static constexpr size_t k_max_units = 12;  ///< parts of the file that are waiting or being inflated
    /// The same with a BatchInflater of batches of so many: one is needed soon, and three are under way or
    /// ready.
    static constexpr size_t max_units(size_t batch_pieces) {
        return batch_pieces > k_max_units / 4 ? 4 * batch_pieces : k_max_units;
    }
    /// Most memory of the buffers, as long as no window grows: of all units, and of two windows while one is
    /// exchanged for the next. What is held comes on top.
    static constexpr size_t max_buffer_bytes(size_t batch_pieces) {
        return (max_units(batch_pieces) + 2) *
               (InputStream::k_max_piece_bytes + k_headroom_bytes + k_chunk_bytes);
    }
    static constexpr size_t k_max_buffer_bytes =
        (k_max_units + 2) * (InputStream::k_max_piece_bytes + k_headroom_bytes + k_chunk_bytes);
    size_t buffer_bytes() const;  ///< in use or kept for reuse now

  private:
    struct Chunk {
        std::vector<uint8_t> memory;
        size_t begin = 0;
        size_t end = 0;
        LineMarks lines;  ///< of the text that the file gave
        size_t size() const { return end - begin; }
        std::string_view text() const {
            return {reinterpret_cast<const char*>(memory.data()) + begin, size()};
        }
    };
    class Queue;

    void append_to_window(size_t kept, Chunk&& chunk);
    void set_window(Chunk&& chunk);

    std::string name_;
    std::shared_ptr<Queue> queue_;   ///< tasks that have not run yet hold it too
    std::shared_ptr<Chunk> window_;  ///< goes back to the queue when nobody holds it any more
    std::thread thread_;
};

}  // namespace gannet::data
