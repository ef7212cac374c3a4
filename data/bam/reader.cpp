// SPDX-License-Identifier: MIT
// Provides reading of SAM, BAM and CRAM through htslib, with the checks that calling relies on.
#include "data/bam/reader.hpp"

#include "data/bam/htslib_records.hpp"
#include "data/error.hpp"
#include "data/input_stream.hpp"

#include <htslib/hts.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <utility>

namespace gannet::data::bam {
namespace {

class HtslibReader final : public Reader {
  public:
    HtslibReader(const std::string& path, const std::string& reference_path, int threads);
    ~HtslibReader() override { release(); }

    const std::vector<HeaderContig>& contigs() const override { return contigs_; }
    const std::vector<ReadGroup>& read_groups() const override { return read_groups_; }
    const std::string& header_text() const override { return header_text_; }
    bool has_index() const override { return index_ != nullptr; }
    void check_reference(const Reference& reference) override;
    void seek(const Region& region) override;
    void rewind() override;
    bool read(RecordBatch& batch, size_t max_bytes) override;

  private:
    void open(const std::string& reference_path, int threads);
    void open_file(const std::string& reference_path, int threads);
    void read_header_contigs();
    void release();
    bool next();
    void check_record();
    [[noreturn]] void refuse(const std::string& cause) const;
    int32_t mapped(int32_t contig) const {
        return contig < 0 || to_reference_.empty() ? contig : to_reference_[static_cast<size_t>(contig)];
    }

