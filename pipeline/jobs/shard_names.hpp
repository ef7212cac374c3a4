// SPDX-License-Identifier: MIT
// Provides the names of the files of a plan that is divided into shards, and the refusal of those of another
// plan.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gannet::pipeline {

/// "examples-00000-of-00003.gnx": as many digits as the number of shards needs, so that sorted by name they
/// are in the order of their numbers.
struct ShardNames {
    std::string_view prefix;
    size_t least_digits = 0;
    size_t first = 0;  ///< number of the first shard
    std::string_view suffix;

    std::string of(size_t number, size_t count) const;
    /// How many shards there are by a name of this form; nothing of any other name.
    std::optional<size_t> count_in(std::string_view name) const;
    /// A later step takes all shards of a folder: throws Error(usage) where one of another plan than that of
    /// `count` shards is among them.
    void refuse_others(const std::string& folder, size_t count) const;
};

inline constexpr ShardNames k_interval_shards{"", 4, 1, ".bed"};
inline constexpr ShardNames k_example_shards{"examples-", 5, 0, ".gnx"};

}  // namespace gannet::pipeline
