// SPDX-License-Identifier: MIT
// Provides the rows of examples: which reads, whether each supports the allele, and its other differences.
#include "variants/scorer/example_builder.hpp"

#include "variants/model/scorer.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace gannet::variants {

namespace {

// Reads that end this near to an indel may still show it.
constexpr int64_t k_indel_reach_bp = scorer_number("feature_indel_reach_bp");
constexpr int64_t k_neighbour_bp = scorer_number("feature_neighbour_bp");
constexpr int64_t k_near_differences_bp = scorer_number("feature_near_differences_bp");
constexpr int64_t k_longest_run = scorer_number("feature_longest_run_bp");

uint8_t support_of(int64_t difference) {
    constexpr int64_t k_step = k_log_scale / ml::k_support_scale;
    const int64_t steps = (difference + (difference < 0 ? -k_step / 2 : k_step / 2)) / k_step;
    return ml::byte_of(ml::k_undecided + steps);
}

bool is_covered(const CallRead& read, const Candidate& candidate) {
    return read.begin <= candidate.begin && candidate.end <= read.end;
}

}  // namespace

void ExampleBuilder::locate(const WindowAlleles& window, const ExampleRequest& request) {
    const Allele& allele = request.allele;
    is_indel_ = allele.is_indel();
    shift_bp_ = is_indel_ ? rightward_shift_bp(window.slice, allele, request.arena) : 0;
    allele_.position = allele.record_position();
    allele_.begin = allele.record_position();
    allele_.end = allele.end() + shift_bp_ + (is_indel_ ? 1 : 0);
    allele_.candidate = find_candidate(window.candidates, window.evidence.arena, allele, request.arena);
    find_neighbours(window);
}

/// The nearest candidates on either side, by distance.
void ExampleBuilder::find_neighbours(const WindowAlleles& window) {
    const auto& all = window.candidates;
    const auto is_other = [&](const Candidate& c) {
        return c.kind != CandidateKind::clip && c.begin != allele_.position &&
               std::abs(c.begin - allele_.position) <= k_neighbour_bp;
    };
    auto right = std::partition_point(all.begin(), all.end(),
                                      [&](const Candidate& c) { return c.begin < allele_.position; });
    auto left = right;
    left_ = right_ = -1;
    neighbour_count_ = 0;
    while (neighbour_count_ < neighbours_.size()) {
        while (left != all.begin() && allele_.position - std::prev(left)->begin <= k_neighbour_bp &&
               !is_other(*std::prev(left)))
            --left;
        while (right != all.end() && right->begin - allele_.position <= k_neighbour_bp && !is_other(*right))
            ++right;
        const bool has_left = left != all.begin() && is_other(*std::prev(left));
        const bool has_right = right != all.end() && is_other(*right);
        if (!has_left && !has_right) break;
        const bool take_left = has_left && (!has_right || allele_.position - std::prev(left)->begin <=
                                                              right->begin - allele_.position);
        const auto chosen = take_left ? --left : right++;
        const auto index = static_cast<int32_t>(chosen - all.begin());
        if (take_left && left_ < 0) left_ = index;
        if (!take_left && right_ < 0) right_ = index;
        neighbours_[neighbour_count_++] = index;
    }
}

void ExampleBuilder::choose_reads(const WindowAlleles& window) {
    rows_.clear();
    const int64_t reach = is_indel_ ? k_indel_reach_bp : 0;
    const int64_t begin = allele_.begin - reach;
    const int64_t end = (is_indel_ ? allele_.end : allele_.position + 1) + reach;
    for (size_t i = window.reads.first_over(begin);
         i < window.reads.reads.size() && window.reads.reads[i].begin < end; ++i) {
        if (window.reads.reads[i].end <= begin) continue;
        rows_.emplace_back();
        rows_.back().read = static_cast<uint32_t>(i);
    }
}

