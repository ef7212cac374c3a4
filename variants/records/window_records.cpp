// SPDX-License-Identifier: MIT
// Provides the order and the phase of a window's records.
#include "variants/records/window_records.hpp"

#include <algorithm>
#include <utility>

namespace gannet::variants {

void RecordPhaser::find_phases(std::span<const CalledRecord> records) {
    sites_.clear();
    phased_.clear();
    for (size_t i = 0; i < records.size(); ++i) {
        const CalledRecord& record = records[i];
        if (record.variant.ploidy != 2 || record.variant.genotype[0] == record.variant.genotype[1]) continue;
        // What is likely no variant, or not of this place, is no evidence for the phase of others.
        sites_.push_back({record.variant.position, record.alleles,
                          record.variant.filters == 0 ? std::span<const FragmentAllele>(record.seen)
                                                      : std::span<const FragmentAllele>()});
        phased_.push_back(i);
    }
    phaser_.run(sites_, phases_);
}

void RecordPhaser::phase(const CallModel& model, std::span<CalledRecord> records) {
    find_phases(records);
    if (foreign_groups_.filter(model, records, phased_, phases_)) find_phases(records);
    for (size_t i = 0; i < phases_.size(); ++i) {
        data::Variant& variant = records[phased_[i]].variant;
        variant.phase_set = phases_[i].set;
        if (phases_[i].is_swapped) std::swap(variant.genotype[0], variant.genotype[1]);
    }
}

void RecordPhaser::finish(const CallModel& model, std::vector<CalledRecord>& records,
                          std::vector<data::Variant>& out) {
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
    phase(model, records);
    for (CalledRecord& record : records) {
        if (record.is_written) out.push_back(std::move(record.variant));
    }
}

}  // namespace gannet::variants
