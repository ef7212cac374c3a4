// SPDX-License-Identifier: MIT
// Provides the depth of good bases.
#include "pipeline/qc/good_depth.hpp"

#include "pipeline/qc/adapters.hpp"
#include "pipeline/qc/good_bases.hpp"
#include "pipeline/qc/word_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr uint32_t k_reads_in_few = 255;
constexpr size_t k_records_per_bucket = 16;
constexpr size_t k_min_entries_to_forget = 512;

/// Why a record counts for nothing; the first reason that holds, in Picard's order.
enum class Reason { none, secondary, adapter, mapping_quality, duplicate, no_pair, failed };

Reason reason_of(const RecordView& record, uint16_t flag) {
    const uint8_t quality = record.mapping_quality();
    if ((flag & k_flag_secondary) != 0) return Reason::secondary;
    if (quality == 0 && begins_with_adapter(record, (flag & k_flag_reverse) != 0)) return Reason::adapter;
    if (quality < k_min_quality) return Reason::mapping_quality;
    if ((flag & k_flag_duplicate) != 0) return Reason::duplicate;
    if ((flag & k_flag_paired) == 0 || (flag & k_flag_mate_unmapped) != 0) return Reason::no_pair;
    return (flag & k_flag_qc_fail) != 0 ? Reason::failed : Reason::none;
}

/// By position from the start of the alignment, whether the record has a good base there and the reference a
/// known one; a lane of 0 behind it. Returns how many of its bases are at positions that the reference does
/// not know.
uint64_t list_good(const RecordView& record, uint64_t start, uint64_t span, UnknownBases& unknown,
                   std::vector<uint8_t>& good) {
    good.assign(span + k_lane, 0);
    const std::span<const uint8_t> qualities = record.qualities();
    const bool has_n = has_unknown(record.nibbles(), record.read_length());
    uint64_t at_unknown = 0;
    for_each_block(record, [&](size_t in_read, size_t in_reference, size_t bases) {
        add_good(qualities.subspan(in_read, bases), &good[in_reference]);
        for (size_t i = 0; has_n && i < bases; ++i) {
            if (record.base(in_read + i) == k_base_n) good[in_reference + i] = 0;
        }
        const uint64_t begin = start + in_reference;
        if (unknown.count(begin, begin + bases) == 0) return;
        for (size_t i = 0; i < bases; ++i) {
            if (unknown.count(begin + i, begin + i + 1) == 0) continue;
            good[in_reference + i] = 0;
            ++at_unknown;
        }
    });
    return at_unknown;
}

/// Takes from `good` what is also in `other`, which begins before it or with it. Returns how many. Both are
/// lists of list_good(), of which the one that ends first has a lane of 0.
uint64_t remove_common(std::vector<uint8_t>& good, uint64_t start, const std::vector<uint8_t>& other,
                       uint64_t other_start, uint64_t other_end) {
    const uint64_t before = start - other_start;
    const uint64_t bases = std::min(good.size() - k_lane, other_end - start);
    __m128i removed = _mm_setzero_si128();
    for (uint64_t at = 0; at < bases; at += k_lane) {
        const __m128i here = lane_at(&good[at]);
        const __m128i common = _mm_and_si128(here, lane_at(&other[before + at]));
        removed = _mm_add_epi64(removed, _mm_sad_epu8(common, _mm_setzero_si128()));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&good[at]), _mm_xor_si128(here, common));
    }
    return static_cast<uint64_t>(_mm_cvtsi128_si64(removed)) +
           static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(removed, removed)));
}

/// The same without these lanes and wherever `other` begins; use(position) for each.
template <class Use>
void remove_common(std::vector<uint8_t>& good, uint64_t start, const std::vector<uint8_t>& other,
                   uint64_t other_start, Use use) {
    const uint64_t begin = std::max(start, other_start);
    const uint64_t end = std::min(start + good.size(), other_start + other.size());
    for (uint64_t at = begin; at < end; ++at) {
        uint8_t& here = good[at - start];
        if ((here & other[at - other_start]) == 0) continue;
        here = 0;
        use(at);
    }
}

}  // namespace

void GoodDepths::clear() {
    pieces.clear();
    open.clear();
    positions = {};
    overlapping = 0;
    last_start = 0;
}

