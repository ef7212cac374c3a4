// SPDX-License-Identifier: MIT
// Provides what a report shows of a VCF: counts, substitutions, lengths of indels, fractions of reads and
// qualities.
#pragma once

#include "pipeline/report/pileup.hpp"
#include "pipeline/report/shown_records.hpp"
#include "variants/records/call_statistics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::pipeline::report {

/// Of the records that pass (FILTER is PASS or missing), but for `counts.all`.
struct VariantFigures {
    /// Longer insertions and deletions are counted at the end of the table.
    static constexpr int k_max_indel_bp = 30;
    static constexpr size_t k_fractions = 50;
    static constexpr size_t k_max_quality = 99;
    static constexpr size_t k_max_depth = 1000;

    variants::CallStatistics counts;
    /// SNVs by base of the reference and base of the sample, A, C, G, T.
    std::array<std::array<uint64_t, 4>, 4> substitutions{};
    /// Alternate alleles by length minus that of REF, from -k_max_indel_bp; the middle one is not used.
    std::array<uint64_t, 2 * k_max_indel_bp + 1> indels{};
    /// SNVs with one alternate allele, by FORMAT VAF (or AD) in k_fractions steps, 1.0 in the last one:
    /// heterozygous ones, and those with the alternate allele only.
    std::array<std::array<uint64_t, k_fractions>, 2> fractions{};
    std::array<std::array<uint64_t, k_max_quality + 1>, 2> genotype_qualities{};  ///< GQ; SNPs, indels
    std::array<std::array<uint64_t, k_max_quality + 1>, 2> qualities{};           ///< QUAL, rounded down
    std::vector<uint64_t> depths = std::vector<uint64_t>(k_max_depth + 1);        ///< FORMAT DP

    /// Records to be shown with their reads: those of ask_for(), the doubtful ones, the others of
    /// ask_for_views() and the usual ones (shown_records.hpp).
    std::vector<ShownSite> shown() const;
    /// Positions (1-based) that the user named: shown first, in this order, each with the first record whose
    /// REF covers it, whatever its FILTER. Before the first line is added.
    void ask_for(const std::vector<std::pair<std::string, int64_t>>& sites);
    /// Likewise records at these positions that pass, of which there is a view of the scorer.
    void ask_for_views(const std::vector<std::pair<std::string, int64_t>>& sites);

    /// A line of a VCF that is no header. False where it has fewer than eight columns or no position.
    bool add(std::string_view line);
    double transitions_per_transversion() const;  ///< 0 where there are no transversions
    double heterozygous_per_homozygous() const;   ///< 0 where there are no homozygous ones
    uint64_t sites_with_depth() const;
    double median_depth() const;  ///< of sites_with_depth(); 0 where there are none

  private:
    void add_changes(const data::Variant& variant);
    void add_sample(const data::Variant& variant, std::string_view format, std::string_view sample);
    void choose(const data::Variant& variant, double genotype_quality);
    void answer(const data::Variant& variant);
    /// Of the line that was split last.
    ShownSite site_of(const data::Variant& variant, double genotype_quality, ShownAs why) const;
    /// By what they are chosen for, then in the order of the VCF.
    std::vector<std::pair<double, ShownSite>> doubtful_, usual_;
    std::vector<ShownSite> asked_, viewed_;
    std::vector<std::string_view> columns_, keys_, values_, parts_;
};

/// VCF as text or BGZF; the first sample counts. Throws Error(malformed_input). Cost: about 1 us per record.
VariantFigures read_variants(const std::string& path,
                             const std::vector<std::pair<std::string, int64_t>>& sites = {},
                             const std::vector<std::pair<std::string, int64_t>>& viewed = {});

}  // namespace gannet::pipeline::report
