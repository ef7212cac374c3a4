// SPDX-License-Identifier: MIT
// Provides the contigs that a header of SAM, BAM or CRAM names, and their comparison with a reference.
#pragma once

#include "data/reference.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::data::bam {

struct HeaderContig {
    std::string name;
    uint64_t length = 0;
    std::string md5;         ///< empty when the header gives none
    bool alternate = false;  ///< the header marks it as an alternate locus (AH)
};

/// Throws Error(reference_mismatch), with the number of contigs and the first ones, unless the reference has
/// a contig of each name.
void require_known_contigs(const std::string& alignments, std::span<const HeaderContig> contigs,
                           const Reference& reference);

/// Throws Error(reference_mismatch) unless the contig of the reference has this length, and this MD5 where
/// both are known. `alignments` names the file of the header, `reference` the FASTA.
void require_same_contig(const std::string& alignments, const HeaderContig& contig,
                         const std::string& reference, uint64_t length, const std::string& md5);

/// The same of all contigs and the FASTA that a CRAM is to be written against: htslib takes any, and writes a
/// file that cannot be read with the reference of its header. Makes FASTA.fai where that is missing. Cost:
/// the contigs whose MD5 the header gives are read once.
void require_contigs_of(const std::string& fasta, const std::vector<HeaderContig>& contigs,
                        const std::string& alignments);

}  // namespace gannet::data::bam
