// SPDX-License-Identifier: MIT
// Provides chunks of sorted records from buckets and from alignment files.
#include "pipeline/stages/chunk_source.hpp"

#include "data/equal_bases.hpp"
#include "data/error.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace gannet::pipeline::stages {
namespace {

using data::Region;

/// Bytes that are read at a time from a file without an index.
constexpr size_t k_sequential_bytes = 8u << 20;
/// A chunk of a file that grows beyond it is thinned. At 30x a chunk has 15 MB.
constexpr uint64_t k_thinning_bytes = 32u << 20;

/// Bytes that visit() reads at a time.
constexpr size_t k_visited_bytes = 2u << 20;

constexpr uint16_t k_not_counted =
    data::k_flag_unmapped | data::k_flag_secondary | data::k_flag_supplementary;
constexpr uint8_t k_no_quality = 0xff;

bool is_spliced(const data::RecordView& record) {
    for (size_t i = 0; i < record.cigar_count(); ++i)
        if (data::cigar_op(record.cigar(i)) == data::k_cigar_skip) return true;
    return false;
}

/// What must be read so that every window that overlaps a region sees all its reads: whole grid cells and
/// their padding.
std::vector<Region> stretches(const data::RegionSet& regions, const data::Reference& reference) {
    std::vector<Region> wide;
    for (const Region& region : regions.regions()) {
        const int64_t length = static_cast<int64_t>(reference.contigs()[region.contig].length);
        const int64_t begin = region.begin / variants::k_window_bp * variants::k_window_bp;
        const int64_t end =
            (region.end + variants::k_window_bp - 1) / variants::k_window_bp * variants::k_window_bp;
        wide.push_back({region.contig, std::max<int64_t>(0, begin - variants::k_window_padding_bp),
                        std::min(length, end + variants::k_window_padding_bp)});
    }
    return data::RegionSet(std::move(wide)).regions();
}

bool same_order(const std::vector<data::bam::HeaderContig>& contigs, const data::Reference& reference) {
    int64_t last = -1;
    for (const data::bam::HeaderContig& contig : contigs) {
        const auto found = reference.find(contig.name);
        if (found && static_cast<int64_t>(*found) <= last) return false;
        if (found) last = *found;
    }
    return true;
}

}  // namespace

bool BucketSource::visit(std::span<const Region> windows, unsigned threads, const VisitRecord& visit) {
    data::for_each_index(threads, windows.size(), [&](size_t i) {
        sorter_.visit(windows[i].contig, windows[i].begin, windows[i].end,
                      [&](const data::RecordView& record, uint64_t ordinal) {
                          const uint16_t flags = record.flag();
                          visit(i, record,
                                decision_ == nullptr
                                    ? flags
                                    : align::duplicates::marked_flags(*decision_, ordinal, flags));
                      });
    });
    return true;
}

bool BucketSource::next(ChunkTask& task) {
    if (next_ >= sorter_.buckets()) return false;
    if (next_part_ == 0) parts_ = sorter_.parts(next_);
    task.index = next_;
    task.part = next_part_;
    if (++next_part_ == parts_) {
        ++next_;
        next_part_ = 0;
    }
    return true;
}

void BucketSource::load(ChunkTask& task) {
    task.chunk = pool_.take();
    align::sort::SortedBucket bucket;
    bucket.bytes = std::move(task.chunk->bytes);
    bucket.entries = std::move(task.chunk->entries);
    sorter_.load(task.index, task.part, bucket);
    if (decision_ != nullptr) align::duplicates::apply(*decision_, bucket);
    task.chunk->bytes = std::move(bucket.bytes);
    task.chunk->entries = std::move(bucket.entries);
    duplicates_ += static_cast<uint64_t>(std::count_if(
        task.chunk->entries.begin(), task.chunk->entries.end(),
        [](const data::RecordEntry& entry) { return (entry.flag & data::k_flag_duplicate) != 0; }));
}

bool BucketSource::expected_records(uint64_t& records) const {
    records = sorter_.records();
    return true;
}

