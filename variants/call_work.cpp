// SPDX-License-Identifier: MIT
// Provides the memory of a batch of windows.
#include "variants/call_state.hpp"

namespace gannet::variants {

CallWork::CallWork() : state(std::make_unique<State>()) {}
CallWork::~CallWork() = default;
CallWork::CallWork(CallWork&&) noexcept = default;
CallWork& CallWork::operator=(CallWork&&) noexcept = default;

void CallWork::clear() {
    jobs.clear();
    likelihoods.clear();
    examples.clear();
    corrections.clear();
    state->clear();
}

size_t CallWork::region_count() const {
    size_t count = 0;
    for (const WindowCall& window : state->windows()) count += window.regions.size();
    return count;
}

size_t CallWork::allele_count() const {
    size_t count = 0;
    for (const WindowCall& window : state->windows()) {
        for (const RegionCall& region : window.regions) count += region.alleles.size();
    }
    return count;
}

size_t CallWork::window_count() const { return state->windows().size(); }
const data::Region& CallWork::window(size_t index) const { return state->windows()[index].window; }

WindowCall& CallWork::State::add_window(const data::Region& window, bool keeps_reads) {
    if (windows_.size() == count_) windows_.emplace_back();
    WindowCall& added = windows_[count_++];
    if (!keeps_reads) {
        added.alleles = windows_.front().alleles;
        if (!added.alleles) added.alleles = windows_.front().alleles = std::make_shared<WindowAlleles>();
    } else if (!added.alleles) {
        added.alleles = std::make_shared<WindowAlleles>();
    }
    added.window = window;
    added.arena.clear();
    added.regions.clear();
    added.waiting.clear();
    added.forced.clear();
    added.records.clear();
    added.traces.clear();
    added.blocks.clear(window);
    return added;
}

}  // namespace gannet::variants
