// SPDX-License-Identifier: MIT
// Provides what the build told: the only source that is compiled with the commit, so that all others stay in
// the compiler's cache.
#include "pipeline/bench/build_info.hpp"

namespace gannet::pipeline::bench {

BuildInfo build_info() {
    return {GANNET_BUILD_COMMIT, GANNET_BUILD_COMPILER, GANNET_BUILD_FLAGS, GANNET_BUILD_TYPE};
}

}  // namespace gannet::pipeline::bench
