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

}  // namespace

std::span<const IndexEntry> Index::find_in_long(const IndexEntry* begin, const IndexEntry* end,
                                                uint64_t fingerprint) {
    const IndexEntry* first = std::lower_bound(begin, end, fingerprint, [](IndexEntry entry, uint64_t value) {
        return entry.fingerprint() < value;
    });
    const IndexEntry* last = std::upper_bound(first, end, fingerprint, [](uint64_t value, IndexEntry entry) {
        return value < entry.fingerprint();
    });
    return {first, last};
}

NarrowedEntries Index::narrow(std::span<const IndexEntry> run, const uint64_t* context, uint32_t length,
                              size_t most) const {
    const std::span<const uint64_t> packed = reference_->packed();
    const uint32_t k = parameters_.kmer;
    length = std::min(length, k_context_bases);
    const auto at = std::lower_bound(run.begin(), run.end(), 0, [&](IndexEntry entry, int) {
        return compare(packed, k, entry, context, length).less;
    });
    // The entries that share most are next to where the context itself would be: grow to the better side.
    auto begin = at;
    auto end = at;
    const auto shared = [&](IndexEntry entry) {
        return static_cast<int>(compare(packed, k, entry, context, length).shared);
    };
    int before = begin != run.begin() ? shared(*(begin - 1)) : -1;
    int after = end != run.end() ? shared(*end) : -1;
    while (static_cast<size_t>(end - begin) < most && (before >= 0 || after >= 0)) {
        if (after >= before) {
            ++end;
            after = end != run.end() ? shared(*end) : -1;
        } else {
            --begin;
            before = begin != run.begin() ? shared(*(begin - 1)) : -1;
        }
    }
    return {{begin, end}, std::max(before, after)};
}

}  // namespace gannet::align
