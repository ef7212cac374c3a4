// SPDX-License-Identifier: MIT
// Provides the facts of the build. It is the only source that is compiled with the commit, so that a new
// commit compiles nothing else.
#include "pipeline/build_info.hpp"

namespace gannet::pipeline {

BuildInfo build_info() {
    return {GANNET_BUILD_COMMIT, GANNET_BUILD_DATE, GANNET_BUILD_COMPILER, GANNET_BUILD_FLAGS,
            GANNET_BUILD_TYPE};
}

}  // namespace gannet::pipeline
