// SPDX-License-Identifier: MIT
// Provides the scoring of the haplotypes of a region, and the evidence of each site from it.
#include "variants/genotype/region_genotype.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/genotype.hpp"

#include <algorithm>
#include <limits>

namespace gannet::variants {

namespace {

// A fragment is informative if its best allele is more likely than all others by this.
constexpr LogProbability k_informative = genotype_number("informative_centi") * k_log_scale / 100;
// No fragment counts for more than this, or than its mapping quality.
constexpr uint32_t k_mismapping_phred = genotype_number("mismapping_phred");

// Alleles of a site without a genotype this near to the most probable one are left out of its counts.
constexpr int64_t k_plausible = genotype_number("plausible_log10") * k_log_scale;
// Insertions and deletions from which on the lengths of haplotypes count.
constexpr int64_t k_long_indel_bp = genotype_number("long_indel_bp");
constexpr size_t k_no_allele = std::numeric_limits<size_t>::max();

constexpr bool carries(AlleleSet set, size_t allele) { return (set >> allele & 1) != 0; }

/// The reference, and the alleles of the site that a probable genotype has; all of them if only the reference
/// is probable.
AlleleSet plausible_alleles(const SiteEvidence& evidence) {
    const auto value = [&](const Genotype& g) {
        return evidence.genotypes[genotype_index(g)] + evidence.prior(g);
    };
    int64_t best = std::numeric_limits<int64_t>::min();
    for_each_genotype(evidence.alleles, evidence.ploidy,
                      [&](const Genotype& g) { best = std::max(best, value(g)); });
    AlleleSet plausible = 1;
    for_each_genotype(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        if (value(g) < best - k_plausible) return;
        for (size_t i = 0; i < g.ploidy; ++i) plausible |= AlleleSet{1} << g.alleles[i];
    });
    return plausible == 1 ? ~AlleleSet{0} : plausible;
}

}  // namespace

void RegionGenotyper::load(const RegionCase& region) {
    region_ = region;
    merge_rows();
    find_sites();
    scored_ploidy_ = 0;
}

void RegionGenotyper::merge_rows() {
    const size_t count = region_.haplotypes.size();
    fragments_.clear();
    for (uint32_t r = 0; r < region_.rows.size(); ++r) {
        const int32_t* row = region_.likelihoods.data() + r * count;
        if (*std::max_element(row, row + count) < k_min_fit) continue;
        const LikelihoodRow& from = region_.rows[r];
        fragments_.push_back(
            {from.fragment, r, r, from.mapping_quality, from.reverse, from.name_hash, from.begin, from.end});
    }
    std::stable_sort(fragments_.begin(), fragments_.end(),
                     [](const Fragment& a, const Fragment& b) { return a.id < b.id; });
    matrix_.clear();
    size_t kept = 0;
    for (size_t i = 0; i < fragments_.size();) {
        const bool is_pair = i + 1 < fragments_.size() && fragments_[i + 1].id == fragments_[i].id;
        Fragment fragment = fragments_[i];
        const int32_t* first = region_.likelihoods.data() + fragment.row * count;
        const int32_t* second = is_pair ? region_.likelihoods.data() + fragments_[i + 1].row * count : first;
        if (is_pair) {  // mates of one fragment overlap
            fragment.mapping_quality = std::max(fragment.mapping_quality, fragments_[i + 1].mapping_quality);
            fragment.mate_row = fragments_[i + 1].row;
            fragment.begin = std::min(fragment.begin, fragments_[i + 1].begin);
            fragment.end = std::max(fragment.end, fragments_[i + 1].end);
        }
        const size_t at = matrix_.size();
        // Mates are sequences of the same molecule: their mean counts it once.
        for (size_t h = 0; h < count; ++h) {
            matrix_.push_back(static_cast<int32_t>((int64_t{first[h]} + second[h]) / 2));
        }
        const int32_t best =
            *std::max_element(matrix_.begin() + static_cast<std::ptrdiff_t>(at), matrix_.end());
        const int32_t floor =
            best + log_of_phred(std::min<uint32_t>(k_mismapping_phred, fragment.mapping_quality));
        for (size_t h = 0; h < count; ++h) matrix_[at + h] = std::max(matrix_[at + h], floor);
        fragments_[kept++] = fragment;
        i += is_pair ? 2 : 1;
    }
    fragments_.resize(kept);
}

