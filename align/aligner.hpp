// SPDX-License-Identifier: MIT
// Provides the aligner: steps over a batch of reads, with the Smith-Waterman rounds handed out to the
// kernels.
#pragma once

#include "align/index/index.hpp"
#include "data/read_batch.hpp"
#include "data/read_group.hpp"
#include "data/record.hpp"
#include "kernels/banded_sw/banded_sw.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gannet::align {

struct AlignerTables;

/// Everything that affects a result; each is an option or a constant, and is written to the output's header.
struct AlignerParameters {
    kernels::BandedSwScoring scoring;
    uint16_t band = 100;
    int32_t minimum_score = 30;     ///< primary alignments below are unmapped
    int32_t unpaired_penalty = 17;  ///< as bwa -U
    bool hard_clip = false;         ///< supplementary records hard-clipped instead of soft
    std::string to_text() const;    ///< "match=1 mismatch=4 ...", for headers
};

/// Insert sizes of a read group, integers only. Orientation FR.
struct InsertSizeModel {
    bool valid = false;  ///< false: too few confident pairs, the stated fallback is used
    int32_t mean_bp = 0;
    int32_t sd_bp = 0;
    int32_t low_bp = 0;  ///< proper pairs lie within [low_bp, high_bp]
    int32_t high_bp = 0;
};

/// Confident pairs that the model is made of: the first k_insert_sample_templates templates of a read group,
/// whatever the batches.
inline constexpr uint64_t k_insert_sample_templates = 1 << 15;

/// The rounds of banded_sw that one batch goes through, in order.
enum class Round : uint8_t { extension, rescue, traceback };
inline constexpr size_t k_rounds = 3;

/// All scratch of one batch in flight; reused from batch to batch. Private parts are the aligner's.
class AlignmentWork {
  public:
    AlignmentWork();
    ~AlignmentWork();
    AlignmentWork(AlignmentWork&&) noexcept;
    AlignmentWork& operator=(AlignmentWork&&) noexcept;

    kernels::BandedSwBatch jobs;       ///< of the round to come
    kernels::BandedSwResults results;  ///< of the round that ended
    struct State;
    std::unique_ptr<State> state;
};

/// Composes seed, chain, ungapped check, extension, pairing, rescue, MAPQ and record building. Const and
/// thread-safe: all state is in AlignmentWork. Use: begin(); for each round: run banded_sw on work.jobs into
/// work.results, then next(round); finish().
class Aligner {
  public:
    Aligner(std::shared_ptr<const Index> index, AlignerParameters parameters,
            std::vector<data::ReadGroup> read_groups);
    ~Aligner();

    /// Seeds, chains, tries ungapped; leaves the jobs of Round::extension.
    void begin(const data::ReadBatch& batch, AlignmentWork& work) const;
    /// Takes the results of `done` and leaves the jobs of the round after it (none after traceback). `model`
    /// is used from rescue on.
    void next(Round done, const data::ReadBatch& batch, const InsertSizeModel& model,
              AlignmentWork& work) const;
    /// Pairs, MAPQ, flags, tags; appends records to `out` (cleared first).
    void finish(const data::ReadBatch& batch, const InsertSizeModel& model, AlignmentWork& work,
                data::RecordBatch& out) const;

    /// After Round::extension only: appends the insert sizes of the batch's confident pairs (unique, both
    /// ends, FR).
    void sample_inserts(const data::ReadBatch& batch, AlignmentWork& work,
                        std::vector<int32_t>& inserts) const;
    static InsertSizeModel estimate_inserts(std::vector<int32_t> inserts);

    const AlignerParameters& parameters() const { return parameters_; }
    const data::Reference& reference() const;

  private:
    void take_extensions(const data::ReadBatch& batch, AlignmentWork& work) const;

    std::shared_ptr<const Index> index_;
    AlignerParameters parameters_;
    std::vector<data::ReadGroup> read_groups_;
    std::unique_ptr<const AlignerTables> tables_;
};

}  // namespace gannet::align
