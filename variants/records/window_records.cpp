// SPDX-License-Identifier: MIT
// Provides the order and the phase of a window's records.
#include "variants/records/window_records.hpp"

#include <algorithm>
#include <utility>

namespace gannet::variants {

CalledRecord called_record(SiteGenotype&& genotype, std::span<const FragmentAllele> seen, bool is_written) {
    CalledRecord record;
    record.is_written = is_written;
    const data::Variant& variant = genotype.record;
    const auto [first, second] = variant.genotype;
    if (variant.ploidy == 2 && first != second) {
        for (size_t i = 0; i < record.alleles.size(); ++i)
            record.alleles[i] =
                static_cast<uint8_t>(genotype.alleles[static_cast<size_t>(variant.genotype[i])]);
        // What is likely no variant, or not of this place, is no evidence for the phase of others.
        if (variant.filters == 0) record.seen.assign(seen.begin(), seen.end());
    }
    record.variant = std::move(genotype.record);
    return record;
}

void RecordPhaser::phase(std::span<CalledRecord> records) {
    sites_.clear();
    phased_.clear();
    for (size_t i = 0; i < records.size(); ++i) {
        const CalledRecord& record = records[i];
        if (record.variant.ploidy != 2 || record.variant.genotype[0] == record.variant.genotype[1]) continue;
        sites_.push_back({record.variant.position, record.alleles, record.seen});
        phased_.push_back(i);
    }
    phaser_.run(sites_, phases_);
    for (size_t i = 0; i < phases_.size(); ++i) {
        data::Variant& variant = records[phased_[i]].variant;
        variant.phase_set = phases_[i].set;
        if (phases_[i].is_swapped) std::swap(variant.genotype[0], variant.genotype[1]);
    }
}

void RecordPhaser::finish(std::vector<CalledRecord>& records, std::vector<data::Variant>& out) {
    std::stable_sort(records.begin(), records.end(), [](const CalledRecord& a, const CalledRecord& b) {
        const data::Variant& left = a.variant;
        const data::Variant& right = b.variant;
        if (left.position != right.position) return left.position < right.position;
        if (left.alleles != right.alleles) return left.alleles < right.alleles;
        return left.quality_centi > right.quality_centi;
    });
    // Two regions may both find an allele that is between them, by assembly: the record of higher quality
    // stays.
    const auto last =
        std::unique(records.begin(), records.end(), [](const CalledRecord& a, const CalledRecord& b) {
            return a.variant.position == b.variant.position && a.variant.alleles == b.variant.alleles;
        });
    records.erase(last, records.end());
    phase(records);
    for (CalledRecord& record : records) {
        if (record.is_written) out.push_back(std::move(record.variant));
    }
}

}  // namespace gannet::variants
