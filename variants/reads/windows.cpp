// SPDX-License-Identifier: MIT
// Provides the window feeder: puts the pieces that chunks give to a window together.
#include "variants/reads/windows.hpp"

#include "variants/reads/window_cut.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gannet::variants {

namespace {

constexpr uint64_t k_compaction_bytes = 8u << 20;  // chunks held for nothing are borne up to here
constexpr size_t k_thinning_records = 40 * k_max_reads_per_depth_bin;

/// What one chunk gives to a window.
struct Segment {
    uint64_t number = 0;  // of the chunk in the stream
    std::shared_ptr<const RecordChunk> chunk;
    std::vector<data::RecordView> records;
    uint64_t record_bytes = 0;
};

/// A window that later chunks may still give records to.
struct PendingWindow {
    std::vector<Segment> segments;
    size_t records = 0;
    size_t limit_at = k_thinning_records;
};

struct KeptLongRecord {
    data::RecordView view;
    std::shared_ptr<const RecordChunk> chunk;
    uint64_t number = 0;  // of the chunk in the stream
    int64_t first_cell = 0;
    int64_t last_cell = 0;
};

/// Copies records to a chunk of their own; `add` gives the copy of one.
class Copies {
  public:
    explicit Copies(uint64_t bytes) : chunk_(std::make_shared<RecordChunk>()) {
        chunk_->bytes.reserve(bytes);
    }
    data::RecordView add(data::RecordView record) {
        const std::span<const uint8_t> bytes = record.bytes();
        const size_t at = chunk_->bytes.size();
        chunk_->bytes.insert(chunk_->bytes.end(), bytes.begin(), bytes.end());
        return data::RecordView({chunk_->bytes.data() + at, bytes.size()});
    }
    const std::shared_ptr<RecordChunk>& chunk() const { return chunk_; }

  private:
    std::shared_ptr<RecordChunk> chunk_;  // its bytes never move: there is room for all
};

}  // namespace

struct WindowFeeder::State {
    const data::Reference& reference;
    data::RegionSet regions;
    Emit emit;
    bool every_window;
    std::map<int64_t, PendingWindow> pending;  // of `contig`, by cell
    std::vector<KeptLongRecord> long_records;  // of `contig`, in stream order
    int32_t contig = -1;
    StreamPosition last;
    int64_t next_cell = 0;  // of `contig`: those before were emitted or have no records
    uint64_t next_chunk = 0;
    uint64_t next_ordinal = 0;
    uint64_t left_out = 0;

    State(const data::Reference& r, data::RegionSet s, Emit e, bool every)
        : reference(r), regions(std::move(s)), emit(std::move(e)), every_window(every) {}

    void take_piece(WindowPiece& piece, const CutChunk& cut) {
        PendingWindow& window = pending[piece.cell];
        window.records += piece.records.size();
        window.segments.push_back({next_chunk, cut.chunk, std::move(piece.records), piece.record_bytes});
        if (window.records < window.limit_at) return;
        limit(window, piece.cell);
        window.limit_at = std::max(k_thinning_records, 2 * window.records);
    }

    /// Applies k_max_reads_per_depth_bin to all segments of a window together.
    void limit(PendingWindow& window, int64_t cell) {
        std::vector<std::vector<data::RecordView>*> lists;
        for (Segment& segment : window.segments) lists.push_back(&segment.records);
        const DroppedRecords dropped = limit_depth(lists, cell * k_window_bp);
        if (dropped.records == 0) return;
        left_out += dropped.reads;
        window.records -= dropped.records;
        for (Segment& segment : window.segments) {
            segment.record_bytes = 0;
            for (const data::RecordView& record : segment.records)
                segment.record_bytes += record.bytes().size();
        }
        std::erase_if(window.segments, [](const Segment& segment) { return segment.records.empty(); });
    }

