// SPDX-License-Identifier: MIT
// Provides the search of a window for a read by popcounts over its 32-base blocks.
#include "align/pairing/rescue.hpp"

#include "align/alternate.hpp"
#include "align/chain.hpp"
#include "align/packed.hpp"
#include "align/pairing/insert_size.hpp"
#include "kernels/genome/fetch.hpp"

#include <algorithm>
#include <bit>

namespace gannet::align {
namespace {

/// Of a block of 32 bases that counts: random ones have 24 on average, and 6 or fewer once in 2.6e10 times.
/// Heuristic.
constexpr int k_max_block_mismatches = 6;
/// One block.
constexpr uint32_t k_min_rescued_bp = 32;

/// Of `read` (of `length`) beside `anchor`, a candidate of its mate (of `anchor_length`).
MateWindow mate_window(const Candidate& anchor, uint32_t anchor_length, uint32_t read, uint32_t length,
                       const InsertSizeModel& model) {
    if (anchor.strand == 0) {
        const int64_t begin = anchor.target_begin - anchor.query_begin;
        return {begin + model.low_bp - length, begin + model.high_bp - length + 1, read, 1};
    }
    const int64_t end = anchor.target_end + (anchor_length - anchor.query_end);
    return {end - model.high_bp, end - model.low_bp + 1, read, 0};
}

bool has_candidate_in(std::span<const Candidate> candidates, const MateWindow& window) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return candidate.strand == window.strand && candidate.diagonal >= window.begin &&
               candidate.diagonal < window.end;
    });
}

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
    BasePlanes(std::span<const uint64_t> packed, int64_t begin, size_t bases, std::vector<uint64_t>& memory)
        : words_(bases / 64 + 4), planes_(memory) {
        planes_.resize(4 * words_);
        for (size_t word = 0; word < words_; ++word) {
            const uint64_t at = std::min(static_cast<uint64_t>(begin) + 64 * word, 32 * packed.size() - 65);
            const uint64_t first = word_at(packed.data(), at);
            const uint64_t second = word_at(packed.data(), at + 32);
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

/// The sum of the matches in good blocks.
int value_of(std::span<const uint64_t> packed, const uint64_t* read, uint32_t blocks, int64_t diagonal) {
    int value = 0;
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint64_t own = word_at(packed.data(), static_cast<uint64_t>(diagonal) + 32 * block);
        const int mismatches = std::popcount(mismatch_bits(own, read[block]));
        if (mismatches <= k_max_block_mismatches) value += 32 - mismatches;
    }
    return value;
}

/// The diagonal of the window whose good blocks have most matches in all, of equals the lowest; -1 if none.
int64_t search(std::span<const uint64_t> packed, const uint64_t* read, uint32_t length, MateWindow window,
               std::vector<uint64_t>& memory) {
    // word_at reads one word ahead: stay clear of the end.
    const int64_t last = static_cast<int64_t>(packed.size() * 32) - length - 64;
    window.begin = std::max<int64_t>(window.begin, 0);
    window.end = std::min(window.end, last);
    if (window.begin >= window.end) return -1;
    const uint32_t blocks = length / 32;
    const auto diagonals = static_cast<size_t>(window.end - window.begin);
    const BasePlanes planes(packed, window.begin, diagonals + length, memory);
    int64_t found = -1;
    int found_value = 0;
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
                const auto diagonal = window.begin + static_cast<int64_t>(first) + std::countr_zero(bits);
                const int value = value_of(packed, read, blocks, diagonal);
                if (value <= found_value) continue;
                found_value = value;
                found = diagonal;
            }
        }
        if (found_value == static_cast<int>(32 * blocks)) break;  // none has more
    }
    return found;
}

/// True if no alignment of the read where it has no candidate could count: it would differ in each complete
/// seed, so that a pair with it scores no more than the anchor with the read's best candidate far away.
bool rescue_is_futile(const ReadState& read, std::span<const Candidate> candidates,
                      const AlignerParameters& parameters) {
    if (read.left_out.crowded != 0 || candidates.empty()) return false;
    const auto most = static_cast<int32_t>(read.length) * parameters.scoring.match -
                      static_cast<int32_t>(read.complete_seeds) * parameters.scoring.least_loss();
    return most <= candidates.front().score - parameters.unpaired_penalty;
}

