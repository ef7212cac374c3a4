// SPDX-License-Identifier: MIT
// Checks the nearest name for a mistyped one.
#include "pipeline/cli/nearest.hpp"

#include <gtest/gtest.h>

namespace gannet::pipeline::cli {
namespace {

TEST(Nearest, distance_counts_swaps_once) {
    EXPECT_EQ(edit_distance("align", "align"), 0u);
    EXPECT_EQ(edit_distance("algin", "align"), 1u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("call", "cal"), 1u);
}

TEST(Nearest, finds_the_command_meant) {
    const std::vector<std::string> commands = {"run", "align", "call", "index", "simulate", "compare"};
    EXPECT_EQ(nearest("algin", commands), "align");
    EXPECT_EQ(nearest("rnu", commands), "run");
    EXPECT_EQ(nearest("simulat", commands), "simulate");
    EXPECT_EQ(nearest("zzzzzzzz", commands), std::nullopt);
}

TEST(Nearest, distant_names_are_not_offered) {
    const std::vector<std::string> options = {"--sample", "--regions",   "--targets",
                                              "--tmp",    "--reference", "-t"};
    EXPECT_EQ(nearest("--smaple", options), "--sample");
    EXPECT_EQ(nearest("--region", options), "--regions");
    EXPECT_EQ(nearest("--ref", options), "--reference");
    EXPECT_EQ(nearest("--output", options), std::nullopt);
    EXPECT_EQ(nearest("--zzz", options), std::nullopt);
    EXPECT_EQ(nearest("-z", options), std::nullopt);
    EXPECT_EQ(nearest("--map", options), std::nullopt);
}

}  // namespace
}  // namespace gannet::pipeline::cli
