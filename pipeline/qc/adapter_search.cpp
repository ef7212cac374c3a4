// SPDX-License-Identifier: MIT
// Provides the search for the adapters that FastQC counts.
#include "pipeline/qc/adapter_search.hpp"

#include <cstring>

namespace gannet::pipeline::qc {
namespace {

constexpr size_t k_part_bases = 8;

/// A 1, C 2, G 4, T 8.
uint8_t nibble_of(char base) {
    constexpr std::string_view k_order = "ACGT";
    return static_cast<uint8_t>(1u << k_order.find(base));
}

char complement_of(char base) { return base == 'A' ? 'T' : base == 'C' ? 'G' : base == 'G' ? 'C' : 'A'; }

uint32_t word_of(const uint8_t* from) {
    uint32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
}

uint32_t hash_of(uint32_t word) { return word * 0x9e3779b1u >> 16; }

uint8_t nibble_at(std::span<const uint8_t> packed, size_t base) {
    return base % 2 == 0 ? packed[base / 2] >> 4 : packed[base / 2] & 15;
}

}  // namespace

AdapterSearch::AdapterSearch() {
    for (size_t strand = 0; strand < k_strands; ++strand) {
        Strand& of = strands_[strand];
        for (size_t adapter = 0; adapter < k_adapter_list.size(); ++adapter) {
            auto& nibbles = of.nibbles[adapter];
            for (size_t i = 0; i < k_adapter_bases; ++i) {
                const char base = k_adapter_list[adapter].bases[i];
                nibbles[strand == 0 ? i : k_adapter_bases - 1 - i] =
                    nibble_of(strand == 0 ? base : complement_of(base));
            }
            for (size_t offset = 0; offset < k_step; ++offset) {
                std::array<uint8_t, k_part_bases / 2> bytes{};
                for (size_t i = 0; i < bytes.size(); ++i)
                    bytes[i] =
                        static_cast<uint8_t>(nibbles[offset + 2 * i] << 4 | nibbles[offset + 2 * i + 1]);
                of.parts[adapter][offset] = word_of(bytes.data());
                of.filter.set(hash_of(of.parts[adapter][offset]));
            }
        }
    }
}

void AdapterSearch::count(const data::RecordView& record, bool reverse,
                          std::array<Histogram, k_fastqc_adapters>& cycles) const {
    const std::span<const uint8_t> packed = record.nibbles();
    const size_t length = record.read_length();
    const Strand& of = strands_[reverse ? 1 : 0];
    constexpr size_t k_none = SIZE_MAX;
    std::array<size_t, k_fastqc_adapters> found;
    found.fill(k_none);
    bool any = false;
    const auto look = [&](size_t at, uint32_t word) {
        for (size_t adapter = 0; adapter < found.size(); ++adapter) {
            for (size_t offset = 0; offset < k_step; ++offset) {
                if (of.parts[adapter][offset] != word || at < offset) continue;
                const size_t begin = at - offset;
                if (begin + k_adapter_bases > length) continue;
                size_t equal = 0;
                while (equal < k_adapter_bases &&
                       nibble_at(packed, begin + equal) == of.nibbles[adapter][equal])
                    ++equal;
                if (equal < k_adapter_bases) continue;
                const size_t cycle = reverse ? length - k_adapter_bases - begin : begin;
                found[adapter] = std::min(found[adapter], cycle);
                any = true;
            }
        }
    };
    for (size_t at = 0; at + k_part_bases <= length; at += k_step) {
        const uint32_t word = word_of(&packed[at / 2]);
        if (of.filter[hash_of(word)]) look(at, word);
    }
    if (!any) return;
    for (size_t adapter = 0; adapter < found.size(); ++adapter)
        if (found[adapter] != k_none) cycles[adapter].add(found[adapter]);
}

}  // namespace gannet::pipeline::qc
