// SPDX-License-Identifier: MIT
// Provides random sequence for tests of repeats: repeats of all periods and lengths, with errors, N and
// unique sequence between them.
#pragma once

#include "data/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace gannet::testing {

/// Of exactly `size` bases; in some, also of N repeated with a period, and of N at both ends.
inline std::vector<data::Base> repeat_rich_bases(std::mt19937_64& random, size_t size) {
    std::vector<data::Base> bases;
    const size_t alphabet = 2 + random() % 3;
    const bool has_unknown = random() % 2 == 0;
    if (has_unknown && random() % 3 == 0) bases.assign(random() % 20, data::k_base_n);
    while (bases.size() < size) {
        const size_t period = random() % 8 == 0 ? 7 + random() % 20 : 1 + random() % 6;
        std::vector<data::Base> unit;
        for (size_t i = 0; i < period; ++i) {
            const bool is_unknown = has_unknown && random() % 40 == 0;
            unit.push_back(is_unknown ? data::k_base_n : static_cast<data::Base>(random() % alphabet));
        }
        const size_t longest = random() % 16 == 0 ? 90 * period : 5 * period;
        const size_t length = 1 + random() % longest;
        for (size_t i = 0; i < length; ++i) {
            const bool is_error = random() % 50 == 0;
            bases.push_back(is_error ? static_cast<data::Base>(random() % (has_unknown ? 5 : 4))
                                     : unit[i % period]);
        }
        for (size_t i = random() % 12; i > 0; --i) bases.push_back(static_cast<data::Base>(random() % 4));
    }
    bases.resize(size);
    if (has_unknown && random() % 3 == 0) {
        for (size_t i = size - std::min<size_t>(size, random() % 20); i < size; ++i)
            bases[i] = data::k_base_n;
    }
    return bases;
}

}  // namespace gannet::testing