/// Asks for the bases under a read on all diagonals of a window.
void fetch_window(std::span<const uint64_t> packed, const MateWindow& window, uint32_t length) {
    constexpr int64_t k_line_bp = 256;
    const auto size = static_cast<int64_t>(packed.size() * 32);
    const int64_t last = std::min(window.end + length, size - 1);
    for (int64_t at = std::max<int64_t>(window.begin, 0); at < last; at += k_line_bp)
        kernels::fetch(packed.data() + (at >> 5));
    if (last >= 0) kernels::fetch(packed.data() + (last >> 5));
}

/// Appends the windows in which `read` is searched for beside the candidates of its mate, `anchor_read`.
void list_windows(const AlignerParameters& parameters, const InsertSizeModel& model, uint32_t anchor_read,
                  uint32_t read, std::span<const uint64_t> packed, AlignmentWork::State& state) {
    const ReadState& anchor_state = state.reads[anchor_read];
    const ReadState& own = state.reads[read];
    if (own.length < k_min_rescued_bp || own.length > k_max_read_bp) return;
    const auto anchors = candidate_parts(state, anchor_state, parameters.minimum_score).competing;
    const auto candidates = std::span<const Candidate>(state.candidates)
                                .subspan(own.candidate_begin, own.candidate_end - own.candidate_begin);
    // A candidate on an ALT contig does not compete with what a rescue may find.
    if (rescue_is_futile(own, candidates.first(primary_candidates(candidates)), parameters)) return;
    for (size_t i = 0; i < std::min(anchors.size(), k_max_rescues); ++i) {
        if (anchors[i].score < anchors[0].score - parameters.unpaired_penalty) break;
        const MateWindow window = mate_window(anchors[i], anchor_state.length, read, own.length, model);
        if (has_candidate_in(candidates, window)) continue;
        fetch_window(packed, window, own.length);
        state.windows.push_back(window);
    }
}

}  // namespace

void rescue_mates(const data::ReadBatch& batch, const Index& index, const Ungapped& ungapped,
                  const AlignerParameters& parameters, const InsertSizeModel& model, uint32_t first,
                  uint32_t last, Extender& extender, AlignmentWork::State& state) {
    const std::span<const uint64_t> packed = index.reference()->packed();
    state.windows.clear();
    for (uint32_t anchor = first; anchor < last; ++anchor) {
        list_windows(parameters, model, anchor, anchor ^ 1, packed, state);
    }
    for (const MateWindow& window : state.windows) {
        const ReadState& own = state.reads[window.read];
        Candidate candidate;
        candidate.strand = window.strand;
        candidate.diagonal =
            search(packed, ungapped.words(own, window.strand), own.length, window, state.planes);
        if (candidate.diagonal < 0 || !ungapped.compare(batch, window.read, candidate)) continue;
        extender.add_score_jobs(window.read, candidate);
        state.rescued.push_back(candidate);
        state.rescued_read.push_back(window.read);
    }
}

void merge_rescued(const Extender& extender, const AlignerParameters& parameters,
                   AlignmentWork::State& state) {
    for (size_t i = 0; i < state.rescued.size();) {
        // A read's candidates move to the end of the list, followed by the rescued ones.
        const uint32_t index = state.rescued_read[i];
        ReadState& read = state.reads[index];
        const size_t begin = state.candidates.size();
        for (uint32_t j = read.candidate_begin; j < read.candidate_end; ++j) {
            const Candidate copy = state.candidates[j];
            state.candidates.push_back(copy);
        }
        for (; i < state.rescued.size() && state.rescued_read[i] == index; ++i) {
            extender.take_scores(state.rescued[i]);
            if (state.rescued[i].score >= parameters.minimum_score)
                state.candidates.push_back(state.rescued[i]);
        }
        const std::span<Candidate> candidates = std::span(state.candidates).subspan(begin);
        state.candidates.resize(
            begin + drop_redundant(candidates, parameters.band, parameters.scoring.mismatch_loss()));
        read.candidate_begin = static_cast<uint32_t>(begin);
        read.candidate_end = static_cast<uint32_t>(state.candidates.size());
    }
}

}  // namespace gannet::align
