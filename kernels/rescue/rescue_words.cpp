// SPDX-License-Identifier: MIT
// Provides the search of windows by mismatches that are counted for many diagonals at once.
#include "kernels/rescue/rescue_words.hpp"

#include "kernels/genome/fetch.hpp"
#include "kernels/rescue/rescue_backends.hpp"
#include "kernels/rescue/rescue_cell.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <emmintrin.h>

namespace gannet::kernels::rescue {
namespace {

/// The even bits of a word, in its lower half.
uint64_t even_bits(uint64_t word) {
    word &= k_low_bits;
    word = (word | word >> 1) & 0x3333333333333333;
    word = (word | word >> 2) & 0x0f0f0f0f0f0f0f0f;
    word = (word | word >> 4) & 0x00ff00ff00ff00ff;
    word = (word | word >> 8) & 0x0000ffff0000ffff;
    return (word | word >> 16) & 0xffffffff;
}

/// A bit for each of 128 bases or diagonals that follow each other. What is done to it takes one instruction
/// on any x86-64.
using Bits128 = __m128i;

constexpr uint64_t lower_half(Bits128 bits) { return static_cast<uint64_t>(bits[0]); }
constexpr uint64_t upper_half(Bits128 bits) { return static_cast<uint64_t>(bits[1]); }
Bits128 all_if(bool set) { return _mm_set1_epi64x(set ? -1 : 0); }

/// Numbers of bits to shift by, 0 to 64, as the instructions read them from memory.
struct alignas(16) ShiftBy {
    uint64_t bits = 0;
    uint64_t unused = 0;
};
constexpr std::array<ShiftBy, 65> k_shift_by = [] {
    std::array<ShiftBy, 65> out{};
    for (uint64_t bits = 0; bits < out.size(); ++bits) out[bits].bits = bits;
    return out;
}();

/// Which bases of a stretch of the reference are not an A, not a C, not a G, not a T: a bit per base.
class BasePlanes {
  public:
    /// Up to `bases` and the 191 that follow them can be asked for.
    BasePlanes(const GenomeView& genome, int64_t begin, size_t bases, std::vector<uint64_t>& memory)
        : words_(bases / 64 + 4), planes_(memory) {
        planes_.resize(4 * words_);
        for (size_t word = 0; word < words_; ++word) {
            const uint64_t at = std::min(static_cast<uint64_t>(begin) + 64 * word, genome.genome_size() - 65);
            const uint64_t first = word_at(genome.packed, at);
            const uint64_t second = word_at(genome.packed, at + 32);
            const uint64_t low = even_bits(first) | even_bits(second) << 32;
            const uint64_t high = even_bits(first >> 1) | even_bits(second >> 1) << 32;
            planes_[word] = low | high;
            planes_[words_ + word] = ~low | high;
            planes_[2 * words_ + word] = low | ~high;
            planes_[3 * words_ + word] = ~(low & high);
        }
    }
    /// Of each code, the word with base `from`.
    std::array<const uint64_t*, 4> words_at(size_t from) const {
        std::array<const uint64_t*, 4> out;
        for (size_t code = 0; code < 4; ++code) out[code] = planes_.data() + code * words_ + from / 64;
        return out;
    }

  private:
    size_t words_;
    std::vector<uint64_t>& planes_;
};

/// Of the 128 bases that begin `shift` bases, at most 63, behind the first one of a word.
Bits128 bits_behind(const uint64_t* word, size_t shift) {
    const auto load = [](const auto* at) { return _mm_loadu_si128(reinterpret_cast<const Bits128*>(at)); };
    const auto count = [](size_t bits) {
        return _mm_load_si128(reinterpret_cast<const Bits128*>(&k_shift_by[bits]));
    };
    return _mm_srl_epi64(load(word), count(shift)) | _mm_sll_epi64(load(word + 1), count(64 - shift));
}

/// Diagonals whose mismatches are counted at once.
constexpr size_t k_at_once = 128;

/// Of the diagonals from `from` on, a multiple of 32, those on which a block of the read has at most `most`
/// mismatches, which is at most k_max_block_mismatches. Counters of three bits, of all at once: they begin
/// with what is not allowed of seven, and stop there.
Bits128 good_diagonals(const BasePlanes& planes, uint64_t block, size_t from, uint32_t most) {
    static_assert(k_max_block_mismatches == 6, "the counters stop at seven");
    const uint32_t begin = k_max_block_mismatches - most;
    Bits128 ones = all_if((begin & 1) != 0);
    Bits128 twos = all_if((begin & 2) != 0);
    Bits128 fours = all_if((begin & 4) != 0);
    Bits128 more{};
    const std::array<const uint64_t*, 4> words = planes.words_at(from);
    const size_t shift = from % 64;  // 0 or 32: the block's bases begin in the same word
    for (uint32_t i = 0; i < 32; i += 2, block >>= 4) {
        const Bits128 a = bits_behind(words[block & 3], shift + i);
        const Bits128 b = bits_behind(words[block >> 2 & 3], shift + i + 1);
        const Bits128 of_ones = (a & b) | (ones & (a | b));
        ones ^= a ^ b;
        const Bits128 of_twos = twos & of_ones;
        twos ^= of_ones;
        more |= fours & of_twos;
        fours ^= of_twos;
        if (i % 4 != 2) continue;
        const Bits128 seven = more | (ones & twos & fours);
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(seven, all_if(true))) == 0xffff) return Bits128{};
    }
    return ~(more | (ones & twos & fours));
}

