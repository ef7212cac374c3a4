// SPDX-License-Identifier: MIT
// Provides the projection of a record's likelihoods and depths.
#include "variants/cohort/projection.hpp"

#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace gannet::variants::cohort {
namespace {

constexpr int32_t k_lost_min_phred = cohort_number("lost_allele_min_phred");
constexpr int32_t k_none = std::numeric_limits<int32_t>::max();
constexpr int k_dropped = -1;
using AlleleMap = std::array<int, std::numeric_limits<uint8_t>::max() + 1>;

/// The site's allele that an event is; 0 where it is none.
int alternate_of(const Site& site, const Event& event) {
    if (event.position != site.position || event.kind != site.kind) return 0;
    for (size_t i = 0; i < site.alternates.size(); ++i) {
        if (event.reference == site.alternates[i].reference &&
            event.alternate == site.alternates[i].alternate)
            return static_cast<int>(i + 1);
    }
    return 0;
}

enum Rank { k_elsewhere, k_deletion, k_other_allele, k_alternate };

/// How much an event makes its record the one to be used: that of an alternate, of another allele of the
/// site, of a deletion that spans it.
Rank rank_of(const Site& site, const Event& event) {
    if (event.position == site.position && event.kind == site.kind)
        return alternate_of(site, event) > 0 ? k_alternate : k_other_allele;
    return event.spans(site.position) ? k_deletion : k_elsewhere;
}

/// The index of the record to be used. Of several with the same right the one of the better event.
std::optional<size_t> record_for(const SampleWindow& sample, const Site& site) {
    Rank best_rank = k_elsewhere;
    int32_t best_quality = 0;
    std::optional<size_t> best;
    const auto consider = [&](const Event& event) {
        const Rank rank = rank_of(site, event);
        if (rank == k_elsewhere || rank < best_rank || (rank == best_rank && event.quality <= best_quality))
            return;
        best_rank = rank;
        best_quality = event.quality;
        best = event.record;
    };
    for (const Event& event : sample.events_at(site.position)) consider(event);
    if (best) return best;
    std::optional<size_t> covering;
    sample.for_each_covering(site.position, [&](size_t index) {
        if (!covering || (sample.records()[*covering].is_block && !sample.records()[index].is_block))
            covering = index;
        if (sample.records()[index].is_block) return;
        for (const Event& event : sample.events()) {
            if (event.record == index) consider(event);
        }
    });
    return best ? best : covering;
}

/// Where each allele of the record goes: a site's allele or nowhere.
void map_alleles(const SampleWindow& sample, size_t index, const Site& site, AlleleMap& map) {
    const SampleRecord& record = sample.records()[index];
    const int rest = site.has_rest ? static_cast<int>(site.rest_allele()) : k_dropped;
    const int spanning = site.has_spanning ? static_cast<int>(site.spanning_allele()) : k_dropped;
    std::fill_n(map.begin(), record.alleles, record.is_block ? rest : 0);
    map[0] = 0;
    if (record.unobserved >= 0) map[static_cast<size_t>(record.unobserved)] = k_dropped;
    if (record.is_block) return;
    if (record.spanning >= 0) {
        // Of a record elsewhere its `*` says nothing of this site.
        const bool here = record.begin == site.position;
        map[static_cast<size_t>(record.spanning)] = here ? spanning : 0;
    }
    for (const Event& event : sample.events()) {
        if (event.record != index) continue;
        int& target = map[event.allele];
        if (const int alternate = alternate_of(site, event); alternate > 0) {
            target = alternate;
        } else if (target == 0 && event.position == site.position && event.kind == site.kind) {
            target = rest;
        } else if (target == 0 && event.spans(site.position)) {
            target = spanning;
        }
    }
}

struct Sources {
    const AlleleMap& map;
    size_t record_alleles;
    int unobserved;
    std::array<bool, std::numeric_limits<uint8_t>::max() + 1> is_mapped{};  ///< by the site's allele
};

/// The best likelihood of any genotype of the record that becomes each of the site.
void project_likelihoods(const Sources& sources, std::span<const int32_t> from, size_t alleles, int ploidy,
                         std::vector<int32_t>& out) {
    out.assign(genotype_count(alleles, ploidy), k_none);
    const auto offer = [&](size_t a, size_t b, int32_t value) {
        int32_t& best = out[ploidy == 1 ? a : genotype_index(std::min(a, b), std::max(a, b))];
        best = std::min(best, value);
    };
    // Each allele of the record stands for one of the site, that which was not observed for all that no other
    // one stands for.
    const auto for_each_target = [&](size_t allele, auto&& use) {
        if (static_cast<int>(allele) == sources.unobserved) {
            for (size_t target = 1; target < alleles; ++target) {
                if (!sources.is_mapped[target]) use(target);
            }
        } else if (sources.map[allele] != k_dropped) {
            use(static_cast<size_t>(sources.map[allele]));
        }
    };
    for_each_genotype(sources.record_alleles, ploidy, [&](size_t index, size_t a, size_t b) {
        for_each_target(a, [&](size_t first) {
            if (ploidy == 1) return offer(first, first, from[index]);
            for_each_target(b, [&](size_t second) { offer(first, second, from[index]); });
        });
    });
    const int32_t worst = *std::max_element(from.begin(), from.end());
    std::replace(out.begin(), out.end(), k_none, worst);
}

}  // namespace

void project(const SampleWindow& sample, const Site& site, Projection& out) {
    out.phred.clear();
    out.depths.clear();
    out.is_informed = out.has_record = false;
    out.ploidy = 2;
    out.depth = out.phase_set = -1;
    const std::optional<size_t> index = record_for(sample, site);
    if (!index) return;
    const SampleRecord& record = sample.records()[*index];
    out.has_record = true;
    out.ploidy = record.ploidy;
    out.depth = record.depth;
    AlleleMap map;
    map_alleles(sample, *index, site, map);
    Sources sources{map, record.alleles, record.unobserved};
    for (size_t i = 0; i < record.alleles; ++i) {
        // What was not observed is part of the rest in any case.
        const bool is_rest = site.has_rest && map[i] == static_cast<int>(site.rest_allele());
        if (map[i] != k_dropped && !is_rest) sources.is_mapped[static_cast<size_t>(map[i])] = true;
    }
    const size_t alleles = site.allele_count();
    out.is_shown.assign(alleles, false);
    for (size_t i = 0; i < record.alleles; ++i) {
        if (map[i] != k_dropped) out.is_shown[static_cast<size_t>(map[i])] = true;
    }
    out.phase_set = record.phase_set;
    for (size_t copy = 0; copy < out.genotype.size(); ++copy) {
        const int allele = record.genotype[copy];
        out.genotype[copy] = allele < 0 ? k_dropped : map[static_cast<size_t>(allele)];
    }
    if (record.depth_count > 0) {
        out.depths.assign(alleles, 0);
        const std::span<const int32_t> depths = sample.depths(record);
        for (size_t i = 0; i < depths.size(); ++i) {
            if (map[i] != k_dropped) out.depths[static_cast<size_t>(map[i])] += depths[i];
        }
    }
    if (record.phred_count == 0) return;
    project_likelihoods(sources, sample.phred(record), alleles, record.ploidy, out.phred);
    const auto [least, most] = std::minmax_element(out.phred.begin(), out.phred.end());
    const int32_t best = *least;
    if (best >= k_lost_min_phred) {
        out.phred.clear();
        return;
    }
    out.is_informed = *most > best;
    for (int32_t& value : out.phred) value -= best;
}

}  // namespace gannet::variants::cohort
