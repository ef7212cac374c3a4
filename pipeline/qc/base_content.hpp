// SPDX-License-Identifier: MIT
// Provides the bases of a cycle. Internal to qc/.
#pragma once

#include "pipeline/qc/counts.hpp"

#include <array>

namespace gannet::pipeline::qc {

/// A, C, G, T and N of a cycle.
using Bases = std::array<uint64_t, 5>;

/// `oriented`: as they were read; else as the records have them.
inline Bases bases_at(const CycleCounts& counts, size_t cycle, bool oriented) {
    Bases bases{};
    if (cycle >= counts.cycles()) return bases;
    for (size_t strand = 0; strand < k_strands; ++strand) {
        for (size_t base = 0; base < 4; ++base)
            bases[strand == 1 && oriented ? 3 - base : base] += counts.bases[strand][cycle][base];
        for (size_t length = cycle + 1; length < counts.lengths[strand].size(); ++length)
            bases[4] += counts.lengths[strand][length];
    }
    bases[4] -= bases[0] + bases[1] + bases[2] + bases[3];
    return bases;
}

}  // namespace gannet::pipeline::qc
