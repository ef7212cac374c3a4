// SPDX-License-Identifier: MIT
// Provides the stages of the align graph.
#include "pipeline/stages/align_stage.hpp"

#include "align/chain.hpp"
#include "pipeline/graph/run_state.hpp"

#include <algorithm>
#include <utility>

namespace gannet::pipeline::stages {
namespace {

void check_results(const align::AlignmentWork& work) {
    graph::reconcile("alignment jobs of a batch", work.jobs.size(), work.results.score.size());
}

uint64_t count_too_long(const data::ReadBatch& reads) {
    uint64_t count = 0;
    for (size_t i = 0; i < reads.reads(); ++i)
        count += reads.base_offset[i + 1] - reads.base_offset[i] > align::k_max_read_bp;
    return count;
}

}  // namespace

void AlignCounts::add(const AlignCounts& other) {
    templates += other.templates;
    reads += other.reads;
    mapped += other.mapped;
    paired += other.paired;
    proper_pairs += other.proper_pairs;
    supplementary += other.supplementary;
    secondary += other.secondary;
    records += other.records;
    too_long += other.too_long;
}

void take_stage(AlignItem& item, AlignSlot& slot) {
    std::swap(item.reads, slot.reads);
    if (item.extended) std::swap(item.work, slot.work);
    slot.extended = std::exchange(item.extended, false);
}

void find_candidates_stage(AlignSlot& slot, const AlignContext& context) {
    if (!slot.extended) context.aligner->find_candidates(slot.reads, slot.work);
}

void pack_reads_stage(AlignSlot& slot, const AlignContext& context) {
    if (!slot.extended) context.aligner->pack_reads(slot.reads, slot.work);
}

bool candidates_stage(AlignSlot& slot, const AlignContext& context) {
    if (slot.extended) return false;
    context.aligner->call_find_candidates(*slot.stream, context.ops->find_candidates, slot.work);
    return true;
}

void take_candidates_stage(AlignSlot& slot, const AlignContext& context) {
    if (slot.extended) return;
    graph::reconcile("reads of a batch, search for candidates", slot.reads.reads(),
                     slot.work.searched_reads());
    context.aligner->take_candidates(slot.reads, slot.work);
}

bool extension_stage(AlignSlot& slot, const AlignContext& context) {
    return !slot.extended && banded_sw_stage(slot, context);
}

bool banded_sw_stage(AlignSlot& slot, const AlignContext& context) {
    slot.work.results.score.clear();  // the results of an earlier round must not pass for this one's
    if (slot.work.jobs.empty()) return false;
    // A device that is not given the reads op by op does not hold the genome either.
    const bool has_genome = context.op_by_op || slot.stream->is_synchronous();
    context.aligner->call_banded_sw(
        {slot.stream.get(), context.ops->banded_sw, has_genome ? context.ops->banded_sw_windows : nullptr},
        slot.work);
    return true;
}

void list_rescues_stage(AlignSlot& slot, const AlignContext& context) {
    check_results(slot.work);
    context.aligner->list_rescues(slot.reads, context.model, slot.work);
}

bool rescue_search_stage(AlignSlot& slot, const AlignContext& context) {
    return context.aligner->call_rescue(*slot.stream, context.ops->rescue, slot.work);
}

bool rescue_stage(AlignSlot& slot, const AlignContext& context) {
    context.aligner->take_rescued(slot.work);
    return banded_sw_stage(slot, context);
}

void prepare_rescue_stage(AlignSlot& slot, const AlignContext& context) {
    check_results(slot.work);
    context.aligner->prepare_rescue(slot.reads, context.model, slot.work);
}

void choose_pairs_stage(AlignSlot& slot, const AlignContext& context) {
    check_results(slot.work);
    context.aligner->choose_pairs(slot.reads, context.model, slot.work);
}

void list_pairs_stage(AlignSlot& slot, const AlignContext& context) {
    check_results(slot.work);
    context.aligner->list_pairs(slot.reads, context.model, slot.work);
}

bool pairing_stage(AlignSlot& slot, const AlignContext& context) {
    return context.aligner->call_pairing(*slot.stream, context.ops->pairing, slot.work);
}

void take_pairs_stage(AlignSlot& slot, const AlignContext& context) {
    graph::reconcile("reads of a batch, pairing", slot.reads.reads(), slot.work.placed_reads());
    context.aligner->take_pairs(slot.reads, context.model, slot.work);
}

void build_records_stage(AlignSlot& slot, const AlignContext& context, size_t templates_at_once,
                         const std::function<void(const data::RecordBatch&)>& accept) {
    check_results(slot.work);
    slot.counts = {};
    const size_t templates = slot.reads.templates();
    size_t first = 0;
    do {  // also of an empty batch, so that no records of another one are left in the slot
        const size_t last = first + std::min(templates_at_once, templates - first);
        context.aligner->build_records(slot.reads, slot.work, first, last, slot.records);
        slot.counts.add(count_records(slot.records));
        if (accept) accept(slot.records);
        first = last;
    } while (first < templates);
    slot.counts.templates = templates;
    slot.counts.too_long = count_too_long(slot.reads);
}

void sample_insert_sizes_stage(AlignSlot& slot, const AlignContext& context) {
    check_results(slot.work);
    slot.inserts.clear();
    context.aligner->sample_insert_sizes(slot.reads, slot.work, slot.inserts);
}

AlignCounts count_records(const data::RecordBatch& records) {
    AlignCounts counts;
    counts.records = records.entries.size();
    for (const data::RecordEntry& entry : records.entries) {
        if (entry.flag & data::k_flag_supplementary) {
            ++counts.supplementary;
        } else if (entry.flag & data::k_flag_secondary) {
            ++counts.secondary;
        } else {
            ++counts.reads;
            counts.mapped += (entry.flag & data::k_flag_unmapped) == 0;
            counts.paired += (entry.flag & data::k_flag_paired) != 0;
            counts.proper_pairs +=
                (entry.flag & (data::k_flag_proper_pair | data::k_flag_unmapped)) == data::k_flag_proper_pair;
        }
    }
    return counts;
}

}  // namespace gannet::pipeline::stages
