// SPDX-License-Identifier: MIT
// Provides the jobs of banded_sw that name their sequences, as the host's code takes them: checked, listed,
// and written out.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"

namespace gannet::kernels::banded_sw {

/// Windows and what they name; refers to the caller's.
struct WindowSource {
    const GenomeView& genome;
    const ReadBatchView& reads;
    const BandedSwWindows& windows;
};

/// Room behind the sequences that write_sequences() may write to.
inline constexpr size_t k_overshoot_bases = 32;

/// Checks the windows, and lists them as jobs of a batch: the query of each, then its target, one job behind
/// the other in an arena that is not filled. Returns the bases of the arena.
size_t list_windows(const WindowSource& source, BandedSwBatch& out);

/// Writes the query of a job to `to` and its target behind it. What lies behind that, up to
/// k_overshoot_bases, may be overwritten.
void write_sequences(const GenomeView& genome, const ReadBatchView& reads, const ExtensionJob& job,
                     uint8_t* to);

}  // namespace gannet::kernels::banded_sw
