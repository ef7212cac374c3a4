// SPDX-License-Identifier: MIT
// Provides the search of windows by mismatches that are counted for many diagonals at once.
#include "kernels/rescue/rescue_words.hpp"

#include "kernels/genome/fetch.hpp"
#include "kernels/rescue/rescue_backends.hpp"
#include "kernels/rescue/rescue_cell.hpp"

#include <algorithm>
#include <bit>

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
using Bits128 [[gnu::vector_size(16)]] = uint64_t;

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
    /// Of the 128 bases from `from` on.
    Bits128 differing(uint64_t code, size_t from) const {
        const uint64_t* word = planes_.data() + code * words_ + from / 64;
        const auto shift = static_cast<int>(from % 64);
        return Bits128{word[0], word[1]} >> shift | Bits128{word[1], word[2]} << 1 << (63 - shift);
    }

  private:
    size_t words_;
    std::vector<uint64_t>& planes_;
};

/// Of 128 diagonals from `from` on, those on which a block of the read has at most k_max_block_mismatches
/// mismatches. Counters of three bits, of all at once.
Bits128 good_diagonals(const BasePlanes& planes, uint64_t block, size_t from) {
    static_assert(k_max_block_mismatches == 6, "the counters stop at seven");
    Bits128 ones{};
    Bits128 twos{};
    Bits128 fours{};
    Bits128 more{};
    for (uint32_t i = 0; i < 32; i += 2) {
        const Bits128 a = planes.differing(block >> 2 * i & 3, from + i);
        const Bits128 b = planes.differing(block >> (2 * i + 2) & 3, from + i + 1);
        const Bits128 of_ones = (a & b) | (ones & (a | b));
        ones ^= a ^ b;
        const Bits128 of_twos = twos & of_ones;
        twos ^= of_ones;
        more |= fours & of_twos;
        fours ^= of_twos;
        if (i % 8 != 6) continue;
        const Bits128 seven = more | (ones & twos & fours);
        if ((seven[0] & seven[1]) == ~uint64_t{0}) return Bits128{};
    }
    return ~(more | (ones & twos & fours));
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
    for (size_t from = 0; from < diagonals; from += 128) {
        Bits128 good{};
        for (uint32_t block = 0; block < blocks; ++block) {
            good |= good_diagonals(planes, read[block], from + 32 * block);
        }
        for (size_t half = 0; half < 2 && from + 64 * half < diagonals; ++half) {
            const size_t first = from + 64 * half;
            uint64_t bits = good[half];
            if (diagonals - first < 64) bits &= (uint64_t{1} << (diagonals - first)) - 1;
            for (; bits != 0; bits &= bits - 1) {
                const auto diagonal = range.begin + static_cast<int64_t>(first) + std::countr_zero(bits);
                const uint32_t value = value_of(genome, read, blocks, diagonal);
                if (value <= found_value) continue;
                found_value = value;
                found = diagonal;
            }
        }
        if (found_value == 32 * blocks) break;  // none has more
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
