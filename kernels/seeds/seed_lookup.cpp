// SPDX-License-Identifier: MIT
// Provides the searches within long runs of index entries.
#include "kernels/seeds/seed_lookup.hpp"

#include "kernels/genome/fetch.hpp"

#include <algorithm>

namespace gannet::kernels {
namespace {

/// So few entries are searched at once: their contexts and those around them arrive together.
constexpr ptrdiff_t k_last_entries = 4;
/// Entries before and behind the last ones whose contexts are asked for: about as many as are looked at,
/// since of equal ones those behind are kept.
constexpr ptrdiff_t k_likely_before = 2;
constexpr ptrdiff_t k_likely_behind = 5;

const SeedEntry* middle(const Narrowing& search) { return search.low + (search.high - search.low) / 2; }

/// One step of the binary search.
void halve(const GenomeView& genome, uint32_t k, Narrowing& search) {
    const SeedEntry* const at = middle(search);
    const ContextOrder order =
        compare_long(genome.packed, genome.words, k, *at, search.context.data(), search.length);
    const auto shared = static_cast<int32_t>(order.shared);
    if (order.less) {
        search.low = at + 1;
        search.before_bp = shared;
    } else {
        search.high = at;
        search.after_bp = shared;
    }
}

/// The entries whose contexts the end of the search and grow() are likely to look at.
std::span<const SeedEntry> around(const Narrowing& search) {
    const SeedEntry* const first = search.run.data();
    const SeedEntry* const last = first + search.run.size();
    return {search.low - std::min(search.low - first, k_likely_before),
            search.high + std::min(last - search.high, k_likely_behind)};
}

/// Asks for the memory that compare_long() will read first beside the entry itself, if any.
void fetch_context(const GenomeView& genome, uint32_t k, SeedEntry entry, const Narrowing& search) {
    if (search.length <= k_entry_context_bases ||
        shared_with_entry(entry, search.context.data()) < k_entry_context_bases)
        return;
    const uint64_t position = entry.position();
    const uint64_t base = entry.reverse() ? (position < 32 ? 0 : position - 32) : position + k;
    fetch(genome.packed + std::min(base >> 5, genome.words - 1));
}

/// Reduces the run: the entries that share most lie around the position of the context itself, so the kept
/// ones grow from it to the better side.
void grow(const GenomeView& genome, uint32_t k, size_t most, Narrowing& search) {
    const SeedEntry* const first = search.run.data();
    const SeedEntry* const last = first + search.run.size();
    const SeedEntry* begin = search.low;
    const SeedEntry* end = search.low;
    const auto shared = [&](SeedEntry entry) {
        return static_cast<int32_t>(
            compare_long(genome.packed, genome.words, k, entry, search.context.data(), search.length).shared);
    };
    int32_t before = search.before_bp;
    int32_t after = search.after_bp;
    search.shared_bp = std::max({before, after, 0});
    while (static_cast<size_t>(end - begin) < most && (before >= 0 || after >= 0)) {
        if (after >= before) {
            ++end;
            after = end != last ? shared(*end) : -1;
        } else {
            --begin;
            before = begin != first ? shared(*(begin - 1)) : -1;
        }
    }
    search.run = {begin, end};
    search.left_out_bp = std::max(before, after);
}

}  // namespace

void narrow(const SeedIndexView& index, const GenomeView& genome, std::span<Narrowing> searches,
            size_t most) {
    const uint32_t k = index.kmer;
    for (Narrowing& search : searches) {
        search.low = search.run.data();
        search.high = search.low + search.run.size();
        search.length = std::min(search.length, k_context_bases);
        search.before_bp = search.after_bp = -1;
    }
    for (bool active = true; active;) {
        active = false;
        for (const Narrowing& search : searches) {
            if (search.high - search.low > k_last_entries) fetch(middle(search));
        }
        for (const Narrowing& search : searches) {
            if (search.high - search.low > k_last_entries) fetch_context(genome, k, *middle(search), search);
        }
        for (Narrowing& search : searches) {
            if (search.high - search.low <= k_last_entries) continue;
            halve(genome, k, search);
            active |= search.high - search.low > k_last_entries;
        }
    }
    for (const Narrowing& search : searches) {
        for (const SeedEntry entry : around(search)) fetch_context(genome, k, entry, search);
    }
    for (Narrowing& search : searches) {
        while (search.low != search.high) halve(genome, k, search);
        grow(genome, k, most, search);
    }
}

}  // namespace gannet::kernels