/// Whether a haplotype has a long insertion or deletion. If so, sets the changes of length, the weights and
/// the positions of reads.
bool RegionGenotyper::measure_haplotypes() {
    changes_.clear();
    for (const AlleleSet set : region_.haplotypes) {
        int64_t change = 0;
        for (size_t a = 0; a < region_.alleles.size(); ++a) {
            if (carries(set, a)) change += region_.alleles[a].size_change();
        }
        changes_.push_back(change);
    }
    const auto [least, most] = std::minmax_element(changes_.begin(), changes_.end());
    if (region_.haplotype_bp == 0 || std::max(*most, -*least) < k_long_indel_bp) return false;
    int64_t bases = 0;
    for (const LikelihoodRow& row : region_.rows) bases += row.end - row.begin;
    read_starts_ = region_.region_bp + bases / static_cast<int64_t>(region_.rows.size());
    weights_.clear();
    for (const int64_t change : changes_) {
        weights_.push_back(log_of_ratio(static_cast<uint64_t>(region_.haplotype_bp + change),
                                        static_cast<uint64_t>(region_.haplotype_bp)));
    }
    return true;
}

/// A read comes from each of the positions at which a read of the sample may begin with equal probability,
/// of which a haplotype with an insertion has more, and one with a deletion has fewer. Where both haplotypes
/// explain a read, as they do at the left end of a tandem duplication that is as long as the reads, this is
/// what tells one copy of the duplication from two: how many reads show its junction, beside those that do
/// not. The pair-HMM takes the positions of each haplotype together for one; the weights undo that.
void RegionGenotyper::score(size_t ploidy) {
    if (scored_ploidy_ == ploidy) return;
    scored_ploidy_ = ploidy;
    const size_t count = region_.haplotypes.size();
    scores_.assign(genotype_count(count, ploidy), 0);
    const bool lengths_count = measure_haplotypes();
    for (size_t f = 0; f < fragments_.size(); ++f) {
        const int32_t* row = matrix_.data() + f * count;
        if (lengths_count) {
            weighted_.assign(row, row + count);
            for (size_t h = 0; h < count; ++h) weighted_[h] += weights_[h];
            row = weighted_.data();
        }
        size_t at = 0;
        for_each_genotype(count, ploidy, [&](const Genotype& haplotypes) {
            scores_[at++] += mean_over_copies(haplotypes, row);
        });
    }
    if (lengths_count) {
        size_t at = 0;
        const auto copies = static_cast<int64_t>(ploidy);
        for_each_genotype(count, ploidy, [&](const Genotype& haplotypes) {
            int64_t starts = 0;
            for (size_t i = 0; i < ploidy; ++i)
                starts += std::max<int64_t>(1, read_starts_ + changes_[haplotypes.alleles[i]]);
            scores_[at++] -=
                static_cast<int64_t>(fragments_.size()) *
                log_of_ratio(static_cast<uint64_t>(starts), static_cast<uint64_t>(copies * read_starts_));
        });
    }
    if (!region_.contamination.none()) {
        add_contamination(
            region_.contamination, matrix_, count, ploidy,
            [this](size_t haplotype, const Genotype& haplotypes) {
                return other_prior(haplotype, haplotypes);
            },
            scores_);
    }
    rarest_.clear();
    for_each_genotype(count, ploidy,
                      [&](const Genotype& haplotypes) { rarest_.push_back(rarest_of(haplotypes)); });
}

size_t RegionGenotyper::allele_at(const RegionSite& site, AlleleSet haplotype) const {
    for (size_t i = 0; i < site.alleles.size(); ++i) {
        if (carries(haplotype, site.alleles[i])) return i + 1;
    }
    return 0;
}

