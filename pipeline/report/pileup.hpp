// SPDX-License-Identifier: MIT
// Provides the reads around a few called sites, as a drawing and as text.
#pragma once

#include "data/record.hpp"
#include "variants/scorer/site_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline::report {

/// Why the reads of a site are shown.
enum class ShownAs {
    doubtful,  ///< one of the records with the lowest GQ
    usual,
    scored,         ///< one of those with the lowest GQ that the network was asked about
    asked,          ///< the user named its position
    asked_uncalled  ///< the same, and the VCF has no record there
};

/// A place whose reads are shown, most often a record of the VCF.
struct ShownSite {
    std::string contig;
    int64_t position = 0;              ///< 0-based
    int64_t record_position = -1;      ///< of the record, which may begin before; -1: none
    std::vector<std::string> alleles;  ///< empty without a record, as all that follows but the last
    std::string format, sample;        ///< columns of the VCF
    std::string quality;               ///< QUAL as written
    std::string filter;                ///< FILTER as written
    double genotype_quality = 0;
    ShownAs why = ShownAs::usual;
};

/// Columns of a pile-up: the position of the record in the middle.
inline constexpr int64_t k_pileup_reach_bp = 30;
inline constexpr int64_t k_pileup_columns = 2 * k_pileup_reach_bp + 1;
inline constexpr size_t k_max_pileup_reads = 40;

/// One read within the window. `cells`: per column ' ' (not covered), '.' or ',' (as the reference, forward
/// or reverse), '*' (deleted), or the letter that differs, in lower case on the reverse strand, as samtools
/// tview writes them.
struct PileupRead {
    std::string cells;
    std::vector<std::pair<int64_t, uint32_t>> insertions;  ///< column before which, bases
    uint8_t mapping_quality = 0;
    bool is_reverse = false;
};
/// From CIGAR and MD (SAM tags specification); without MD every base is taken to be as the reference.
/// `begin`: position of the first column.
PileupRead pileup_read(const data::RecordView& record, int64_t begin);

struct Pileup {
    ShownSite site;
    std::vector<PileupRead> reads;  ///< at most k_max_pileup_reads: those that differ near the site first
    size_t all_reads = 0;
    std::optional<variants::SiteView> view;  ///< of the scorer; empty: not kept
};
/// Primary reads that are neither duplicates nor failed. Sites on contigs that the file lacks have none, but
/// where the user named them that is Error(reference_mismatch); empty where it has no index. `reference`:
/// FASTA, for CRAM alone. Throws what data::bam::Reader does.
std::vector<Pileup> read_pileups(const std::string& alignments, const std::string& reference,
                                 const std::vector<ShownSite>& sites);

/// `no_views`: why there is no view of the scorer at all; empty: there are some.
std::string pileups_html(const std::vector<Pileup>& pileups, const std::string& no_views);

}  // namespace gannet::pipeline::report
