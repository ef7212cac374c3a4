// SPDX-License-Identifier: MIT
// Provides seeding on the backends of the host by name, for the op find_candidates and for tests.
#pragma once

#include "kernels/seeds/seeds_warps.hpp"

namespace gannet::kernels {

/// `out` is resized. Index and reads are such as seeds::check() lets pass.
void seeds_reference(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                     SeedHits& out);
/// Of the backend simd, on every instruction set: its time is that of memory, and compilers vectorise its
/// passes. Cost: about 40 operations a base, two or three cache misses a seed, one or two for each halving of
/// a run that is narrowed. Scratch is kept per thread.
void seeds_lockstep(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                    SeedHits& out);

namespace seeds {

/// Throws std::invalid_argument where the index's k or s is out of range.
void check(const SeedIndexView& index);
/// Of the backend emulated: the device schedule on the host, all reads of a job from the last to the first.
void run_warps(const Job& job);

}  // namespace seeds

}  // namespace gannet::kernels
