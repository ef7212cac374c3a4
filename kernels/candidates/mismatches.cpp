// SPDX-License-Identifier: MIT
// Provides the search for the longest run of matches.
#include "kernels/candidates/mismatches.hpp"

namespace gannet::kernels::candidates {
namespace {

/// Runs of so many matches are found by shifts of all words; shorter ones one after another. A power of two.
constexpr uint32_t k_long_run = 16;
/// With so few mismatches, going through all runs is faster.
constexpr uint32_t k_few_mismatches = 8;

}  // namespace

/// A base stays where the next one, then the next two, four and eight match as well.
void Mismatches::find_long_runs() {
    long_runs_.resize(words_.size() + 1);
    for (size_t i = 0; i < words_.size(); ++i) long_runs_[i] = ~words_[i] & k_low_bits;
    long_runs_.back() = 0;
    for (uint32_t step = 1; step < k_long_run; step *= 2) {
        for (size_t i = 0; i < words_.size(); ++i) {
            long_runs_[i] &= long_runs_[i] >> 2 * step | long_runs_[i + 1] << (64 - 2 * step);
        }
    }
}

BaseRange Mismatches::longest_run(uint32_t begin, uint32_t end) {
    BaseRange best{begin, begin};
    const auto take = [&best](BaseRange run) {
        if (run.end - run.begin > best.end - best.begin) best = run;
    };
    if (end - begin - matches_before(end) > k_few_mismatches) {
        find_long_runs();
        uint32_t from = begin;
        for (uint32_t word = 0; word < words_.size(); ++word) {
            for (uint64_t bits = long_runs_[word]; bits != 0; bits &= bits - 1) {
                const uint32_t at = 32 * word + static_cast<uint32_t>(std::countr_zero(bits)) / 2;
                if (at < from) continue;  // within the last run
                from = run_end(at);
                take({at, from});
            }
        }
        if (best.end != best.begin) return best;
    }
    for (uint32_t from = begin; from < end;) {
        const uint32_t to = run_end(from);
        take({from, to});
        from = to + 1;
    }
    return best;
}

}  // namespace gannet::kernels::candidates
