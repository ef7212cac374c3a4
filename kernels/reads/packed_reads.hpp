// SPDX-License-Identifier: MIT
// Provides the packing of reads into 2-bit words of both strands, the way back, and a batch of packed reads.
#pragma once

#include "kernels/reads/read_batch_view.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

/// Writes strand_words(codes.size()) words of each strand, as ReadBatchView has them; `codes` are 0 to 3, and
/// 4 for what is ambiguous. Returns whether any is.
bool pack_strands(std::span<const uint8_t> codes, uint64_t* forward, uint64_t* reverse);
/// The same for the masks of a read that has ambiguous bases.
void pack_masks(std::span<const uint8_t> codes, uint64_t* forward, uint64_t* reverse);

/// The codes of a read as pack_strands() was given them. `mask`: null if no base is ambiguous. Writes up to
/// the next multiple of 32 codes, of which those behind the read are of no use.
void unpack_codes(const uint64_t* forward, const uint64_t* mask, uint32_t length, uint8_t* codes);

/// The arrays of a ReadBatchView, owned.
struct PackedReads {
    std::vector<uint32_t> length;
    std::vector<uint64_t> packed;
    std::vector<uint64_t> packed_begin;
    std::vector<uint64_t> mask;
    std::vector<uint64_t> mask_begin;
    std::vector<uint8_t> quality;
    std::vector<uint32_t> quality_begin{0};
    bool paired = false;  ///< as ReadBatchView has it

    void clear();  ///< keeps the memory
    /// `qualities`: as many as codes, or none at all in all reads.
    void add(std::span<const uint8_t> codes, std::span<const uint8_t> qualities = {});
    /// Copies a read of a batch; all with qualities, or none.
    void add(const ReadBatchView& reads, uint32_t read);
    /// Valid until the next add().
    ReadBatchView view() const;
};

}  // namespace gannet::kernels
