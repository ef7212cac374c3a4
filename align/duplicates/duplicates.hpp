// SPDX-License-Identifier: MIT
// Provides duplicate marking with samtools markdup's default semantics: keys while both mates are at
// hand, one decision, a bitmap.
#pragma once

#include "align/duplicates/optical.hpp"
#include "align/sort/sorter.hpp"
#include "data/read_group.hpp"
#include "data/record.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gannet::align::duplicates {

/// Counts in the terms of Picard's DuplicationMetrics, per library.
struct LibraryMetrics {
    std::string library;
    uint64_t unpaired_reads_examined = 0;
    uint64_t read_pairs_examined = 0;
    uint64_t secondary_or_supplementary = 0;
    uint64_t unmapped_reads = 0;
    uint64_t unpaired_read_duplicates = 0;
    uint64_t read_pair_duplicates = 0;
    uint64_t read_pair_optical_duplicates = 0;
};

/// Which templates are duplicates: one bit per template ordinal.
class Decision {
  public:
    bool is_duplicate(uint64_t template_ordinal) const {
        return template_ordinal / 64 < bits_.size() &&
               (bits_[template_ordinal / 64] >> (template_ordinal % 64) & 1);
    }
    std::vector<uint64_t> bits_;
    std::vector<LibraryMetrics> metrics;  ///< in order of first appearance among the read groups
};

struct MarkerOptions {
    uint64_t memory_bytes =
        ~0ull;  ///< what add() may hold before keys spill; decide() needs 2 partitions per thread on top
    std::string temporary_directory;  ///< for an unnamed spill file; used only when memory_bytes is passed
    std::string file_name = {};       ///< a name for it all the same: needed by save()
    /// Templates are only duplicates of each other if their UMIs (tag RX) are one molecule's (umi.hpp).
    bool by_umi = false;
    uint32_t optical_distance_pixels = k_optical_distance_pixels;
    std::string input = {};  ///< of the records, for messages; empty: several files
};

/// Decides which templates are duplicates (docs/sorting.md has the rules, and where they differ from samtools
/// markdup 1.16).
///
/// add() is thread-safe, and all records of a template come in one batch, ordinals ascending within it.
/// decide() ends the input and is called once. The decision depends on the set of records only. Cost: 32
/// bytes per pair and about 9 for its name (names decide ties), that is 13 GB for the 310 M pairs of a 30x
/// human genome, kept below memory_bytes by spilling; one sort of the keys; and where names say where on a
/// flow cell a pair was read, 24 bytes twice per pair that has duplicates, which spill too. Throws
/// Error(disk_space) or Error(output_failed) for the spill file; by UMI Error(malformed_input) where a record
/// has none.
class Marker {
  public:
    explicit Marker(std::vector<data::ReadGroup> read_groups, MarkerOptions options = {});
    ~Marker();
    void add(const data::RecordBatch& batch);
    /// Instead of add(), for records that come in any order, the mates of a template in different batches:
    /// each record has a template ordinal of its own, ascending, and the decision is by record. Mates are
    /// found by name. `groups`: of each record the index of its read group; one that there is not has the
    /// first one's library. A mate that is not there counts as half a pair. Not thread-safe. Cost on top: 16
    /// bytes per pair, 56 per record whose mate is far away, and 12 MB that do not spill.
    void add_records(const data::RecordBatch& batch, std::span<const uint16_t> groups);
    /// As those of sort::Sorter: before decide(), and not while add() runs.
    void save(data::StateWriter& state);
    void restore(data::StateReader& state, unsigned threads, uint64_t templates);
    Decision decide(unsigned threads = 1);
    uint64_t spilled_bytes() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The flags of a record of the input ordinal, with 0x400 if apply() would set it.
uint16_t marked_flags(const Decision& decision, uint64_t ordinal, uint16_t flags);

/// Sets flag 0x400 in the bytes and entries of a sorted bucket: primary mapped records of duplicate
/// templates, as samtools markdup.
void apply(const Decision& decision, sort::SortedBucket& bucket);
/// Takes the flag of a duplicate from all records, and the tags in which Picard and samtools (1.16) say of
/// what kind, of which set or of which read a duplicate is (DT, DI, DS; dt, do).
void clear_marks(data::RecordBatch& batch);

/// The text that Picard's MarkDuplicates writes as METRICS_FILE (MultiQC reads it).
std::string metrics_text(const Decision& decision, const std::string& command_line);

}  // namespace gannet::align::duplicates
