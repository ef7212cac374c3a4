// SPDX-License-Identifier: MIT
// Provides where a sequence repeats itself with a period of 1 to 6 bases: its homopolymers and tandem
// repeats.
#pragma once

#include "data/sequence.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::data {

/// Whether a run of N is a homopolymer of N, or no repeat.
enum class UnknownBases : uint8_t { never_repeat, repeat_each_other };

/// For each base and each period of 1 to 6, one bit: the base is repeated, that is, it is known and equals
/// the base one period before it. Everything that is asked of homopolymers and tandem repeats follows from
/// these bits: a maximal tandem repeat is a maximal run of repeated bases and the period before the first of
/// them. Memory: 7 bits per base.
class TandemRepeats {
  public:
    static constexpr size_t k_max_period = 6;

    /// A maximal tandem repeat [begin, end): a whole unit and the repeated bases that follow it. The last
    /// copy may be partial; repeats of different periods, and neighbours of the same one, may overlap.
    struct Repeat {
        size_t period = 0;
        size_t begin = 0;
        size_t end = 0;

        size_t length() const { return end - begin; }
    };

    /// Linear; sixteen bases are compared at once. Reuses the memory of earlier calls.
    void find(std::span<const Base> bases);

    /// Consecutive repeated bases from `at` on; `period` is 1 to 6 here and below. Constant for short
    /// repeats, else 64 bases at a time. 0 where `at` is past the end.
    size_t repeated_from(size_t period, size_t at, UnknownBases unknown = UnknownBases::never_repeat) const;
    /// Consecutive repeated bases before `end`. 0 where `end` is past the end.
    size_t repeated_before(size_t period, size_t end) const;
    /// Whether the unit of a maximal repeat of two copies or more is itself copies of a shorter one:
    /// TGTGTG... is a repeat of period 2, and found as one of periods 4 and 6 as well.
    bool has_shorter_period(const Repeat& repeat, UnknownBases unknown = UnknownBases::never_repeat) const;

    /// Calls visit(const Repeat&) for each maximal repeat of one period that has at least `shortest` bases
    /// (one to 64 more than the period) and ends beyond `from`; ascending. Ends when visit() returns false.
    template <class Visit>
    void for_each(size_t period, size_t shortest, size_t from, UnknownBases unknown, Visit&& visit) const {
        for (Repeat repeat = next(period, shortest, from, unknown); repeat.end != 0;
             repeat = next(period, shortest, repeat.end, unknown)) {
            if (!visit(repeat)) return;
        }
    }

  private:
    static constexpr size_t k_word_bits = 64;

    const uint64_t* plane(size_t period) const { return bits_.data() + (period - 1) * stride_; }
    uint64_t word(size_t period, size_t index, UnknownBases unknown) const;
    /// The first that ends beyond `from`; with an end of 0 if there is none.
    Repeat next(size_t period, size_t shortest, size_t from, UnknownBases unknown) const;
    size_t count_before(size_t period, size_t end, UnknownBases unknown) const;

    size_t size_ = 0;
    size_t stride_ = 0;  // words per plane, the last one 0
    bool has_unknown_ = false;
    std::vector<uint64_t> bits_;  // the planes of periods 1 to 6, and that of unknown bases
};

/// The shortest unit that the bases are whole copies of: their number if they are copies of nothing shorter.
size_t unit_length(std::span<const Base> bases);

/// Whether the bases are a tandem repeat of a period of 1 to 6 throughout; N repeats N.
bool is_tandem_repeat(std::span<const Base> bases);

/// The least length of a repeat by its period - 1.
using ShortestRepeats = std::array<size_t, TandemRepeats::k_max_period>;

/// Calls visit(const TandemRepeats::Repeat&) for each maximal tandem repeat of known bases under its shortest
/// period, by period and then by position. `shortest` is at least two units.
template <class Visit>
void for_each_tandem_repeat(const TandemRepeats& repeats, const ShortestRepeats& shortest, Visit&& visit) {
    for (size_t period = 1; period <= shortest.size(); ++period) {
        repeats.for_each(period, shortest[period - 1], 0, UnknownBases::never_repeat,
                         [&](const TandemRepeats::Repeat& repeat) {
                             if (!repeats.has_shorter_period(repeat)) visit(repeat);
                             return true;
                         });
    }
}

}  // namespace gannet::data
