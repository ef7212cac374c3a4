// SPDX-License-Identifier: MIT
// Provides writing of BAM from finished blocks with its index, and of SAM, BAM and CRAM through htslib.
#include "data/bam/writer.hpp"

#include "data/bam/cram_containers.hpp"
#include "data/bam/htslib_file.hpp"
#include "data/bam/htslib_records.hpp"
#include "data/bgzf/block.hpp"
#include "data/error.hpp"
#include "data/fasta/faidx_check.hpp"
#include "data/fasta/reader.hpp"
#include "data/input_stream.hpp"
#include "data/output_file.hpp"
#include "data/output_pipe.hpp"

#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>
#include <utility>

namespace gannet::data::bam {
namespace {

struct HeaderDeleter {
    void operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }
};
using HeaderPointer = std::unique_ptr<sam_hdr_t, HeaderDeleter>;

struct IndexDeleter {
    void operator()(hts_idx_t* index) const { hts_idx_destroy(index); }
};

HeaderPointer parse_header(const std::string& text) {
    quiet_htslib();
    HeaderPointer header(sam_hdr_parse(text.size(), text.c_str()));
    if (!header || sam_hdr_count_lines(header.get(), "HD") < 0) {
        throw Error(ErrorKind::internal, "the SAM header made is not valid");
    }
    return header;
}

/// 0 for BAI; else the levels of a CSI index with 14-bit bins that holds the longest contig.
int csi_levels(sam_hdr_t* header) {
    hts_pos_t longest = 0;
    for (int i = 0; i < sam_hdr_nref(header); ++i) longest = std::max(longest, sam_hdr_tid2len(header, i));
    if (longest <= hts_pos_t{1} << 29) return 0;
    int levels = 0;
    for (hts_pos_t reach = hts_pos_t{1} << 14; longest + 256 > reach; reach <<= 3) ++levels;
    return levels;
}

void put_word(std::vector<uint8_t>& bytes, uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

/// The uncompressed head of a BAM file (SAM specification 4.2).
std::vector<uint8_t> head_of_bam(const std::string& text, sam_hdr_t* header) {
    std::vector<uint8_t> bytes = {'B', 'A', 'M', 1};
    put_word(bytes, static_cast<uint32_t>(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
    const int contigs = sam_hdr_nref(header);
    put_word(bytes, static_cast<uint32_t>(contigs));
    for (int i = 0; i < contigs; ++i) {
        const std::string name = sam_hdr_tid2name(header, i);
        put_word(bytes, static_cast<uint32_t>(name.size() + 1));
        bytes.insert(bytes.end(), name.c_str(), name.c_str() + name.size() + 1);
        put_word(bytes, static_cast<uint32_t>(sam_hdr_tid2len(header, i)));
    }
    return bytes;
}

}  // namespace

struct IndexedBamWriter::State {
    OutputFile file;
    std::string index_path;
    std::optional<PartialFile> index_file;
    std::unique_ptr<hts_idx_t, IndexDeleter> index;
    int index_format = HTS_FMT_BAI;
    uint64_t offset = 0;  ///< of the next block in the file

    explicit State(const std::string& path) : file(path) {}
};

IndexedBamWriter::IndexedBamWriter(const std::string& path, const std::string& header_text, int level,
                                   bool build_index)
    : state_(std::make_unique<State>(path)) {
    State& s = *state_;
    const HeaderPointer header = parse_header(header_text);
    bgzf::BlockCompressor compressor(level, bgzf::BlockBytes::on_this_machine);
    std::vector<uint8_t> blocks;
    const std::vector<uint8_t> head = head_of_bam(header_text, header.get());
    for (size_t at = 0; at < head.size(); at += bgzf::k_max_payload_bytes) {
        compressor.append({head.data() + at, std::min(bgzf::k_max_payload_bytes, head.size() - at)}, blocks);
    }
    s.file.write(blocks);
    s.offset = blocks.size();
    if (s.file.in_place() || !build_index) return;
    const int levels = csi_levels(header.get());
    s.index_format = levels == 0 ? HTS_FMT_BAI : HTS_FMT_CSI;
    s.index_path = path + (levels == 0 ? ".bai" : ".csi");
    s.index_file.emplace(s.index_path);
    s.index.reset(hts_idx_init(sam_hdr_nref(header.get()), s.index_format, s.offset << 16, 14,
                               levels == 0 ? 5 : levels));
    if (!s.index) throw std::bad_alloc();
}

IndexedBamWriter::~IndexedBamWriter() = default;

const std::string& IndexedBamWriter::index_path() const { return state_->index_path; }

uint64_t IndexedBamWriter::place(const PackedRecords& packed) {
    State& s = *state_;
    if (s.file.in_place()) s.file.write(packed.blocks);
    if (s.index) {
        for (const PackedRecords::IndexEntry& entry : packed.index) {
            const uint64_t end = (s.offset + packed.block_begin[entry.block]) << 16 | entry.block_offset;
            if (hts_idx_push(s.index.get(), entry.contig, entry.begin, entry.end, end, entry.mapped) < 0) {
                throw Error(ErrorKind::internal, s.file.path() + ": records reach the writer out of order");
            }
        }
    }
    return std::exchange(s.offset, s.offset + packed.blocks.size());
}

void IndexedBamWriter::write_at(const PackedRecords& packed, uint64_t offset) const {
    if (!state_->file.in_place()) state_->file.write_at(packed.blocks, offset);
}

void IndexedBamWriter::close() {
    State& s = *state_;
    if (s.file.in_place()) {
        s.file.write(bgzf::k_end_of_file);
    } else {
        s.file.write_at(bgzf::k_end_of_file, s.offset);
    }
    if (!s.index) {
        s.file.commit();
        return;
    }
    errno = 0;
    if (hts_idx_finish(s.index.get(), s.offset << 16) < 0 ||
        hts_idx_save_as(s.index.get(), nullptr, s.index_file->name_to_open().c_str(), s.index_format) < 0) {
        throw_output_failed(s.index_path, errno);
    }
    s.file.commit(&*s.index_file);
}

struct RecordWriter::State {
    OutputFile output;
    std::optional<PartialFile> index_file;
    std::string index_name;  ///< htslib keeps a pointer to it
    std::string reference;   ///< of CRAM
    bool is_text = false;
    std::optional<OutputPipe> pipe;  ///< of CRAM
    HeaderPointer header;
    htsFile* file = nullptr;  ///< has a descriptor of its own, of `output` or `pipe`
    bam1_t* record = nullptr;

    explicit State(const std::string& path) : output(path) {}
    ~State() {
        if (record != nullptr) bam_destroy1(record);
        if (file != nullptr) hts_close(file);
    }
    void open(Format format);
    void check_reference_was_read() const;
    /// The failure of the pipe where there is one, else that of htslib.
    [[noreturn]] void fail(const std::string& path) const {
        const int error = errno;
        if (pipe) pipe->check();
        throw_output_failed(path, error);
    }
};

/// Where htslib cannot read the reference it writes the bases into the file instead, and reports success.
void RecordWriter::State::check_reference_was_read() const {
    bool was_read = true;
    try {
        CramContainers containers(output.name_to_open(), output.path());
        while (const auto container = containers.next()) was_read &= containers.needs_reference(*container);
    } catch (const Error& fault) {
        throw Error(ErrorKind::output_failed, fault.what());
    }
    if (!was_read) throw_malformed(reference, "could not be read while " + output.path() + " was written");
}

void RecordWriter::State::open(Format format) {
    const char* mode = format == Format::sam ? "w" : format == Format::bam ? "wb" : "wc";
    errno = 0;
    if (format == Format::cram) pipe.emplace(output);
    const int descriptor = pipe ? pipe->take_writing_end() : fcntl(output.descriptor(), F_DUPFD_CLOEXEC, 3);
    if (descriptor < 0) throw_output_failed(output.path(), errno);
    hFILE* const stream = hdopen(descriptor, "w");
    if (stream == nullptr) {
        ::close(descriptor);
        throw std::bad_alloc();
    }
    file = hts_hopen(stream, output.path().c_str(), mode);
    if (file == nullptr) {
        hclose_abruptly(stream);
        throw_output_failed(output.path(), errno);
    }
}

RecordWriter::RecordWriter(const std::string& path, Format format, const std::string& header_text,
                           const std::string& reference_path, int threads, bool build_index)
    : state_(std::make_unique<State>(path)) {
    State& s = *state_;
    s.header = parse_header(header_text);
    s.record = bam_init1();
    if (s.record == nullptr) throw std::bad_alloc();
    s.open(format);
    s.is_text = format == Format::sam;
    if (format == Format::cram) {
        use_local_references_only();
        fasta::require_faidx(reference_path);
        fasta::check_faidx(reference_path);
        s.reference = reference_path;
        hts_set_opt(s.file, CRAM_OPT_VERSION, "3.0");
        if (hts_set_fai_filename(s.file, reference_path.c_str()) != 0) {
            throw Error(ErrorKind::reference_mismatch,
                        reference_path + ": cannot be used as the reference of CRAM");
        }
    }
    if (threads > 1) hts_set_threads(s.file, threads);
    if (sam_hdr_write(s.file, s.header.get()) < 0) s.fail(path);
    if (!build_index || s.output.in_place() || format == Format::sam) return;
    const int levels = csi_levels(s.header.get());
    s.index_file.emplace(path + (format == Format::cram ? ".crai" : levels == 0 ? ".bai" : ".csi"));
    s.index_name = s.index_file->name_to_open();
    if (sam_idx_init(s.file, s.header.get(), levels == 0 ? 0 : 14, s.index_name.c_str()) < 0) {
        s.fail(s.index_file->path());
    }
}

RecordWriter::~RecordWriter() = default;

void RecordWriter::write(RecordView record) {
    State& s = *state_;
    to_htslib(record, *s.record);
    if (s.is_text) expand_long_cigar(*s.record);
    errno = 0;
    if (sam_write1(s.file, s.header.get(), s.record) < 0) s.fail(s.output.path());
    if (s.pipe) s.pipe->check();
}

void RecordWriter::close() {
    State& s = *state_;
    errno = 0;
    if (s.index_file && sam_idx_save(s.file) < 0) s.fail(s.index_file->path());
    if (hts_close(std::exchange(s.file, nullptr)) < 0) s.fail(s.output.path());
    if (s.pipe) s.pipe->finish();
    if (!s.reference.empty() && !s.output.in_place()) s.check_reference_was_read();
    s.output.commit(s.index_file ? &*s.index_file : nullptr);
}

}  // namespace gannet::data::bam
