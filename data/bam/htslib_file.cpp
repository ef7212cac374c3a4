// SPDX-License-Identifier: MIT
// Provides the checks of htslib's files that reading alignments and unaligned reads have in common.
#include "data/bam/htslib_file.hpp"

#include "data/bam/cram_containers.hpp"
#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"
#include "data/memory_budget.hpp"

#include <htslib/bgzf.h>
#include <htslib/cram.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/sam.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace gannet::data::bam {
namespace {

/// htslib splits REF_PATH at colons, except that "http://", "https://" and "ftp://" begin an address and "::"
/// stands for a colon.
std::string local_part(std::string_view search_path) {
    std::string local;
    while (!search_path.empty()) {
        size_t end = 0;
        while (end < search_path.size()) {
            const std::string_view rest = search_path.substr(end);
            if (rest.starts_with("::") || rest.starts_with("://")) {
                end += 2;
            } else if (rest.front() == ':') {
                break;
            } else {
                ++end;
            }
        }
        const std::string_view element = search_path.substr(0, end);
        if (!element.empty() && element.find("://") == std::string_view::npos &&
            !element.starts_with("URL=")) {
            local += (local.empty() ? "" : ":") + std::string(element);
        }
        search_path.remove_prefix(end < search_path.size() ? end + 1 : end);
    }
    return local;
}

[[noreturn]] void refuse_header(const std::string& name) {
    throw_malformed(name, "its header is longer than " + std::to_string(k_max_header_bytes >> 20) +
                              " MiB, the limit: remove comments from it (samtools reheader)");
}

void require_memory_for_contigs(const std::string& name, uint64_t contigs) {
    require_memory(name, "its header of " + std::to_string(contigs) + " contigs",
                   contigs * k_alignment_contig_bytes);
}

/// Of a file whose header is text.
void check_sam_header(const std::string& path) {
    LineReader lines(std::make_unique<InputStream>(path), k_max_header_bytes);
    uint64_t bytes = 0, contigs = 0;
    for (std::string_view line; lines.read(line) && line.starts_with('@');) {
        bytes += line.size() + 1;
        contigs += line.starts_with("@SQ") ? 1 : 0;
        if (bytes > k_max_header_bytes) refuse_header(path);
    }
    require_memory_for_contigs(path, contigs);
}

/// Of a BAM: the text is followed by the number of contigs.
void check_bam_header(const std::string& path) {
    InputStream stream(path);
    std::vector<uint8_t> buffer(InputStream::k_min_read_bytes);
    constexpr uint64_t k_head_bytes = 8;  // magic, length of the text
    uint32_t text_bytes = 0, contigs = 0;
    uint64_t end = k_head_bytes;  // of what is wanted
    for (uint64_t at = 0; at < end;) {
        const size_t got = stream.read(buffer);
        if (got == 0) return;  // htslib says what is wrong with it
        // The four bytes that end at `end`, as far as they are in this piece.
        const auto take = [&](uint32_t& value) {
            for (uint64_t i = 0; i < 4; ++i) {
                const uint64_t place = end - 4 + i;
                if (place >= at && place < at + got)
                    value |= static_cast<uint32_t>(buffer[place - at]) << (8 * i);
            }
        };
        if (end == k_head_bytes) {
            if (got < k_head_bytes) return;
            take(text_bytes);
            if (text_bytes > k_max_header_bytes) refuse_header(path);
            end += uint64_t{text_bytes} + 4;
        }
        take(contigs);
        at += got;
    }
    require_memory_for_contigs(path, contigs);
}

/// A long header without the lines that gannet has no use for: in pieces, as htslib keeps them, they take
/// several times their bytes. Of a BAM, whose contigs are not in the text only.
sam_hdr_t* without_comments(sam_hdr_t* header) {
    constexpr size_t k_long_bytes = size_t{1} << 20;
    const char* const text = sam_hdr_str(header);
    if (text == nullptr || std::strlen(text) < k_long_bytes) return header;
    std::string kept;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        if (line.starts_with("@HD") || line.starts_with("@SQ") || line.starts_with("@RG"))
            kept.append(line) += '\n';
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    sam_hdr_t* const smaller = sam_hdr_parse(kept.size(), kept.c_str());
    if (smaller == nullptr) return header;
    bool same = sam_hdr_nref(smaller) == sam_hdr_nref(header);
    for (int i = 0; same && i < sam_hdr_nref(header); ++i) {
        same = std::string_view(sam_hdr_tid2name(smaller, i)) == sam_hdr_tid2name(header, i) &&
               sam_hdr_tid2len(smaller, i) == sam_hdr_tid2len(header, i);
    }
    sam_hdr_destroy(same ? header : smaller);
    return same ? smaller : header;
}

[[noreturn]] void refuse_truncated(const std::string& name) {
    throw_malformed(name, "truncated: its end-of-file marker is missing; copy or make it again");
}

}  // namespace

