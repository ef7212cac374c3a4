// SPDX-License-Identifier: MIT
// Provides the settings of the simulated device (fake_device.cpp), from the environment.
//
// GANNET_FAKE_DEVICE holds them as "name=value,name=value", all optional:
//   latency_us   minimum time per batch [0]
//   jitter       the time is drawn uniformly from 0 to (1 + jitter/100) times latency_us [0]
//   seed         of the jitter, with the number of the batch [1]
//   devices      how many there are [1]
//   engines      batches that a device computes at once [1]
//   meets        1: a batch does not come back before another one has been submitted, for at most half a
//                second, nor for any longer once many have waited in vain; how many met another one is
//                written to standard error at the end
//   fails_at     at this batch, numbered from 1 in the order of submission, its device fails permanently.
//                Batches of inflate come whenever reads are read: they have numbers from 1000001 on, and do
//                not meet others
//   memory_at    at this batch device memory runs out
//   loses_at     this batch comes back without results
//   memory_mb    memory of a device, all of it usable [1024]
//   block_kb     the driver has no block of device memory that is larger than this [no limit]
//   unfit        1: no device can be used; 2: the second one cannot
//   quick_deflate  1: blocks are compressed by a library, not by the op; other bytes, in a tenth of the time
//   self_test    1: it is tested before it is used, as a device is; 2: and fails, since pair_hmm is wrong
//   report       1: the CPU seconds of all its batches are written to standard error at the end
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace gannet::tests {

inline std::map<std::string, uint64_t> settings_of_environment() {
    std::map<std::string, uint64_t> settings{
        {"latency_us", 0},    {"jitter", 0},   {"seed", 1},         {"devices", 1},
        {"engines", 1},       {"fails_at", 0}, {"memory_at", 0},    {"loses_at", 0},
        {"unfit", 0},         {"report", 0},   {"memory_mb", 1024}, {"block_kb", UINT64_MAX >> 10},
        {"quick_deflate", 0}, {"meets", 0},    {"self_test", 0}};
    const char* const given = std::getenv("GANNET_FAKE_DEVICE");
    std::string text = given != nullptr ? given : "";
    while (!text.empty()) {
        const std::string one = text.substr(0, text.find(','));
        text.erase(0, one.size() + 1);
        const size_t equals = one.find('=');
        const auto at = settings.find(one.substr(0, equals));
        if (at == settings.end() || equals == std::string::npos)
            throw std::runtime_error("GANNET_FAKE_DEVICE: no such setting: " + one);
        at->second = std::strtoull(one.c_str() + equals + 1, nullptr, 10);
    }
    return settings;
}

inline const std::map<std::string, uint64_t>& settings() {
    static const std::map<std::string, uint64_t> all = settings_of_environment();
    return all;
}
inline uint64_t setting(const char* name) { return settings().at(name); }

}  // namespace gannet::tests
