// SPDX-License-Identifier: MIT
// Provides the scratch memory of one batch of windows.
#include "variants/call_state.hpp"

namespace gannet::variants {

CallWork::CallWork() : state(std::make_unique<State>()) {}
CallWork::~CallWork() = default;
CallWork::CallWork(CallWork&&) noexcept = default;
CallWork& CallWork::operator=(CallWork&&) noexcept = default;

void CallWork::clear() {
    jobs.clear();
    likelihoods.clear();
    examples.rows.clear();
    examples.row_offset.clear();
    examples.sites.clear();
    facts.clear();
    fact_bases.clear();
    corrections.clear();
    state->clear();
}

size_t CallWork::region_count() const { return state->tasks.size(); }
size_t CallWork::allele_count() const { return state->alleles.size(); }
size_t CallWork::window_count() const { return state->grid_windows.size(); }
const data::Region& CallWork::window(size_t index) const { return state->grid_windows[index]; }

void CallWork::State::clear() {
    grid_windows.clear();
    window_count = 0;
    tasks.clear();
    alleles.clear();
    priors.clear();
    stutter_per_million.clear();
    arena.clear();
    haplotypes.clear();
    rows.clear();
    allele_ends.clear();
    calls.clear();
    seen.clear();
    site_count = 0;
    given_count = 0;
}

}  // namespace gannet::variants
