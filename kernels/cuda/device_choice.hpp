// SPDX-License-Identifier: MIT
// Provides the choice of devices by what a user calls them.
#pragma once

#include "kernels/cuda/device.hpp"

#include <string>
#include <vector>

namespace gannet::kernels::cuda {

/// The devices of `all` that `references` name, in that order: ordinals, or UUIDs as `nvidia-smi -L` prints
/// them, or the beginning of one that no other device has. Throws DeviceUnfit, one line, where a device is
/// not there, is unfit or is named twice; `status` says why there is none at all.
std::vector<DeviceInfo> choose_devices(const std::vector<DeviceInfo>& all,
                                       const std::vector<std::string>& references,
                                       const DeviceStatus& status);

/// `chosen`, or where that is empty the fit ones of `all`.
std::vector<DeviceInfo> used_of(const std::vector<DeviceInfo>& all, const std::vector<DeviceInfo>& chosen);

/// Whether these can be used: the first fit one and the number of further ones, or why the first is unfit.
DeviceStatus status_of(const std::vector<DeviceInfo>& devices);

}  // namespace gannet::kernels::cuda
