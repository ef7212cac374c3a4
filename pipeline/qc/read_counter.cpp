// SPDX-License-Identifier: MIT
// Provides the counting of records: flags, cycles, indels, pairs.
#include "pipeline/qc/read_counter.hpp"

#include "data/prefetch.hpp"
#include "pipeline/qc/counted_read.hpp"
#include "pipeline/qc/word_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr size_t k_records_ahead = 4;  // whose bytes are on their way to the caches
constexpr size_t k_long_inserts_at_once = 4096;

Fragment fragment_of(uint16_t flag) {
    if ((flag & k_flag_paired) == 0) return k_first;
    switch (flag & (k_flag_read1 | k_flag_read2)) {
        case k_flag_read1:
            return k_first;
        case k_flag_read2:
            return k_last;
        default:
            return k_neither;
    }
}

/// A bit in each byte that is 0, the lowest one of which is exact.
uint64_t zero_bytes(uint64_t word) {
    constexpr uint64_t k_ones = 0x0101010101010101;
    return (word - k_ones) & ~word & (k_ones << 7);
}

/// As tag_value_bytes(), faster for the short texts and numbers that most tags are.
size_t tag_size(std::span<const uint8_t> tags, size_t at) {
    switch (tags[at]) {
        case 'A':
        case 'c':
        case 'C':
            return 2;
        case 'Z': {
            size_t end = at + 1;
            for (; end + sizeof(uint64_t) <= tags.size(); end += sizeof(uint64_t)) {
                if (const uint64_t zeros = zero_bytes(word_at(&tags[end])))
                    return end + static_cast<size_t>(std::countr_zero(zeros)) / 8 + 1 - at;
            }
            while (end < tags.size() && tags[end] != 0) ++end;
            return end < tags.size() ? end + 1 - at : 0;
        }
        default:
            return tag_value_bytes(tags, at);
    }
}

inline int64_t integer_at(std::span<const uint8_t> tags, size_t at) {
    uint32_t value = 0;
    switch (tags[at]) {
        case 'c':
            return static_cast<int8_t>(tags[at + 1]);
        case 'C':
            return tags[at + 1];
        case 's':
            return static_cast<int16_t>(tags[at + 1] | tags[at + 2] << 8);
        case 'S':
            return tags[at + 1] | tags[at + 2] << 8;
        case 'i':
        case 'I':
            std::memcpy(&value, &tags[at + 1], sizeof value);
            return tags[at] == 'i' ? int64_t{static_cast<int32_t>(value)} : int64_t{value};
        default:
            return -1;
    }
}

/// As a number that is loaded from these two letters.
constexpr uint16_t tag_name(const char (&name)[3]) {
    return static_cast<uint16_t>(static_cast<uint8_t>(name[1]) << 8 | static_cast<uint8_t>(name[0]));
}
constexpr uint16_t k_nm = tag_name("NM");
constexpr uint16_t k_mq = tag_name("MQ");
constexpr uint16_t k_sa = tag_name("SA");
constexpr uint16_t k_md = tag_name("MD");
constexpr uint16_t k_mc = tag_name("MC");

std::string_view text_at(std::span<const uint8_t> tags, size_t at, size_t size) {
    return {reinterpret_cast<const char*>(&tags[at + 1]), size - 2};
}

}  // namespace

/// Most tags are a number of one byte or a text of a few letters: those are taken from the word that they
/// begin with, and most are none of these.
ReadTags ReadTags::of(const RecordView& record) {
    ReadTags found;
    const std::span<const uint8_t> tags = record.tags();
    for (size_t at = 0; at + 3 < tags.size();) {
        uint32_t head = 0;  // name, type, first byte of the value
        std::memcpy(&head, &tags[at], sizeof head);
        const auto name = static_cast<uint16_t>(head);
        const uint32_t type = head >> 16 & 0xff;
        if (type == 'C' && name != k_sa && name != k_md && name != k_mc) {
            if (name == k_nm) found.differences = head >> 24;
            if (name == k_mq) found.mate_quality = head >> 24;
            at += sizeof head;
            continue;
        }
        size_t size = 0;
        if (type == 'Z' && at + 3 + sizeof(uint64_t) <= tags.size()) {
            if (const uint64_t zeros = zero_bytes(word_at(&tags[at + 3])))
                size = 2 + static_cast<size_t>(std::countr_zero(zeros)) / 8;
        }
        if (size == 0) size = tag_size(tags, at + 2);
        if (size == 0) break;
        if (name == k_md) found.mismatches = text_at(tags, at + 2, size);
        if (name == k_mc) found.mate_cigar = text_at(tags, at + 2, size);
        if (name == k_sa) found.is_split = true;
        if (name == k_nm) found.differences = integer_at(tags, at + 2);
        if (name == k_mq) found.mate_quality = integer_at(tags, at + 2);
        at += 2 + size;
    }
    return found;
}

