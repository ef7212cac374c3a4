// SPDX-License-Identifier: MIT
// Provides keeping and forgetting of a sample's records.
#include "variants/cohort/sample_window.hpp"

#include "variants/model/cohort.hpp"

#include <algorithm>

namespace gannet::variants::cohort {
namespace {

/// Both well enough to be admitted.
bool is_other_allele_of_the_site(const Event& a, const Event& b) {
    constexpr int32_t k_admitted_min_quality = cohort_number("allele_min_quality");
    return a.kind == b.kind && a.kind != EventKind::spanning &&
           std::min(a.quality, b.quality) >= k_admitted_min_quality &&
           (a.reference != b.reference || a.alternate != b.alternate);
}

}  // namespace

bool SampleWindow::add(const data::GvcfRecord& record, const data::Reference& reference) {
    SampleRecord& kept = records_.emplace_back();
    kept.begin = record.begin;
    kept.end = record.end;
    kept.depth = record.is_block && record.minimum_depth >= 0 ? record.minimum_depth : record.depth;
    kept.ploidy = static_cast<uint8_t>(record.ploidy);
    kept.alleles = static_cast<uint8_t>(record.alleles.size());
    kept.unobserved = static_cast<int8_t>(record.unobserved);
    for (size_t copy = 0; copy < kept.genotype.size(); ++copy)
        kept.genotype[copy] = static_cast<int8_t>(record.genotype[copy]);
    kept.phase_set = record.phase_set;
    kept.is_block = record.is_block;
    kept.phred_count = static_cast<uint16_t>(record.phred.size());
    kept.depth_count = static_cast<uint16_t>(record.depths.size());
    kept.numbers = static_cast<uint32_t>(numbers_.size());
    numbers_.insert(numbers_.end(), record.phred.begin(), record.phred.end());
    numbers_.insert(numbers_.end(), record.depths.begin(), record.depths.end());
    reach_.push_back(std::max(record.end, reach_.empty() ? 0 : reach_.back()));
    if (record.is_block) return true;
    for (size_t i = 1; i < record.alleles.size(); ++i) {
        if (record.alleles[i] == "*") kept.spanning = static_cast<int8_t>(i);
    }
    added_.clear();
    append_events(record, reference, added_);
    bool is_whole = true;
    for (Event& event : added_) {
        event.record = static_cast<uint32_t>(records_.size() - 1);
        for (const Event& other : events_at(event.position)) {
            if (other.record != event.record && records_[other.record].begin == record.begin &&
                is_other_allele_of_the_site(event, other))
                is_whole = false;
        }
        const auto place =
            std::upper_bound(events_.begin(), events_.end(), event,
                             [](const Event& a, const Event& b) { return a.position < b.position; });
        events_.insert(place, std::move(event));
    }
    return is_whole;
}

void SampleWindow::drop_before(int64_t position) {
    std::vector<SampleRecord> records;
    std::vector<int32_t> numbers;
    std::vector<uint32_t> new_index(records_.size(), UINT32_MAX);
    for (size_t i = 0; i < records_.size(); ++i) {
        if (records_[i].end <= position) continue;
        new_index[i] = static_cast<uint32_t>(records.size());
        SampleRecord& kept = records.emplace_back(records_[i]);
        kept.numbers = static_cast<uint32_t>(numbers.size());
        const auto values = numbers_.begin() + records_[i].numbers;
        numbers.insert(numbers.end(), values, values + kept.phred_count + kept.depth_count);
    }
    std::erase_if(events_, [&](const Event& event) { return new_index[event.record] == UINT32_MAX; });
    for (Event& event : events_) event.record = new_index[event.record];
    // The capacity of the old ones stays: the next window has about as many.
    records_.assign(records.begin(), records.end());
    numbers_.assign(numbers.begin(), numbers.end());
    reach_.clear();
    for (const SampleRecord& record : records_)
        reach_.push_back(std::max(record.end, reach_.empty() ? 0 : reach_.back()));
}

void SampleWindow::clear() {
    records_.clear();
    reach_.clear();
    numbers_.clear();
    events_.clear();
}

std::span<const Event> SampleWindow::events_at(int64_t position) const {
    const auto begin = std::partition_point(events_.begin(), events_.end(),
                                            [&](const Event& event) { return event.position < position; });
    auto end = begin;
    while (end != events_.end() && end->position == position) ++end;
    return {events_.data() + (begin - events_.begin()), static_cast<size_t>(end - begin)};
}

size_t SampleWindow::first_after(int64_t position) const {
    return static_cast<size_t>(
        std::partition_point(records_.begin(), records_.end(),
                             [&](const SampleRecord& record) { return record.begin <= position; }) -
        records_.begin());
}

}  // namespace gannet::variants::cohort
