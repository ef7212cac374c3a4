// SPDX-License-Identifier: MIT
// Provides the reference blocks of a window: neighbouring positions of like confidence outside the called
// variants.
#pragma once

#include "data/reference_block.hpp"
#include "data/regions.hpp"
#include "variants/parameters.hpp"
#include "variants/records/reference_confidence.hpp"
#include "variants/sample/ploidy.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gannet::variants {

/// Positions [begin, end) that a called record describes.
struct CoveredSpan {
    int64_t begin = 0;
    int64_t end = 0;
};

/// A site that was considered and not called: its block may not be more certain than these PL (some copies,
/// all copies) of its alleles.
struct UncalledSite {
    int64_t position = 0;
    std::array<int32_t, 2> likelihoods{};
};

/// What the steps of calling learn of a window for its blocks.
struct WindowBlocks {
    ReferenceConfidence confidence;
    std::vector<CoveredSpan> covered;    ///< of all records that reach into the window, in any order
    std::vector<UncalledSite> uncalled;  ///< of positions of the window
    void clear(const data::Region& window);
};

/// Makes the blocks of a window; keeps its scratch memory. A block ends where its band, the ploidy or the
/// window (windows.hpp: multiples of 8,192 bp) ends, before a called record, and at the edges of `bounds`: so
/// that the blocks of a window do not depend on what else is called, or on shards. Of a record that begins
/// outside `bounds`, and so is not written, the positions within them have blocks of GQ 0.
class BlockBuilder {
  public:
    /// Appends the blocks of `window` whose first position is in `targets` (empty: all). Nothing has a block
    /// where the ploidy is 0.
    void build(const data::Region& window, const WindowBlocks& blocks, const BlockParameters& parameters,
               const data::RegionSet& targets, const PloidyMap& ploidy,
               std::vector<data::ReferenceBlock>& out);

  private:
    /// Of a position: what must be equal throughout a block. Ploidy 0: no block.
    struct Kind {
        uint8_t ploidy = 0;
        uint8_t band = 0;
        bool operator==(const Kind&) const = default;
    };
    void set_ploidy(const data::Region& window, const PloidyMap& ploidy);
    void keep_within(const data::Region& window, const data::RegionSet& bounds);
    void leave_out(const data::Region& window, const std::vector<CoveredSpan>& covered,
                   const data::RegionSet& bounds);
    void load_likelihoods(const WindowBlocks& blocks);
    void set_bands(const std::vector<int32_t>& bands);
    int32_t quality_at(size_t offset) const;
    data::ReferenceBlock make_block(const data::Region& window, const ReferenceConfidence& confidence,
                                    size_t first, size_t last);

    std::vector<Kind> kinds_;
    std::vector<std::array<uint16_t, 2>> likelihoods_;
    std::vector<uint16_t> depths_;  // of one block
};

}  // namespace gannet::variants
