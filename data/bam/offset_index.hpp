// SPDX-License-Identifier: MIT
// Provides the index of a sorted BAM file (BAI, CSI) as offsets to begin reading at, checked before any of it
// is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::data::bam {

/// What of a BAI or CSI file (SAM specification 5.2, CSIv1) reading by region needs. Offsets are virtual:
/// compressed offset of a BGZF block << 16 | offset within it. Immutable; threads may have one in common.
///
/// A BAI has no checksum, so it is not trusted: its structure must account for every byte of it, its chunks
/// must cover the records of the BAM without a gap, and the reader goes on from an offset only where the
/// record found there proves that nothing wanted comes before it (see Reader::seek).
class OffsetIndex {
  public:
    /// Records that overlap any position from `position` on begin at `offset` or later in the file.
    struct Point {
        int64_t position = 0;
        uint64_t offset = 0;
    };
    struct Contig {
        bool empty = true;          ///< no record is placed on it
        uint64_t begin = 0;         ///< of its first record
        std::vector<Point> points;  ///< both members ascend
    };

    /// The path of the index of a BAM or CRAM file, looked for as samtools does: FILE.csi, then FILE.bai or
    /// FILE.crai, beside the file with the ending appended, or with the file's own ending replaced. Empty:
    /// none.
    static std::string find(const std::string& path, bool cram);

    /// Loads an index and checks it against the BAM file: its number of contigs, and `first_record`, the
    /// virtual offset at which the records begin. Throws Error(malformed_input) on whatever does not fit.
    static std::shared_ptr<const OffsetIndex> load(const std::string& index_path, const std::string& bam_path,
                                                   size_t contigs, uint64_t first_record);

    const Contig& contig(size_t number) const { return contigs_[number]; }
    /// Where the records that are placed on a contig end: the rest of the file has no positions.
    uint64_t end() const { return end_; }
    /// Whether the file's own checksums cover it (CSI); a BAI has none.
    bool has_checksum() const { return has_checksum_; }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    std::vector<Contig> contigs_;
    uint64_t end_ = 0;
    bool has_checksum_ = false;
};

}  // namespace gannet::data::bam
