// SPDX-License-Identifier: MIT
// Provides the model of the sample that a caller uses: contamination and base qualities, measured by a first
// pass over a part of the alignments, or given.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/options.hpp"
#include "pipeline/stages/chunk_source.hpp"
#include "pipeline/trace.hpp"
#include "variants/sample/ploidy.hpp"
#include "variants/sample/sample_model.hpp"

#include <cstdint>
#include <string>

namespace gannet::pipeline {

/// What the first pass has seen of primary, mapped reads without duplicates.
struct SeenReads {
    uint64_t bases = 0;         ///< with base qualities
    uint64_t unused_bases = 0;  ///< below the least base quality that calling uses
    uint64_t pairs = 0;         ///< with both mates mapped
    uint64_t near_pairs = 0;    ///< on one contig, at most 20 kb apart
    uint64_t rf = 0;            ///< of these, reverse-forward
    uint64_t tandem = 0;        ///< of these, both mates forward or both reverse

    void add(const data::RecordView& record, uint16_t flags);
    void add(const SeenReads& other);
};

struct MeasuredSample {
    variants::SampleModel model;
    std::string text;  ///< for headers and the report: what is used, and what it was measured from
    SeenReads seen;    ///< nothing where the alignments can be read only once
};

/// Parts per million of a fraction such as 0.02; throws Error(usage) unless it is "0" to "0.2".
int32_t contamination_of(const std::string& text);

/// Of the estimate, for MeasuredSample::text. Where the reference's base is on too many of the fragments at
/// homozygous SNPs, but not as another individual's would be, contamination is "not measured".
std::string contamination_text(const variants::ContaminationEstimate& estimate);

/// BED of primers, with their strand in column 6, or interval_list. Empty path: none. Throws what reading BED
/// throws, Error(usage) where there are none and Error(malformed_input) of one that is longer than a primer.
variants::Primers read_primers(const std::string& path, const data::Reference& reference);

/// Adds the options to the command that headers state.
void describe_sample(CommandText& command, const SampleOptions& options);

/// Before the source's first next(). What is not given is measured from windows that
/// variants::ProfileWindows chooses of the whole reference, whatever regions are called: about 2 Mb, below
/// 24x up to 8 Mb, or as many more as it takes until 1 Mb has reads. Logs what differs from a clean sample.
/// Throws what reading the source throws.
MeasuredSample measure_sample(const SampleOptions& options, stages::ChunkSource& source,
                              const data::Reference& reference, const variants::PloidyMap& ploidy,
                              unsigned threads, Tracer& tracer);

}  // namespace gannet::pipeline