uint32_t* GoodDepths::find(uint64_t position) {
    const auto after = std::upper_bound(pieces.begin(), pieces.end(), position,
                                        [](uint64_t at, const Piece& piece) { return at < piece.begin; });
    if (after == pieces.begin()) return nullptr;
    const Piece& piece = *std::prev(after);
    const uint64_t offset = position - piece.begin;
    return offset < piece.length ? &depths[piece.at + offset] : nullptr;
}

void DepthPile::begin(GoodDepths& depths) {
    depths_ = &depths;
    depths.clear();
    if (few_.size() < depths.depths.size() + k_lane) few_.resize(depths.depths.size() + k_lane);
    few_begin_ = 0;
    used_ = 0;
    folded_ = 0;
    reads_in_few_ = 0;
}

void DepthPile::grow(size_t positions) {
    const size_t size = (std::max(positions, 2 * depths_->depths.size()) + k_lane) / k_lane * k_lane;
    depths_->depths.resize(size);
    few_.resize(std::max(few_.size(), size + k_lane));
}

uint8_t* DepthPile::bytes_of(uint64_t start, uint64_t end) {
    if (reads_in_few_ == k_reads_in_few) fold();
    auto& pieces = depths_->pieces;
    if (pieces.empty() || start >= pieces.back().begin + pieces.back().length)
        pieces.push_back({start, used_, 0});
    GoodDepths::Piece& piece = pieces.back();
    piece.length = std::max<size_t>(piece.length, end - piece.begin);
    used_ = piece.at + piece.length;
    if (used_ > depths_->depths.size()) grow(used_);
    const size_t at = piece.at + (start - piece.begin);
    few_begin_ = reads_in_few_ == 0 ? at : std::min(few_begin_, at);
    ++reads_in_few_;
    return &few_[at];
}

void DepthPile::fold() {
    // Whole lanes: behind the last position there is room, and nothing that counts.
    const size_t begin = few_begin_ / k_lane * k_lane;
    const size_t end = (used_ + k_lane - 1) / k_lane * k_lane;
    const size_t written = std::clamp(folded_, begin, end);
    const std::span<uint8_t> few(few_);
    if (begin < written) move_to_sums(few.subspan(begin, written - begin), &depths_->depths[begin]);
    if (written < end) move_to_new_sums(few.subspan(written, end - written), &depths_->depths[written]);
    folded_ = std::max(folded_, end);
    reads_in_few_ = 0;
}

void DepthPile::finish() { fold(); }

GoodDepthCounter::GoodDepthCounter(const Reference& reference) : unknown_(reference) {}

void GoodDepthCounter::begin(size_t records, GoodDepths& depths) {
    depths_ = &depths;
    pile_.begin(depths);
    entries_.clear();
    forgotten_ = 0;
    forget_at_ = k_min_entries_to_forget;
    longest_ = 0;
    // Few enough for the first cache: what lies too far back in a chain is never looked at.
    buckets_.assign(std::bit_ceil(std::max<size_t>(records / k_records_per_bucket, 2)), {});
}

void GoodDepthCounter::remember(const Alignment& read) {
    if (entries_.size() >= forget_at_) forget_passed(read.start);
    Bucket& bucket = buckets_[read.hash & (buckets_.size() - 1)];
    entries_.push_back({read.hash, bucket.last, read.index, read.start, read.start + read.span, read.record});
    bucket = {read.start, forgotten_ + static_cast<uint32_t>(entries_.size())};
    longest_ = std::max(longest_, read.span);
}

/// Those that end before any record to come.
void GoodDepthCounter::forget_passed(uint64_t start) {
    const auto passed = std::find_if(entries_.begin(), entries_.end(),
                                     [&](const Entry& entry) { return entry.start + longest_ > start; });
    forgotten_ += static_cast<uint32_t>(passed - entries_.begin());
    entries_.erase(entries_.begin(), passed);
    forget_at_ = std::max(k_min_entries_to_forget, 2 * entries_.size());
}

