// SPDX-License-Identifier: MIT
// Provides reading of SAM, BAM and CRAM through htslib, with the checks that calling relies on.
#include "data/bam/reader.hpp"

#include "data/bam/cram_index.hpp"
#include "data/bam/htslib_file.hpp"
#include "data/bam/htslib_records.hpp"
#include "data/bam/offset_index.hpp"
#include "data/error.hpp"
#include "data/fasta/faidx_check.hpp"
#include "data/fasta/reader.hpp"
#include "data/file_state.hpp"
#include "data/input_stream.hpp"

#include <htslib/bgzf.h>
#include <htslib/cram.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace gannet::data::bam {
namespace {

constexpr int k_blocks_per_thread = 256;  // htslib's own number; of BGZF

class HtslibReader final : public Reader {
  public:
    /// `first`: a reader of the same file that has passed all checks; null for the first one.
    HtslibReader(const std::string& path, const std::string& reference_path, int threads, RecordOrder order,
                 const HtslibReader* first = nullptr);
    ~HtslibReader() override { release(); }

    std::unique_ptr<Reader> another() const override {
        return std::make_unique<HtslibReader>(path_, reference_path_, threads_, order_, this);
    }
    const std::vector<HeaderContig>& contigs() const override { return contigs_; }
    const std::vector<ReadGroup>& read_groups() const override { return read_groups_; }
    const std::string& header_text() const override { return header_text_; }
    bool has_index() const override { return offsets_ || cram_index_ != nullptr; }
    const OffsetIndex* offsets() const override { return offsets_.get(); }
    void check_reference(const Reference& reference) override;
    void seek(const Region& region, RegionRecords records) override;
    void rewind() override;
    void check_unchanged() const override;
    bool read(RecordBatch& batch, size_t max_bytes) override;

  private:
    void open(const HtslibReader* first);
    void open_file(bool first);
    void use_threads();
    void read_header_contigs();
    void load_index(const HtslibReader* first);
    void check_end_of_index();
    void check_cram_index(const CramIndex& index) const;
    void release();
    void seek_in_bam(int contig, RegionRecords records);
    void move_to(uint64_t offset);
    bool next();
    bool next_in_region();
    void check_text() const;
    void check_record();
    void check_index_point();
    [[noreturn]] void refuse_index(const std::string& cause) const;
    [[noreturn]] void refuse(const std::string& cause) const;
    int32_t mapped(int32_t contig) const {
        return contig < 0 || to_reference_.empty() ? contig : to_reference_[static_cast<size_t>(contig)];
    }

