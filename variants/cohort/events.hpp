// SPDX-License-Identifier: MIT
// Provides the alleles of a gVCF's record as changes of the reference in normal form, by which samples are
// compared.
#pragma once

#include "data/gvcf_record.hpp"
#include "data/reference.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants::cohort {

enum class EventKind : uint8_t {
    substitution,  ///< one base
    indel,         ///< with the base before it, or several bases that become others of another number
    spanning       ///< `*` of a record: a deletion that began before it; no alleles
};

/// What an allele changes: parsimonious and left-aligned (Tan, Abecasis and Kang 2015). Substitutions of
/// several bases are one event for each base that differs.
struct Event {
    int64_t position = 0;  ///< 0-based, of the first base of `reference`
    EventKind kind = EventKind::substitution;
    std::string reference;
    std::string alternate;
    uint8_t allele = 0;   ///< of the record
    int32_t quality = 0;  ///< allele_quality()
    uint32_t record = 0;  ///< of the sample's window

    /// Bases that are not there in this allele, of other sites: those after the first of `reference`.
    int64_t span_begin() const { return position + 1; }
    int64_t span_end() const { return position + static_cast<int64_t>(reference.size()); }
    bool spans(int64_t at) const {
        return kind == EventKind::indel && at >= span_begin() && at < span_end() &&
               reference.size() > alternate.size();
    }
};

/// How certain it is, Phred, that the sample has the allele: how much worse the best genotype without it fits
/// than the best with it, but no more than the record's QUAL, which is calibrated. -1 where the record is
/// filtered or no genotype with the allele fits best.
int32_t allele_quality(const data::GvcfRecord& record, size_t allele);

/// Appends the events of all alleles of a record, `record` of them 0. Indels move left by at most
/// k_max_left_shift_bp from the record's POS.
void append_events(const data::GvcfRecord& record, const data::Reference& reference,
                   std::vector<Event>& events);

/// How far before a record's POS its events may be.
extern const int64_t k_max_left_shift_bp;

}  // namespace gannet::variants::cohort
