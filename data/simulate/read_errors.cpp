// SPDX-License-Identifier: MIT
// Provides qualities that fall along the read, errors that depend on quality, cycle and context, and places
// that are misread on one strand.
#include "data/simulate/read_errors.hpp"

#include "data/simulate/portable_math.hpp"

#include <algorithm>
#include <bit>

namespace gannet::data::simulate {

namespace {

/// 10^(-quality/10), without libm.
constexpr double error_probability(uint32_t quality) {
    constexpr double tenths[10] = {1.0,
                                   0.7943282347242815,
                                   0.6309573444801932,
                                   0.5011872336272722,
                                   0.3981071705534972,
                                   0.3162277660168379,
                                   0.2511886431509580,
                                   0.1995262314968880,
                                   0.1584893192461114,
                                   0.1258925411794167};
    double p = tenths[quality % 10];
    for (uint32_t i = 0; i < quality / 10; ++i) p /= 10;
    return p;
}

/// What an instrument that distinguishes so many qualities writes.
constexpr uint8_t binned_quality(int values, int quality) {
    if (values == 41) return static_cast<uint8_t>(std::clamp(quality, 2, 41));
    if (values == 4) return quality >= 31 ? 37 : quality >= 18 ? 23 : quality >= 5 ? 12 : 2;
    if (values == 3) return quality >= 30 ? 40 : quality >= 17 ? 24 : 9;
    if (quality >= 39) return 40;
    if (quality >= 35) return 37;
    if (quality >= 30) return 32;
    if (quality >= 25) return 27;
    if (quality >= 18) return 22;
    if (quality >= 11) return 14;
    return quality >= 5 ? 8 : 2;
}

/// Slips of the base caller by length of the homopolymer, per read of it.
constexpr double slip_probability(uint32_t run) {
    constexpr double by_run[] = {0,    0,    0,     0,     1e-5,  2e-5,  6e-5, 1.5e-4, 4e-4, 1e-3,  2.5e-3,
                                 4e-3, 7e-3, 0.011, 0.017, 0.025, 0.036, 0.05, 0.065,  0.08, 0.095, 0.11};
    constexpr uint32_t longest = std::size(by_run) - 1;
    return by_run[run < longest ? run : longest];
}

constexpr uint32_t k_ggc = 2 << 4 | 2 << 2 | 1;
constexpr double k_max_rate = 0.9;  ///< of an error-prone place
constexpr int k_low_quality = 14;
/// Shares of the error-prone places, and how often such contexts are in random sequence.
constexpr double k_ggc_share = 0.35, k_ggc_frequency = 1.0 / 64;
constexpr double k_inverted_share = 0.15, k_inverted_frequency = 1.0 / 256;

/// A stem of five bases, the second half of which ends before base[0], around a loop of three to six.
bool follows_inverted_repeat(const Base* base) {
    for (int loop = 3; loop <= 6; ++loop) {
        bool pairs = true;
        for (int k = 0; k < 5 && pairs; ++k) pairs = base[-1 - k] == (3 ^ base[-10 - loop + k]);
        if (pairs) return true;
    }
    return false;
}

constexpr uint32_t hash_of(uint32_t key, uint64_t seed) {
    uint64_t x = (key + 1) * 0x9E3779B97F4A7C15U + seed * 0xD6E8FEB86659FD93U;
    x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9U;
    return static_cast<uint32_t>(x >> 32);
}

}  // namespace

ReadErrors::ReadErrors(const Library& library, uint32_t read_length, uint64_t seed)
    : length_(read_length), seed_(seed), library_(library) {
    const auto values = static_cast<int>(library.quality_values);
    for (uint32_t i = 0; i < bins_.size(); ++i)
        bins_[i] = binned_quality(values, static_cast<int>(i) - static_cast<int>(k_offset));
    for (uint32_t i = 0; i < jitter_.size(); ++i)
        jitter_[i] = static_cast<int8_t>(i < 2     ? -24
                                         : i < 8   ? -13
                                         : i < 40  ? -5
                                         : i < 110 ? -1
                                         : i < 220 ? 1
                                                   : 3);
    const auto length = static_cast<int>(read_length);
    for (int mate = 0; mate < 2; ++mate)
        for (int cycle = 0; cycle < length; ++cycle) {
            const int x = 256 * cycle / length;
            const double whole = mate == 0 ? library.quality_fall_1 : library.quality_fall_2;
            const int fall = static_cast<int>(x * x * whole / 65536);
            profile_[static_cast<size_t>(mate)].push_back(static_cast<int8_t>(
                static_cast<int>(library.quality_peak) - mate - fall - (cycle < 3 ? 4 - cycle : 0)));
        }
    constexpr double ln10 = 2.302585092994046;
    for (uint32_t band = 0; band < k_bands; ++band) {
        const double along = (band + 0.5) / k_bands;
        const double late = 1 + (library.late_error_factor - 1) * along * along;
        for (uint32_t q = 0; q < 64; ++q) {
            const double overstated = portable_exp(ln10 / 10 * library.quality_overstated * q / 40);
            const double p = std::min(1.0, error_probability(q) * overstated * late);
            wrong_[band][0][q] = probability(p).threshold;
            wrong_[band][1][q] = probability(std::min(0.6, library.ggc_error_factor * p)).threshold;
        }
    }
    for (uint32_t i = 0; i < slip_.size(); ++i)
        slip_[i] = probability(library.read_slip_factor * slip_probability(i)).threshold;
    background_indel_ = probability(8e-6 * read_length);
    collapsed_ = probability(library.collapsed_share);
    low_quality_ = probability(library.systematic_low_quality);
    // A place has two strands, and each of them is one place to be error-prone.
    const double prone = library.systematic_sites_per_kb / 2000;
    const std::array<double, 3> shares{(1 - k_ggc_share - k_inverted_share) * prone,
                                       k_ggc_share * prone / k_ggc_frequency,
                                       k_inverted_share * prone / k_inverted_frequency};
    for (size_t i = 0; i < shares.size(); ++i) {
        prone_[i] = static_cast<uint64_t>(std::min(1.0, shares[i]) * 0x1p32);
        max_prone_ = std::max(max_prone_, prone_[i]);
    }
}

void ReadErrors::apply(Random& random, Random& systematic, uint32_t mate, Read& read,
                       ErrorCounts& counts) const {
    draw_indels(random, read, counts);
    draw_qualities(random, mate, read);
    if (max_prone_ > 0) draw_systematic(systematic, read, counts);
    draw_substitutions(random, read, counts);
}

void ReadErrors::draw_indels(Random& random, Read& read, ErrorCounts& counts) const {
    std::vector<Base>& bases = read.bases;
    const auto change = [&](uint32_t at) {
        if (random.next() % 5 < 3)
            std::copy(bases.begin() + at + 1, bases.end(), bases.begin() + at);
        else
            std::copy_backward(bases.begin() + at, bases.end() - 1, bases.end());
        ++counts.indels;
    };
    if (random.chance(background_indel_)) change(static_cast<uint32_t>(random.below(length_)));
    // One bit per base: equal to the one before. The end of a run of four or more is a rare pattern, and so a
    // cheap branch.
    const Base* base = bases.data();
    uint32_t equal = 0;
    for (uint32_t i = 1, end = length_; i < end; ++i) {
        equal = equal << 1 | static_cast<uint32_t>(base[i] == base[i - 1]);
        if ((equal & 15) != 14) continue;
        const auto run = static_cast<uint32_t>(std::countr_one(equal >> 1)) + 1;
        if (random.next() < slip_[std::min<uint32_t>(run, 31)]) change(i - 1);
    }
}

void ReadErrors::draw_qualities(Random& random, uint32_t mate, Read& read) const {
    const uint32_t length = length_;
    read.qualities.resize(length);
    const int32_t z = random.normal() * 5 / 2;
    const int overall = std::min(2, z >> 16) + static_cast<int>(k_offset);
    // A few reads go bad half-way.
    const uint64_t fate = random.next();
    const uint32_t bad_from =
        fate < collapsed_.threshold ? static_cast<uint32_t>((fate & 0xFFFFFF) * length >> 24) : length;
    const int8_t* profile = profile_[mate].data();
    uint8_t* qualities = read.qualities.data();
    for (uint32_t i = 0; i < length;) {
        uint64_t x = random.next();
        for (const uint32_t end = std::min(length, i + 8); i < end; ++i, x >>= 8) {
            const int quality = profile[i] + overall + jitter_[x & 0xFF] - (i >= bad_from ? 18 : 0);
            qualities[i] = bins_[static_cast<size_t>(std::max(quality, 0))];
        }
    }
}

ReadErrors::Site ReadErrors::checked_site(uint32_t key, uint32_t hash, const Base* base) const {
    const bool after_ggc = (key & 63) == k_ggc;
    const uint64_t prone = std::max({prone_[0], after_ggc ? prone_[1] : 0,
                                     prone_[2] > prone_[0] && follows_inverted_repeat(base) ? prone_[2] : 0});
    if (hash >= prone || base[0] >= k_base_n) return {};
    Random random(seed_, Stream::systematic_context, key);
    const double z = random.normal() / 65536.0;
    const double rate = library_.systematic_rate * portable_exp(library_.systematic_log_sd * z);
    // Mostly the base before, which some strands of the cluster still show; after GGC mostly G.
    Base wrong = after_ggc && random.below(4) < 3 ? Base{2} : base[-1];
    if (wrong == base[0] || wrong >= k_base_n) wrong = static_cast<Base>(base[0] ^ (1 + random.below(3)));
    return {std::min(k_max_rate, rate), wrong};
}

ReadErrors::Site ReadErrors::site(const std::vector<Base>& bases, size_t at) const {
    if (at < k_context_bp || max_prone_ == 0) return {};
    uint32_t key = 0;
    for (size_t i = at - k_context_bp; i < at; ++i) key = key << 2 | (bases[i] & 3);
    const uint32_t hash = hash_of(key, seed_);
    return hash < max_prone_ ? checked_site(key, hash, &bases[at]) : Site{};
}

void ReadErrors::draw_systematic(Random& random, Read& read, ErrorCounts& counts) const {
    // The contexts are those of the template: an error does not make or undo the next one.
    struct Change {
        uint32_t at;
        Base wrong;
    };
    std::array<Change, 64> changes;
    size_t count = 0;
    uint32_t key = 0;
    for (uint32_t i = 0; i < length_; ++i) {
        if (i >= k_context_bp) {
            const uint32_t hash = hash_of(key, seed_);
            if (hash < max_prone_) {
                const Site here = checked_site(key, hash, &read.bases[i]);
                // Strands of a cluster get out of step, so errors are more frequent late in the read.
                const double rate = here.rate * (0.5 + static_cast<double>(i) / length_);
                if (here.rate > 0 && count < changes.size() && random.chance(std::min(k_max_rate, rate)))
                    changes[count++] = {i, here.wrong};
            }
        }
        key = key << 2 | (read.bases[i] & 3);
    }
    for (size_t k = 0; k < count; ++k) {
        read.bases[changes[k].at] = changes[k].wrong;
        if (random.chance(low_quality_)) {
            uint8_t& quality = read.qualities[changes[k].at];
            quality = std::min(quality, bins_[k_offset + k_low_quality]);
        }
    }
    counts.systematic += count;
}

void ReadErrors::draw_substitutions(Random& random, Read& read, ErrorCounts& counts) const {
    const uint32_t length = length_;
    uint32_t before = 0;  // the last three bases, two bits each
    const uint8_t* qualities = read.qualities.data();
    Base* bases = read.bases.data();
    for (uint32_t i = 0; i < length;) {
        const Thresholds& wrong = wrong_[i * k_bands / length];
        uint64_t x = random.next();
        for (const uint32_t end = std::min(length, i + 4); i < end; ++i, x >>= 16) {
            const bool after_ggc = before == k_ggc;
            const uint64_t threshold = wrong[after_ggc][qualities[i]];
            Base& base = bases[i];
            before = (before << 2 | base) & 63;
            // Sixteen bits nearly always decide; the rest of the number is drawn where they do not.
            const uint64_t high = x & 0xFFFF;
            if (high > threshold >> 48) continue;
            if (high == threshold >> 48 && random.next() >> 16 >= (threshold & 0xFFFFFFFFFFFF)) continue;
            const uint64_t kind = random.next();
            if (qualities[i] == 2 && kind % 16 == 0)
                base = k_base_n;
            else if (after_ggc && base != 2 && kind % 16 < 9)
                base = 2;
            else
                base = static_cast<Base>(base ^ (1 + (kind >> 32) % 3));
            ++counts.substitutions;
        }
    }
}

}  // namespace gannet::data::simulate