    std::string path_;
    std::string name_;
    std::string reference_path_;
    int threads_;
    htsFile* file_ = nullptr;
    sam_hdr_t* header_ = nullptr;
    hts_idx_t* index_ = nullptr;
    hts_itr_t* iterator_ = nullptr;
    bam1_t* record_ = nullptr;
    std::vector<HeaderContig> contigs_;
    std::vector<ReadGroup> read_groups_;
    std::string header_text_;
    std::vector<int32_t> to_reference_;
    bool region_is_empty_ = false;
    bool region_given_ = false;
    uint64_t records_ = 0;
    uint32_t last_contig_ = 0;  ///< as unsigned: records without a place come last
    int64_t last_position_ = -1;
};

HtslibReader::HtslibReader(const std::string& path, const std::string& reference_path, int threads)
    : path_(path), name_(path == "-" ? "stdin" : path), reference_path_(reference_path), threads_(threads) {
    quiet_htslib();
    try {
        open(reference_path, threads);
    } catch (...) {
        release();
        throw;
    }
}

void HtslibReader::release() {
    if (iterator_ != nullptr) hts_itr_destroy(iterator_);
    if (index_ != nullptr) hts_idx_destroy(index_);
    if (record_ != nullptr) bam_destroy1(record_);
    if (header_ != nullptr) sam_hdr_destroy(header_);
    if (file_ != nullptr) hts_close(file_);
}

void HtslibReader::open_file(const std::string& reference_path, int threads) {
    errno = 0;
    file_ = hts_open(path_.c_str(), "r");
    if (file_ == nullptr) {
        if (errno == ENOENT || errno == EACCES || errno == EISDIR) {
            throw Error(ErrorKind::malformed_input, name_ + ": cannot be opened: " + std::strerror(errno));
        }
        throw_malformed(name_, "cannot be read as SAM, BAM or CRAM");
    }
    const htsExactFormat format = hts_get_format(file_)->format;
    if (format != ::sam && format != ::bam && format != ::cram)
        throw_malformed(name_, "is not SAM, BAM or CRAM");
    if (format == ::cram) {
        // Unset, htslib would look for reference sequences on the network; ours is the one that is given.
        setenv("REF_PATH", "/nonexistent", 0);
        if (!reference_path.empty() && hts_set_fai_filename(file_, reference_path.c_str()) != 0) {
            throw Error(ErrorKind::reference_mismatch,
                        reference_path + ": cannot be used as the reference of " + name_);
        }
    }
    if (format != ::sam && hts_check_EOF(file_) == 0) {
        throw_malformed(name_, "truncated: its end-of-file marker is missing; copy or make it again");
    }
    if (threads > 1) hts_set_threads(file_, threads);
}

void HtslibReader::open(const std::string& reference_path, int threads) {
    open_file(reference_path, threads);
    header_ = sam_hdr_read(file_);
    if (header_ == nullptr) throw_malformed(name_, "its header is damaged or missing");
    record_ = bam_init1();
    if (record_ == nullptr) throw std::bad_alloc();
    const char* text = sam_hdr_str(header_);
    if (text == nullptr) throw_malformed(name_, "its header is not a SAM header");
    header_text_ = text;
    read_header_contigs();
    read_groups_ = read_groups_of(header_, name_);
    if (path_ != "-" && hts_get_format(file_)->format != ::sam) {
        index_ = sam_index_load3(file_, path_.c_str(), nullptr, HTS_IDX_SILENT_FAIL);
    }
}

void HtslibReader::read_header_contigs() {
    const int count = sam_hdr_nref(header_);
    if (count == 0)
        throw_malformed(name_,
                        "its header names no contig (@SQ): it is not aligned; give an aligned, sorted file");
    kstring_t md5 = {0, 0, nullptr};
    for (int i = 0; i < count; ++i) {
        HeaderContig contig{
            sam_hdr_tid2name(header_, i), static_cast<uint64_t>(sam_hdr_tid2len(header_, i)), {}};
        if (sam_hdr_find_tag_id(header_, "SQ", "SN", contig.name.c_str(), "M5", &md5) == 0)
            contig.md5.assign(md5.s, md5.l);
        contigs_.push_back(std::move(contig));
    }
    std::free(md5.s);
}

void HtslibReader::check_reference(const Reference& reference) {
    std::vector<int32_t> numbers;
    for (const HeaderContig& contig : contigs_) {
        const auto found = reference.find(contig.name);
        if (!found) {
            throw Error(ErrorKind::reference_mismatch,
                        name_ + ": " + unknown_contig_message(contig.name, reference));
        }
        const Contig& ours = reference.contigs()[*found];
        const std::string where = name_ + ": contig '" + contig.name + "' ";
        if (ours.length != contig.length) {
            throw Error(ErrorKind::reference_mismatch, where + "is " + std::to_string(contig.length) +
                                                           " bp long, but " + std::to_string(ours.length) +
                                                           " in " + reference.path() +
                                                           ": give the reference that it was aligned to");
        }
        if (!contig.md5.empty() && !ours.md5.empty() &&
            strcasecmp(contig.md5.c_str(), ours.md5.c_str()) != 0) {
            throw Error(ErrorKind::reference_mismatch, where + "has another sequence (MD5 " + contig.md5 +
                                                           ") than in " + reference.path() + " (" + ours.md5 +
                                                           "): give the reference that it was aligned to");
        }
        numbers.push_back(static_cast<int32_t>(*found));
    }
    to_reference_ = std::move(numbers);
}

void HtslibReader::seek(const Region& region) {
    if (index_ == nullptr) throw Error(ErrorKind::usage, name_ + ": has no index: make one (samtools index)");
    const auto wanted = static_cast<int32_t>(region.contig);
    int contig = -1;
    for (int i = 0; i < sam_hdr_nref(header_) && contig < 0; ++i) {
        if (mapped(i) == wanted) contig = i;
    }
    if (iterator_ != nullptr) hts_itr_destroy(iterator_);
    iterator_ = nullptr;
    region_given_ = true;
    region_is_empty_ = contig < 0 || region.end <= region.begin;
    last_contig_ = 0;
    last_position_ = -1;
    if (region_is_empty_) return;
    iterator_ = sam_itr_queryi(index_, contig, region.begin, region.end);
    if (iterator_ == nullptr) throw_malformed(name_, "its index is damaged: make it again (samtools index)");
}

void HtslibReader::rewind() {
    if (iterator_ != nullptr) hts_itr_destroy(iterator_);
    iterator_ = nullptr;
    region_given_ = region_is_empty_ = false;
    records_ = 0;
    last_contig_ = 0;
    last_position_ = -1;
    if (path_ == "-") throw Error(ErrorKind::usage, "standard input cannot be read twice");
    hts_close(std::exchange(file_, nullptr));
    sam_hdr_destroy(std::exchange(header_, nullptr));
    open_file(reference_path_, threads_);
    header_ = sam_hdr_read(file_);
    if (header_ == nullptr) throw_malformed(name_, "its header is damaged or missing");
}

void HtslibReader::refuse(const std::string& cause) const {
    if (!region_given_) throw_malformed(name_, records_, cause);
    throw_malformed(name_, std::string("record '") + bam_get_qname(record_) + "': " + cause);
}

bool HtslibReader::next() {
    if (region_is_empty_) return false;
    const int result =
        iterator_ != nullptr ? sam_itr_next(file_, iterator_, record_) : sam_read1(file_, header_, record_);
    if (result == -1) return false;
    if (result < -1) {
        if (region_given_) throw_malformed(name_, "is damaged or truncated, or its index is not its own");
        const bool cram = hts_get_format(file_)->format == ::cram;
        throw_malformed(name_, records_ + 1,
                        cram ? "cannot be decoded: the file is damaged, or the reference given is not the "
                               "one it was made with"
                             : "is damaged, or the file is cut inside it");
    }
    ++records_;
    return true;
}

void HtslibReader::check_record() {
    const bam1_core_t& core = record_->core;
    const auto contig = static_cast<uint32_t>(core.tid);
    if (core.tid < -1 || core.tid >= sam_hdr_nref(header_) || core.mtid < -1 ||
        core.mtid >= sam_hdr_nref(header_)) {
        refuse("is on a contig that the header does not name");
    }
    if (contig < last_contig_ || (contig == last_contig_ && core.tid >= 0 && core.pos < last_position_)) {
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
    while (batch.bytes.size() < max_bytes && next()) {
        check_record();
        append_from_htslib(*record_, mapped(record_->core.tid), mapped(record_->core.mtid), records_ - 1,
                           batch);
    }
    return batch.entries.size() != before;
}

}  // namespace

std::unique_ptr<Reader> Reader::open(const std::string& path, const std::string& reference_path,
                                     int threads) {
    return std::make_unique<HtslibReader>(path, reference_path, threads);
}

}  // namespace gannet::data::bam
