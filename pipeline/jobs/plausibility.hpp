// SPDX-License-Identifier: MIT
// Provides the checks whether the data are what they seem to be: a warning each, or with --strict an error.
#pragma once

#include "align/duplicates/duplicates.hpp"
#include "data/fastq/reader.hpp"
#include "pipeline/coverage.hpp"
#include "pipeline/jobs/options.hpp"
#include "pipeline/jobs/sample.hpp"
#include "pipeline/jobs/sex_depth.hpp"
#include "pipeline/stages/align_stage.hpp"
#include "variants/records/call_statistics.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline {

/// Every check logs a warning (they are in run.json too); with `strict` it throws Error(malformed_input)
/// instead, before an output appears under its name. All limits are integers, documented in docs/usage.md.
class Plausibility {
  public:
    explicit Plausibility(bool strict) : strict_(strict) {}

    /// The first 2,000 reads of FASTQ files: mates that are the same reads or have the same mate number, and
    /// mates that alternate in a single file; and, a warning whether strict or not, reads that failed the
    /// sequencer's filter. Opens regular files only: what comes through a pipe can be read
    /// only once. Faults of a file are left to the reader of the run.
    void check_files(const std::vector<data::fastq::Lane>& lanes);
    /// Fewer than half of the reads mapped, or of the paired reads in proper pairs. From 100 reads on.
    /// `seen`: whose orientation says why, where it is known.
    void check_alignment(const stages::AlignCounts& counts, const SeenReads& seen = {});
    /// Most of the bases are below the least quality that calling uses. From 10,000 bases on.
    void check_base_qualities(const SeenReads& seen);
    /// More than k_amplicon_duplicates_percent of the reads are marked as duplicates, without UMIs: reads of
    /// amplicons all start at the primers. From 1,000 reads on. A warning whether strict or not: reads that
    /// were sequenced too often, as of a deep panel, are of the genome all the same.
    static void check_duplicates(const std::vector<align::duplicates::LibraryMetrics>& libraries,
                                 const DuplicateOptions& options);
    /// The same of the mapped reads of existing alignments, whose marks calling respects.
    static void check_marked(const std::string& file, uint64_t mapped, uint64_t duplicates);
    /// Existing alignments none of which is mapped, or none in the regions that were asked for.
    static void check_mapped(const std::string& file, uint64_t mapped, bool in_regions);
    /// Reads on scattered places that make up less than a quarter of the reference or, where targets were
    /// given, reads on less than a quarter of these. From 100,000 reads on.
    void check_depth(const DepthSpread& spread);
    /// More than one in a hundred of the mapped reads have no base qualities, which calling needs. Where none
    /// has any it is an error in any case.
    void check_qualities(const std::string& file, uint64_t mapped, uint64_t without);
    /// Any of the mapped reads has skipped bases: it is of RNA.
    void check_spliced(const std::string& file, uint64_t spliced);
    /// The depth of X and Y is that of the other sex. Without --sex and --ploidy the depth of a male is not a
    /// finding, but is logged with the advice to give --sex male.
    void check_sex(const SexDepth& depth, const PloidyOptions& options);

    /// What the calls that pass show of the reads: nearly as many transversions as of random errors, or
    /// hardly any; more indels than SNVs. From 200 SNVs, or indels, on. Warnings whether strict or not: the
    /// calls are written by then.
    static void check_calls(const variants::VariantCounts& pass);

    /// A finding of one of the checks, or of an earlier run whose alignments are used.
    void report(const std::string& finding);
    const std::vector<std::string>& findings() const { return findings_; }  ///< so far

  private:
    bool strict_;
    std::vector<std::string> findings_;
};

inline constexpr uint64_t k_amplicon_duplicates_percent = 80;
/// What to do about so many duplicates.
inline constexpr const char* k_amplicon_advice =
    "reads of amplicons, or at cut sites (RAD, GBS), all start at the same places: --no-duplicates keeps "
    "them, and --primers BED (of run and call) also leaves the primers of amplicons out; of other libraries, "
    "too few molecules were sequenced too often";

/// What is wrong with such calls; empty: nothing.
std::string finding_of_calls(const variants::VariantCounts& pass);

/// What the first reads of a FASTQ file show; for check_files, and for tests.
struct FirstReads {
    struct Read {
        std::string name;     ///< first word, without /1 or /2
        int mate = 0;         ///< 1 or 2 from "/1" or " 1:N:0:"; 0: none
        bool failed = false;  ///< " 1:Y:0:": by the sequencer's filter
        std::string bases;
    };
    std::vector<Read> reads;
};
FirstReads first_reads(std::string_view text, size_t max_reads);
/// A finding about two files of a lane, or about a single one; empty: none.
std::string finding_of_pair(const FirstReads& first, const FirstReads& second);
std::string finding_of_single(const FirstReads& reads);
/// What is to be said of the reads among them that failed the sequencer's filter; empty: there are none.
std::string note_of_failed(const FirstReads& reads);

}  // namespace gannet::pipeline
