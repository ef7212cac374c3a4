// SPDX-License-Identifier: MIT
// Provides the alleles, the filters and the limits of a record.
#include "variants/records/record.hpp"

#include "variants/records/filters.hpp"
#include "variants/records/quality_caps.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gannet::variants {

namespace {

constexpr const char* k_spanning_deletion = "*";

/// Reference bases of [begin, end); VCF has no letters but these five.
std::string reference_text(const data::Reference& reference, uint32_t contig, int64_t begin, int64_t end) {
    std::string text = reference.letters(contig, static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
    for (char& letter : text) {
        if (data::k_base_of_letter[static_cast<uint8_t>(letter)] > 3) letter = 'N';
    }
    return text;
}

bool has_alternate(const data::Variant& record) {
    return std::any_of(record.genotype.begin(), record.genotype.end(),
                       [](int8_t allele) { return allele > 0; });
}

}  // namespace

void write_alleles(const data::Reference& reference, uint32_t contig, std::span<const Allele> alleles,
                   const std::vector<data::Base>& arena, std::span<const size_t> called,
                   data::Variant& record) {
    record.contig = contig;
    record.position = alleles.front().record_position();
    int64_t end = alleles.front().end();
    for (const size_t index : called) {
        if (index > 0 && index <= alleles.size()) end = std::max(end, alleles[index - 1].end());
    }
    const std::string text = reference_text(reference, contig, record.position, end);
    int64_t excess = end;  // REF ends with the longest deletion that was called
    record.alleles.assign(1, text);
    for (const size_t index : called) {
        if (index == 0) continue;
        if (index > alleles.size()) {
            record.alleles.emplace_back(k_spanning_deletion);
            continue;
        }
        const Allele& allele = alleles[index - 1];
        excess = std::min(excess, end - allele.end());
        std::string alternate = allele.is_indel() ? text.substr(0, 1) : std::string();
        for (const data::Base base : bases_of(allele, arena)) alternate += data::k_letter_of_base[base];
        alternate += text.substr(static_cast<size_t>(allele.end() - record.position));
        record.alleles.push_back(std::move(alternate));
    }
    for (std::string& allele : record.alleles) {
        if (allele != k_spanning_deletion) allele.resize(allele.size() - static_cast<size_t>(excess));
    }
}

void weigh_systematic_error(const CallModel& model, uint32_t contig, int64_t position, data::Base alternate,
                            SiteStatistics& site) {
    const auto last = static_cast<int64_t>(model.reference.contigs()[contig].length) - 1;
    if (model.sample.errors.none() || position == 0 || position == last) return;
    std::array<data::Base, 3> around{};
    model.reference.bases(contig, position - 1, around);
    const auto& strands = site.strand_counts;
    site.systematic_error_odds =
        systematic_error_odds(model.sample.errors, {{strands[0], strands[1]}, {strands[2], strands[3]}},
                              {around[0] == alternate, around[2] == alternate});
}

void weigh_foreign_reads(const CallModel& model, uint32_t contig, int64_t position, SiteStatistics& site) {
    if (!site.has_reference_allele || site.own_copies > 2) return;
    site.foreign_reads_odds = foreign_reads_odds(model.sample.depth.at(model.reference, contig, position),
                                                 site.reference_depth, site.alternate_depth);
}

void weigh_extra_copies(const CallModel& model, uint32_t contig, int64_t position, uint32_t region_filters,
                        SiteStatistics& site) {
    if ((region_filters & data::k_filter_high_depth) == 0 || site.is_homozygous) return;
    const int32_t other = site.has_reference_allele ? reference_depth_of(site) : site.second_depth;
    site.extra_copy_odds = extra_copy_odds(model.sample.depth.at(model.reference, contig, position),
                                           site.alternate_depth, other);
}

SiteStatistics statistics_of(const CallModel& model, const PlaceCopies& place, const data::Variant& record) {
    SiteStatistics site = statistics_of(record);
    site.own_copies = place.own;
    site.read_bp = model.sample.read_bp;
    if (site.is_snp) {
        const auto letter = static_cast<uint8_t>(record.alleles[1].front());
        weigh_systematic_error(model, record.contig, record.position, data::k_base_of_letter[letter], site);
        weigh_foreign_reads(model, record.contig, record.position, site);
    }
    return site;
}

void finish_record(const CallModel& model, DecidedBy decided, const PlaceCopies& place,
                   int32_t stutter_per_million, data::Variant& record) {
    if (!has_alternate(record)) {
        record.filters = data::k_filter_not_applied;
        return;
    }
    const int32_t threshold = model.parameters.minimum_quality_centi;
    SiteStatistics site = statistics_of(model, place, record);
    site.stutter_per_million = stutter_per_million;
    weigh_extra_copies(model, record.contig, record.position, place.filters, site);
    if (decided == DecidedBy::caller)
        record.filters = filters_of(model.parameters, site, place.filters);
    else
        record.filters = record.quality_centi < threshold ? uint32_t{data::k_filter_low_quality} : 0;
    cap_qualities(site, threshold, record);
}

}  // namespace gannet::variants
