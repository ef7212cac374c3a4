// SPDX-License-Identifier: MIT
// Provides the counting of base qualities per cycle.
#include "pipeline/qc/quality_counter.hpp"

#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/word_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace gannet::pipeline::qc {
namespace {

using kernels::SimdLevel;

/// Counters of a cycle: 256 qualities, and a gap so that the rows do not fall on the same sets of the cache.
constexpr size_t k_quality_row = 256 + 32;
constexpr uint32_t k_reads_of_table = 65'535;
/// After so many reads the common qualities are chosen for the first time.
constexpr uint32_t k_reads_to_learn = 1024;
constexpr uint32_t k_blocks_of_few = 255 / k_block_reads;
/// A quality is common if it is at least this share of all, about where comparing costs as much as counting.
constexpr uint64_t k_common_share = 256;
/// Where there are no more different qualities than these, all are common, and no block has a rare one.
constexpr std::ptrdiff_t k_few_qualities = 10;
/// With more rare ones than this share, all are counted one by one.
constexpr uint64_t k_rare_share = 4;
constexpr uint8_t k_no_quality = 255;  // behind the end of a read

constexpr unsigned k_cycle_bits = 16;
static_assert(k_max_cycles < (1u << k_cycle_bits));
constexpr int k_bits_at_once = 4;

/// Writes `first` plus the number of each set bit, and up to k_bits_at_once numbers more. Returns how many
/// are set. Most words have so few that no branch depends on how many.
inline size_t list_bits(uint64_t bits, uint32_t first, uint32_t* to) {
    const int count = std::popcount(bits);
    constexpr uint64_t k_last = uint64_t{1} << 63;  // or the search has a branch for zero
    for (int listed = 0; listed == 0 || listed < count; listed += k_bits_at_once) {
#pragma GCC unroll 4
        for (int i = 0; i < k_bits_at_once; ++i, bits &= bits - 1)
            to[listed + i] = first + static_cast<uint32_t>(std::countr_zero(bits | k_last));
    }
    return static_cast<size_t>(count);
}

/// `step`: to the quality of the next cycle. Unrolled, it takes one cycle of the CPU per base.
template <std::ptrdiff_t step>
void count_one_by_one(uint16_t* table, const uint8_t* quality, size_t cycles) {
    size_t cycle = 0;
    for (; cycle + 8 <= cycles; cycle += 8) {
#pragma GCC unroll 8
        for (std::ptrdiff_t i = 0; i < 8; ++i)
            ++table[static_cast<size_t>(i) * k_quality_row + quality[i * step]];
        table += 8 * k_quality_row;
        quality += 8 * step;
    }
    for (; cycle < cycles; ++cycle, table += k_quality_row, quality += step) ++table[*quality];
}

}  // namespace

QualityCounter::QualityCounter(SimdLevel level) : reads_until_empty_(k_reads_to_learn) {
    if (level == SimdLevel::avx512) count_ = avx512::count_qualities;
    if (level == SimdLevel::avx2) count_ = avx2::count_qualities;
    if (level == SimdLevel::sse42) count_ = sse42::count_qualities;
    lane_ = level == SimdLevel::avx512 ? 64 : level == SimdLevel::avx2 ? 32 : 16;
}

void QualityCounter::grow(size_t cycles) {
    empty();
    capacity_ = (cycles + k_block_columns - 1) / k_block_columns * k_block_columns;
    table_.assign(capacity_ * k_quality_row, 0);
    rows_.assign(k_block_reads * capacity_, k_no_quality);
    lengths_.fill(0);
    few_.assign(k_max_common * capacity_, 0);
    more_.assign(k_max_common * capacity_, 0);
    rare_.assign(k_block_reads * capacity_ / 8, 0);
    listed_.assign(k_block_reads * capacity_ + k_bits_at_once, 0);
}

void QualityCounter::add(std::span<const uint8_t> qualities, bool reverse) {
    const size_t cycles = std::min(qualities.size(), k_max_cycles);
    qualities = reverse ? qualities.last(cycles) : qualities.first(cycles);
    if (cycles == 0) return;
    if (cycles > capacity_) grow(cycles);
    if (common_.count > 0 && put_in_block(qualities, reverse)) {
        if (++in_block_ == k_block_reads) count_block();
    } else if (reverse) {
        count_one_by_one<-1>(table_.data(), &qualities.back(), cycles);
    } else {
        count_one_by_one<1>(table_.data(), qualities.data(), cycles);
    }
    if (++reads_ < reads_until_empty_) return;
    empty();
    choose_common();
}

