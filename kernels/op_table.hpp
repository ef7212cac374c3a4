// SPDX-License-Identifier: MIT
// Provides the seam between host and device: one function pointer per op, filled for the chosen backend.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/deflate/deflate.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/inflate/inflate.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pairing/pairing.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "kernels/rescue/rescue.hpp"
#include "kernels/stream.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gannet::kernels {

/// The functions that run each op. Immutable once made; used by all threads.
struct OpTable {
    Backend backend = Backend::reference;
    SimdLevel simd_level = SimdLevel::none;
    FindCandidatesFunction find_candidates = nullptr;
    BandedSwFunction banded_sw = nullptr;
    BandedSwWindowsFunction banded_sw_windows = nullptr;
    PairHmmFunction pair_hmm = nullptr;
    PileupNetworkFunction pileup_network = nullptr;
    RescueFunction rescue = nullptr;
    PairingFunction pairing = nullptr;
    DeflateFunction deflate = nullptr;  ///< null: the backend has none, and a library of the host compresses
    InflateFunction inflate = nullptr;  ///< the same: a library inflates
    /// find_candidates, rescue, pairing and banded_sw_windows are those of devices, which must hold index and
    /// genome (kernels/resident.hpp).
    bool needs_resident = false;
    std::string choice;  ///< one line for log and output header: the choice and its reason

    /// The same for devices that do not hold them: these ops are the host's, but for banded_sw_windows, which
    /// is null, as banded_sw then takes copies of the sequences. Of a backend of the host it is the same
    /// table.
    OpTable without_resident() const;
    /// One without a size. Throws DeviceUnfit, DeviceOutOfMemory.
    std::unique_ptr<Stream> make_stream() const;
    /// The streams of all slots of a graph at once, so that each gets an even share of a device.
    std::vector<std::unique_ptr<Stream>> make_streams(size_t count, const StreamSize& size) const;
};

/// `backend` empty means auto: cuda if there is a usable device, else simd, else reference. An explicit
/// backend that is not available throws DeviceUnfit: nothing falls back in silence. `level` caps the SIMD
/// level (GANNET_SIMD).
OpTable make_op_table(std::optional<Backend> backend, std::optional<SimdLevel> level);

}  // namespace gannet::kernels
