// SPDX-License-Identifier: MIT
// Provides the targets' seeds to libFuzzer: they are written to the folder GANNET_FUZZ_SEEDS before it looks
// there.
#include "tests/fuzz/fuzz.hpp"

#include <fstream>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* const folder = std::getenv("GANNET_FUZZ_SEEDS");
    if (folder == nullptr) return 0;
    size_t number = 0;
    for (const std::string& seed : gannet::fuzz::seeds())
        std::ofstream(std::string(folder) + "/seed" + std::to_string(number++), std::ios::binary) << seed;
    return 0;
}