/// Whether good_ lists what is left of the read: where it did before, or any record of the template meets it.
bool GoodDepthCounter::remove_overlaps(const Alignment& read, bool is_listed) {
    const Bucket& bucket = buckets_[read.hash & (buckets_.size() - 1)];
    if (bucket.start + longest_ <= read.start) return is_listed;
    for (uint32_t next = bucket.last; next > forgotten_;) {
        const Entry& entry = entries_[next - forgotten_ - 1];
        const RecordView& other = entry.record;
        next = entry.before;
        if (entry.start + longest_ <= read.start) break;
        if (entry.hash != read.hash || entry.end <= read.start || other.name() != read.record.name())
            continue;
        if (!is_listed) list_good(read.record, read.start, read.span, unknown_, good_);
        is_listed = true;
        list_good(other, entry.start, entry.end - entry.start, unknown_, other_);
        depths_->overlapping += remove_common(good_, read.start, other_, entry.start, entry.end);
    }
    return is_listed;
}

std::optional<uint32_t> GoodDepthCounter::add(const Alignment& read, GoodBaseCounts& counts) {
    depths_->last_start = read.start;
    switch (reason_of(read.record, read.flag)) {
        case Reason::secondary:
        case Reason::failed:
            return std::nullopt;
        case Reason::adapter:
            counts.of_adapters += read.matched;
            return std::nullopt;
        case Reason::mapping_quality:
            counts.of_low_mapping_quality += read.matched;
            return std::nullopt;
        case Reason::duplicate:
            counts.of_duplicates += read.matched;
            return std::nullopt;
        case Reason::no_pair:
            counts.without_mate += read.matched;
            return std::nullopt;
        case Reason::none:
            break;
    }
    if (read.record.read_length() == 0) return std::nullopt;
    uint8_t* few = pile_.bytes_of(read.start, read.start + read.span);
    counts.aligned += read.matched;
    const bool has_n = unknown_.count(read.start, read.start + read.span) > 0 || read.has_unknown;
    if (has_n) counts.aligned -= list_good(read.record, read.start, read.span, unknown_, good_);
    std::optional<uint32_t> good;
    if (remove_overlaps(read, has_n)) {
        for (size_t at = 0; at < read.span; at += k_lane) {
            auto* const to = reinterpret_cast<__m128i*>(few + at);
            _mm_storeu_si128(to, _mm_add_epi8(_mm_loadu_si128(to), lane_at(&good_[at])));
        }
    } else {
        const std::span<const uint8_t> qualities = read.record.qualities();
        for_each_block(read.record, [&](size_t in_read, size_t in_reference, size_t bases) {
            good = good.value_or(0) + add_good(qualities.subspan(in_read, bases), few + in_reference);
        });
    }
    remember(read);
    return good;
}

void GoodDepthCounter::finish() {
    pile_.finish();
    const uint64_t last_start = depths_->last_start;
    // Most positions, without a question of space. Neighbours often have one depth, and would wait for each
    // other.
    std::array<std::array<uint32_t, 256>, 4> shallow{};
    for (const GoodDepths::Piece& piece : depths_->pieces) {
        const uint64_t end = std::min(piece.begin + piece.length, std::max(piece.begin, last_start));
        size_t turn = 0;
        for (const uint32_t depth : std::span(depths_->depths).subspan(piece.at, end - piece.begin)) {
            if (depth < shallow[0].size())
                ++shallow[turn++ % shallow.size()][depth];
            else
                depths_->positions.add(std::min(depth, GoodDepthSum::k_max_depth));
        }
    }
    for (size_t depth = 1; depth < shallow[0].size(); ++depth) {
        uint64_t positions = 0;
        for (const auto& turn : shallow) positions += turn[depth];
        if (positions > 0) depths_->positions.add(depth, positions);
    }
    for (const Entry& entry : entries_) {
        if (entry.end > last_start) depths_->open.push_back(entry.index);
    }
    depths_ = nullptr;
}

void GoodDepthSum::add(uint32_t depth) {
    if (depth == 0) return;
    depth = std::min(depth, k_max_depth);
    if (depth >= positions_.size()) positions_.resize(depth + 1);
    ++positions_[depth];
}

void GoodDepthSum::remove(uint32_t depth) {
    if (depth > 0) --positions_[std::min(depth, k_max_depth)];
}

GoodDepthSum::OpenRead GoodDepthSum::read_of(const RecordView& record) {
    OpenRead read;
    read.name = record.name();
    read.start = reference_.contigs()[static_cast<size_t>(record.contig())].offset +
                 static_cast<uint64_t>(record.position());
    const auto span = static_cast<uint64_t>(record.reference_span());
    list_good(record, read.start, span, unknown_, read.good);
    read.good.resize(span);
    return read;
}

