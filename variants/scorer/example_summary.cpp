// SPDX-License-Identifier: MIT
// Provides the features of a site.
#include "variants/scorer/example_summary.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/scorer.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace gannet::variants {

using ml::byte_of;
using ml::summary_feature;

namespace {

// Bases beyond the columns in which repeats are looked for.
constexpr size_t k_repeat_margin = scorer_number("feature_repeat_margin_bp");
constexpr uint8_t k_doubtful_mapping_quality = scorer_number("feature_doubtful_mapping_quality");
constexpr int64_t k_near_end_bp = scorer_number("feature_near_end_bp");
constexpr int64_t k_depth_scale = 256;  // of ExpectedDepth

// Distances of the summary's features; docs/scorer.md states them.
constexpr int64_t k_depth_reach_bp = scorer_number("feature_depth_reach_bp");
constexpr int64_t k_near_bp = scorer_number("feature_near_bp");
constexpr int64_t k_far_bp = scorer_number("feature_far_bp");
constexpr int64_t k_clips_near_bp = scorer_number("feature_clips_near_bp");
constexpr int64_t k_clips_far_bp = scorer_number("feature_clips_far_bp");
constexpr int64_t k_homopolymer_reach_bp = scorer_number("feature_homopolymer_reach_bp");

// A neighbouring candidate is linked to the reads that support the allele, or to those that oppose it, where
// that fraction of the one side has it and at most the last of the other.
constexpr int64_t k_min_linking_reads = scorer_number("feature_min_linking_reads");  // on either side
constexpr int64_t k_min_linked_percent = scorer_number("feature_min_linked_percent");
constexpr int64_t k_min_opposing_percent = scorer_number("feature_min_opposing_percent");
constexpr int64_t k_max_unlinked_percent = scorer_number("feature_max_unlinked_percent");

int64_t rounded_phred(int64_t phred_centi) { return (phred_centi + 50) / 100; }

/// The caller's numbers, and the filters that the allele would fail.
void write_statistics(const ExampleRequest& request, ml::FeatureWriter& out) {
    const AlleleStatistics& allele = request.statistics;
    const SiteStatistics& site = allele.site;
    const int64_t best_likelihood = *std::max_element(allele.likelihood.begin(), allele.likelihood.end());
    for (size_t c = 0; c < 3; ++c) {
        out.set(summary_feature("posterior")[c], -int64_t{allele.posterior[c]}, k_log_scale);
        out.set(summary_feature("likelihood")[c],
                rounded_phred(phred_centi(allele.likelihood[c] - best_likelihood)));
        out.set(summary_feature("copies")[c], c == allele.copies);
    }
    out.set(summary_feature("quality"), rounded_phred(site.quality_centi));
    out.set(summary_feature("genotype_quality"), rounded_phred(allele.genotype_quality_centi()));
    constexpr std::array<uint32_t, 5> k_filters = {data::k_filter_low_quality, data::k_filter_low_depth,
                                                   data::k_filter_strand_bias, data::k_filter_high_depth,
                                                   data::k_filter_allele_bias};
    for (size_t i = 0; i < k_filters.size(); ++i)
        out.set(summary_feature("filters")[i], (request.facts.filters & k_filters[i]) != 0);
    out.set(summary_feature("depth"), site.depth);
    out.set(summary_feature("other_depth"), site.reference_depth);
    out.set(summary_feature("allele_depth"), site.alternate_depth);
    out.set(summary_feature("allele_fraction"), site.alternate_depth, site.depth);
    for (size_t i = 0; i < site.strand_counts.size(); ++i)
        out.set(summary_feature("strands")[i], site.strand_counts[i]);
    out.set(summary_feature("strand_bias"), site.strand_bias_centi, 100);
    out.set(summary_feature("allele_shortage"), allele.allele_shortage_centi, 100);
    out.set(summary_feature("allele_excess"), allele.allele_excess_centi, 100);
    out.set(summary_feature("mapping_quality"), site.mapping_quality);
    out.set(summary_feature("rival_depth"), allele.rival_depth);
    if (site.systematic_error_odds != k_no_systematic_error) {
        constexpr int64_t k_offset = scorer_number("feature_systematic_offset_log10") * k_log_scale;
        out.set(summary_feature("systematic_error"), site.systematic_error_odds + k_offset, k_log_scale);
    }
    out.set(summary_feature("alternates"), static_cast<int64_t>(allele.alternates));
    out.set(summary_feature("index"), static_cast<int64_t>(allele.index - 1));
}

void write_depths(const ExampleView& example, ml::FeatureWriter& out) {
    const WindowAlleles& window = example.window;
    const Evidence& evidence = window.evidence;
    const ExtraCopyFilter& extra_copy = window.extra_copy;
    const int64_t position = example.place.allele.position;
    const int64_t usual = std::max<int64_t>(1, extra_copy.usual_depth());
    const int64_t here = evidence.depth_at(position);
    const int64_t at = position - evidence.begin;
    const int64_t unused = at >= 0 && at < static_cast<int64_t>(window.unused_depth.size())
                               ? window.unused_depth[static_cast<size_t>(at)]
                               : 0;
    const auto [sum, bases] = extra_copy.depth_within(position, k_depth_reach_bp);
    out.set(summary_feature("unused_fraction"), unused, unused + here);
    out.set(summary_feature("unused_depth"), unused);
    out.set(summary_feature("depth_here"), here, usual);
    out.set(summary_feature("depth_near"), sum, usual * bases);
    out.set(summary_feature("usual_depth"), usual);
    out.set(summary_feature("partial_near"), extra_copy.partial_alleles_within(position, k_near_bp));
    out.set(summary_feature("partial_far"), extra_copy.partial_alleles_within(position, k_far_bp));
    const auto candidates_within = [&](int64_t reach) {
        const auto& all = window.candidates;
        const auto first = std::partition_point(
            all.begin(), all.end(), [&](const Candidate& c) { return c.begin < position - reach; });
        return std::partition_point(first, all.end(),
                                    [&](const Candidate& c) { return c.begin <= position + reach; }) -
               first;
    };
    out.set(summary_feature("candidates_near"), candidates_within(k_near_bp));
    out.set(summary_feature("candidates_far"), candidates_within(k_far_bp));
    const auto clips_within = [&](int64_t reach) {
        int64_t count = 0;
        const int64_t end = std::min(evidence.end, position + reach + 1);
        for (int64_t p = std::max(evidence.begin, position - reach); p < end; ++p)
            count += evidence.clips[static_cast<size_t>(p - evidence.begin)];
        return count;
    };
    out.set(summary_feature("clips_near"), clips_within(k_clips_near_bp));
    out.set(summary_feature("clips_far"), clips_within(k_clips_far_bp));
    const auto distance = [&](int32_t candidate) -> int64_t {
        constexpr int64_t k_none = 255;
        return candidate < 0 ? k_none
                             : std::abs(window.candidates[static_cast<size_t>(candidate)].begin - position);
    };
    out.set(summary_feature("left"), distance(example.place.left));
    out.set(summary_feature("right"), distance(example.place.right));
}

int64_t count_gc(const ReferenceSlice& slice, int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t p = begin; p < end; ++p) count += slice.at(p) == 1 || slice.at(p) == 2;
    return count;
}

