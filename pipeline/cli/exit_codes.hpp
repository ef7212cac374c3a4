// SPDX-License-Identifier: MIT
// Provides the exit codes as help and man pages list them.
#pragma once

#include <array>

namespace gannet::pipeline::cli {

struct ExitCode {
    const char* code;
    const char* text;
};

/// docs/exit-codes.md has the details.
inline constexpr std::array<ExitCode, 12> k_exit_codes = {{
    {"0", "done"},
    {"1", "internal error"},
    {"2", "usage"},
    {"3", "malformed input"},
    {"4", "reference mismatch"},
    {"5", "device"},
    {"6", "device memory"},
    {"7", "memory"},
    {"8", "output"},
    {"9", "disk space"},
    {"10", "slower (bench compare)"},
    {"130/143", "stopped by a signal"},
}};

}  // namespace gannet::pipeline::cli
