// SPDX-License-Identifier: MIT
// Provides what is held of one sample: its records around a window, with the events of their alleles.
#pragma once

#include "data/gvcf_record.hpp"
#include "data/reference.hpp"
#include "variants/cohort/events.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants::cohort {

/// A record in short. A block has at most two alleles and no events.
struct SampleRecord {
    int64_t begin = 0;
    int64_t end = 0;
    int32_t depth = -1;  ///< of a block its lowest, as GATK takes it
    uint8_t ploidy = 2;
    uint8_t alleles = 0;     ///< with the reference and the one that was not observed
    int8_t unobserved = -1;  ///< its index
    int8_t spanning = -1;    ///< that of `*`
    std::array<int8_t, 2> genotype = {-1, -1};
    int32_t phase_set = -1;  ///< -1: not phased
    bool is_block = false;
    uint16_t phred_count = 0;
    uint16_t depth_count = 0;
    uint32_t numbers = 0;  ///< offset of PL, then AD
};

/// Records of one contig in file order. About 60 bytes per block.
class SampleWindow {
  public:
    /// The next record of the file, of the same contig. False: it shows an allele well enough to be admitted,
    /// and so does another record that begins at its position, of the same site (as after `bcftools norm -m
    /// -`); the likelihoods of each leave the other's allele out, so that nothing joins them.
    bool add(const data::GvcfRecord& record, const data::Reference& reference);
    /// Forgets records that end at `position` or before.
    void drop_before(int64_t position);
    void clear();

    /// The highest end of any record; 0 without one.
    int64_t end() const { return reach_.empty() ? 0 : reach_.back(); }
    const std::vector<SampleRecord>& records() const { return records_; }
    /// By position.
    const std::vector<Event>& events() const { return events_; }
    std::span<const int32_t> phred(const SampleRecord& record) const {
        return {numbers_.data() + record.numbers, record.phred_count};
    }
    std::span<const int32_t> depths(const SampleRecord& record) const {
        return {numbers_.data() + record.numbers + record.phred_count, record.depth_count};
    }
    /// Events at a position.
    std::span<const Event> events_at(int64_t position) const;
    /// Calls visit(index) for each record that covers the position, those that begin later first.
    template <class Visit>
    void for_each_covering(int64_t position, Visit&& visit) const {
        for (size_t i = first_after(position); i-- > 0 && reach_[i] > position;) {
            if (records_[i].end > position) visit(i);
        }
    }

  private:
    size_t first_after(int64_t position) const;

    std::vector<SampleRecord> records_;
    std::vector<int64_t> reach_;  ///< the highest end of a record and those before it
    std::vector<int32_t> numbers_;
    std::vector<Event> events_;
    std::vector<Event> added_;  ///< scratch
};

}  // namespace gannet::variants::cohort