/// Haplotypes other than the reference that no probable genotype has. Beside a long deletion they may be
/// parts of it and mismatches: each read fits one of them as well, so that no read would count for the
/// deletion.
uint64_t RegionGenotyper::improbable_haplotypes(const RegionSite& site, size_t ploidy) const {
    const bool is_long = std::any_of(site.alleles.begin(), site.alleles.end(), [&](uint32_t allele) {
        return -region_.alleles[allele].size_change() >= k_long_indel_bp;
    });
    if (!is_long) return 0;
    const auto value = [&](size_t at) { return scores_[at] + rarest_[at].rarest; };
    int64_t best = value(0);
    for (size_t at = 1; at < scores_.size(); ++at) best = std::max(best, value(at));
    uint64_t probable = 1;
    size_t at = 0;
    for_each_genotype(region_.haplotypes.size(), ploidy, [&](const Genotype& haplotypes) {
        if (value(at++) < best - k_plausible) return;
        for (size_t i = 0; i < ploidy; ++i) probable |= uint64_t{1} << haplotypes.alleles[i];
    });
    return ~probable;
}

/// The genotype of a site whose copies have these haplotypes of the region.
Genotype RegionGenotyper::genotype_at(const RegionSite& site, const Genotype& haplotypes) const {
    Genotype genotype{haplotypes.ploidy, {}};
    for (size_t i = 0; i < genotype.ploidy; ++i)
        genotype.alleles[i] = allele_at(site, region_.haplotypes[haplotypes.alleles[i]]);
    genotype.sort();
    return genotype;
}

RegionGenotyper::RarestSites RegionGenotyper::rarest_of(const Genotype& haplotypes) const {
    RarestSites out;
    for (size_t s = 0; s < site_count_; ++s) {
        const LogProbability prior = genotype_prior(sites_[s].priors, genotype_at(sites_[s], haplotypes));
        if (prior < out.rarest) {
            out.next = out.rarest;
            out.rarest = prior;
            out.site = s;
        } else {
            out.next = std::min(out.next, prior);
        }
    }
    return out;
}

/// What the alleles that haplotypes have at the other sites cost. Alleles of a haplotype are inherited
/// together, and two haplotypes of the MHC may differ at every tenth base: were each charged by itself, a
/// haplotype with many would need more reads than there are. So the rarest stands for all: what explains the
/// reads by another change costs that change, but a neighbour that the sample certainly has costs all
/// genotypes of the site the same.
LogProbability RegionGenotyper::prior_beside(size_t site, size_t pair) const {
    const RarestSites& of_pair = rarest_[pair];
    return of_pair.site == site ? of_pair.next : of_pair.rarest;
}

/// Of a haplotype of another person, by its alleles that the sample lacks. The reference's alleles count
/// once: they are neighbours, and mostly inherited together.
std::array<LogProbability, 2> RegionGenotyper::other_prior(size_t haplotype,
                                                           const Genotype& haplotypes) const {
    bool has_reference = false;
    LogProbability variants = 0;
    for (const RegionSite& site : sites()) {
        const size_t allele = allele_at(site, region_.haplotypes[haplotype]);
        if (genotype_at(site, haplotypes).copies_of(allele) != 0) continue;
        if (allele == 0)
            has_reference = true;
        else
            variants += site.priors[allele].one;
    }
    std::array<LogProbability, 2> prior{};
    if (has_reference) prior = other_reference_prior();
    if (variants != 0) {
        const std::array<LogProbability, 2> of_variants = other_variant_prior(variants);
        for (size_t copies = 0; copies < prior.size(); ++copies) prior[copies] += of_variants[copies];
    }
    return prior;
}

void RegionGenotyper::find_sites() {
    site_count_ = 0;
    for (uint32_t i = 0; i < region_.alleles.size(); ++i) {
        const bool is_used = std::any_of(region_.haplotypes.begin(), region_.haplotypes.end(),
                                         [&](AlleleSet set) { return carries(set, i); });
        if (!is_used) continue;
        size_t site = 0;
        for (; site < site_count_; ++site) {
            const Allele& other = region_.alleles[sites_[site].alleles.front()];
            if (other.position == region_.alleles[i].position &&
                other.is_indel() == region_.alleles[i].is_indel())
                break;
        }
        if (site == site_count_) {
            if (sites_.size() == site_count_) sites_.emplace_back();
            sites_[site_count_].alleles.clear();
            sites_[site_count_].end = 0;
            sites_[site_count_++].priors.assign(1, AllelePrior{});
        }
        sites_[site].alleles.push_back(i);
        sites_[site].end = std::max(sites_[site].end, region_.allele_ends[i]);
        sites_[site].priors.push_back(region_.priors[i]);
    }
}

