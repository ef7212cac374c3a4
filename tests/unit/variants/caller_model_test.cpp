// SPDX-License-Identifier: MIT
// Tests of the caller's model: look-ups by name, and the hash that the header of a VCF has.
#include "variants/caller_model.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gannet::variants {
namespace {

constexpr auto k_numbers = std::to_array<ModelNumber>({
    {"a_bp", 3, "bp", "hand-set"},
    {"b", values<-1, 2>, "log10", "hand-set"},
});

uint64_t hash_of(std::span<const ModelNumber> numbers) {
    const ModelPart part{"folder", numbers};
    return hash_of_model({&part, 1});
}

TEST(CallerModel, numbers_are_found_by_name) {
    static_assert(number_of(k_numbers, "a_bp") == 3);
    static_assert(numbers_of<int16_t, 2>(k_numbers, "b") == std::array<int16_t, 2>{-1, 2});
    EXPECT_EQ(k_numbers[0].size(), 1u);
    EXPECT_EQ(k_numbers[1].at(1), 2);
}

TEST(CallerModel, hash_follows_names_and_values_alone) {
    constexpr ModelNumber k_other_value[] = {{"a_bp", 4, "bp", "hand-set"}, k_numbers[1]};
    constexpr ModelNumber k_other_name[] = {{"c_bp", 3, "bp", "hand-set"}, k_numbers[1]};
    constexpr ModelNumber k_other_list[] = {k_numbers[0], {"b", values<-1, 3>, "log10", "hand-set"}};
    constexpr ModelNumber k_other_source[] = {{"a_bp", 3, "bases", "counted"}, k_numbers[1]};
    const uint64_t hash = hash_of(k_numbers);
    EXPECT_NE(hash_of(k_other_value), hash);
    EXPECT_NE(hash_of(k_other_name), hash);
    EXPECT_NE(hash_of(k_other_list), hash);
    EXPECT_EQ(hash_of(k_other_source), hash);
}

TEST(CallerModel, rows_are_complete_and_their_names_differ) {
    std::set<std::string_view> names;
    for (const ModelPart& part : k_caller_model) {
        for (const ModelNumber& number : part.numbers) {
            EXPECT_TRUE(names.insert(number.name).second) << number.name << " is twice there";
            EXPECT_FALSE(number.unit.empty() || number.source.empty()) << number.name;
        }
    }
    EXPECT_EQ(caller_model_hash().size(), 16u);
    EXPECT_EQ(std::stoull(caller_model_hash(), nullptr, 16), hash_of_model(k_caller_model));
}

}  // namespace
}  // namespace gannet::variants
