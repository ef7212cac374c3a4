// SPDX-License-Identifier: MIT
// Provides the normal form of a record's alleles.
#include "variants/cohort/events.hpp"

#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"

#include <algorithm>
#include <limits>

namespace gannet::variants::cohort {

const int64_t k_max_left_shift_bp = cohort_number("max_left_shift_bp");

namespace {

/// Removes what both alleles have in common at their ends; one base of each stays.
void trim(Event& event) {
    std::string& ref = event.reference;
    std::string& alt = event.alternate;
    while (ref.size() > 1 && alt.size() > 1 && ref.back() == alt.back()) {
        ref.pop_back();
        alt.pop_back();
    }
    size_t equal = 0;
    while (equal + 1 < ref.size() && equal + 1 < alt.size() && ref[equal] == alt[equal]) ++equal;
    ref.erase(0, equal);
    alt.erase(0, equal);
    event.position += static_cast<int64_t>(equal);
}

/// Of an insertion or deletion with its base before: each step takes the base before that as the first and
/// leaves the last one away, which they have in common.
void shift_left(const data::Reference& reference, uint32_t contig, int64_t limit, Event& event) {
    std::string& ref = event.reference;
    std::string& alt = event.alternate;
    if (ref[0] != alt[0]) return;
    while (event.position > limit && ref.back() == alt.back()) {
        const auto before = static_cast<uint64_t>(event.position - 1);
        const char letter = reference.letters(contig, before, before + 1)[0];
        if (data::k_base_of_letter[static_cast<uint8_t>(letter)] == data::k_base_n) return;
        ref.pop_back();
        alt.pop_back();
        ref.insert(ref.begin(), letter);
        alt.insert(alt.begin(), letter);
        --event.position;
    }
}

void append_substitutions(const Event& whole, std::vector<Event>& events) {
    for (size_t i = 0; i < whole.reference.size(); ++i) {
        if (whole.reference[i] == whole.alternate[i]) continue;
        Event& event = events.emplace_back(whole);
        event.position = whole.position + static_cast<int64_t>(i);
        event.kind = EventKind::substitution;
        event.reference = whole.reference[i];
        event.alternate = whole.alternate[i];
    }
}

}  // namespace

int32_t allele_quality(const data::GvcfRecord& record, size_t allele) {
    if (!record.pass || record.phred.empty()) return -1;
    constexpr int32_t k_none = std::numeric_limits<int32_t>::max();
    int32_t with = k_none;
    int32_t without = k_none;
    for_each_genotype(record.alleles.size(), record.ploidy, [&](size_t index, size_t a, size_t b) {
        int32_t& best = a == allele || b == allele ? with : without;
        best = std::min(best, record.phred[index]);
    });
    const int32_t margin = with == k_none || without == k_none ? -1 : without - with;
    if (margin < 0) return -1;
    return record.quality_centi < 0 ? margin : std::min(margin, record.quality_centi / 100);
}

void append_events(const data::GvcfRecord& record, const data::Reference& reference,
                   std::vector<Event>& events) {
    const int64_t limit = std::max<int64_t>(0, record.begin - k_max_left_shift_bp);
    for (size_t i = 1; i < record.alleles.size(); ++i) {
        const std::string& letters = record.alleles[i];
        Event event;
        event.position = record.begin;
        event.allele = static_cast<uint8_t>(i);
        event.quality = allele_quality(record, i);
        if (letters == "*") {
            event.kind = EventKind::spanning;
            events.push_back(event);
            continue;
        }
        if (letters[0] == '<' || letters == record.alleles[0]) continue;
        event.reference = record.alleles[0];
        event.alternate = letters;
        trim(event);
        if (event.reference.size() == event.alternate.size()) {
            append_substitutions(event, events);
            continue;
        }
        event.kind = EventKind::indel;
        if (event.reference.size() == 1 || event.alternate.size() == 1)
            shift_left(reference, record.contig, limit, event);
        events.push_back(event);
    }
}

}  // namespace gannet::variants::cohort
