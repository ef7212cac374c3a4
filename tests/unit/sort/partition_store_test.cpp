// SPDX-License-Identifier: MIT
// Checks the store that threads fill by partitions: values that are added together.
#include "align/duplicates/partition_store.hpp"

#include "tests/unit/sort/sort_cases.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gannet::align::duplicates {
namespace {

TEST(PartitionStore, values_added_together_are_in_the_partitions_of_their_hashes) {
    using Store = PartitionStore<uint64_t>;
    const ScratchFolder folder;
    sort::SpillFile file(folder.path());
    std::mt19937_64 random(3);
    Store one_by_one;
    Store together;
    for (const size_t count : {size_t{0}, size_t{1}, size_t{700}, Store::k_partitions * 3000}) {
        std::vector<Store::Hashed> values;
        for (size_t i = 0; i < count; ++i) values.push_back({random(), i});
        for (const Store::Hashed& value : values) one_by_one.add(value.hash, value.value);
        together.add_all(values);
        EXPECT_EQ(together.size(), one_by_one.size());
    }
    for (size_t i = 0; i < Store::k_partitions; ++i)
        EXPECT_EQ(together.take(i, file), one_by_one.take(i, file)) << "partition " << i;
}

}  // namespace
}  // namespace gannet::align::duplicates
