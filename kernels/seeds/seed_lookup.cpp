// SPDX-License-Identifier: MIT
// Provides the searches within long runs of index entries.
#include "kernels/seeds/seed_lookup.hpp"

#include <algorithm>

namespace gannet::kernels {
namespace {

/// Entries at each end of a long bucket that are looked at before it is searched.
constexpr int k_end_entries = 4;
/// Entries to each side of the context's position in a run that are prefetched: about as many as are looked
/// at.
constexpr ptrdiff_t k_likely_entries = 4;

const SeedEntry* middle(const Narrowing& search) { return search.low + (search.high - search.low) / 2; }

/// The entries next to where the context belongs.
std::span<const SeedEntry> around(const Narrowing& search) {
    const auto at = search.low - search.run.data();
    const auto begin = static_cast<size_t>(std::max<ptrdiff_t>(0, at - k_likely_entries));
    return search.run.subspan(begin).first(
        std::min(search.run.size() - begin, static_cast<size_t>(2 * k_likely_entries)));
}

/// Asks for the memory that compare() will read first.
void prefetch_context(const uint64_t* packed, uint32_t k, SeedEntry entry) {
    const uint64_t position = entry.position();
    const uint64_t base = entry.reverse() ? (position < 32 ? 0 : position - 32) : position + k;
    __builtin_prefetch(packed + (base >> 5));
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
            compare_context(genome.packed, genome.words, k, entry, search.context.data(), search.length)
                .shared);
    };
    int32_t before = begin != first ? shared(*(begin - 1)) : -1;
    int32_t after = end != last ? shared(*end) : -1;
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

std::span<const SeedEntry> find_in_long(const SeedEntry* begin, const SeedEntry* end, uint64_t fingerprint) {
    // Most long buckets are one frequent k-mer and a few others: a look at both ends often decides, and
    // prefetch() has asked for them.
    for (int i = 0; i < k_end_entries && begin != end && begin->fingerprint() < fingerprint; ++i) ++begin;
    for (int i = 0; i < k_end_entries && begin != end && (end - 1)->fingerprint() > fingerprint; ++i) --end;
    if (begin == end || begin->fingerprint() > fingerprint || (end - 1)->fingerprint() < fingerprint)
        return {};
    if (begin->fingerprint() < fingerprint)
        begin = std::lower_bound(begin, end, fingerprint,
                                 [](SeedEntry entry, uint64_t value) { return entry.fingerprint() < value; });
    if ((end - 1)->fingerprint() > fingerprint)
        end = std::upper_bound(begin, end, fingerprint,
                               [](uint64_t value, SeedEntry entry) { return value < entry.fingerprint(); });
    return {begin, end};
}

void narrow(const SeedIndexView& index, const GenomeView& genome, std::span<Narrowing> searches,
            size_t most) {
    const uint32_t k = index.kmer;
    for (Narrowing& search : searches) {
        search.low = search.run.data();
        search.high = search.low + search.run.size();
        search.length = std::min(search.length, k_context_bases);
    }
    for (bool active = true; active;) {
        active = false;
        for (const Narrowing& search : searches) __builtin_prefetch(middle(search));
        for (const Narrowing& search : searches) {
            if (search.low != search.high) prefetch_context(genome.packed, k, *middle(search));
        }
        for (Narrowing& search : searches) {
            if (search.low == search.high) continue;
            const SeedEntry* at = middle(search);
            if (compare_context(genome.packed, genome.words, k, *at, search.context.data(), search.length)
                    .less)
                search.low = at + 1;
            else
                search.high = at;
            active |= search.low != search.high;
        }
    }
    for (const Narrowing& search : searches) {
        const std::span<const SeedEntry> likely = around(search);
        __builtin_prefetch(&likely.front());
        __builtin_prefetch(&likely.back());
    }
    for (const Narrowing& search : searches) {
        for (const SeedEntry entry : around(search)) prefetch_context(genome.packed, k, entry);
    }
    for (Narrowing& search : searches) grow(genome, k, most, search);
}

}  // namespace gannet::kernels
