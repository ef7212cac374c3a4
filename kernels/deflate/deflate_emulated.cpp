// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op deflate: the device schedule, run on the host lane by lane.
#include "kernels/deflate/deflate_backends.hpp"
#include "kernels/deflate/deflate_plan.hpp"
#include "kernels/deflate/deflate_schedule.hpp"

#include <vector>

namespace gannet::kernels {

namespace {

using namespace deflate;

struct Memory {
    WarpPlan plan;
    std::vector<uint64_t> words;
    std::vector<uint32_t> stream_bytes;
    std::vector<uint32_t> streams;
    WarpShared shared;
    WarpScratch scratch;
};

}  // namespace

/// The blocks are done from the last to the first: the order must not matter.
void deflate_emulated(Stream&, const DeflateBatch& batch, DeflateResults& results) {
    static thread_local Memory memory;  // keeps what earlier batches left
    memory.plan.prepare(batch);
    memory.words.resize(memory.plan.words());
    memory.plan.fill(batch, memory.words.data());
    memory.stream_bytes.resize(batch.size());
    memory.streams.resize(memory.plan.stream_words());
    const DeflateArrays arrays{memory.words.data(), memory.plan.blocks().data(),
                               static_cast<uint32_t>(batch.size()), memory.stream_bytes.data(),
                               memory.streams.data()};
    for (uint32_t k = arrays.count; k-- > 0;)
        BlockSchedule<HostWarp>(HostWarp(k), arrays, memory.shared, memory.scratch, k).run();
    memory.plan.collect(memory.stream_bytes.data(), memory.streams.data(), results);
}

}  // namespace gannet::kernels
