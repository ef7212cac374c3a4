// SPDX-License-Identifier: MIT
// Tests the names of backends and the choice among them.
#include "kernels/op_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gannet::kernels {
namespace {

TEST(OpTable, names_are_read_back) {
    for (const Backend backend : {Backend::reference, Backend::simd, Backend::emulated, Backend::cuda}) {
        EXPECT_EQ(parse_backend(name(backend)), backend);
    }
    for (const SimdLevel level : {SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
        EXPECT_EQ(parse_simd_level(name(level)), level);
    }
    EXPECT_FALSE(parse_backend("auto").has_value());
    EXPECT_FALSE(parse_simd_level("none").has_value());
}

TEST(OpTable, auto_takes_what_is_there_and_says_so) {
    const OpTable table = make_op_table(std::nullopt, std::nullopt);
    EXPECT_NE(table.backend, Backend::emulated);
    EXPECT_NE(table.banded_sw, nullptr);
    EXPECT_NE(table.choice.find(name(table.backend)), std::string::npos);
    EXPECT_EQ(table.simd_level, detected_simd_level());
}

TEST(OpTable, explicit_backend_that_is_missing_is_refused) {
    for (const BackendStatus& status : backend_status()) {
        if (status.available) {
            EXPECT_EQ(make_op_table(status.backend, std::nullopt).backend, status.backend);
        } else {
            EXPECT_THROW(make_op_table(status.backend, std::nullopt), DeviceUnfit);
        }
    }
}

TEST(OpTable, level_is_taken_as_asked_or_refused) {
    for (const SimdLevel level : {SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
        if (level <= detected_simd_level()) {
            EXPECT_EQ(make_op_table(Backend::simd, level).simd_level, level);
        } else {
            EXPECT_THROW(make_op_table(Backend::simd, level), DeviceUnfit);
        }
    }
}

TEST(OpTable, without_resident_has_the_ops_of_the_host_in_place_of_those_of_a_device) {
    OpTable table = make_op_table(Backend::reference, std::nullopt);
    EXPECT_EQ(table.without_resident().find_candidates, table.find_candidates);
    EXPECT_EQ(table.without_resident().banded_sw_windows, table.banded_sw_windows);
    table.needs_resident = true;  // as that of a device
    const OpTable other = table.without_resident();
    EXPECT_FALSE(other.needs_resident);
    EXPECT_EQ(other.find_candidates, find_candidates_function(Backend::simd, table.simd_level));
    EXPECT_EQ(other.rescue, rescue_function(Backend::simd, table.simd_level));
    EXPECT_EQ(other.pairing, pairing_function(Backend::simd, table.simd_level));
    EXPECT_EQ(other.banded_sw_windows, nullptr);
    EXPECT_EQ(other.banded_sw, table.banded_sw);
}

TEST(OpTable, streams_of_the_host_are_synchronous) {
    const OpTable table = make_op_table(Backend::reference, std::nullopt);
    const auto stream = table.make_stream();
    EXPECT_TRUE(stream->is_synchronous());
    stream->wait();
}

}  // namespace
}  // namespace gannet::kernels
