// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op inflate: the device schedule, run on the host lane by lane.
#include "kernels/inflate/inflate_backends.hpp"
#include "kernels/inflate/inflate_plan.hpp"
#include "kernels/inflate/inflate_schedule.hpp"

#include <vector>

namespace gannet::kernels {

namespace {

using namespace inflate;

struct Memory {
    WarpPlan plan;
    std::vector<uint32_t> words;
    std::vector<uint32_t> statuses;
    std::vector<uint32_t> out;
    WarpShared shared;
};

}  // namespace

/// The blocks are done from the last to the first: the order must not matter.
void inflate_emulated(Stream&, std::span<const InflateBlock> blocks, std::vector<InflateStatus>& statuses) {
    static thread_local Memory memory;  // keeps what earlier batches left
    memory.plan.prepare(blocks);
    memory.words.resize(memory.plan.words());
    memory.plan.fill(blocks, memory.words.data());
    memory.statuses.resize(blocks.size());
    memory.out.resize(memory.plan.out_words());
    const InflateArrays arrays{memory.words.data(),
                               memory.plan.blocks().data(),
                               static_cast<uint32_t>(blocks.size()),
                               memory.statuses.data(),
                               reinterpret_cast<uint8_t*>(memory.out.data()),
                               memory.out.data()};
    for (uint32_t k = arrays.count; k-- > 0;)
        StreamSchedule<HostWarp>(HostWarp(k), arrays, memory.shared, k).run();
    memory.plan.collect(memory.statuses.data(), memory.out.data(), blocks, statuses);
}

}  // namespace gannet::kernels
