// SPDX-License-Identifier: MIT
// Provides decoding of records into the caller's reads, and the linking of overlapping mates.
#include "variants/reads/read_set.hpp"

#include "data/prefetch.hpp"
#include "variants/model/reads.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

namespace gannet::variants {

namespace {

constexpr size_t k_records_ahead = 4;  // all of whose bytes are on their way to the caches
// Mates further apart do not overlap.
constexpr int64_t k_max_mate_distance_bp = reads_number("mate_max_distance_bp");

void decode(const data::RecordView& record, const QualityMap& quality_map, ReadSet& set) {
    const size_t length = record.read_length();
    const size_t at = set.bases.size();
    append_bases(record, set.bases);
    set.qualities.resize(at + length);
    map_qualities(quality_map, record.qualities(), std::span(set.qualities).subspan(at));
}

/// All later steps rely on it, and readers accept files that violate it.
bool fits_its_cigar(const data::RecordView& record) {
    uint64_t length = 0;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        if (data::cigar_consumes_query(data::cigar_op(record.cigar(i))))
            length += data::cigar_length(record.cigar(i));
    }
    return length == record.read_length();
}

/// Appends the CIGAR as calling takes it, so that what means the same is the same: without operations of
/// length 0, = and X as M, neighbours of one kind as one.
void append_cigar(const data::RecordView& record, ReadSet& set) {
    const size_t first = set.cigars.size();
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const uint32_t length = data::cigar_length(record.cigar(i));
        data::CigarOp op = data::cigar_op(record.cigar(i));
        if (length == 0) continue;
        if (op == data::k_cigar_equal || op == data::k_cigar_diff) op = data::k_cigar_match;
        if (set.cigars.size() > first && data::cigar_op(set.cigars.back()) == op)
            set.cigars.back() += data::cigar_element(length, data::k_cigar_match);
        else
            set.cigars.push_back(data::cigar_element(length, op));
    }
}

bool may_overlap_mate(const data::RecordView& record) {
    return record.has(data::k_flag_paired) && !record.has(data::k_flag_mate_unmapped) &&
           record.mate_contig() == record.contig() &&
           std::abs(int64_t{record.mate_position()} - record.position()) < k_max_mate_distance_bp;
}

/// The mate's sequence, where the record has it: that of a forward read is to the right of it on the reverse
/// strand, that of a reverse read to the left on the forward strand. `read` is of the record.
void append_remote_mate(const data::RecordView& record, ReadSet& set, CallRead& read) {
    constexpr uint16_t k_not_remote =
        data::k_flag_proper_pair | data::k_flag_mate_unmapped | data::k_flag_secondary;
    if (!record.has(data::k_flag_paired) || record.has(k_not_remote)) return;
    const auto letters = record.string_tag("R2");
    if (!letters || letters->empty()) return;
    const size_t at = set.remote_bases.size();
    set.remote_bases.resize(at + letters->size());
    const auto bases = std::span(set.remote_bases).subspan(at);
    data::to_bases(*letters, bases);
    if (!read.reverse) {
        std::reverse(bases.begin(), bases.end());
        for (data::Base& base : bases) base = data::complement(base);
    }
    set.remote_mates.push_back({at, bases.size()});
    read.remote_mate = static_cast<uint32_t>(set.remote_mates.size());
}

bool is_used(const data::RecordView& record, const MappingFilter& filter) {
    if (record.has(data::k_flag_supplementary) || !filter.keeps(record)) return false;
    return record.read_length() != 0 && record.qualities()[0] != 0xff && fits_its_cigar(record);
}

/// Growing buffers would take up to three times what the reads of a very deep window need.
void reserve(std::span<const data::RecordView> records, ReadSet& set) {
    size_t bases = 0;
    for (const data::RecordView& record : records) bases += record.read_length();
    set.reads.reserve(records.size());
    set.bases.reserve(bases);
    set.qualities.reserve(bases);
}

/// Links a read to an earlier one of the same name if the two overlap.
void link_mate(ReadSet& set, std::vector<int32_t>& slots, int32_t index) {
    const size_t mask = slots.size() - 1;
    CallRead& read = set.reads[static_cast<size_t>(index)];
    for (size_t slot = read.name_hash & mask;; slot = (slot + 1) & mask) {
        if (slots[slot] < 0) {
            slots[slot] = index;
            return;
        }
        CallRead& other = set.reads[static_cast<size_t>(slots[slot])];
        if (other.name_hash != read.name_hash) continue;
        if (other.mate < 0 && other.end > read.begin) {
            other.mate = index;
            read.mate = slots[slot];
            // Of two mates that begin at one position the first in the set is used where nothing else
            // decides: it is the first read of the template, whichever comes first in the file.
            if (other.begin == read.begin && (other.flags & data::k_flag_read2) != 0 &&
                (read.flags & data::k_flag_read1) != 0) {
                std::swap(other, read);
                std::swap(other.mate, read.mate);
            }
        }
        return;
    }
}