/// `is_counted`: the chunk's counter knows of it.
void GoodDepthSum::remove_overlap(GoodDepths& chunk, OpenRead& read, const OpenRead& before,
                                  bool is_counted) {
    remove_common(read.good, read.start, before.good, before.start, [&](uint64_t position) {
        if (is_counted) return;
        ++overlapping_;
        uint32_t& depth = *chunk.find(position);
        if (position < chunk.last_start) {
            remove(depth);
            add(depth - 1);
        }
        --depth;
    });
}

/// Records of earlier chunks reach into this one and have mates here.
void GoodDepthSum::remove_overlaps(GoodDepths& chunk, std::span<const uint8_t> bytes,
                                   std::span<const RecordEntry> entries) {
    struct Template {
        std::vector<size_t> open;  ///< of open_
        std::vector<OpenRead> in_chunk;
    };
    std::unordered_map<std::string_view, Template> by_name;
    uint64_t reach = 0;
    for (size_t i = 0; i < open_.size(); ++i) {
        by_name[open_[i].name].open.push_back(i);
        reach = std::max(reach, open_[i].end());
    }
    for (const RecordEntry& entry : entries) {
        const RecordView record(bytes.subspan(entry.offset, entry.size_bytes));
        if (record.contig() < 0 || record.position() < 0) return;
        if (reference_.contigs()[static_cast<size_t>(record.contig())].offset +
                static_cast<uint64_t>(record.position()) >=
            reach)
            return;
        if ((entry.flag & k_flag_unmapped) != 0 || record.read_length() == 0 ||
            reason_of(record, entry.flag) != Reason::none)
            continue;
        const auto found = by_name.find(record.name());
        if (found == by_name.end()) continue;
        OpenRead read = read_of(record);
        OpenRead left = read;
        for (const OpenRead& before : found->second.in_chunk) remove_overlap(chunk, left, before, true);
        for (const size_t before : found->second.open) remove_overlap(chunk, left, open_[before], false);
        found->second.in_chunk.push_back(std::move(read));
    }
}

void GoodDepthSum::append(GoodDepths& chunk, std::span<const uint8_t> bytes,
                          std::span<const RecordEntry> entries) {
    if (chunk.last_start == 0) return;  // no record is mapped
    if (positions_.size() < chunk.positions.size()) positions_.resize(chunk.positions.size());
    for (size_t depth = 0; depth < chunk.positions.size(); ++depth)
        positions_[depth] += chunk.positions[depth];
    overlapping_ += chunk.overlapping;
    if (!open_.empty()) remove_overlaps(chunk, bytes, entries);
    // Of what the chunks before have left over, positions before the last start are final.
    const uint64_t last_start = chunk.last_start;
    std::vector<uint32_t> rest;
    const auto keep = [&](uint64_t position, uint32_t depth) {
        const uint64_t offset = position - last_start;
        if (offset >= rest.size()) rest.resize(offset + 1);
        rest[offset] += depth;
    };
    for (size_t i = 0; i < pending_.size(); ++i) {
        const uint64_t position = pending_begin_ + i;
        if (pending_[i] == 0) continue;
        if (position >= last_start) {
            keep(position, pending_[i]);
            continue;
        }
        const uint32_t* here = chunk.find(position);
        const uint32_t own = here == nullptr ? 0 : *here;
        remove(own);
        add(own + pending_[i]);
    }
    if (!chunk.pieces.empty()) {
        const GoodDepths::Piece& last = chunk.pieces.back();
        for (uint64_t at = std::max(last.begin, last_start); at < last.begin + last.length; ++at)
            keep(at, chunk.depths[last.at + (at - last.begin)]);
    }
    pending_ = std::move(rest);
    pending_begin_ = last_start;
    std::erase_if(open_, [&](const OpenRead& read) { return read.end() <= last_start; });
    for (const uint32_t index : chunk.open) {
        const RecordEntry& entry = entries[index];
        open_.push_back(read_of(RecordView(bytes.subspan(entry.offset, entry.size_bytes))));
    }
}

void GoodDepthSum::finish() {
    for (const uint32_t depth : pending_) add(depth);
    pending_.clear();
    open_.clear();
}

}  // namespace gannet::pipeline::qc