void ExampleBuilder::set_support_by_likelihood(const SiteLikelihoods& region, Row& row) {
    const auto found = std::lower_bound(region.rows.begin(), region.rows.end(), row.read,
                                        [](const LikelihoodRow& r, uint32_t read) { return r.read < read; });
    if (found == region.rows.end() || found->read != row.read) return;
    const size_t count = region.haplotypes.size();
    const int32_t* const values =
        region.likelihoods.data() + static_cast<size_t>(found - region.rows.begin()) * count;
    // Of haplotypes with the allele, with no allele of the site, and with another one; and the two best.
    constexpr int64_t k_none = std::numeric_limits<int32_t>::min();
    int64_t with = k_none, plain = k_none, rival = k_none, best = k_none, second = k_none;
    for (size_t h = 0; h < count; ++h) {
        const AlleleSet alleles = region.haplotypes[h];
        int64_t& side = (alleles >> region.allele & 1) != 0    ? with
                        : (alleles & region.site_alleles) != 0 ? rival
                                                               : plain;
        side = std::max<int64_t>(side, values[h]);
        second = std::max(second, std::min<int64_t>(best, values[h]));
        best = std::max<int64_t>(best, values[h]);
    }
    ml::RowInput& in = row.input;
    in.has_likelihood = true;
    in.best_fit = static_cast<int32_t>(best);
    in.fits = {best - with, best - plain, best - rival, best - second};
    if (in.best_fit < k_min_fit) {
        ++misfits_;
        return;
    }
    in.support = support_of(with - std::max(plain, rival));
    if (in.support > ml::k_undecided)
        in.pool = ml::k_pool_allele;
    else if (in.support < ml::k_undecided && support_of(plain - rival) > ml::k_undecided)
        in.pool = ml::k_pool_reference;
}

void ExampleBuilder::set_support_by_base(const CallerParameters& parameters, const WindowAlleles& window,
                                         const ExampleRequest& request, Row& row) const {
    const ml::RowInput& in = row.input;
    const auto at = static_cast<size_t>(in.offset);
    if (in.base_quality == 0 || in.qualities[at] < parameters.minimum_base_quality || in.bases[at] > 3)
        return;
    const uint32_t quality = std::min(in.qualities[at], in.mapping_quality);
    const int64_t difference = int64_t{k_log_correct[quality]} - log_wrong(quality);
    const bool is_allele = in.bases[at] == request.arena[request.allele.alternate];
    row.input.support = support_of(is_allele ? difference : -difference);
    if (row.input.support == ml::k_undecided) return;
    if (is_allele)
        row.input.pool = ml::k_pool_allele;
    else if (in.bases[at] == window.slice.at(allele_.position))
        row.input.pool = ml::k_pool_reference;
}

/// Differences other than the allele.
void ExampleBuilder::describe_events(const WindowAlleles& window, Row& row) const {
    ml::RowInput& in = row.input;
    for (const ml::ReadEvent& event : in.events) {
        const bool inside = event.position + event.length >= allele_.begin && event.position <= allele_.end;
        if (allele_.candidate >= 0 ? event.candidate == allele_.candidate : inside) continue;
        const bool known = event.candidate >= 0;
        if (event.kind == ml::ReadEvent::mismatch)
            ++in.mismatches;
        else
            ++in.indels;
        if (known)
            ++in.candidates;
        else if (event.kind == ml::ReadEvent::mismatch)
            in.error_quality += event.quality;
        if (event.position + event.length >= allele_.position - k_near_differences_bp &&
            event.position <= allele_.position + k_near_differences_bp)
            ++in.near;
    }
    const CallRead& read = window.reads.reads[row.read];
    const auto first = std::partition_point(window.candidates.begin(), window.candidates.end(),
                                            [&](const Candidate& c) { return c.begin < read.begin; });
    for (auto c = first; c != window.candidates.end() && c->begin < read.end; ++c) {
        if (c->kind == CandidateKind::clip || c->begin == allele_.position || c->end > read.end) continue;
        ++in.not_carried;
    }
    in.not_carried = std::max(0, in.not_carried - in.candidates);
    const auto state = [&](int32_t candidate) -> uint8_t {
        const int carried = candidate < 0 ? -1 : carries(window, row, candidate);
        return carried < 0 ? uint8_t{0} : carried > 0 ? ml::k_candidate_present : ml::k_candidate_absent;
    };
    in.left = state(left_);
    in.right = state(right_);
}

