// SPDX-License-Identifier: MIT
// Provides the arithmetic of site genotypes and the pile-up likelihoods of SNPs.
#include "variants/genotype/genotype.hpp"

#include "variants/arithmetic/exact_tests.hpp"
#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/rank_sum.hpp"
#include "variants/model/genotype.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gannet::variants {

namespace {

constexpr int32_t k_max_gq = genotype_number("gq_max");
constexpr int64_t k_max_pl = genotype_number("pl_max");

}  // namespace

LogProbability genotype_prior(std::span<const AllelePrior> priors, const Genotype& genotype) {
    if (genotype.highest() == 0) return 0;
    if (genotype.is_uniform()) {
        // Of both copies: half as probable as one of them.
        return priors[genotype.highest()].one + (genotype.ploidy > 1 ? k_log_half : 0);
    }
    const AllelePrior& last = priors[genotype.highest()];
    if (genotype.lowest() == 0) return last.one;
    // Two alternates: at a site that varies, a second variant is more probable than at any other site.
    const AllelePrior& first = priors[genotype.lowest()];
    return std::min(first.one, last.one) + std::min(first.both, last.both);
}

namespace {

void fill_counts(const SiteEvidence& evidence, const std::vector<size_t>& called, data::Variant& out) {
    out.allele_depth.clear();
    out.allele_strands.clear();
    out.depth = 0;
    for (const size_t allele : called) {
        const auto& strands = evidence.strands[allele];
        out.allele_depth.push_back(strands[0] + strands[1]);
        out.allele_strands.push_back(strands);
        const size_t row = allele == 0 || evidence.is_spanning(allele) ? 0 : 2;
        out.strand_counts[row] += strands[0];
        out.strand_counts[row + 1] += strands[1];
    }
    for (const auto& strands : evidence.strands) out.depth += strands[0] + strands[1];
    out.strand_bias_centi = strand_bias_centi(out.strand_counts);
    out.strand_odds_milli = strand_odds_milli(out.strand_counts);
    out.mapping_quality = evidence.mapping_quality();
}

/// `value(genotype)`: log10 of a genotype of the `called` alleles.
template <class Value>
void fill_likelihoods(size_t called, size_t ploidy, Value value, data::Variant& out) {
    int64_t best = std::numeric_limits<int64_t>::min();
    for_each_genotype(called, ploidy, [&](const Genotype& g) { best = std::max(best, value(g)); });
    out.likelihoods.clear();
    for_each_genotype(called, ploidy, [&](const Genotype& g) {
        const int64_t phred = (phred_centi(value(g) - best) + 50) / 100;
        out.likelihoods.push_back(static_cast<int32_t>(std::min(k_max_pl, phred)));
    });
}

/// PL of the genotypes with an allele that is not of the record, relative to the best one of the record.
void fill_unobserved(const SiteEvidence& evidence, const std::vector<size_t>& called, data::Variant& out) {
    out.unobserved_likelihoods.clear();
    if (!evidence.has_unobserved) return;
    constexpr int64_t k_never = k_log_zero;
    std::vector<int64_t> values(genotype_count(called.size() + 1, evidence.ploidy), k_never);
    const size_t own = genotype_count(called.size(), evidence.ploidy);
    // In the record's numbers, where all alleles that were not called are one.
    std::vector<size_t> number(evidence.alleles + 1, called.size());
    for (size_t i = 0; i < called.size(); ++i) number[called[i]] = i;
    for_each_genotype(evidence.alleles + 1, evidence.ploidy, [&](const Genotype& g) {
        const Genotype of_record =
            g.ploidy == 1 ? haploid(number[g.lowest()]) : diploid(number[g.lowest()], number[g.highest()]);
        int64_t& value = values[genotype_index(of_record)];
        value = std::max(value, evidence.genotypes[genotype_index(g)]);
    });
    const int64_t best = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(own));
    for (size_t i = own; i < values.size(); ++i) {
        const int64_t phred = (phred_centi(values[i] - best) + 50) / 100;
        out.unobserved_likelihoods.push_back(static_cast<int32_t>(std::min(k_max_pl, phred)));
    }
}

