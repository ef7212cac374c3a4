// SPDX-License-Identifier: MIT
// Provides counts of called variants for a run's report.
#include "variants/records/call_statistics.hpp"

#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

namespace gannet::variants {

namespace {

enum class AlleleType { transition, transversion, insertion, deletion, other };

bool is_purine(char letter) { return letter == 'A' || letter == 'G'; }
bool is_pyrimidine(char letter) { return letter == 'C' || letter == 'T'; }

AlleleType type_of(std::string_view reference, std::string_view alternate) {
    if (alternate == "*") return AlleleType::other;
    if (alternate.size() > reference.size()) return AlleleType::insertion;
    if (alternate.size() < reference.size()) return AlleleType::deletion;
    // An SNV beside a longer allele at the same position is padded with bases of the reference.
    size_t differences = 0;
    size_t at = 0;
    for (size_t i = 0; i < reference.size(); ++i) {
        if (reference[i] == alternate[i]) continue;
        ++differences;
        at = i;
    }
    if (differences != 1) return AlleleType::other;
    const char from = reference[at];
    const char to = alternate[at];
    if (is_purine(from) && is_purine(to)) return AlleleType::transition;
    if (is_pyrimidine(from) && is_pyrimidine(to)) return AlleleType::transition;
    const bool are_bases = (is_purine(from) || is_pyrimidine(from)) && (is_purine(to) || is_pyrimidine(to));
    return are_bases ? AlleleType::transversion : AlleleType::other;
}

constexpr int64_t k_min_balance_reads = 15;

/// Reads of REF and of ALT of a heterozygous SNV; 0 of other records.
std::pair<int64_t, int64_t> reads_of_two_alleles(const data::Variant& variant) {
    const bool is_snv =
        variant.alleles.size() == 2 && variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
    const bool has_both = variant.ploidy == 2 && variant.genotype[0] + variant.genotype[1] == 1;
    if (!is_snv || !has_both || variant.allele_depth.size() != 2) return {0, 0};
    return {variant.allele_depth[0], variant.allele_depth[1]};
}

}  // namespace

void VariantCounts::add(const data::Variant& variant) {
    const auto [reference, alternate] = reads_of_two_alleles(variant);
    const int64_t reads = reference + alternate;
    const int64_t difference = std::abs(reference - alternate);
    if (reads >= k_min_balance_reads) {
        ++balance_known;
        if (5 * difference > reads && difference * difference > 4 * reads) ++uneven;
    }
    ++records;
    bool has_snp = false;
    bool has_indel = false;
    for (size_t i = 1; i < variant.alleles.size(); ++i) {
        switch (type_of(variant.alleles[0], variant.alleles[i])) {
            case AlleleType::transition:
                ++transitions;
                has_snp = true;
                break;
            case AlleleType::transversion:
                ++transversions;
                has_snp = true;
                break;
            case AlleleType::insertion:
                ++insertions;
                has_indel = true;
                break;
            case AlleleType::deletion:
                ++deletions;
                has_indel = true;
                break;
            case AlleleType::other:
                break;
        }
    }
    if (has_snp) ++snps;
    if (has_indel) ++indels;
    if (variant.alleles.size() > 2) ++multiallelic;
    const auto copies = std::span(variant.genotype).first(static_cast<size_t>(variant.ploidy));
    const int8_t first = copies.front();
    if (first < 0 || copies.back() < 0) return;
    if (variant.ploidy == 1) {
        if (first > 0) ++haploid_alternate;
    } else if (first != copies.back()) {
        ++heterozygous;
    } else if (first > 0) {
        ++homozygous_alternate;
    }
}

VariantCounts& VariantCounts::operator+=(const VariantCounts& other) {
    records += other.records;
    snps += other.snps;
    indels += other.indels;
    multiallelic += other.multiallelic;
    insertions += other.insertions;
    deletions += other.deletions;
    transitions += other.transitions;
    transversions += other.transversions;
    heterozygous += other.heterozygous;
    homozygous_alternate += other.homozygous_alternate;
    haploid_alternate += other.haploid_alternate;
    balance_known += other.balance_known;
    uneven += other.uneven;
    return *this;
}

void CallStatistics::add(const data::Variant& variant) {
    all.add(variant);
    if (variant.filters == 0) pass.add(variant);
}

CallStatistics& CallStatistics::operator+=(const CallStatistics& other) {
    all += other.all;
    pass += other.pass;
    return *this;
}

}  // namespace gannet::variants
