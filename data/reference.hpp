// SPDX-License-Identifier: MIT
// Provides the reference genome in memory: contigs, 2-bit packed bases, and the positions that are not A, C,
// G or T.
#pragma once

#include "data/sequence.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gannet::data {

/// The longest contig: SAM, BAM and VCF as htslib and samtools write them hold no larger position.
inline constexpr uint64_t k_max_contig_bp = 2'147'483'647;

/// Whether SAM allows the name for a contig (specification 1.2.1): printable ASCII without quotation marks,
/// brackets, backslashes and commas, that does not begin with `*` or `=`.
bool is_valid_contig_name(std::string_view name);

/// A sequence of the reference. `offset` is where it begins in the packed genome, a multiple of 64 bases; at
/// least 64 padding bases, marked non-ACGT, come before the first contig, between contigs and after the last.
struct Contig {
    std::string name;
    uint64_t length = 0;
    uint64_t offset = 0;
    std::string md5;  ///< 32 hex digits over the upper-case letters, as @SQ M5 (SAM specification 1.3)
};

/// Packed-genome bases [begin, end) that read as `letter` (N or another IUPAC code, upper case) instead of
/// ACGT.
struct NonAcgtRun {
    uint64_t begin = 0;
    uint64_t end = 0;
    char letter = 'N';
    char padding[7] = {};  ///< keeps the struct free of indeterminate bytes: its bytes are written to files
};

/// The reference genome. Immutable; safe to share between threads. Coordinates are 0-based half-open;
/// `genome` coordinates count over the packed genome (64-bit: references may pass 2^32 bases), contig
/// coordinates within one. Memory: 2 bits per base (0.8 GB for a human genome), owned or viewed in a
/// memory-mapped index that `keep_alive` holds.
class Reference {
  public:
    /// Packed genome: base i is bits 2(i%32).. of word i/32, code 0-3; non-ACGT bases are stored as 0.
    Reference(std::string path, std::vector<Contig> contigs, std::span<const uint64_t> packed,
              std::span<const NonAcgtRun> runs, std::shared_ptr<const void> keep_alive);

    const std::string& path() const { return path_; }  ///< the FASTA it came from, for messages and headers
    const std::vector<Contig>& contigs() const { return contigs_; }
    std::optional<uint32_t> find(std::string_view name) const;
    uint64_t genome_size() const { return packed_.size() * 32; }
    std::span<const uint64_t> packed() const { return packed_; }
    std::span<const NonAcgtRun> runs() const { return runs_; }

    /// Codes (0-4) of contig bases [begin, begin + out.size()). Outside the contig: k_base_n.
    void bases(uint32_t contig, int64_t begin, std::span<Base> out) const;
    /// The same over genome coordinates.
    void genome_bases(int64_t begin, std::span<Base> out) const;
    /// Upper-case letters (IUPAC kept); the range must lie within the contig.
    std::string letters(uint32_t contig, uint64_t begin, uint64_t end) const;
    /// Contig that holds a genome coordinate; padding belongs to the contig before it (or to the first).
    uint32_t contig_of(uint64_t genome_position) const;

  private:
    std::string path_;
    std::vector<Contig> contigs_;
    std::unordered_map<std::string, uint32_t> by_name_;
    std::span<const uint64_t> packed_;
    std::span<const NonAcgtRun> runs_;
    std::shared_ptr<const void> keep_alive_;
};

}  // namespace gannet::data
