// SPDX-License-Identifier: MIT
// Provides the check of devices before they are used: a self-test, once per driver, devices and build.
#pragma once

#include <string>

namespace gannet::pipeline {

/// Why the devices in use cannot be trusted; empty where they can. The self-test (device_self_test.hpp) is
/// made by a process of its own, `gannet devices --self-test`: a kernel that hangs or a driver that crashes
/// then ends only that, and nothing of it is left in this one. Where the devices have passed it with this
/// driver and this build it is not made again (checked_files.hpp).
struct DeviceCheck {
    std::string fault;  ///< one line
    bool was_remembered = false;
};
DeviceCheck check_devices();

}  // namespace gannet::pipeline