/// Adds the genotypes with an allele that no read shows. It is taken to fit each fragment no better than the
/// alleles of the site at their worst, so that a fragment which tells the alleles apart speaks against it,
/// and any other does not. Of each genotype of the site, one copy or both are replaced by it.
void RegionGenotyper::add_unobserved(const size_t* allele_of, SiteEvidence& out) {
    const size_t count = region_.haplotypes.size();
    unobserved_.clear();
    std::vector<LogProbability> fits(out.alleles);
    for (size_t f = 0; f < fragments_.size(); ++f) {
        const int32_t* row = matrix_.data() + f * count;
        constexpr LogProbability k_none = std::numeric_limits<LogProbability>::max();
        fits.assign(out.alleles, k_none);
        for (size_t h = 0; h < count; ++h) {
            LogProbability& fit = fits[allele_of[h]];
            fit = fit == k_none ? row[h] : std::max(fit, row[h]);
        }
        unobserved_.push_back(*std::min_element(fits.begin(), fits.end()));
    }
    const auto raise = [&out](const Genotype& genotype, int64_t value) {
        int64_t& best = out.genotypes[genotype_index(genotype)];
        best = std::max(best, value);
    };
    constexpr int64_t k_impossible = std::numeric_limits<int64_t>::min() / 16;
    for_each_genotype(out.alleles, out.ploidy, [&](const Genotype& genotype) {
        const int64_t known = out.genotypes[genotype_index(genotype)];
        if (known < k_impossible) return;
        const Genotype& haplotypes = best_haplotypes_[genotype_index(genotype)];
        // `replaced`: bit i for copy i.
        for (unsigned replaced = 1; replaced < 1u << out.ploidy; ++replaced) {
            const auto allele = [&](size_t copy) {
                return (replaced >> copy & 1) != 0 ? out.alleles : allele_of[haplotypes.alleles[copy]];
            };
            const Genotype with = out.ploidy == 1 ? haploid(allele(0)) : diploid(allele(0), allele(1));
            int64_t value = known;
            for (size_t f = 0; f < fragments_.size(); ++f) {
                const int32_t* row = matrix_.data() + f * count;
                std::array<LogProbability, k_max_ploidy> copies{};
                for (size_t i = 0; i < out.ploidy; ++i) {
                    const LogProbability own = row[haplotypes.alleles[i]];
                    copies[i] = (replaced >> i & 1) != 0 ? std::min(own, unobserved_[f]) : own;
                }
                Genotype of_copies{out.ploidy, {}};
                for (size_t i = 0; i < out.ploidy; ++i) of_copies.alleles[i] = i;
                value += mean_over_copies(of_copies, copies) - mean_over_copies(haplotypes, row);
            }
            raise(with, value);
        }
    });
}

AlleleSet RegionGenotyper::spanning_deletions(const RegionSite& site) const {
    const int64_t position = record_position(site);
    AlleleSet used = 0;
    for (const AlleleSet haplotype : region_.haplotypes) used |= haplotype;
    AlleleSet deletions = 0;
    for (size_t i = 0; i < region_.alleles.size(); ++i) {
        const Allele& allele = region_.alleles[i];
        if (allele.size_change() < 0 && allele.position <= position && position < allele.end())
            deletions |= used & (AlleleSet{1} << i);
    }
    return deletions;
}

void RegionGenotyper::evidence_of(const RegionSite& site, size_t ploidy, SiteEvidence& out) {
    evidence_of(site, ploidy, 0, out);
}

