// SPDX-License-Identifier: MIT
// Provides the calling of windows region by region, before and after the pair-HMM.
#include "variants/region_caller.hpp"

#include "variants/genotype/allele_prior.hpp"
#include "variants/reads/run_end_quality.hpp"
#include "variants/records/filters.hpp"
#include "variants/records/quality_caps.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gannet::variants {

namespace {

constexpr int64_t k_slice_margin_bp = 1024;  // beyond the padding: repeats and haplotypes may extend past it
constexpr int32_t k_max_copy_rounds = 3;     // of looking for extra copies in what is left
constexpr int64_t k_read_margin_bp = 5;      // a region also uses reads that end this near to it

// An assembled allele moves left by no more than about the length of a read: reads that begin and end in the
// same repeat show no allele.
constexpr int64_t k_assembled_shift_bp = 400;

/// How far outside a region its alleles may be found.
int64_t reach_of(const ActiveRegion& region) {
    return region.needs_assembly ? k_assembly_flank_bp + k_assembled_shift_bp : k_realign_flank_bp;
}

}  // namespace

WindowState& RegionCaller::next_window() {
    CallWork::State& s = context_.state();
    // Examples need the reads until the likelihoods are known.
    if (context_.scoring.enabled || s.window_count == 0) ++s.window_count;
    if (s.windows.size() < s.window_count) s.windows.push_back(std::make_unique<WindowState>());
    return *s.windows[s.window_count - 1];
}

void RegionCaller::load_window(WindowReads&& reads, uint32_t index) {
    WindowState& w = *window_;
    const CallerParameters& parameters = context_.parameters;
    const int64_t begin = reads.window.begin - k_window_padding_bp;
    const int64_t end = reads.window.end + k_window_padding_bp;
    w.window = reads.window;
    w.slice.load(context_.reference, reads.window.contig, begin - k_slice_margin_bp, end + k_slice_margin_bp);
    MappingFilter& filter = context_.state().mapping_filter;
    filter.load(reads.records, parameters.minimum_mapping_quality, parameters.doubtful_mapping_quality, begin,
                end);
    load_reads(reads.records, filter, context_.sample.qualities, w.reads, context_.state().slots);
    if (context_.scoring.enabled) count_unused_depth(reads.records, filter, begin, end, w.unused_depth);
    reads = {};  // in a very deep window the records are as large as all that is made of them
    cap_qualities_after_runs(w.reads);
    context_.state().realigner.realign(w.slice, w.reads);
    gather_evidence(w.reads, w.slice, begin, end, parameters.minimum_base_quality, w.evidence);
    find_candidates(w.reads, w.slice, w.evidence, w.candidates);
    leave_out_extra_copies();
    find_active_regions(w.reads, w.slice, w.evidence, w.candidates, w.regions);
    if (context_.blocks.enabled) {
        context_.state().confidence.build(w.reads, w.slice, w.evidence, w.window,
                                          parameters.minimum_base_quality, context_.sample.gaps,
                                          context_.state().blocks[index].confidence);
    }
    if (context_.scoring.enabled) w.profiles.clear(w.reads.reads.size());
}

/// Takes the reads of copies that the reference lacks out of the window, as far as they are recognised. What
/// is left may show further ones.
void RegionCaller::leave_out_extra_copies() {
    WindowState& w = *window_;
    HiddenCopies& hidden = context_.state().hidden_copies;
    const int32_t minimum_base_quality = context_.parameters.minimum_base_quality;
    const auto ploidy =
        std::max<int32_t>(1, static_cast<int32_t>(context_.ploidy.at(w.window.contig, w.window.begin)));
    auto& diploid_depth = context_.state().diploid_depth;
    context_.sample.depth.of_bins(w.slice, w.evidence.begin, w.evidence.end, diploid_depth);
    w.extra_copy.load(w.evidence, w.candidates, diploid_depth, ploidy);
    for (int32_t round = 0; round < k_max_copy_rounds; ++round) {
        hidden.find(w.reads, w.extra_copy.copy_number(), w.extra_copy.partial_fractions(), ploidy,
                    minimum_base_quality);
        if (hidden.extra_reads().empty()) return;
        remove_reads(w.reads, hidden.extra_reads());
        gather_evidence(w.reads, w.slice, w.evidence.begin, w.evidence.end, minimum_base_quality, w.evidence);
        find_candidates(w.reads, w.slice, w.evidence, w.candidates);
        w.extra_copy.load_remaining(w.evidence, w.candidates);
    }
}

