// SPDX-License-Identifier: MIT
// Provides the backends of the op seeds by name; callers go through seeds_function().
#pragma once

#include "kernels/seeds/seeds.hpp"

namespace gannet::kernels {

void seeds_reference(Stream&, const SeedIndexView& index, const GenomeView& genome,
                     const ReadBatchView& reads, SeedHits& out);
/// The backend simd, on every instruction set: its time is that of memory, and compilers vectorise its
/// passes.
void seeds_lockstep(Stream&, const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                    SeedHits& out);
void seeds_emulated(Stream&, const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                    SeedHits& out);
void seeds_cuda(Stream& stream, const SeedIndexView& index, const GenomeView& genome,
                const ReadBatchView& reads, SeedHits& out);

namespace seeds {
/// Throws std::invalid_argument where the index's k or s is out of range.
void check(const SeedIndexView& index);
}  // namespace seeds

}  // namespace gannet::kernels
