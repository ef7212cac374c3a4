// SPDX-License-Identifier: MIT
// Provides the aligner: steps over a batch of reads, between which the caller runs banded_sw.
#pragma once

#include "align/index/index.hpp"
#include "align/pairing/insert_size_model.hpp"
#include "align/parameters.hpp"
#include "align/work.hpp"
#include "data/contig_classes.hpp"
#include "data/read_batch.hpp"
#include "data/read_group.hpp"
#include "data/record.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/pairing/pairing.hpp"
#include "kernels/rescue/rescue.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gannet::align {

struct AlignerTables;

/// banded_sw as call_banded_sw() runs it.
struct ExtensionOps {
    kernels::Stream* stream = nullptr;
    kernels::BandedSwFunction banded_sw = nullptr;
    /// Null where the stream is of a device that does not hold the genome: sequences are copied then.
    kernels::BandedSwWindowsFunction banded_sw_windows = nullptr;
};

/// Const and thread-safe: all that changes is in AlignmentWork. The steps of a batch, in order; after each of
/// the first three, call_banded_sw():
///
///     find_candidates   extension round: score only
///     prepare_rescue    rescue round: score only
///     choose_pairs      traceback round
///     build_records
class Aligner {
  public:
    /// `classes`: which contigs are ALT contigs (align/alternate.hpp).
    Aligner(std::shared_ptr<const Index> index, AlignerParameters parameters,
            std::vector<data::ReadGroup> read_groups, const data::ContigClasses& classes = {});
    ~Aligner();

    /// Seeds and chains the reads and compares each candidate without gaps. Leaves the jobs of the extension
    /// round: the sides of candidates that a gap may improve. The aligner's own code does all of it for a few
    /// reads at a time, which is fastest on a CPU.
    void find_candidates(const data::ReadBatch& batch, AlignmentWork& work) const;
    /// The same in three steps over the batch, with the same results. The second only calls the op: wait for
    /// its stream before the third. On a device index_view() and genome_view() must be resident.
    void pack_reads(const data::ReadBatch& batch, AlignmentWork& work) const;
    void call_find_candidates(kernels::Stream& stream, kernels::FindCandidatesFunction op,
                              AlignmentWork& work) const;
    void take_candidates(const data::ReadBatch& batch, AlignmentWork& work) const;
    /// Runs banded_sw on work.jobs into work.results. Only calls the op, as those above.
    void call_banded_sw(const ExtensionOps& ops, AlignmentWork& work) const;
    /// The jobs of the next round, with their sequences.
    void copy_jobs(const AlignmentWork& work, kernels::BandedSwBatch& out) const;
    /// Takes the extensions, and looks for reads near the candidates of their mates. Leaves the jobs of the
    /// rescue round: what was found there. Nothing to do for single-end reads.
    void prepare_rescue(const data::ReadBatch& batch, const InsertSizeModel& model,
                        AlignmentWork& work) const;
    /// The same in three steps, as those of find_candidates(): the windows in which reads are looked for; the
    /// op rescue, which only calls it (false: there are no windows); and the jobs of what it found.
    void list_rescues(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    bool call_rescue(kernels::Stream& stream, kernels::RescueFunction rescue, AlignmentWork& work) const;
    void take_rescued(AlignmentWork& work) const;
    /// Takes the rescued candidates, and chooses the alignments of each template (of each read, where reads
    /// are single-end) with their mapping qualities. Leaves the jobs of the traceback round.
    void choose_pairs(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    /// The same in three steps: what reads and their mates are chosen from; the op pairing, which only calls
    /// it (false: there are no reads); and the alignments, where the op leaves templates to the host these.
    void list_pairs(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    bool call_pairing(kernels::Stream& stream, kernels::PairingFunction pairing, AlignmentWork& work) const;
    void take_pairs(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work) const;
    /// Builds the records of the chosen alignments of the templates [first, last), with flags and tags, into
    /// `out` (cleared first).
    void build_records(const data::ReadBatch& batch, const AlignmentWork& work, size_t first, size_t last,
                       data::RecordBatch& out) const;

    /// After the extension round only: appends the insert sizes of the batch's confident pairs (both mates
    /// well aligned without a near-equal candidate, forward-reverse).
    void sample_insert_sizes(const data::ReadBatch& batch, AlignmentWork& work,
                             std::vector<int32_t>& inserts) const;

    const AlignerParameters& parameters() const { return parameters_; }
    const data::Reference& reference() const;
    /// Index and genome as the ops of these steps are given them; valid as long as the aligner.
    kernels::SeedIndexView index_view() const { return index_->view(); }
    const kernels::GenomeView& genome_view() const;

  private:
    void begin(const data::ReadBatch& batch, AlignmentWork& work) const;
    void take_extensions(AlignmentWork& work) const;
    void begin_rescue(AlignmentWork& work) const;
    /// `choose`: of a PairChooser and the number of a template.
    template <class Choose>
    void choose_each(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work,
                     const Choose& choose) const;

    std::shared_ptr<const Index> index_;
    AlignerParameters parameters_;
    std::vector<data::ReadGroup> read_groups_;
    std::unique_ptr<const AlignerTables> tables_;
};

}  // namespace gannet::align
