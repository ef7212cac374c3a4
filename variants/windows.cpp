// SPDX-License-Identifier: MIT
// Provides the window feeder: a sorted stream of records cut into grid windows with padding.
#include "variants/windows.hpp"

#include "data/error.hpp"
#include "variants/read_set.hpp"

#include <algorithm>
#include <map>
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

/// What decides between reads of one bin of a window.
struct RankedRead {
    uint64_t name_hash;
    uint32_t index;  // in stream order
    auto operator<=>(const RankedRead&) const = default;
};

constexpr size_t k_bins = static_cast<size_t>((k_window_bp + 2 * k_window_padding_bp) / k_depth_bin_bp);
// A record that reaches more windows than this (by skipped bases) is not ranked, and stays.
constexpr int64_t k_max_ranked_windows = 4;
constexpr uint64_t k_compaction_bytes = 8u << 20;  // chunks held for nothing are borne up to here
constexpr size_t k_thinning_records = 2 * k_bins * k_max_reads_per_depth_bin / 4;

size_t bin_of(int64_t record_begin, int64_t padded_begin) {
    return static_cast<size_t>(std::max<int64_t>(0, record_begin - padded_begin) / k_depth_bin_bp);
}

/// First and last grid cell whose padded window the record reaches.
std::pair<int64_t, int64_t> cells_of(int64_t begin, int64_t end) {
    return {std::max<int64_t>(0, begin - k_window_padding_bp) / k_window_bp,
            (end - 1 + k_window_padding_bp) / k_window_bp};
}

/// Leaves the k_max_reads_per_depth_bin smallest.
void keep_smallest(std::vector<RankedRead>& reads) {
    if (reads.size() <= k_max_reads_per_depth_bin) return;
    std::nth_element(reads.begin(), reads.begin() + k_max_reads_per_depth_bin, reads.end());
    reads.resize(k_max_reads_per_depth_bin);
}

/// Of records in stream order, with contig (`contig(i)`), begin, end and name, those that a window may use.
template <class Contig, class Begin, class End, class Name>
std::vector<bool> usable(size_t count, Contig contig, Begin begin, End end, Name name) {
    std::vector<bool> keep(count, false);
    std::map<std::pair<int32_t, int64_t>, std::vector<std::vector<RankedRead>>> windows;
    const auto settle = [&keep](std::vector<std::vector<RankedRead>>& bins) {
        for (std::vector<RankedRead>& bin : bins) {
            keep_smallest(bin);
            for (const RankedRead& read : bin) keep[read.index] = true;
        }
    };
    for (size_t i = 0; i < count; ++i) {
        const auto [first, last] = cells_of(begin(i), end(i));
        if (last - first >= k_max_ranked_windows) {
            keep[i] = true;
            continue;
        }
        // What is sorted before this window gets no further record but from far to the left, which stays.
        while (!windows.empty() &&
               windows.begin()->first < std::pair(contig(i), first - k_max_ranked_windows)) {
            settle(windows.begin()->second);
            windows.erase(windows.begin());
        }
        const uint64_t hash = hash_name(name(i));
        for (int64_t cell = first; cell <= last; ++cell) {
            auto& bins = windows[{contig(i), cell}];
            bins.resize(k_bins + 1);
            std::vector<RankedRead>& bin = bins[bin_of(begin(i), cell * k_window_bp - k_window_padding_bp)];
            bin.push_back({hash, static_cast<uint32_t>(i)});
            if (bin.size() >= 2 * k_max_reads_per_depth_bin) keep_smallest(bin);
        }
    }
    for (auto& [window, bins] : windows) settle(bins);
    return keep;
}

}  // namespace

void thin(RecordChunk& chunk) {
    std::erase_if(chunk.entries, [](const data::RecordEntry& entry) {
        return entry.contig < 0 || (entry.flag & k_unusable_flags) != 0;
    });
    const auto view = [&chunk](size_t i) {
        const data::RecordEntry& entry = chunk.entries[i];
        return data::RecordView({chunk.bytes.data() + entry.offset, entry.size_bytes});
    };
    const std::vector<bool> keep = usable(
        chunk.entries.size(), [&](size_t i) { return chunk.entries[i].contig; },
        [&](size_t i) { return int64_t{chunk.entries[i].position}; },
        [&](size_t i) { return std::max<int64_t>(view(i).end_position(), chunk.entries[i].position + 1); },
        [&](size_t i) { return view(i).name(); });
    RecordChunk kept;
    for (size_t i = 0; i < chunk.entries.size(); ++i) {
        if (!keep[i]) continue;
        data::RecordEntry entry = chunk.entries[i];
        const auto from = chunk.bytes.begin() + static_cast<std::ptrdiff_t>(entry.offset);
        entry.offset = kept.bytes.size();
        kept.bytes.insert(kept.bytes.end(), from, from + entry.size_bytes);
        kept.entries.push_back(entry);
    }
    chunk = std::move(kept);
}

