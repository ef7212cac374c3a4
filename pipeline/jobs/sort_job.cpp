// SPDX-License-Identifier: MIT
// Provides the job of `gannet sort` and `gannet markdup`.
#include "pipeline/jobs/sort_job.hpp"

#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "data/bam/reader.hpp"
#include "data/error.hpp"
#include "data/output_path.hpp"
#include "pipeline/jobs/align_job.hpp"
#include "pipeline/jobs/alignment_output.hpp"
#include "pipeline/jobs/disk_space.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resort_graph.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/sorted_graph.hpp"
#include "pipeline/stages/chunk_source.hpp"
#include "pipeline/temporary_folder.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gannet::pipeline {
namespace {

std::string command_of(const SortOptions& options) {
    CommandText command(options.duplicates.mark ? "markdup" : "sort");
    command.word(options.alignments).option("--reference", options.reference);
    describe_duplicates(command, options.duplicates);
    return command.text();
}

JobFiles files_of(const SortOptions& options) {
    JobFiles files;
    files.reads_with_indexes(options.alignments,
                             "the alignments");  // read without an index; but one that is there stays
    files.reads_reference(options.reference, "");
    files.writes_indexed(options.output, "-o");
    files.writes(options.metrics, "--metrics").writes(options.resources);
    return files;
}

/// From one file to another.
class SortRun {
  public:
    SortRun(const SortOptions& options, Session& session);
    void run();

  private:
    void read_all();
    void write_all();

    const SortOptions& options_;
    Session& session_;
    std::unique_ptr<data::bam::Reader> reader_;
    MemoryPlan plan_;
    std::optional<TemporaryFolder> temporary_;
    std::optional<align::sort::Sorter> sorter_;
    std::optional<align::duplicates::Marker> marker_;
    align::duplicates::Decision decision_;
    uint64_t records_ = 0;
};

SortRun::SortRun(const SortOptions& options, Session& session)
    : options_(options),
      session_(session),
      reader_(data::bam::Reader::open(options.alignments, options.reference, session.threads(),
                                      data::bam::RecordOrder::any)),
      plan_(plan_memory(session.memory_bytes(), 0, session.threads(), session.slots(),
                        session.pinned_bytes())) {
    const std::string name = options.alignments == "-" ? "stdin" : options.alignments;
    if (output_format(options.output, options.format, true) == AlignmentOutput::Format::cram)
        data::bam::require_contigs_of(options.reference, reader_->contigs(), name);
    const std::string folder = data::is_written_in_place(options.output) ? "" : folder_of(options.output);
    std::string temporary = options.resources.temporary;
    if (temporary.empty()) temporary = folder.empty() ? "." : folder;
    const InputSizes sizes = InputSizes::of(std::vector{options.alignments});
    if (!folder.empty()) check_output_space(folder, sizes);
    check_temporary_space(temporary, folder, sizes, plan_, nullptr);
    temporary_.emplace(temporary);
    std::vector<uint64_t> lengths;
    for (const data::bam::HeaderContig& contig : reader_->contigs()) lengths.push_back(contig.length);
    sorter_.emplace(std::move(lengths), align::sort::SorterOptions{plan_.sorter_bytes, temporary_->path()});
    if (options.duplicates.mark)
        marker_.emplace(reader_->read_groups(),
                        options.duplicates.of_marker(plan_.marker_bytes, temporary_->path(), name));
}

void SortRun::read_all() {
    align::duplicates::Marker* const marker = marker_ ? &*marker_ : nullptr;
    session_.in_arena([&] {
        records_ = run_resort_graph(*reader_, *sorter_, marker, plan_.emit_slots, session_.tracer());
    });
    reader_->check_unchanged();
    Tracer& tracer = session_.tracer();
    const Progress progress(marker != nullptr ? "mark duplicates" : "sort", "", &tracer);
    {
        const Span span(tracer, tracer.stage("sort.finish"), 0);
        sorter_->finish_input();
    }
    if (marker == nullptr) return;
    const Span span(tracer, tracer.stage("duplicates.decide"), 0);
    decision_ = marker->decide(static_cast<unsigned>(session_.threads()));
    marker_.reset();
}

void SortRun::write_all() {
    const std::string header = sorted_header(reader_->header_text(), command_of(options_));
    const AlignmentOutput::Format format = output_format(options_.output, options_.format, true);
    SortedGraphPlan graph;
    graph.slots = plan_.emit_slots;
    graph.ops = &session_.ops();
    AlignmentOutput output(
        {options_.output, format, header, options_.reference, options_.level, session_.threads()});
    output.plug_into(graph);
    stages::BucketSource source(*sorter_, options_.duplicates.mark ? &decision_ : nullptr);
    session_.in_arena([&] { run_sorted_graph(source, graph, session_.tracer()); });
    if (!options_.metrics.empty()) {
        const std::string sample = reader_->read_groups().empty() ? "" : reader_->read_groups()[0].sample;
        const std::string comment = metrics_comment(sample.empty() ? "sample" : sample, command_of(options_));
        write_text_file(options_.metrics, align::duplicates::metrics_text(decision_, comment));
    }
    output.close();
    log_info(
        std::to_string(records_) + " records sorted" +
        (options_.duplicates.mark ? ", " + std::to_string(source.duplicates()) + " marked as duplicates"
                                  : std::string()) +
        (sorter_->spilled_bytes() == 0 ? "" : "; " + size_text(sorter_->spilled_bytes()) + " were spilled"));
}

void SortRun::run() {
    read_all();
    write_all();
}

}  // namespace

void run_sort(const SortOptions& options) {
    limit_headers(options.resources);
    if (output_format(options.output, options.format, true) == AlignmentOutput::Format::cram) {
        if (options.reference.empty())
            throw data::Error(data::ErrorKind::usage, "CRAM output needs --reference FASTA");
        check_readable(options.reference);
    }
    const OutputLocks locks = files_of(options).lock();
    Session session(options.resources);
    SortRun(options, session).run();
    session.write_trace();
}

}  // namespace gannet::pipeline
