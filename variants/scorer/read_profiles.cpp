// SPDX-License-Identifier: MIT
// Provides the search for the differences of a read and their candidates.
#include "variants/scorer/read_profiles.hpp"

#include "variants/reads/alignment_walk.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gannet::variants {

namespace {

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
        read_ = &read;
        walk_alignment(set_, read, *this);
    }

    // The steps of walk_alignment().
    void match(uint32_t query, uint32_t length, int64_t reference) {
        const int64_t from = std::max(reference, slice_.begin());
        const int64_t to = std::min(reference + int64_t{length}, slice_.end());
        if (from >= to) return;
        const size_t first = read_->bases + query + static_cast<size_t>(from - reference);
        for_each_mismatch(set_, first, slice_, from, to, minimum_base_quality_,
                          [&](size_t k, data::Base base, uint8_t quality) {
                              take_mismatch(from + static_cast<int64_t>(k), base, quality);
                          });
    }
    void insertion(uint32_t query, uint32_t length, int64_t reference) {
        take_indel(query, {reference, 0, 0, static_cast<int32_t>(length)});
    }
    void deletion(uint32_t query, uint32_t length, int64_t reference) {
        take_indel(query, {reference, static_cast<int32_t>(length), 0, 0});
    }
    void clip(uint32_t, uint32_t, int64_t) {}

  private:
    void take_mismatch(int64_t position, data::Base base, uint8_t quality) {
        ml::ReadEvent event{position, 1, -1, ml::ReadEvent::mismatch, quality, base};
        arena_.assign(1, base);
        event.candidate = find_candidate(candidates_, evidence_.arena, {position, 1, 0, 1}, arena_);
        events_.push_back(event);
    }

    void take_indel(uint32_t query, Allele allele) {
        if (std::max(allele.reference_length, allele.alternate_length) > k_max_indel_bp) return;
        if (allele.position <= slice_.begin() || allele.end() >= slice_.end()) return;
        const auto bases = set_.bases.begin() + static_cast<std::ptrdiff_t>(read_->bases + query);
        arena_.assign(bases, bases + allele.alternate_length);
        if (std::any_of(arena_.begin(), arena_.end(), [](data::Base b) { return b > 3; })) return;
        const uint8_t quality = set_.qualities[read_->bases + query];
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
    const CallRead* read_ = nullptr;  ///< the one being taken
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
    first_.clear();
}

int32_t ReadProfiles::mate_of(const ReadSet& set, uint32_t read) {
    if (first_.empty()) {
        first_.assign(std::bit_ceil(set.reads.size()), -1);
        next_.resize(set.reads.size());
        for (size_t i = set.reads.size(); i-- > 0;) {
            int32_t& first = first_[set.reads[i].name_hash & (first_.size() - 1)];
            next_[i] = std::exchange(first, static_cast<int32_t>(i));
        }
    }
    const uint64_t fragment = set.reads[read].name_hash;
    for (int32_t at = first_[fragment & (first_.size() - 1)]; at >= 0; at = next_[static_cast<size_t>(at)]) {
        if (at != static_cast<int32_t>(read) && set.reads[static_cast<size_t>(at)].name_hash == fragment)
            return at;
    }
    return -1;
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