void write_sequence(const ExampleView& example, ml::FeatureWriter& out) {
    const ExampleRequest& request = example.request;
    constexpr int64_t k_gc_reach = scorer_number("feature_gc_reach_bp");
    const Allele& allele = request.allele;
    const ReferenceSlice& slice = example.window.slice;
    const int64_t position = example.place.allele.position;
    const int64_t length = std::max(allele.reference_length, allele.alternate_length);
    out.set(summary_feature("is_snp"), !example.place.is_indel);
    out.set(summary_feature("is_insertion"), allele.alternate_length > allele.reference_length);
    out.set(summary_feature("is_deletion"), allele.alternate_length < allele.reference_length);
    out.set(summary_feature("length_fine"), length);
    out.set(summary_feature("length"), length);
    if (example.place.is_indel) {
        const RepeatContext repeat = repeat_of(slice, allele, request.arena);
        out.set(summary_feature("repeat_period"), repeat.period);
        out.set(summary_feature("repeat_copies"), repeat.copies);
        out.set(summary_feature("room"), example.place.shift_bp);
    }
    out.set(summary_feature("run"), longest_homopolymer(slice, position, k_homopolymer_reach_bp));
    out.set(summary_feature("gc"), count_gc(slice, position - k_gc_reach, position + k_gc_reach + 1),
            2 * k_gc_reach + 1);
    const data::Base reference = slice.at(position);
    if (!example.place.is_indel && reference < 4) {
        const data::Base alternate = request.arena[allele.alternate];
        out.set(summary_feature("is_transition"), (reference ^ alternate) == 2);  // A-G, C-T
        const bool before_g = reference == 1 && slice.at(position + 1) == 2;
        const bool after_c = reference == 2 && slice.at(position - 1) == 1;
        out.set(summary_feature("is_cpg"), before_g || after_c);
        out.set(summary_feature("repeats_base_before")[0], slice.at(position - 1) == alternate);
        out.set(summary_feature("repeats_base_before")[1], slice.at(position + 1) == alternate);
    }
    std::array<int64_t, 5> counts{};
    for (const data::Base base : bases_of(allele, request.arena)) ++counts[base];
    if (allele.alternate_length == 0) {
        for (int64_t p = allele.position; p < allele.end(); ++p) ++counts[slice.at(p)];
    }
    for (size_t base = 0; base < 4; ++base) out.set(summary_feature("bases")[base], counts[base], length);
}

