// SPDX-License-Identifier: MIT
// Provides the input of the stages: reads, given or simulated, and what is derived from them when it is first
// needed.
#pragma once

#include "align/aligner.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/temporary_folder.hpp"
#include "variants/reads/windows.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gannet::pipeline::bench {

struct BenchInputOptions {
    std::string reference;           ///< empty: simulated
    std::string index;               ///< empty: beside the reference, built where missing
    std::vector<std::string> reads;  ///< R1 [R2], of the reference's genome
    std::string alignments;          ///< sorted BAM or CRAM, instead of aligning the reads for `pairhmm`
    std::string temporary;           ///< folder in which to make one for temporary files
    double size_mb = 0.5;
    double coverage = 30;
    uint64_t seed = 1;
};

/// All of it is held in memory. What is simulated follows from size, coverage and seed alone.
class BenchInput {
  public:
    /// Throws Error(usage) where options contradict each other.
    BenchInput(BenchInputOptions options, Session& session);

    const data::fastq::Lane& lane();
    const align::Aligner& aligner();
    const align::Index& index();
    const std::vector<data::ReadBatch>& reads();
    /// Alignments of the reads, in their order.
    const std::vector<data::RecordBatch>& records();
    const std::vector<data::ReadGroup>& read_groups() { return inputs().read_groups; }
    std::shared_ptr<const data::Reference> reference();
    /// A folder for what stages spill, removed at the end.
    const std::string& folder();
    /// Sorted records with duplicates marked, of `alignments` or of the reads.
    std::vector<std::shared_ptr<variants::RecordChunk>> sorted_records();

    /// A description that must be equal for two benchmarks to be compared; empty where no stage used it.
    struct Facts {
        std::string kind;                ///< "simulated", "given", "none"
        std::vector<std::string> files;  ///< names without folders, and sizes
    };
    Facts facts() const;
    const BenchInputOptions& options() const { return options_; }

  private:
    const Inputs& inputs();
    const OpenIndex& open_index();
    void require_reads(const char* what) const;

    BenchInputOptions options_;
    Session& session_;
    bool used_ = false;
    bool alignments_used_ = false;
    std::optional<TemporaryFolder> folder_;
    std::optional<Inputs> inputs_;
    std::optional<OpenIndex> index_;
    std::unique_ptr<align::Aligner> aligner_;
    std::vector<data::ReadBatch> reads_;
    std::vector<data::RecordBatch> records_;
};

}  // namespace gannet::pipeline::bench