    /// Adds the long records of chunks that gave the window nothing else; those that did have put theirs in.
    void add_long_records(PendingWindow& window, int64_t cell) {
        std::vector<Segment> made;
        for (const KeptLongRecord& record : long_records) {
            if (cell < record.first_cell || cell > record.last_cell) continue;
            const auto has = [&record](const Segment& segment) { return segment.number == record.number; };
            if (std::any_of(window.segments.begin(), window.segments.end(), has)) continue;
            if (made.empty() || made.back().number != record.number)
                made.push_back({record.number, record.chunk, {}, 0});
            made.back().records.push_back(record.view);
        }
        window.segments.insert(window.segments.end(), made.begin(), made.end());
        std::stable_sort(window.segments.begin(), window.segments.end(),
                         [](const Segment& a, const Segment& b) { return a.number < b.number; });
    }

    void emit_cell(int64_t cell) {
        PendingWindow parts;
        if (const auto found = pending.find(cell); found != pending.end()) {
            parts = std::move(found->second);
            pending.erase(found);
        }
        next_cell = cell + 1;
        WindowReads window;
        window.window = window_of(reference, contig, cell);
        if (!long_records.empty()) {
            if (!regions.empty() &&
                !regions.overlaps(window.window.contig, window.window.begin, window.window.end))
                return;
            add_long_records(parts, cell);
        }
        if (parts.segments.size() > 1) limit(parts, cell);
        for (Segment& segment : parts.segments) {
            if (window.chunks.empty() || window.chunks.back() != segment.chunk)
                window.chunks.push_back(std::move(segment.chunk));
            if (window.records.empty()) {
                window.records = std::move(segment.records);
            } else {
                window.records.insert(window.records.end(), segment.records.begin(), segment.records.end());
            }
        }
        if (window.records.empty() && !every_window) return;
        window.ordinal = next_ordinal++;
        emit(std::move(window));
    }

    bool is_wanted(int64_t cell) const {
        const data::Region window = window_of(reference, contig, cell);
        return regions.empty() || regions.overlaps(window.contig, window.begin, window.end);
    }

    /// The first window from next_cell on and before `end` that is emitted even without records; `end` if
    /// there is none.
    int64_t next_wanted(int64_t end) const {
        if (!every_window) return end;
        const auto length = static_cast<int64_t>(reference.contigs()[static_cast<size_t>(contig)].length);
        const int64_t cells = std::min(end, (length + k_window_bp - 1) / k_window_bp);
        int64_t cell = next_cell;
        while (cell < cells && !is_wanted(cell)) ++cell;
        return cell < cells ? cell : end;
    }

    /// Emits the windows before `end` that have records, or all that are wanted, in order.
    void emit_before(int64_t end) {
        for (;;) {
            int64_t cell = pending.empty() ? end : pending.begin()->first;
            cell = std::min(cell, next_wanted(end));
            for (const KeptLongRecord& record : long_records) {
                if (record.last_cell >= next_cell)
                    cell = std::min(cell, std::max(record.first_cell, next_cell));
            }
            if (cell >= end) break;
            emit_cell(cell);
        }
        std::erase_if(long_records, [this](const KeptLongRecord& r) { return r.last_cell < next_cell; });
    }

    void end_contig() {
        if (contig < 0) return;
        emit_before(INT64_MAX);
        long_records.clear();
        next_cell = 0;
    }

    void push(CutChunk&& cut) {
        if (cut.first.contig < 0) return;
        if (cut.first < last) throw_unsorted();
        last = cut.last;
        left_out += cut.left_out;
        auto piece = cut.pieces.begin();
        auto record = cut.long_records.begin();
        while (piece != cut.pieces.end() || record != cut.long_records.end()) {
            // The next contig of the chunk.
            int32_t next = piece != cut.pieces.end() ? piece->contig : INT32_MAX;
            if (record != cut.long_records.end())
                next = std::min(next, static_cast<int32_t>(record->reach.contig));
            begin_contig(next);
            for (; piece != cut.pieces.end() && piece->contig == next; ++piece) take_piece(*piece, cut);
            for (; record != cut.long_records.end() && static_cast<int32_t>(record->reach.contig) == next;
                 ++record)
                take_long(*record, cut);
        }
        begin_contig(last.contig);
        ++next_chunk;
        // A window is complete once no record to come can reach its padding.
        emit_before(std::max(next_cell, (last.position - k_window_padding_bp) / k_window_bp));
        compact();
    }

