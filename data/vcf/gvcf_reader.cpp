// SPDX-License-Identifier: MIT
// Provides reading of gVCFs: lines by htslib's BGZF, and their columns.
#include "data/vcf/gvcf_reader.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/regions.hpp"
#include "data/vcf/gvcf_line.hpp"
#include "data/vcf/index_check.hpp"
#include "data/vcf/opening.hpp"

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <strings.h>
#include <utility>

namespace gannet::data::vcf {
namespace {

struct Close {
    void operator()(tbx_t* index) const { tbx_destroy(index); }
    void operator()(hts_idx_t* index) const { hts_idx_destroy(index); }
    void operator()(hts_itr_t* iterator) const { hts_itr_destroy(iterator); }
};
template <class T>
using Handle = std::unique_ptr<T, Close>;

/// The value of `key` in a line of the header, such as "##contig=<ID=chr1,length=10>".
std::string_view header_value(std::string_view line, std::string_view key) {
    for (size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
        if (at == 0 || (line[at - 1] != '<' && line[at - 1] != ',')) continue;
        const std::string_view rest = line.substr(at + key.size());
        return rest.substr(0, rest.find_first_of(",>"));
    }
    return {};
}

}  // namespace

struct GvcfReader::State {
    std::string path;
    const Reference& reference;
    std::string sample_name;
    std::string caller_model;
    bool is_bcf = false;
    bool is_plain = false;  ///< text without compression
    BGZF* text = nullptr;
    htsFile* binary = nullptr;
    bcf_hdr_t* header = nullptr;
    bcf1_t* record = nullptr;
    kstring_t line = {0, 0, nullptr};
    int64_t offset = -1;  ///< where the next record begins; -1: not suspended
    uint64_t number = 0;
    bool counted = true;  ///< false after a jump, which leaves the number of a record unknown
    bool ended = false;
    bool index_is_checked = false;
    uint32_t last_contig = 0;
    int64_t last_begin = -1;
    GvcfLineParser parser;