/// The most probable genotype of `alleles` alleles, by `value(genotype)`.
struct Choice {
    Genotype genotype;
    int64_t best = k_log_zero;
    int64_t second = best;
    int64_t total = best;
};
template <class Value>
Choice choose(size_t alleles, size_t ploidy, Value value_of) {
    Choice choice;
    for_each_genotype(alleles, ploidy, [&](const Genotype& genotype) {
        const int64_t value = value_of(genotype);
        choice.total = log_add(choice.total, value);
        if (value > choice.best) {
            choice.second = choice.best;
            choice.best = value;
            choice.genotype = genotype;
        } else {
            choice.second = std::max(choice.second, value);
        }
    });
    return choice;
}

/// Genotype and qualities; false if QUAL is below the minimum. `none`: log10 of no variant. `called` gets the
/// reference and the alleles of the genotype, ascending.
bool fill_genotype(const Choice& choice, int64_t none, int32_t minimum_quality_centi, data::Variant& out,
                   std::vector<size_t>& called) {
    const Genotype& genotype = choice.genotype;
    const int64_t quality = phred_centi(none - choice.total);
    if (quality < minimum_quality_centi) return false;
    out.quality_centi = static_cast<int32_t>(std::min<int64_t>(quality, std::numeric_limits<int32_t>::max()));
    out.genotype_quality =
        static_cast<int32_t>(std::min<int64_t>(k_max_gq, phred_centi(choice.second - choice.best) / 100));
    called.assign(1, 0);
    out.ploidy = static_cast<int32_t>(genotype.ploidy);
    out.genotype.fill(-1);
    for (size_t i = 0; i < genotype.ploidy; ++i) {
        if (genotype.alleles[i] != called.back()) called.push_back(genotype.alleles[i]);
        out.genotype[i] = static_cast<int8_t>(called.size() - 1);
    }
    return true;
}

/// The genotype with each of its alleles replaced by `names[allele]`; `names` ascend.
template <class Names>
Genotype renamed(Genotype genotype, const Names& names) {
    for (size_t i = 0; i < genotype.ploidy; ++i) genotype.alleles[i] = names[genotype.alleles[i]];
    return genotype;
}

}  // namespace

bool SiteEvidence::is_variant(const Genotype& genotype) const {
    for (size_t i = 0; i < genotype.ploidy; ++i) {
        if (genotype.alleles[i] != 0 && !is_spanning(genotype.alleles[i])) return true;
    }
    return false;
}

LogProbability SiteEvidence::prior(const Genotype& genotype) const {
    if (!has_spanning_deletion) return genotype_prior(priors, genotype);
    Genotype counted = genotype;
    for (size_t i = 0; i < counted.ploidy; ++i) {
        if (is_spanning(counted.alleles[i])) counted.alleles[i] = 0;
    }
    counted.sort();
    return genotype_prior(priors, counted);
}

int32_t SiteEvidence::mapping_quality() const {
    return fragments == 0 ? 0 : static_cast<int32_t>(integer_root(squared_mapping_quality / fragments));
}

void SiteEvidence::reset(size_t allele_count, size_t copies) {
    alleles = allele_count;
    ploidy = copies;
    genotypes.assign(genotype_count(allele_count + (has_unobserved ? 1 : 0), copies), 0);
    priors.assign(allele_count, AllelePrior{});
    strands.assign(allele_count, {0, 0});
    squared_mapping_quality = 0;
    fragments = 0;
    seen.clear();
    places.clear();
    has_spanning_deletion = false;
}

std::array<int32_t, 2> SiteEvidence::reference_likelihoods() const {
    std::array<int64_t, 2> best;
    best.fill(std::numeric_limits<int64_t>::min() / 8);
    for_each_genotype(alleles, ploidy, [&](const Genotype& g) {
        if (g.highest() == 0) return;
        int64_t& value = best[g.lowest() == 0 ? 0 : 1];
        value = std::max(value, genotypes[genotype_index(g)]);
    });
    if (ploidy == 1) best[0] = best[1];
    std::array<int32_t, 2> out{};
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<int32_t>(std::min(k_max_pl, (phred_centi(best[i] - genotypes[0]) + 50) / 100));
    return out;
}

