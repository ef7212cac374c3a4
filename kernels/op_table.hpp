// SPDX-License-Identifier: MIT
// Provides the seam between host and device: one function pointer an op, filled for the chosen backend.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "kernels/stream.hpp"

#include <memory>
#include <optional>
#include <string>

namespace gannet::kernels {

/// What runs each op. Immutable once made; shared by all threads.
struct OpTable {
    Backend backend = Backend::reference;
    SimdLevel simd_level = SimdLevel::none;
    BandedSwFunction banded_sw = nullptr;
    PairHmmFunction pair_hmm = nullptr;
    PileupNetworkFunction pileup_network = nullptr;
    std::string choice;  ///< one line for log and output header: what was chosen and why

    std::unique_ptr<Stream> make_stream() const;
};

/// `backend` empty means auto: cuda where a fit device is, else simd, else reference. An explicit backend
/// that is not there throws DeviceUnfit; it never falls back in silence. `level` caps the SIMD level
/// (GANNET_SIMD).
OpTable make_op_table(std::optional<Backend> backend, std::optional<SimdLevel> level);

}  // namespace gannet::kernels