ReadCounter::ReadCounter(const Reference& reference, TargetCoverage& targets)
    : reference_(reference),
      counts_(reference.contigs().size()),
      good_depth_(reference),
      targets_(targets),
      unknown_(reference) {}

void ReadCounter::add(std::span<const uint8_t> bytes, std::span<const RecordEntry> entries,
                      ChunkDepths& depths) {
    depths.runs.clear();
    depths.by_gc.clear();
    depths.by_gc.reserve(entries.size());
    good_depth_.begin(entries.size(), depths.good);
    targets_.begin();
    for (size_t next = 0; next < entries.size(); ++next) {
        if (next + k_records_ahead < entries.size()) {
            const RecordEntry& ahead = entries[next + k_records_ahead];
            prefetch(bytes.subspan(ahead.offset, ahead.size_bytes));
            prefetch(&bytes[ahead.offset + ahead.size_bytes - 1]);
        }
        const RecordEntry& entry = entries[next];
        const RecordView record(bytes.subspan(entry.offset, entry.size_bytes));
        const Read read(record, entry.flag);
        const bool is_placed = read.contig >= 0 && read.position >= 0;
        if (is_placed && !read.has(k_flag_unmapped)) {
            const uint64_t offset = reference_.contigs()[static_cast<size_t>(read.contig)].offset;
            ring_.advance(offset + static_cast<uint64_t>(read.position), depths.runs);
        }
        count(read, static_cast<uint32_t>(next));
        if (!read.has(k_flag_unmapped | k_flag_secondary) && read.length > 0)
            add_gc_depth(read, depths.by_gc);
    }
    ring_.finish(depths.runs);
    good_depth_.finish();
    targets_.finish();
}

void ReadCounter::count(const Read& read, uint32_t index) {
    count_flags(read);
    const uint32_t name_hash = count_checksums(read);
    if (read.length > 0) count_gc_bias(read);
    std::optional<uint32_t> good;
    if (!read.has(k_flag_unmapped)) good = count_good_depth(read, index, name_hash);
    if (read.has(k_flag_secondary)) return;
    if (!read.has(k_flag_supplementary)) count_summary(read, good);
    if (read.length == 0) {
        counts_.flags_without_bases.add(read.flag);
        return;
    }
    const size_t fragment = fragment_of(read.flag);
    const uint64_t whole = read.length + read.hard_clipped;
    counts_.longest[0] = std::max(counts_.longest[0], whole);
    if (fragment != k_neither) counts_.longest[1 + fragment] = std::max(counts_.longest[1 + fragment], whole);
    if (read.has(k_flag_duplicate)) counts_.duplicate_bases += read.length;
    if (!read.has(k_flag_unmapped | k_is_extra | k_flag_qc_fail | k_flag_duplicate))
        counts_.mapping_qualities.add(read.record.mapping_quality());
    if (!read.has(k_is_extra)) {
        if (fragment == k_neither)
            counts_.neither_lengths.add(read.length);
        else
            count_cycles(read, fragment);
    }
    if (!read.has(k_flag_unmapped)) count_mapped(read, fragment);
}

void ReadCounter::count_flags(const Read& read) {
    counts_.flags.add(read.flag);
    if (read.contig >= 0) {
        auto& records = read.has(k_flag_unmapped) ? counts_.placed_unmapped : counts_.mapped;
        ++records[static_cast<size_t>(read.contig)];
    }
    const bool both_mapped = read.has(k_flag_paired) && !read.has(k_flag_unmapped | k_flag_mate_unmapped);
    if (both_mapped && !read.has(k_is_extra) && read.contig != read.record.mate_contig()) {
        const size_t failed = read.has(k_flag_qc_fail) ? 1 : 0;
        ++counts_.other_contig[failed];
        if (read.record.mapping_quality() >= 5) ++counts_.other_contig_mapq5[failed];
    }
}

/// Returns that of the name.
uint32_t ReadCounter::count_checksums(const Read& read) {
    const std::string_view name = read.record.name();
    // Without bases both sums are 0.
    const std::array<uint32_t, 3> sums =
        text_sums_.of({std::span(reinterpret_cast<const uint8_t*>(name.data()), name.size()),
                       read.record.nibbles(), read.record.qualities()});
    for (size_t text = 0; text < sums.size(); ++text) counts_.checksums[text] += sums[text];
    return sums[0];
}

