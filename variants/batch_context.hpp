// SPDX-License-Identifier: MIT
// Provides what the steps of calling share about one batch of windows: parameters, work and the sites of a
// region.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/variant.hpp"
#include "variants/call_state.hpp"
#include "variants/parameters.hpp"
#include "variants/ploidy.hpp"
#include "variants/sample_model.hpp"

#include <cstdint>
#include <span>

namespace gannet::variants {

/// QUAL x 100 below which a site is not written.
inline constexpr int32_t k_min_written_quality_centi = 300;

/// A site of a region: `work.state->site` holds its evidence, `work.state->site_alleles` its alternate
/// alleles.
struct RegionSiteView {
    const RegionTask& task;
    const RegionCase& region;
    const RegionSite& site;
};

struct BatchContext {
    const data::Reference& reference;
    const CallerParameters& parameters;
    const ScoringParameters& scoring;
    const data::RegionSet& targets;  ///< empty: everything
    const PloidyMap& ploidy;
    const SampleModel& sample;
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
    RegionCase region_of(const RegionTask& task) const;
    /// Genotypes the haplotypes of a region and calls visit(RegionSiteView) for each site that its window
    /// calls.
    template <class Visit>
    void for_each_site(const RegionTask& task, Visit visit) const;
    /// Puts the alternate alleles of a site into `state().site_alleles`.
    void load_site_alleles(const RegionCase& region, const RegionSite& site) const;
    /// Sets position and alleles of the record: REF spans the longest deletion that was called, alternate
    /// alleles are padded with the reference bases after theirs. `alleles`: the alternates of the site, of
    /// which `state().called_alleles` lists those called; one more than there are is `*`.
    void write_alleles(std::span<const Allele> alleles, data::Variant& variant) const;
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
        if (!is_called_by(window, position)) continue;
        s.genotyper.evidence_of(site, ploidy.at(window.contig, position), s.site);
        load_site_alleles(region, site);
        visit(RegionSiteView{task, region, site});
    }
}

}  // namespace gannet::variants
