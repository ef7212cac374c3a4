// SPDX-License-Identifier: MIT
// Provides the comparison of a header's contigs with a reference.
#include "data/bam/header_contigs.hpp"

#include "data/error.hpp"
#include "data/fasta/faidx_check.hpp"
#include "data/fasta/reader.hpp"
#include "data/input_stream.hpp"
#include "data/letters.hpp"
#include "data/regions.hpp"

#include <htslib/faidx.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <strings.h>

namespace gannet::data::bam {
namespace {

constexpr int64_t k_letters_at_a_time = 1 << 24;

struct Free {
    void operator()(faidx_t* index) const { fai_destroy(index); }
    void operator()(char* letters) const { std::free(letters); }
};

std::string md5_of(const faidx_t& index, const std::string& fasta, const HeaderContig& contig) {
    LettersMd5 digest;
    const auto end = static_cast<int64_t>(contig.length);
    for (int64_t at = 0; at < end; at += k_letters_at_a_time) {
        hts_pos_t length = 0;
        const hts_pos_t last = std::min(at + k_letters_at_a_time, end) - 1;
        const std::unique_ptr<char, Free> letters(
            faidx_fetch_seq64(&index, contig.name.c_str(), at, last, &length));
        if (!letters || length != last - at + 1)
            throw_malformed(fasta, "contig '" + contig.name + "' cannot be read");
        const std::span<char> text(letters.get(), static_cast<size_t>(length));
        to_upper(text);
        digest.add(text);
    }
    return digest.finish();
}

}  // namespace

void require_known_contigs(const std::string& alignments, std::span<const HeaderContig> contigs,
                           const Reference& reference) {
    constexpr size_t k_named = 3;  // beside the first
    std::vector<std::string_view> unknown;
    for (const HeaderContig& contig : contigs) {
        if (!reference.find(contig.name)) unknown.push_back(contig.name);
    }
    if (unknown.empty()) return;
    std::string message = alignments + ": " + unknown_contig_message(unknown[0], reference);
    if (message.ends_with("use the names of the reference"))
        throw Error(ErrorKind::reference_mismatch, message);
    if (unknown.size() > 1) {
        message += ", nor are " + std::to_string(unknown.size() - 1) + " others of its header (";
        for (size_t i = 1; i < std::min(unknown.size(), k_named + 1); ++i)
            message += (i > 1 ? ", " : "") + std::string(unknown[i]);
        message += unknown.size() > k_named + 1 ? ", ...)" : ")";
    }
    throw Error(ErrorKind::reference_mismatch,
                message + ": give the reference that it was aligned to, with --regions too");
}

void require_same_contig(const std::string& alignments, const HeaderContig& contig,
                         const std::string& reference, uint64_t length, const std::string& md5) {
    const std::string where = alignments + ": contig '" + contig.name + "' ";
    if (length != contig.length) {
        throw Error(ErrorKind::reference_mismatch, where + "is " + std::to_string(contig.length) +
                                                       " bp long, but " + std::to_string(length) + " in " +
                                                       reference +
                                                       ": give the reference that it was aligned to");
    }
    if (!contig.md5.empty() && !md5.empty() && strcasecmp(contig.md5.c_str(), md5.c_str()) != 0) {
        throw Error(ErrorKind::reference_mismatch, where + "has another sequence (MD5 " + contig.md5 +
                                                       ") than in " + reference + " (" + md5 +
                                                       "): give the reference that it was aligned to");
    }
}

void require_contigs_of(const std::string& fasta, const std::vector<HeaderContig>& contigs,
                        const std::string& alignments) {
    quiet_htslib();
    fasta::require_faidx(fasta);
    fasta::check_faidx(fasta);
    const std::unique_ptr<faidx_t, Free> index(fai_load(fasta.c_str()));
    if (!index) {
        throw Error(ErrorKind::reference_mismatch, fasta + ": cannot be used as the reference of CRAM");
    }
    for (const HeaderContig& contig : contigs) {
        if (faidx_has_seq(index.get(), contig.name.c_str()) == 0) {
            throw Error(ErrorKind::reference_mismatch,
                        alignments + ": contig '" + contig.name + "' is not in the reference " + fasta);
        }
        const auto length = static_cast<uint64_t>(faidx_seq_len(index.get(), contig.name.c_str()));
        require_same_contig(alignments, contig, fasta, length, "");
        if (!contig.md5.empty())
            require_same_contig(alignments, contig, fasta, length, md5_of(*index, fasta, contig));
    }
}

}  // namespace gannet::data::bam
