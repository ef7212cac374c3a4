// SPDX-License-Identifier: MIT
// Provides reading of unaligned SAM, BAM and CRAM through htslib.
#include "data/fastq/alignment_lane.hpp"

#include "data/bam/htslib_file.hpp"
#include "data/bam/htslib_records.hpp"
#include "data/equal_bases.hpp"
#include "data/error.hpp"
#include "data/fastq/encoding.hpp"
#include "data/fastq/letters.hpp"
#include "data/file_state.hpp"
#include "data/sam_tags.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/sam.h>

#include <algorithm>
#include <new>
#include <span>
#include <string_view>
#include <utility>

namespace gannet::data::fastq {
namespace {

constexpr uint16_t k_not_primary = BAM_FSECONDARY | BAM_FSUPPLEMENTARY;

class AlignmentLane final : public LaneReader {
  public:
    AlignmentLane(std::unique_ptr<InputStream> stream, uint32_t read_group, BatchPolicy policy)
        : LaneReader(policy), name_(stream->name()), read_group_(read_group) {
        bam::use_local_references_only();
        state_ = FileState::of(name_);
        hFILE* raw = stream->release();
        file_ = bam::open_with_small_header(raw, name_);
        if (file_ == nullptr) throw_malformed(name_, "cannot be read as SAM, BAM or CRAM");
        try {
            end_marker_seen_ = bam::require_end_marker(*file_, name_);
            header_ = bam::read_header(*file_, name_);
            bam::forget_reference_files(*file_);
            record_ = bam_init1();
            if (record_ == nullptr) throw std::bad_alloc();
            find_read_group();
        } catch (...) {
            release();
            throw;
        }
    }
    ~AlignmentLane() override { release(); }

    ReadGroup embedded_read_group() const override { return embedded_; }
    uint64_t position_bytes() const override {
        return file_->is_bgzf ? static_cast<uint64_t>(bgzf_tell(file_->fp.bgzf)) >> 16 : 0;
    }

    size_t cut(TextBatch& text, ReadBatch& batch, size_t most_templates) override {
        text.clear();
        batch.clear();
        batch.read_group = read_group_;
        if (most_templates == 0 || (!pending_ && !advance())) return 0;
        batch.paired = (record_->core.flag & BAM_FPAIRED) != 0;
        if (records_seen_any_ && batch.paired != paired_) {
            throw_malformed(name_, records_,
                            "paired and single reads are mixed: split them (samtools view -f 1)");
        }
        paired_ = batch.paired;
        records_seen_any_ = true;
        while (batch.bases.size() < policy_.bases && batch.templates() < most_templates &&
               (pending_ || advance())) {
            if (((record_->core.flag & BAM_FPAIRED) != 0) != paired_) break;
            append_template(batch);
        }
        return batch.templates();
    }
    void parse(const TextBatch&, ReadBatch&) const override {}

  private:
    void release() {
        if (record_ != nullptr) bam_destroy1(record_);
        if (header_ != nullptr) sam_hdr_destroy(header_);
        if (file_ != nullptr) hts_close(file_);
    }

    void find_read_group() {
        const std::vector<ReadGroup> groups = bam::read_groups_of(header_, name_);
        if (groups.size() > 1) {
            throw_malformed(name_, "holds " + std::to_string(groups.size()) +
                                       " read groups: split it by read group (samtools split)");
        }
        if (!groups.empty()) embedded_ = groups.front();
    }

    /// The next primary record into record_.
    bool advance() {
        for (;;) {
            const int result = sam_read1(file_, header_, record_);
            if (result == -1) {
                if (!end_marker_seen_) bam::require_end_marker_was_read(*file_, name_);
                state_.require_unchanged(name_, FileState::of(name_));
                if (reads_ < EncodingCheck::k_reads) check_encoding();
                return false;
            }
            if (result < -1) {
                const bool cram = hts_get_format(file_)->format == ::cram;
                throw_malformed(name_, records_ + 1,
                                cram ? "cannot be decoded: the reference that the file was made with is "
                                       "needed (in REF_PATH or REF_CACHE), or the file is damaged"
                                     : "is damaged, or the file is cut inside it");
            }
            ++records_;
            if ((record_->core.flag & k_not_primary) == 0) break;
        }
        pending_ = true;
        return true;
    }

    void append_template(ReadBatch& batch) {
        const std::string_view name = bam_get_qname(record_);
        if (name.empty() || name == "*") throw_malformed(name_, records_, "has no name");
        const size_t size = size_t{record_->core.l_qname} - record_->core.l_extranul - 1;
        if (name.size() != size ||
            std::any_of(name.begin(), name.end(), [](char c) { return c < '!' || c > '~'; }))
            throw_malformed(name_, records_, "its name holds an unprintable character");
        batch.names.insert(batch.names.end(), name.begin(), name.end());
        batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
        const bool second_first = (record_->core.flag & BAM_FREAD2) != 0;
        append_read(batch);
        pending_ = false;
        if (!paired_) return;
        if (!advance() || bam_get_qname(record_) != batch.name(batch.templates() - 1)) {
            throw_malformed(name_, records_,
                            "the mate of '" + std::string(batch.name(batch.templates() - 1)) +
                                "' does not follow it: group the records by name (samtools collate)");
        }
        const bool second_second = (record_->core.flag & BAM_FREAD2) != 0;
        if (second_first == second_second) {
            throw_malformed(name_, records_,
                            "two records of '" + std::string(bam_get_qname(record_)) +
                                "' are the same mate: their flags should say first and second");
        }
        append_read(batch);
        pending_ = false;
        if (second_first) swap_mates(batch);
    }

