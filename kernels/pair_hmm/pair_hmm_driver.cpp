// SPDX-License-Identifier: MIT
// Provides the vector backends of the op pair_hmm: pairs sorted by length into groups, groups filled, run and
// read out.
#include "kernels/pair_hmm/pair_hmm_backends.hpp"
#include "kernels/pair_hmm/pair_hmm_lanes.hpp"
#include "kernels/pair_hmm/pair_hmm_logarithm.hpp"
#include "kernels/pair_hmm/pair_hmm_tables.hpp"
#include "kernels/simd/aligned_buffer.hpp"

#include <algorithm>
#include <bit>

namespace gannet::kernels {

namespace {

using namespace pair_hmm;

template <class Real>
struct GroupBuffers {
    simd::AlignedBuffer<Real> row_values, state, lane_values;
    simd::AlignedBuffer<typename Law<Real>::Bits> codes, lengths;
};

struct Scratch {
    std::vector<uint64_t>
        order;  ///< read length, haplotype length, pair: so most pairs of a group are of one size
    std::vector<uint32_t> pairs;    ///< in that order
    std::vector<uint32_t> rescued;  ///< likewise
    GroupBuffers<float> floats;
    GroupBuffers<double> doubles;
};

struct PairView {
    uint32_t read_begin, read_length, haplotype_begin, haplotype_length;
};

PairView view(const PairHmmBatch& batch, uint32_t pair) {
    const uint32_t r = batch.pair_read[pair];
    const uint32_t h = batch.pair_haplotype[pair];
    return {batch.read_offset[r], batch.read_offset[r + 1] - batch.read_offset[r], batch.haplotype_offset[h],
            batch.haplotype_offset[h + 1] - batch.haplotype_offset[h]};
}

/// Bit patterns that accept read base b: code c of the haplotype moves its bit to the top by a shift of c.
template <class Bits>
constexpr Bits accepts(uint8_t base) {
    constexpr Bits top = Bits{1} << (sizeof(Bits) * 8 - 1);
    constexpr Bits everything = top | top >> 1 | top >> 2 | top >> 3 | top >> 4;
    return base > 3 ? everything : static_cast<Bits>(top >> base | top >> 4);
}

template <class Real>
void fill_rows(const PairHmmBatch& batch, const PairView& pair, uint32_t rows, uint32_t lanes, Real start,
               Real* out) {
    using Bits = typename Law<Real>::Bits;
    const size_t stride = size_t{k_row_vectors} * lanes;
    const auto put = [&](RowVector which, Real value) { out[which * lanes] = value; };
    for (uint32_t row = pair.read_length; row < rows; ++row, out += stride) {
        for (const RowVector zero : {k_match, k_mismatch, k_stay, k_open, k_extend_insertion, k_accepts})
            put(zero, 0);
        put(k_extend_deletion, 1);
        put(k_first_deletion, start);
    }
    const auto& tables = k_tables<Real>;
    for (uint32_t i = pair.read_begin; i < pair.read_begin + pair.read_length; ++i, out += stride) {
        const uint8_t quality = batch.read_qualities[i];
        const uint8_t gap_quality = batch.read_gap_qualities[i];
        put(k_match, tables.match[quality]);
        put(k_mismatch, tables.mismatch[quality]);
        put(k_stay, tables.stay[gap_quality]);
        put(k_open, tables.open[gap_quality]);
        put(k_extend_insertion, static_cast<Real>(k_extend));
        put(k_extend_deletion, static_cast<Real>(k_extend));
        put(k_first_deletion, Law<Real>::floor);
        put(k_accepts, std::bit_cast<Real>(accepts<Bits>(batch.read_bases[i])));
    }
}

/// Totals of `count` <= lanes pairs; lanes without a pair repeat the last.
template <class Real>
const Real* run_group(const PairHmmBatch& batch, const uint32_t* pairs, uint32_t count, uint32_t lanes,
                      GroupFunction<Real> function, GroupBuffers<Real>& buffers) {
    using Bits = typename Law<Real>::Bits;
    uint32_t rows = 0;
    uint32_t columns = 0;
    uint32_t shortest = k_pair_hmm_max_read;
    for (uint32_t lane = 0; lane < count; ++lane) {
        const PairView pair = view(batch, pairs[lane]);
        rows = std::max(rows, pair.read_length);
        shortest = std::min(shortest, pair.read_length);
        columns = std::max(columns, pair.haplotype_length);
    }
    rows = (rows + k_strip_rows - 1) / k_strip_rows * k_strip_rows;
    Real* row_values = buffers.row_values.at_least(size_t{rows} * k_row_vectors * lanes);
    Real* lane_values = buffers.lane_values.at_least(2 * size_t{lanes});
    Bits* codes = buffers.codes.at_least(size_t{columns} * lanes);
    Bits* lengths = buffers.lengths.at_least(lanes);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const PairView pair = view(batch, pairs[std::min(lane, count - 1)]);
        const Real start = initial_deletion<Real>(pair.haplotype_length);
        lane_values[lane] = start;
        lengths[lane] = pair.haplotype_length;
        fill_rows(batch, pair, rows, lanes, start, row_values + lane);
        const uint8_t* bases = batch.haplotype_bases.data() + pair.haplotype_begin;
        for (uint32_t j = 0; j < columns; ++j)
            codes[size_t{j} * lanes + lane] = j < pair.haplotype_length ? std::min<uint8_t>(bases[j], 4) : 4;
    }
    Real* state = buffers.state.at_least((size_t{columns} + 1) * 3 * lanes);
    function({rows, rows - shortest, columns, row_values, codes, lengths, lane_values, state,
              lane_values + lanes});
    return lane_values + lanes;
}

/// Likelihoods of these pairs in fp64.
void rescue(const PairHmmBatch& batch, const LaneFunctions& functions, std::span<const uint32_t> rescued,
            GroupBuffers<double>& buffers, std::vector<int32_t>& likelihood) {
    for (size_t begin = 0; begin < rescued.size(); begin += functions.double_lanes) {
        const uint32_t* pairs = rescued.data() + begin;
        const auto count =
            static_cast<uint32_t>(std::min<size_t>(functions.double_lanes, rescued.size() - begin));
        const double* total =
            run_group(batch, pairs, count, functions.double_lanes, functions.doubles, buffers);
        for (uint32_t lane = 0; lane < count; ++lane)
            likelihood[pairs[lane]] = likelihood_of_total(total[lane]);
    }
}

void score(const PairHmmBatch& batch, const LaneFunctions& functions, std::vector<int32_t>& likelihood) {
    static thread_local Scratch scratch;
    likelihood.resize(batch.pairs());
    scratch.order.clear(), scratch.pairs.clear(), scratch.rescued.clear();
    for (uint32_t p = 0; p < batch.pairs(); ++p) {
        const PairView pair = view(batch, p);
        scratch.order.push_back(uint64_t{pair.read_length} << 48 | uint64_t{pair.haplotype_length} << 32 | p);
    }
    std::sort(scratch.order.begin(), scratch.order.end());
    for (const uint64_t key : scratch.order) scratch.pairs.push_back(static_cast<uint32_t>(key));

    for (size_t begin = 0; begin < scratch.pairs.size(); begin += functions.float_lanes) {
        const uint32_t* pairs = scratch.pairs.data() + begin;
        const auto count =
            static_cast<uint32_t>(std::min<size_t>(functions.float_lanes, scratch.pairs.size() - begin));
        const float* total =
            run_group(batch, pairs, count, functions.float_lanes, functions.floats, scratch.floats);
        for (uint32_t lane = 0; lane < count; ++lane) {
            if (total[lane] < Law<float>::smallest_total)
                scratch.rescued.push_back(pairs[lane]);
            else
                likelihood[pairs[lane]] = likelihood_of_total(total[lane]);
        }
    }
    rescue(batch, functions, scratch.rescued, scratch.doubles, likelihood);
}

const LaneFunctions& avx2_functions() {
    static constexpr LaneFunctions functions{8, 4, avx2::pair_hmm_lanes, avx2::pair_hmm_lanes};
    return functions;
}

const LaneFunctions& avx512_functions() {
    static constexpr LaneFunctions functions{16, 8, avx512::pair_hmm_lanes, avx512::pair_hmm_lanes};
    return functions;
}

}  // namespace

void pair_hmm_avx2(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    score(batch, avx2_functions(), likelihood);
}

void pair_hmm_avx512(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    score(batch, avx512_functions(), likelihood);
}

void pair_hmm_rescue(const PairHmmBatch& batch, std::span<const uint32_t> pairs,
                     std::vector<int32_t>& likelihood) {
    static thread_local GroupBuffers<double> buffers;
    const SimdLevel level = detected_simd_level();
    if (level < SimdLevel::avx2) return pair_hmm_rescue_reference(batch, pairs, likelihood);
    rescue(batch, level == SimdLevel::avx2 ? avx2_functions() : avx512_functions(), pairs, buffers,
           likelihood);
}

}  // namespace gannet::kernels
