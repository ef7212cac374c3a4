// SPDX-License-Identifier: MIT
// Provides the backends of compute ops: their names, what this machine can run, and the choice among them.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::kernels {

enum class Backend { reference, simd, emulated, cuda };
enum class SimdLevel { none, sse42, avx2, avx512 };

std::string_view name(Backend backend);
std::string_view name(SimdLevel level);
std::optional<Backend> parse_backend(std::string_view text);       ///< not "auto"
std::optional<SimdLevel> parse_simd_level(std::string_view text);  ///< "sse4.2", "avx2", "avx512"

/// Highest level that CPU and operating system support (avx2 wants FMA, BMI2; avx512 wants F, BW, DQ, VL,
/// CD).
SimdLevel detected_simd_level();

/// No device, a driver too old, or one that cannot run the kernels (exit code 5).
class DeviceUnfit : public std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A device that failed during the run (exit code 5, like a device that was never usable).
class DeviceError : public DeviceUnfit {
    using DeviceUnfit::DeviceUnfit;
};
/// Device memory ran out (exit code 6).
class DeviceOutOfMemory : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct BackendStatus {
    Backend backend;
    bool available;
    std::string detail;  ///< what it is, or why it is not available
};
BackendStatus backend_status(Backend backend);  ///< looks for devices only if `backend` is cuda
std::vector<BackendStatus> backend_status();

/// Which backend runs an op when `backend` is chosen: ops without an implementation for it run on simd.
struct OpBackend {
    std::string op;
    Backend runs_on;
};
std::vector<OpBackend> op_backends(Backend backend);

}  // namespace gannet::kernels