void RegionCaller::begin_window(WindowReads&& reads) {
    CallWork::State& s = context_.state();
    const data::Region window = reads.window;
    const auto index = static_cast<uint32_t>(s.grid_windows.size());
    s.grid_windows.push_back(window);
    window_ = &next_window();
    if (context_.blocks.enabled) {
        if (s.blocks.size() <= index) s.blocks.emplace_back();
        s.blocks[index].clear(window);
    }
    if (reads.records.empty()) return;
    load_window(std::move(reads), index);
    choose_regions();
    for (size_t i = 0; i < window_->regions.size(); ++i) {
        if (s.wanted[i] == 0) continue;
        const ActiveRegion& region = window_->regions[i];
        if (region.is_simple)
            call_simple_region(index, region);
        else
            add_region(index, region);
    }
}

/// Marks the regions that may have sites of the window. With targets: those that may have sites of a target,
/// and from these on to either side those whose sites reads may link to them, so that the phase of a site
/// does not depend on the targets.
void RegionCaller::choose_regions() {
    const data::Region& window = window_->window;
    const std::vector<ActiveRegion>& regions = window_->regions;
    auto& wanted = context_.state().wanted;
    wanted.assign(regions.size(), 0);
    const auto begin_of = [&](size_t i) { return regions[i].begin - reach_of(regions[i]); };
    const auto end_of = [&](size_t i) { return regions[i].end + reach_of(regions[i]); };
    const auto is_of_window = [&](size_t i) { return end_of(i) > window.begin && begin_of(i) < window.end; };
    for (size_t i = 0; i < regions.size(); ++i) {
        wanted[i] = is_of_window(i) && context_.is_wanted(window, begin_of(i), end_of(i));
    }
    if (context_.targets.empty() || context_.scoring.examples_only) return;
    for (size_t i = 1; i < regions.size(); ++i) {
        if (wanted[i - 1] != 0 && is_of_window(i) && begin_of(i) - end_of(i - 1) <= k_phase_reach_bp)
            wanted[i] = 1;
    }
    for (size_t i = regions.size(); i-- > 1;) {
        if (wanted[i] != 0 && is_of_window(i - 1) && begin_of(i) - end_of(i - 1) <= k_phase_reach_bp)
            wanted[i - 1] = 1;
    }
}

void RegionCaller::call_simple_region(uint32_t window, const ActiveRegion& region) {
    const WindowState& w = *window_;
    for (uint32_t i = region.first; i < region.last;) {
        const int64_t position = w.candidates[i].begin;
        std::array<data::Base, k_max_pile_up_alleles> bases{w.slice.at(position)};
        size_t count = 1;
        for (; i < region.last && w.candidates[i].begin == position; ++i) {
            bases[count++] = w.evidence.arena[w.candidates[i].allele.alternate];
        }
        if (context_.is_called_by(w.window, position))
            call_pile_up_site(window, position, std::span(bases).first(count));
    }
}

