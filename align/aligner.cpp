// SPDX-License-Identifier: MIT
// Provides the rounds of a batch: what is prepared for the ops, and what becomes of their results.
#include "align/aligner.hpp"

#include "align/alternate.hpp"
#include "align/extend.hpp"
#include "align/omitted.hpp"
#include "align/pack_reads.hpp"
#include "align/pairing/pair.hpp"
#include "align/pairing/rescue.hpp"
#include "align/record_builder.hpp"
#include "align/work_state.hpp"
#include "data/prefetch.hpp"

#include <algorithm>

namespace gannet::align {

AlignmentWork::AlignmentWork() : state(std::make_unique<State>()) {}
AlignmentWork::~AlignmentWork() = default;
AlignmentWork::AlignmentWork(AlignmentWork&&) noexcept = default;
AlignmentWork& AlignmentWork::operator=(AlignmentWork&&) noexcept = default;

RoundCounts AlignmentWork::counts(Round round) const {
    switch (round) {
        case Round::find_candidates:
            return {state->reads.size(), state->found.left_out.size()};
        case Round::pairing:
            return {state->reads.size(), state->placed.size()};
        case Round::rescue_search:
            return {};
        case Round::extension:
        case Round::rescue:
        case Round::traceback:
            break;
    }
    return {jobs.size(), results.score.size()};
}

Aligner::Aligner(std::shared_ptr<const Index> index, AlignerParameters parameters,
                 std::vector<data::ReadGroup> read_groups, const data::ContigClasses& classes)
    : index_(std::move(index)),
      parameters_(parameters),
      read_groups_(std::move(read_groups)),
      tables_(std::make_unique<const AlignerTables>(*index_->reference(), classes)) {}

Aligner::~Aligner() = default;

const data::Reference& Aligner::reference() const { return *index_->reference(); }
const kernels::GenomeView& Aligner::genome_view() const { return tables_->genome; }

namespace {

using kernels::k_confident_mismatches;
using kernels::pairing_terms::insert_size;

std::span<Candidate> candidates_of(AlignmentWork::State& state, const ReadState& read) {
    return std::span(state.candidates)
        .subspan(read.candidate_begin, read.candidate_end - read.candidate_begin);
}

/// Where candidates were found by a device, the host has not seen their part of the reference yet: it is on
/// its way to the caches while so many templates before it are worked on.
constexpr size_t k_templates_ahead = 4;

void prefetch(const data::Reference& reference, int64_t begin, int64_t end) {
    constexpr int64_t k_line_bases = 64 * 4;
    for (int64_t at = begin; at < end + k_line_bases - 1; at += k_line_bases)
        data::prefetch(reference.packed().data() + std::min(at, end - 1) / 32);
}

void prefetch_chosen(const data::Reference& reference, const AlignmentWork::State& state, size_t read) {
    const ChosenRange& range = state.ranges[read];
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const Candidate& candidate = state.candidates[state.chosen[i].candidate];
        prefetch(reference, candidate.target_begin, candidate.target_end);
    }
}

}  // namespace

void Aligner::prepare(Round round, const data::ReadBatch& batch, const InsertSizeModel& model,
                      AlignmentWork& work) const {
    switch (round) {
        case Round::find_candidates:
            return pack(batch, work);
        case Round::extension:
            return take_candidates(batch, work);
        case Round::rescue_search:
            return list_rescues(batch, usable(model), work);
        case Round::rescue:
            return std::swap(work.jobs, work.state->rescued.jobs);
        case Round::pairing:
            return list_pairs(batch, usable(model), work);
        case Round::traceback:
            return take_pairs(batch, usable(model), work);
    }
}

bool Aligner::call(Round round, const kernels::OpTable& ops, kernels::Stream& stream,
                   AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    AlignmentWork::State::OpInputs& inputs = state.op_inputs;
    switch (round) {
        case Round::find_candidates:
            ops.find_candidates(stream, inputs.parameters, inputs.index, tables_->genome, inputs.reads,
                                state.found);
            return ops.needs_resident;
        case Round::rescue_search:
            if (inputs.rescue.count == 0) return false;
            ops.rescue(stream, inputs.parameters, tables_->genome, inputs.reads, inputs.rescue,
                       state.rescued);
            return ops.needs_resident;
        case Round::pairing:
            if (inputs.reads.reads == 0) return false;
            ops.pairing(stream, inputs.pairing, tables_->genome, inputs.reads, inputs.pairs, state.placed);
            return ops.needs_resident;
        case Round::extension:
        case Round::rescue:
        case Round::traceback:
            break;
    }
    return call_banded_sw(ops, stream, work);
}

bool Aligner::call_banded_sw(const kernels::OpTable& ops, kernels::Stream& stream,
                             AlignmentWork& work) const {
    work.results.score.clear();  // what an earlier round left must not pass for this one's
    if (work.jobs.empty()) return false;
    AlignmentWork::State::OpInputs& inputs = work.state->op_inputs;
    if (ops.banded_sw_windows == nullptr) {
        copy_jobs(work, inputs.copied);
        ops.banded_sw(stream, parameters_.scoring, inputs.copied, work.results);
        return true;
    }
    inputs.windows = {work.jobs.data(), work.jobs.size(), work.state->traced};
    ops.banded_sw_windows(stream, parameters_.scoring, tables_->genome, inputs.reads, inputs.windows,
                          work.results);
    return true;
}

