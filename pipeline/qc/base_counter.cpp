// SPDX-License-Identifier: MIT
// Provides the counting of bases per cycle.
#include "pipeline/qc/base_counter.hpp"

#include "pipeline/qc/word_counts.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::pipeline::qc {
namespace {

constexpr uint32_t k_reads_of_few = 15;
constexpr uint32_t k_reads_of_many = 255;

typedef uint8_t Bytes __attribute__((vector_size(k_lane)));
typedef uint64_t Words __attribute__((vector_size(k_lane)));

template <class Lane>
Lane load(const uint8_t* from) {
    Lane lane;
    std::memcpy(&lane, from, sizeof lane);
    return lane;
}
template <class Lane>
void store(uint8_t* to, Lane lane) {
    std::memcpy(to, &lane, sizeof lane);
}

/// The first `bytes` of a lane.
Words mask_of(size_t bytes) {
    static constexpr std::array<uint8_t, 2 * k_lane> k_ones = {255, 255, 255, 255, 255, 255, 255, 255,
                                                               255, 255, 255, 255, 255, 255, 255, 255};
    return load<Words>(k_ones.data() + k_lane - bytes);
}

constexpr uint64_t k_lowest_bits = 0x1111111111111111;

/// N, which is all four bits, is none.
Words without_unknown(Words bases) {
    const Words pairs = bases & (bases >> 1);
    const Words unknown = pairs & (pairs >> 2) & k_lowest_bits;
    return bases & ~((unknown << 4) - unknown);
}

inline void add_bits(uint8_t* counters, Words bits) {
    store(counters, load<Words>(counters) + (bits & k_lowest_bits));
}

/// Written out, since GCC at -O2 leaves a loop of four as it is.
template <bool has_unknown>
inline void add_lane(Words bases, const std::array<uint8_t*, 4>& few, size_t at) {
    if constexpr (has_unknown) bases = without_unknown(bases);
    add_bits(few[0] + at, bases);
    add_bits(few[1] + at, bases >> 1);
    add_bits(few[2] + at, bases >> 2);
    add_bits(few[3] + at, bases >> 3);
}

}  // namespace

void BaseCounter::grow(size_t bytes) {
    for (size_t place = 0; place < k_places; ++place) empty(static_cast<Place>(place));
    bytes_ = (bytes + k_lane - 1) / k_lane * k_lane;
    for (Table& table : tables_) {
        for (auto& counters : table.few) counters.assign(bytes_ + k_lane, 0);
        for (auto& counters : table.many) counters.assign(2 * (bytes_ + k_lane), 0);
    }
}

template <bool has_unknown>
void BaseCounter::add_lanes(std::span<const uint8_t> packed, const std::array<uint8_t*, 4>& few,
                            size_t readable) {
    size_t at = 0;
    for (; at + k_lane <= packed.size(); at += k_lane)
        add_lane<has_unknown>(load<Words>(packed.data() + at), few, at);
    if (const size_t left = packed.size() - at; left > 0) {
        if (at + k_lane <= readable) {
            add_lane<has_unknown>(load<Words>(packed.data() + at) & mask_of(left), few, at);
        } else {
            std::array<uint8_t, k_lane> last{};
            std::memcpy(last.data(), packed.data() + at, left);
            add_lane<has_unknown>(load<Words>(last.data()), few, at);
        }
    }
}

void BaseCounter::add(std::span<const uint8_t> packed, size_t length, bool reverse, size_t readable,
                      bool has_unknown) {
    if (length > k_max_cycles) {
        // Whole bytes, so that the places stay the same.
        const size_t left_out = (length - k_max_cycles) / 2 * 2;
        packed = reverse ? packed.subspan(left_out / 2) : packed.first(k_max_cycles / 2);
        readable = packed.size();
        length = reverse ? length - left_out : k_max_cycles;
    }
    if (packed.size() > bytes_) grow(packed.size());
    const Place place = !reverse ? k_forward : length % 2 == 0 ? k_reverse_even : k_reverse_odd;
    Table& table = tables_[place];
    const size_t begin = reverse ? bytes_ - packed.size() : 0;
    const std::array<uint8_t*, 4> few = {table.few[0].data() + begin, table.few[1].data() + begin,
                                         table.few[2].data() + begin, table.few[3].data() + begin};
    if (has_unknown)
        add_lanes<true>(packed, few, readable);
    else
        add_lanes<false>(packed, few, readable);
    if (++table.reads_in_few < k_reads_of_few) return;
    fold(table);
    if (table.reads_in_many + k_reads_of_few > k_reads_of_many) empty(place);
}

void BaseCounter::fold(Table& table) {
    constexpr Bytes k_low_order = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
    constexpr Bytes k_high_order = {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    for (size_t base = 0; base < 4; ++base) {
        uint8_t* const few = table.few[base].data();
        uint8_t* const many = table.many[base].data();
        for (size_t at = 0; at < bytes_ + k_lane; at += k_lane) {
            const Bytes lane = load<Bytes>(few + at);
            const Bytes first = (lane >> 4) & 15;
            const Bytes second = lane & 15;
            uint8_t* const to = many + 2 * at;
            store(to, load<Bytes>(to) + __builtin_shuffle(first, second, k_low_order));
            store(to + k_lane, load<Bytes>(to + k_lane) + __builtin_shuffle(first, second, k_high_order));
        }
        std::memset(few, 0, table.few[base].size());
    }
    table.reads_in_many += table.reads_in_few;
    table.reads_in_few = 0;
}

void BaseCounter::sum_up(Place place, Sums& sums) const {
    const size_t strand = place == k_forward ? 0 : 1;
    const Table& table = tables_[place];
    const size_t first =
        2 * bytes_ - (place == k_reverse_odd ? 2 : 1);  // where the first cycle of a reverse read is
    auto& cycles = sums[strand];
    if (cycles.size() < 2 * bytes_) cycles.resize(2 * bytes_);
    for (size_t base = 0; base < 4; ++base) {
        const std::vector<uint8_t>& many = table.many[base];
        const size_t end = strand == 0 ? 2 * bytes_ : first + 1;
        for (size_t cycle = 0; cycle < end; ++cycle)
            cycles[cycle][base] += many[strand == 0 ? cycle : first - cycle];
    }
}

void BaseCounter::empty(Place place) {
    Table& table = tables_[place];
    if (table.reads_in_few > 0) fold(table);
    if (table.reads_in_many == 0) return;
    sum_up(place, sums_);
    for (auto& counters : table.many) std::fill(counters.begin(), counters.end(), 0);
    table.reads_in_many = 0;
}

void BaseCounter::flush(Sums& sums) {
    for (size_t place = 0; place < k_places; ++place) empty(static_cast<Place>(place));
    for (size_t strand = 0; strand < k_strands; ++strand) {
        if (sums[strand].size() < sums_[strand].size()) sums[strand].resize(sums_[strand].size());
        for (size_t cycle = 0; cycle < sums_[strand].size(); ++cycle)
            for (size_t base = 0; base < 4; ++base) sums[strand][cycle][base] += sums_[strand][cycle][base];
        sums_[strand].clear();
    }
}

}  // namespace gannet::pipeline::qc
