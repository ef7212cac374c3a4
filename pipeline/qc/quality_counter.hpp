// SPDX-License-Identifier: MIT
// Provides the counting of base qualities per cycle. Internal to qc/.
#pragma once

#include "kernels/backend.hpp"
#include "pipeline/qc/quality_counts.hpp"
#include "pipeline/qc/simd_choice.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::pipeline::qc {

/// A sequencer gives most bases one of a few qualities. Those that are common among the first reads (all,
/// where they are few) are compared with eight reads at a time and counted in bytes; the others are counted
/// one by one, into a table of 16 bits. Which ones are common changes the time, never a count. Not
/// thread-safe.
class QualityCounter {
  public:
    using Sums = std::vector<std::array<uint64_t, 256>>;  ///< per cycle

    /// Level `none` counts all of them one by one.
    explicit QualityCounter(kernels::SimdLevel level = chosen_simd_level());
    /// Of a reverse read the last one is that of the first cycle. Cycles beyond k_max_cycles are left out.
    void add(std::span<const uint8_t> qualities, bool reverse);
    /// Adds all that was counted to `sums`, which grow as needed, and forgets it.
    void flush(Sums& sums);

  private:
    using CountBlock = bool (*)(const QualityBlock&, const CommonQualities&, uint8_t*, uint8_t*);
    void grow(size_t cycles);
    bool put_in_block(std::span<const uint8_t> qualities, bool reverse);
    void count_block();
    void count_rare(size_t longest);
    void add_few();
    void empty();
    void choose_common();

    CountBlock count_ = nullptr;
    size_t lane_ = 1;                 ///< bytes of a vector
    size_t capacity_ = 0;             ///< cycles, a multiple of k_block_columns
    std::vector<uint16_t> table_;     ///< [cycle][k_row]: up to 65,535 reads
    uint32_t reads_ = 0;              ///< since the table was empty
    uint32_t reads_until_empty_ = 0;  ///< of them, at most
    CommonQualities common_;
    std::vector<uint8_t> rows_;  ///< [read of the block][capacity_]
    std::array<size_t, k_block_reads> lengths_{};
    size_t in_block_ = 0;
    std::vector<uint8_t> few_;    ///< [common][capacity_]: up to 255 reads
    std::vector<uint32_t> more_;  ///< [common][capacity_]: up to 65,535 reads
    uint32_t blocks_in_few_ = 0;
    std::vector<uint8_t> rare_;     ///< [read of the block][capacity_ / 8]
    std::vector<uint32_t> listed_;  ///< scratch: read of the block and cycle of the rare ones
    Sums sums_;
};

}  // namespace gannet::pipeline::qc
