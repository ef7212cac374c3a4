// SPDX-License-Identifier: MIT
// Provides the sites of a cohort: events of all samples, admitted and put together.
#pragma once

#include "variants/cohort/sample_window.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants::cohort {

/// Substitutions of one position, or indels of one position: one record of the cohort's VCF. Its alleles are
/// REF, then `alternates`, then `*` where a deletion of a sample spans the position, then <*> where there
/// were more alternates than the limit.
struct Site {
    int64_t position = 0;
    EventKind kind = EventKind::substitution;
    /// An alternate: its own normal form, and how many samples show it.
    struct Alternate {
        std::string reference;
        std::string alternate;
        uint32_t carriers = 0;
        int32_t quality = 0;  ///< the highest of any sample
    };
    std::vector<Alternate> alternates;  ///< most carriers first
    bool has_spanning = false;
    bool has_rest = false;

    size_t allele_count() const { return 1 + alternates.size() + has_spanning + has_rest; }
    size_t spanning_allele() const { return 1 + alternates.size(); }
    size_t rest_allele() const { return 1 + alternates.size() + has_spanning; }
    /// REF: that of the longest alternate.
    std::string reference() const;
    /// All alleles as they are written.
    std::vector<std::string> alleles() const;
};

struct UnificationParameters {
    int32_t allele_min_quality;  ///< Phred
    size_t max_alternates;
    double site_min_quality;  ///< QUAL: sites below it are left out by the caller of unify()
    UnificationParameters();  ///< the defaults
};

/// The sites at positions [begin, end) of the windows' contig, sorted by position and kind. An event is an
/// alternate where allele_quality() of at least one sample reaches the threshold (GLnexus: Lin et al. 2018,
/// Yun et al. 2020). Does not depend on the order of samples. Cost: a sort of the windows' events.
std::vector<Site> unify(const std::vector<SampleWindow>& samples, int64_t begin, int64_t end,
                        const UnificationParameters& parameters);

}  // namespace gannet::variants::cohort