/// `bases`: the reference, then the alternates.
void RegionCaller::call_pile_up_site(uint32_t window, int64_t position, std::span<const data::Base> bases) {
    CallWork::State& s = context_.state();
    WindowState& w = *window_;
    pile_up(w.reads, position, bases, context_.ploidy.at(w.window.contig, position),
            context_.parameters.minimum_base_quality, context_.sample.contamination, s.site);
    const uint32_t region_filters = w.extra_copy.at(position);
    data::Variant variant;
    const bool is_called = call_site(s.site, k_min_written_quality_centi, variant, s.called_alleles);
    if (is_called) {
        variant.contig = w.window.contig;
        variant.position = position;
        for (const size_t allele : s.called_alleles)
            variant.alleles.emplace_back(1, data::k_letter_of_base[bases[allele]]);
        finish(region_filters, 0, variant);
    }
    if (context_.scoring.enabled) {
        s.site_alleles.clear();
        for (const data::Base base : bases.subspan(1)) {
            s.site_alleles.push_back({position, 1, static_cast<uint32_t>(s.arena.size()), 1});
            s.arena.push_back(base);
        }
        if (scored_.take({window, true, s.site_alleles, region_filters, nullptr, &s.site,
                          is_called ? &variant : nullptr}))
            return;
    }
    if (is_called)
        context_.add_call(std::move(variant), window, s.site);
    else
        context_.note_doubt(window, position, s.site);
}

/// Filters, and the limits of the qualities.
void RegionCaller::finish(uint32_t region_filters, int32_t stutter_per_million,
                          data::Variant& variant) const {
    SiteStatistics site = context_.statistics_of(variant);
    site.stutter_per_million = stutter_per_million;
    variant.filters = filters_of(context_.parameters, site, region_filters);
    cap_qualities(site, context_.parameters.minimum_quality_centi, variant);
}

/// Reads over [begin, end). Of more than the maximum depth, those with the smallest hash of their names are
/// kept, mates together.
void RegionCaller::choose_reads(int64_t begin, int64_t end) {
    const ReadSet& reads = window_->reads;
    auto& chosen = context_.state().region_reads;
    chosen.clear();
    for (size_t i = reads.first_over(begin); i < reads.reads.size() && reads.reads[i].begin < end; ++i) {
        if (reads.reads[i].end > begin) chosen.push_back(static_cast<uint32_t>(i));
    }
    const auto maximum = static_cast<size_t>(context_.parameters.maximum_depth);
    if (chosen.size() <= maximum) return;
    const auto is_before = [&](uint32_t a, uint32_t b) {
        const uint64_t left = reads.reads[a].name_hash;
        const uint64_t right = reads.reads[b].name_hash;
        return left != right ? left < right : a < b;
    };
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(maximum), chosen.end(),
                     is_before);
    chosen.resize(maximum);
    std::sort(chosen.begin(), chosen.end());
}

bool RegionCaller::is_of_another_region(const ActiveRegion& region, const Allele& allele) const {
    const int64_t position = allele.record_position();
    return std::any_of(window_->regions.begin(), window_->regions.end(), [&](const ActiveRegion& other) {
        return other.first != region.first && other.begin <= position && position < other.end;
    });
}

/// Finds the alleles of assembled haplotypes and extends the region over them.
void RegionCaller::assemble(ActiveRegion& region) {
    CallWork::State& s = context_.state();
    WindowState& w = *window_;
    const int64_t begin = region.begin - k_assembly_flank_bp;
    const int64_t end = region.end + k_assembly_flank_bp;
    choose_reads(begin, end);
    if (!s.assembler.assemble(w.reads, s.region_reads, w.slice.span(begin, end), s.assembled_bases,
                              s.assembled_offsets))
        return;
    int64_t extended_begin = region.begin;
    int64_t extended_end = region.end;
    for (size_t h = 0; h + 1 < s.assembled_offsets.size(); ++h) {
        const size_t first = s.assembled.size();
        const std::span<const data::Base> bases{s.assembled_bases.data() + s.assembled_offsets[h],
                                                s.assembled_offsets[h + 1] - s.assembled_offsets[h]};
        s.aligner.differences(w.slice, begin, end, bases, w.evidence.arena, s.assembled);
        const auto foreign =
            std::remove_if(s.assembled.begin() + static_cast<std::ptrdiff_t>(first), s.assembled.end(),
                           [&](const Allele& allele) {
                               return allele.position < w.evidence.begin - k_candidate_overhang_bp ||
                                      is_of_another_region(region, allele);
                           });
        s.assembled.erase(foreign, s.assembled.end());
        if (s.assembled.size() == first) continue;
        s.assembled_sizes.push_back(static_cast<uint32_t>(s.assembled.size() - first));
        for (size_t i = first; i < s.assembled.size(); ++i) {
            const Allele& allele = s.assembled[i];
            const int64_t shift_bp =
                allele.is_indel() ? rightward_shift_bp(w.slice, allele, w.evidence.arena) : 0;
            extended_begin = std::min(extended_begin, allele.record_position());
            extended_end = std::max(extended_end, w.evidence.end_of_candidate(allele, shift_bp));
        }
    }
    region.begin = extended_begin;
    region.end = extended_end;
}

