// SPDX-License-Identifier: MIT
// Provides the arithmetic of the scorer's decision of one allele.
#include "variants/scorer/decision.hpp"

#include "data/variant.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

static_assert(ml::k_posterior_scale == k_log_scale && ml::k_decision_unit == k_log_scale);

/// log10 odds of at least one copy.
int32_t odds_of(const CopyLogs& logs) { return log_add(logs[1], logs[2]) - logs[0]; }

void normalise(CopyLogs& logs) {
    const int32_t total = log_add(log_add(logs[0], logs[1]), logs[2]);
    for (int32_t& value : logs) value -= total;
}

/// Nearer to nothing by the prior.
int32_t lessened(int32_t gain, int32_t prior) {
    return gain > 0 ? std::max(0, gain - prior) : std::min(0, gain + prior);
}

/// The part of a gain that the stratum lets through.
int32_t allowed_gain(const ml::Stratum& stratum, const ml::ExampleFacts& allele, int32_t gain) {
    const bool is_rescue = gain > 0;
    const bool is_allowed = stratum.direction == ml::Direction::both ||
                            stratum.direction == (is_rescue ? ml::Direction::rescue : ml::Direction::reject);
    if (!is_allowed) return 0;
    const bool is_called = allele.copies > 0 && allele.filters == 0;
    return is_rescue == is_called ? gain : lessened(gain, stratum.prior);  // the caller may say the same
}

/// Of a change of the odds of two copies against one, what is left where the caller says otherwise.
int32_t allowed_zygosity(const ml::Stratum& stratum, const ml::ExampleFacts& allele, int32_t change) {
    const bool is_agreed = allele.copies == 0 || (change > 0) == (allele.copies == 2);
    return is_agreed ? change : lessened(change, stratum.prior);
}

}  // namespace

CopyLogs base_of(const CopyLogs& posterior, uint32_t filters) {
    if ((filters & ~uint32_t{data::k_filter_low_quality}) == 0) return posterior;
    const int32_t excess = odds_of(posterior) - k_filtered_odds;
    if (excess <= 0) return posterior;
    CopyLogs base = posterior;
    for (size_t c = 1; c < base.size(); ++c) base[c] -= excess;
    normalise(base);
    for (int32_t& value : base) value = std::clamp(value, ml::k_min_posterior, 0);
    return base;
}

CopyLogs correction_of(const ml::Decision& decision, const ml::ExampleFacts& allele, const CopyLogs& raw) {
    const ml::Stratum* const stratum =
        decision.find(allele.kind != 0, allele.fragments, static_cast<ml::Context>(allele.context));
    if (stratum == nullptr || stratum->direction == ml::Direction::none) return {};
    CopyLogs change{};  // relative to no copy
    for (size_t c = 1; c < change.size(); ++c) {
        const int64_t product = (int64_t{raw[c]} - raw[0]) * stratum->temperature;
        change[c] = static_cast<int32_t>((product + ml::k_decision_unit / 2) >> ml::k_decision_bits);
    }
    if (allele.is_haploid) change[1] = change[2];  // one copy is all that there are
    const int32_t before = odds_of(allele.base);
    const int32_t after = odds_of({allele.base[0], allele.base[1] + change[1], allele.base[2] + change[2]});
    const int32_t gain = after - before;
    const int32_t allowed = allowed_gain(*stratum, allele, gain);
    const bool decides_zygosity = stratum->direction == ml::Direction::both && !allele.is_spanned &&
                                  allele.fragments >= decision.minimum_zygosity_fragments;
    if (!decides_zygosity) return {0, allowed, allowed};
    const int32_t zygosity = allowed_zygosity(*stratum, allele, change[2] - change[1]);
    const int32_t one =
        allowed - (odds_of({allele.base[0], allele.base[1], allele.base[2] + zygosity}) - before);
    return {0, one, one + zygosity};
}

bool is_settled(const ml::Decision& decision, const ml::ExampleFacts& allele) {
    return decision.settle_phred > 0 && allele.filters == 0 && allele.plain_phred >= decision.settle_phred;
}

Verdict verdict_of(const ml::ExampleFacts& allele, const CopyLogs& correction,
                   int32_t minimum_quality_centi) {
    CopyLogs logs = allele.base;
    for (size_t c = 0; c < logs.size(); ++c) logs[c] += correction[c];
    normalise(logs);
    Verdict verdict;
    const auto quality = static_cast<int32_t>(phred_centi(logs[0]));
    if (quality >= minimum_quality_centi && logs[0] < std::max(logs[1], logs[2]))
        verdict.copies = logs[2] > logs[1] ? 2 : 1;
    verdict.quality_centi =
        std::min(quality, std::max(int32_t{allele.quality_cap} * 100, minimum_quality_centi));
    return verdict;
}

}  // namespace gannet::variants