    void begin_contig(int32_t next) {
        if (next == contig) return;
        end_contig();
        if (every_window) emit_contigs(contig + 1, next);
        contig = next;
    }

    /// Emits the windows of contigs without records: [first, stop).
    void emit_contigs(int32_t first, int32_t stop) {
        for (contig = first; contig < stop; ++contig) {
            next_cell = 0;
            emit_before(INT64_MAX);
        }
        next_cell = 0;
    }

    void take_long(const LongRecord& record, const CutChunk& cut) {
        const auto [first, end] = cells_of(record.reach.begin, record.reach.end);
        const auto length = static_cast<int64_t>(reference.contigs()[record.reach.contig].length);
        long_records.push_back({record.view, cut.chunk, next_chunk, std::max(first, next_cell),
                                std::min(end, (length - 1) / k_window_bp)});
    }

    /// Copies what is kept to a chunk of its own where the chunks that hold it are much larger.
    void compact() {
        uint64_t held = 0;
        uint64_t used = 0;
        std::vector<const RecordChunk*> seen;
        const auto count = [&](const std::shared_ptr<const RecordChunk>& chunk, uint64_t bytes) {
            used += bytes;
            if (std::find(seen.begin(), seen.end(), chunk.get()) != seen.end()) return;
            seen.push_back(chunk.get());
            held += chunk->bytes.size();
        };
        for (const auto& [cell, window] : pending) {
            for (const Segment& segment : window.segments) count(segment.chunk, segment.record_bytes);
        }
        for (const KeptLongRecord& record : long_records) count(record.chunk, record.view.bytes().size());
        if (held < 2 * used + k_compaction_bytes) return;
        for (auto& [cell, window] : pending) {
            uint64_t bytes = 0;
            for (const Segment& segment : window.segments) bytes += segment.record_bytes;
            Copies copies(bytes);  // of this window alone: they are freed with it
            for (Segment& segment : window.segments) {
                for (data::RecordView& record : segment.records) record = copies.add(record);
                segment.chunk = copies.chunk();
            }
        }
        uint64_t bytes = 0;
        for (const KeptLongRecord& record : long_records) bytes += record.view.bytes().size();
        Copies copies(bytes);
        for (KeptLongRecord& record : long_records) {
            record.view = copies.add(record.view);
            record.chunk = copies.chunk();
        }
    }
};

WindowFeeder::WindowFeeder(const data::Reference& reference, data::RegionSet regions, Emit emit,
                           bool every_window)
    : state_(std::make_unique<State>(reference, std::move(regions), std::move(emit), every_window)) {}
WindowFeeder::~WindowFeeder() = default;

CutChunk WindowFeeder::cut(std::shared_ptr<const RecordChunk> chunk) const {
    return cut_chunk(std::move(chunk), state_->reference, state_->regions);
}

void WindowFeeder::push(CutChunk&& chunk) { state_->push(std::move(chunk)); }

void WindowFeeder::push(std::shared_ptr<const RecordChunk> chunk) { push(cut(std::move(chunk))); }

void WindowFeeder::finish() {
    state_->end_contig();
    if (state_->every_window)
        state_->emit_contigs(state_->contig + 1, static_cast<int32_t>(state_->reference.contigs().size()));
    state_->contig = -1;
    state_->last = {};
}

uint64_t WindowFeeder::reads_left_out() const { return state_->left_out; }

}  // namespace gannet::variants