void RegionCaller::add_region(uint32_t window, ActiveRegion region) {
    CallWork::State& s = context_.state();
    RegionTask task;
    task.window = window;
    task.filters = window_->extra_copy.at(region.begin);
    if (make_task(region, window_->candidates, task)) s.tasks.push_back(task);
}

bool RegionCaller::make_task(ActiveRegion& region, std::span<const Candidate> candidates, RegionTask& task) {
    CallWork::State& s = context_.state();
    WindowState& w = *window_;
    s.assembled.clear();
    s.assembled_sizes.clear();
    if (region.needs_assembly) assemble(region);
    choose_reads(region.begin - k_read_margin_bp, region.end + k_read_margin_bp);
    s.builder.build(
        {w.reads, w.slice, w.evidence, candidates, s.region_reads, s.assembled, s.assembled_sizes}, region,
        s.region_haplotypes);
    task.begin = region.begin;
    task.end = region.end;
    task.first_row = static_cast<uint32_t>(s.rows.size());
    task.first_pair = context_.work.jobs.pairs();
    add_jobs(w.reads, w.slice, w.evidence.arena, region, s.region_reads, context_.sample.gaps,
             s.region_haplotypes, context_.work.jobs, s.rows, s.jobs);
    task.rows = static_cast<uint32_t>(s.rows.size()) - task.first_row;
    if (task.rows == 0) return false;
    keep_alleles(task);
    return true;
}

/// Copies alleles and haplotypes of the region from the window's scratch, which the next window overwrites.
void RegionCaller::keep_alleles(RegionTask& task) {
    CallWork::State& s = context_.state();
    const WindowState& w = *window_;
    task.first_allele = static_cast<uint32_t>(s.alleles.size());
    task.alleles = static_cast<uint32_t>(s.region_haplotypes.alleles.size());
    for (Allele allele : s.region_haplotypes.alleles) {
        s.priors.push_back(allele_prior(w.slice, allele, w.evidence.arena, context_.sample.gaps));
        s.stutter_per_million.push_back(
            stutter_per_million(w.slice, allele, w.evidence.arena, context_.sample.gaps));
        const auto bases = bases_of(allele, w.evidence.arena);
        const int64_t shift_bp =
            allele.is_indel() ? rightward_shift_bp(w.slice, allele, w.evidence.arena) + 1 : 0;
        s.allele_ends.push_back(allele.end() + shift_bp);
        allele.alternate = static_cast<uint32_t>(s.arena.size());
        s.arena.insert(s.arena.end(), bases.begin(), bases.end());
        s.alleles.push_back(allele);
    }
    const auto& haplotypes = s.region_haplotypes.haplotypes;
    task.first_haplotype = static_cast<uint32_t>(s.haplotypes.size());
    task.haplotypes = static_cast<uint32_t>(haplotypes.size());
    s.haplotypes.insert(s.haplotypes.end(), haplotypes.begin(), haplotypes.end());
}

