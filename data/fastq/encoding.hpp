// SPDX-License-Identifier: MIT
// Provides the check that qualities are Phred+33 and not the older Phred+64 or Solexa.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::data::fastq {

/// Looks at the first 1,000 reads, or at all if there are fewer. They are taken to be Phred+64 when no
/// quality byte is below ';' (Solexa's lowest), the highest one is from 'a' (Q33) to 'i' (the highest that
/// those machines wrote), and no read is longer than 1,000 bases (more than they produced). As Phred+33 that
/// would be short reads without one base under Q26 and some of Q64 or more. Binned Phred+33 qualities of Q30
/// to Q60 (AVITI, Onso) stay what they are, as does a file in which all qualities
/// are the same, below 'a'.
class EncodingCheck {
  public:
    static constexpr uint64_t k_reads = 1000;

    /// `lowest` and `highest` of a read's bytes as they are, or would be, in Phred+33 text.
    void add(size_t length, uint8_t lowest, uint8_t highest) {
        longest_ = std::max(longest_, length);
        lowest_ = std::min(lowest_, lowest);
        highest_ = std::max(highest_, highest);
    }
    bool is_phred_64() const {
        return lowest_ >= ';' && highest_ >= 'a' && highest_ <= 'i' && longest_ <= 1000;
    }
    std::string cause() const {
        return std::string("the qualities so far run from '") + static_cast<char>(lowest_) + "' to '" +
               static_cast<char>(highest_) +
               "': this is Phred+64 (old Illumina or Solexa); convert it to Phred+33 (seqtk seq -Q64 -V)";
    }

  private:
    size_t longest_ = 0;
    uint8_t lowest_ = 255;
    uint8_t highest_ = 0;
};

}  // namespace gannet::data::fastq
