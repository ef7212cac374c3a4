// SPDX-License-Identifier: MIT
// Provides the search for a read's differences and the candidates that they are.
#include "variants/read_profiles.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::variants {

namespace {

constexpr int64_t k_longest_indel_bp = 300;  // as candidates

class ProfileMaker {
  public:
    ProfileMaker(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                 std::span<const Candidate> candidates, int32_t minimum_base_quality,
                 std::vector<data::Base>& arena, std::vector<ml::ReadEvent>& events)
        : set_(set),
          slice_(slice),
          evidence_(evidence),
          candidates_(candidates),
          minimum_base_quality_(minimum_base_quality),
          arena_(arena),
          events_(events) {}

    void take(const CallRead& read) {
        int64_t reference = read.begin;
        uint32_t query = 0;
        const auto cigar = set_.cigar(read);
        bool aligned = false;
        for (size_t i = 0; i < cigar.size(); ++i) {
            const data::CigarOp op = data::cigar_op(cigar[i]);
            const uint32_t length = data::cigar_length(cigar[i]);
            const bool is_inner = aligned && i + 1 < cigar.size();
            if (op == data::k_cigar_insertion && is_inner) {
                take_indel(read, query, {reference, 0, 0, static_cast<int32_t>(length)});
            } else if (op == data::k_cigar_deletion && is_inner) {
                take_indel(read, query, {reference, static_cast<int32_t>(length), 0, 0});
            } else if (data::cigar_consumes_query(op) && data::cigar_consumes_reference(op)) {
                take_match(read, query, length, reference);
                aligned = true;
            }
            if (data::cigar_consumes_query(op)) query += length;
            if (data::cigar_consumes_reference(op)) reference += length;
        }
    }

  private:
    void take_match(const CallRead& read, uint32_t query, uint32_t length, int64_t reference) {
        const int64_t from = std::max(reference, slice_.begin());
        const int64_t to = std::min(reference + int64_t{length}, slice_.end());
        if (from >= to) return;
        const size_t first = read.bases + query + static_cast<size_t>(from - reference);
        const data::Base* bases = set_.bases.data() + first;
        const uint8_t* qualities = set_.qualities.data() + first;
        const data::Base* expected = slice_.span(from, to).data();
        const auto count = static_cast<size_t>(to - from);
        for (size_t i = 0; i < count;) {
            if (i + 8 <= count && std::memcmp(bases + i, expected + i, 8) == 0) {
                i += 8;
                continue;
            }
            const size_t stop = std::min(count, i + 8);
            for (; i < stop; ++i)
                take_base(bases[i], expected[i], qualities[i], from + static_cast<int64_t>(i));
        }
    }

    void take_base(data::Base base, data::Base expected, uint8_t quality, int64_t position) {
        if (base == expected || base > 3 || expected > 3 || quality < minimum_base_quality_) return;
        ml::ReadEvent event{position, 1, -1, ml::ReadEvent::mismatch, quality, base};
        arena_.assign(1, base);
        event.candidate = find_candidate(candidates_, evidence_.arena, {position, 1, 0, 1}, arena_);
        events_.push_back(event);
    }

    void take_indel(const CallRead& read, uint32_t query, Allele allele) {
        if (std::max(allele.reference_length, allele.alternate_length) > k_longest_indel_bp) return;
        if (allele.position <= slice_.begin() || allele.end() >= slice_.end()) return;
        const auto bases = set_.bases.begin() + static_cast<std::ptrdiff_t>(read.bases + query);
        arena_.assign(bases, bases + allele.alternate_length);
        if (std::any_of(arena_.begin(), arena_.end(), [](data::Base b) { return b > 3; })) return;
        const uint8_t quality = set_.qualities[read.bases + query];
        left_align(slice_, allele, arena_);
        const auto kind = allele.reference_length > 0 ? ml::ReadEvent::deletion : ml::ReadEvent::insertion;
        events_.push_back({allele.position, std::max(allele.reference_length, allele.alternate_length),
                           find_candidate(candidates_, evidence_.arena, allele, arena_), kind, quality, 0});
    }

    const ReadSet& set_;
    const ReferenceSlice& slice_;
    const Evidence& evidence_;
    std::span<const Candidate> candidates_;
    int32_t minimum_base_quality_;
    std::vector<data::Base>& arena_;
    std::vector<ml::ReadEvent>& events_;
};

}  // namespace

int32_t find_candidate(std::span<const Candidate> candidates, const std::vector<data::Base>& candidate_arena,
                       const Allele& allele, const std::vector<data::Base>& arena) {
    const int64_t begin = allele.record_position();
    const auto first = std::partition_point(candidates.begin(), candidates.end(),
                                            [&](const Candidate& c) { return c.begin < begin; });
    for (auto c = first; c != candidates.end() && c->begin == begin; ++c) {
        if (c->kind == CandidateKind::clip || c->allele.position != allele.position ||
            c->allele.reference_length != allele.reference_length ||
            c->allele.alternate_length != allele.alternate_length)
            continue;
        if (std::ranges::equal(bases_of(c->allele, candidate_arena), bases_of(allele, arena)))
            return static_cast<int32_t>(c - candidates.begin());
    }
    return -1;
}

void ReadProfiles::clear(size_t reads) {
    entries_.assign(reads, {});
    events_.clear();
}

void ReadProfiles::prepare(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                           std::span<const Candidate> candidates, int32_t minimum_base_quality,
                           uint32_t read) {
    Entry& entry = entries_[read];
    if (entry.known) return;
    entry.known = true;
    entry.first = static_cast<uint32_t>(events_.size());
    ProfileMaker(set, slice, evidence, candidates, minimum_base_quality, arena_, events_)
        .take(set.reads[read]);
    entry.count = static_cast<uint32_t>(events_.size()) - entry.first;
    // An indel that was shifted left may stand before a mismatch that was found first.
    std::stable_sort(events_.begin() + entry.first, events_.end(),
                     [](const ml::ReadEvent& a, const ml::ReadEvent& b) { return a.position < b.position; });
}

}  // namespace gannet::variants
