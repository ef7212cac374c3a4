// SPDX-License-Identifier: MIT
// Provides `gannet scatter`: what `call` would call, divided into shards of equal size.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "pipeline/jobs/options.hpp"

#include <cstdint>
#include <vector>

namespace gannet::pipeline {

/// A shard: its regions, and how many of their bases are known (A, C, G and T).
struct Shard {
    data::RegionSet regions;
    uint64_t known_bases = 0;
};

/// Divides `scope` (empty: all contigs) into `count` shards that follow each other in the order of the
/// reference and together hold every base of the scope once. They are cut at the grid of calling windows
/// only, so that no window is called for two of them, and have about equally many known bases. Fewer than
/// `count` where there are fewer windows. Cost: linear in the windows of the scope.
std::vector<Shard> plan_shards(const data::Reference& reference, const data::RegionSet& scope,
                               uint32_t count);

/// The shards of `size_mb` million known bases that a scope makes; at least 1.
uint32_t shards_of_size(const data::Reference& reference, const data::RegionSet& scope, double size_mb);

/// Writes 0001-of-0050.bed and so on to the folder, or one line of --regions per shard to standard output.
/// Throws Error(usage) where the folder holds the shards of another plan.
void run_scatter(const ScatterOptions& options);

}  // namespace gannet::pipeline
