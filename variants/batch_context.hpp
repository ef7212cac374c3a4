// SPDX-License-Identifier: MIT
// Provides what the steps of calling share about one batch of windows: parameters, work and the sites of a
// region.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/variant.hpp"
#include "variants/call_state.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/model/records.hpp"
#include "variants/parameters.hpp"
#include "variants/records/reference_blocks.hpp"
#include "variants/sample/ploidy.hpp"
#include "variants/sample/sample_model.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// QUAL x 100 below which a site is not written.
inline constexpr int32_t k_min_written_quality_centi = records_number("written_min_quality_centi");

/// A site of a region: `work.state->site` holds its evidence, `work.state->site_alleles` its alternate
/// alleles.
struct RegionSiteView {
    const RegionTask& task;
    const RegionCase& region;
    const RegionSite& site;
    bool is_of_window = true;  ///< else it begins before the window, and its record may reach into its blocks
};

struct BatchContext {
    const data::Reference& reference;
    const CallerParameters& parameters;
    const ScoringParameters& scoring;
    const data::RegionSet& targets;  ///< empty: everything
    const PloidyMap& ploidy;
    const SampleModel& sample;
    const BlockParameters& blocks;
    CallWork& work;

    CallWork::State& state() const { return *work.state; }
    bool is_in_targets(const data::Region& window, int64_t position) const {
        return targets.empty() || targets.contains(window.contig, position);
    }
    /// Whether a record at the position is of the window, and the sample has copies of it. One outside the
    /// targets is called too, since the phase of others may depend on it, but not written.
    bool is_called_by(const data::Region& window, int64_t position) const {
        return position >= window.begin && position < window.end && ploidy.at(window.contig, position) > 0 &&
               (!scoring.examples_only || is_in_targets(window, position));
    }
    /// Whether anything in [begin, end) is wanted: with reference blocks, of which those of a window do not
    /// depend on the shard, more than what is written.
    bool is_wanted(const data::Region& window, int64_t begin, int64_t end) const {
        const data::RegionSet& wanted = blocks.enabled ? blocks.bounds : targets;
        return wanted.empty() || wanted.overlaps(window.contig, begin, end);
    }
    /// Whether a record of [begin, end), which an earlier window calls, takes positions from the window's
    /// blocks.
    bool reaches_into_blocks(const data::Region& window, int64_t begin, int64_t end) const {
        return blocks.enabled && begin < window.begin && end > window.begin &&
               ploidy.at(window.contig, begin) > 0;
    }
    /// Notes a called record, or a site that was not called, for the blocks of a window of the batch.
    void note_record(uint32_t window, const data::Variant& variant) const;
    void note_doubt(uint32_t window, int64_t position, const SiteEvidence& evidence) const;
    RegionCase region_of(const RegionTask& task) const;
    /// Genotypes the haplotypes of a region and calls visit(RegionSiteView) for each site that its window
    /// calls, or that reaches into its reference blocks.
    template <class Visit>
    void for_each_site(const RegionTask& task, Visit visit) const;
    /// Puts the alternate alleles of a site into `state().site_alleles`.
    void load_site_alleles(const RegionCase& region, const RegionSite& site) const;
    /// Sets position and alleles of the record: REF spans the longest deletion that was called, alternate
    /// alleles are padded with the reference bases after theirs. `alleles`: the alternates of the site, of
    /// which `state().called_alleles` lists those called; one more than there are is `*`.
    void write_alleles(std::span<const Allele> alleles, data::Variant& variant) const;
    /// Statistics of a record with its alleles, the odds of a systematic error among them.
    SiteStatistics statistics_of(const data::Variant& variant) const;
    /// Sets these odds of an SNV to `alternate` at the position, from the strands of its reads.
    void weigh_systematic_error(uint32_t contig, int64_t position, data::Base alternate,
                                SiteStatistics& site) const;
    /// Adds a variant with the evidence that it was called from, of whose alleles `state().called_alleles`
    /// lists those called.
    void add_call(data::Variant&& variant, uint32_t window, const SiteEvidence& evidence) const;
    /// Sorts the calls of the batch, phases those of each window and appends those in the targets to `out`.
    void finish_calls(std::vector<data::Variant>& out) const;

  private:
    void phase(std::span<Call> calls) const;
};

template <class Visit>
void BatchContext::for_each_site(const RegionTask& task, Visit visit) const {
    CallWork::State& s = state();
    const RegionCase region = region_of(task);
    s.genotyper.load(region);
    const data::Region& window = s.grid_windows[task.window];
    for (const RegionSite& site : s.genotyper.sites()) {
        const int64_t position = region.alleles[site.alleles.front()].record_position();
        const bool is_of_window = is_called_by(window, position);
        int64_t end = position + 1;
        for (const uint32_t index : site.alleles) end = std::max(end, region.alleles[index].end());
        if (!is_of_window && !reaches_into_blocks(window, position, end)) continue;
        s.genotyper.evidence_of(site, ploidy.at(window.contig, position), s.site);
        load_site_alleles(region, site);
        visit(RegionSiteView{task, region, site, is_of_window});
    }
}

}  // namespace gannet::variants