/// Sums over the reads of one pool.
struct Group {
    int64_t reads = 0, certainty = 0, quality = 0, mapping = 0, mismatches = 0, candidates = 0, clipped = 0,
            improper = 0, near_end = 0, doubtful = 0;

    void add(const ml::RowInput& row) {
        ++reads;
        certainty += std::abs(row.support - int{ml::k_undecided});
        quality += row.base_quality;
        mapping += row.mapping_quality;
        mismatches += row.mismatches;
        candidates += row.candidates;
        clipped += row.clipped > 0;
        improper += (row.flags & data::k_flag_proper_pair) == 0;
        const auto last = static_cast<int64_t>(row.bases.size()) - 1;
        near_end += row.offset < k_near_end_bp || last - row.offset < k_near_end_bp;
        doubtful += row.mapping_quality < k_doubtful_mapping_quality;
    }
    void write(ml::FeatureWriter& out, size_t pool) const {
        out.set(summary_feature("mean_certainty")[pool], certainty, reads * ml::k_support_scale);
        out.set(summary_feature("mean_quality")[pool], quality, reads);
        out.set(summary_feature("mean_mapping_quality")[pool], mapping, reads);
        out.set(summary_feature("mean_mismatches")[pool], mismatches, reads);
        out.set(summary_feature("mean_candidates")[pool], candidates, reads);
        out.set(summary_feature("clipped")[pool], clipped, reads);
        out.set(summary_feature("improper")[pool], improper, reads);
        out.set(summary_feature("near_end")[pool], near_end, reads);
        out.set(summary_feature("doubtful")[pool], doubtful, reads);
        out.set(summary_feature("rows")[pool], reads);
    }
};

void write_groups(const ExampleView& example, ml::FeatureWriter& out) {
    std::array<Group, ml::pileup::k_pools> groups;
    int64_t seen = 0, doubtful = 0;
    for (const ExampleRead& row : example.reads) {
        const uint8_t pool = row.input.pool;
        groups[pool == ml::k_pool_allele ? 0 : pool == ml::k_pool_reference ? 1 : 2].add(row.input);
        doubtful += row.input.mapping_quality < k_doubtful_mapping_quality;
        seen += example.place.allele.candidate >= 0 &&
                std::any_of(row.input.events.begin(), row.input.events.end(), [&](const ml::ReadEvent& e) {
                    return e.candidate == example.place.allele.candidate;
                });
    }
    for (size_t pool = 0; pool < groups.size(); ++pool) groups[pool].write(out, pool);
    const auto reads = static_cast<int64_t>(example.reads.size());
    out.set(summary_feature("misfits"), example.misfits, reads);
    out.set(summary_feature("doubtful_fraction"), doubtful, reads);
    out.set(summary_feature("seen"), seen);
}

void write_length_changes(const ExampleView& example, ml::FeatureWriter& out) {
    constexpr ml::Feature k_changes = summary_feature("length_changes");
    constexpr int32_t k_reach = k_changes.count / 2;
    std::array<int64_t, k_changes.count> counts{};
    int64_t reads = 0;
    for (const ExampleRead& row : example.reads) {
        if (!row.input.reaches_over) continue;
        ++reads;
        ++counts[static_cast<size_t>(std::clamp(row.input.length_change, -k_reach, k_reach) + k_reach)];
    }
    for (size_t i = 0; i < counts.size(); ++i) out.set(k_changes[i], counts[i], reads);
}