struct WindowFeeder::State {
    const data::Reference& reference;
    data::RegionSet regions;
    Emit emit;
    std::deque<KeptRecord> kept;  // in stream order, all of `contig`
    int32_t contig = -1;
    int64_t last_position = 0;
    int64_t cell = 0;  // the next grid cell of `contig` to emit
    uint64_t next_ordinal = 0;
    uint64_t left_out = 0;
    size_t thin_at = k_thinning_records;

    State(const data::Reference& r, data::RegionSet s, Emit e)
        : reference(r), regions(std::move(s)), emit(std::move(e)) {}

    bool is_wanted(int64_t begin, int64_t end) const {
        return regions.empty() || regions.overlaps(static_cast<uint32_t>(contig), begin, end);
    }

    /// Applies k_max_reads_per_depth_bin.
    void limit_depth(WindowReads& window) {
        if (window.records.size() <= k_max_reads_per_depth_bin) return;
        std::vector<std::vector<RankedRead>> bins(k_bins + 1);
        const int64_t padded_begin = window.window.begin - k_window_padding_bp;
        for (size_t i = 0; i < window.records.size(); ++i) {
            bins[bin_of(window.records[i].position(), padded_begin)].push_back({0, static_cast<uint32_t>(i)});
        }
        size_t stay = 0;
        std::vector<bool> drop(window.records.size(), false);
        for (std::vector<RankedRead>& bin : bins) {
            stay += std::min(bin.size(), k_max_reads_per_depth_bin);
            if (bin.size() <= k_max_reads_per_depth_bin) continue;
            for (RankedRead& read : bin) {
                read.name_hash = hash_name(window.records[read.index].name());
                drop[read.index] = true;
            }
            keep_smallest(bin);
            for (const RankedRead& read : bin) drop[read.index] = false;
        }
        if (stay == window.records.size()) return;
        left_out += window.records.size() - stay;
        size_t index = 0;
        std::erase_if(window.records, [&](const data::RecordView&) { return drop[index++]; });
    }

    /// Drops kept records that no window to come can use, where they are many.
    void thin_kept() {
        if (kept.size() < thin_at) return;
        const std::vector<bool> keep = usable(
            kept.size(), [](size_t) { return 0; }, [this](size_t i) { return kept[i].begin; },
            [this](size_t i) { return kept[i].end; }, [this](size_t i) { return kept[i].view.name(); });
        size_t index = 0;
        const size_t before = kept.size();
        std::erase_if(kept, [&](const KeptRecord&) { return !keep[index++]; });
        left_out += before - kept.size();
        thin_at = std::max(k_thinning_records, 2 * kept.size());
    }

    /// Copies the kept records to a chunk of their own where the chunks that hold them are much larger.
    void compact() {
        uint64_t held = 0;
        uint64_t used = 0;
        const RecordChunk* last = nullptr;
        for (const KeptRecord& record : kept) {
            if (record.chunk.get() != last) held += record.chunk->bytes.size();
            last = record.chunk.get();
            used += record.view.bytes().size();
        }
        if (held < 2 * used + k_compaction_bytes) return;
        const auto own = std::make_shared<RecordChunk>();
        own->bytes.reserve(used);
        for (KeptRecord& record : kept) {
            const std::span<const uint8_t> bytes = record.view.bytes();
            const size_t at = own->bytes.size();
            own->bytes.insert(own->bytes.end(), bytes.begin(), bytes.end());
            record.view = data::RecordView({own->bytes.data() + at, bytes.size()});
            record.chunk = own;
        }
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
                limit_depth(window);
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
        thin_kept();
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
    state_->compact();
}

void WindowFeeder::finish() {
    state_->end_contig();
    state_->contig = -1;
}

uint64_t WindowFeeder::reads_left_out() const { return state_->left_out; }

}  // namespace gannet::variants
