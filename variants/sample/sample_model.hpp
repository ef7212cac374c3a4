// SPDX-License-Identifier: MIT
// Provides what the likelihoods take into account of a sample as a whole: contamination and base qualities
// that promise too much; and their estimates from a profile.
#pragma once

#include "variants/model/sample.hpp"
#include "variants/sample/base_damage.hpp"
#include "variants/sample/contamination.hpp"
#include "variants/sample/expected_depth.hpp"
#include "variants/sample/gap_quality.hpp"
#include "variants/sample/mapping_scale.hpp"
#include "variants/sample/primers.hpp"
#include "variants/sample/sample_profile.hpp"
#include "variants/sample/systematic_errors.hpp"
#include "variants/sequence/read_decoding.hpp"

#include <cstdint>
#include <string>

namespace gannet::variants {

/// By default: an uncontaminated sample whose base qualities are used as they are reported.
struct SampleModel {
    Contamination contamination;
    QualityMap qualities = reported_qualities();
    ExpectedDepth depth;    ///< for the copies that the reference lacks
    StutterCounts stutter;  ///< for the scorer: how much repeats of another length mean
    GapQualityTable gaps = usual_gap_qualities();
    SystematicErrors errors;
    BaseDamage damage;
    MappingScale mapping;
    Primers primers;                                          ///< of its amplicons, as they are given
    int32_t read_bp = records_number("allele_bias_read_bp");  ///< usual length of its reads
    bool has_improper_pairs = false;  ///< as ReadCounts::has_improper_pairs(): the scorer is silent
    /// False where the alignments can be read only once: the scorer, which learned from samples that were
    /// measured, is silent then.
    bool is_measured = true;
};

struct ContaminationEstimate {
    uint64_t sites = 0;  ///< homozygous ones that it was made from
    uint64_t fragments = 0;
    uint64_t reference_fragments = 0;  ///< of them, those with the base that the sample should not have
    /// The most probable part of fragments of another person, at most k_max_estimate_ppm. 0 below
    /// k_min_estimate_ppm, below k_min_contamination_sites sites, and where no contamination is not clearly
    /// less probable.
    int32_t parts_per_million = 0;
};
inline constexpr int32_t k_min_estimate_ppm = sample_number("contamination_min_ppm");
inline constexpr int32_t k_max_estimate_ppm = sample_number("contamination_max_estimate_ppm");
inline constexpr uint64_t k_min_contamination_sites = sample_number("contamination_min_sites");

/// Maximum likelihood over the counts at sites that are homozygous for another base than the reference's. Of
/// another person of the same population a sixth of these have two copies of the reference's base and a third
/// have one (a population of constant size, see other_reference_prior). One with half of the sample's
/// haplotypes (a quarter and a half) is taken to be ten times less probable, one who shares no variants (all
/// have two) a hundred times: how unevenly the base is spread over the sites decides between them. Two per
/// cent of the sites may be anything (copies that the reference lacks). After Jun et al. 2012 (verifyBamID),
/// without known allele frequencies. Sites where damage gives the reference's base are left out.
ContaminationEstimate estimate_contamination(const SampleProfile& profile, const BaseDamage& damage = {});

inline constexpr uint64_t k_min_quality_bases = sample_number("quality_min_bases");

/// Where the mismatches of a quality, where the sample agrees with the reference, are at least 1.5 times as
/// frequent as it promises (and at least 100 were seen), the quality that they show; never a higher one.
/// Qualities that are too rare follow the nearest one that is not, at most three away; qualities below 10 and
/// those that were not seen stay. With fewer than k_min_quality_bases all stay. `contamination_ppm`: its
/// variants are mismatches, and are not held against the qualities, as little as damage and the sample's own
/// variants that few reads show.
QualityMap estimate_qualities(const SampleProfile& profile, int32_t contamination_ppm,
                              const BaseDamage& damage = {});

/// "40:36,41:37": reported and used quality where they differ (beyond the cap); empty where none does.
std::string to_text(const QualityMap& map);
/// "2.05 %".
std::string percent_text(int32_t parts_per_million);

}  // namespace gannet::variants
