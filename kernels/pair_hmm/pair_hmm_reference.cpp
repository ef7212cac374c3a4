// SPDX-License-Identifier: MIT
// Provides the oracle of the op pair_hmm: the recurrence as it is written, one cell after another.
#include "kernels/pair_hmm/pair_hmm_backends.hpp"
#include "kernels/pair_hmm/pair_hmm_cell.hpp"
#include "kernels/pair_hmm/pair_hmm_logarithm.hpp"
#include "kernels/pair_hmm/pair_hmm_tables.hpp"

#include <cmath>

namespace gannet::kernels {

namespace {

template <class Real>
struct Scalar {
    Real value;
    friend Scalar operator*(Scalar a, Scalar b) { return {a.value * b.value}; }
    friend Scalar operator+(Scalar a, Scalar b) { return {a.value + b.value}; }
    friend Scalar fma(Scalar a, Scalar b, Scalar c) { return {std::fma(a.value, b.value, c.value)}; }
};

struct Pair {
    std::span<const uint8_t> read;
    const uint8_t* qualities;
    const uint8_t* gap_qualities;
    std::span<const uint8_t> haplotype;
};

template <class Real>
struct Cell {
    Scalar<Real> m, g, d, s;
};

template <class Real>
Real total(const Pair& pair) {
    using Lane = Scalar<Real>;
    using pair_hmm::k_tables, pair_hmm::match_state, pair_hmm::gap_state;
    const size_t columns = pair.haplotype.size();
    const Lane floor{pair_hmm::Law<Real>::floor};
    const Lane extend{static_cast<Real>(pair_hmm::k_extend)};
    const Lane start{pair_hmm::initial_deletion<Real>(static_cast<uint32_t>(columns))};
    const Lane zero{0};
    std::vector<Cell<Real>> above(columns + 1, {zero, floor, start, floor + start});
    std::vector<Cell<Real>> row(columns + 1, {zero, floor, floor, floor + floor});
    for (size_t i = 0; i < pair.read.size(); ++i) {
        const uint8_t quality = pair.qualities[i];
        const Lane stay{k_tables<Real>.stay[pair.gap_qualities[i]]};
        const Lane open{k_tables<Real>.open[pair.gap_qualities[i]]};
        for (size_t j = 1; j <= columns; ++j) {
            const uint8_t base = pair.haplotype[j - 1];
            const bool matches = base == pair.read[i] || base > 3 || pair.read[i] > 3;
            const Lane prior{matches ? k_tables<Real>.match[quality] : k_tables<Real>.mismatch[quality]};
            Cell<Real>& cell = row[j];
            cell.m = match_state(prior, stay, above[j - 1].m, above[j - 1].s);
            cell.g = gap_state(open, extend, floor, above[j].m, above[j].g);
            cell.d = gap_state(open, extend, floor, row[j - 1].m, row[j - 1].d);
            cell.s = cell.g + cell.d;
        }
        row.swap(above);
        row[0] = {zero, floor, floor, floor + floor};
    }
    Lane sum_m{0};
    Lane sum_g{0};
    for (size_t j = 1; j <= columns; ++j) {
        sum_m = sum_m + above[j].m;
        sum_g = sum_g + above[j].g;
    }
    return fma(sum_g, Lane{static_cast<Real>(pair_hmm::k_unclose)}, sum_m).value;
}

Pair pair_of(const PairHmmBatch& batch, size_t p) {
    const uint32_t read = batch.pair_read[p];
    const uint32_t haplotype = batch.pair_haplotype[p];
    const uint32_t read_begin = batch.read_offset[read];
    const uint32_t haplotype_begin = batch.haplotype_offset[haplotype];
    return {{batch.read_bases.data() + read_begin, batch.read_offset[read + 1] - read_begin},
            batch.read_qualities.data() + read_begin,
            batch.read_gap_qualities.data() + read_begin,
            {batch.haplotype_bases.data() + haplotype_begin,
             batch.haplotype_offset[haplotype + 1] - haplotype_begin}};
}

}  // namespace

void pair_hmm_rescue_reference(const PairHmmBatch& batch, std::span<const uint32_t> pairs,
                               std::vector<int32_t>& likelihood) {
    for (const uint32_t p : pairs)
        likelihood[p] = pair_hmm::likelihood_of_total(total<double>(pair_of(batch, p)));
}

void pair_hmm_reference(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    likelihood.resize(batch.pairs());
    for (size_t p = 0; p < batch.pairs(); ++p) {
        const Pair pair = pair_of(batch, p);
        const float first = total<float>(pair);
        likelihood[p] = first < pair_hmm::Law<float>::smallest_total
                            ? pair_hmm::likelihood_of_total(total<double>(pair))
                            : pair_hmm::likelihood_of_total(first);
    }
}

}  // namespace gannet::kernels