void write_sample(const ExampleView& example, ml::FeatureWriter& out) {
    const WindowAlleles& window = example.window;
    const SampleModel& sample = example.request.sample;
    constexpr auto k_reported = scorer_numbers<uint8_t, 4>("feature_reported_qualities");
    constexpr int32_t k_parts_per_mille = 1000;
    for (size_t i = 0; i < k_reported.size(); ++i)
        out.set(summary_feature("sample_qualities")[i], sample.qualities[k_reported[i]]);
    out.set(summary_feature("sample_contamination"), sample.contamination.parts_per_million(),
            k_parts_per_mille);
    constexpr int32_t k_centi = 100;
    for (size_t k = 0; k < StutterCounts::k_classes; ++k) {
        if (sample.stutter.is_known(k))
            out.set(summary_feature("sample_slips")[k], sample.stutter.phred_centi(k), k_centi);
    }
    for (size_t i = 0; i < sample.errors.per_billion.size(); ++i)
        out.set(summary_feature("sample_systematic_errors")[i],
                log_of(static_cast<uint64_t>(sample.errors.per_billion[i] / 1000 + 1)), k_log_scale);
    if (!sample.depth.is_known()) return;
    const auto& depths = sample.depth.by_gc;
    const int64_t sum = std::accumulate(depths.begin(), depths.end(), int64_t{0});
    const auto [lowest, highest] = std::minmax_element(depths.begin(), depths.end());
    const auto classes = static_cast<int64_t>(depths.size());
    out.set(summary_feature("sample_depth"), sum, classes * k_depth_scale);
    out.set(summary_feature("sample_gc_spread"), (*highest - *lowest) * classes, sum);
    const int64_t bin = example.place.allele.position / k_depth_bin_bases * k_depth_bin_bases;
    std::vector<int64_t> expected;
    sample.depth.of_bins(window.slice, bin, bin + 1, expected);
    if (!expected.empty())
        out.set(summary_feature("depth_expected"),
                window.evidence.depth_at(example.place.allele.position) * k_depth_scale,
                expected.front() * window.extra_copy.at(example.place.allele.position).own / 2);
}

/// Whether the reads that have the nearest candidates are those that support the allele.
void write_neighbours(const ExampleView& example, ml::FeatureWriter& out) {
    const WindowAlleles& window = example.window;
    int64_t linked = 0, unlinked = 0;
    for (size_t n = 0; n < example.place.neighbour_count; ++n) {
        const int32_t index = example.place.neighbours[n];
        const Candidate& candidate = window.candidates[static_cast<size_t>(index)];
        std::array<int64_t, 2> over{}, carried{};
        for (const ExampleRead& row : example.reads) {
            if (row.input.pool == ml::k_pool_other) continue;
            const int has = example.carries(row, index);
            if (has < 0) continue;
            const size_t side = row.input.pool == ml::k_pool_allele ? 0 : 1;
            ++over[side];
            carried[side] += has;
        }
        constexpr ml::Feature k_neighbours = summary_feature("neighbours");
        out.set_byte(k_neighbours[3 * n], byte_of(std::max<int64_t>(
                                              1, std::abs(candidate.begin - example.place.allele.position))));
        for (size_t side = 0; side < 2; ++side) {
            out.set_byte(k_neighbours[3 * n + 1 + side],
                         over[side] == 0 ? uint8_t{0} : byte_of(1 + carried[side] * 254 / over[side]));
        }
        if (std::min(over[0], over[1]) < k_min_linking_reads) continue;
        const auto most_have_it = [&](size_t side, int64_t percent) {
            return carried[side] * 100 >= over[side] * percent;
        };
        const auto few_have_it = [&](size_t side) {
            return carried[side] * 100 <= over[side] * k_max_unlinked_percent;
        };
        linked += most_have_it(0, k_min_linked_percent) && few_have_it(1);
        unlinked += most_have_it(1, k_min_opposing_percent) && few_have_it(0);
    }
    out.set(summary_feature("linked"), linked);
    out.set(summary_feature("unlinked"), unlinked);
}

}  // namespace

void write_summary(const ExampleView& example, std::span<uint8_t> site) {
    const ExampleRequest& request = example.request;
    std::fill(site.begin(), site.end(), uint8_t{0});
    const int64_t first =
        example.place.allele.position - ml::k_event_column - static_cast<int64_t>(k_repeat_margin);
    std::vector<data::Base> reference(ml::pileup::k_columns + 2 * k_repeat_margin);
    for (size_t i = 0; i < reference.size(); ++i)
        reference[i] = example.window.slice.at(first + static_cast<int64_t>(i));
    constexpr size_t k_context = size_t{ml::pileup::k_columns} * ml::k_site_channels;
    ml::encode_reference(example.place.allele, reference, k_repeat_margin, site.first(k_context));
    ml::FeatureWriter out(site.subspan(k_context));
    write_statistics(request, out);
    write_depths(example, out);
    write_sequence(example, out);
    write_groups(example, out);
    write_neighbours(example, out);
    write_length_changes(example, out);
    write_sample(example, out);
    out.set(summary_feature("context")[request.facts.context], 1);
    out.set(summary_feature("is_pile_up"), request.region == nullptr);
    if (request.region != nullptr) {
        out.set(summary_feature("haplotypes"), static_cast<int64_t>(request.region->haplotypes.size()));
        out.set(summary_feature("region_alleles"), request.region->alleles);
        out.set(summary_feature("region_length"), request.region->end - request.region->begin);
    }
}

}  // namespace gannet::variants