/// Of a candidate: 1 the read or its mate has it, 0 neither, -1 neither covers it.
int ExampleBuilder::carries(const WindowAlleles& window, const Row& row, int32_t candidate) const {
    int carried = -1;
    for (const int64_t read : {int64_t{row.read}, int64_t{row.mate}}) {
        if (read < 0 || !is_covered(window.reads.reads[static_cast<size_t>(read)],
                                    window.candidates[static_cast<size_t>(candidate)]))
            continue;
        const auto events = profiles_->events(static_cast<uint32_t>(read));
        const bool has = std::any_of(events.begin(), events.end(),
                                     [&](const ml::ReadEvent& e) { return e.candidate == candidate; });
        carried = std::max(carried, has ? 1 : 0);
    }
    return carried;
}

void ExampleBuilder::describe_length(Row& row) const {
    ml::RowInput& in = row.input;
    in.reaches_over = in.begin <= allele_.begin && in.end > allele_.end;
    for (const ml::ReadEvent& event : in.events) {
        if (event.position < allele_.begin || event.position > allele_.end) continue;
        if (event.kind == ml::ReadEvent::insertion) in.length_change += event.length;
        if (event.kind == ml::ReadEvent::deletion) in.length_change -= event.length;
    }
}

void ExampleBuilder::describe(const WindowAlleles& window, const ExampleRequest& request, Row& row) const {
    const CallRead& read = window.reads.reads[row.read];
    ml::RowInput& in = row.input;
    in.begin = read.begin;
    in.end = read.end;
    in.bases = {window.reads.bases.data() + read.bases, read.length};
    in.qualities = {window.reads.qualities.data() + read.bases, read.length};
    in.cigar = window.reads.cigar(read);
    in.events = profiles_->events(row.read);
    in.mapping_quality = read.mapping_quality;
    in.flags = read.flags;
    in.template_length = read.template_length;
    in.mate_elsewhere = read.mate_elsewhere;
    const int64_t exact = read_offset_at(window.reads, read, allele_.position);
    const int64_t last = int64_t{read.length} - 1;
    in.offset = exact >= 0 ? exact : allele_.position < read.begin ? 0 : last;
    if (exact >= 0) {
        const auto at = static_cast<size_t>(exact);
        in.base_quality = in.qualities[at];
        if (is_indel_ && exact < last) in.base_quality = std::min(in.base_quality, in.qualities[at + 1]);
    } else if (allele_.position >= read.begin && allele_.position < read.end) {
        // Deleted here: the position of the base before the gap.
        for (int64_t p = allele_.position; p >= read.begin; --p) {
            const int64_t offset = read_offset_at(window.reads, read, p);
            if (offset >= 0) {
                in.offset = offset;
                break;
            }
        }
    }
    for (size_t i = 0; i < in.cigar.size(); ++i) {
        if (data::cigar_op(in.cigar[i]) != data::k_cigar_soft_clip) continue;
        in.clipped += static_cast<int32_t>(data::cigar_length(in.cigar[i]));
        const int64_t distance =
            std::abs((i + 1 < in.cigar.size() && i < 2 ? read.begin : read.end) - allele_.position);
        in.clip_distance = in.clip_distance < 0 ? distance : std::min(in.clip_distance, distance);
    }
    const int64_t run = read.reverse
                            ? homopolymer_bp(window.slice, request.allele.end(), Direction::rightward)
                            : homopolymer_bp(window.slice, request.allele.position - 1, Direction::leftward);
    in.run = static_cast<int32_t>(std::min(run, k_longest_run));
    const int64_t shown = is_indel_ ? in.offset + 1 : in.offset;
    if ((exact >= 0 || is_indel_) && shown <= last) in.base = in.bases[static_cast<size_t>(shown)];
    describe_events(window, row);
    describe_length(row);
}

void ExampleBuilder::link_mates(const WindowAlleles& window) {
    for (Row& row : rows_) {
        const int32_t mate = window.reads.reads[row.read].mate;
        if (mate < 0) continue;
        const auto other = std::lower_bound(rows_.begin(), rows_.end(), static_cast<uint32_t>(mate),
                                            [](const Row& r, uint32_t read) { return r.read < read; });
        if (other == rows_.end() || other->read != static_cast<uint32_t>(mate)) continue;
        const uint8_t a = row.input.support;
        const uint8_t b = other->input.support;
        const bool undecided = a == ml::k_undecided || b == ml::k_undecided;
        const bool agree = (a > ml::k_undecided) == (b > ml::k_undecided);
        row.input.mate_support = undecided ? ml::k_mate_undecided
                                 : agree   ? ml::k_mate_agrees
                                           : ml::k_mate_differs;
    }
}

