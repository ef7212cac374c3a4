// SPDX-License-Identifier: MIT
// Provides the calling of windows region by region: pile-up sites at once, all others around the pair-HMM.
#pragma once

#include "variants/batch_context.hpp"
#include "variants/reads/windows.hpp"
#include "variants/scored_caller.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// The steps of Caller on one batch of windows. With scoring, sites of which the network may have something
/// to say go to the ScoredCaller with what was called.
class RegionCaller {
  public:
    explicit RegionCaller(const BatchContext& context) : context_(context), scored_(context) {}

    /// Finds the active regions of a window, genotypes those that need only the pile-up, and adds the
    /// pair-HMM jobs of the others to the batch. The records are given back as soon as they are decoded.
    void begin_window(WindowReads&& reads);
    /// Adds the variants of a region to the calls of the batch, from the likelihoods of its jobs.
    void genotype(const RegionTask& task);

    /// The window that was begun last.
    WindowState& window() { return *window_; }
    /// Makes haplotypes of the candidates of a region and adds the pair-HMM jobs of its reads; false, and
    /// there are none, without reads or with the reference as the only haplotype. `task.window` must be set.
    bool make_task(ActiveRegion& region, std::span<const Candidate> candidates, RegionTask& task);

  private:
    WindowState& next_window();
    void load_window(WindowReads&& reads, uint32_t index);
    void leave_out_extra_copies();
    void choose_regions();
    void call_simple_region(uint32_t window, const ActiveRegion& region);
    void call_pile_up_site(uint32_t window, int64_t position, std::span<const data::Base> bases);
    void choose_reads(int64_t begin, int64_t end);
    void assemble(ActiveRegion& region);
    bool is_of_another_region(const ActiveRegion& region, const Allele& allele) const;
    void add_region(uint32_t window, ActiveRegion region);
    void keep_alleles(RegionTask& task);
    AlleleSet called_deletions(const RegionSite& site, const RegionCase& region);
    bool call_beside_deletion(const RegionSiteView& view, data::Variant& variant);
    int32_t stutter_of_call(const RegionSiteView& view) const;
    void finish(uint32_t region_filters, int32_t stutter_per_million, data::Variant& variant) const;

    const BatchContext& context_;
    ScoredCaller scored_;
    WindowState* window_ = nullptr;  // the one being begun
};

}  // namespace gannet::variants
