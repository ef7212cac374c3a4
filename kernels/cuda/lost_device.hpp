// SPDX-License-Identifier: MIT
// Provides the exception of a device that fails for good during a run.
//
// Such a device makes every later call fail too. The first fault is kept for the life of the process, and
// later ones repeat it, so that the line a user sees names the cause, whichever batch ends the run.
#pragma once

#include <string>

namespace gannet::kernels::cuda {

/// Throws DeviceError; `text` says what failed. what() is one line with what to do. Thread-safe.
[[noreturn]] void raise_lost_device(const std::string& text);

}  // namespace gannet::kernels::cuda
