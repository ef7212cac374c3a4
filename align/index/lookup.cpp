// SPDX-License-Identifier: MIT
// Provides the searches within long runs of index entries.
#include "align/index/index.hpp"

#include <algorithm>
#include <bit>

namespace gannet::align {
namespace {

/// Bases that an entry's context shares with `context` from its begin on, at most `length`; and the order.
struct Comparison {
    uint32_t shared;
    bool less;  ///< the entry's context comes before
};

Comparison compare(std::span<const uint64_t> packed, uint32_t k, IndexEntry entry, const uint64_t* context,
                   uint32_t length) {
    for (uint32_t word = 0; word * 32 < length; ++word) {
        const uint64_t own = context_word(packed, entry, k, word);
        const uint64_t difference = own ^ context[word];
        if (difference != 0) {
            const uint32_t shared = word * 32 + static_cast<uint32_t>(std::countl_zero(difference)) / 2;
            return {std::min(shared, length), shared < length && own < context[word]};
        }
    }
    return {length, false};
}

/// Entries at each end of a long bucket that are looked at before it is searched.
constexpr int k_end_entries = 4;
/// Entries to each side of the context's position in a run that are prefetched: about as many as are looked
/// at.
constexpr ptrdiff_t k_likely_entries = 4;

const IndexEntry* middle(const Narrowing& search) { return search.low + (search.high - search.low) / 2; }

/// The entries next to where the context belongs.
std::span<const IndexEntry> around(const Narrowing& search) {
    const auto at = search.low - search.run.data();
    const auto begin = static_cast<size_t>(std::max<ptrdiff_t>(0, at - k_likely_entries));
    return search.run.subspan(begin).first(
        std::min(search.run.size() - begin, static_cast<size_t>(2 * k_likely_entries)));
}

/// Asks for the memory that compare() will read first.
void prefetch_context(std::span<const uint64_t> packed, uint32_t k, IndexEntry entry) {
    const uint64_t position = entry.position();
    const uint64_t base = entry.reverse() ? (position < 32 ? 0 : position - 32) : position + k;
    __builtin_prefetch(packed.data() + (base >> 5));
}

/// Reduces the run: the entries that share most lie around the position of the context itself, so the kept
/// ones grow from it to the better side.
void grow(std::span<const uint64_t> packed, uint32_t k, size_t most, Narrowing& search) {
    const IndexEntry* const first = search.run.data();
    const IndexEntry* const last = first + search.run.size();
    const IndexEntry* begin = search.low;
    const IndexEntry* end = search.low;
    const auto shared = [&](IndexEntry entry) {
        return static_cast<int32_t>(compare(packed, k, entry, search.context.data(), search.length).shared);
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

std::span<const IndexEntry> Index::find_in_long(const IndexEntry* begin, const IndexEntry* end,
                                                uint64_t fingerprint) {
    // Most long buckets are one frequent k-mer and a few others: a look at both ends often decides, and
    // prefetch() has asked for them.
    for (int i = 0; i < k_end_entries && begin != end && begin->fingerprint() < fingerprint; ++i) ++begin;
    for (int i = 0; i < k_end_entries && begin != end && (end - 1)->fingerprint() > fingerprint; ++i) --end;
    if (begin == end || begin->fingerprint() > fingerprint || (end - 1)->fingerprint() < fingerprint)
        return {};
    if (begin->fingerprint() < fingerprint)
        begin = std::lower_bound(begin, end, fingerprint, [](IndexEntry entry, uint64_t value) {
            return entry.fingerprint() < value;
        });
    if ((end - 1)->fingerprint() > fingerprint)
        end = std::upper_bound(begin, end, fingerprint,
                               [](uint64_t value, IndexEntry entry) { return value < entry.fingerprint(); });
    return {begin, end};
}

void Index::narrow(std::span<Narrowing> searches, size_t most) const {
    const std::span<const uint64_t> packed = reference_->packed();
    const uint32_t k = parameters_.kmer;
    for (Narrowing& search : searches) {
        search.low = search.run.data();
        search.high = search.low + search.run.size();
        search.length = std::min(search.length, k_context_bases);
    }
    for (bool active = true; active;) {
        active = false;
        for (const Narrowing& search : searches) __builtin_prefetch(middle(search));
        for (const Narrowing& search : searches) {
            if (search.low != search.high) prefetch_context(packed, k, *middle(search));
        }
        for (Narrowing& search : searches) {
            if (search.low == search.high) continue;
            const IndexEntry* at = middle(search);
            if (compare(packed, k, *at, search.context.data(), search.length).less)
                search.low = at + 1;
            else
                search.high = at;
            active |= search.low != search.high;
        }
    }
    for (const Narrowing& search : searches) {
        const std::span<const IndexEntry> likely = around(search);
        __builtin_prefetch(&likely.front());
        __builtin_prefetch(&likely.back());
    }
    for (const Narrowing& search : searches) {
        for (const IndexEntry entry : around(search)) prefetch_context(packed, k, entry);
    }
    for (Narrowing& search : searches) grow(packed, k, most, search);
}

}  // namespace gannet::align
