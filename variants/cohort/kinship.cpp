// SPDX-License-Identifier: MIT
// Provides counts of sites at which a parent and a child have no allele in common.
#include "variants/cohort/kinship.hpp"

#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"

#include <algorithm>

namespace gannet::variants::cohort {
namespace {

constexpr int32_t k_min_phred = cohort_number("kinship_min_phred");
constexpr uint64_t k_min_opposite = cohort_number("kinship_min_opposite");
constexpr uint64_t k_max_opposite_percent = cohort_number("kinship_max_opposite_percent");
constexpr uint64_t k_sites = cohort_number("kinship_sites");

/// The allele of both copies, where all other genotypes are much less probable.
std::optional<size_t> homozygous_allele(const Site& site, const data::CohortSample& sample) {
    if (sample.ploidy != 2 || sample.phred.empty()) return std::nullopt;
    std::optional<size_t> best;
    bool is_certain = true;
    for_each_genotype(site.allele_count(), 2, [&](size_t index, size_t a, size_t b) {
        if (sample.phred[index] >= k_min_phred) return;
        is_certain = is_certain && !best && a == b;
        best = a;
    });
    return is_certain && best <= site.alternates.size() ? best : std::nullopt;
}

}  // namespace

KinshipCheck::KinshipCheck(std::span<const Kinship> families) {
    for (const Kinship& family : families) {
        for (const size_t child : family.children) {
            if (family.father) pairs_.push_back({*family.father, child});
            if (family.mother) pairs_.push_back({*family.mother, child});
        }
    }
}

void KinshipCheck::add(const Site& site, const data::CohortRecord& record) {
    if (pairs_.empty() || site.kind != EventKind::substitution) return;
    alleles_.clear();
    for (const data::CohortSample& sample : record.samples)
        alleles_.push_back(homozygous_allele(site, sample));
    for (Pair& pair : pairs_) {
        const std::optional<size_t>& parent = alleles_[pair.parent];
        const std::optional<size_t>& child = alleles_[pair.child];
        if (!parent || !child || (*parent == 0 && *child == 0)) continue;
        ++pair.sites;
        if (parent != child) ++pair.opposite;
    }
}

void KinshipCheck::add(const KinshipCheck& other) {
    for (size_t i = 0; i < pairs_.size(); ++i) {
        pairs_[i].sites += other.pairs_[i].sites;
        pairs_[i].opposite += other.pairs_[i].opposite;
    }
}

std::optional<KinshipCheck::Pair> KinshipCheck::contradiction(bool is_end) const {
    const auto found = std::ranges::find_if(pairs_, [is_end](const Pair& pair) {
        return (is_end || pair.sites >= k_sites) && pair.opposite >= k_min_opposite &&
               pair.opposite * 100 > pair.sites * k_max_opposite_percent;
    });
    if (found == pairs_.end()) return std::nullopt;
    return *found;
}

}  // namespace gannet::variants::cohort
