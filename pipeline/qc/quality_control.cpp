// SPDX-License-Identifier: MIT
// Provides the sharing of the counting among threads.
#include "pipeline/qc/quality_control.hpp"

#include <utility>

namespace gannet::pipeline::qc {

QualityControl::QualityControl(const data::Reference& reference)
    : reference_(reference), depth_(reference), counts_(reference.contigs().size()) {}

void QualityControl::count(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries,
                           DepthRuns& depth) {
    std::unique_ptr<ReadCounter> counter;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            counter = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!counter) counter = std::make_unique<ReadCounter>(reference_);
    counter->add(bytes, entries, depth);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(counter));
}

void QualityControl::finish() {
    depth_.finish();
    for (const auto& counter : idle_) counts_.merge(counter->counts());
    idle_.clear();
}

}  // namespace gannet::pipeline::qc
