// SPDX-License-Identifier: MIT
// Provides the site's part of examples: reference, the caller's own view, depth, neighbours, groups of reads.
#include "variants/example_builder.hpp"
#include "variants/filters.hpp"
#include "variants/integer_root.hpp"
#include "variants/log_math.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace gannet::variants {

using ml::byte_of;
using enum ml::SiteByte;

namespace {

constexpr size_t k_repeat_margin = 24;  // bases beyond the columns in which repeats are looked for
constexpr uint8_t k_low_mapping_quality = 50;
constexpr int64_t k_near_end_bp = 10;

size_t copies_of(size_t allele, size_t a, size_t b) {
    return (a == allele ? 1u : 0u) + (b == allele ? 1u : 0u);
}

int64_t phred(int64_t log_probability) { return (phred_centi(log_probability) + 50) / 100; }

uint8_t share(int64_t part, int64_t whole) { return whole <= 0 ? uint8_t{0} : byte_of(part * 255 / whole); }

}  // namespace

std::array<int32_t, 3> copies_posterior(const SiteEvidence& evidence, size_t index) {
    std::array<int64_t, 3> sums;
    sums.fill(std::numeric_limits<int64_t>::min() / 4);
    int64_t total = sums[0];
    for (size_t b = 0; b < evidence.alleles; ++b) {
        for (size_t a = 0; a <= b; ++a) {
            const int64_t value =
                evidence.genotypes[genotype_index(a, b)] + genotype_prior(evidence.priors, a, b);
            int64_t& sum = sums[copies_of(index, a, b)];
            sum = log_add(sum, value);
            total = log_add(total, value);
        }
    }
    std::array<int32_t, 3> out{};
    for (size_t c = 0; c < 3; ++c)
        out[c] = static_cast<int32_t>(std::clamp<int64_t>(sums[c] - total, ml::k_least_base, 0));
    return out;
}

bool is_plain(const WindowState& window, const SiteEvidence& evidence, const Allele& allele, uint32_t filters,
              int32_t settle_phred) {
    constexpr int32_t k_least_fragments = 10;
    constexpr int32_t k_usual_centi = 1300;  // of strand and share: what one site of twenty shows
    constexpr int64_t k_well_placed = 58;
    constexpr int64_t k_crowd = 14;
    if (filters != 0 || evidence.fragments < k_least_fragments || evidence.alleles != 2) return false;
    auto base = copies_posterior(evidence, 1);
    const auto best = static_cast<size_t>(std::max_element(base.begin(), base.end()) - base.begin());
    std::sort(base.begin(), base.end());
    if (best == 0 || phred_centi(int64_t{base[1]} - base[2]) < int64_t{settle_phred} * 100) return false;
    if (evidence.squared_mapping_quality < k_well_placed * k_well_placed * evidence.fragments) return false;
    const int64_t position = allele.record_position();
    const int64_t usual = window.extra_copy.usual_depth();
    const auto [sum, bases] = window.extra_copy.depth_within(position, 250);
    if (sum * 4 > usual * bases * 5) return false;
    if (window.extra_copy.partial_alleles_within(position, 500) > k_crowd) return false;
    const int64_t here = window.evidence.depth_at(position);
    const int64_t unused = window.unused_depth[static_cast<size_t>(position - window.evidence.begin)];
    if (here * 3 > usual * 4 || here * 3 < usual * 2 || unused * 10 > here) return false;
    const auto& other = evidence.strands[0];
    const auto& own = evidence.strands[1];
    if (best == 2) return other[0] + other[1] == 0;
    const int32_t strands[4] = {other[0], other[1], own[0], own[1]};
    return strand_bias_centi(strands) < k_usual_centi &&
           allele_bias_centi(other[0] + other[1], own[0] + own[1]) < k_usual_centi &&
           allele_bias_centi(own[0] + own[1], other[0] + other[1]) < k_usual_centi;
}