void ExampleBuilder::describe_reads(const CallerParameters& parameters, const WindowAlleles& window,
                                    ReadProfiles& profiles, const ExampleRequest& request) {
    misfits_ = 0;
    profiles_ = &profiles;
    const auto prepare = [&](uint32_t read) {
        profiles.prepare(window.reads, window.slice, window.evidence, window.candidates,
                         parameters.minimum_base_quality, read);
    };
    for (Row& row : rows_) {
        row.mate = profiles.mate_of(window.reads, row.read);
        prepare(row.read);
        if (row.mate >= 0) prepare(static_cast<uint32_t>(row.mate));
    }
    for (Row& row : rows_) {
        describe(window, request, row);
        if (request.region != nullptr)
            set_support_by_likelihood(*request.region, row);
        else
            set_support_by_base(parameters, window, request, row);
    }
    link_mates(window);
}

/// Of more reads than an example holds, those with the smallest hash of their names are shown, mates
/// together.
void ExampleBuilder::write_rows(const WindowAlleles& window, kernels::PileupNetworkBatch& batch) {
    order_.resize(rows_.size());
    for (uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
    if (order_.size() > ml::pileup::k_max_rows) {
        std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
            const uint64_t left = window.reads.reads[rows_[a].read].name_hash;
            const uint64_t right = window.reads.reads[rows_[b].read].name_hash;
            return left != right ? left < right : a < b;
        });
        order_.resize(ml::pileup::k_max_rows);
        std::sort(order_.begin(), order_.end());
    }
    reference_.resize(ml::pileup::k_columns);
    const int64_t first = allele_.position - ml::k_event_column;
    for (size_t i = 0; i < reference_.size(); ++i)
        reference_[i] = window.slice.at(first + static_cast<int64_t>(i));
    if (batch.row_offset.empty()) batch.row_offset.push_back(0);
    const size_t begin = batch.rows.size();
    batch.rows.resize(begin + order_.size() * ml::pileup::k_row_bytes);
    uint8_t* out = batch.rows.data() + begin;
    for (const uint32_t index : order_) {
        ml::encode_row(allele_, reference_, rows_[index].input, {out, ml::pileup::k_row_bytes});
        out += ml::pileup::k_row_bytes;
    }
    batch.row_offset.push_back(batch.row_offset.back() + static_cast<uint32_t>(order_.size()));
}

namespace {

uint32_t hash_of(const Allele& allele, const std::vector<data::Base>& arena) {
    uint32_t hash = 0x811c9dc5u;
    const auto fold = [&](uint64_t value) {
        for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> (8 * i) & 255)) * 0x01000193u;
    };
    fold(static_cast<uint64_t>(allele.position));
    fold(static_cast<uint64_t>(allele.reference_length));
    for (const data::Base base : bases_of(allele, arena)) fold(base);
    return hash;
}

}  // namespace

uint8_t kind_of(const Allele& allele) {
    if (!allele.is_indel()) return allele.reference_length == 1 ? 0 : 3;
    return allele.reference_length == 0 ? 1 : allele.alternate_length == 0 ? 2 : 3;
}

void ExampleBuilder::add(const CallerParameters& parameters, const WindowAlleles& window,
                         ReadProfiles& profiles, const ExampleRequest& request, ExampleBatch& out) {
    locate(window, request);
    choose_reads(window);
    describe_reads(parameters, window, profiles, request);
    const size_t at = out.network.sites.size();
    out.network.sites.resize(at + ml::pileup::k_site_bytes);
    write_site(window, request, {out.network.sites.data() + at, ml::pileup::k_site_bytes});
    write_rows(window, out.network);
    const Allele& allele = request.allele;
    const auto first_base = static_cast<uint32_t>(out.fact_bases.size());
    const auto bases = bases_of(allele, request.arena);
    out.fact_bases.insert(out.fact_bases.end(), bases.begin(), bases.end());
    ml::ExampleFacts facts = request.facts;
    facts.contig = request.contig;
    facts.position = static_cast<uint32_t>(allele.record_position());
    facts.allele = hash_of(allele, request.arena);
    facts.change_begin = allele.position;
    facts.reference_length = allele.reference_length;
    facts.first_base = first_base;
    facts.alternate_length = allele.alternate_length;
    out.facts.push_back(facts);
}

}  // namespace gannet::variants
