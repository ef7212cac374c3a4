// SPDX-License-Identifier: MIT
// Provides the division of a chunk among windows and the limit of their depth.
#include "variants/reads/window_cut.hpp"

#include "data/error.hpp"
#include "data/prefetch.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/reads/windows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gannet::variants {
namespace {

constexpr uint16_t k_unusable_flags =
    data::k_flag_unmapped | data::k_flag_secondary | data::k_flag_qc_fail | data::k_flag_duplicate;

/// Chunks are larger than the caches: records so far ahead are on their way there.
constexpr size_t k_records_ahead = 16;

/// What decides between reads of one bin of a window.
struct RankedRead {
    uint64_t name_hash;
    uint32_t index;  // in stream order
    auto operator<=>(const RankedRead&) const = default;
};

constexpr size_t k_bins = static_cast<size_t>((k_window_bp + 2 * k_window_padding_bp) / k_depth_bin_bp);

size_t bin_of(int64_t record_begin, int64_t padded_begin) {
    return static_cast<size_t>(std::max<int64_t>(0, record_begin - padded_begin) / k_depth_bin_bp);
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
        if (last - first >= k_max_cut_windows) {
            keep[i] = true;
            continue;
        }
        // What is sorted before this window gets no further record but from far to the left, which stays.
        while (!windows.empty() && windows.begin()->first < std::pair(contig(i), first - k_max_cut_windows)) {
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

/// Puts the records of a chunk into pieces. Records come in stream order, so a piece is made for a window
/// beyond all others of its contig, or is among the last.
class Cutter {
  public:
    Cutter(CutChunk& out, const data::Reference& reference, const data::RegionSet& regions)
        : out_(out), reference_(reference), regions_(regions) {}

    void add(data::RecordView view, int32_t contig, int64_t begin, int64_t end) {
        if (contig != contig_) {
            contig_ = contig;
            contig_begin_ = out_.pieces.size();
            wanted_.resize(contig_begin_);
            long_begin_ = out_.long_records.size();
            const auto length =
                static_cast<int64_t>(reference_.contigs()[static_cast<size_t>(contig)].length);
            last_cell_ = (length - 1) / k_window_bp;
        }
        auto [first, last] = cells_of(begin, end);
        last = std::min(last, last_cell_);
        if (last - first >= k_max_cut_windows) {
            add_long(view, begin, end, first, last);
            return;
        }
        const int64_t made = out_.pieces.size() > contig_begin_ ? out_.pieces.back().cell : -1;
        for (int64_t cell = first; cell <= last; ++cell) {
            if (cell > made) make(cell);
            // Without gaps from the first window of this record on: earlier records began before it.
            put(out_.pieces.size() - 1 - static_cast<size_t>(out_.pieces.back().cell - cell), view);
        }
    }

    /// Drops unwanted pieces and applies the limit of depth.
    void finish() {
        std::erase_if(out_.pieces, [](const WindowPiece& piece) { return piece.records.empty(); });
        for (WindowPiece& piece : out_.pieces) {
            std::vector<data::RecordView>* const list = &piece.records;
            const DroppedRecords dropped = limit_depth({&list, 1}, piece.cell * k_window_bp);
            if (dropped.records == 0) continue;
            out_.left_out += dropped.reads;
            piece.record_bytes = 0;
            for (const data::RecordView& record : piece.records) piece.record_bytes += record.bytes().size();
        }
    }

  private:
    bool is_wanted(int64_t cell) const {
        if (regions_.empty()) return true;
        const data::Region window = window_of(reference_, contig_, cell);
        return regions_.overlaps(window.contig, window.begin, window.end);
    }

    void make(int64_t cell) {
        WindowPiece piece;
        piece.contig = contig_;
        piece.cell = cell;
        out_.pieces.push_back(std::move(piece));
        wanted_.push_back(is_wanted(cell));
        for (size_t i = long_begin_; i < out_.long_records.size(); ++i) {
            const LongRecord& record = out_.long_records[i];
            const auto [first, last] = cells_of(record.reach.begin, record.reach.end);
            if (first <= cell && cell <= last) put(out_.pieces.size() - 1, record.view);
        }
    }

    void add_long(data::RecordView view, int64_t begin, int64_t end, int64_t first, int64_t last) {
        out_.long_records.push_back({view, {static_cast<uint32_t>(contig_), begin, end}});
        for (size_t i = out_.pieces.size(); i > contig_begin_ && out_.pieces[i - 1].cell >= first; --i) {
            if (out_.pieces[i - 1].cell <= last) put(i - 1, view);
        }
    }

    void put(size_t index, data::RecordView view) {
        if (!wanted_[index]) return;
        WindowPiece& piece = out_.pieces[index];
        piece.records.push_back(view);
        piece.record_bytes += view.bytes().size();
    }

    CutChunk& out_;
    const data::Reference& reference_;
    const data::RegionSet& regions_;
    int32_t contig_ = -1;
    size_t contig_begin_ = 0;  // first piece of the contig
    size_t long_begin_ = 0;    // its first long record
    int64_t last_cell_ = 0;
    std::vector<bool> wanted_;  // of each piece
};

}  // namespace

void throw_unsorted() {
    throw data::Error(data::ErrorKind::malformed_input,
                      "records are not sorted by coordinate: sort them first (samtools sort)");
}

std::pair<int64_t, int64_t> cells_of(int64_t begin, int64_t end) {
    return {std::max<int64_t>(0, begin - k_window_padding_bp) / k_window_bp,
            (end - 1 + k_window_padding_bp) / k_window_bp};
}

data::Region window_of(const data::Reference& reference, int32_t contig, int64_t cell) {
    const auto index = static_cast<uint32_t>(contig);
    const auto length = static_cast<int64_t>(reference.contigs()[index].length);
    return {index, cell * k_window_bp, std::min((cell + 1) * k_window_bp, length)};
}

DroppedRecords limit_depth(std::span<std::vector<data::RecordView>* const> lists, int64_t window_begin) {
    size_t records = 0;
    for (const auto* list : lists) records += list->size();
    if (records <= k_max_reads_per_depth_bin) return {};
    const auto bin_at = [window_begin](const data::RecordView& record) {
        return bin_of(record.position(), window_begin - k_window_padding_bp);
    };
    // Nearly no window has too many.
    std::array<size_t, k_bins + 1> count{};
    for (const auto* list : lists) {
        for (const data::RecordView& record : *list) ++count[bin_at(record)];
    }
    if (*std::max_element(count.begin(), count.end()) <= k_max_reads_per_depth_bin) return {};
    std::vector<std::vector<RankedRead>> bins(k_bins + 1);
    std::vector<data::RecordView> all;
    all.reserve(records);
    for (const auto* list : lists) all.insert(all.end(), list->begin(), list->end());
    for (size_t i = 0; i < all.size(); ++i) {
        bins[bin_at(all[i])].push_back({0, static_cast<uint32_t>(i)});
    }
    size_t stay = 0;
    std::vector<bool> drop(all.size(), false);
    for (std::vector<RankedRead>& bin : bins) {
        stay += std::min(bin.size(), k_max_reads_per_depth_bin);
        if (bin.size() <= k_max_reads_per_depth_bin) continue;
        for (RankedRead& read : bin) {
            read.name_hash = hash_name(all[read.index].name());
            drop[read.index] = true;
        }
        keep_smallest(bin);
        for (const RankedRead& read : bin) drop[read.index] = false;
    }
    if (stay == all.size()) return {};
    DroppedRecords dropped{all.size() - stay, 0};
    for (size_t i = 0; i < all.size(); ++i) {
        const int64_t begin = all[i].position();
        if (drop[i] && !all[i].has(data::k_flag_supplementary) && begin >= window_begin &&
            begin < window_begin + k_window_bp)
            ++dropped.reads;
    }
    size_t index = 0;
    for (auto* list : lists) std::erase_if(*list, [&](const data::RecordView&) { return drop[index++]; });
    return dropped;
}

CutChunk cut_chunk(std::shared_ptr<const RecordChunk> chunk, const data::Reference& reference,
                   const data::RegionSet& regions) {
    CutChunk cut;
    Cutter cutter(cut, reference, regions);
    const std::vector<data::RecordEntry>& entries = chunk->entries;
    const auto view_of = [&chunk](const data::RecordEntry& entry) {
        return data::RecordView({chunk->bytes.data() + entry.offset, entry.size_bytes});
    };
    for (size_t i = 0; i < entries.size(); ++i) {
        if (i + k_records_ahead < entries.size())
            data::prefetch(view_of(entries[i + k_records_ahead]).head());
        const data::RecordEntry& entry = entries[i];
        if (entry.contig < 0 || (entry.flag & k_unusable_flags) != 0) continue;
        const StreamPosition at = {entry.contig, entry.position};
        if (at < cut.last) throw_unsorted();
        if (cut.first.contig < 0) cut.first = at;
        cut.last = at;
        const data::RecordView view = view_of(entry);
        const int64_t end = view.end_position();
        if (end > entry.position) cutter.add(view, entry.contig, entry.position, end);
    }
    cutter.finish();
    cut.left_out += chunk->left_out;
    cut.chunk = std::move(chunk);
    return cut;
}

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
    kept.left_out = chunk.left_out;
    for (size_t i = 0; i < chunk.entries.size(); ++i) {
        if (!keep[i]) {
            if ((chunk.entries[i].flag & data::k_flag_supplementary) == 0) ++kept.left_out;
            continue;
        }
        data::RecordEntry entry = chunk.entries[i];
        const auto from = chunk.bytes.begin() + static_cast<std::ptrdiff_t>(entry.offset);
        entry.offset = kept.bytes.size();
        kept.bytes.insert(kept.bytes.end(), from, from + entry.size_bytes);
        kept.entries.push_back(entry);
    }
    chunk = std::move(kept);
}

}  // namespace gannet::variants
