// SPDX-License-Identifier: MIT
// Provides readers of sequencing reads: FASTQ (plain, gzip, BGZF, interleaved, stdin) and unaligned BAM/CRAM.
#pragma once

#include "data/batch_inflater.hpp"
#include "data/fastq/text_batch.hpp"
#include "data/read_batch.hpp"
#include "data/read_group.hpp"
#include "data/task_runner.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::data::fastq {

class LaneReader;

/// One lane: one file (single-end, interleaved or unaligned BAM/CRAM) or two (mates), and its read group.
struct Lane {
    std::string first;   ///< path; "-" is standard input
    std::string second;  ///< empty: none
    bool interleaved = false;
    uint32_t read_group = 0;
    bool comment_tags = false;  ///< comments of FASTQ are tags of SAM, to be carried on to the records
    /// The reader of a pipe whose header had to be looked at before: it cannot be opened twice, so
    /// LaneReader::open hands this one over. Null: the files are opened by then.
    std::shared_ptr<std::unique_ptr<LaneReader>> opened = nullptr;
};

/// The longest FASTQ record that is read, its four lines together. The longest nanopore reads known have
/// 4 Mb.
inline constexpr size_t k_max_fastq_record_bytes = size_t{16} << 20;

/// How many templates a batch holds. Memory policy only: no result depends on it.
struct BatchPolicy {
    /// A batch ends at the first template at or past about so many bases: of FASTQ as many as its text has if
    /// all reads are as the batch's first, at most twice as many.
    uint64_t bases = 800'000;
};

/// Reads batches of one lane in order, in two steps: `cut` takes the text of a batch, in order; `parse` makes
/// reads of it, in any thread. So what one thread does for a lane is little. Owns one thread per file that
/// only reads it, and has FASTQ inflated by the threads of a TaskRunner (data/read_ahead.hpp). Refuses
/// (Error, malformed_input, with file and 1-based record number): truncated or damaged gzip, a record that is
/// not four lines, lengths of bases and qualities that differ, a byte outside IUPAC or Phred+33 (Phred+64 is
/// named as such with advice), multi-line FASTQ (named as such), mates whose names differ or files of
/// different length, FASTA given as FASTQ, colour-space reads. DOS line ends are read. Zero-length reads are
/// read. Mate names agree after cutting at the first blank and dropping a trailing /1 or /2. With
/// Lane::comment_tags a comment that is not tags is refused. Tags of unaligned BAM are carried on always
/// (data/sam_tags.hpp says which). An empty file gives no batch. A FASTQ record is at most
/// k_max_fastq_record_bytes long.
class LaneReader {
  public:
    /// `runner` and `batches` (which needs a runner) may be null and must outlive the reader. No result
    /// depends on them, but the error of a BatchInflater is thrown by cut().
    static std::unique_ptr<LaneReader> open(const Lane& lane, BatchPolicy policy = {},
                                            TaskRunner* runner = nullptr, BatchInflater* batches = nullptr);
    virtual ~LaneReader() = default;
    /// The next batch, of at most `most_templates`. Returns how many it has; 0 at the end of the lane. Clears
    /// both, sets paired and read_group of `batch`, and puts the text of the reads into `text`; or the reads
    /// into `batch`, and `text` stays empty. One call at a time. Throws what is wrong with the lane at its
    /// place, unless a batch comes before that: then parse() does, as it throws what is wrong with records.
    virtual size_t cut(TextBatch& text, ReadBatch& batch, size_t most_templates = SIZE_MAX) = 0;
    /// Appends the reads of a text that cut() gave (names, bases, qualities, offsets) to the batch that it
    /// gave. Thread-safe, for different batches, beside cut() too.
    virtual void parse(const TextBatch& text, ReadBatch& batch) const = 0;
    /// Both. Ordinal and first_template are the caller's. False at the end of the lane, when batch is left
    /// empty.
    bool read(ReadBatch& batch);
    /// Read group found in the input itself (unaligned BAM), if any; `id` empty otherwise.
    virtual ReadGroup embedded_read_group() const { return {}; }
    /// Bytes of the lane's files, as stored, that have been read so far; 0 where that is not known.
    virtual uint64_t position_bytes() const { return 0; }
    /// From now on the lane is inflated by tasks of `runner` and by `batches`, where that can be done.
    virtual void use_runner(TaskRunner* /*runner*/, BatchInflater* /*batches*/) {}
    /// For the batches to come.
    void set_policy(BatchPolicy policy) { policy_ = policy; }

  protected:
    explicit LaneReader(BatchPolicy policy) : policy_(policy) {}
    BatchPolicy policy_;

  private:
    TextBatch text_;  ///< of read()
};

}  // namespace gannet::data::fastq
