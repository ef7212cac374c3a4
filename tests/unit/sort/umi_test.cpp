// SPDX-License-Identifier: MIT
// Tests UMIs: what is one, and which are one molecule's.
#include "align/duplicates/umi.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gannet::align::duplicates {
namespace {

/// The UMI that stands for each of the given ones, which are seen so often.
std::vector<std::string> heads(const std::vector<std::pair<std::string, int>>& given) {
    std::vector<uint64_t> umis;
    for (const auto& [umi, count] : given)
        umis.insert(umis.end(), static_cast<size_t>(count), *pack_umi(umi));
    join_umis(umis);
    std::vector<std::string> found;
    size_t at = 0;
    for (const auto& [umi, count] : given) {
        for (const auto& [other, times] : given) {
            if (*pack_umi(other) == umis[at]) found.push_back(other);
        }
        at += static_cast<size_t>(count);
    }
    return found;
}

TEST(Umi, is_bases_with_or_without_a_hyphen) {
    EXPECT_EQ(pack_umi("ACGT-TGCA"), pack_umi("ACGTTGCA"));
    EXPECT_NE(pack_umi("A"), pack_umi("AA"));
    EXPECT_NE(pack_umi("ACN"), pack_umi("ACA"));
    EXPECT_TRUE(pack_umi(std::string(21, 'T')));
    for (const char* text : {"", "-", "acgt", "AC_GT", "ACGTACGTACGTACGTACGTAC"})
        EXPECT_FALSE(pack_umi(text)) << text;
}

TEST(Umi, an_error_is_half_as_frequent_and_one_base_away) {
    using Heads = std::vector<std::string>;
    EXPECT_EQ(heads({{"ACGT", 5}, {"ACGA", 3}, {"TTTT", 1}}), (Heads{"ACGT", "ACGT", "TTTT"}));
    EXPECT_EQ(heads({{"ACGT", 4}, {"ACGA", 3}}), (Heads{"ACGT", "ACGA"}));  // 2 x 3 - 1 is more
    EXPECT_EQ(heads({{"ACGT", 1}, {"ACGA", 1}}), (Heads{"ACGA", "ACGA"}));
    EXPECT_EQ(heads({{"ACGTA", 9}, {"ACGT", 1}}), (Heads{"ACGTA", "ACGT"}));
    // The example of the UMI-tools paper: errors of errors belong to the same molecule.
    EXPECT_EQ(heads({{"ACGT", 456}, {"TCGT", 2}, {"CCGT", 2}, {"ACAT", 72}, {"ACAG", 1}, {"AAAT", 90}}),
              (Heads{"ACGT", "ACGT", "ACGT", "ACGT", "ACGT", "AAAT"}));
}

}  // namespace
}  // namespace gannet::align::duplicates
