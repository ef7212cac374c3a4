// SPDX-License-Identifier: MIT
// Provides depth by GC content as the section GCD of `samtools stats` has it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline::qc {

/// What the section counts of a record: mapped, not secondary, with bases.
struct GcDepthRead {
    uint32_t contig = 0;
    int32_t position = 0;
    float gc = 0;  ///< fraction of C and G; 0 of supplementary records and of those neither first nor last
};

/// Counts without a reference (`samtools stats` without -r): a bin begins with the first record of a contig,
/// and with the first one more than 20 kb after the begin of the bin before. Where a bin begins depends on
/// all records before it, and fractions are summed in single precision, in the order of the records: chunks
/// are taken in order, one addition per record. Memory: 8 bytes per 20 kb.
class GcDepth {
  public:
    /// The records of the next chunk. From one thread at a time.
    void append(std::span<const GcDepthRead> reads);
    /// The lines of the section. `average_length`: of reads, as the file states it.
    std::string lines(uint64_t average_length) const;

  private:
    struct Bin {
        float gc = 0;  ///< sum of fractions
        uint32_t depth = 0;
    };
    std::vector<Bin> bins_{{}};  // samtools counts an empty one before the first
    uint32_t contig_ = 0;
    int64_t begin_ = -1;  // of the last bin; -1: there is none yet
};

}  // namespace gannet::pipeline::qc
