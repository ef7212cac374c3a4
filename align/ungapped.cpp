// SPDX-License-Identifier: MIT
// Provides the aligner's tables and parameters as the ops of kernels/ see them.
#include "align/ungapped.hpp"

#include <algorithm>

namespace gannet::align {

AlignerTables::AlignerTables(const data::Reference& reference, const data::ContigClasses& classes)
    : ambiguity(reference), alternates(reference, classes) {
    for (const data::Contig& contig : reference.contigs()) {
        contig_begin.push_back(contig.offset);
        contig_length.push_back(contig.length);
    }
    for (const data::NonAcgtRun& run : reference.runs())
        ambiguous.push_back({static_cast<int64_t>(run.begin), static_cast<int64_t>(run.end)});
    genome.packed = reference.packed().data();
    genome.words = reference.packed().size();
    genome.contig_begin = contig_begin.data();
    genome.contig_length = contig_length.data();
    genome.contigs = static_cast<uint32_t>(contig_begin.size());
    genome.ambiguous = ambiguous.data();
    genome.ambiguous_count = static_cast<uint32_t>(ambiguous.size());
    genome.ambiguous_fine = ambiguity.fine().data();
    genome.ambiguous_coarse = ambiguity.coarse().data();
    genome.alternate = alternates.ranges().data();
    genome.alternate_count = static_cast<uint32_t>(alternates.ranges().size());
}

kernels::CandidateParameters candidate_parameters(const AlignerParameters& parameters, uint32_t kmer) {
    kernels::CandidateParameters out;
    out.scoring = parameters.scoring;
    out.band = parameters.band;
    out.kmer = kmer;
    out.quality_weight = kernels::quality_weights(parameters.scoring);
    return out;
}

void orient(std::span<const data::Base> bases, uint8_t strand, std::vector<uint8_t>& out) {
    out.resize(bases.size());
    if (strand == 0) {
        std::copy(bases.begin(), bases.end(), out.begin());
    } else {
        data::reverse_complement(bases, out);
    }
}

}  // namespace gannet::align
