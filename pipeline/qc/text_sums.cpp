// SPDX-License-Identifier: MIT
// Provides the CRC-32 of the three texts of a record.
#include "pipeline/qc/text_sums.hpp"

#include "data/checksum.hpp"

#include <algorithm>

namespace gannet::pipeline::qc {
namespace {

/// x to a power from -32 on modulo the polynomial, as a factor of a product of bits in reverse order.
class Powers {
  public:
    explicit Powers(int largest) {
        constexpr uint32_t k_polynomial = 0xedb88320;
        uint32_t power = 0x80000000;  // 1
        for (int down = 0; down < 32; ++down)
            power = (power >> 31) != 0 ? (power ^ k_polynomial) << 1 | 1 : power << 1;
        for (int at = -32; at <= largest; ++at) {
            powers_.push_back(uint64_t{power} << 1);
            power = (power & 1) != 0 ? power >> 1 ^ k_polynomial : power >> 1;
        }
    }
    uint64_t of(int exponent) const { return powers_[static_cast<size_t>(exponent + 32)]; }

  private:
    std::vector<uint64_t> powers_;
};

FoldFactors make_factors() {
    const Powers powers(8 * static_cast<int>(k_max_folded_bytes) + 32);
    FoldFactors factors;
    int bits_behind = 0;  // the lane
    for (auto& vector : factors.of) {
        for (size_t lane = 4; lane-- > 0; bits_behind += 128) {
            vector[lane][0] = powers.of(bits_behind + 32);
            vector[lane][1] = powers.of(bits_behind - 32);
        }
    }
    return factors;
}

}  // namespace

TextSums::TextSums(kernels::SimdLevel level)
    : folds_(level == kernels::SimdLevel::avx512 && __builtin_cpu_supports("vpclmulqdq")),
      factors_(make_factors()) {
    const std::vector<uint8_t> zeros(k_max_folded_bytes);
    for (size_t size = 0; size <= zeros.size(); ++size)
        of_zeros_.push_back(data::crc32(std::span(zeros).first(size)));
}

std::array<uint32_t, 3> TextSums::of(const Texts& texts) const {
    const size_t longest = std::max({texts[0].size(), texts[1].size(), texts[2].size()});
    if (!folds_ || longest > k_max_folded_bytes)
        return {data::crc32(texts[0]), data::crc32(texts[1]), data::crc32(texts[2])};
    uint32_t sums[3];
    avx512::fold_texts({{texts[0].data(), texts[0].size()},
                        {texts[1].data(), texts[1].size()},
                        {texts[2].data(), texts[2].size()}},
                       factors_, sums);
    // What the ones that a CRC begins and ends with add depends on the length alone.
    return {sums[0] ^ of_zeros_[texts[0].size()], sums[1] ^ of_zeros_[texts[1].size()],
            sums[2] ^ of_zeros_[texts[2].size()]};
}

}  // namespace gannet::pipeline::qc