void SiteEvidence::count(size_t allele, bool reverse, uint8_t mapping_quality) {
    ++strands[allele][reverse ? 1 : 0];
    squared_mapping_quality += int64_t{mapping_quality} * mapping_quality;
    ++fragments;
}

void SiteEvidence::add_place(size_t allele, uint8_t mapping_quality, ReadPlace place) {
    if (place.exists()) places.push_back({static_cast<uint8_t>(allele), mapping_quality, place});
}

data::RankSums rank_sums_of(const SiteEvidence& evidence, std::span<const size_t> called) {
    std::vector<int32_t> alternate;
    std::vector<int32_t> reference;
    const auto test = [&](auto value) -> std::optional<int32_t> {
        alternate.clear();
        reference.clear();
        for (const PlacedRead& read : evidence.places) {
            if (std::find(called.begin(), called.end(), read.allele) == called.end()) continue;
            (read.allele == 0 ? reference : alternate).push_back(value(read));
        }
        return rank_sum_milli(alternate, reference);
    };
    return {test([](const PlacedRead& r) { return r.place.quality; }),
            test([](const PlacedRead& r) { return r.mapping_quality; }),
            test([](const PlacedRead& r) { return r.place.end_distance; })};
}

std::optional<SiteGenotype> call_site(const SiteEvidence& evidence, int32_t minimum_quality_centi) {
    const Choice choice = choose(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        return evidence.genotypes[genotype_index(g)] + evidence.prior(g);
    });
    if (!evidence.is_variant(choice.genotype)) return std::nullopt;
    int64_t none = evidence.genotypes[0];
    for_each_genotype(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        if (g.highest() > 0 && !evidence.is_variant(g))
            none = log_add(none, evidence.genotypes[genotype_index(g)]);
    });
    SiteGenotype site;
    data::Variant& record = site.record;
    if (!fill_genotype(choice, none, minimum_quality_centi, record, site.alleles)) return std::nullopt;
    fill_counts(evidence, site.alleles, record);
    fill_likelihoods(
        site.alleles.size(), evidence.ploidy,
        [&](const Genotype& g) { return evidence.genotypes[genotype_index(renamed(g, site.alleles))]; },
        record);
    fill_unobserved(evidence, site.alleles, record);
    return site;
}

SiteGenotype genotype_site(const SiteEvidence& evidence) {
    const Choice choice = choose(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        return evidence.genotypes[genotype_index(g)] + genotype_prior(evidence.priors, g);
    });
    SiteGenotype site;
    data::Variant& record = site.record;
    record.quality_centi = static_cast<int32_t>(std::clamp<int64_t>(
        phred_centi(evidence.genotypes[0] - choice.total), 0, std::numeric_limits<int32_t>::max()));
    record.genotype_quality =
        static_cast<int32_t>(std::min<int64_t>(k_max_gq, phred_centi(choice.second - choice.best) / 100));
    record.ploidy = static_cast<int32_t>(evidence.ploidy);
    record.genotype.fill(-1);
    for (size_t i = 0; i < evidence.ploidy; ++i)
        record.genotype[i] = static_cast<int8_t>(choice.genotype.alleles[i]);
    site.alleles.resize(evidence.alleles);
    std::iota(site.alleles.begin(), site.alleles.end(), size_t{0});
    fill_counts(evidence, site.alleles, record);
    fill_likelihoods(
        site.alleles.size(), evidence.ploidy,
        [&](const Genotype& g) { return evidence.genotypes[genotype_index(g)]; }, record);
    return site;
}