BamSource::BamSource(std::string path, std::string reference_path,
                     std::shared_ptr<const data::Reference> reference, const data::RegionSet& regions,
                     const std::string& sample)
    : path_(std::move(path)),
      reference_(std::move(reference)),
      first_(data::bam::Reader::open(path_, reference_path)) {
    first_->check_reference(*reference_);
    filter_ = std::make_unique<SampleFilter>(first_->read_groups(), sample, path_);
    idle_.push_back(first_);
    if (!first_->has_index()) {
        if (!regions.empty()) {
            throw data::Error(data::ErrorKind::malformed_input,
                              path_ + ": has no index, which --regions needs: make one with samtools index");
        }
        if (!same_order(first_->contigs(), *reference_)) {
            throw data::Error(
                data::ErrorKind::reference_mismatch,
                path_ +
                    ": its contigs are not in the reference's order, and without an index it can only "
                    "be read from beginning to end: make one with samtools index");
        }
        sequential_ = true;
    } else if (regions.empty()) {
        std::unordered_set<std::string_view> of_file;
        for (const data::bam::HeaderContig& contig : first_->contigs()) of_file.insert(contig.name);
        for (uint32_t contig = 0; contig < reference_->contigs().size(); ++contig) {
            const data::Contig& ours = reference_->contigs()[contig];
            if (of_file.contains(ours.name)) cut({contig, 0, static_cast<int64_t>(ours.length)});
        }
    } else {
        for (const Region& stretch : stretches(regions, *reference_)) cut(stretch);
    }
}

std::vector<std::string> BamSource::alternate_contigs() const {
    std::vector<std::string> names;
    for (const data::bam::HeaderContig& contig : first_->contigs()) {
        if (contig.alternate) names.push_back(contig.name);
    }
    return names;
}

void BamSource::cut(const Region& stretch) {
    for (int64_t begin = stretch.begin; begin < stretch.end; begin += k_chunk_bp) {
        pieces_.push_back(
            {{stretch.contig, begin, std::min(begin + k_chunk_bp, stretch.end)}, begin == stretch.begin});
    }
}

std::shared_ptr<data::bam::Reader> BamSource::borrow() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
    }
    return first_->another();
}

void BamSource::give_back(std::shared_ptr<data::bam::Reader> reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
}

/// The chunk of the task, and a batch that is to be read into its memory.
data::RecordBatch BamSource::take_memory(ChunkTask& task) {
    task.chunk = pool_.take();
    task.chunk->left_out = 0;
    data::RecordBatch batch;
    batch.bytes = std::move(task.chunk->bytes);
    batch.entries = std::move(task.chunk->entries);
    return batch;
}

void BamSource::prepare(data::RecordBatch& batch) const {
    filter_->apply(batch);
    for (const data::RecordEntry& entry : batch.entries) {
        const data::RecordView record({batch.bytes.data() + entry.offset, entry.size_bytes});
        if (data::has_equal_base(record.nibbles(), record.read_length()))
            data::resolve_equal_bases({batch.bytes.data() + entry.offset, entry.size_bytes}, *reference_);
    }
}

void BamSource::put(data::RecordBatch& batch, ChunkTask& task) {
    prepare(batch);
    uint64_t mapped = 0;
    uint64_t without_qualities = 0;
    uint64_t spliced = 0;
    uint64_t duplicates = 0;
    for (size_t i = 0; i < batch.entries.size(); ++i) {
        if ((batch.entries[i].flag & k_not_counted) != 0) continue;
        const data::RecordView record = batch.view(i);
        ++mapped;
        if (record.read_length() == 0 || record.qualities()[0] == k_no_quality) ++without_qualities;
        if (is_spliced(record)) ++spliced;
        if ((batch.entries[i].flag & data::k_flag_duplicate) != 0) ++duplicates;
    }
    mapped_ += mapped;
    without_qualities_ += without_qualities;
    spliced_ += spliced;
    duplicates_ += duplicates;
    task.chunk->bytes = std::move(batch.bytes);
    task.chunk->entries = std::move(batch.entries);
}