/// By chance, no more bases of an adapter fit the reference.
constexpr int64_t k_max_adapter_match_bp = reads_number("adapter_max_match_bp");
constexpr int64_t k_no_adapter = -1;

/// Where the fragment ends in the direction of a read that goes on beyond it, into the adapter: at the first
/// base of the mate.
int64_t adapter_begin(const data::RecordView& record, const CallRead& read) {
    if (!may_overlap_mate(record) || read.reverse == record.has(data::k_flag_mate_reverse))
        return k_no_adapter;
    const int64_t border = read.reverse ? record.mate_position() : read.begin + read.template_length;
    const int64_t beyond = read.reverse ? border - read.begin : read.end - border;
    const bool is_inside = read.reverse ? border < read.end : border > read.begin;
    return is_inside && beyond >= 0 && beyond <= k_max_adapter_match_bp ? border : k_no_adapter;
}

/// Takes the bases on the outer side of `border`, clipped ones included, out of the read.
void cut_end(ReadSet& set, int64_t border, bool at_left, CallRead& read) {
    while (read.cigar_count > 0) {
        uint32_t& element = set.cigars[read.cigar + (at_left ? 0 : read.cigar_count - 1)];
        const data::CigarOp op = data::cigar_op(element);
        const auto length = static_cast<int64_t>(data::cigar_length(element));
        const bool has_query = data::cigar_consumes_query(op);
        const bool has_reference = data::cigar_consumes_reference(op);
        const int64_t inside = at_left ? read.begin + length - border : border - (read.end - length);
        const bool is_last = has_query && has_reference && inside > 0;
        const int64_t cut = is_last ? std::max<int64_t>(0, length - inside) : length;
        if (has_query) {
            read.length -= static_cast<uint32_t>(cut);
            if (at_left) read.bases += static_cast<uint32_t>(cut);
            (at_left ? read.cut_left : read.cut_right) += static_cast<uint32_t>(cut);
        }
        if (has_reference) (at_left ? read.begin : read.end) += at_left ? cut : -cut;
        if (is_last) {
            element = data::cigar_element(static_cast<uint32_t>(length - cut), op);
            return;
        }
        --read.cigar_count;
        if (at_left) ++read.cigar;
    }
}

/// False where the read has nothing else.
bool cut_primers(const Primers& primers, const data::RecordView& record, ReadSet& set, CallRead& read) {
    if (primers.empty()) return true;
    const auto clipped = [&](const uint32_t element) {
        return data::cigar_op(element) == data::k_cigar_soft_clip ? int64_t{data::cigar_length(element)} : 0;
    };
    const auto cigar = set.cigar(read);
    if (cigar.empty()) return true;
    const Primers::Span span{read.begin, read.end, clipped(cigar.front()), clipped(cigar.back())};
    const Primers::Borders inside = primers.inside(static_cast<uint32_t>(record.contig()), span);
    if (std::max(inside.begin, read.begin) >= std::min(inside.end, read.end)) return false;
    if (inside.begin > span.begin - span.clipped_left) cut_end(set, inside.begin, true, read);
    if (inside.end < span.end + span.clipped_right) cut_end(set, inside.end, false, read);
    return read.begin < read.end;
}

}  // namespace

void ReadSet::clear() {
    reads.clear();
    bases.clear();
    qualities.clear();
    cigars.clear();
    capped.clear();
    remote_mates.clear();
    remote_bases.clear();
    longest_span = 0;
}

size_t ReadSet::first_over(int64_t position) const {
    const auto first = std::partition_point(reads.begin(), reads.end(), [&](const CallRead& read) {
        return read.begin + longest_span <= position;
    });
    return static_cast<size_t>(first - reads.begin());
}