/// The diagonals from `from` on that may have a value of at least `least`: of `blocks`, some may not count.
/// Few of these are counted, so that most searches end before the last block.
Bits128 diagonals_worth(const BasePlanes& planes, const uint64_t* read, uint32_t blocks, size_t from,
                        uint32_t least) {
    constexpr uint32_t k_max_missing = 3;
    const uint32_t most = 32 * blocks - least;
    const uint32_t missing = std::min(most / 32, k_max_missing);
    const bool is_counted = most / 32 <= k_max_missing;
    Bits128 left[k_max_missing + 1];  // diagonals on which at most so many blocks do not count
    for (Bits128& each : left) each = all_if(true);
    Bits128 any{};
    for (uint32_t block = 0; block < blocks; ++block) {
        const Bits128 good =
            good_diagonals(planes, read[block], from + 32 * block, std::min(most, k_max_block_mismatches));
        any |= good;
        if (!is_counted) continue;
        for (uint32_t k = missing; k > 0; --k) left[k] = left[k - 1] | (left[k] & good);
        left[0] &= good;
        if ((lower_half(left[missing]) | upper_half(left[missing])) == 0) return Bits128{};
    }
    return is_counted ? left[missing] & any : any;
}

/// Asks for the bases under a read on all diagonals of a window.
void fetch_window(const GenomeView& genome, const RescueWindow& window, uint32_t length) {
    constexpr int64_t k_line_bp = 256;
    const auto size = static_cast<int64_t>(genome.genome_size());
    const int64_t last = std::min(window.end + length, size - 1);
    for (int64_t at = std::max<int64_t>(window.begin, 0); at < last; at += k_line_bp)
        fetch(genome.packed + (at >> 5));
    if (last >= 0) fetch(genome.packed + (last >> 5));
}

}  // namespace

int64_t search(const GenomeView& genome, const uint64_t* read, uint32_t length, const RescueWindow& window,
               std::vector<uint64_t>& planes_memory) {
    const GenomeInterval range = searched(genome, window, length);
    if (range.begin >= range.end) return -1;
    const uint32_t blocks = length / 32;
    const auto diagonals = static_cast<size_t>(range.end - range.begin);
    const BasePlanes planes(genome, range.begin, diagonals + length, planes_memory);
    int64_t found = -1;
    uint32_t found_value = 0;
    // From the middle of the window outwards: what is found there, at a usual insert, is what the others have
    // to reach.
    const size_t parts = (diagonals + k_at_once - 1) / k_at_once;
    size_t before = parts / 2;
    size_t behind = before;
    for (size_t part = 0; part < parts; ++part) {
        const bool is_before = behind == parts || (before > 0 && part % 2 == 1);
        const size_t from = k_at_once * (is_before ? --before : behind++);
        // Of equal values the lowest diagonal counts.
        const uint32_t least = is_before && found_value > 0 ? found_value : found_value + 1;
        if (least > 32 * blocks) continue;
        const Bits128 good = diagonals_worth(planes, read, blocks, from, least);
        for (size_t half = 0; half < 2 && from + 64 * half < diagonals; ++half) {
            const size_t first = from + 64 * half;
            uint64_t bits = half == 0 ? lower_half(good) : upper_half(good);
            if (diagonals - first < 64) bits &= (uint64_t{1} << (diagonals - first)) - 1;
            for (; bits != 0; bits &= bits - 1) {
                const auto diagonal = range.begin + static_cast<int64_t>(first) + std::countr_zero(bits);
                const uint32_t value = value_of(genome, read, blocks, diagonal);
                if (value < found_value || (value == found_value && diagonal >= found)) continue;
                found_value = value;
                found = diagonal;
            }
        }
    }
    return found;
}

void append_windows(const CandidateParameters& parameters, const GenomeView& genome,
                    const ReadBatchView& reads, const RescueWindows& windows, size_t first, size_t last,
                    WordsScratch& scratch, RescueResults& results) {
    for (size_t k = first; k < last; ++k) {
        const RescueWindow& window = windows.windows[k];
        fetch_window(genome, window, reads.length[window.read]);
    }
    for (size_t k = first; k < last; ++k) {
        const RescueWindow& window = windows.windows[k];
        Candidate found;
        found.strand = static_cast<uint8_t>(window.strand);
        found.diagonal = search(genome, reads.words(window.read, window.strand), reads.length[window.read],
                                window, scratch.planes);
        if (found.diagonal < 0 ||
            !candidates::compare(genome, parameters, candidates::single_read(reads, window.read),
                                 scratch.mismatches, found))
            continue;
        append(parameters, genome, reads, windows, static_cast<uint32_t>(k), found, results);
    }
}

}  // namespace gannet::kernels::rescue
