// SPDX-License-Identifier: MIT
// Provides the checks of htslib's files that reading alignments and unaligned reads have in common.
#include "data/bam/htslib_file.hpp"

#include "data/error.hpp"

#include <htslib/bgzf.h>
#include <htslib/cram.h>
#include <htslib/hts.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

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
