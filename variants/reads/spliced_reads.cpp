// SPDX-License-Identifier: MIT
// Provides the division of spliced reads.
#include "variants/reads/spliced_reads.hpp"

#include <algorithm>
#include <vector>

namespace gannet::variants {
namespace {

bool is_skip(uint32_t element) { return data::cigar_op(element) == data::k_cigar_skip; }

/// Takes elements off both ends until the read begins and ends with an aligned base.
void trim_to_matches(const ReadSet& set, CallRead& read) {
    const auto is_match = [&set](uint32_t at) {
        return data::cigar_op(set.cigars[at]) == data::k_cigar_match;
    };
    while (read.cigar_count > 0 && !is_match(read.cigar)) {
        const uint32_t element = set.cigars[read.cigar];
        const uint32_t length = data::cigar_length(element);
        if (data::cigar_consumes_reference(data::cigar_op(element))) read.begin += length;
        if (data::cigar_consumes_query(data::cigar_op(element))) {
            read.bases += length;
            read.length -= length;
            read.cut_left += length;
        }
        ++read.cigar;
        --read.cigar_count;
    }
    while (read.cigar_count > 0 && !is_match(read.cigar + read.cigar_count - 1)) {
        const uint32_t element = set.cigars[read.cigar + read.cigar_count - 1];
        const uint32_t length = data::cigar_length(element);
        if (data::cigar_consumes_reference(data::cigar_op(element))) read.end -= length;
        if (data::cigar_consumes_query(data::cigar_op(element))) {
            read.length -= length;
            read.cut_right += length;
        }
        --read.cigar_count;
    }
}

/// Appends the blocks of `read` that reach [begin, end).
void append_blocks(const CallRead& read, int64_t begin, int64_t end, ReadSet& set) {
    const uint32_t last = read.cigar + read.cigar_count;
    int64_t reference = read.begin;
    uint32_t query = 0;
    for (uint32_t first = read.cigar; first < last;) {
        CallRead block = read;
        block.mate = -1;
        block.remote_mate = 0;
        block.begin = reference;
        block.bases = read.bases + query;
        block.cut_left = read.cut_left + query;
        block.cigar = first;
        for (; first < last && !is_skip(set.cigars[first]); ++first) {
            const data::CigarOp op = data::cigar_op(set.cigars[first]);
            const uint32_t length = data::cigar_length(set.cigars[first]);
            if (data::cigar_consumes_reference(op)) reference += length;
            if (data::cigar_consumes_query(op)) query += length;
        }
        block.end = reference;
        block.length = read.bases + query - block.bases;
        block.cut_right = read.cut_right + read.length - query;
        block.cigar_count = first - block.cigar;
        trim_to_matches(set, block);
        if (block.cigar_count > 0 && block.begin < end && block.end > begin) set.reads.push_back(block);
        if (first < last) reference += data::cigar_length(set.cigars[first++]);
    }
}

/// Where introns of the spliced reads begin and end; sorted.
struct IntronBorders {
    std::vector<int64_t> begins, ends;