/// The caller's own numbers, and the filters that it would set for the allele alone.
void ExampleBuilder::write_genotypes(const CallerParameters& parameters, const ExampleRequest& request,
                                     std::span<uint8_t> out) {
    const SiteEvidence& evidence = request.evidence;
    std::array<int64_t, 3> likelihood;
    likelihood.fill(std::numeric_limits<int64_t>::min() / 4);
    int64_t none = likelihood[0], total = none;
    for (size_t b = 0; b < evidence.alleles; ++b) {
        for (size_t a = 0; a <= b; ++a) {
            const int64_t value = evidence.genotypes[genotype_index(a, b)];
            const size_t copies = copies_of(request.index, a, b);
            likelihood[copies] = std::max(likelihood[copies], value);
            const int64_t posterior = value + genotype_prior(evidence.priors, a, b);
            total = log_add(total, posterior);
            if (copies == 0) none = log_add(none, posterior);
        }
    }
    const int64_t best_likelihood = *std::max_element(likelihood.begin(), likelihood.end());
    std::array<int32_t, 3> sorted = base_;
    std::sort(sorted.begin(), sorted.end());
    const auto best = static_cast<size_t>(std::max_element(base_.begin(), base_.end()) - base_.begin());
    for (size_t c = 0; c < 3; ++c) {
        out[k_site_base + c] = byte_of(-int64_t{base_[c]} * 40 / k_log_scale);
        out[k_site_likelihood + c] = byte_of(phred(likelihood[c] - best_likelihood) / 2);
        out[k_site_best_copies + c] = c == best ? 255 : 0;
    }
    out[k_site_quality] = byte_of(phred(none - total));
    out[k_site_gq] = byte_of(phred(int64_t{sorted[1]} - sorted[2]) * 2);

    std::array<int32_t, 2> others{}, own = evidence.strands[request.index];
    int32_t rival = 0;
    for (size_t i = 0; i < evidence.alleles; ++i) {
        if (i == request.index) continue;
        others[0] += evidence.strands[i][0];
        others[1] += evidence.strands[i][1];
        if (i > 0) rival = std::max(rival, evidence.strands[i][0] + evidence.strands[i][1]);
    }
    data::Variant& v = variant_;
    v.alleles.assign(2, "N");
    if (request.allele.is_indel()) v.alleles[1] = "NN";
    v.genotype = best == 2 ? std::array<int8_t, 2>{1, 1} : std::array<int8_t, 2>{0, 1};
    v.allele_depth.assign({others[0] + others[1], own[0] + own[1]});
    v.depth = v.allele_depth[0] + v.allele_depth[1];
    v.strand_counts[0] = others[0], v.strand_counts[1] = others[1];
    v.strand_counts[2] = own[0], v.strand_counts[3] = own[1];
    v.quality_centi = static_cast<int32_t>(std::min<int64_t>(phred_centi(none - total), 1 << 30));
    v.filters = request.filters;
    v.mapping_quality = 0;
    if (evidence.fragments > 0)
        v.mapping_quality =
            static_cast<int32_t>(integer_root(evidence.squared_mapping_quality / evidence.fragments));
    apply_filters(parameters, v);
    constexpr std::array<uint32_t, 5> k_filters = {data::k_filter_low_quality, data::k_filter_low_depth,
                                                   data::k_filter_strand_bias, data::k_filter_high_depth,
                                                   data::k_filter_allele_bias};
    for (size_t i = 0; i < k_filters.size(); ++i)
        out[k_site_filters + i] = (v.filters & k_filters[i]) != 0 ? 255 : 0;
    out[k_site_depth] = byte_of(v.depth);
    out[k_site_other_depth] = byte_of(v.allele_depth[0]);
    out[k_site_allele_depth] = byte_of(v.allele_depth[1]);
    out[k_site_share] = share(v.allele_depth[1], v.depth);
    for (size_t i = 0; i < 4; ++i) out[k_site_strands + i] = byte_of(v.strand_counts[i] * 4);
    out[k_site_strand_bias] = byte_of(int64_t{strand_bias_centi(v.strand_counts)} / 50);
    out[k_site_few] = byte_of(int64_t{allele_bias_centi(v.allele_depth[0], v.allele_depth[1])} / 50);
    out[k_site_many] = byte_of(int64_t{allele_bias_centi(v.allele_depth[1], v.allele_depth[0])} / 50);
    out[k_site_mapping_quality] = byte_of(v.mapping_quality * 4);
    out[k_site_rival] = byte_of(rival * 4);
    out[k_site_alternates] = byte_of(static_cast<int64_t>(evidence.alleles - 1) * 64);
    out[k_site_index] = byte_of(static_cast<int64_t>(request.index - 1) * 64);
}

