// SPDX-License-Identifier: MIT
// Provides the alignments that a job writes, whatever their format.
#pragma once

#include "data/bam/writer.hpp"
#include "pipeline/sorted_graph.hpp"

#include <optional>
#include <string>

namespace gannet::pipeline {

/// Format by `given`, else by the ending of the name, else (standard output, a pipe) BAM when sorted and SAM
/// when streamed.
data::bam::RecordWriter::Format output_format(const std::string& path, const std::string& given, bool sorted);

/// BAM, whose blocks are compressed in parallel, or SAM or CRAM. Errors are those of the writers.
class AlignmentOutput {
  public:
    using Format = data::bam::RecordWriter::Format;
    struct Plan {
        std::string path;
        Format format = Format::bam;
        std::string header;
        std::string reference;  ///< FASTA, of CRAM
        int level = 1;          ///< of BAM
        int threads = 1;        ///< of SAM and CRAM
        bool sorted = true;     ///< by coordinate, so that BAM and CRAM have an index
    };

    explicit AlignmentOutput(const Plan& plan);
    /// Records of a graph that writes sorted ones go here.
    void plug_into(SortedGraphPlan& graph);
    data::bam::IndexedBamWriter* bam() { return bam_ ? &*bam_ : nullptr; }          ///< null: another format
    data::bam::RecordWriter* records() { return records_ ? &*records_ : nullptr; }  ///< null: it is BAM
    /// The files get their names.
    void close();

  private:
    int level_;
    std::optional<data::bam::IndexedBamWriter> bam_;
    std::optional<data::bam::RecordWriter> records_;
};

}  // namespace gannet::pipeline
