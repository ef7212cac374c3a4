// SPDX-License-Identifier: MIT
// Provides sorted records in chunks, in genome order: from the sorter's buckets, or from an alignment file by
// region.
#pragma once

#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "data/bam/reader.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "pipeline/stages/chunk_pool.hpp"
#include "pipeline/stages/sample_filter.hpp"
#include "variants/reads/windows.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline::stages {

/// A chunk to be loaded. `next` numbers it, `load` fills `chunk`.
struct ChunkTask {
    size_t index = 0;
    size_t part = 0;  ///< of a bucket that is loaded in parts
    std::shared_ptr<variants::RecordChunk> chunk;
};

class ChunkSource {
  public:
    virtual ~ChunkSource() = default;
    /// Before the first next(): gives the records that begin in each of the windows, in any order, those of
    /// one window from one thread at a time. `windows`: sorted, without overlaps. False where the records can
    /// be read only once; then none is given.
    using VisitRecord = std::function<void(size_t window, const data::RecordView& record, uint16_t flags)>;
    virtual bool visit(std::span<const data::Region> windows, unsigned threads, const VisitRecord& visit) = 0;
    virtual bool next(ChunkTask& task) = 0;  ///< serial, cheap or prefetching; false at the end
    virtual void load(ChunkTask& task) = 0;  ///< parallel over tasks
    /// Records that all chunks together must hold, where that is known.
    virtual bool expected_records(uint64_t& records) const = 0;
    /// After the last load(): throws Error(malformed_input) where a file was changed while it was read.
    virtual void check_unchanged() const {}
    virtual uint64_t duplicates() const { return 0; }  ///< records that load() marked
    virtual size_t chunks() const { return 0; }        ///< in all; 0 where that is not known
};

/// The sorter's buckets, large ones in parts, with duplicates marked as they are loaded.
class BucketSource : public ChunkSource {
  public:
    BucketSource(align::sort::Sorter& sorter, const align::duplicates::Decision* decision)
        : sorter_(sorter), decision_(decision) {}
    bool visit(std::span<const data::Region> windows, unsigned threads, const VisitRecord& visit) override;
    bool next(ChunkTask& task) override;
    void load(ChunkTask& task) override;
    bool expected_records(uint64_t& records) const override;
    uint64_t duplicates() const override { return duplicates_; }
    size_t chunks() const override { return sorter_.buckets(); }

  private:
    align::sort::Sorter& sorter_;
    const align::duplicates::Decision* decision_;
    ChunkPool pool_;
    size_t next_ = 0;       ///< bucket
    size_t next_part_ = 0;  ///< of it
    size_t parts_ = 1;      ///< that it has
    std::atomic<uint64_t> duplicates_{0};
};

/// How many reference bases a chunk of a BAM covers. Memory policy only.
inline constexpr int64_t k_chunk_bp = 1 << 17;

/// The records of one sample. An indexed file is cut into chunks of the reference, each read by whichever
/// thread is free; without an index, the complete file is read in one pass. Records that begin before a chunk
/// belong to the chunk before it, but the first chunk of a stretch has them all.
class BamSource : public ChunkSource {
  public:
    /// `regions` empty: everything. `sample` empty: the file's only one. Throws what data::bam::Reader and
    /// SampleFilter throw, Error(malformed_input) when regions need an index that is missing.
    BamSource(std::string path, std::string reference_path, std::shared_ptr<const data::Reference> reference,
              const data::RegionSet& regions, const std::string& sample = "");
    bool visit(std::span<const data::Region> windows, unsigned threads, const VisitRecord& visit) override;
    bool next(ChunkTask& task) override;
    void load(ChunkTask& task) override;
    bool expected_records(uint64_t&) const override { return false; }
    void check_unchanged() const override { first_->check_unchanged(); }
    size_t chunks() const override { return sequential_ ? 0 : pieces_.size(); }

    /// The sample whose records these are; empty when neither the file nor the caller names one.
    const std::string& sample() const { return filter_->sample(); }
    /// Primary mapped records that were read, and those of them without base qualities; records at the ends
    /// of pieces may count twice.
    uint64_t mapped() const { return mapped_; }
    uint64_t without_qualities() const { return without_qualities_; }
    uint64_t spliced() const { return spliced_; }        ///< of the mapped ones, with skipped bases (CIGAR N)
    uint64_t duplicates() const { return duplicates_; }  ///< of the mapped ones, marked as such
    /// Names of the contigs that the header marks as alternate loci (@SQ AH).
    std::vector<std::string> alternate_contigs() const;

  private:
    struct Piece {
        data::Region region;
        bool first;  ///< of its stretch
    };
    std::shared_ptr<data::bam::Reader> borrow();
    void give_back(std::shared_ptr<data::bam::Reader> reader);
    void cut(const data::Region& stretch);
    bool next_in_file(ChunkTask& task);
    void visit_file(std::span<const data::Region> windows, const VisitRecord& visit);
    void visit_window(size_t window, const data::Region& region, const VisitRecord& visit);
    data::RecordBatch take_memory(ChunkTask& task);
    /// The records of the sample, '=' replaced by bases.
    void prepare(data::RecordBatch& batch) const;
    void put(data::RecordBatch& batch, ChunkTask& task);

    std::string path_;
    std::shared_ptr<const data::Reference> reference_;
    std::shared_ptr<data::bam::Reader> first_;  ///< the others are made from it
    std::unique_ptr<const SampleFilter> filter_;
    ChunkPool pool_;
    std::vector<Piece> pieces_;
    size_t next_ = 0;
    bool sequential_ = false;
    std::atomic<uint64_t> mapped_ = 0;
    std::atomic<uint64_t> without_qualities_ = 0;
    std::atomic<uint64_t> spliced_ = 0;
    std::atomic<uint64_t> duplicates_ = 0;
    std::mutex mutex_;
    std::vector<std::shared_ptr<data::bam::Reader>> idle_;
};

}  // namespace gannet::pipeline::stages
