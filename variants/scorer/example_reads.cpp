// SPDX-License-Identifier: MIT
// Provides the choice and the description of an example's reads.
#include "variants/scorer/example_reads.hpp"

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

/// Sets the place of the allele, but for the candidates around it.
void locate(ExampleView& example) {
    const WindowAlleles& window = example.window;
    const ExampleRequest& request = example.request;
    const Allele& allele = request.allele;
    example.place.is_indel = allele.is_indel();
    example.place.shift_bp =
        example.place.is_indel ? rightward_shift_bp(window.slice, allele, request.arena) : 0;
    example.place.allele.position = allele.record_position();
    example.place.allele.begin = allele.record_position();
    example.place.allele.end = allele.end() + example.place.shift_bp + (example.place.is_indel ? 1 : 0);
    example.place.allele.candidate =
        find_candidate(window.candidates, window.evidence.arena, allele, request.arena);
}

/// The nearest candidates on either side, by distance.
void find_neighbours(ExampleView& example) {
    const auto& all = example.window.candidates;
    const auto is_other = [&](const Candidate& c) {
        return c.kind != CandidateKind::clip && c.begin != example.place.allele.position &&
               std::abs(c.begin - example.place.allele.position) <= k_neighbour_bp;
    };
    auto right = std::partition_point(
        all.begin(), all.end(), [&](const Candidate& c) { return c.begin < example.place.allele.position; });
    auto left = right;
    while (example.place.neighbour_count < example.place.neighbours.size()) {
        while (left != all.begin() &&
               example.place.allele.position - std::prev(left)->begin <= k_neighbour_bp &&
               !is_other(*std::prev(left)))
            --left;
        while (right != all.end() && right->begin - example.place.allele.position <= k_neighbour_bp &&
               !is_other(*right))
            ++right;
        const bool has_left = left != all.begin() && is_other(*std::prev(left));
        const bool has_right = right != all.end() && is_other(*right);
        if (!has_left && !has_right) break;
        const bool take_left =
            has_left && (!has_right || example.place.allele.position - std::prev(left)->begin <=
                                           right->begin - example.place.allele.position);
        const auto chosen = take_left ? --left : right++;
        const auto index = static_cast<int32_t>(chosen - all.begin());
        if (take_left && example.place.left < 0) example.place.left = index;
        if (!take_left && example.place.right < 0) example.place.right = index;
        example.place.neighbours[example.place.neighbour_count++] = index;
    }
}

void choose_reads(ExampleView& example) {
    const WindowAlleles& window = example.window;
    const int64_t reach = example.place.is_indel ? k_indel_reach_bp : 0;
    const int64_t begin = example.place.allele.begin - reach;
    const int64_t end =
        (example.place.is_indel ? example.place.allele.end : example.place.allele.position + 1) + reach;
    for (size_t i = window.reads.first_over(begin);
         i < window.reads.reads.size() && window.reads.reads[i].begin < end; ++i) {
        if (window.reads.reads[i].end <= begin) continue;
        example.reads.emplace_back();
        example.reads.back().read = static_cast<uint32_t>(i);
    }
}

void set_support_by_likelihood(const SiteLikelihoods& region, ExampleView& example, ExampleRead& row) {
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
        ++example.misfits;
        return;
    }
    in.support = support_of(with - std::max(plain, rival));
    if (in.support > ml::k_undecided)
        in.pool = ml::k_pool_allele;
    else if (in.support < ml::k_undecided && support_of(plain - rival) > ml::k_undecided)
        in.pool = ml::k_pool_reference;
}

void set_support_by_base(const CallerParameters& parameters, const ExampleView& example, ExampleRead& row) {
    const WindowAlleles& window = example.window;
    const ExampleRequest& request = example.request;
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
    else if (in.bases[at] == window.slice.at(example.place.allele.position))
        row.input.pool = ml::k_pool_reference;
}

/// Differences other than the allele.
void describe_events(const ExampleView& example, ExampleRead& row) {
    const WindowAlleles& window = example.window;
    ml::RowInput& in = row.input;
    for (const ml::ReadEvent& event : in.events) {
        const bool inside = event.position + event.length >= example.place.allele.begin &&
                            event.position <= example.place.allele.end;
        if (example.place.allele.candidate >= 0 ? event.candidate == example.place.allele.candidate : inside)
            continue;
        const bool known = event.candidate >= 0;
        if (event.kind == ml::ReadEvent::mismatch)
            ++in.mismatches;
        else
            ++in.indels;
        if (known)
            ++in.candidates;
        else if (event.kind == ml::ReadEvent::mismatch)
            in.error_quality += event.quality;
        if (event.position + event.length >= example.place.allele.position - k_near_differences_bp &&
            event.position <= example.place.allele.position + k_near_differences_bp)
            ++in.near;
    }
    const CallRead& read = window.reads.reads[row.read];
    const auto first = std::partition_point(window.candidates.begin(), window.candidates.end(),
                                            [&](const Candidate& c) { return c.begin < read.begin; });
    for (auto c = first; c != window.candidates.end() && c->begin < read.end; ++c) {
        if (c->kind == CandidateKind::clip || c->begin == example.place.allele.position || c->end > read.end)
            continue;
        ++in.not_carried;
    }
    in.not_carried = std::max(0, in.not_carried - in.candidates);
    const auto state = [&](int32_t candidate) -> uint8_t {
        const int carried = candidate < 0 ? -1 : example.carries(row, candidate);
        return carried < 0 ? uint8_t{0} : carried > 0 ? ml::k_candidate_present : ml::k_candidate_absent;
    };
    in.left = state(example.place.left);
    in.right = state(example.place.right);
}

