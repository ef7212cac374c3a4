// SPDX-License-Identifier: MIT
// Provides the contract of the op pileup_network: a small quantised network over the reads at a candidate and
// what is known of its site.
//
// A row is what one read shows: a map of k_columns x k_channels bytes (columns first), then k_row_features
// bytes that hold for the whole read. The site is k_site_bytes bytes. All are unsigned activations; 0 is
// "nothing".
//
//   per row     conv1   windows of 4 columns (32 bytes), stride 2 columns, over the map         -> 15 x conv1
//               conv2   windows of 4 positions, stride 2, over conv1's 15                       ->  6 x conv2
//               read    dense over conv2's bytes, then the row's features                       ->  read
//   pooling     rows in three pools by their first feature: at least 192 (they support the allele), 64 to 191
//               (the reference), less (neither, or another allele). Of each pool the mean (sum *
//               reciprocal(n) + 2^15) >> 16, with reciprocal(n) = (65536 + n / 2) / n, and the maximum, by
//               channel; an empty pool gives zeros.
//   site        site1   dense over mean and maximum of each pool in this order (6 x read bytes), then the
//                       site's bytes                                                            ->  site1
//               site2   dense                                                                   ->  site2
//               output  dense, without the clamp to bytes                                       ->  3 x int32
//
// A layer: acc = sum of weight (int8, -63..63) * activation (uint8) + bias (int32), in int32; then
//   y = (int64(acc) * multiplier + 2^(shift - 1)) >> shift     (arithmetic shift: floor), per output channel,
// clamped to 0..255, which is also the rectifier; the output layer clamps to +-2^24 instead. Weights are at
// most 63 so that the sum of two products fits 16 bits (AVX2's maddubs cannot saturate). Quantisation in
// integers only follows Jacob et al. 2018, arXiv:1712.05877; reading rows apart and pooling them is a deep
// set (Zaheer et al. 2017, arXiv:1703.06114).
#pragma once

#include "kernels/backend.hpp"
#include "kernels/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gannet::kernels {

namespace pileup {
inline constexpr uint32_t k_columns = 32;
inline constexpr uint32_t k_channels = 8;
inline constexpr uint32_t k_row_features = 64;
inline constexpr uint32_t k_row_bytes = k_columns * k_channels + k_row_features;  // 320
inline constexpr uint32_t k_max_rows = 48;
inline constexpr uint32_t k_site_bytes = 384;
inline constexpr uint32_t k_pools = 3;
inline constexpr uint32_t k_window = 4;
inline constexpr uint32_t k_stride = 2;
inline constexpr uint32_t k_conv1_positions = (k_columns - k_window) / k_stride + 1;          // 15
inline constexpr uint32_t k_conv2_positions = (k_conv1_positions - k_window) / k_stride + 1;  // 6
inline constexpr uint32_t k_outputs = 3;
struct PackedWeights;  // pileup_network_packed.hpp
}  // namespace pileup

/// One layer, weights row by row: weight[output * inputs + input].
struct QuantisedLayer {
    uint32_t inputs = 0;
    uint32_t outputs = 0;
    std::vector<int8_t> weight;       ///< outputs x inputs, -63..63
    std::vector<int32_t> bias;        ///< outputs, within +-2^24
    std::vector<int32_t> multiplier;  ///< outputs, 1..32767
    std::vector<int32_t> shift;       ///< outputs, 1..40
};

/// Channels of the layers are the weights' own: conv1 and conv2 8..64, read 16..128, site1 and site2
/// 16..256, all multiples of 8.
struct PileupNetworkWeights {
    QuantisedLayer conv1, conv2, read, site1, site2, output;
    /// Throws std::invalid_argument, which names the layer, where shapes or ranges do not hold.
    void validate() const;
    /// validate(), and lays the weights out once as the fast backends read them. Without it they do so in
    /// every call. To be called again when a layer has been changed.
    void prepare();
    std::shared_ptr<const pileup::PackedWeights>
        packed;  ///< made by prepare(); the same object in all copies
};

/// Examples, structure of arrays. Example k has rows [row_offset[k], row_offset[k + 1]), 0..k_max_rows of
/// them; their order does not matter.
struct PileupNetworkBatch {
    std::vector<uint8_t> rows;         ///< total rows x k_row_bytes
    std::vector<uint32_t> row_offset;  ///< examples + 1, empty when there are none
    std::vector<uint8_t> sites;        ///< examples x k_site_bytes

    size_t size() const { return row_offset.empty() ? 0 : row_offset.size() - 1; }
    void clear();  ///< keeps the memory
    /// `row_bytes` holds complete rows, `site` k_site_bytes; else throws std::invalid_argument.
    uint32_t add(std::span<const uint8_t> row_bytes, std::span<const uint8_t> site);
};

/// output: examples x 3, resized by the op; each within +-2^24. The weights are such as validate() accepts.
/// Determinism class: exact-int; equal bytes on every backend, whatever the order or the split of the
/// examples. Cost: with n rows, n * (480 * conv1 + 24 * conv1 * conv2 + (6 * conv2 + 64) * read) + (6 * read
/// + 384) * site1 + site1 * site2 + 3 * site2 multiplications an example. The weights must outlive the work
/// enqueued. Thread-safe on CPU backends; scratch is kept per thread.
using PileupNetworkFunction = void (*)(Stream&, const PileupNetworkWeights&, const PileupNetworkBatch&,
                                       std::vector<int32_t>& output);

/// The function for a backend that is available (backend_status).
PileupNetworkFunction pileup_network_function(Backend backend, SimdLevel level);

}  // namespace gannet::kernels
