// SPDX-License-Identifier: MIT
// Provides the expected numbers of variants, by depth, that are apparent and that are not.
#include "variants/sample/unseen_variants.hpp"

#include "variants/model/sample.hpp"

#include <algorithm>
#include <array>

namespace gannet::variants {

namespace {

constexpr uint64_t k_min_variant_fragments = sample_number("profile_variant_fragments");
constexpr uint64_t k_min_variant_part = sample_number("profile_variant_part");
constexpr uint64_t k_heterozygous_percent = sample_number("profile_heterozygous_percent");
constexpr int k_share_bits = 20;
constexpr size_t k_max_unseen_depth = sample_number("profile_max_unseen_depth");

/// Of one variant, x 2^20.
struct Expected {
    uint64_t apparent = 0;
    uint64_t reads_of_others = 0;
};

Expected expected_at(uint64_t depth) {
    // Of a heterozygous one: the 2^depth ways in which reads have either base, by how many have the other.
    uint64_t apparent = 0;
    uint64_t reads = 0;
    uint64_t ways = 1;
    for (uint64_t n = 0; n <= depth; ++n) {
        if (is_apparent_variant(n, depth))
            apparent += ways;
        else
            reads += ways * n;
        ways = ways * (depth - n) / (n + 1);
    }
    Expected heterozygous{apparent << k_share_bits >> depth, reads << k_share_bits >> depth};
    const bool is_seen = is_apparent_variant(depth, depth);
    const Expected homozygous{is_seen ? uint64_t{1} << k_share_bits : 0, is_seen ? 0 : depth << k_share_bits};
    const auto mixed = [](uint64_t first, uint64_t second) {
        return (first * k_heterozygous_percent + second * (100 - k_heterozygous_percent)) / 100;
    };
    return {mixed(heterozygous.apparent, homozygous.apparent),
            mixed(heterozygous.reads_of_others, homozygous.reads_of_others)};
}

}  // namespace

bool is_apparent_variant(uint64_t fragments, uint64_t depth) {
    return fragments >= k_min_variant_fragments && fragments * k_min_variant_part >= depth;
}

void UnseenVariants::add_depth(size_t depth, uint64_t places) {
    static const auto k_expected = [] {
        std::array<Expected, k_max_unseen_depth + 1> expected{};
        for (size_t d = 0; d < expected.size(); ++d) expected[d] = expected_at(d);
        return expected;
    }();
    const Expected& of = k_expected[std::min(depth, k_max_unseen_depth)];
    would_be_apparent += places * of.apparent;
    if (depth <= k_max_unseen_depth) reads_of_others += places * of.reads_of_others;
}

void UnseenVariants::add(const UnseenVariants& other) {
    apparent += other.apparent;
    would_be_apparent += other.would_be_apparent;
    reads_of_others += other.reads_of_others;
}

uint64_t UnseenVariants::mismatches() const {
    if (would_be_apparent == 0) return 0;
    return static_cast<uint64_t>(static_cast<unsigned __int128>(apparent) * reads_of_others /
                                 would_be_apparent);
}

}  // namespace gannet::variants