void ExampleBuilder::write_depths(const WindowState& window, std::span<uint8_t> out) const {
    const Evidence& evidence = window.evidence;
    const int64_t position = allele_.position;
    const int64_t usual = std::max<int64_t>(1, window.extra_copy.usual_depth());
    const int64_t here = evidence.depth_at(position);
    const int64_t at = position - evidence.begin;
    const int64_t unused = at >= 0 && at < static_cast<int64_t>(window.unused_depth.size())
                               ? window.unused_depth[static_cast<size_t>(at)]
                               : 0;
    const auto [sum, bases] = window.extra_copy.depth_within(position, 250);
    out[k_site_low_share] = share(unused, unused + here);
    out[k_site_low_count] = byte_of(unused * 4);
    out[k_site_depth_here] = byte_of(here * 64 / usual);
    out[k_site_depth_near] = bases == 0 ? uint8_t{0} : byte_of(sum * 64 / (usual * bases));
    out[k_site_usual_depth] = byte_of(usual * 2);
    out[k_site_partial_near] = byte_of(window.extra_copy.partial_alleles_within(position, 100) * 16);
    out[k_site_partial_far] = byte_of(window.extra_copy.partial_alleles_within(position, 500) * 8);
    const auto candidates_within = [&](int64_t reach) {
        const auto& all = window.candidates;
        const auto first = std::partition_point(
            all.begin(), all.end(), [&](const Candidate& c) { return c.begin < position - reach; });
        return std::partition_point(first, all.end(),
                                    [&](const Candidate& c) { return c.begin <= position + reach; }) -
               first;
    };
    out[k_site_candidates_near] = byte_of(candidates_within(100) * 16);
    out[k_site_candidates_far] = byte_of(candidates_within(500) * 8);
    const auto clips_within = [&](int64_t reach) {
        int64_t count = 0;
        const int64_t end = std::min(evidence.end, position + reach + 1);
        for (int64_t p = std::max(evidence.begin, position - reach); p < end; ++p)
            count += evidence.clips[static_cast<size_t>(p - evidence.begin)];
        return count;
    };
    out[k_site_clips_near] = byte_of(clips_within(10) * 8);
    out[k_site_clips_far] = byte_of(clips_within(100) * 4);
    const auto distance = [&](int32_t candidate) {
        return candidate < 0
                   ? uint8_t{255}
                   : byte_of(std::abs(window.candidates[static_cast<size_t>(candidate)].begin - position));
    };
    out[k_site_left] = distance(left_);
    out[k_site_right] = distance(right_);
}

