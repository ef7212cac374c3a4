// SPDX-License-Identifier: MIT
// Provides the CRC-32 of the three texts of a record.
#include "pipeline/qc/text_sums.hpp"

#include "data/checksum.hpp"

#include <algorithm>

namespace gannet::pipeline::qc {
namespace {

constexpr uint32_t k_polynomial = 0xedb88320;

/// For 0 to k_max_folded_bytes: of as many bytes of 0.
constexpr auto k_sums_of_zeros = [] {
    std::array<uint32_t, k_max_folded_bytes + 1> sums{};
    uint32_t remainder = 0xffffffff;
    for (uint32_t& sum : sums) {
        sum = ~remainder;
        for (int bit = 0; bit < 8; ++bit)
            remainder = (remainder & 1) != 0 ? remainder >> 1 ^ k_polynomial : remainder >> 1;
    }
    return sums;
}();

/// Powers of x from -32 on modulo the polynomial, as factors of products of bits in reverse order.
constexpr FoldFactors k_factors = [] {
    std::array<uint64_t, 8 * k_max_folded_bytes + 64> powers{};
    uint32_t power = 0x80000000;  // 1
    for (int down = 0; down < 32; ++down)
        power = (power >> 31) != 0 ? (power ^ k_polynomial) << 1 | 1 : power << 1;
    for (uint64_t& of : powers) {
        of = uint64_t{power} << 1;
        power = (power & 1) != 0 ? power >> 1 ^ k_polynomial : power >> 1;
    }
    FoldFactors factors{};
    size_t bits_behind = 0;  // the lane
    for (auto& vector : factors.of) {
        for (size_t lane = 4; lane-- > 0; bits_behind += 128) {
            vector[lane][0] = powers[32 + bits_behind + 32];
            vector[lane][1] = powers[32 + bits_behind - 32];
        }
    }
    return factors;
}();

}  // namespace

TextSums::TextSums(kernels::SimdLevel level)
    : folds_(level == kernels::SimdLevel::avx512 && __builtin_cpu_supports("vpclmulqdq")) {}

std::array<uint32_t, 3> TextSums::of(const Texts& texts) const {
    const size_t longest = std::max({texts[0].size(), texts[1].size(), texts[2].size()});
    if (!folds_ || longest > k_max_folded_bytes)
        return {data::crc32(texts[0]), data::crc32(texts[1]), data::crc32(texts[2])};
    uint32_t sums[3];
    avx512::fold_texts({{texts[0].data(), texts[0].size()},
                        {texts[1].data(), texts[1].size()},
                        {texts[2].data(), texts[2].size()}},
                       k_factors, sums);
    // What the ones that a CRC begins and ends with add depends on the length alone.
    return {sums[0] ^ k_sums_of_zeros[texts[0].size()], sums[1] ^ k_sums_of_zeros[texts[1].size()],
            sums[2] ^ k_sums_of_zeros[texts[2].size()]};
}

}  // namespace gannet::pipeline::qc