void Aligner::copy_jobs(const AlignmentWork& work, kernels::BandedSwBatch& out) const {
    kernels::copy_windows(tables_->genome, work.state->op_inputs.reads,
                          {work.jobs.data(), work.jobs.size(), work.state->traced}, out);
}

void Aligner::pack(const data::ReadBatch& batch, AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    work.jobs.clear();
    state.traced = false;
    state.extensions_taken = false;
    state.found.clear();
    pack_reads(batch, state);
    state.op_inputs.reads = read_batch_view(batch, state);
    state.op_inputs.index = index_view();
    state.op_inputs.parameters = candidate_parameters(parameters_, index_->parameters().kmer);
}

void Aligner::take_candidates(const data::ReadBatch& batch, AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    kernels::FoundCandidates& found = state.found;
    std::swap(state.parts, found.parts);
    std::swap(state.candidates, found.candidates);
    for (size_t i = 0; i < batch.reads(); ++i) {
        ReadState& read = state.reads[i];
        read.candidate_begin = found.candidate_begin[i];
        read.candidate_end = found.candidate_begin[i + 1];
        read.left_out = found.left_out[i];
        read.complete_seeds = found.complete_seeds[i];
        read.narrowed = found.narrowed[i] != 0;
        read.part_begin = found.part_offset[i];
        read.part_end = found.part_offset[i + 1];
    }
    std::swap(work.jobs, found.jobs);
}

void Aligner::list_rescues(const data::ReadBatch& batch, const InsertSizeModel& model,
                           AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    take_extensions(work);
    work.jobs.clear();
    state.windows.clear();
    state.rescued.clear();
    if (batch.paired) list_windows(parameters_, model, 0, static_cast<uint32_t>(batch.reads()), state);
    state.op_inputs.rescue = {state.windows.data(), state.windows.size()};
}

void Aligner::list_pairs(const data::ReadBatch& batch, const InsertSizeModel& model,
                         AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    merge_rescued(Extender(tables_->genome, parameters_, work), parameters_, state);
    work.jobs.clear();
    state.traced = true;
    state.placed.clear();
    state.op_inputs.pairing = pairing_parameters(parameters_, model, index_->parameters().kmer);
    state.op_inputs.pairs = pairing_batch(batch, state);
}

void Aligner::take_pairs(const data::ReadBatch& batch, const InsertSizeModel& model,
                         AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    state.chosen.clear();
    state.other_hits.clear();
    state.ranges.resize(batch.reads());
    const Ungapped ungapped(*tables_, parameters_, state.op_inputs.reads);
    const OmittedPositions omitted(batch, *index_, ungapped, state);
    Extender extender(tables_->genome, parameters_, work);
    PairTaker taker(parameters_, model, omitted, extender, state);
    for (uint32_t i = 0; i < batch.templates(); ++i) taker.take(i);
}

void Aligner::take_extensions(AlignmentWork& work) const {
    AlignmentWork::State& state = *work.state;
    if (state.extensions_taken) return;
    const Extender extender(tables_->genome, parameters_, work);
    for (ReadState& read : state.reads) {
        const size_t left = take_extension_results(extender, candidates_of(state, read), parameters_);
        read.candidate_end = read.candidate_begin + static_cast<uint32_t>(left);
    }
    state.extensions_taken = true;
}

void Aligner::build_records(const data::ReadBatch& batch, const AlignmentWork& work, size_t first,
                            size_t last, data::RecordBatch& out) const {
    out.clear();
    out.ordinal = batch.ordinal;
    out.read_group = batch.read_group;
    const std::string_view read_group =
        batch.read_group < read_groups_.size() ? std::string_view(read_groups_[batch.read_group].id) : "";
    RecordBuilder builder(batch, reference(), parameters_, read_group, work, out);
    const size_t reads = batch.paired ? 2 : 1;
    for (size_t i = first; i < last; ++i) {
        const size_t ahead = (i + k_templates_ahead) * reads;
        for (size_t read = ahead; read < std::min(ahead + reads, batch.reads()); ++read)
            prefetch_chosen(reference(), *work.state, read);
        builder.build(i);
    }
}

void Aligner::sample_insert_sizes(const data::ReadBatch& batch, AlignmentWork& work,
                                  std::vector<int32_t>& inserts) const {
    if (!batch.paired) return;
    take_extensions(work);
    const AlignmentWork::State& state = *work.state;
    const int32_t reach = k_confident_mismatches * parameters_.scoring.mismatch_loss();
    const auto confident = [&](const ReadState& read) -> const Candidate* {
        const auto competing = candidate_parts(state, read, parameters_).competing;
        if (competing.empty() || read.left_out.truncated != 0) return nullptr;
        const Candidate& best = competing.front();
        if (2 * best.score < static_cast<int32_t>(read.length) * parameters_.scoring.match) return nullptr;
        const bool rival = competing.size() > 1 && competing[1].score > best.score - reach;
        return rival ? nullptr : &best;
    };
    for (size_t i = 0; i + 1 < state.reads.size(); i += 2) {
        const Candidate* a = confident(state.reads[i]);
        const Candidate* b = confident(state.reads[i + 1]);
        if (a == nullptr || b == nullptr) continue;
        const int32_t insert = insert_size(*a, state.reads[i].length, *b, state.reads[i + 1].length);
        if (insert > 0) inserts.push_back(insert);
    }
}

}  // namespace gannet::align
