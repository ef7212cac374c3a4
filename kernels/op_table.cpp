// SPDX-License-Identifier: MIT
// Provides the choice of a backend and the table of its ops.
#include "kernels/op_table.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/host_stream.hpp"

#include <utility>

namespace gannet::kernels {

namespace {

SimdLevel chosen_level(std::optional<SimdLevel> requested) {
    const SimdLevel detected = detected_simd_level();
    if (!requested) return detected;
    if (*requested > detected) {
        throw DeviceUnfit("SIMD level " + std::string(name(*requested)) +
                          " was requested, but this CPU supports no more than " +
                          std::string(name(detected)));
    }
    return *requested;
}

Backend best_backend(SimdLevel level) {
    if (backend_status(Backend::cuda).available) return Backend::cuda;
    return level == SimdLevel::none ? Backend::reference : Backend::simd;
}

/// Describes the choice: the backend, its level or device, and for auto why nothing better was chosen.
std::string describe(const OpTable& table, bool is_auto) {
    std::string text = "backend " + std::string(name(table.backend));
    if (table.backend == Backend::simd) text += " (" + std::string(name(table.simd_level)) + ")";
    if (table.backend == Backend::cuda) text += " (" + backend_status(Backend::cuda).detail + ")";
    if (!is_auto) return text + ", as requested";
    if (table.backend == Backend::cuda) return text + ", chosen: a usable device was found";
    return text + ", chosen: no usable CUDA device (" + backend_status(Backend::cuda).detail + ")";
}

}  // namespace

OpTable OpTable::without_resident() const {
    OpTable table = *this;
    if (!needs_resident) return table;
    table.needs_resident = false;
    table.find_candidates = find_candidates_function(Backend::simd, simd_level);
    table.rescue = rescue_function(Backend::simd, simd_level);
    table.pairing = pairing_function(Backend::simd, simd_level);
    table.banded_sw_windows = nullptr;
    return table;
}

std::unique_ptr<Stream> OpTable::make_stream() const { return std::move(make_streams(1, {}).front()); }

std::vector<std::unique_ptr<Stream>> OpTable::make_streams(size_t count, const StreamSize& size) const {
    if (backend == Backend::cuda) return cuda::make_streams(count, size);
    std::vector<std::unique_ptr<Stream>> streams(count);
    for (auto& stream : streams) stream = std::make_unique<HostStream>();
    return streams;
}

OpTable make_op_table(std::optional<Backend> backend, std::optional<SimdLevel> level) {
    OpTable table;
    table.simd_level = chosen_level(level);
    table.backend = backend ? *backend : best_backend(table.simd_level);
    const BackendStatus status = backend_status(table.backend);
    if (!status.available) {
        throw DeviceUnfit("backend " + std::string(name(table.backend)) +
                          " was requested, but is not available: " + status.detail +
                          "; see `gannet devices`, or use --backend auto");
    }
    table.find_candidates = find_candidates_function(table.backend, table.simd_level);
    table.banded_sw = banded_sw_function(table.backend, table.simd_level);
    table.banded_sw_windows = banded_sw_windows_function(table.backend, table.simd_level);
    table.pair_hmm = pair_hmm_function(table.backend, table.simd_level);
    table.pileup_network = pileup_network_function(table.backend, table.simd_level);
    table.rescue = rescue_function(table.backend, table.simd_level);
    table.pairing = pairing_function(table.backend, table.simd_level);
    table.deflate = deflate_function(table.backend);
    table.inflate = inflate_function(table.backend);
    table.needs_resident = table.backend == Backend::cuda;
    table.choice = describe(table, !backend);
    return table;
}

}  // namespace gannet::kernels