void load_reads(std::span<const data::RecordView> records, const MappingFilter& filter,
                const QualityMap& quality_map, const Primers& primers, ReadSet& set,
                std::vector<int32_t>& slots) {
    set.clear();
    slots.assign(std::bit_ceil(records.size() * 2 + 2), -1);
    reserve(records, set);
    bool is_sorted = true;
    for (size_t next = 0; next < records.size(); ++next) {
        if (next + k_records_ahead < records.size()) data::prefetch(records[next + k_records_ahead].bytes());
        const data::RecordView& record = records[next];
        if (!is_used(record, filter)) continue;
        CallRead read;
        read.begin = record.position();
        read.end = record.end_position();
        read.bases = static_cast<uint32_t>(set.bases.size());
        read.length = record.read_length();
        read.cigar = static_cast<uint32_t>(set.cigars.size());
        read.mapping_quality = filter.quality_of(record);
        read.reverse = record.has(data::k_flag_reverse);
        read.flags = record.flag();
        read.template_length = record.template_length();
        read.mate_elsewhere = record.has(data::k_flag_paired) && (record.has(data::k_flag_mate_unmapped) ||
                                                                  record.mate_contig() != record.contig());
        read.name_hash = hash_name(record.name());
        append_remote_mate(record, set, read);
        append_cigar(record, set);
        read.cigar_count = static_cast<uint32_t>(set.cigars.size()) - read.cigar;
        decode(record, quality_map, set);
        if (const int64_t border = adapter_begin(record, read); border != k_no_adapter)
            cut_end(set, border, read.reverse, read);
        if (!cut_primers(primers, record, set, read)) continue;
        set.longest_span = std::max(set.longest_span, read.end - read.begin);
        is_sorted &= set.reads.empty() || set.reads.back().begin <= read.begin;
        set.reads.push_back(read);
        if (may_overlap_mate(record)) link_mate(set, slots, static_cast<int32_t>(set.reads.size()) - 1);
    }
    if (!is_sorted) sort_reads(set);
}

void sort_reads(ReadSet& set) {
    std::vector<CallRead>& reads = set.reads;
    std::vector<uint32_t> order(reads.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return reads[a].begin != reads[b].begin ? reads[a].begin < reads[b].begin : a < b;
    });
    std::vector<int32_t> places(order.size());
    for (size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<int32_t>(i);
    for (CallRead& read : reads) {
        if (read.mate >= 0) read.mate = places[static_cast<size_t>(read.mate)];
    }
    for (size_t i = 0; i < reads.size(); ++i) {
        for (auto place = static_cast<size_t>(places[i]); place != i;
             place = static_cast<size_t>(places[i])) {
            std::swap(reads[i], reads[place]);
            std::swap(places[i], places[place]);
        }
    }
}

void remove_reads(ReadSet& set, std::span<const uint32_t> removed) {
    std::vector<int32_t> new_index(set.reads.size(), -1);
    size_t kept = 0;
    size_t next = 0;
    for (size_t i = 0; i < set.reads.size(); ++i) {
        if (next < removed.size() && removed[next] == i) {
            ++next;
            continue;
        }
        new_index[i] = static_cast<int32_t>(kept);
        set.reads[kept++] = set.reads[i];
    }
    set.reads.resize(kept);
    for (CallRead& read : set.reads) {
        if (read.mate >= 0) read.mate = new_index[static_cast<size_t>(read.mate)];
    }
}

void count_unused_depth(std::span<const data::RecordView> records, const MappingFilter& filter, int64_t begin,
                        int64_t end, std::vector<int32_t>& depth) {
    depth.assign(static_cast<size_t>(end - begin) + 1, 0);
    for (const data::RecordView& record : records) {
        if (record.has(data::k_flag_supplementary) || filter.keeps(record)) continue;
        const int64_t from = std::max<int64_t>(record.position(), begin);
        const int64_t to = std::min(record.end_position(), end);
        if (from >= to) continue;
        ++depth[static_cast<size_t>(from - begin)];
        --depth[static_cast<size_t>(to - begin)];
    }
    for (size_t i = 1; i < depth.size(); ++i) depth[i] += depth[i - 1];
}

