// SPDX-License-Identifier: MIT
// Provides the completion of a stream of records.
#include "variants/records/missing_alleles.hpp"

#include "variants/arithmetic/rank_sum.hpp"
#include "variants/records/record.hpp"

#include <algorithm>
#include <numeric>

namespace gannet::variants {

bool has_allele(const data::Variant& variant, const Allele& allele, const std::vector<data::Base>& arena) {
    if (variant.position != allele.record_position()) return false;
    const std::string& reference = variant.alleles[0];
    const size_t kept = allele.is_indel() ? 1 : 0;  // the base before
    const size_t replaced = kept + static_cast<size_t>(allele.reference_length);
    if (reference.size() < replaced) return false;
    std::string expected = reference.substr(0, kept);
    for (const data::Base base : bases_of(allele, arena)) expected += data::k_letter_of_base[base];
    expected += reference.substr(replaced);
    return std::find(variant.alleles.begin() + 1, variant.alleles.end(), expected) != variant.alleles.end();
}

void MissingAlleles::add(std::span<const data::Variant> variants, std::vector<data::Variant>& out) {
    for (size_t first = 0, last = 0; first < variants.size(); first = last) {
        const data::Variant& variant = variants[first];
        while (last < variants.size() && variants[last].contig == variant.contig &&
               variants[last].position == variant.position)
            ++last;
        add_until(variant.contig, variant.position, out);
        out.insert(out.end(), variants.begin() + static_cast<std::ptrdiff_t>(first),
                   variants.begin() + static_cast<std::ptrdiff_t>(last));
        add_missing(forced_->within(variant.contig, variant.position, variant.position + 1),
                    variants.subspan(first, last - first), out);
        position_ = variant.position + 1;
    }
}

void MissingAlleles::finish(std::vector<data::Variant>& out) {
    add_until(static_cast<uint32_t>(forced_->reference().contigs().size()), 0, out);
}

/// Adds what is missing before the position.
void MissingAlleles::add_until(uint32_t contig, int64_t position, std::vector<data::Variant>& out) {
    for (; contig_ < contig; ++contig_, position_ = 0)
        add_missing(forced_->within(contig_, position_, INT64_MAX), {}, out);
    if (contig_ < forced_->reference().contigs().size())
        add_missing(forced_->within(contig_, position_, position), {}, out);
    position_ = position;
}

/// `beside`: the records of the same position.
void MissingAlleles::add_missing(std::span<const Allele> alleles, std::span<const data::Variant> beside,
                                 std::vector<data::Variant>& out) const {
    std::vector<Allele> lacking;
    while (!alleles.empty()) {
        const std::span<const Allele> site = first_site(alleles);
        alleles = alleles.subspan(site.size());
        const int64_t position = site[0].record_position();
        const uint8_t ploidy = ploidy_.at(contig_, position);
        if (ploidy == 0 || (!targets_.empty() && !targets_.contains(contig_, position))) continue;
        lacking.clear();
        for (const Allele& allele : site) {
            const bool is_there = std::any_of(
                beside.begin(), beside.end(),
                [&](const data::Variant& variant) { return has_allele(variant, allele, forced_->arena()); });
            if (!is_there) lacking.push_back(allele);
        }
        if (lacking.empty()) continue;
        std::vector<size_t> all(lacking.size());
        std::iota(all.begin(), all.end(), size_t{1});
        data::Variant variant;
        write_alleles(forced_->reference(), contig_, lacking, forced_->arena(), all, variant);
        variant.ploidy = ploidy;
        variant.filters = data::k_filter_not_applied;
        variant.allele_depth.assign(variant.alleles.size(), 0);
        variant.allele_strands.assign(variant.alleles.size(), {0, 0});
        variant.strand_odds_milli = strand_odds_milli(variant.strand_counts);
        out.push_back(std::move(variant));
    }
}

}  // namespace gannet::variants
