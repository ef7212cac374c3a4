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
    CallWork& work;

    CallWork::State& state() const { return *work.state; }
    /// Whether a record at the position is written by the window: it is in the window and in a target, and
    /// the sample has copies of it.
    bool is_written_by(const data::Region& window, int64_t position) const {
        return position >= window.begin && position < window.end &&
               (targets.empty() || targets.contains(window.contig, position)) &&
               ploidy.at(window.contig, position) > 0;
    }
    RegionCase region_of(const RegionTask& task) const;
    /// Genotypes the haplotypes of a region and calls visit(RegionSiteView) for each site that its window
    /// writes.
    template <class Visit>
    void for_each_site(const RegionTask& task, Visit visit) const;
    /// Sets position and alleles of the record: REF spans the longest deletion that was called, alternate
    /// alleles are padded with the reference bases after theirs. `alleles`: the alternates of the site, of
    /// which `state().called_alleles` lists those called.
    void write_alleles(std::span<const Allele> alleles, data::Variant& variant) const;
};

template <class Visit>
void BatchContext::for_each_site(const RegionTask& task, Visit visit) const {
    CallWork::State& s = state();
    const RegionCase region = region_of(task);
    s.genotyper.load(region);
    const data::Region& window = s.grid_windows[task.window];
    for (const RegionSite& site : s.genotyper.sites()) {
        const int64_t position = region.alleles[site.alleles.front()].record_position();
        if (!is_written_by(window, position)) continue;
        s.genotyper.evidence_of(site, ploidy.at(window.contig, position), s.site);
        s.site_alleles.clear();
        for (const uint32_t index : site.alleles) s.site_alleles.push_back(region.alleles[index]);
        visit(RegionSiteView{task, region, site});
    }
}

}  // namespace gannet::variants
