// SPDX-License-Identifier: MIT
// Provides the check that qualities are Phred+33 and not the older Phred+64 or Solexa.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::data::fastq {

/// Looks at the first 1,000 reads, or at all if there are fewer. They are taken to be Phred+64 when no
/// quality byte is below ';' (Solexa's lowest), some are above 'J' (of 1,000 reads above '`', Q32), not all
/// are above 'i' (the highest that those machines wrote), and no read is longer than 1,000 bases (more than
/// they produced). As Phred+33 that would be short reads without one base under Q26 and some above Q41 (of
/// 1,000 reads Q63: AVITI's bins of Q30 to Q60 are Phred+33). A file in which all qualities are the same, up
/// to 'J', stays Phred+33.
class EncodingCheck {
  public:
    static constexpr uint64_t k_reads = 1000;

    /// `lowest` and `highest` of a read's bytes as they are, or would be, in Phred+33 text.
    void add(size_t length, uint8_t lowest, uint8_t highest) {
        ++reads_;
        longest_ = std::max(longest_, length);
        lowest_ = std::min(lowest_, lowest);
        highest_ = std::max(highest_, highest);
    }
    bool is_phred_64() const {
        const bool is_high = highest_ > (reads_ < k_reads ? 'J' : '`');
        return lowest_ >= ';' && lowest_ <= 'i' && is_high && longest_ <= 1000;
    }
    std::string cause() const {
        return std::string("the qualities so far run from '") + static_cast<char>(lowest_) + "' to '" +
               static_cast<char>(highest_) +
               "': this is Phred+64 (old Illumina or Solexa); convert it to Phred+33 (seqtk seq -Q64 -V)";
    }

  private:
    uint64_t reads_ = 0;
    size_t longest_ = 0;
    uint8_t lowest_ = 255;
    uint8_t highest_ = 0;
};

}  // namespace gannet::data::fastq
