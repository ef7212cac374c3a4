// SPDX-License-Identifier: MIT
// Provides the numbers of the op pair_hmm by Phred quality, made at compile time.
#pragma once

#include "kernels/pair_hmm/pair_hmm_cell.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gannet::kernels::pair_hmm {

/// Row values by Phred quality; the index is any byte (see the contract for what 0 and > 93 mean).
template <class Real>
struct Tables {
    std::array<Real, 256> match;
    std::array<Real, 256> mismatch;
    std::array<Real, 256> stay;
    std::array<Real, 256> open;
};

/// 10^(-quality/10) from ten literals and exact powers of ten: no libm.
constexpr double phred_probability(int quality) {
    constexpr double tenths[10] = {1.0,
                                   0.79432823472428150207,
                                   0.63095734448019324943,
                                   0.50118723362727228500,
                                   0.39810717055349725077,
                                   0.31622776601683793320,
                                   0.25118864315095801111,
                                   0.19952623149688796014,
                                   0.15848931924611134852,
                                   0.12589254117941672104};
    double power = 1.0;
    for (int i = 0; i < quality / 10; ++i) power *= 10.0;
    return tenths[quality % 10] / power;
}

template <class Real>
constexpr Tables<Real> make_tables() {
    Tables<Real> tables{};
    for (int byte = 0; byte < 256; ++byte) {
        const int quality = byte < 1 ? 1 : byte > 93 ? 93 : byte;
        const double error = phred_probability(quality);
        const double stay = 1.0 - 2.0 * error;
        const auto i = static_cast<size_t>(byte);
        tables.match[i] = static_cast<Real>(1.0 - error);
        tables.mismatch[i] = static_cast<Real>(error / 3.0);
        tables.stay[i] = static_cast<Real>(stay > 0.0 ? stay : 0.0);
        tables.open[i] = static_cast<Real>(k_close * error);
    }
    return tables;
}

template <class Real>
inline constexpr Tables<Real> k_tables = make_tables<Real>();

/// The deletion state of row 0.
template <class Real>
constexpr Real initial_deletion(uint32_t haplotype_length) {
    return static_cast<Real>(k_close) * (Law<Real>::scale / static_cast<Real>(haplotype_length));
}

}  // namespace gannet::kernels::pair_hmm