void ExampleBuilder::write_sequence(const WindowState& window, const ExampleRequest& request,
                                    std::span<uint8_t> out) const {
    const Allele& allele = request.allele;
    const ReferenceSlice& slice = window.slice;
    const int64_t length = std::max(allele.reference_length, allele.alternate_length);
    out[k_site_is_snp] = is_indel_ ? 0 : 255;
    out[k_site_is_insertion] = allele.alternate_length > allele.reference_length ? 255 : 0;
    out[k_site_is_deletion] = allele.alternate_length < allele.reference_length ? 255 : 0;
    out[k_site_length_fine] = byte_of(length * 8);
    out[k_site_length] = byte_of(length);
    if (is_indel_) {
        const RepeatContext repeat = repeat_of(slice, allele, request.arena);
        out[k_site_repeat_period] = byte_of(repeat.period * 32);
        out[k_site_repeat_copies] = byte_of(repeat.copies * 8);
        out[k_site_room] = byte_of(room_ * 2);
    }
    int64_t longest = 0;
    for (int64_t start = allele_.position - 2; start <= allele_.position + 2; ++start) {
        const data::Base base = slice.at(start);
        if (base > 3) continue;
        int64_t begin = start, end = start + 1;
        while (start - begin < 30 && slice.at(begin - 1) == base) --begin;
        while (end - start < 30 && slice.at(end) == base) ++end;
        longest = std::max(longest, end - begin);
    }
    out[k_site_run] = byte_of(longest * 12);
    int64_t gc = 0;
    for (int64_t p = allele_.position - 50; p <= allele_.position + 50; ++p) {
        const data::Base base = slice.at(p);
        gc += base == 1 || base == 2;
    }
    out[k_site_gc] = share(gc, 101);
    const data::Base reference = slice.at(allele.position);
    if (!is_indel_ && reference < 4) {
        const data::Base alternate = request.arena[allele.alternate];
        out[k_site_is_transition] = ((reference ^ alternate) == 2) ? 255 : 0;  // A-G, C-T
        const bool before_g = reference == 1 && slice.at(allele.position + 1) == 2;
        const bool after_c = reference == 2 && slice.at(allele.position - 1) == 1;
        out[k_site_is_cpg] = before_g || after_c ? 255 : 0;
    }
    std::array<int64_t, 5> counts{};
    for (const data::Base base : bases_of(allele, request.arena)) ++counts[base];
    if (allele.alternate_length == 0) {
        for (int64_t p = allele.position; p < allele.end(); ++p) ++counts[slice.at(p)];
    }
    for (size_t base = 0; base < 4; ++base) out[k_site_insertion_bases + base] = share(counts[base], length);
}

/// Sums over the reads of one side.
struct ExampleBuilder::Group {
    int64_t reads = 0, telling = 0, quality = 0, mapping = 0, mismatches = 0, candidates = 0, clipped = 0,
            improper = 0, near_end = 0, mapped_low = 0;

    void take(const ml::RowInput& row) {
        ++reads;
        telling += std::abs(row.support - int{ml::k_undecided});
        quality += row.base_quality;
        mapping += row.mapping_quality;
        mismatches += row.mismatches;
        candidates += row.candidates;
        clipped += row.clipped > 0;
        improper += (row.flags & data::k_flag_proper_pair) == 0;
        const auto last = static_cast<int64_t>(row.bases.size()) - 1;
        near_end += row.offset < k_near_end_bp || last - row.offset < k_near_end_bp;
        mapped_low += row.mapping_quality < k_low_mapping_quality;
    }
    void write(std::span<uint8_t> out, size_t side) const {
        if (reads == 0) return;
        out[k_site_telling + side] = byte_of(telling / reads);
        out[k_site_quality_of + side] = byte_of(quality * 5 / reads);
        out[k_site_mapping_of + side] = byte_of(mapping * 4 / reads);
        out[k_site_mismatches_of + side] = byte_of(mismatches * 32 / reads);
        out[k_site_candidates_of + side] = byte_of(candidates * 32 / reads);
        out[k_site_clipped_of + side] = share(clipped, reads);
        out[k_site_improper_of + side] = share(improper, reads);
        out[k_site_near_end_of + side] = share(near_end, reads);
        out[k_site_mapped_low_of + side] = share(mapped_low, reads);
    }
};

