// SPDX-License-Identifier: MIT
// Provides the table of 10^(-phred / 10), and logarithms of doubles.
#include "variants/arithmetic/probability.hpp"

#include "variants/arithmetic/log_math.hpp"

#include <array>
#include <bit>
#include <cstddef>

namespace gannet::variants {
namespace {

/// 10^(-k / 10) for k of 0 to 9, to the last bit of a double.
constexpr std::array<double, 10> k_tenths = {1.0,
                                             0.7943282347242815,
                                             0.6309573444801932,
                                             0.5011872336272722,
                                             0.39810717055349726,
                                             0.31622776601683794,
                                             0.251188643150958,
                                             0.19952623149688797,
                                             0.15848931924611134,
                                             0.12589254117941673};

constexpr auto make_table() {
    std::array<double, k_max_phred + 1> table{};
    double decade = 1.0;
    for (size_t i = 0; i < table.size(); ++i) {
        if (i > 0 && i % 10 == 0) decade /= 10.0;
        table[i] = decade * k_tenths[i % 10];
    }
    return table;
}
constexpr auto k_table = make_table();

constexpr double k_ten_over_ln_ten = 4.3429448190325175;

}  // namespace

double probability_of_phred(int32_t phred) {
    return k_table[static_cast<size_t>(phred < 0 ? 0 : phred > k_max_phred ? k_max_phred : phred)];
}

int64_t phred_fixed(double p) {
    if (p >= 1) return 0;
    if (!(p >= 1e-300)) p = 1e-300;
    const auto bits = std::bit_cast<uint64_t>(p);
    const int exponent = static_cast<int>(bits >> 52) - 1023;
    const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
    // p = mantissa / 2^52 x 2^exponent; log10(2) to 2^-40, as `exponent` times its error counts.
    constexpr int64_t k_log_two_40 = 330985980542;
    const int64_t of_mantissa = log_of(mantissa >> 13) - 39 * int64_t{k_log_two};
    const int64_t log_20 = (of_mantissa << 4) + ((exponent * k_log_two_40) >> 20);
    return log_20 >= 0 ? 0 : -10 * log_20;
}

int64_t phred_fixed_of_complement(double p) {
    if (!(p > 0)) return 0;
    if (p > 0.5) p = 0.5;
    // -ln(1 - p) = 2 artanh(y) with y = p / (2 - p), at most 1/3.
    const double y = p / (2.0 - p);
    double power = y;
    double sum = 0;
    for (int i = 1; i <= 21; i += 2) {
        sum += power / i;
        power *= y * y;
    }
    return static_cast<int64_t>(2.0 * sum * k_ten_over_ln_ten * static_cast<double>(k_phred_unit) + 0.5);
}

}  // namespace gannet::variants