void use_local_references_only() {
    static std::once_flag once;
    std::call_once(once, [] {
        const char* const given = std::getenv("REF_PATH");
        const std::string local = given == nullptr ? "" : local_part(given);
        // An empty REF_PATH makes htslib use its default, which is a server.
        setenv("REF_PATH", local.empty() ? "/nonexistent" : local.c_str(), 1);
    });
}

void forget_reference_files(htsFile& file) {
    if (hts_get_format(&file)->format != ::cram) return;
    sam_hdr_t* const header = cram_fd_get_header(file.fp.cram);
    for (int i = 0; i < sam_hdr_nref(header); ++i)
        sam_hdr_remove_tag_id(header, "SQ", "SN", sam_hdr_tid2name(header, i), "UR");
}

htsFile* open_with_small_header(hFILE* raw, const std::string& name) {
    uint8_t head[96];
    const ssize_t got = hpeek(raw, head, sizeof head);
    if (got > 4 && std::memcmp(head, "CRAM", 4) == 0) {
        const uint64_t bytes = cram_header_bytes({head, static_cast<size_t>(got)});
        try {
            if (bytes > k_max_header_bytes) refuse_header(name);
            require_memory(name, "its header", bytes * k_header_growth);
        } catch (...) {
            hclose_abruptly(raw);
            throw;
        }
    }
    htsFile* const file = hts_hopen(raw, name.c_str(), "r");
    if (file == nullptr) {
        hclose_abruptly(raw);
        return nullptr;
    }
    const htsFormat& format = *hts_get_format(file);
    std::error_code ignored;
    if ((format.format == ::sam || format.format == ::bam) &&
        std::filesystem::is_regular_file(name, ignored)) {
        try {
            format.format == ::sam ? check_sam_header(name) : check_bam_header(name);
        } catch (...) {
            hts_close(file);
            throw;
        }
    }
    return file;
}

void require_alignments(const htsFile& file, const std::string& name) {
    const htsFormat& format = file.format;
    if (format.format == ::sam || format.format == ::bam || format.format == ::cram) return;
    std::string found;
    if (format.format != unknown_format) {
        const std::unique_ptr<char, decltype(&std::free)> text(hts_format_description(&format), &std::free);
        if (text) found = ", but " + std::string(text.get());
    }
    if (format.format == fastq_format) found += " (gannet run takes reads to variants)";
    throw_malformed(name, "is not SAM, BAM or CRAM" + found);
}

sam_hdr_t* read_header(htsFile& file, const std::string& name) {
    const bool bam = hts_get_format(&file)->format == ::bam;
    if (bam) {
        // The first block is read and stays where the header is read from.
        BGZF& blocks = *file.fp.bgzf;
        uint32_t text_bytes = 0;
        if (bgzf_read_block(&blocks) == 0 && blocks.block_length >= 8) {
            std::memcpy(&text_bytes, static_cast<const uint8_t*>(blocks.uncompressed_block) + 4, 4);
            if (text_bytes > k_max_header_bytes) refuse_header(name);
        }
    }
    sam_hdr_t* const header = sam_hdr_read(&file);
    if (header == nullptr) throw_malformed(name, "its header is damaged or missing");
    return bam ? without_comments(header) : header;
}

bool require_end_marker(htsFile& file, const std::string& name) {
    const htsFormat& format = *hts_get_format(&file);
    if (format.format != ::cram && format.compression != ::bgzf) return true;
    const int found = hts_check_EOF(&file);
    if (found == 0) refuse_truncated(name);
    return found == 1;
}

void require_end_marker_was_read(htsFile& file, const std::string& name) {
    const htsFormat& format = *hts_get_format(&file);
    if (format.format == ::cram) {
        const bool has_marker = format.version.major > 2 || format.version.minor >= 1;  // since CRAM 2.1
        if (has_marker && cram_eof(file.fp.cram) == 2) refuse_truncated(name);
    } else if (format.compression == ::bgzf) {
        if (file.fp.bgzf->no_eof_block != 0) refuse_truncated(name);
    }
}

}  // namespace gannet::data::bam
