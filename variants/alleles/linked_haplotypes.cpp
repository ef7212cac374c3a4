// SPDX-License-Identifier: MIT
// Provides the linking of alleles by overlapping reads.
#include "variants/alleles/linked_haplotypes.hpp"

#include "variants/model/alleles.hpp"

#include <algorithm>

namespace gannet::variants {
namespace {

constexpr uint32_t k_whole_read = 720'720;                                      // is divided by 1 to 16
constexpr uint32_t k_min_links = alleles_number("haplotypes_min_combination");  // reads

}  // namespace

void LinkedHaplotypes::extend(std::span<const ReadAlleles> reads, std::span<const AlleleSet> conflicts,
                              size_t allele) {
    const AlleleSet bit = AlleleSet{1} << allele;
    const AlleleSet before = bit - 1;
    for (auto& votes : votes_) votes.assign(haplotypes_.size(), {});
    for (const ReadAlleles& read : reads) {
        if ((read.known & bit) == 0) continue;
        agreeing_.clear();
        for (uint32_t i = 0; i < haplotypes_.size(); ++i) {
            if (((haplotypes_[i].alleles ^ read.carried) & read.known & before) == 0) agreeing_.push_back(i);
        }
        if (agreeing_.empty()) continue;
        const uint32_t part = k_whole_read / static_cast<uint32_t>(agreeing_.size());
        const bool is_linked = (read.known & before) != 0;
        for (const uint32_t i : agreeing_) {
            Votes& votes = votes_[(read.carried & bit) != 0 ? 1 : 0][i];
            votes.all += part;
            if (is_linked) votes.linked += part;
        }
    }
    next_.clear();
    for (size_t i = 0; i < haplotypes_.size(); ++i) {
        const bool has_links = votes_[0][i].linked + votes_[1][i].linked > 0;
        const auto support = [&](size_t with) {
            return has_links ? votes_[with][i].linked : votes_[with][i].all;
        };
        const Haplotype& haplotype = haplotypes_[i];
        const bool fits = (conflicts[allele] & haplotype.alleles) == 0;
        const size_t better = fits && support(1) > support(0) ? 1 : 0;
        for (size_t with = 0; with < (fits ? 2u : 1u); ++with) {
            if (with != better && support(with) < k_min_links * k_whole_read) continue;
            next_.push_back(
                {haplotype.alleles | (with == 1 ? bit : 0), std::min(haplotype.support, support(with))});
        }
    }
    std::swap(haplotypes_, next_);
}

std::span<const AlleleSet> LinkedHaplotypes::find(std::span<const ReadAlleles> reads,
                                                  std::span<const AlleleSet> conflicts, size_t maximum) {
    haplotypes_.assign(1, {0, UINT32_MAX});
    for (size_t allele = 0; allele < conflicts.size(); ++allele) {
        extend(reads, conflicts, allele);
        std::sort(haplotypes_.begin(), haplotypes_.end(), [](const Haplotype& a, const Haplotype& b) {
            return a.support != b.support ? a.support > b.support : a.alleles < b.alleles;
        });
        if (haplotypes_.size() > maximum) haplotypes_.resize(maximum);
    }
    found_.clear();
    for (const Haplotype& haplotype : haplotypes_) found_.push_back(haplotype.alleles);
    return found_;
}

}  // namespace gannet::variants
