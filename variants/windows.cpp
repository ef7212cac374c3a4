// SPDX-License-Identifier: MIT
// Provides the window feeder: a sorted stream of records cut into grid windows with padding.
#include "variants/windows.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gannet::variants {

namespace {

constexpr uint16_t k_unusable_flags =
    data::k_flag_unmapped | data::k_flag_secondary | data::k_flag_qc_fail | data::k_flag_duplicate;

/// A record that a later window may need.
struct KeptRecord {
    data::RecordView view;
    std::shared_ptr<const RecordChunk> chunk;
    int64_t begin;
    int64_t end;
};

}  // namespace

struct WindowFeeder::State {
    const data::Reference& reference;
    data::RegionSet regions;
    Emit emit;
    std::deque<KeptRecord> kept;  // in stream order, all of `contig`
    int32_t contig = -1;
    int64_t last_position = 0;
    int64_t cell = 0;  // the next grid cell of `contig` to emit
    uint64_t next_ordinal = 0;

    State(const data::Reference& r, data::RegionSet s, Emit e)
        : reference(r), regions(std::move(s)), emit(std::move(e)) {}

    bool is_wanted(int64_t begin, int64_t end) const {
        return regions.empty() || regions.overlaps(static_cast<uint32_t>(contig), begin, end);
    }

    void emit_cell() {
        const auto length = static_cast<int64_t>(reference.contigs()[static_cast<size_t>(contig)].length);
        const int64_t begin = cell * k_window_bp;
        const int64_t end = std::min(begin + k_window_bp, length);
        ++cell;
        if (begin < length && is_wanted(begin, end)) {
            WindowReads window;
            window.window = {static_cast<uint32_t>(contig), begin, end};
            for (const KeptRecord& record : kept) {
                if (record.end <= begin - k_window_padding_bp || record.begin >= end + k_window_padding_bp)
                    continue;
                window.records.push_back(record.view);
                if (window.chunks.empty() || window.chunks.back() != record.chunk) {
                    window.chunks.push_back(record.chunk);
                }
            }
            if (!window.records.empty()) {
                window.ordinal = next_ordinal++;
                emit(std::move(window));
            }
        }
        const int64_t keep_from = cell * k_window_bp - k_window_padding_bp;
        std::erase_if(kept, [&](const KeptRecord& record) { return record.end <= keep_from; });
    }

    /// Emits every cell whose padded range ends at or before `position`, and skips cells without records.
    void advance(int64_t position) {
        while (!kept.empty() && (cell + 1) * k_window_bp + k_window_padding_bp <= position) emit_cell();
        if (kept.empty()) cell = std::max(cell, (position - k_window_padding_bp) / k_window_bp);
    }

    void end_contig() {
        if (contig < 0) return;
        while (!kept.empty()) emit_cell();
    }

    void take(const data::RecordEntry& entry, const std::shared_ptr<const RecordChunk>& chunk) {
        if (entry.contig < 0 || (entry.flag & k_unusable_flags) != 0) return;
        if (entry.contig != contig) {
            if (entry.contig < contig) throw_unsorted();
            end_contig();
            contig = entry.contig;
            cell = 0;
            last_position = 0;
        }
        if (entry.position < last_position) throw_unsorted();
        last_position = entry.position;
        const data::RecordView view({chunk->bytes.data() + entry.offset, entry.size_bytes});
        const int64_t end = view.end_position();
        if (end <= entry.position) return;
        advance(entry.position);
        kept.push_back({view, chunk, entry.position, end});
    }

    [[noreturn]] static void throw_unsorted() {
        throw data::Error(data::ErrorKind::malformed_input,
                          "records are not sorted by coordinate: sort them first (samtools sort)");
    }
};

WindowFeeder::WindowFeeder(const data::Reference& reference, data::RegionSet regions, Emit emit)
    : state_(std::make_unique<State>(reference, std::move(regions), std::move(emit))) {}
WindowFeeder::~WindowFeeder() = default;

void WindowFeeder::push(std::shared_ptr<const RecordChunk> chunk) {
    for (const data::RecordEntry& entry : chunk->entries) state_->take(entry, chunk);
}

void WindowFeeder::finish() {
    state_->end_contig();
    state_->contig = -1;
}

}  // namespace gannet::variants
