// SPDX-License-Identifier: MIT
// Tests the fixed-point logarithms: the errors that the header states, against libm, and that the tables keep
// the bits that calls were made with.
#include "variants/arithmetic/log_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gannet::variants {
namespace {

double units(double log10_value) { return log10_value * k_log_scale; }

template <class Table>
uint64_t checksum(const Table& table) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const auto value : table)
        hash = (hash ^ static_cast<uint64_t>(static_cast<int64_t>(value))) * 0x100000001b3u;
    return hash;
}

TEST(LogTables, have_the_bits_that_they_always_had) {
    EXPECT_EQ(checksum(log_tables::k_add), 0xe5fdd2bf7624a772u);
    EXPECT_EQ(checksum(k_log_correct), 0x5316780b178689f2u);
    EXPECT_EQ(checksum(log_tables::k_mantissa), 0xc3efbe71e9855c1eu);
    EXPECT_EQ(checksum(log_tables::k_near), 0x274b94ab9859c3b3u);
    EXPECT_EQ(checksum(log_tables::k_factorial), 0xd52de2ea6f3b493du);
    EXPECT_EQ(checksum(log_tables::k_billionths), 0xfe1bcb91365fef03u);
}

TEST(LogOf, is_within_16_units_up_to_2_to_the_40) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 1'000'000; ++i) {
        const uint64_t value = 1 + (random() >> (24 + random() % 40));
        ASSERT_NEAR(log_of(value), units(std::log10(static_cast<double>(value))), 16) << value;
    }
    EXPECT_EQ(log_of(0), 0);
    EXPECT_EQ(log_of(1), 0);
}

TEST(NearLogOf, is_to_nearest_and_up_to_3_units_above_log_of) {
    int32_t most = 0;
    for (size_t value = 1; value <= 1024; ++value) {
        ASSERT_NEAR(near_log_of(value), units(std::log10(static_cast<double>(value))), 0.5001) << value;
        const int32_t difference = near_log_of(value) - log_of(value);
        EXPECT_GE(difference, 0) << value;
        most = std::max(most, difference);
    }
    EXPECT_EQ(most, 3);
}

TEST(LogOfHalvedRatio, is_within_four_thousandths_of_a_decade_of_numbers_of_like_size) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 100'000; ++i) {
        const auto whole = static_cast<int64_t>(1 + (random() >> (24 + random() % 40)));
        const auto part = std::max<int64_t>(1, whole / 4 + static_cast<int64_t>(random() % 100) * whole / 50);
        const double exact = std::log10(static_cast<double>(part) / static_cast<double>(whole));
        ASSERT_NEAR(log_of_halved_ratio(part, whole), units(exact), 0.004 * k_log_scale)
            << part << " / " << whole;
    }
    EXPECT_EQ(log_of_halved_ratio(1, 1'000'000), near_log_of(1) - near_log_of(977));
}

TEST(LogAdd, is_within_a_thousandth_of_a_decade) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 100'000; ++i) {
        const auto a = -static_cast<int64_t>(random() % (10 * k_log_scale));
        const auto b = -static_cast<int64_t>(random() % (10 * k_log_scale));
        const double exact = std::log10(std::pow(10, static_cast<double>(a) / k_log_scale) +
                                        std::pow(10, static_cast<double>(b) / k_log_scale));
        ASSERT_NEAR(static_cast<double>(log_add(a, b)), units(exact), 0.001 * k_log_scale) << a << " " << b;
        ASSERT_EQ(log_add(a, b), log_add(b, a));
    }
    EXPECT_EQ(log_add<int64_t>(k_log_zero, -5), -5);
    EXPECT_EQ(log_add<int64_t>(k_log_zero, k_log_zero), k_log_zero + -k_log_half);
}

TEST(LogFactorial, is_to_nearest) {
    for (int32_t n = 0; n <= 2'000; ++n)
        ASSERT_NEAR(static_cast<double>(log_factorial(n)), units(std::lgamma(n + 1.0) / std::log(10.0)), 0.51)
            << n;
}

TEST(Phred, of_logarithms_and_back) {
    for (int32_t phred = 0; phred < 94; ++phred) {
        EXPECT_EQ(phred_centi(log_of_phred(phred)), phred * 100) << phred;
        const double error = std::pow(10, -std::max(2, phred) / 10.0);
        EXPECT_NEAR(k_log_correct[static_cast<size_t>(phred)], units(std::log10(1 - error)), 0.5001) << phred;
        EXPECT_NEAR(log_wrong(static_cast<uint32_t>(phred)), units(std::log10(error / 3)), 1.5) << phred;
    }
    for (size_t phred = 0; phred <= 45; ++phred)
        EXPECT_NEAR(static_cast<double>(billionths_of_phred(phred)),
                    1e9 * std::pow(10, -static_cast<double>(phred) / 10), 0.51);
    EXPECT_EQ(phred_centi(5), 0);
    EXPECT_EQ(log_of_centi(-390), -255590);
}

}  // namespace
}  // namespace gannet::variants
