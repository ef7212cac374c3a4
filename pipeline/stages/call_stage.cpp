// SPDX-License-Identifier: MIT
// Provides the stages of the call graph.
#include "pipeline/stages/call_stage.hpp"

#include "pipeline/graph/run_state.hpp"

#include <span>
#include <utility>

namespace gannet::pipeline::stages {

void take_stage(CallItem& item, CallSlot& slot) {
    slot.windows = std::exchange(item.windows, {});
    slot.lease = std::exchange(item.lease, nullptr);
    slot.window_count = slot.windows.size();
    slot.record_count = 0;
    for (const variants::WindowReads& window : slot.windows) slot.record_count += window.records.size();
}

void find_regions_stage(CallSlot& slot, const CallContext& context) {
    context.caller->begin(std::exchange(slot.windows, {}), slot.work);
}

bool pair_hmm_stage(CallSlot& slot, const CallContext& context) {
    slot.work.likelihoods.clear();  // those of the last batch must not pass for this one's
    if (slot.work.jobs.pairs() == 0) return false;
    context.ops->pair_hmm(*slot.stream, slot.work.jobs, slot.work.likelihoods);
    return true;
}

void genotype_stage(CallSlot& slot, const CallContext& context) {
    graph::reconcile("likelihoods of a batch", slot.work.jobs.pairs(), slot.work.likelihoods.size());
    context.caller->genotype(slot.work);
}

bool pileup_network_stage(CallSlot& slot, const CallContext& context) {
    slot.work.corrections.clear();
    if (slot.work.examples.size() == 0) return false;
    context.ops->pileup_network(*slot.stream, *context.scorer, slot.work.examples.network,
                                slot.work.corrections);
    return true;
}

void finish_records_stage(CallSlot& slot, const CallContext& context) {
    graph::reconcile("results of the network", slot.work.examples.size() * kernels::pileup::k_outputs,
                     slot.work.corrections.size());
    slot.variants.clear();
    context.caller->finish(slot.work, slot.variants);
    if (context.known_ids != nullptr) context.known_ids->annotate(slot.variants);
}

void gvcf_stage(CallSlot& slot, const CallContext& context) {
    slot.gvcf_lines.bytes.clear();
    const std::span<const data::Variant> variants = slot.variants;
    size_t first = 0;
    for (size_t i = 0; i < slot.work.window_count(); ++i) {
        const data::Region& window = slot.work.window(i);
        size_t last = first;
        while (last < variants.size() && variants[last].contig == window.contig &&
               variants[last].position < window.end)
            ++last;
        slot.blocks.clear();
        context.caller->reference_blocks(slot.work, i, slot.blocks);
        slot.gvcf->add(variants.subspan(first, last - first), slot.blocks, slot.gvcf_lines);
        first = last;
    }
    graph::reconcile("variants of a batch in the gVCF", variants.size(), first);
}

}  // namespace gannet::pipeline::stages