void RegionGenotyper::evidence_of(const RegionSite& site, size_t ploidy, AlleleSet deletions,
                                  SiteEvidence& out) {
    score(ploidy);
    const size_t count = region_.haplotypes.size();
    out.reset(site.alleles.size() + (deletions != 0 ? 2 : 1), ploidy);
    out.priors = site.priors;
    out.has_spanning_deletion = deletions != 0;
    size_t allele_of[k_max_haplotypes] = {};
    for (size_t h = 0; h < count; ++h) {
        allele_of[h] = allele_at(site, region_.haplotypes[h]);
        if (allele_of[h] == 0 && (region_.haplotypes[h] & deletions) != 0) allele_of[h] = out.alleles - 1;
    }
    constexpr int64_t k_never = std::numeric_limits<int64_t>::min() / 8;
    std::fill(out.genotypes.begin(), out.genotypes.end(), k_never);
    best_haplotypes_.assign(out.genotypes.size(), {});
    const auto own = static_cast<size_t>(&site - sites_.data());
    size_t at = 0;
    for_each_genotype(count, ploidy, [&](const Genotype& haplotypes) {
        Genotype genotype{ploidy, {}};
        for (size_t i = 0; i < ploidy; ++i) genotype.alleles[i] = allele_of[haplotypes.alleles[i]];
        genotype.sort();
        const size_t index = genotype_index(genotype);
        const int64_t value = scores_[at] + prior_beside(own, at);  // call_site adds the site's own prior
        ++at;
        if (value <= out.genotypes[index]) return;
        out.genotypes[index] = value;
        best_haplotypes_[index] = haplotypes;
    });
    if (out.has_unobserved) add_unobserved(allele_of, out);
    // An allele that no probable genotype has must not make fragments uninformative that fit it as well.
    const AlleleSet plausible = plausible_alleles(out);
    const uint64_t improbable = improbable_haplotypes(site, ploidy);
    for (size_t h = 0; h < count; ++h) {
        if (!carries(plausible, allele_of[h]) || (improbable >> h & 1) != 0) allele_of[h] = k_no_allele;
    }
    count_fragments(site, std::span(allele_of).first(count), out);
}

/// Of the read of the fragment, and of its overlapping mate.
void RegionGenotyper::add_places(const Fragment& fragment, size_t position, size_t allele,
                                 SiteEvidence& out) const {
    if (region_.positions.empty()) return;
    const auto add = [&](uint32_t row) {
        const ReadPlace& place = region_.places[row * region_.positions.size() + position];
        // What the likelihoods say is of the fragment: of mates that differ, not which one it is.
        if (!place.mate_differs) out.add_place(allele, region_.rows[row].mapping_quality, place);
    };
    add(fragment.row);
    if (fragment.mate_row != fragment.row) add(fragment.mate_row);
}

/// The informative fragments of a site whose haplotypes have the alleles `allele_of`.
void RegionGenotyper::count_fragments(const RegionSite& site, std::span<const size_t> allele_of,
                                      SiteEvidence& out) const {
    const size_t count = allele_of.size();
    const auto position = static_cast<size_t>(
        std::lower_bound(region_.positions.begin(), region_.positions.end(), record_position(site)) -
        region_.positions.begin());
    for (size_t f = 0; f < fragments_.size(); ++f) {
        const Fragment& fragment = fragments_[f];
        const int32_t* row = matrix_.data() + f * count;
        int32_t best = std::numeric_limits<int32_t>::min();
        size_t best_allele = 0;
        for (size_t h = 0; h < count; ++h) {
            if (allele_of[h] != k_no_allele && row[h] > best) best = row[h], best_allele = allele_of[h];
        }
        int32_t other = best - 100 * k_log_scale;
        for (size_t h = 0; h < count; ++h) {
            if (allele_of[h] != k_no_allele && allele_of[h] != best_allele) other = std::max(other, row[h]);
        }
        if (best - other < k_informative) continue;
        out.count(best_allele, fragment.reverse, fragment.mapping_quality);
        add_places(fragment, position, best_allele, out);
        // What does not reach over the site may still be decided by other sites of its haplotype.
        if (fragment.begin > record_position(site) || fragment.end < site.end) continue;
        const int64_t phred = phred_centi(int64_t{other} - best) / 100;
        out.seen.push_back({fragment.name_hash, static_cast<uint8_t>(best_allele),
                            static_cast<uint8_t>(std::min<int64_t>(phred, k_mismapping_phred))});
    }
}

}  // namespace gannet::variants
