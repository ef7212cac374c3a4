// SPDX-License-Identifier: MIT
// Provides the job of `gannet examples`.
#include "pipeline/jobs/examples_job.hpp"

#include "data/error.hpp"
#include "data/json_text.hpp"
#include "data/output_file.hpp"
#include "ml/example_file.hpp"
#include "pipeline/jobs/call_job.hpp"
#include "pipeline/jobs/contig_choice.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/sample.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/shard_names.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/sorted_graph.hpp"
#include "pipeline/stages/chunk_source.hpp"
#include "variants/compare/labels.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <numeric>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using variants::compare::k_unknown_copies;
using variants::compare::Labeller;

/// 0, 1, 2 copies and unknown.
using LabelCounts = std::array<uint64_t, 4>;
size_t count_index(uint8_t label) { return label == k_unknown_copies ? 3 : label; }

std::string shard_path(const std::string& folder, int index, int shards) {
    const std::string name = k_example_shards.of(static_cast<size_t>(index), static_cast<size_t>(shards));
    return (fs::path(folder) / name).string();
}

/// Takes the examples of batches of windows, labels them and deals them out.
class ExampleSink {
  public:
    ExampleSink(const ExamplesOptions& options, const data::Reference& reference,
                const ml::ExampleFileHeader& header)
        : labeller_(reference, options.truth, [this](uint64_t, uint8_t label) { write(label); }) {
        for (int i = 0; i < options.shards; ++i) {
            shards_.push_back(
                std::make_unique<ml::ExampleWriter>(shard_path(options.output, i, options.shards), header));
        }
        counts_.resize(shards_.size());
    }

    void take(const variants::CallWork& work);
    void commit() {
        labeller_.finish();
        for (auto& shard : shards_) shard->commit();
    }
    nlohmann::ordered_json summary(const data::RegionSet& targets) const;

  private:
    struct Pending {
        ml::ExampleFacts facts;
        std::vector<uint8_t> site;
        std::vector<uint8_t> rows;
    };
    void write(uint8_t label);

    std::deque<Pending> pending_;
    std::vector<std::unique_ptr<ml::ExampleWriter>> shards_;
    std::vector<std::array<LabelCounts, 4>> counts_;  // by shard and kind
    uint64_t written_ = 0;
    std::vector<uint32_t> order_;
    Labeller labeller_;
};

void ExampleSink::take(const variants::CallWork& work) {
    order_.resize(work.examples.facts.size());
    std::iota(order_.begin(), order_.end(), 0U);
    // Alleles of a site were made one after another: position and kind leave their order.
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
        const ml::ExampleFacts& x = work.examples.facts[a];
        const ml::ExampleFacts& y = work.examples.facts[b];
        return x.contig != y.contig ? x.contig < y.contig : x.position < y.position;
    });
    for (const uint32_t i : order_) {
        const ml::ExampleFacts& facts = work.examples.facts[i];
        Pending example;
        example.facts = facts;
        const uint8_t* const site = work.examples.network.sites.data() + size_t{i} * ml::pileup::k_site_bytes;
        example.site.assign(site, site + ml::pileup::k_site_bytes);
        const uint8_t* const rows = work.examples.network.rows.data();
        example.rows.assign(rows + size_t{work.examples.network.row_offset[i]} * ml::pileup::k_row_bytes,
                            rows + size_t{work.examples.network.row_offset[i + 1]} * ml::pileup::k_row_bytes);
        pending_.push_back(std::move(example));
        labeller_.add(
            facts.contig, facts.change_begin, facts.reference_length,
            {work.examples.fact_bases.data() + facts.first_base, static_cast<size_t>(facts.alternate_length)},
            facts.copies);
    }
}

void ExampleSink::write(uint8_t label) {
    const Pending example = std::move(pending_.front());
    pending_.pop_front();
    const size_t shard = written_++ % shards_.size();
    shards_[shard]->write({example.facts, label, example.site, example.rows});
    ++counts_[shard][example.facts.kind][count_index(label)];
}

nlohmann::ordered_json ExampleSink::summary(const data::RegionSet& targets) const {
    static constexpr std::array<const char*, 4> k_kinds = {"snp", "insertion", "deletion", "other"};
    static constexpr std::array<const char*, 4> k_labels = {"0", "1", "2", "unknown"};
    nlohmann::ordered_json json = {{"examples", written_}, {"shards", nlohmann::ordered_json::array()}};
    for (const auto& kinds : counts_) {
        nlohmann::ordered_json shard;
        for (size_t kind = 0; kind < kinds.size(); ++kind) {
            for (size_t label = 0; label < kinds[kind].size(); ++label)
                shard[k_kinds[kind]][k_labels[label]] = kinds[kind][label];
        }
        json["shards"].push_back(shard);
    }
    const Labeller::Missing missing = labeller_.without_candidate(targets);
    json["truth_without_candidate"] = {{"snp", missing.snp}, {"indel", missing.indel}};
    return json;
}

