// SPDX-License-Identifier: MIT
// Provides the making of a contig, from left to right.
#include "data/simulate/contig_maker.hpp"

#include "data/simulate/random.hpp"

#include <algorithm>
#include <array>

namespace gannet::data::simulate {

namespace {

constexpr Base k_a = 0, k_c = 1, k_g = 2, k_t = 3;
using Bases = std::vector<Base>;

/// Bases at a GC content; most CpG have decayed to TpG or CpA, and bases like to repeat themselves a little.
void append_background(Random& random, uint64_t count, double gc, Bases& out) {
    const uint64_t gc_threshold = probability(gc).threshold >> 32;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t x = random.next();
        const bool strong = x >> 32 < gc_threshold;
        Base base = strong ? (x & 1 ? k_c : k_g) : (x & 1 ? k_a : k_t);
        if (!out.empty() && (x >> 8 & 0xFF) < 12) base = out.back();
        if (base == k_g && !out.empty() && out.back() == k_c && (x >> 16 & 0xFF) < 195) {
            if (x & 2)
                base = k_a;
            else
                out.back() = k_t;
        }
        out.push_back(base);
    }
}

}  // namespace

Bases background(Random& random, uint64_t count, double gc) {
    Bases out;
    append_background(random, count, gc, out);
    return out;
}

Bases reversed(const Bases& source) {
    Bases out(source.size());
    reverse_complement(source, out);
    return out;
}

namespace {

RepeatFamily make_family(Random& random, uint64_t length, double gc, uint32_t members, double apart,
                         double youngest, double oldest) {
    RepeatFamily family;
    const Bases root = background(random, length, gc);
    for (uint32_t i = 0; i < members; ++i) {
        family.members.push_back(i == 0 ? root
                                        : aged(random, family.members[random.below(i)], apart, apart / 20));
        const double share = members == 1 ? 1.0 : 1.0 - static_cast<double>(i) / (members - 1);
        family.age.push_back(youngest + (oldest - youngest) * share);
    }
    return family;
}

}  // namespace

RepeatFamilies make_families(uint64_t seed) {
    Random random(seed, Stream::families, 0);
    RepeatFamilies families;
    for (int i = 0; i < 60; ++i)
        families.ancient.push_back(make_family(random, 200 + random.below(2400), 0.43, 1, 0, 0.15, 0.30));
    for (int i = 0; i < 4; ++i)
        families.line.push_back(make_family(random, 5600 + random.below(900), 0.41, 5, 0.04, 0.006, 0.20));
    for (int i = 0; i < 2; ++i)
        families.sine.push_back(make_family(random, 275 + random.below(40), 0.58, 12, 0.015, 0.01, 0.17));
    for (int i = 0; i < 10; ++i)
        families.ltr.push_back(make_family(random, 2500 + random.below(5000), 0.45, 2, 0.05, 0.04, 0.16));
    return families;
}

namespace {

/// One contig, written from left to right.
class ContigMaker {
  public:
    ContigMaker(const RepeatFamilies& families, uint64_t seed, uint64_t contig, uint64_t length,
                const std::vector<ArrayPlan>* arrays, std::vector<MarkedRun>* marked)
        : families_(families),
          random_(seed, Stream::contig, contig),
          length_(length),
          arrays_(arrays),
          marked_(marked) {}

    Bases make() {
        out_.reserve(length_ + 20000);
        bool has_satellite = length_ < 400000 || arrays_;
        size_t next_array = 0;
        while (out_.size() < length_) {
            if (isochore_end_ <= out_.size()) begin_isochore();
            append_background(random_, random_.exponential(480), gc_, out_);
            if (!has_satellite && out_.size() > length_ / 100 * 45) {
                append_satellite_array();
                has_satellite = true;
            }
            for (; arrays_ && next_array < arrays_->size() && out_.size() >= (*arrays_)[next_array].begin;
                 ++next_array)
                append_array((*arrays_)[next_array].length);
            append_element();
        }
        out_.resize(length_);
        while (marked_ && !marked_->empty() && marked_->back().end > length_) {
            marked_->back().end = length_;
            if (marked_->back().begin >= length_) marked_->pop_back();
        }
        return std::move(out_);
    }

  private:
    void begin_isochore() {
        constexpr std::array<double, 6> levels{0.36, 0.38, 0.40, 0.43, 0.47, 0.52};
        constexpr std::array<uint32_t, 6> weights{18, 24, 24, 16, 11, 7};
        gc_ = levels[random_.pick(weights)];
        isochore_end_ = out_.size() + 30000 + random_.below(220000);
    }

    void append_element() {
        constexpr std::array<uint32_t, 6> poor{24, 19, 22, 6, 24, 3};
        constexpr std::array<uint32_t, 6> rich{40, 8, 20, 5, 24, 4};
        Bases element;
        switch (random_.pick(gc_ > 0.42 ? rich : poor)) {
            case 0:
                element = sine();
                break;
            case 1:
                element = line();
                break;
            case 2:
                element = ancient();
                break;
            case 3:
                element = ltr();
                break;
            case 4:
                element = microsatellite();
                break;
            default:
                element = minisatellite();
        }
        // A younger element sometimes sits inside an older one.
        if (element.size() > 800 && random_.chance(0.25)) {
            const Bases guest = sine();
            const auto at =
                element.begin() + random_.between(100, static_cast<int64_t>(element.size()) - 100);
            element.insert(at, guest.begin(), guest.end());
        }
        if (random_.chance(0.5)) element = reversed(element);
        mark(element.size(), Stratum::repeat);
        out_.insert(out_.end(), element.begin(), element.end());
    }

