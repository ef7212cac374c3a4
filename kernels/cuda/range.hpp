// SPDX-License-Identifier: MIT
// Provides named ranges of the calling thread for NVIDIA's profilers (NVTX). Its headers load a library only
// where a profiler has asked for one; a toolkit without them gives no ranges.
#pragma once

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define GANNET_HAS_NVTX 1
#endif

namespace gannet::kernels::cuda {

class Range {
  public:
#ifdef GANNET_HAS_NVTX
    explicit Range(const char* name) { nvtxRangePushA(name); }
    ~Range() { nvtxRangePop(); }
#else
    explicit Range(const char*) {}
#endif
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
};

}  // namespace gannet::kernels::cuda