void describe_length(const ExampleView& example, ExampleRead& row) {
    ml::RowInput& in = row.input;
    in.reaches_over = in.begin <= example.place.allele.begin && in.end > example.place.allele.end;
    for (const ml::ReadEvent& event : in.events) {
        if (event.position < example.place.allele.begin || event.position > example.place.allele.end)
            continue;
        if (event.kind == ml::ReadEvent::insertion) in.length_change += event.length;
        if (event.kind == ml::ReadEvent::deletion) in.length_change -= event.length;
    }
}

void describe(const ExampleView& example, ExampleRead& row) {
    const WindowAlleles& window = example.window;
    const ExampleRequest& request = example.request;
    const CallRead& read = window.reads.reads[row.read];
    ml::RowInput& in = row.input;
    in.begin = read.begin;
    in.end = read.end;
    in.bases = {window.reads.bases.data() + read.bases, read.length};
    in.qualities = {window.reads.qualities.data() + read.bases, read.length};
    in.cigar = window.reads.cigar(read);
    in.events = example.profiles.events(row.read);
    in.mapping_quality = read.mapping_quality;
    in.flags = read.flags;
    in.template_length = read.template_length;
    // The scorer has learned from pairs, where a read outside of a proper one is a bad sign. A read without a
    // mate is none.
    if ((read.flags & data::k_flag_paired) == 0)
        in.flags |= data::k_flag_paired | data::k_flag_proper_pair | data::k_flag_read1;
    const int64_t exact = read_offset_at(window.reads, read, example.place.allele.position);
    const int64_t last = int64_t{read.length} - 1;
    in.offset = exact >= 0 ? exact : example.place.allele.position < read.begin ? 0 : last;
    if (exact >= 0) {
        const auto at = static_cast<size_t>(exact);
        in.base_quality = in.qualities[at];
        if (example.place.is_indel && exact < last)
            in.base_quality = std::min(in.base_quality, in.qualities[at + 1]);
    } else if (example.place.allele.position >= read.begin && example.place.allele.position < read.end) {
        // Deleted here: the position of the base before the gap.
        for (int64_t p = example.place.allele.position; p >= read.begin; --p) {
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
        const int64_t distance = std::abs((i + 1 < in.cigar.size() && i < 2 ? read.begin : read.end) -
                                          example.place.allele.position);
        in.clip_distance = in.clip_distance < 0 ? distance : std::min(in.clip_distance, distance);
    }
    const int64_t run = read.reverse
                            ? homopolymer_bp(window.slice, request.allele.end(), Direction::rightward)
                            : homopolymer_bp(window.slice, request.allele.position - 1, Direction::leftward);
    in.run = static_cast<int32_t>(std::min(run, k_longest_run));
    const int64_t shown = example.place.is_indel ? in.offset + 1 : in.offset;
    if ((exact >= 0 || example.place.is_indel) && shown <= last)
        in.base = in.bases[static_cast<size_t>(shown)];
    describe_events(example, row);
    describe_length(example, row);
}

void link_mates(ExampleView& example) {
    const WindowAlleles& window = example.window;
    for (ExampleRead& row : example.reads) {
        const int32_t mate = window.reads.reads[row.read].mate;
        if (mate < 0) continue;
        const auto other =
            std::lower_bound(example.reads.begin(), example.reads.end(), static_cast<uint32_t>(mate),
                             [](const ExampleRead& r, uint32_t read) { return r.read < read; });
        if (other == example.reads.end() || other->read != static_cast<uint32_t>(mate)) continue;
        const uint8_t a = row.input.support;
        const uint8_t b = other->input.support;
        const bool undecided = a == ml::k_undecided || b == ml::k_undecided;
        const bool agree = (a > ml::k_undecided) == (b > ml::k_undecided);
        row.input.mate_support = undecided ? ml::k_mate_undecided
                                 : agree   ? ml::k_mate_agrees
                                           : ml::k_mate_differs;
    }
}

}  // namespace

int ExampleView::carries(const ExampleRead& row, int32_t candidate) const {
    int carried = -1;
    for (const int64_t read : {int64_t{row.read}, int64_t{row.mate}}) {
        if (read < 0 || !is_covered(window.reads.reads[static_cast<size_t>(read)],
                                    window.candidates[static_cast<size_t>(candidate)]))
            continue;
        const auto events = profiles.events(static_cast<uint32_t>(read));
        const bool has = std::any_of(events.begin(), events.end(),
                                     [&](const ml::ReadEvent& e) { return e.candidate == candidate; });
        carried = std::max(carried, has ? 1 : 0);
    }
    return carried;
}

ExampleView view_example(const CallerParameters& parameters, const WindowAlleles& window,
                         ReadProfiles& profiles, const ExampleRequest& request) {
    ExampleView example{window, request, profiles, {}, {}, 0};
    locate(example);
    find_neighbours(example);
    choose_reads(example);
    const auto prepare = [&](uint32_t read) {
        profiles.prepare(window.reads, window.slice, window.evidence, window.candidates,
                         parameters.minimum_base_quality, read);
    };
    for (ExampleRead& row : example.reads) {
        row.mate = profiles.mate_of(window.reads, row.read);
        prepare(row.read);
        if (row.mate >= 0) prepare(static_cast<uint32_t>(row.mate));
    }
    for (ExampleRead& row : example.reads) {
        describe(example, row);
        if (request.region != nullptr)
            set_support_by_likelihood(*request.region, example, row);
        else
            set_support_by_base(parameters, example, row);
    }
    link_mates(example);
    return example;
}

}  // namespace gannet::variants