    std::string path_;
    std::string name_;
    std::string reference_path_;
    int threads_;
    RecordOrder order_;
    htsFile* file_ = nullptr;
    sam_hdr_t* header_ = nullptr;
    std::shared_ptr<const OffsetIndex> offsets_;  ///< of BAM
    hts_idx_t* cram_index_ = nullptr;
    hts_itr_t* iterator_ = nullptr;
    bam1_t* record_ = nullptr;
    std::vector<std::pair<std::string, FileState>> files_;  ///< as they were; of the first reader
    std::vector<HeaderContig> contigs_;
    std::vector<ReadGroup> read_groups_;
    std::string header_text_;
    std::vector<int32_t> to_reference_;
    std::vector<int32_t> of_reference_;  ///< the other way; -1: the file lacks the contig
    bool region_is_empty_ = false;
    bool region_given_ = false;
    int region_contig_ = -1;
    int64_t region_begin_ = 0;
    int64_t region_end_ = 0;
    bool end_marker_seen_ = false;
    bool pending_ = false;        ///< record_ was read by seek
    uint64_t record_offset_ = 0;  ///< of record_, in a region of a BAM
    OffsetIndex::Point claim_;    ///< what the index says of the region, to be checked by what is read
    uint64_t records_ = 0;
    uint32_t last_contig_ = 0;  ///< as unsigned: records without a position come last
    int64_t last_position_ = -1;
};

HtslibReader::HtslibReader(const std::string& path, const std::string& reference_path, int threads,
                           RecordOrder order, const HtslibReader* first)
    : path_(path),
      name_(path == "-" ? "stdin" : path),
      reference_path_(reference_path),
      threads_(threads),
      order_(order) {
    quiet_htslib();
    try {
        open(first);
    } catch (...) {
        release();
        throw;
    }
}

void HtslibReader::release() {
    if (iterator_ != nullptr) hts_itr_destroy(iterator_);
    if (cram_index_ != nullptr) hts_idx_destroy(cram_index_);
    if (record_ != nullptr) bam_destroy1(record_);
    if (header_ != nullptr) sam_hdr_destroy(header_);
    if (file_ != nullptr) hts_close(file_);
}

void HtslibReader::open_file(bool first) {
    errno = 0;
    if (hFILE* const raw = hopen(path_.c_str(), "r")) file_ = open_with_small_header(raw, name_);
    if (file_ == nullptr) {
        if (errno == ENOENT || errno == EACCES || errno == EISDIR || errno == EMFILE || errno == ENFILE)
            throw_cannot_open(name_, errno);
        throw_malformed(name_, "cannot be read as SAM, BAM or CRAM");
    }
    require_alignments(*file_, name_);
    const htsExactFormat format = hts_get_format(file_)->format;
    if (format == ::cram) {
        use_local_references_only();
        if (first && !reference_path_.empty()) {
            fasta::require_faidx(reference_path_);
            fasta::check_faidx(reference_path_);
        }
        if (!reference_path_.empty() && hts_set_fai_filename(file_, reference_path_.c_str()) != 0) {
            throw Error(ErrorKind::reference_mismatch,
                        reference_path_ + ": cannot be used as the reference of " + name_);
        }
    }
    end_marker_seen_ = require_end_marker(*file_, name_);
    use_threads();
}

/// Threads inflate blocks and decode CRAM. Those that htslib has for the text of SAM are not used: with them
/// reading was seen to wait for ever.
void HtslibReader::use_threads() {
    if (threads_ <= 1) return;
    const htsFormat& format = *hts_get_format(file_);
    int result = 0;
    if (format.format == ::cram)
        result = hts_set_threads(file_, threads_ - 1);
    else if (format.compression == ::bgzf)
        result = bgzf_mt(file_->fp.bgzf, threads_ - 1, k_blocks_per_thread);
    if (result != 0) throw std::bad_alloc();
}

void HtslibReader::check_unchanged() const {
    for (const auto& [path, state] : files_) state.require_unchanged(path, FileState::of(path));
}

void HtslibReader::open(const HtslibReader* first) {
    if (first == nullptr) files_.emplace_back(path_, FileState::of(path_));
    open_file(first == nullptr);
    header_ = read_header(*file_, name_);
    record_ = bam_init1();
    if (record_ == nullptr) throw std::bad_alloc();
    const char* text = sam_hdr_str(header_);
    if (text == nullptr) throw_malformed(name_, "its header is not a SAM header");
    header_text_ = text;
    if (sam_hdr_count_lines(header_, "HD") < 0) throw_malformed(name_, "its header is not a SAM header");
    read_header_contigs();
    forget_reference_files(*file_);
    read_groups_ = read_groups_of(header_, name_);
    if (first != nullptr) {
        to_reference_ = first->to_reference_;
        of_reference_ = first->of_reference_;
    }
    if (order_ == RecordOrder::by_coordinate) load_index(first);
}

void HtslibReader::load_index(const HtslibReader* first) {
    std::error_code fault;
    const htsFormat& format = *hts_get_format(file_);
    const bool cram = format.format == ::cram;
    const bool bam = format.format == ::bam && format.compression == ::bgzf;
    if (!(cram || bam) || !std::filesystem::is_regular_file(path_, fault)) return;
    if (first != nullptr && bam) {
        offsets_ = first->offsets_;
        return;
    }
    const std::string found = OffsetIndex::find(path_, cram);
    if (found.empty()) return;
    if (first == nullptr) {
        files_.emplace_back(found, FileState::of(found));
        if (cram) files_.emplace_back(reference_path_, FileState::of(reference_path_));
    }
    if (bam) {
        const auto first_record = static_cast<uint64_t>(bgzf_tell(file_->fp.bgzf));
        offsets_ = OffsetIndex::load(found, path_, contigs_.size(), first_record);
        check_end_of_index();
        move_to(first_record);
        return;
    }
    cram_index_ = sam_index_load3(file_, path_.c_str(), found.c_str(), HTS_IDX_SILENT_FAIL);
    if (cram_index_ == nullptr) throw_malformed(found, "cannot be read: make it again (samtools index)");
    if (first == nullptr) check_cram_index(CramIndex(found, path_, contigs_.size()));
}

/// What the headers of containers do not show: where the records of those lie that hold several contigs, and
/// whether the end of the file can be decoded.
void HtslibReader::check_cram_index(const CramIndex& index) const {
    const HtslibReader other(path_, reference_path_, 1, order_, this);
    const auto go_to = [&](int64_t offset) {
        if (offset > 0 && cram_seek(other.file_->fp.cram, offset, SEEK_SET) != 0)
            throw_malformed(index.path(),
                            "has an offset that is not in the file: make it again (samtools index)");
    };
    const auto next_is_listed = [&](int64_t container) {
        const int result = sam_read1(other.file_, other.header_, other.record_);
        if (result < -1) {
            throw_malformed(name_,
                            "cannot be decoded: the file is damaged, or the reference given is not the one "
                            "it was made with");
        }
        if (result < 0) return false;
        const bam1_core_t& core = other.record_->core;
        if (core.tid >= 0 && (core.flag & BAM_FUNMAP) == 0)
            index.require_listed(container, core.tid, core.pos);
        return true;
    };
    for (const CramContainer& container : index.mixed_containers()) {
        go_to(container.offset);
        for (int64_t i = 0; i < container.records; ++i) (void)next_is_listed(container.offset);
    }
    go_to(index.last_container());
    while (next_is_listed(index.last_container())) {
    }
}

/// What the index leaves out at the end of the file must be records without a position.
void HtslibReader::check_end_of_index() {
    move_to(offsets_->end());
    const int result = sam_read1(file_, header_, record_);
    if (result < -1) refuse_index("does not end where records end");
    if (result >= 0 && record_->core.tid >= 0) refuse_index("leaves records out");
}

void HtslibReader::move_to(uint64_t offset) {
    if (bgzf_seek(file_->fp.bgzf, static_cast<int64_t>(offset), SEEK_SET) != 0)
        refuse_index("has an offset that is not in the file");
}

void HtslibReader::refuse_index(const std::string& cause) const {
    throw_malformed(offsets_->path(),
                    cause + ": the index is damaged or not of " + name_ + "; make it again (samtools index)");
}

void HtslibReader::read_header_contigs() {
    const int count = sam_hdr_nref(header_);
    if (count == 0) throw_malformed(name_, "its header names no contig (@SQ): it is not aligned");
    kstring_t value = {0, 0, nullptr};
    for (int i = 0; i < count; ++i) {
        HeaderContig contig{
            sam_hdr_tid2name(header_, i), static_cast<uint64_t>(sam_hdr_tid2len(header_, i)), {}};
        const auto has = [&](const char* key) {
            return sam_hdr_find_tag_id(header_, "SQ", "SN", contig.name.c_str(), key, &value) == 0;
        };
        if (contig.length > k_max_contig_bp) {
            throw_malformed(name_, "contig '" + contig.name + "' is " + std::to_string(contig.length) +
                                       " bp long: no more than 2147483647 bp can be read");
        }
        if (has("M5")) contig.md5.assign(value.s, value.l);
        contig.alternate = has("AH");
        contigs_.push_back(std::move(contig));
    }
    std::free(value.s);
}

void HtslibReader::check_reference(const Reference& reference) {
    require_known_contigs(name_, contigs_, reference);
    std::vector<int32_t> numbers;
    for (const HeaderContig& contig : contigs_) {
        const auto found = reference.find(contig.name);
        const Contig& ours = reference.contigs()[*found];
        require_same_contig(name_, contig, reference.path(), ours.length, ours.md5);
        numbers.push_back(static_cast<int32_t>(*found));
    }
    of_reference_.assign(reference.contigs().size(), -1);
    for (size_t i = 0; i < numbers.size(); ++i)
        of_reference_[static_cast<size_t>(numbers[i])] = static_cast<int32_t>(i);
    to_reference_ = std::move(numbers);
}

void HtslibReader::seek(const Region& region, RegionRecords records) {
    if (!has_index()) throw Error(ErrorKind::usage, name_ + ": has no index: make one (samtools index)");
    int contig = static_cast<int>(region.contig);
    if (!to_reference_.empty())
        contig = region.contig < of_reference_.size() ? of_reference_[region.contig] : -1;
    if (contig >= sam_hdr_nref(header_)) contig = -1;
    if (iterator_ != nullptr) hts_itr_destroy(iterator_);
    iterator_ = nullptr;
    region_given_ = true;
    region_is_empty_ = contig < 0 || region.end <= region.begin;
    region_contig_ = contig;
    region_begin_ = region.begin;
    region_end_ = region.end;
    last_contig_ = 0;
    last_position_ = -1;
    pending_ = false;
    if (region_is_empty_) return;
    if (offsets_) {
        seek_in_bam(contig, records);
        return;
    }
    iterator_ = sam_itr_queryi(cram_index_, contig, region.begin, region.end);
    if (iterator_ == nullptr) throw_malformed(name_, "its index is damaged: make it again (samtools index)");
}

/// Looks for an offset from which reading gives all that is wanted, and reads the first record there.
void HtslibReader::seek_in_bam(int contig, RegionRecords records) {
    const OffsetIndex::Contig& index = offsets_->contig(static_cast<size_t>(contig));
    region_is_empty_ = index.empty;
    if (region_is_empty_) return;
    const auto after =
        std::upper_bound(index.points.begin(), index.points.end(), region_begin_,
                         [](int64_t position, const auto& p) { return position < p.position; });
    auto usable = static_cast<size_t>(after - index.points.begin());
    claim_ = {};
    if (records == RegionRecords::overlapping && usable != 0 && !offsets_->has_checksum()) {
        // Reading begins a window earlier, which shows whether the offset of this one is too high.
        claim_ = index.points[--usable];
    }
    for (size_t step = 1;; step *= 2) {
        const uint64_t offset = usable == 0 ? index.begin : index.points[usable - 1].offset;
        move_to(offset);
        last_contig_ = 0;
        last_position_ = -1;
        record_offset_ = offset;
        if (!next() || record_->core.tid != contig) refuse_index("leads to another contig");
        if (record_->core.pos < region_begin_ || offset == index.begin) break;
        // Windows without records have the offset of the next one that has some: all of them are passed at
        // once, or every region within a gap of coverage would be read from as far before the gap as it is
        // long.
        const auto same_offset =
            std::lower_bound(index.points.begin(), index.points.begin() + static_cast<std::ptrdiff_t>(usable),
                             offset, [](const auto& p, uint64_t wanted) { return p.offset < wanted; });
        usable = std::min(static_cast<size_t>(same_offset - index.points.begin()),
                          usable - std::min(usable, step));
    }
    pending_ = true;
}

void HtslibReader::rewind() {
    if (iterator_ != nullptr) hts_itr_destroy(iterator_);
    iterator_ = nullptr;
    region_given_ = region_is_empty_ = pending_ = false;
    records_ = 0;
    last_contig_ = 0;
    last_position_ = -1;
    if (path_ == "-") throw Error(ErrorKind::usage, "standard input cannot be read twice");
    hts_close(std::exchange(file_, nullptr));
    sam_hdr_destroy(std::exchange(header_, nullptr));
    open_file(false);
    header_ = read_header(*file_, name_);
    forget_reference_files(*file_);
}

void HtslibReader::refuse(const std::string& cause) const {
    if (!region_given_) throw_malformed(name_, records_, cause);
    throw_malformed(name_, std::string("record '") + bam_get_qname(record_) + "': " + cause);
}

bool HtslibReader::next() {
    const int result =
        iterator_ != nullptr ? sam_itr_next(file_, iterator_, record_) : sam_read1(file_, header_, record_);
    if (result == -1) {
        if (!end_marker_seen_) require_end_marker_was_read(*file_, name_);
        return false;
    }
    if (result < -1) {
        if (region_given_) throw_malformed(name_, "is damaged or truncated, or its index is of another file");
        const bool cram = hts_get_format(file_)->format == ::cram;
        if (cram && !reference_path_.empty()) require_contigs_of(reference_path_, contigs_, name_);
        if (cram && reference_path_.empty()) {
            throw_malformed(name_, records_ + 1,
                            "cannot be decoded: the reference that the file was made with is needed "
                            "(--reference), or the file is damaged");
        }
        throw_malformed(name_, records_ + 1,
                        cram ? "cannot be decoded: the file is damaged, or the reference given is not the "
                               "one it was made with"
                             : "is damaged, or the file is cut inside it");
    }
    ++records_;
    if (hts_get_format(file_)->format == ::sam) check_text();
    return true;
}

/// What the text of SAM may say and a record of BAM cannot hold. htslib takes a contig that the header lacks
/// for none; the fields of the line are still there, a zero behind some of them in place of the tab.
void HtslibReader::check_text() const {
    const bam1_core_t& core = record_->core;
    const auto position = static_cast<int64_t>(k_max_contig_bp);
    if (core.pos >= position || core.mpos >= position || std::abs(core.isize) > position)
        refuse("has a position or template length beyond 2147483647");
    if (core.tid >= 0 && core.mtid >= 0) return;
    const char* at = file_->line.s;
    for (int number = 1; number <= 7; ++number) {
        const std::string_view field(at, std::strcspn(at, "\t"));
        at += field.size() + 1;
        const bool unknown = (number == 3 && core.tid < 0) || (number == 7 && core.mtid < 0);
        if (!unknown || field == "*" || field == "=") continue;
        // A record at position 0 is unplaced, as htslib takes it (SAM, section 1.4).
        if (sam_hdr_name2tid(header_, std::string(field).c_str()) >= 0) continue;
        throw Error(ErrorKind::reference_mismatch, name_ + ": record " + std::to_string(records_) +
                                                       ": the header names no contig '" + std::string(field) +
                                                       "'");
    }
}

/// The next record of a region of a BAM: those that end before it are passed over.
bool HtslibReader::next_in_region() {
    for (;;) {
        if (!std::exchange(pending_, false)) {
            record_offset_ = static_cast<uint64_t>(bgzf_tell(file_->fp.bgzf));
            if (!next()) return false;
        }
        check_record();
        if (record_->core.tid != region_contig_ || record_->core.pos >= region_end_) return false;
        check_index_point();
        if (bam_endpos(record_) > region_begin_) return true;
    }
}

void HtslibReader::check_index_point() {
    if (record_offset_ >= claim_.offset || (record_->core.flag & BAM_FUNMAP) != 0) return;
    if (bam_endpos(record_) > claim_.position) refuse_index("has an offset that is too high");
}

void HtslibReader::check_record() {
    const bam1_core_t& core = record_->core;
    const auto contig = static_cast<uint32_t>(core.tid);
    if (core.tid < -1 || core.tid >= sam_hdr_nref(header_) || core.mtid < -1 ||
        core.mtid >= sam_hdr_nref(header_)) {
        refuse("is on a contig that the header does not name");
    }
    if (order_ == RecordOrder::by_coordinate &&
        (contig < last_contig_ || (contig == last_contig_ && core.tid >= 0 && core.pos < last_position_))) {
        refuse("comes before the one that precedes it: the file is not sorted by coordinate (samtools sort)");
    }
    last_contig_ = contig;
    last_position_ = core.pos;
    if ((core.flag & BAM_FUNMAP) != 0 || core.tid < 0) return;
    const uint32_t* cigar = bam_get_cigar(record_);
    const auto elements = static_cast<int>(core.n_cigar);
    if (core.pos < 0) refuse("is mapped but has no position");
    if (core.pos + bam_cigar2rlen(elements, cigar) > sam_hdr_tid2len(header_, core.tid)) {
        refuse(std::string("reaches past the end of contig '") + sam_hdr_tid2name(header_, core.tid) + "'");
    }
    if (elements > 0 && core.l_qseq > 0 && bam_cigar2qlen(elements, cigar) != core.l_qseq) {
        refuse("has a CIGAR of " + std::to_string(bam_cigar2qlen(elements, cigar)) + " bases on a read of " +
               std::to_string(core.l_qseq));
    }
}

bool HtslibReader::read(RecordBatch& batch, size_t max_bytes) {
    const size_t before = batch.entries.size();
    const bool by_offset = region_given_ && offsets_;
    while (batch.bytes.size() < max_bytes && !region_is_empty_ && (by_offset ? next_in_region() : next())) {
        if (!by_offset) check_record();
        append_from_htslib(*record_, mapped(record_->core.tid), mapped(record_->core.mtid), records_ - 1,
                           batch);
    }
    return batch.entries.size() != before;
}

}  // namespace

std::unique_ptr<Reader> Reader::open(const std::string& path, const std::string& reference_path, int threads,
                                     RecordOrder order) {
    return std::make_unique<HtslibReader>(path, reference_path, threads, order);
}

}  // namespace gannet::data::bam