    State(const std::string& name, const Reference& genome)
        : path(name), reference(genome), parser(name, genome) {
        try {
            open_first();
        } catch (...) {
            release();
            throw;
        }
    }
    ~State() { release(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    [[noreturn]] void refuse(const std::string& cause) const { parser.refuse(number_for_messages(), cause); }
    uint64_t number_for_messages() const { return counted ? number : 0; }

    void release() {
        close_file();
        if (record != nullptr) bcf_destroy(record);
        if (header != nullptr) bcf_hdr_destroy(header);
        std::free(line.s);
    }
    void close_file() {
        if (text != nullptr) bgzf_close(std::exchange(text, nullptr));
        if (binary != nullptr) hts_close(std::exchange(binary, nullptr));
    }
    void open_first();
    void open_file();
    void read_text_header();
    void read_binary_header();
    void take_header_line(std::string_view text_line);
    void take_column_line(std::string_view text_line);
    BGZF* stream() { return is_bcf ? hts_get_bgzfp(binary) : text; }
    bool next_line();
    void jump(uint64_t virtual_offset);
};

void GvcfReader::State::open_file() {
    errno = 0;
    if (is_bcf) {
        binary = hts_open(path.c_str(), "r");
    } else {
        text = bgzf_open(path.c_str(), "r");
    }
    if (binary == nullptr && text == nullptr) throw_cannot_open(path, errno);
}

void GvcfReader::State::open_first() {
    is_bcf = require_variants(InputStream(path)) == InputStream::Variants::bcf;
    open_file();
    is_plain = bgzf_compression(stream()) == 0;
    if (bgzf_compression(stream()) == 1)
        throw_malformed(path, "is compressed by gzip: make it again with bgzip, which allows an index");
    if (is_bcf) {
        read_binary_header();
    } else {
        read_text_header();
    }
    if (sample_name.empty()) refuse_header(path);
}

void GvcfReader::State::take_header_line(std::string_view text_line) {
    constexpr std::string_view k_model = "##gannet_caller_model=";
    if (text_line.starts_with(k_model)) caller_model = std::string(text_line.substr(k_model.size()));
    if (!text_line.starts_with("##contig=<")) return;
    const std::string name(header_value(text_line, "ID="));
    const std::string length(header_value(text_line, "length="));
    const std::string md5(header_value(text_line, "md5="));
    const auto found = reference.find(name);
    if (!found) return;  // an error where a record is there
    const Contig& ours = reference.contigs()[*found];
    const auto refuse_contig = [&](const std::string& theirs, const std::string& of_reference) {
        throw Error(ErrorKind::reference_mismatch,
                    path + ": contig " + name + " has " + theirs + " in its header and " + of_reference +
                        " in " + reference.path() + "; give the reference that it was called on");
    };
    if (!length.empty() && length != std::to_string(ours.length))
        refuse_contig(length + " bp", std::to_string(ours.length));
    if (md5.size() == ours.md5.size() && strcasecmp(md5.c_str(), ours.md5.c_str()) != 0)
        refuse_contig("another sequence (MD5 " + md5 + ")", ours.md5);
}

void GvcfReader::State::take_column_line(std::string_view text_line) {
    size_t columns = 0;
    std::string_view last;
    for (size_t at = 0; at <= text_line.size(); ++columns) {
        const size_t end = std::min(text_line.find('\t', at), text_line.size());
        last = text_line.substr(at, end - at);
        at = end + 1;
    }
    if (columns != 10) {
        throw Error(ErrorKind::usage,
                    path + ": has " + std::to_string(columns < 10 ? 0 : columns - 9) +
                        " samples: joint takes gVCFs of one sample each; to add a sample to a cohort, join "
                        "the gVCFs of all samples again");
    }
    sample_name = std::string(last);
}

void GvcfReader::State::read_text_header() {
    size_t bytes = 0;
    for (;;) {
        const int result = bgzf_getline(text, '\n', &line);
        if (result < -1) throw_malformed(path, "is damaged");
        if (result < 0) return;
        bytes += line.l;
        check_header_bytes(path, bytes);
        std::string_view view(line.s, line.l);
        if (view.ends_with('\r')) view.remove_suffix(1);
        if (!view.starts_with('#')) return;
        if (view.starts_with("##")) {
            take_header_line(view);
        } else {
            return take_column_line(view);
        }
    }
}

void GvcfReader::State::read_binary_header() {
    header = bcf_hdr_read(binary);
    record = bcf_init();
    if (record == nullptr) throw std::bad_alloc();
    if (header == nullptr) return;
    kstring_t all = {0, 0, nullptr};
    if (bcf_hdr_format(header, 0, &all) < 0) throw std::bad_alloc();
    const std::string copy(all.s, all.l);
    std::free(all.s);
    for (size_t at = 0; at < copy.size();) {
        const size_t end = std::min(copy.find('\n', at), copy.size());
        const std::string_view view(copy.data() + at, end - at);
        if (view.starts_with("##")) {
            take_header_line(view);
        } else if (view.starts_with("#")) {
            take_column_line(view);
        }
        at = end + 1;
    }
}

/// The next record as text in `line`; false at the end.
bool GvcfReader::State::next_line() {
    if (ended) return false;
    if (offset >= 0) {
        open_file();
        const int64_t at = std::exchange(offset, -1);
        const int64_t result = is_plain ? bgzf_useek(text, at, SEEK_SET) : bgzf_seek(stream(), at, SEEK_SET);
        if (result < 0) throw_malformed(path, "was changed while it was read, or is damaged");
    }
    do {  // empty lines are passed over
        ++number;
        if (!is_bcf) {
            const int result = bgzf_getline(text, '\n', &line);
            if (result < -1) refuse("is damaged, or the file is cut inside it");
            ended = result == -1;
            if (!ended && line.l > k_max_line_bytes) refuse("is longer than 16 MiB, the limit");
        } else {
            const int result = bcf_read(binary, header, record);
            if (result < -1 || (result == 0 && record->errcode != 0))
                refuse("is damaged, or the file is cut inside it");
            ended = result == -1;
            line.l = 0;
            if (!ended && vcf_format(header, record, &line) < 0) refuse("is damaged");
        }
        if (ended) return false;
        while (line.l > 0 && (line.s[line.l - 1] == '\n' || line.s[line.l - 1] == '\r')) --line.l;
    } while (line.l == 0);
    return true;
}

void GvcfReader::State::jump(uint64_t virtual_offset) {
    offset = static_cast<int64_t>(virtual_offset);
    close_file();
    ended = counted = false;
    last_begin = -1;
}

GvcfReader::GvcfReader(const std::string& path, const Reference& reference)
    : state_(std::make_unique<State>(path, reference)) {}
GvcfReader::~GvcfReader() = default;
GvcfReader::GvcfReader(GvcfReader&&) noexcept = default;

const std::string& GvcfReader::path() const { return state_->path; }
const std::string& GvcfReader::sample() const { return state_->sample_name; }
const std::string& GvcfReader::caller_model() const { return state_->caller_model; }

void GvcfReader::suspend() {
    State& s = *state_;
    if (s.offset >= 0 || (s.text == nullptr && s.binary == nullptr)) return;
    s.offset = s.is_plain ? bgzf_utell(s.text) : bgzf_tell(s.stream());
    s.close_file();
}

bool GvcfReader::seek(uint32_t contig, int64_t begin, int64_t end) {
    State& s = *state_;
    if (s.is_plain) return false;
    const char* const name = s.reference.contigs()[contig].name.c_str();
    const bool is_first = !std::exchange(s.index_is_checked, true);
    Handle<hts_itr_t> records;
    if (s.is_bcf) {
        const Handle<hts_idx_t> index(bcf_index_load3(s.path.c_str(), nullptr, HTS_IDX_SILENT_FAIL));
        if (!index) return false;
        if (is_first) require_index_of(s.path, index.get(), s.header->n[BCF_DT_CTG]);
        const int id = bcf_hdr_name2id(s.header, name);
        if (id >= 0) records.reset(bcf_itr_queryi(index.get(), id, begin, end));
    } else {
        const Handle<tbx_t> index(tbx_index_load3(s.path.c_str(), nullptr, HTS_IDX_SILENT_FAIL));
        if (!index) return false;
        if (is_first) require_index_of(s.path, index.get());
        const int id = tbx_name2id(index.get(), name);
        if (id >= 0) records.reset(tbx_itr_queryi(index.get(), id, begin, end));
    }
    if (records && records->n_off > 0) {
        s.jump(records->off[0].u);
    } else {
        s.ended = true;  // until the next seek
    }
    return true;
}

bool GvcfReader::read(GvcfRecord& record) {
    State& s = *state_;
    if (!s.next_line()) return false;
    record.number = s.number_for_messages();
    s.parser.parse({s.line.s, s.line.l}, record);
    if (s.last_begin >= 0 &&
        (record.contig < s.last_contig || (record.contig == s.last_contig && record.begin < s.last_begin))) {
        s.refuse("is not sorted: " + s.reference.contigs()[record.contig].name + ":" +
                 std::to_string(record.begin + 1) + " comes after " +
                 s.reference.contigs()[s.last_contig].name + ":" + std::to_string(s.last_begin + 1) +
                 "; sort it in the order of the reference (bcftools reheader -f with its .fai, then bcftools "
                 "sort)");
    }
    s.last_contig = record.contig;
    s.last_begin = record.begin;
    return true;
}

}  // namespace gannet::data::vcf
