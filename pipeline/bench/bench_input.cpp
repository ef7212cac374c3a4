// SPDX-License-Identifier: MIT
// Provides reads, alignments and sorted records to the stages of a benchmark.
#include "pipeline/bench/bench_input.hpp"

#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "data/error.hpp"
#include "data/simulate/simulate.hpp"
#include "pipeline/align_graph.hpp"
#include "pipeline/stages/chunk_source.hpp"

#include <filesystem>

namespace gannet::pipeline::bench {
namespace fs = std::filesystem;
namespace {

std::vector<std::shared_ptr<variants::RecordChunk>> all_chunks(stages::ChunkSource& source) {
    std::vector<std::shared_ptr<variants::RecordChunk>> chunks;
    for (stages::ChunkTask task; source.next(task);) {
        source.load(task);
        chunks.push_back(std::move(task.chunk));
    }
    return chunks;
}

std::string name_and_size(const std::string& path) {
    std::error_code fault;
    const auto size = fs::file_size(path, fault);
    return fs::path(path).filename().string() + ":" + (fault ? "?" : std::to_string(size));
}

}  // namespace

BenchInput::BenchInput(BenchInputOptions options, Session& session)
    : options_(std::move(options)), session_(session) {
    const bool given = !options_.reference.empty();
    if (!given && !(options_.reads.empty() && options_.alignments.empty()))
        throw data::Error(data::ErrorKind::usage, "--reads and --bam need --reference");
    if (given && options_.reads.empty() && options_.alignments.empty())
        throw data::Error(data::ErrorKind::usage, "--reference needs --reads or --bam");
    if (given) check_readable(options_.reference);
    for (const std::string& path : options_.reads) check_readable(path);
    if (!options_.alignments.empty()) check_readable(options_.alignments);
}

void BenchInput::require_reads(const char* what) const {
    if (!options_.reference.empty() && options_.reads.empty())
        throw data::Error(data::ErrorKind::usage, std::string(what) + " needs --reads beside --reference");
}

const std::string& BenchInput::folder() {
    if (!folder_) folder_.emplace(options_.temporary);
    return folder_->path();
}

const Inputs& BenchInput::inputs() {
    if (inputs_) return *inputs_;
    require_reads("this stage");
    used_ = true;
    InputOptions input;
    input.sample = "bench";
    if (options_.reference.empty()) {
        data::simulate::Options simulated;
        simulated.size_mb = options_.size_mb;
        simulated.coverage = options_.coverage;
        simulated.seed = options_.seed;
        simulated.threads = session_.threads();
        simulated.output = folder();
        data::simulate::run(simulated);
        input.reference = folder() + "/ref.fa";
        input.reads = {folder() + "/reads_1.fq.gz", folder() + "/reads_2.fq.gz"};
    } else {
        input.reference = options_.reference;
        input.reads = options_.reads;
    }
    options_.reference = input.reference;
    inputs_ = resolve_inputs(input);
    return *inputs_;
}

const data::fastq::Lane& BenchInput::lane() { return inputs().lanes.front(); }

const OpenIndex& BenchInput::open_index() {
    if (!index_) {
        inputs();
        index_ = open_or_build_index(options_.reference, options_.index, folder(), session_);
    }
    return *index_;
}

const align::Index& BenchInput::index() { return *open_index().index; }

const align::Aligner& BenchInput::aligner() {
    if (!aligner_) {
        aligner_ = std::make_unique<align::Aligner>(open_index().index, align::AlignerParameters{},
                                                    inputs().read_groups);
    }
    return *aligner_;
}

std::shared_ptr<const data::Reference> BenchInput::reference() {
    if (options_.alignments.empty()) return index().reference();
    return open_reference(options_.reference, options_.index, session_);
}

const std::vector<data::ReadBatch>& BenchInput::reads() {
    if (!reads_.empty()) return reads_;
    const auto reader =
        data::fastq::LaneReader::open(lane(), {session_.batch_bases()}, &session_.input_tasks());
    for (data::ReadBatch batch; reader->read(batch);) {
        batch.ordinal = reads_.size();
        batch.first_template = reads_.empty() ? 0 : reads_.back().first_template + reads_.back().templates();
        reads_.push_back(std::move(batch));
        batch = {};
    }
    if (reads_.empty())
        throw data::Error(data::ErrorKind::malformed_input, lane().first + ": holds no reads to measure");
    return reads_;
}

const std::vector<data::RecordBatch>& BenchInput::records() {
    if (!records_.empty()) return records_;
    AlignGraphOptions options;
    options.slots = static_cast<size_t>(session_.threads()) + 2;
    options.batch_bases = session_.batch_bases();
    options.ordered = true;
    options.input_tasks = &session_.input_tasks();
    const align::Aligner& with = aligner();
    session_.in_arena([&] {
        run_align_graph({lane()}, with, session_.ops(), options, session_.tracer(),
                        [this](const data::RecordBatch& batch) { records_.push_back(batch); });
    });
    if (records_.empty())
        throw data::Error(data::ErrorKind::malformed_input, lane().first + ": holds no reads to measure");
    return records_;
}

std::vector<std::shared_ptr<variants::RecordChunk>> BenchInput::sorted_records() {
    if (!options_.alignments.empty()) {
        alignments_used_ = true;
        stages::BamSource source(options_.alignments, options_.reference, reference(), {});
        return all_chunks(source);
    }
    align::sort::Sorter sorter(*reference(), {session_.memory_bytes(), folder()});
    align::duplicates::Marker marker(read_groups(), {session_.memory_bytes(), folder()});
    for (const data::RecordBatch& batch : records()) {
        sorter.add(batch);
        marker.add(batch);
    }
    sorter.finish_input();
    const align::duplicates::Decision decision = marker.decide(static_cast<unsigned>(session_.threads()));
    stages::BucketSource source(sorter, &decision);
    return all_chunks(source);
}

BenchInput::Facts BenchInput::facts() const {
    Facts facts;
    facts.kind = used_ || alignments_used_ ? "given" : "none";
    if (used_ && options_.reads.empty()) facts.kind = "simulated";
    if (facts.kind == "given") {
        facts.files.push_back(name_and_size(options_.reference));
        if (used_) {
            for (const std::string& path : options_.reads) facts.files.push_back(name_and_size(path));
        }
        if (alignments_used_) facts.files.push_back(name_and_size(options_.alignments));
    }
    return facts;
}

}  // namespace gannet::pipeline::bench