    void add(const ReadSet& set, const CallRead& read) {
        int64_t reference = read.begin;
        for (const uint32_t element : set.cigar(read)) {
            const int64_t length = data::cigar_length(element);
            if (is_skip(element)) {
                begins.push_back(reference);
                ends.push_back(reference + length);
            }
            if (data::cigar_consumes_reference(data::cigar_op(element))) reference += length;
        }
    }
    void sort() {
        for (std::vector<int64_t>* borders : {&begins, &ends}) {
            std::sort(borders->begin(), borders->end());
            borders->erase(std::unique(borders->begin(), borders->end()), borders->end());
        }
    }
};

/// The border nearest to `position` within k_max_overhang_bp; `position` where there is none.
int64_t border_near(const std::vector<int64_t>& borders, int64_t position, bool& is_near) {
    const auto after = std::lower_bound(borders.begin(), borders.end(), position);
    int64_t nearest = position;
    int64_t distance = k_max_overhang_bp + 1;
    const auto take = [&](int64_t border) {
        const int64_t away = border > position ? border - position : position - border;
        if (away < distance) nearest = border, distance = away;
    };
    if (after != borders.end()) take(*after);
    if (after != borders.begin()) take(*(after - 1));
    is_near = distance <= k_max_overhang_bp;
    return nearest;
}

/// Takes what lies beyond the border of an intron off a read that ends near it.
void cut_overhangs(const IntronBorders& introns, ReadSet& set, CallRead& read) {
    bool ends_near = false;
    bool begins_near = false;
    const int64_t last = border_near(introns.begins, read.end, ends_near);
    const int64_t first = border_near(introns.ends, read.begin, begins_near);
    if (!ends_near && !begins_near) return;
    trim_to_matches(set, read);
    if (read.cigar_count == 0) return;
    const auto shorten = [&](uint32_t at, int64_t bases) -> uint32_t {
        uint32_t& element = set.cigars[at];
        if (bases <= 0 || bases >= int64_t{data::cigar_length(element)}) return 0;
        element = data::cigar_element(data::cigar_length(element) - static_cast<uint32_t>(bases),
                                      data::k_cigar_match);
        read.length -= static_cast<uint32_t>(bases);
        return static_cast<uint32_t>(bases);
    };
    if (ends_near) {
        const uint32_t cut = shorten(read.cigar + read.cigar_count - 1, read.end - last);
        read.end -= cut;
        read.cut_right += cut;
    }
    if (begins_near) {
        const uint32_t cut = shorten(read.cigar, first - read.begin);
        read.begin += cut;
        read.bases += cut;
        read.cut_left += cut;
    }
}

/// Links what overlaps of the reads of one template, which are few.
void link_overlapping(ReadSet& set, std::vector<uint32_t>& of_template) {
    constexpr uint16_t k_mate_number = data::k_flag_read1 | data::k_flag_read2;
    for (const uint32_t one : of_template) {
        for (const uint32_t other : of_template) {
            CallRead& a = set.reads[one];
            CallRead& b = set.reads[other];
            const bool are_mates = (a.flags & k_mate_number) == data::k_flag_read1 &&
                                   (b.flags & k_mate_number) == data::k_flag_read2;
            if (!are_mates || a.mate >= 0 || b.mate >= 0 || a.begin >= b.end || b.begin >= a.end) continue;
            a.mate = static_cast<int32_t>(other);
            b.mate = static_cast<int32_t>(one);
        }
    }
}

/// The reads of the templates whose hashes are in `spliced`, sorted: by template.
void link_templates(const std::vector<uint64_t>& spliced, ReadSet& set) {
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < set.reads.size(); ++i)
        if (std::binary_search(spliced.begin(), spliced.end(), set.reads[i].name_hash)) members.push_back(i);
    std::stable_sort(members.begin(), members.end(), [&set](uint32_t a, uint32_t b) {
        return set.reads[a].name_hash < set.reads[b].name_hash;
    });
    std::vector<uint32_t> of_template;
    for (size_t i = 0; i < members.size(); ++i) {
        of_template.push_back(members[i]);
        if (i + 1 < members.size() && set.reads[members[i + 1]].name_hash == set.reads[members[i]].name_hash)
            continue;
        link_overlapping(set, of_template);
        of_template.clear();
    }
}

}  // namespace

void split_spliced_reads(int64_t begin, int64_t end, ReadSet& set) {
    if (std::none_of(set.cigars.begin(), set.cigars.end(), is_skip)) return;
    std::vector<uint32_t> removed;
    std::vector<uint64_t> templates;
    IntronBorders introns;
    const auto count = static_cast<uint32_t>(set.reads.size());
    for (uint32_t i = 0; i < count; ++i) {
        const CallRead read = set.reads[i];  // the arena of reads grows
        const auto cigar = set.cigar(read);
        if (std::none_of(cigar.begin(), cigar.end(), is_skip)) continue;
        if (read.mate >= 0) set.reads[static_cast<size_t>(read.mate)].mate = -1;
        set.reads[i].mate = -1;
        removed.push_back(i);
        templates.push_back(read.name_hash);
        introns.add(set, read);
        append_blocks(read, begin, end, set);
    }
    remove_reads(set, removed);
    introns.sort();
    for (CallRead& read : set.reads) cut_overhangs(introns, set, read);
    std::sort(templates.begin(), templates.end());
    sort_reads(set);
    link_templates(templates, set);
    set.longest_span = 0;
    for (const CallRead& read : set.reads)
        set.longest_span = std::max(set.longest_span, read.end - read.begin);
}

}  // namespace gannet::variants
