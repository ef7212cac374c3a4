// SPDX-License-Identifier: MIT
// Provides the packing of UMIs and their directional adjacency.
#include "align/duplicates/umi.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <vector>

namespace gannet::align::duplicates {
namespace {

constexpr std::string_view k_letters = "ACGTN";
constexpr size_t k_base_bits = 3;
constexpr size_t k_unassigned = std::numeric_limits<size_t>::max();

/// A UMI, how often it was seen, and the index of the one that stands for it.
struct Seen {
    uint64_t umi = 0;
    uint64_t count = 0;
    size_t head = k_unassigned;
};

std::vector<Seen> distinct(std::vector<uint64_t> umis) {
    std::sort(umis.begin(), umis.end());
    std::vector<Seen> found;
    for (const uint64_t umi : umis) {
        if (found.empty() || found.back().umi != umi) found.push_back({umi, 0, k_unassigned});
        ++found.back().count;
    }
    return found;
}

std::vector<Seen>::iterator find(std::vector<Seen>& seen, uint64_t umi) {
    const auto at = std::lower_bound(seen.begin(), seen.end(), umi,
                                     [](const Seen& entry, uint64_t value) { return entry.umi < value; });
    return at != seen.end() && at->umi == umi ? at : seen.end();
}

/// Calls visit(entry) for the UMIs that differ from `umi` by one base.
template <class Visit>
void for_each_neighbour(std::vector<Seen>& seen, uint64_t umi, Visit visit) {
    const auto bits = static_cast<size_t>(std::bit_width(umi)) - 1;
    for (size_t at = 0; at < bits; at += k_base_bits) {
        const uint64_t base = umi >> at & 7;
        for (uint64_t other = 0; other < k_letters.size(); ++other) {
            if (other == base) continue;
            const auto found = find(seen, umi ^ (base ^ other) << at);
            if (found != seen.end()) visit(*found);
        }
    }
}

}  // namespace

std::optional<uint64_t> pack_umi(std::string_view text) {
    uint64_t packed = 1;
    size_t bases = 0;
    for (const char letter : text) {
        if (letter == '-') continue;
        const size_t code = k_letters.find(letter);
        if (code == std::string_view::npos || ++bases > k_max_umi_bp) return std::nullopt;
        packed = packed << k_base_bits | code;
    }
    return bases == 0 ? std::nullopt : std::optional(packed);
}

void join_umis(std::span<uint64_t> umis) {
    if (std::adjacent_find(umis.begin(), umis.end(), std::not_equal_to<>()) == umis.end()) return;
    std::vector<Seen> seen = distinct({umis.begin(), umis.end()});
    std::vector<size_t> order(seen.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return seen[a].count > seen[b].count; });
    std::vector<size_t> waiting;
    for (const size_t head : order) {
        if (seen[head].head != k_unassigned) continue;
        seen[head].head = head;
        waiting.assign(1, head);
        while (!waiting.empty()) {
            const Seen parent = seen[waiting.back()];
            waiting.pop_back();
            for_each_neighbour(seen, parent.umi, [&](Seen& error) {
                if (error.head != k_unassigned || parent.count < 2 * error.count - 1) return;
                error.head = head;
                waiting.push_back(static_cast<size_t>(&error - seen.data()));
            });
        }
    }
    for (uint64_t& umi : umis) umi = seen[find(seen, umi)->head].umi;
}

}  // namespace gannet::align::duplicates
