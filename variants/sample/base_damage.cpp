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
constexpr auto k_min_end_damage_per_million = static_cast<int64_t>(sample_number("damage_min_end_ppm"));
constexpr int64_t k_min_damage_deviations = sample_number("damage_min_deviations");
constexpr uint64_t k_min_damage_ratio = sample_number("damage_min_ratio");
constexpr auto k_lowest_damaged_quality = static_cast<int64_t>(reads_number("min_base_quality"));
// Lower ones are not used: inside of fragments a whole strand would not be, and near the ends few bases are.
constexpr int64_t k_lowest_end_quality = sample_number("damage_lowest_end_quality");
constexpr std::array<char, 4> k_letters{'A', 'C', 'G', 'T'};

uint64_t per_million_of(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : part * k_million / whole; }

template <class Use>
void for_each_change(const Use& use) {
    for (data::Base reference = 0; reference < 4; ++reference) {
        for (data::Base base = 0; base < 4; ++base)
            if (base != reference) use(reference, base);
    }
}

/// What is read instead of `from`, per million, beyond its complement; 0 where that is not certain, or less
/// than `least`.
int32_t damage_of(const BaseChangeCounts::Counts& counts, data::Base from, data::Base to, int64_t least) {
    const data::Base other_from = data::complement(from);
    const uint64_t bases = counts.bases[from];
    const uint64_t other_bases = counts.bases[other_from];
    if (bases == 0 || other_bases == 0) return 0;
    const uint64_t seen = counts.mismatches[from][to];
    const uint64_t errors = counts.mismatches[other_from][data::complement(to)];
    const uint64_t rate = per_million_of(seen, bases);
    const uint64_t error_rate = per_million_of(errors, other_bases);
    if (rate < k_min_damage_ratio * error_rate) return 0;
    // Of the difference of two sums over about as many positions.
    const uint64_t squares = counts.squares[from][to] + counts.squares[other_from][data::complement(to)];
    const int64_t deviation = integer_root(static_cast<int64_t>(squares)) + 1;
    if (static_cast<int64_t>(seen) - static_cast<int64_t>(errors) < k_min_damage_deviations * deviation)
        return 0;
    const auto excess = static_cast<int64_t>(rate - error_rate);
    return excess < least ? 0 : static_cast<int32_t>(excess);
}

}  // namespace

bool BaseDamage::none() const { return *this == BaseDamage{}; }

bool BaseDamage::has(size_t of_class) const {
    bool found = false;
    for (const Rates& rates : per_million) {
        for_each_change([&](data::Base from, data::Base to) {
            found = found || (change_class(from, to) == of_class && rates[from][to] > 0);
        });
    }
    return found;
}

int32_t BaseDamage::mismatches_per_million(const BaseChangeCounts& counts) const {
    uint64_t bases = 0;
    uint64_t changed = 0;
    for (size_t place = 0; place < k_fragment_places; ++place) {
        const BaseChangeCounts::Counts& here = counts.places[place];
        for (const uint64_t of_base : here.bases) bases += of_base;
        for_each_change([&](data::Base from, data::Base to) {
            changed += here.bases[from] * static_cast<uint64_t>(per_million[place][from][to]);
        });
    }
    return bases == 0 ? 0 : static_cast<int32_t>(changed / bases);
}

uint8_t BaseDamage::highest_quality(data::Base reference, data::Base base, size_t place) const {
    if (reference > 3 || base > 3 || per_million[place][reference][base] == 0) return UINT8_MAX;
    // The probability of one of the three other bases is a third of what the quality says.
    const auto changed = static_cast<uint64_t>(3 * per_million[place][reference][base]);
    const int64_t centi = phred_centi(log_of_ratio(std::min(changed, k_million), k_million));
    const int64_t lowest = place == 0 ? k_lowest_damaged_quality : k_lowest_end_quality;
    return static_cast<uint8_t>(std::max(lowest, (centi + 50) / 100));
}

std::string BaseDamage::to_text() const {
    std::string text;
    const auto append = [&](const std::string& where, const Rates& rates, const Rates& but_for) {
        for_each_change([&](data::Base from, data::Base to) {
            if (rates[from][to] == 0) return;
            if (static_cast<int64_t>(k_min_damage_ratio) * but_for[from][to] > rates[from][to]) return;
            text += text.empty() ? "" : ", ";
            text += where + k_letters[from] + '>' + k_letters[to] + ' ' + percent_text(rates[from][to]);
        });
    };
    append("", per_million[0], {});
    append("at the begin ", highest_of(begin_place(0)), per_million[0]);
    append("at the end ", highest_of(end_place(0)), per_million[0]);
    return text.empty() ? "none" : text;
}

/// Of the classes of one end.
BaseDamage::Rates BaseDamage::highest_of(size_t first_place) const {
    Rates highest{};
    for (size_t place = first_place; place < first_place + k_end_classes; ++place) {
        for_each_change([&](data::Base from, data::Base to) {
            highest[from][to] = std::max(highest[from][to], per_million[place][from][to]);
        });
    }
    return highest;
}

BaseDamage estimate_base_damage(const BaseChangeCounts& counts) {
    BaseDamage damage;
    for (size_t place = 0; place < k_fragment_places; ++place) {
        const int64_t least = place == 0 ? k_min_damage_per_million : k_min_end_damage_per_million;
        for_each_change([&](data::Base from, data::Base to) {
            const int32_t rate = damage_of(counts.places[place], from, to, least);
            damage.per_million[place][from][to] = rate > 0 ? rate : damage.per_million[0][from][to];
        });
    }
    return damage;
}

}  // namespace gannet::variants
