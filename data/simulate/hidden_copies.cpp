// SPDX-License-Identifier: MIT
// Provides the drawing of hidden copies: places, extra copies, arrays.
#include "data/simulate/hidden_copies.hpp"

#include "data/simulate/portable_math.hpp"
#include "data/simulate/random.hpp"

#include <algorithm>
#include <cstdio>

namespace gannet::data::simulate {

namespace {

constexpr uint64_t k_margin_bp = 2000;  ///< between an original and unknown sequence or another original
constexpr double k_indel_share = 1.0 / 12;
constexpr double k_tandem_share = 0.4;
constexpr double k_backwards_share = 0.4;  ///< of the copies that are not in tandem
constexpr uint32_t k_tries = 20;

class PlaceMaker {
  public:
    PlaceMaker(const Genome& genome, const Truth& truth, const Library& library, uint64_t seed)
        : genome_(genome), truth_(truth), library_(library), random_(seed, Stream::hidden_copies, 0) {}

    std::vector<HiddenPlace> make(const std::vector<uint32_t>& copies_of_contig) {
        std::vector<HiddenPlace> places;
        for (uint32_t contig = 0; contig < genome_.sequences.size(); ++contig) {
            const double wanted = library_.hidden_copies_per_mb *
                                  static_cast<double>(genome_.sequences[contig].known_bp()) / 1e6;
            auto left = static_cast<uint64_t>(wanted);
            left += random_.chance(wanted - static_cast<double>(left));
            const size_t first = places.size();
            for (uint64_t tries = k_tries * left; left > 0 && tries > 0; --tries)
                left -= add_place(contig, copies_of_contig[contig], first, places);
            std::sort(places.begin() + static_cast<ptrdiff_t>(first), places.end(),
                      [](const HiddenPlace& a, const HiddenPlace& b) { return a.begin < b.begin; });
        }
        return places;
    }

  private:
    uint64_t add_place(uint32_t contig, uint32_t ploidy, size_t first, std::vector<HiddenPlace>& places) {
        const Sequence& sequence = genome_.sequences[contig];
        const auto length = static_cast<uint64_t>(
            log_uniform(library_.hidden_copy_min_bp, library_.hidden_copy_max_bp, random_.uniform()));
        if (sequence.bases.size() < length + 3 * k_margin_bp) return 0;
        HiddenPlace place;
        place.contig = contig;
        place.begin = k_margin_bp + random_.below(sequence.bases.size() - length - 2 * k_margin_bp);
        place.end = place.begin + length;
        const bool is_crowded = std::any_of(
            places.begin() + static_cast<ptrdiff_t>(first), places.end(), [&](const HiddenPlace& other) {
                return place.begin < other.end + k_margin_bp && other.begin < place.end + k_margin_bp;
            });
        if (is_crowded || !is_known(sequence.unknown, place.begin - k_margin_bp, place.end + k_margin_bp))
            return 0;
        const bool on_both = random_.chance(library_.hidden_copy_both_share);
        const bool is_first = random_.chance(0.5);
        place.sides = {on_both || is_first, on_both || !is_first};
        if (ploidy == 1) place.sides = {true, false};
        const bool is_array = random_.chance(library_.hidden_array_share);
        const uint64_t copies = is_array ? 4 + random_.below(9) : 1 + random_.below(3);
        const auto begin = sequence.bases.begin() + static_cast<ptrdiff_t>(place.begin);
        const std::vector<Base> original(begin, begin + static_cast<ptrdiff_t>(length));
        for (uint64_t k = 0; k < copies; ++k)
            place.copies.push_back(make_copy(sequence, truth_[contig], place, original, is_array));
        places.push_back(std::move(place));
        return 1;
    }

    HiddenPlace::Copy make_copy(const Sequence& sequence, const std::vector<TruthSite>& sites,
                                const HiddenPlace& place, const std::vector<Base>& original, bool is_array) {
        HiddenPlace::Copy copy;
        const double low = std::max(1e-6, library_.hidden_copy_min_divergence);
        copy.divergence =
            log_uniform(low, std::max(low, library_.hidden_copy_max_divergence), random_.uniform());
        copy.bases = aged(random_, original, copy.divergence, copy.divergence * k_indel_share);
        copy.position = place.end;
        if (!is_array && !random_.chance(k_tandem_share)) {
            copy.position = random_.below(sequence.bases.size());
            if (!is_known(sequence.unknown, copy.position - std::min<uint64_t>(copy.position, 100),
                          copy.position + 100) ||
                copy.position + 100 > sequence.bases.size())
                copy.position = place.end;
            copy.backwards = random_.chance(k_backwards_share);
        }
        if (copy.backwards) {
            const std::vector<Base> forward = copy.bases;
            reverse_complement(forward, copy.bases);
        }
        // Not inside a variant, on whichever haplotype that is.
        const auto after =
            std::upper_bound(sites.begin(), sites.end(), copy.position,
                             [](uint64_t at, const TruthSite& site) { return at < site.position; });
        if (after != sites.begin() && copy.position < (after - 1)->end() &&
            copy.position > (after - 1)->position)
            copy.position = (after - 1)->end();
        return copy;
    }

    const Genome& genome_;
    const Truth& truth_;
    const Library& library_;
    Random random_;
};

}  // namespace

std::vector<HiddenPlace> make_hidden_copies(const Genome& genome, const Truth& truth,
                                            const std::vector<uint32_t>& copies_of_contig,
                                            const Library& library, uint64_t seed) {
    if (library.hidden_copies_per_mb <= 0) return {};
    return PlaceMaker(genome, truth, library, seed).make(copies_of_contig);
}

std::vector<Insertion> insertions_of(const std::vector<HiddenPlace>& places, uint32_t contig, uint32_t side) {
    std::vector<Insertion> insertions;
    for (const HiddenPlace& place : places) {
        if (place.contig != contig || !place.sides[side]) continue;
        for (const HiddenPlace::Copy& copy : place.copies)
            insertions.push_back(
                {copy.position, copy.backwards ? place.end - 1 : place.begin, copy.backwards, copy.bases});
    }
    std::stable_sort(insertions.begin(), insertions.end(),
                     [](const Insertion& a, const Insertion& b) { return a.position < b.position; });
    return insertions;
}

std::string bed_of(const std::vector<HiddenPlace>& places, const Genome& genome) {
    std::string text;
    for (const HiddenPlace& place : places) {
        const std::string sides = place.sides[0] && place.sides[1] ? "1+2" : place.sides[0] ? "1" : "2";
        text += genome.sequences[place.contig].name + "\t" + std::to_string(place.begin) + "\t" +
                std::to_string(place.end) + "\t" + std::to_string(place.copies.size()) + "\t" + sides + "\t";
        std::string rates;
        std::string positions;
        for (const HiddenPlace::Copy& copy : place.copies) {
            std::array<char, 32> buffer;
            std::snprintf(buffer.data(), buffer.size(), "%.4f", copy.divergence);
            rates += (rates.empty() ? "" : "/") + std::string(buffer.data());
            positions += (positions.empty() ? "" : "/") + std::to_string(copy.position + 1) +
                         (copy.backwards ? "-" : "+");
        }
        text += rates + "\t" + positions + "\n";
    }
    return text;
}

}  // namespace gannet::data::simulate