    void append_read(ReadBatch& batch) {
        const auto length = static_cast<size_t>(record_->core.l_qseq);
        const size_t begin = batch.bases.size();
        batch.bases.resize(begin + length);
        batch.qualities.resize(begin + length);
        const uint8_t* nibbles = bam_get_seq(record_);
        const uint8_t* qualities = bam_get_qual(record_);
        if (length != 0 && qualities[0] == 0xff) throw_malformed(name_, records_, "has no qualities");
        if (has_equal_base({nibbles, (length + 1) / 2}, length))
            throw_malformed(name_, records_, "has '=' in place of bases (samtools calmd -e writes it)");
        Base* bases = batch.bases.data() + begin;
        for (size_t i = 0; i < length; ++i) bases[i] = k_base_of_nibble[bam_seqi(nibbles, i)];
        std::copy_n(qualities, length, batch.qualities.data() + begin);
        check_qualities({qualities, length});
        if ((record_->core.flag & BAM_FREVERSE) != 0) {
            std::reverse(bases, bases + length);
            for (size_t i = 0; i < length; ++i) bases[i] = complement(bases[i]);
            std::reverse(batch.qualities.begin() + static_cast<std::ptrdiff_t>(begin), batch.qualities.end());
        }
        batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
        if (batch.tag_offset.empty()) batch.tag_offset.push_back(0);
        if (!append_carried_tags({bam_get_aux(record_), static_cast<size_t>(bam_get_l_aux(record_))},
                                 batch.tags))
            throw_malformed(name_, records_, "its optional fields are damaged");
        batch.tag_offset.push_back(static_cast<uint32_t>(batch.tags.size()));
        const bool failed = (record_->core.flag & BAM_FQCFAIL) != 0;
        if (failed) batch.failed_filter.resize(batch.reads() - 1);
        if (failed || !batch.failed_filter.empty()) batch.failed_filter.push_back(failed ? 1 : 0);
        check_read_group();
    }

    /// All records are of one read group: that of the header where it has one, otherwise that of the first.
    void check_read_group() {
        const uint8_t* const tag = bam_aux_get(record_, "RG");
        const char* const given = tag == nullptr ? nullptr : bam_aux2Z(tag);
        if (given == nullptr) return;
        if (group_of_records_.empty()) group_of_records_ = embedded_.id.empty() ? given : embedded_.id;
        if (group_of_records_ == given) return;
        throw_malformed(name_, records_,
                        "is of read group " + std::string(given).substr(0, 100) + ", others of " +
                            group_of_records_ + ": split the file by read group (samtools split)");
    }

    void check_qualities(std::span<const uint8_t> qualities) {
        uint8_t lowest = k_max_phred;
        uint8_t highest = 0;
        for (const uint8_t quality : qualities) {
            lowest = std::min(lowest, quality);
            highest = std::max(highest, quality);
        }
        if (highest > k_max_phred) throw_malformed(name_, records_, "has a quality above 93");
        encoding_.add(qualities.size(), static_cast<uint8_t>(lowest + k_phred_offset),
                      static_cast<uint8_t>(highest + k_phred_offset));
        if (++reads_ == EncodingCheck::k_reads) check_encoding();
    }

    void check_encoding() const {
        if (encoding_.is_phred_64()) throw_malformed(name_, records_, encoding_.cause());
    }

    /// The file gave mate 2 first.
    static void swap_mates(ReadBatch& batch) {
        const size_t reads = batch.reads();
        const uint32_t begin = batch.base_offset[reads - 2];
        const uint32_t middle = batch.base_offset[reads - 1];
        const uint32_t end = batch.base_offset[reads];
        std::rotate(batch.bases.begin() + begin, batch.bases.begin() + middle, batch.bases.begin() + end);
        std::rotate(batch.qualities.begin() + begin, batch.qualities.begin() + middle,
                    batch.qualities.begin() + end);
        batch.base_offset[reads - 1] = begin + (end - middle);
        const uint32_t first_tag = batch.tag_offset[reads - 2];
        const uint32_t middle_tag = batch.tag_offset[reads - 1];
        std::rotate(batch.tags.begin() + first_tag, batch.tags.begin() + middle_tag, batch.tags.end());
        batch.tag_offset[reads - 1] = first_tag + (batch.tag_offset[reads] - middle_tag);
        if (!batch.failed_filter.empty())
            std::swap(batch.failed_filter[reads - 2], batch.failed_filter[reads - 1]);
    }

    std::string name_;
    uint32_t read_group_;
    htsFile* file_ = nullptr;
    sam_hdr_t* header_ = nullptr;
    bam1_t* record_ = nullptr;
    ReadGroup embedded_;
    std::string group_of_records_;
    uint64_t records_ = 0;
    uint64_t reads_ = 0;
    EncodingCheck encoding_;
    FileState state_;  ///< when it was opened
    bool end_marker_seen_ = false;
    bool pending_ = false;
    bool records_seen_any_ = false;
    bool paired_ = false;
};

}  // namespace

std::unique_ptr<LaneReader> open_alignment_lane(std::unique_ptr<InputStream> stream, uint32_t read_group,
                                                BatchPolicy policy) {
    return std::make_unique<AlignmentLane>(std::move(stream), read_group, policy);
}

}  // namespace gannet::data::fastq
