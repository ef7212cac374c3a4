// SPDX-License-Identifier: MIT
// Provides the stages of the call graph.
#include "pipeline/stages/call_stage.hpp"

#include <utility>

namespace gannet::pipeline::stages {

void take_stage(CallItem& item, CallSlot& slot) {
    slot.windows = std::exchange(item.windows, {});
    slot.lease = std::exchange(item.lease, nullptr);
    slot.window_count = slot.windows.size();
}

void begin_stage(CallSlot& slot, const CallContext& context) {
    context.caller->begin(std::exchange(slot.windows, {}), slot.work);
}

void likelihood_stage(CallSlot& slot, const CallContext& context) {
    context.ops->pair_hmm(*slot.stream, slot.work.jobs, slot.work.likelihoods);
}

void finish_stage(CallSlot& slot, const CallContext& context) {
    slot.variants.clear();
    context.caller->finish(slot.work, slot.variants);
}

}  // namespace gannet::pipeline::stages
