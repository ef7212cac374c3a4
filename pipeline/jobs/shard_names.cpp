// SPDX-License-Identifier: MIT
// Provides the making and the reading of the names of shards.
#include "pipeline/jobs/shard_names.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view k_of = "-of-";

std::string padded(size_t number, size_t digits) {
    const std::string text = std::to_string(number);
    return std::string(digits - std::min(digits, text.size()), '0') + text;
}

std::optional<size_t> number_in(std::string_view text, size_t least_digits) {
    size_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size() || text.size() < least_digits)
        return std::nullopt;
    return number;
}

}  // namespace

std::string ShardNames::of(size_t number, size_t count) const {
    const size_t digits = std::max(least_digits, std::to_string(count).size());
    return std::string(prefix) + padded(number, digits) + std::string(k_of) + padded(count, digits) +
           std::string(suffix);
}

std::optional<size_t> ShardNames::count_in(std::string_view name) const {
    if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
        return std::nullopt;
    name.remove_prefix(prefix.size());
    name.remove_suffix(suffix.size());
    const size_t at = name.find(k_of);
    if (at == std::string_view::npos || !number_in(name.substr(0, at), least_digits)) return std::nullopt;
    return number_in(name.substr(at + k_of.size()), least_digits);
}

void ShardNames::refuse_others(const std::string& folder, size_t count) const {
    const size_t size = of(first, count).size();
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const auto found = count_in(name);
        if (!found || (*found == count && name.size() == size)) continue;
        throw data::Error(data::ErrorKind::usage,
                          entry.path().string() + ": is a shard of another plan than one of " +
                              std::to_string(count) + ": empty the folder, or name another");
    }
}

}  // namespace gannet::pipeline