void ExampleBuilder::write_groups(std::span<uint8_t> out) const {
    Group supporting, against;
    int64_t undecided = 0, seen = 0, middling = 0;
    for (const Row& row : rows_) {
        if (row.input.support == ml::k_undecided)
            ++undecided;
        else
            (row.input.support > ml::k_undecided ? supporting : against).take(row.input);
        middling += row.input.mapping_quality < k_low_mapping_quality;
        seen += allele_.candidate >= 0 &&
                std::any_of(row.input.events.begin(), row.input.events.end(),
                            [&](const ml::ReadEvent& e) { return e.candidate == allele_.candidate; });
    }
    supporting.write(out, 0);
    against.write(out, 1);
    out[k_site_rows] = byte_of(supporting.reads * 4);
    out[k_site_rows + 1] = byte_of(against.reads * 4);
    out[k_site_rows + 2] = byte_of(undecided * 4);
    const auto reads = static_cast<int64_t>(rows_.size());
    out[k_site_misfits] = share(misfits_, reads);
    out[k_site_middling_share] = share(middling, reads);
    out[k_site_support_seen] = byte_of(seen * 4);
}

/// Whether the nearest candidates go with the allele, or with what stands against it.
void ExampleBuilder::write_neighbours(const WindowState& window, std::span<uint8_t> out) const {
    int64_t linked = 0, unlinked = 0;
    for (size_t n = 0; n < neighbour_count_; ++n) {
        const int32_t index = neighbours_[n];
        const Candidate& candidate = window.candidates[static_cast<size_t>(index)];
        std::array<int64_t, 2> over{}, carried{};
        for (const Row& row : rows_) {
            const CallRead& read = window.reads.reads[row.read];
            if (row.input.support == ml::k_undecided || read.begin > candidate.begin ||
                read.end < candidate.end)
                continue;
            const size_t side = row.input.support > ml::k_undecided ? 0 : 1;
            ++over[side];
            carried[side] += std::any_of(row.input.events.begin(), row.input.events.end(),
                                         [&](const ml::ReadEvent& e) { return e.candidate == index; });
        }
        uint8_t* const cell = out.data() + k_site_neighbours + 3 * n;
        cell[0] = byte_of(std::max<int64_t>(1, std::abs(candidate.begin - allele_.position)));
        for (size_t side = 0; side < 2; ++side)
            cell[1 + side] = over[side] == 0 ? uint8_t{0} : byte_of(1 + carried[side] * 254 / over[side]);
        if (over[0] < 2 || over[1] < 2) continue;
        linked += carried[0] * 10 >= over[0] * 7 && carried[1] * 10 <= over[1] * 2;
        unlinked += carried[1] * 10 >= over[1] * 5 && carried[0] * 10 <= over[0] * 2;
    }
    out[k_site_linked] = byte_of(linked * 32);
    out[k_site_unlinked] = byte_of(unlinked * 32);
}

void ExampleBuilder::write_site(const CallerParameters& parameters, const WindowState& window,
                                const ExampleRequest& request, std::span<uint8_t> site) {
    std::fill(site.begin(), site.end(), uint8_t{0});
    reference_.resize(ml::pileup::k_columns + 2 * k_repeat_margin);
    const int64_t first = allele_.position - ml::k_event_column - static_cast<int64_t>(k_repeat_margin);
    for (size_t i = 0; i < reference_.size(); ++i)
        reference_[i] = window.slice.at(first + static_cast<int64_t>(i));
    constexpr size_t k_context = size_t{ml::pileup::k_columns} * ml::k_site_channels;
    ml::encode_reference(reference_, k_repeat_margin, site.first(k_context));
    const std::span<uint8_t> out = site.subspan(k_context);
    write_genotypes(parameters, request, out);
    write_depths(window, out);
    write_sequence(window, request, out);
    write_groups(out);
    write_neighbours(window, out);
    out[k_site_is_pile_up] = request.region == nullptr ? 255 : 0;
    if (request.region != nullptr) {
        out[k_site_haplotypes] = byte_of(static_cast<int64_t>(request.region->haplotypes.size()) * 16);
        out[k_site_alleles] = byte_of(int64_t{request.region->alleles} * 12);
        out[k_site_region_length] = byte_of((request.region->end - request.region->begin) / 2);
    }
}

}  // namespace gannet::variants