/// The alleles that delete the position of the site's record and are called, with no filter, in one of two
/// copies.
AlleleSet RegionCaller::called_deletions(const RegionSite& site, const RegionCase& region) {
    CallWork::State& s = context_.state();
    const AlleleSet spanning = s.genotyper.spanning_deletions(site);
    AlleleSet called = 0;
    if (spanning == 0) return called;
    for (const RegionSite& other : s.genotyper.sites()) {
        const bool is_deletion = std::any_of(other.alleles.begin(), other.alleles.end(),
                                             [&](uint32_t i) { return (spanning >> i & 1) != 0; });
        if (!is_deletion) continue;
        s.genotyper.evidence_of(other, k_max_ploidy, s.deletion_site);
        data::Variant variant;
        if (!call_site(s.deletion_site, k_min_written_quality_centi, variant, s.called_alleles)) continue;
        if (variant.genotype[0] == variant.genotype[1]) continue;
        context_.load_site_alleles(region, other);
        context_.write_alleles(s.site_alleles, variant);
        if (filters_of(context_.parameters, context_.statistics_of(variant), 0) != 0) continue;
        for (const size_t allele : s.called_alleles) {
            if (allele > 0) called |= spanning & (AlleleSet{1} << other.alleles[allele - 1]);
        }
    }
    return called;
}

/// Calls a site again where the haplotype without the variant has a deletion over it. False: there is none,
/// and the call stays as it is.
bool RegionCaller::call_beside_deletion(const RegionSiteView& view, data::Variant& variant) {
    CallWork::State& s = context_.state();
    if (variant.ploidy != 2 || variant.genotype[0] != 0) return false;
    if (s.genotyper.spanning_deletions(view.site) == 0) return false;
    const std::vector<size_t> plain = s.called_alleles;
    if (const AlleleSet deletions = called_deletions(view.site, view.region); deletions != 0) {
        s.genotyper.evidence_of(view.site, k_max_ploidy, deletions, s.spanned_site);
        data::Variant spanned;
        if (call_site(s.spanned_site, k_min_written_quality_centi, spanned, s.called_alleles) &&
            s.spanned_site.is_spanning(s.called_alleles.back())) {
            variant = std::move(spanned);
            return true;
        }
    }
    s.called_alleles = plain;
    return false;
}

/// Of the called allele whose repeat stutters most.
int32_t RegionCaller::stutter_of_call(const RegionSiteView& view) const {
    const CallWork::State& s = context_.state();
    int32_t stutter = 0;
    for (const size_t allele : s.called_alleles) {
        if (allele == 0 || allele > view.site.alleles.size()) continue;
        const size_t index = view.task.first_allele + view.site.alleles[allele - 1];
        stutter = std::max(stutter, s.stutter_per_million[index]);
    }
    return stutter;
}

void RegionCaller::genotype(const RegionTask& task) {
    CallWork::State& s = context_.state();
    context_.for_each_site(task, [&](const RegionSiteView& view) {
        data::Variant variant;
        const bool is_called = call_site(s.site, k_min_written_quality_centi, variant, s.called_alleles);
        const bool is_spanned = is_called && view.is_of_window && call_beside_deletion(view, variant);
        const SiteEvidence& evidence = is_spanned ? s.spanned_site : s.site;
        context_.load_site_alleles(view.region, view.site);
        if (is_called) {
            variant.contig = s.grid_windows[task.window].contig;
            context_.write_alleles(s.site_alleles, variant);
            if (view.is_of_window) finish(task.filters, stutter_of_call(view), variant);
        }
        if (context_.scoring.enabled &&
            scored_.take({task.window, view.is_of_window, s.site_alleles, task.filters, &view, &evidence,
                          is_called ? &variant : nullptr}))
            return;
        if (!is_called)
            context_.note_doubt(task.window, s.site_alleles.front().record_position(), s.site);
        else if (!view.is_of_window)
            context_.note_record(task.window, variant);
        else
            context_.add_call(std::move(variant), task.window, evidence);
    });
}

}  // namespace gannet::variants