std::optional<uint32_t> ReadCounter::count_good_depth(const Read& read, uint32_t index, uint32_t name_hash) {
    const uint64_t start =
        reference_.contigs()[static_cast<size_t>(read.contig)].offset + static_cast<uint64_t>(read.position);
    const GoodDepthCounter::Alignment alignment{
        read.record,        read.flag, index,        name_hash,
        read.has_unknown(), start,     read.matched, static_cast<uint64_t>(read.span)};
    const std::optional<uint32_t> good = good_depth_.add(alignment, counts_.good_bases);
    if (!read.has(k_flag_secondary)) targets_.add(alignment, counts_.targets);
    return good;
}

const Counts& ReadCounter::counts() {
    for (size_t fragment = 0; fragment < k_fragments; ++fragment) {
        tables_[fragment].qualities.flush(counts_.cycles[fragment].qualities);
        tables_[fragment].bases.flush(counts_.cycles[fragment].bases);
        // Tables are larger than the longest read, so that equal reads give equal counts whoever counts them.
        CycleCounts& counts = counts_.cycles[fragment];
        const size_t lengths = std::max(counts.lengths[0].size(), counts.lengths[1].size());
        const size_t cycles = std::min(k_max_cycles, lengths == 0 ? 0 : lengths - 1);
        counts.qualities.resize(cycles);
        for (auto& bases : counts.bases) bases.resize(cycles);
    }
    for (size_t i = 0; i < k_orientations; ++i) count_long_inserts(i);
    return counts_;
}

/// Those that are listed, in order: a walk along the map.
void ReadCounter::count_long_inserts(size_t orientation) {
    std::vector<uint32_t>& sizes = long_inserts_[orientation];
    std::sort(sizes.begin(), sizes.end());
    for (const uint32_t size : sizes) ++counts_.long_inserts[orientation][size];
    sizes.clear();
}

void ReadCounter::count_cycles(const Read& read, size_t fragment) {
    Tables& tables = tables_[fragment];
    CycleCounts& counts = counts_.cycles[fragment];
    const size_t strand = read.has(k_flag_reverse) ? 1 : 0;
    counts.lengths[strand].add(read.length);
    const std::span<const uint8_t> qualities = read.record.qualities();
    const uint64_t sum = byte_sum(qualities);
    counts_.quality_sum += sum;
    counts.mean_quality.add((sum >> 32) == 0 ? static_cast<uint32_t>(sum) / read.length : sum / read.length);
    count_gc(read, tables, counts);
    adapters_.count(read.record, strand == 1, counts.adapters);

    tables.qualities.add(qualities, strand == 1);
    const std::span<const uint8_t> packed = read.record.nibbles();
    tables.bases.add(packed, read.length, strand == 1, packed.size() + qualities.size(), read.has_unknown());
}

void ReadCounter::count_gc(const Read& read, Tables& tables, CycleCounts& counts) {
    if (tables.gc == nullptr || tables.gc_length != read.length) {
        tables.gc_length = read.length;
        tables.gc = &counts.gc[read.length];
        tables.gc_starts = &counts.gc_starts[read.start_length()];
    }
    tables.gc->add(read.start.gc + read.rest.gc);
    tables.gc_starts->add(read.start.gc);
}

void ReadCounter::add_gc_depth(const Read& read, std::vector<GcDepthRead>& reads) {
    const bool has_gc = !read.has(k_flag_supplementary) && fragment_of(read.flag) != k_neither;
    const auto gc = static_cast<float>(has_gc ? read.start.gc + read.rest.gc : 0);
    reads.push_back(
        {static_cast<uint32_t>(read.contig), read.position, gc / static_cast<float>(read.length)});
}

void ReadCounter::count_mapped(const Read& read, size_t fragment) {
    const RecordView& record = read.record;
    if (!read.has(k_is_extra)) {
        counts_.mapped_bases += read.length;
        if (record.mapping_quality() == 0) ++counts_.mapq0;
        if (read.is_mapped_pair()) {
            if (read.contig != record.mate_contig()) ++counts_.pairs_on_two_contigs;
            count_pair(read);
        }
    }
    if (read.tags.differences > 0) counts_.mismatches += static_cast<uint64_t>(read.tags.differences);
    counts_.aligned_bases += read.matched + read.inserted;
    if (read.indels > 0) count_indels(read, fragment);
    count_depth(read);
}