    void mark(uint64_t length, Stratum stratum) {
        if (marked_ && length > 0) marked_->push_back({out_.size(), out_.size() + length, stratum});
    }

    /// Retrotransposed: cut short at the 5' end, aged, with a poly-A tail that has aged too.
    Bases retrotransposed(const RepeatFamily& family, uint64_t kept_bp) {
        const size_t member = random_.below(family.members.size());
        const Bases& whole = family.members[member];
        const auto kept = static_cast<ptrdiff_t>(std::min<uint64_t>(whole.size(), kept_bp));
        Bases copy(whole.end() - kept, whole.end());
        copy.insert(copy.end(), 6 + random_.below(24), k_a);
        return aged(random_, copy, family.age[member] * random_.uniform(0.7, 1.3), 0.006);
    }
    Bases sine() {
        const RepeatFamily& family = families_.sine[random_.chance(0.8) ? 0 : 1];
        return retrotransposed(family, random_.chance(0.8) ? 1000 : 60 + random_.below(240));
    }
    Bases line() {
        const RepeatFamily& family = families_.line[random_.below(families_.line.size())];
        return retrotransposed(family, random_.chance(0.06) ? 10000 : 250 + random_.exponential(950));
    }
    Bases ancient() {
        const RepeatFamily& family = families_.ancient[random_.below(families_.ancient.size())];
        const Bases& whole = family.members[0];
        const uint64_t kept = std::min<uint64_t>(whole.size(), 80 + random_.exponential(280));
        const auto begin = static_cast<ptrdiff_t>(random_.below(whole.size() - kept + 1));
        const Bases part(whole.begin() + begin, whole.begin() + begin + static_cast<ptrdiff_t>(kept));
        return aged(random_, part, random_.uniform(0.14, 0.30), 0.015);
    }
    /// Long terminal repeats on both sides of an inner part, or more often one alone.
    Bases ltr() {
        const RepeatFamily& family = families_.ltr[random_.below(families_.ltr.size())];
        const size_t member = random_.below(family.members.size());
        const Bases& whole = family.members[member];
        const Bases terminal(whole.begin(), whole.begin() + 420);
        const double age = family.age[member] * random_.uniform(0.8, 1.2);
        if (random_.chance(0.85)) return aged(random_, terminal, age, 0.006);
        Bases all(whole);
        all.insert(all.end(), terminal.begin(), terminal.end());
        return aged(random_, all, age, 0.006);
    }
    Bases microsatellite() {
        constexpr std::array<uint32_t, 6> periods{38, 28, 9, 16, 6, 3};
        const size_t period = random_.pick(periods) + 1;
        Bases unit(period);
        do {
            for (Base& base : unit) base = static_cast<Base>(random_.below(4));
        } while (period > 1 && std::equal(unit.begin() + 1, unit.end(), unit.begin()));
        if (period == 1 && random_.chance(0.9)) unit[0] = k_a;
        const uint64_t length = period == 1 ? std::min<uint64_t>(9 + random_.exponential(6), 32)
                                            : std::min<uint64_t>(12 + random_.exponential(15), 120);
        Bases out(length);
        for (size_t i = 0; i < length; ++i) out[i] = unit[i % period];
        constexpr std::array<double, 3> impure{0, 0.02, 0.07};
        constexpr std::array<uint32_t, 3> weights{60, 25, 15};
        return aged(random_, out, impure[random_.pick(weights)], 0);
    }
    Bases minisatellite() {
        const Bases unit = background(random_, 8 + random_.below(56), random_.uniform(0.35, 0.65));
        return tandem(unit, 3 + random_.below(36), random_.uniform(0.01, 0.10), 0.002);
    }
    void append_satellite_array() {
        const Bases monomer = background(random_, 171, 0.38);
        const Bases unit = tandem(monomer, 4 + random_.below(9), 0.28, 0.004);
        const uint64_t copies = std::max<uint64_t>(2, length_ / 100 / unit.size());
        const Bases array = tandem(unit, std::min<uint64_t>(copies, 200), 0.012, 0.0003);
        mark(array.size(), Stratum::satellite);
        out_.insert(out_.end(), array.begin(), array.end());
    }
    /// An array of higher-order repeats as in a centromere: 0.5 to 2 % apart, monomers 28 %.
    void append_array(uint64_t length) {
        const Bases monomer = background(random_, 171, 0.38);
        const Bases unit = tandem(monomer, 4 + random_.below(9), 0.28, 0.004);
        Bases array = tandem(unit, length / unit.size() + 1, random_.uniform(0.005, 0.02), 0.0003);
        array.resize(std::min<uint64_t>(array.size(), length));
        mark(array.size(), Stratum::satellite);
        out_.insert(out_.end(), array.begin(), array.end());
    }
    Bases tandem(const Bases& unit, uint64_t copies, double substitutions, double indels) {
        Bases out;
        for (uint64_t i = 0; i < copies; ++i) {
            const Bases copy = aged(random_, unit, substitutions, indels);
            out.insert(out.end(), copy.begin(), copy.end());
        }
        return out;
    }

    const RepeatFamilies& families_;
    Random random_;
    uint64_t length_;
    const std::vector<ArrayPlan>* arrays_;
    std::vector<MarkedRun>* marked_;
    uint64_t isochore_end_ = 0;
    double gc_ = 0.4;
    Bases out_;
};

}  // namespace

Bases make_contig(const RepeatFamilies& families, uint64_t seed, uint64_t contig, uint64_t length,
                  const std::vector<ArrayPlan>* arrays, std::vector<MarkedRun>* marked) {
    return ContigMaker(families, seed, contig, length, arrays, marked).make();
}

}  // namespace gannet::data::simulate
