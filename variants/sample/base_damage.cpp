// SPDX-License-Identifier: MIT
// Provides the estimate of a library's damage.
#include "variants/sample/base_damage.hpp"

#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/reads.hpp"
#include "variants/sample/sample_model.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr uint64_t k_million = 1'000'000;
constexpr auto k_min_damage_per_million = static_cast<int64_t>(sample_number("damage_min_ppm"));
constexpr int64_t k_min_damage_deviations = sample_number("damage_min_deviations");
constexpr uint64_t k_min_damage_ratio = sample_number("damage_min_ratio");
constexpr auto k_lowest_damaged_quality = static_cast<int64_t>(reads_number("min_base_quality"));
constexpr std::array<char, 4> k_letters{'A', 'C', 'G', 'T'};

uint64_t per_million_of(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : part * k_million / whole; }

template <class Use>
void for_each_change(const Use& use) {
    for (data::Base reference = 0; reference < 4; ++reference) {
        for (data::Base base = 0; base < 4; ++base)
            if (base != reference) use(reference, base);
    }
}

}  // namespace

void BaseChangeCounts::add(const BaseChangeCounts& other) {
    for (size_t from = 0; from < bases.size(); ++from) {
        bases[from] += other.bases[from];
        for (size_t to = 0; to < bases.size(); ++to) mismatches[from][to] += other.mismatches[from][to];
    }
}

bool BaseDamage::none() const { return *this == BaseDamage{}; }

bool BaseDamage::has(size_t of_class) const {
    bool found = false;
    for_each_change([&](data::Base from, data::Base to) {
        found = found || (change_class(from, to) == of_class && per_million[from][to] > 0);
    });
    return found;
}

int32_t BaseDamage::mismatches_per_million(const BaseChangeCounts& counts) const {
    uint64_t bases = 0;
    uint64_t changed = 0;
    for (const uint64_t of_base : counts.bases) bases += of_base;
    for_each_change([&](data::Base from, data::Base to) {
        changed += counts.bases[from] * static_cast<uint64_t>(per_million[from][to]);
    });
    return bases == 0 ? 0 : static_cast<int32_t>(changed / bases);
}

uint8_t BaseDamage::highest_quality(data::Base reference, data::Base base) const {
    if (reference > 3 || base > 3 || per_million[reference][base] == 0) return UINT8_MAX;
    // The probability of one of the three other bases is a third of what the quality says.
    const auto changed = static_cast<uint64_t>(3 * per_million[reference][base]);
    const int64_t centi = phred_centi(log_of_ratio(std::min(changed, k_million), k_million));
    return static_cast<uint8_t>(std::max(k_lowest_damaged_quality, (centi + 50) / 100));
}

std::string BaseDamage::to_text() const {
    std::string text;
    for_each_change([&](data::Base from, data::Base to) {
        if (per_million[from][to] == 0) return;
        text += text.empty() ? "" : ", ";
        text += {k_letters[from], '>', k_letters[to], ' '};
        text += percent_text(per_million[from][to]);
    });
    return text.empty() ? "none" : text;
}

BaseDamage estimate_base_damage(const BaseChangeCounts& counts) {
    BaseDamage damage;
    for_each_change([&](data::Base from, data::Base to) {
        const data::Base other_from = data::complement(from);
        const uint64_t bases = counts.bases[from];
        const uint64_t other_bases = counts.bases[other_from];
        if (bases == 0 || other_bases == 0) return;
        const uint64_t seen = counts.mismatches[from][to];
        const uint64_t errors = counts.mismatches[other_from][data::complement(to)];
        const uint64_t rate = per_million_of(seen, bases);
        const uint64_t error_rate = per_million_of(errors, other_bases);
        if (rate < k_min_damage_ratio * error_rate) return;
        // Of the difference of two counts over about as many bases.
        const int64_t deviation = integer_root(static_cast<int64_t>(seen + errors)) + 1;
        if (static_cast<int64_t>(seen) - static_cast<int64_t>(errors) < k_min_damage_deviations * deviation)
            return;
        const auto excess = static_cast<int64_t>(rate - error_rate);
        if (excess >= k_min_damage_per_million) damage.per_million[from][to] = static_cast<int32_t>(excess);
    });
    return damage;
}

}  // namespace gannet::variants