void ReadCounter::count_indels(const Read& read, size_t fragment) {
    const bool reverse = read.has(k_flag_reverse);
    uint32_t at = 0;  // base of the record
    for (size_t i = 0; i < read.record.cigar_count(); ++i) {
        const uint32_t length = cigar_length(read.record.cigar(i));
        const CigarOp op = cigar_op(read.record.cigar(i));
        if (length == 0) continue;  // as samtools
        if (op == k_cigar_insertion) {
            const uint32_t cycle = reverse ? read.length - at - length : at;
            if (fragment != k_neither) counts_.insertion_cycles[fragment].add(cycle);
            if (length <= k_max_stats_indel) counts_.insertions.add(length);
        } else if (op == k_cigar_deletion && (reverse ? read.length > at : at > 0)) {
            const uint32_t cycle = reverse ? read.length - at - 1 : at - 1;
            if (fragment != k_neither) counts_.deletion_cycles[fragment].add(cycle);
            if (length <= k_max_stats_indel) counts_.deletions.add(length);
        }
        if (cigar_consumes_query(op)) at += length;
    }
}

/// Insert sizes, for `samtools stats` of each mate and for Picard of the second one.
void ReadCounter::count_pair(const Read& read) {
    const RecordView& record = read.record;
    const auto size = static_cast<uint32_t>(std::abs(int64_t{record.template_length()}));
    const bool reverse = read.has(k_flag_reverse);
    const bool mate_reverse = read.has(k_flag_mate_reverse);
    if (size > 0 || read.contig == record.mate_contig()) {
        // The mate that begins first points at the other one or away from it; where both begin at one
        // position they count as inward.
        const int64_t mate_after = int64_t{record.mate_position()} - read.position;
        const bool inward = mate_after > 0 ? !reverse : mate_after < 0 ? reverse : true;
        Histogram& sizes = reverse == mate_reverse ? counts_.other_pairs
                           : inward                ? counts_.inward
                                                   : counts_.outward;
        sizes.add(std::min<size_t>(size, k_max_stats_insert));
    }
    if (size == 0 || read.has(k_flag_read1 | k_flag_duplicate)) return;
    const Orientation orientation = read.orientation();
    if (size <= k_max_listed_insert) {
        counts_.inserts[orientation].add(size);
        return;
    }
    long_inserts_[orientation].push_back(size);
    if (long_inserts_[orientation].size() == k_long_inserts_at_once) count_long_inserts(orientation);
}

void ReadCounter::count_depth(const Read& read) {
    const uint64_t offset = reference_.contigs()[static_cast<size_t>(read.contig)].offset;
    const uint64_t start = offset + static_cast<uint64_t>(read.position);
    const bool counts_fragments = !read.has(k_flag_qc_fail | k_flag_duplicate);
    const DepthPair depth{1, counts_fragments ? 1 : 0};
    uint64_t at = start;
    for (size_t i = 0; i < read.record.cigar_count(); ++i) {
        const uint32_t element = read.record.cigar(i);
        const CigarOp op = cigar_op(element);
        if (!cigar_consumes_reference(op)) continue;
        const uint64_t end = at + cigar_length(element);
        if (cigar_consumes_query(op)) ring_.add(at, end, depth);
        at = end;
    }
    if (counts_fragments && read.has(k_flag_proper_pair) && !read.has(k_flag_supplementary))
        subtract_mate(read, start);
}

/// Where the mates of a pair overlap they cover one base of one fragment: mosdepth takes off the second one
/// in the file. The mate's alignment is known from its CIGAR in MC; its flags are taken for those of this
/// one.
void ReadCounter::subtract_mate(const Read& read, uint64_t start) {
    if (read.contig != read.record.mate_contig()) return;
    const int32_t mate_position = read.record.mate_position();
    const bool is_second =
        mate_position < read.position || (mate_position == read.position && read.has(k_flag_read2));
    if (!is_second) return;
    mate_blocks_.clear();
    const bool mate_is_plain = list_blocks(read.tags.mate_cigar, mate_blocks_);
    if (mate_blocks_.empty()) return;
    const auto behind = static_cast<uint32_t>(read.position - mate_position);
    if (mate_blocks_.back().second <= behind) return;
    constexpr DepthPair k_once{0, -1};
    if (mate_is_plain && read.record.cigar_count() == 1) {
        // From the start of this read to the end of the mate, even where that lies beyond: as mosdepth does.
        ring_.add(start, start + (mate_blocks_[0].second - behind), k_once);
        return;
    }
    blocks_.clear();
    list_blocks(read.record, blocks_);
    // Both lists are in order; those of the mate begin `behind` before.
    for (size_t a = 0, b = 0; a < blocks_.size() && b < mate_blocks_.size();) {
        const uint32_t begin = std::max(blocks_[a].first + behind, mate_blocks_[b].first);
        const uint32_t end = std::min(blocks_[a].second + behind, mate_blocks_[b].second);
        if (begin < end) ring_.add(start + begin - behind, start + end - behind, k_once);
        ++(blocks_[a].second + behind < mate_blocks_[b].second ? a : b);
    }
}

}  // namespace gannet::pipeline::qc
