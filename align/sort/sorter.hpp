// SPDX-License-Identifier: MIT
// Provides the coordinate sort: records are scattered to coordinate buckets as they come, and each bucket is
// sorted when it is read.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/saved_state.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gannet::align::sort {

struct SorterOptions {
    uint64_t memory_bytes =
        1ull << 30;  ///< what add() may hold before buckets spill (the cost of load() comes on top)
    std::string temporary_directory;  ///< where the spill file is made; it has no name, so a killed run
                                      ///< leaves nothing
    std::string file_name = {};       ///< a name for it all the same: needed by save()
};

/// Records of one bucket in output order: contig, position, then ordinal; unplaced (unmapped pairs) last.
struct SortedBucket {
    size_t index = 0;
    std::vector<uint8_t> bytes;              ///< records one after another, in output order
    std::vector<data::RecordEntry> entries;  ///< sorted; offsets into bytes
};

/// A bucket with more bytes of records than k_min_cut_bytes, and than a depth of about 180x gives it, is cut
/// into parts of about k_max_part_bytes, so that a pile-up such as chrM at 100,000x is not loaded at once.
/// All are constants: where a bucket is cut may show in how a BAM is cut into blocks, and that must not
/// depend on
/// --memory.
inline constexpr uint64_t k_max_part_bytes = 8u << 20;
inline constexpr uint64_t k_min_cut_bytes = 24u << 20;
inline constexpr uint64_t k_ordinary_bytes_per_bp = 400;

/// Total key (contig, position, ordinal), so neither the order of add() calls nor the cut into buckets ever
/// changes the output. Ordinals are unique. add() is thread-safe and copies the batch's bytes once;
/// finish_input() ends it; then load() may be called from several threads for distinct buckets, once each.
/// Buckets in order of their index, concatenated, are the complete output; so are their parts.
///
/// A bucket is an interval of the genome (2^14 to 2^18 bp, wider beyond 4 Gb), about 20 MB of records at 30x;
/// unplaced records are cut by input order. A spill file of raw records takes what they take as BAM
/// bytes: 230 GB for 30x of a human genome. Throws Error(disk_space), Error(output_failed) for temporary
/// files, Error(internal) for a record outside of the reference.
class Sorter {
  public:
    Sorter(const data::Reference& reference, SorterOptions options);
    /// For alignments whose reference is known by the lengths of its contigs alone.
    Sorter(std::vector<uint64_t> contig_lengths, SorterOptions options);
    ~Sorter();
    void add(const data::RecordBatch& batch);
    /// Writes all records so far to the spill file, synchronises it with the disk, and describes it. Not
    /// while add() runs.
    void save(data::StateWriter& state, unsigned threads);
    /// Continues after save() in another process, before the first add(): with the same reference, directory
    /// and file name. Reads all that was saved, and throws Error(malformed_input) where it is not what it
    /// was.
    void restore(data::StateReader& state, unsigned threads);
    void finish_input();
    size_t buckets() const;
    /// Bytes of records in a bucket.
    uint64_t bucket_bytes(size_t bucket) const;
    /// Number of parts of a bucket, at least 1; cuts it first where it is larger than k_max_part_bytes, by
    /// one pass over its records that writes them to the spill file again. Not while another thread loads the
    /// same bucket.
    size_t parts(size_t bucket);
    /// Frees what the part held. Needs twice the part's bytes while it runs. `sorted`: its memory is used
    /// again, its contents are lost.
    void load(size_t bucket, size_t part, SortedBucket& sorted);
    SortedBucket load(size_t bucket, size_t part = 0) {
        SortedBucket sorted;
        load(bucket, part, sorted);
        return sorted;
    }
    /// Calls visit(record, ordinal) for the records that begin in [begin, end) of a contig, in no order, and
    /// frees nothing. After finish_input() and before the first parts() and load(); may be called from
    /// several threads. Cost: reads the buckets that the interval touches.
    void visit(uint32_t contig, int64_t begin, int64_t end,
               const std::function<void(const data::RecordView& record, uint64_t ordinal)>& visit);
    uint64_t records() const;
    uint64_t spilled_bytes() const;  ///< as written to the file

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::align::sort