bool BamSource::visit(std::span<const Region> windows, unsigned threads, const VisitRecord& visit) {
    std::error_code fault;
    if (!std::filesystem::is_regular_file(path_, fault)) return false;
    if (sequential_) {
        visit_file(windows, visit);
        return true;
    }
    data::for_each_index(threads, windows.size(), [&](size_t i) { visit_window(i, windows[i], visit); });
    return true;
}

void BamSource::visit_window(size_t window, const Region& region, const VisitRecord& visit) {
    auto reader = borrow();
    reader->seek(region, data::bam::RegionRecords::beginning);
    data::RecordBatch batch;
    while (reader->read(batch, k_visited_bytes)) {
        prepare(batch);
        for (size_t i = 0; i < batch.entries.size(); ++i) {
            const data::RecordEntry& entry = batch.entries[i];
            if (entry.position >= region.begin && entry.position < region.end)
                visit(window, batch.view(i), entry.flag);
        }
        batch.clear();
    }
    give_back(std::move(reader));
}

/// Of a file without an index: from its beginning to its end.
void BamSource::visit_file(std::span<const Region> windows, const VisitRecord& visit) {
    const auto reader = first_->another();
    data::RecordBatch batch;
    while (reader->read(batch, k_visited_bytes)) {
        prepare(batch);
        for (size_t i = 0; i < batch.entries.size(); ++i) {
            const data::RecordEntry& entry = batch.entries[i];
            if (entry.contig < 0) continue;
            const auto contig = static_cast<uint32_t>(entry.contig);
            const auto after = std::upper_bound(windows.begin(), windows.end(), entry,
                                                [contig](const data::RecordEntry& e, const Region& window) {
                                                    return std::pair(contig, int64_t{e.position}) <
                                                           std::pair(window.contig, window.begin);
                                                });
            if (after == windows.begin()) continue;
            const auto window = static_cast<size_t>(after - windows.begin()) - 1;
            if (windows[window].contig == contig && entry.position < windows[window].end)
                visit(window, batch.view(i), entry.flag);
        }
        batch.clear();
    }
}

bool BamSource::next_in_file(ChunkTask& task) {
    auto reader = borrow();
    data::RecordBatch batch = take_memory(task);
    const bool any = reader->read(batch, k_sequential_bytes);
    give_back(std::move(reader));
    if (!any) return false;
    task.index = next_++;
    put(batch, task);
    return true;
}

bool BamSource::next(ChunkTask& task) {
    if (sequential_) return next_in_file(task);
    if (next_ >= pieces_.size()) return false;
    task.index = next_++;
    return true;
}

void BamSource::load(ChunkTask& task) {
    if (sequential_) return;
    const Piece& piece = pieces_[task.index];
    auto reader = borrow();
    reader->seek(piece.region,
                 piece.first ? data::bam::RegionRecords::overlapping : data::bam::RegionRecords::beginning);
    data::RecordBatch batch = take_memory(task);
    variants::RecordChunk chunk;
    // A pile-up may be of any size: of its reads those are kept that calling can use.
    for (uint64_t limit = k_thinning_bytes; reader->read(batch, limit);) {
        if (batch.bytes.size() < limit) continue;
        filter_->apply(batch);  // reads of other samples do not count towards a pile-up
        chunk.bytes.swap(batch.bytes);
        chunk.entries.swap(batch.entries);
        variants::thin(chunk);
        chunk.bytes.swap(batch.bytes);
        chunk.entries.swap(batch.entries);
        limit = std::max(k_thinning_bytes, 2 * batch.bytes.size());
    }
    give_back(std::move(reader));
    if (!piece.first) {
        std::erase_if(batch.entries, [&piece](const data::RecordEntry& entry) {
            return entry.position < piece.region.begin;
        });
    }
    put(batch, task);
    task.chunk->left_out = chunk.left_out;
}

}  // namespace gannet::pipeline::stages
