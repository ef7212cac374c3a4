// SPDX-License-Identifier: MIT
// Provides tests that packed reads, and their other strand, can be unpacked again.
#include "kernels/reads/packed_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace gannet::kernels {
namespace {

TEST(UnpackCodes, give_what_was_packed_of_every_length) {
    std::mt19937 random(5);
    for (const uint32_t highest : {3u, 4u}) {
        for (uint32_t length = 0; length <= 200; ++length) {
            std::vector<uint8_t> codes(length);
            for (uint8_t& code : codes) code = static_cast<uint8_t>(random() % (highest + 1));
            PackedReads reads;
            reads.add({});  // an empty read before it
            reads.add(codes);
            const ReadBatchView view = reads.view();
            ASSERT_EQ(view.is_ambiguous(1), std::find(codes.begin(), codes.end(), 4) != codes.end());
            constexpr uint8_t k_guard = 77;
            const size_t written = (length + 31) / 32 * 32;
            std::vector<uint8_t> unpacked(written + 16, k_guard);
            unpack_codes(view.words(1, 0), view.is_ambiguous(1) ? view.mask_words(1, 0) : nullptr, length,
                         unpacked.data());
            ASSERT_TRUE(std::equal(codes.begin(), codes.end(), unpacked.begin())) << length;
            for (size_t i = written; i < unpacked.size(); ++i) ASSERT_EQ(unpacked[i], k_guard) << length;
            // Behind the bases of either strand there are zeros up to the end of its words.
            for (const uint32_t strand : {0u, 1u}) {
                for (uint32_t at = length; at < 32 * strand_words(length); ++at)
                    ASSERT_EQ(view.words(1, strand)[at / 32] >> 2 * (at % 32) & 3, 0u) << length;
            }
            if (highest > 3) continue;
            unpack_codes(view.words(1, 1), nullptr, length, unpacked.data());
            for (uint32_t i = 0; i < length; ++i) ASSERT_EQ(unpacked[i], 3 - codes[length - 1 - i]) << length;
        }
    }
}

}  // namespace
}  // namespace gannet::kernels