/// Lanes that overlap at the end, so that nothing outside of the read is touched. Not for short reads, nor
/// for those that have a quality which is never common.
bool QualityCounter::put_in_block(std::span<const uint8_t> qualities, bool reverse) {
    const size_t cycles = qualities.size();
    if (cycles < k_lane) return false;
    uint8_t* const row = &rows_[in_block_ * capacity_];
    __m128i all = _mm_setzero_si128();
    const auto put = [&](size_t cycle) {
        __m128i lane;
        if (reverse) {
            const __m128i turned = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
            lane = _mm_shuffle_epi8(lane_at(&qualities[cycles - k_lane - cycle]), turned);
        } else {
            lane = lane_at(&qualities[cycle]);
        }
        all = _mm_or_si128(all, lane);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(row + cycle), lane);
    };
    for (size_t cycle = 0; cycle + k_lane <= cycles; cycle += k_lane) put(cycle);
    put(cycles - k_lane);
    size_t& length = lengths_[in_block_];
    if (cycles < length) std::memset(row + cycles, k_no_quality, length - cycles);
    length = cycles;
    static_assert(std::has_single_bit(uint32_t{k_common_end}));
    return _mm_testz_si128(all, _mm_set1_epi8(static_cast<char>(-k_common_end))) != 0;
}

void QualityCounter::count_block() {
    const size_t longest = *std::max_element(lengths_.begin(), lengths_.end());
    const size_t columns = (longest + lane_ - 1) / lane_ * lane_;
    if (count_({rows_.data(), capacity_, columns}, common_, few_.data(), rare_.data())) count_rare(longest);
    in_block_ = 0;
    if (++blocks_in_few_ == k_blocks_of_few) add_few();
}

/// Of the block, in the columns before `longest`.
void QualityCounter::count_rare(size_t longest) {
    // Listed first and counted then, since how many each word has cannot be foretold.
    size_t listed = 0;
    for (size_t read = 0; read < k_block_reads; ++read) {
        for (size_t begin = 0; begin < longest; begin += 64) {
            uint64_t rare = word_at(&rare_[(read * capacity_ + begin) / 8]);
            if (longest - begin < 64) rare &= (uint64_t{1} << (longest - begin)) - 1;
            listed += list_bits(rare, static_cast<uint32_t>(read << k_cycle_bits | begin), &listed_[listed]);
        }
    }
    for (size_t i = 0; i < listed; ++i) {
        const size_t cycle = listed_[i] & ((1u << k_cycle_bits) - 1);
        ++table_[cycle * k_quality_row + rows_[(listed_[i] >> k_cycle_bits) * capacity_ + cycle]];
    }
}

void QualityCounter::add_few() {
    move_to_sums(std::span(few_).first(common_.count * capacity_), more_.data());
    blocks_in_few_ = 0;
}

void QualityCounter::empty() {
    if (reads_ == 0) return;
    for (size_t read = 0; read < in_block_; ++read)
        count_one_by_one<1>(table_.data(), &rows_[read * capacity_], lengths_[read]);
    in_block_ = 0;
    if (blocks_in_few_ > 0) add_few();
    if (sums_.size() < capacity_) sums_.resize(capacity_);
    for (size_t cycle = 0; cycle < capacity_; ++cycle) {
        for (size_t quality = 0; quality < 256; ++quality)
            sums_[cycle][quality] += table_[cycle * k_quality_row + quality];
        for (size_t i = 0; i < common_.count; ++i)
            sums_[cycle][common_.values[i]] += more_[i * capacity_ + cycle];
    }
    std::fill(table_.begin(), table_.end(), 0);
    std::fill(more_.begin(), more_.end(), 0);
    reads_ = 0;
}

/// After empty().
void QualityCounter::choose_common() {
    reads_until_empty_ = k_reads_of_table;
    if (count_ == nullptr) return;
    std::array<uint64_t, 256> counts{};
    uint64_t all = 0;
    for (const auto& cycle : sums_) {
        for (size_t quality = 0; quality < counts.size(); ++quality) {
            counts[quality] += cycle[quality];
            all += cycle[quality];
        }
    }
    common_ = {};
    std::fill(std::begin(common_.rare), std::end(common_.rare), uint8_t{15});
    const bool are_few = std::count_if(counts.begin(), counts.end(),
                                       [](uint64_t count) { return count > 0; }) <= k_few_qualities;
    const uint64_t least = are_few ? 1 : std::max<uint64_t>(all / k_common_share, 1);
    uint64_t rare = all;
    for (uint8_t quality = 0; quality < k_common_end && common_.count < k_max_common; ++quality) {
        if (counts[quality] < least) continue;
        common_.values[common_.count++] = quality;
        common_.rare[quality % 16] &= static_cast<uint8_t>(~(1u << quality / 16));
        rare -= counts[quality];
    }
    if (rare > all / k_rare_share) common_.count = 0;
}

void QualityCounter::flush(Sums& sums) {
    empty();
    if (sums.empty()) std::swap(sums, sums_);
    if (sums.size() < sums_.size()) sums.resize(sums_.size());
    for (size_t cycle = 0; cycle < sums_.size(); ++cycle)
        for (size_t quality = 0; quality < 256; ++quality) sums[cycle][quality] += sums_[cycle][quality];
    sums_.clear();
}

}  // namespace gannet::pipeline::qc
