// SPDX-License-Identifier: MIT
// Provides the stages of the align graph.
#include "pipeline/stages/align_stage.hpp"

#include "pipeline/graph/run_state.hpp"

#include <algorithm>
#include <utility>

namespace gannet::pipeline::stages {
namespace {

const char* name_of(align::Round round) {
    switch (round) {
        case align::Round::find_candidates:
            return "reads of a batch, find_candidates";
        case align::Round::pairing:
            return "reads of a batch, pairing";
        default:
            return "alignment jobs of a batch";
    }
}

void check_results(const AlignSlot& slot, align::Round round) {
    const align::RoundCounts counts = slot.work.counts(round);
    graph::reconcile(name_of(round), counts.given, counts.done);
}

bool goes_through(const AlignSlot& slot, align::Round round) {
    if (slot.rounds == BatchRounds::all) return true;
    return (slot.rounds == BatchRounds::sample) == (round <= align::Round::extension);
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
    bases += other.bases;
    too_long += other.too_long;
    trimmed_reads += other.trimmed_reads;
    trimmed_bases += other.trimmed_bases;
}

void take_stage(AlignItem& item, AlignSlot& slot) {
    std::swap(item.text, slot.text);
    std::swap(item.reads, slot.reads);
    slot.trimmed = item.trimmed;
    slot.tracked = item.tracked;
    if (item.rounds == BatchRounds::after_sample) std::swap(item.work, slot.work);
    slot.rounds = item.rounds;
}

void parse_stage(AlignSlot& slot, const LaneSource& source) {
    if (slot.text.empty()) return;
    source.parse(slot.text, slot.reads);
    slot.text.clear();
}

void track_sequences_stage(AlignSlot& slot, qc::SequenceTracker& tracker) {
    if (!slot.tracked) tracker.add(slot.reads);
    slot.tracked = true;
}

void trim_stage(AlignSlot& slot) {
    if (!slot.trimmed) slot.trimmed = align::trim_adapters(slot.reads, slot.finder);
}

void prepare_stage(AlignSlot& slot, const AlignContext& context, align::Round round) {
    if (!goes_through(slot, round)) return;
    if (round != align::k_rounds.front())
        check_results(slot, static_cast<align::Round>(static_cast<int>(round) - 1));
    context.aligner->prepare(round, slot.reads, context.model, slot.work);
}

bool op_stage(AlignSlot& slot, const AlignContext& context, align::Round round) {
    if (!goes_through(slot, round)) return false;
    const AlignStreams& streams = *context.streams;
    return context.aligner->call(round, streams.ops(), streams.stream(slot.number), slot.work);
}

void build_records_stage(AlignSlot& slot, const AlignContext& context, size_t templates_at_once,
                         const std::function<void(const data::RecordBatch&)>& accept) {
    slot.counts = {};
    if (slot.rounds == BatchRounds::sample) return;
    check_results(slot, align::k_rounds.back());
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
    slot.counts.bases = slot.reads.bases.size();
    slot.counts.too_long = count_too_long(slot.reads);
    if (slot.trimmed) {
        slot.counts.trimmed_reads = slot.trimmed->reads;
        slot.counts.trimmed_bases = slot.trimmed->bases;
    }
}

void sample_insert_sizes_stage(AlignSlot& slot, const AlignContext& context) {
    slot.inserts.clear();
    if (slot.rounds != BatchRounds::sample) return;
    check_results(slot, align::Round::extension);
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