std::string command_of(const ExamplesOptions& options) {
    CommandText command("examples");
    command.word(options.reference).word(options.alignments).option("--truth", options.truth);
    command.option("--shards", std::to_string(options.shards)).option("--sample", options.sample);
    for (const std::string& region : options.regions) command.option("--regions", region);
    command.option("--targets", options.targets);
    if (options.minimum_presence != ExamplesOptions{}.minimum_presence) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", options.minimum_presence);
        command.option("--minimum-presence", text);
    }
    describe_contigs(command, options.alt, options.all_contigs);
    describe_sample(command, options.sample_model);
    return command.text();
}

JobFiles files_of(const ExamplesOptions& options, const std::string& summary) {
    JobFiles files;
    files.reads_reference(options.reference, options.index);
    files.reads_with_indexes(options.alignments, "the alignments");
    files.reads_with_indexes(options.truth, "--truth").reads(options.targets, "--targets");
    files.reads_alternates(options.alt).reads(options.sample_model.primers, "--primers");
    for (int i = 0; i < options.shards; ++i) {
        files.writes_before(summary, shard_path(options.output, i, options.shards), "the shard");
    }
    files.writes(summary, "the summary").writes(options.resources);
    return files;
}

}  // namespace

void run_examples(const ExamplesOptions& options) {
    if (options.alignments != "-") check_readable(options.alignments);
    if (!options.sample.empty()) check_sample_name(options.sample);
    if (!options.truth.empty()) check_readable(options.truth);
    const std::string summary = (fs::path(options.output) / "examples.json").string();
    const JobFiles files = files_of(options, summary);
    files.check();
    make_output_folder(options.output);
    const OutputLocks locks = files.lock();
    k_example_shards.refuse_others(options.output, static_cast<size_t>(options.shards));
    Session session(options.resources);
    const auto reference = open_reference(options.reference, options.index, session);
    CallScope scope = call_scope(options.regions, "", options.targets, *reference);
    stages::BamSource source(options.alignments, options.reference, reference, scope.windows, options.sample);
    data::ContigClasses classes = classify_contigs(*reference, options.reference, options.alt);
    if (options.alt.empty()) add_alternates_of_header(source.alternate_contigs(), *reference, classes);
    limit_to_primary(scope, *reference, classes, options.all_contigs);
    ml::ExampleFileHeader header;
    header.command = command_of(options);
    header.sample = source.sample().empty() ? default_sample(options.alignments) : source.sample();
    for (const data::Contig& contig : reference->contigs()) header.contigs.push_back(contig.name);

    variants::ScoringParameters scoring;
    scoring.enabled = true;
    scoring.examples_only = true;
    scoring.decision.minimum_presence =
        static_cast<int32_t>(std::lround(options.minimum_presence * ml::k_decision_unit));
    const MeasuredSample measured =
        measure_sample(options.sample_model, source, *reference, {}, static_cast<unsigned>(session.threads()),
                       session.tracer());
    const variants::Caller caller(reference, options.parameters, scope.targets, scoring, {}, measured.model);
    ExampleSink sink(options, *reference, header);
    const MemoryPlan memory = plan_memory(session.memory_bytes(), bytes_of_contigs(*reference),
                                          session.threads(), 0, session.pinned_bytes());
    SortedGraphPlan plan;
    plan.slots = memory.emit_slots;
    plan.caller = &caller;
    plan.ops = &session.ops();
    plan.reference = reference.get();
    plan.regions = scope.windows;
    plan.call_slots = memory.call_slots;
    plan.accept_examples = [&](const variants::CallWork& work) { sink.take(work); };
    session.in_arena([&] { run_sorted_graph(source, plan, session.tracer()); });
    data::remove_old_file(summary);  // while it is missing, the shards are not complete
    sink.commit();
    nlohmann::ordered_json json = {
        {"program", program_name()}, {"command", header.command}, {"sample", header.sample}};
    json.update(sink.summary(scope.targets));
    write_text_file(summary, data::json_text(json, 2) + "\n");
    session.write_trace();
    log_info("examples: " + summary);
}

}  // namespace gannet::pipeline
