// SPDX-License-Identifier: MIT
// Provides writing of VCF, bgzipped VCF and BCF, with the index of the compressed ones.
#include "data/vcf/writer.hpp"

#include "data/bgzf/block.hpp"
#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/output_file.hpp"
#include "data/output_path.hpp"
#include "data/threads.hpp"
#include "data/vcf/text.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>

namespace gannet::data::vcf {
namespace {

constexpr uint64_t k_tbi_limit_bp = uint64_t{1} << 29;

bool needs_csi(const Reference& reference) {
    return std::any_of(reference.contigs().begin(), reference.contigs().end(),
                       [](const Contig& contig) { return contig.length > k_tbi_limit_bp; });
}

}  // namespace

Format format_of(const std::string& path) {
    if (is_written_in_place(path)) return Format::text;
    if (path.ends_with(".gz") || path.ends_with(".bgz")) return Format::blocks;
    return path.ends_with(".bcf") ? Format::bcf : Format::text;
}

struct Writer::State {
    const Reference& reference;
    std::string path;
    Format format;
    std::string text;  ///< not yet written
    OutputFile file;
    std::vector<std::unique_ptr<bgzf::BlockCompressor>> compressors;  ///< one per thread
    std::vector<std::vector<uint8_t>> blocks;

    htsFile* bcf = nullptr;  ///< has a descriptor of its own of `file`
    bcf_hdr_t* header = nullptr;
    bcf1_t* record = nullptr;

    State(const std::string& given, const Reference& genome, size_t threads)
        : reference(genome), path(given), format(format_of(given)), file(given), blocks(threads) {
        for (size_t i = 0; i < threads; ++i)
            compressors.push_back(std::make_unique<bgzf::BlockCompressor>(k_compression_level));
    }
    ~State() {
        if (record != nullptr) bcf_destroy(record);
        if (header != nullptr) bcf_hdr_destroy(header);
        if (bcf != nullptr) hts_close(bcf);
    }
    void open_bcf(const std::string& head);
    void write_bcf();
    void flush(bool all);
    void end_file();
    void commit_indexed();
};

void Writer::State::open_bcf(const std::string& head) {
    quiet_htslib();
    errno = 0;
    const int descriptor = fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 3);
    if (descriptor < 0) throw_output_failed(path, errno);
    hFILE* const stream = hdopen(descriptor, "w");
    if (stream == nullptr) {
        ::close(descriptor);
        throw std::bad_alloc();
    }
    bcf = hts_hopen(stream, path.c_str(), "wb");
    if (bcf == nullptr) {
        hclose_abruptly(stream);
        throw_output_failed(path, errno);
    }
    header = bcf_hdr_init("r");
    record = bcf_init();
    if (header == nullptr || record == nullptr) throw std::bad_alloc();
    std::string copy = head;
    if (bcf_hdr_parse(header, copy.data()) < 0)
        throw Error(ErrorKind::internal, path + ": the header made is not valid");
    if (bcf_hdr_write(bcf, header) < 0) throw_output_failed(path, errno);
}

/// Writes the one record in `text`.
void Writer::State::write_bcf() {
    kstring_t line = {text.size(), text.capacity() + 1, text.data()};
    if (vcf_parse(&line, header, record) < 0 || record->errcode != 0) {
        throw Error(ErrorKind::internal, path + ": a record made is not valid: " + text);
    }
    errno = 0;
    if (bcf_write(bcf, header, record) < 0) throw_output_failed(path, errno);
    text.clear();
}

void Writer::State::flush(bool all) {
    if (format == Format::text) {
        if (all || text.size() >= bgzf::k_max_payload_bytes) {
            file.write(text);
            text.clear();
        }
        return;
    }
    const size_t complete = text.size() / bgzf::k_max_payload_bytes;
    const size_t payloads = complete + (all && text.size() > complete * bgzf::k_max_payload_bytes ? 1 : 0);
    // Each thread has a run of neighbouring payloads.
    const size_t parts = std::min(payloads, compressors.size());
    for_each_index(parts, parts, [&](size_t part) {
        blocks[part].clear();
        for (size_t i = payloads * part / parts; i < payloads * (part + 1) / parts; ++i) {
            const size_t at = i * bgzf::k_max_payload_bytes;
            const size_t size = std::min(text.size() - at, bgzf::k_max_payload_bytes);
            compressors[part]->append({reinterpret_cast<const uint8_t*>(text.data()) + at, size},
                                      blocks[part]);
        }
    });
    for (size_t part = 0; part < parts; ++part) file.write(blocks[part]);
    text.erase(0, std::min(text.size(), payloads * bgzf::k_max_payload_bytes));
}

void Writer::State::end_file() {
    flush(true);
    if (format == Format::blocks) file.write(bgzf::k_end_of_file);
}

/// The index is made from the complete file under its partial name: a VCF is small compared with the reads
/// that it came from.
void Writer::State::commit_indexed() {
    const bool csi = format == Format::bcf || needs_csi(reference);
    PartialFile index(path + (csi ? ".csi" : ".tbi"));
    const int min_shift = csi ? 14 : 0;
    errno = 0;
    const std::string from = file.name_to_open();
    const std::string to = index.name_to_open();
    const int result = format == Format::bcf
                           ? bcf_index_build3(from.c_str(), to.c_str(), min_shift, 0)
                           : tbx_index_build3(from.c_str(), to.c_str(), min_shift, 0, &tbx_conf_vcf);
    if (result != 0) throw_output_failed(index.path(), errno);
    file.commit(&index);
}

Writer::Writer(const std::string& path, const Reference& reference, const HeaderFacts& facts)
    : Writer(path, reference, header_text(reference, facts), 1) {}

Writer::Writer(const std::string& path, const Reference& reference, const std::string& header, size_t threads)
    : state_(std::make_unique<State>(path, reference, threads)) {
    State& s = *state_;
    if (s.format == Format::bcf) {
        s.open_bcf(header);
    } else {
        s.text = header;
    }
}

Writer::~Writer() = default;

void Writer::write(std::span<const Variant> variants) {
    State& s = *state_;
    for (const Variant& variant : variants) {
        append_text(variant, s.reference, s.text);
        if (s.format == Format::bcf) {
            s.write_bcf();
        } else {
            s.text += '\n';
        }
    }
    if (s.format != Format::bcf) s.flush(false);
}

void Writer::write_lines(std::string_view lines) {
    State& s = *state_;
    if (s.format != Format::bcf) {
        s.text += lines;
        s.flush(false);
        return;
    }
    while (!lines.empty()) {
        const size_t end = lines.find('\n');
        s.text.assign(lines.substr(0, end));
        s.write_bcf();
        lines.remove_prefix(end + 1);
    }
}

void Writer::write(const PackedLines& lines) {
    State& s = *state_;
    if (s.format != Format::bcf) {
        s.flush(true);  // the header
        s.file.write(lines.bytes);
        return;
    }
    for (auto begin = lines.bytes.begin(); begin != lines.bytes.end();) {
        const auto end = std::find(begin, lines.bytes.end(), uint8_t{'\n'});
        s.text.assign(begin, end);
        s.write_bcf();
        begin = end + 1;
    }
}

void Writer::close() {
    State& s = *state_;
    if (s.format == Format::bcf) {
        errno = 0;
        if (hts_close(std::exchange(s.bcf, nullptr)) < 0) throw_output_failed(s.path, errno);
        s.commit_indexed();
        return;
    }
    s.end_file();
    if (s.format == Format::blocks) {
        s.commit_indexed();
    } else {
        s.file.commit();
    }
}

}  // namespace gannet::data::vcf
