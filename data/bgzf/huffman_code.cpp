// SPDX-License-Identifier: MIT
// Provides length-limited Huffman codes.
#include "data/bgzf/huffman_code.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace gannet::data::bgzf {
namespace {

constexpr unsigned k_max_length = 15;
constexpr unsigned k_symbol_bits = 9;

/// Replaces counts, ascending and at least two, by the lengths of their codes, descending.
void huffman_lengths(std::span<uint32_t> values) {
    const size_t count = values.size();
    // Inner nodes take the places of the leaves that have gone into them: first their counts, then parents.
    size_t root = 0;
    size_t leaf = 2;
    values[0] += values[1];
    for (size_t node = 1; node + 1 < count; ++node) {
        const auto smallest = [&](size_t before) {
            const bool inner = leaf >= count || (root < before && values[root] < values[leaf]);
            if (!inner) return values[leaf++];
            const uint32_t value = values[root];
            values[root++] = static_cast<uint32_t>(node);
            return value;
        };
        const uint32_t first = smallest(node);
        values[node] = first + smallest(node);
    }
    // Parents become depths of inner nodes, and these depths of leaves.
    values[count - 2] = 0;
    for (size_t node = count - 2; node-- > 0;) values[node] = values[values[node]] + 1;
    size_t inner_left = count - 1;
    size_t next = count;
    uint32_t depth = 0;
    for (size_t nodes = 1; nodes > 0; ++depth) {
        size_t inner = 0;
        while (inner_left > 0 && values[inner_left - 1] == depth) {
            ++inner;
            --inner_left;
        }
        for (size_t leaves = nodes - inner; leaves > 0; --leaves) values[--next] = depth;
        nodes = 2 * inner;
    }
}

}  // namespace

void code_lengths(std::span<const uint32_t> counts, unsigned limit, std::span<uint8_t> lengths) {
    assert(counts.size() <= k_max_code_symbols && limit <= k_max_length);
    std::fill(lengths.begin(), lengths.end(), uint8_t{0});
    std::array<uint32_t, k_max_code_symbols> keys;  // counts with their symbols
    size_t used = 0;
    for (size_t symbol = 0; symbol < counts.size(); ++symbol) {
        if (counts[symbol] != 0)
            keys[used++] = counts[symbol] << k_symbol_bits | static_cast<uint32_t>(symbol);
    }
    const auto symbol_of = [&keys](size_t i) { return keys[i] & ((1u << k_symbol_bits) - 1); };
    if (used == 0) return;
    if (used == 1) {
        lengths[symbol_of(0)] = 1;
        return;
    }
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(used));
    std::array<uint32_t, k_max_code_symbols> values;
    for (size_t i = 0; i < used; ++i) values[i] = keys[i] >> k_symbol_bits;
    huffman_lengths(std::span(values).first(used));

    std::array<uint32_t, k_max_length + 1> of_length{};
    for (size_t i = 0; i < used; ++i) ++of_length[std::min(values[i], limit)];
    uint32_t taken = 0;  // of 2^limit codes of the greatest length
    for (unsigned length = 1; length <= limit; ++length) taken += of_length[length] << (limit - length);
    for (; taken > 1u << limit; --taken) {
        // A code of the greatest length moves below a shorter one, which becomes one bit longer.
        unsigned length = limit - 1;
        while (of_length[length] == 0) --length;
        --of_length[limit];
        --of_length[length];
        of_length[length + 1] += 2;
    }
    size_t next = 0;  // the rarest first, which get the longest codes
    for (unsigned length = limit; length > 0; --length) {
        for (uint32_t i = 0; i < of_length[length]; ++i)
            lengths[symbol_of(next++)] = static_cast<uint8_t>(length);
    }
}

void code_bits(std::span<const uint8_t> lengths, std::span<uint16_t> bits) {
    std::array<uint32_t, k_max_length + 2> next{};
    for (const uint8_t length : lengths) ++next[length + 1u];
    for (unsigned length = 1, code = 0; length <= k_max_length; ++length) {
        const uint32_t codes = next[length + 1];
        next[length] = code;
        code = (code + codes) << 1;
    }
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        bits[symbol] = 0;
        if (lengths[symbol] == 0) continue;
        const uint32_t code = next[lengths[symbol]]++;
        for (unsigned i = 0; i < lengths[symbol]; ++i)
            bits[symbol] = static_cast<uint16_t>(bits[symbol] << 1 | (code >> i & 1));
    }
}

}  // namespace gannet::data::bgzf
