// SPDX-License-Identifier: MIT
// Provides the sharing of the counting among threads.
#include "pipeline/qc/quality_control.hpp"

#include <utility>

namespace gannet::pipeline::qc {

namespace {

data::RegionSet regions_of(const TargetDepth& targets) {
    std::vector<data::Region> regions;
    for (const TargetDepth::Target& target : targets.targets()) regions.push_back(target.row.region);
    return data::RegionSet(std::move(regions));
}

}  // namespace

QualityControl::QualityControl(const data::Reference& reference, std::vector<data::bed::Row> targets,
                               const SequenceTracker* sequences)
    : reference_(reference),
      depth_(reference, std::move(targets)),
      good_depth_(reference),
      target_coverage_(reference, regions_of(depth_.targets())),
      gc_windows_(reference),
      counts_(reference.contigs().size()),
      sequences_(sequences) {}

void QualityControl::count(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries,
                           ChunkDepths& depths) {
    std::unique_ptr<ReadCounter> counter;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            counter = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!counter) counter = std::make_unique<ReadCounter>(reference_, target_coverage_);
    counter->add(bytes, entries, depths);
    gc_windows_.count_part();
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(counter));
}

void QualityControl::finish() {
    depth_.finish();
    for (const auto& counter : idle_) counts_.merge(counter->counts());
    idle_.clear();
    good_depth_.finish();
    gc_windows_.finish();
}

}  // namespace gannet::pipeline::qc
