// SPDX-License-Identifier: MIT
// Provides the aligner: the rounds of a batch of reads, in each of which the caller runs one op.
#pragma once

#include "align/index/index.hpp"
#include "align/insert_size_model.hpp"
#include "align/parameters.hpp"
#include "align/work.hpp"
#include "data/contig_classes.hpp"
#include "data/read_batch.hpp"
#include "data/read_group.hpp"
#include "data/record.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/op_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gannet::align {

struct AlignerTables;

/// Const and thread-safe: all that changes is in AlignmentWork. A batch goes through the rounds of k_rounds,
/// each of which is prepared, and is then called; when the stream is done with it the next one is prepared.
/// Behind the last one come its records:
///
///     for (const Round round : k_rounds) {
///         aligner.prepare(round, batch, model, work);
///         if (aligner.call(round, ops, stream, work)) stream.wait();
///     }
///     aligner.build_records(batch, work, 0, batch.templates(), records);
class Aligner {
  public:
    /// `classes`: which contigs are ALT contigs (align/alternate.hpp).
    Aligner(std::shared_ptr<const Index> index, AlignerParameters parameters,
            std::vector<data::ReadGroup> read_groups, const data::ContigClasses& classes = {});
    ~Aligner();

    /// Takes the results of the round before into `work`, and leaves what the op of this one is given.
    /// `model`: not used by the rounds before rescue_search.
    void prepare(Round round, const data::ReadBatch& batch, const InsertSizeModel& model,
                 AlignmentWork& work) const;
    /// Calls the op of a round that is prepared, and does nothing else. False where the stream need not be
    /// waited for: there is nothing to do, or the op is one of the host. Where it is one of a device,
    /// index_view() and genome_view() must be resident (OpTable::needs_resident).
    bool call(Round round, const kernels::OpTable& ops, kernels::Stream& stream, AlignmentWork& work) const;
    /// Builds the records of the chosen alignments of the templates [first, last), with flags and tags, into
    /// `out` (cleared first).
    void build_records(const data::ReadBatch& batch, const AlignmentWork& work, size_t first, size_t last,
                       data::RecordBatch& out) const;

    /// After the extension round only: appends the insert sizes of the batch's confident pairs (both mates
    /// well aligned without a near-equal candidate, forward-reverse).
    void sample_insert_sizes(const data::ReadBatch& batch, AlignmentWork& work,
                             std::vector<int32_t>& inserts) const;

    /// The jobs of a round of banded_sw, with their sequences; for benchmarks.
    void copy_jobs(const AlignmentWork& work, kernels::BandedSwBatch& out) const;

    const AlignerParameters& parameters() const { return parameters_; }
    const data::Reference& reference() const;
    const Index& index() const { return *index_; }
    /// Index and genome as the ops are given them; valid as long as the aligner.
    kernels::SeedIndexView index_view() const { return index_->view(); }
    const kernels::GenomeView& genome_view() const;

  private:
    void pack(const data::ReadBatch& batch, AlignmentWork& work) const;
    void take_candidates(const data::ReadBatch& batch, AlignmentWork& work) const;
    void take_extensions(AlignmentWork& work) const;
    void list_rescues(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    void list_pairs(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    void take_pairs(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    bool call_banded_sw(const kernels::OpTable& ops, kernels::Stream& stream, AlignmentWork& work) const;

    std::shared_ptr<const Index> index_;
    AlignerParameters parameters_;
    std::vector<data::ReadGroup> read_groups_;
    std::unique_ptr<const AlignerTables> tables_;
};

}  // namespace gannet::align