namespace {

/// The base of a read at the position and its quality, capped by the mapping quality; 0 if it has no usable
/// base.
struct Observation {
    data::Base base = data::k_base_n;
    uint8_t quality = 0;
};

/// For the rank sums: as HaplotypeCaller, with bases of any quality and clipped ones.
void add_places(const ReadSet& set, int64_t position, std::span<const data::Base> bases,
                SiteEvidence& evidence) {
    for (size_t index = set.first_over(position); index < set.reads.size(); ++index) {
        const CallRead& read = set.reads[index];
        if (read.begin > position + set.longest_span) break;
        if (read.begin > position && data::cigar_op(set.cigar(read)[0]) != data::k_cigar_soft_clip) continue;
        const ReadPlace place = place_in_read(set, read, position);
        const auto allele = std::find(bases.begin(), bases.end(), place.base);
        if (allele != bases.end())
            evidence.add_place(static_cast<size_t>(allele - bases.begin()), read.mapping_quality, place);
    }
}

Observation observe(const ReadSet& set, const CallRead& read, int64_t position,
                    int32_t minimum_base_quality) {
    if (position < read.begin || position >= read.end) return {};
    const int64_t offset = read_offset_at(set, read, position);
    if (offset < 0) return {};
    const size_t at = read.bases + static_cast<size_t>(offset);
    if (set.qualities[at] < minimum_base_quality) return {};
    return {set.bases[at], std::min(set.qualities[at], read.mapping_quality)};
}

}  // namespace

void pile_up(const ReadSet& set, int64_t position, std::span<const data::Base> bases, size_t ploidy,
             int32_t minimum_base_quality, const Contamination& contamination, SiteEvidence& evidence) {
    evidence.reset(bases.size(), ploidy);
    std::vector<int32_t> matrix;  // fragments x alleles, for contaminated samples
    for (size_t i = 1; i < bases.size(); ++i) evidence.priors[i] = k_snp_prior;
    add_places(set, position, bases, evidence);
    std::array<LogProbability, k_max_pile_up_alleles + 1> fits{};
    const size_t scored = bases.size() + (evidence.has_unobserved ? 1 : 0);
    for (size_t index = set.first_over(position); index < set.reads.size(); ++index) {
        const CallRead& read = set.reads[index];
        if (read.begin > position) break;
        Observation seen = observe(set, read, position, minimum_base_quality);
        if (seen.quality == 0 || seen.base > 3) continue;
        if (read.mate >= 0) {
            const Observation other =
                observe(set, set.reads[static_cast<size_t>(read.mate)], position, minimum_base_quality);
            if (other.quality > 0) {
                const bool is_first = index < static_cast<size_t>(read.mate);
                if (other.base != seen.base) continue;  // mates that disagree are not used
                if (other.quality > seen.quality || (other.quality == seen.quality && !is_first)) continue;
            }
        }
        const LogProbability correct = k_log_correct[seen.quality];
        const LogProbability wrong = log_wrong(seen.quality);
        for (size_t i = 0; i < scored; ++i)
            fits[i] = i < bases.size() && bases[i] == seen.base ? correct : wrong;
        size_t at = 0;
        for_each_genotype(scored, ploidy, [&](const Genotype& genotype) {
            evidence.genotypes[at++] += mean_over_copies(genotype, fits);
        });
        if (!contamination.none())
            matrix.insert(matrix.end(), fits.begin(),
                          fits.begin() + static_cast<std::ptrdiff_t>(bases.size()));
        const auto allele = std::find(bases.begin(), bases.end(), seen.base);
        if (allele != bases.end()) {
            const auto shown = static_cast<size_t>(allele - bases.begin());
            evidence.count(shown, read.reverse, read.mapping_quality);
            evidence.seen.push_back({read.name_hash, static_cast<uint8_t>(shown), seen.quality});
        }
    }
    if (contamination.none()) return;
    const auto prior = [&](size_t allele, const Genotype&) {
        return allele == 0 ? other_reference_prior() : other_variant_prior(evidence.priors[allele].one);
    };
    add_contamination(contamination, matrix, bases.size(), ploidy, prior, evidence.genotypes);
}

}  // namespace gannet::variants
