// SPDX-License-Identifier: MIT
// Provides the row of the caller's model: a number that can change a call, with its unit and its source; and
// its look-up by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gannet::variants {

/// Several values of one row, as `values<45, 45, 44>`.
template <int64_t... numbers>
inline constexpr std::array<int64_t, sizeof...(numbers)> values = {numbers...};

/// One number, or a short list. `source`: a paper, a derivation, or the data that it was fitted on and the
/// sets that were looked at; "hand-set" where nothing of that kind is known.
struct ModelNumber {
    std::string_view name;
    int64_t value = 0;              ///< of a row without a list
    std::span<const int64_t> list;  ///< empty: a single value
    std::string_view unit;
    std::string_view source;

    consteval ModelNumber(std::string_view name_, int64_t value_, std::string_view unit_,
                          std::string_view source_)
        : name(name_), value(value_), unit(unit_), source(source_) {}
    template <size_t n>
    consteval ModelNumber(std::string_view name_, const std::array<int64_t, n>& list_, std::string_view unit_,
                          std::string_view source_)
        : name(name_), list(list_), unit(unit_), source(source_) {}
    constexpr size_t size() const { return list.empty() ? 1 : list.size(); }
    constexpr int64_t at(size_t i) const { return list.empty() ? value : list[i]; }
};

// Sources of many rows.
inline constexpr std::string_view k_hand_set = "hand-set";

/// Does not compile where the table has no such row, or where it is a list.
template <size_t rows>
consteval int64_t number_of(const std::array<ModelNumber, rows>& table, std::string_view name) {
    for (const ModelNumber& row : table) {
        if (row.name != name) continue;
        if (!row.list.empty()) throw "the row is a list";
        return row.value;
    }
    throw "the table has no such row";
}

/// Does not compile where the table has no such row, or where it has not `n` values.
template <class T, size_t n, size_t rows>
consteval std::array<T, n> numbers_of(const std::array<ModelNumber, rows>& table, std::string_view name) {
    for (const ModelNumber& row : table) {
        if (row.name != name) continue;
        if (row.list.size() != n) throw "the row has another number of values";
        std::array<T, n> numbers{};
        for (size_t i = 0; i < n; ++i) {
            numbers[i] = static_cast<T>(row.list[i]);
            if (static_cast<int64_t>(numbers[i]) != row.list[i]) throw "a value does not fit the type";
        }
        return numbers;
    }
    throw "the table has no such row";
}

}  // namespace gannet::variants
