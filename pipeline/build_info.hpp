// SPDX-License-Identifier: MIT
// Provides what this program was built from and with.
#pragma once

#include <string>

namespace gannet::pipeline {

struct BuildInfo {
    std::string commit;  ///< git describe at configure time, "-dirty" where files differ; else "unknown"
    std::string date;    ///< of that commit, ISO 8601; empty where it is unknown
    std::string compiler;
    std::string flags;
    std::string build_type;
};

BuildInfo build_info();

}  // namespace gannet::pipeline