namespace {

// HaplotypeCaller's, of the reads of its annotations.
constexpr uint8_t k_overlap_quality = 20;
constexpr uint8_t k_min_place_mapping_quality = 20;
constexpr uint8_t k_max_tail_quality = 9;
constexpr int64_t k_no_offset = -1;

/// Whether both ends of the fragment are known: its mates are mapped to one contig, on different strands.
bool has_fragment_ends(const CallRead& read) {
    const auto has = [&read](uint16_t flag) { return (read.flags & flag) != 0; };
    return read.template_length != 0 && has(data::k_flag_paired) && !has(data::k_flag_mate_unmapped) &&
           has(data::k_flag_reverse) != has(data::k_flag_mate_reverse);
}

/// As read_offset_at(), but `with_clips` of clipped bases too.
int64_t offset_of(const ReadSet& set, const CallRead& read, int64_t position, bool with_clips) {
    int64_t reference = read.begin;
    int64_t query = 0;
    for (const uint32_t element : set.cigar(read)) {
        const data::CigarOp op = data::cigar_op(element);
        const auto length = static_cast<int64_t>(data::cigar_length(element));
        const bool is_clip = op == data::k_cigar_soft_clip;
        // A clip at the left ends where the alignment begins, one at the right begins where it ends.
        const int64_t begin = is_clip && query == 0 ? reference - length : reference;
        if (((is_clip && with_clips) || data::cigar_consumes_reference(op)) && position >= begin &&
            position < begin + length)
            return data::cigar_consumes_query(op) ? query + position - begin : k_no_offset;
        if (data::cigar_consumes_reference(op)) reference += length;
        if (data::cigar_consumes_query(op)) query += length;
    }
    return k_no_offset;
}

/// Whether bases of such qualities go on from `offset` to an end of the read as it was sequenced.
bool is_in_tail(const ReadSet& set, const CallRead& read, int64_t offset) {
    const auto at = static_cast<std::ptrdiff_t>(read.bases) + offset;
    const auto begin = set.qualities.begin() + static_cast<std::ptrdiff_t>(read.bases) - read.cut_left;
    const auto end = begin + read.cut_left + read.length + read.cut_right;
    const auto base = set.qualities.begin() + at;
    const auto is_low = [](uint8_t quality) { return quality <= k_max_tail_quality; };
    return is_low(*base) && (std::all_of(begin, base, is_low) || std::all_of(base, end, is_low));
}

/// As it was before the caps: of several entries the last has the highest quality.
uint8_t uncapped_quality(const ReadSet& set, size_t at) {
    const auto after = std::upper_bound(set.capped.begin(), set.capped.end(), at,
                                        [](size_t index, const auto& entry) { return index < entry.first; });
    const bool is_capped = after != set.capped.begin() && std::prev(after)->first == at;
    return is_capped ? std::prev(after)->second : set.qualities[at];
}

/// Of the base of a read that HaplotypeCaller would use.
int64_t place_offset(const ReadSet& set, const CallRead& read, int64_t position) {
    if (read.mapping_quality < k_min_place_mapping_quality) return k_no_offset;
    const int64_t offset = offset_of(set, read, position, has_fragment_ends(read));
    return offset == k_no_offset || is_in_tail(set, read, offset) ? k_no_offset : offset;
}

}  // namespace

ReadPlace place_in_read(const ReadSet& set, const CallRead& read, int64_t position) {
    const int64_t offset = place_offset(set, read, position);
    if (offset == k_no_offset) return {};
    const size_t at = read.bases + static_cast<size_t>(offset);
    const int64_t left = read.cut_left + offset;
    const int64_t right = int64_t{read.length} - 1 - offset + read.cut_right;
    ReadPlace place{static_cast<uint16_t>(std::min<int64_t>(std::min(left, right), ReadPlace::k_none - 1)),
                    uncapped_quality(set, at), set.bases[at], false};
    if (read.mate < 0) return place;
    const CallRead& mate = set.reads[static_cast<size_t>(read.mate)];
    const int64_t other = place_offset(set, mate, position);
    if (other == k_no_offset) return place;
    place.mate_differs = set.bases[at] != set.bases[mate.bases + static_cast<size_t>(other)];
    place.quality = place.mate_differs ? 0 : std::min(place.quality, k_overlap_quality);
    return place;
}

int64_t read_offset_at(const ReadSet& set, const CallRead& read, int64_t position) {
    int64_t reference = read.begin;
    int64_t query = 0;
    for (const uint32_t element : set.cigar(read)) {
        const data::CigarOp op = data::cigar_op(element);
        const auto length = static_cast<int64_t>(data::cigar_length(element));
        if (data::cigar_consumes_reference(op)) {
            if (position < reference + length) {
                return data::cigar_consumes_query(op) ? query + position - reference : -1;
            }
            reference += length;
        }
        if (data::cigar_consumes_query(op)) query += length;
    }
    return -1;
}

}  // namespace gannet::variants
