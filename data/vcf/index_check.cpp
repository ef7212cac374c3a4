// SPDX-License-Identifier: MIT
// Provides the comparison of an index with the ends of its file.
#include "data/vcf/index_check.hpp"

#include "data/error.hpp"

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <sys/stat.h>

namespace gannet::data::vcf {
namespace {

struct Close {
    void operator()(BGZF* file) const { bgzf_close(file); }
    void operator()(hts_itr_t* iterator) const { hts_itr_destroy(iterator); }
};
using File = std::unique_ptr<BGZF, Close>;
using Iterator = std::unique_ptr<hts_itr_t, Close>;

[[noreturn]] void refuse(const std::string& path) {
    throw_malformed(path,
                    "its index is of another file, or of this one before it was written anew: make it again "
                    "(bcftools index -f)");
}

File open_at(const std::string& path, uint64_t virtual_offset) {
    File file(bgzf_open(path.c_str(), "r"));
    if (!file) throw_cannot_open(path, errno);
    if (bgzf_seek(file.get(), static_cast<int64_t>(virtual_offset), SEEK_SET) < 0) refuse(path);
    return file;
}

bool ends_at(const std::string& path, uint64_t virtual_offset) {
    struct stat status {};
    // Beyond its end a file reads as if it ended there.
    if (stat(path.c_str(), &status) != 0 || static_cast<uint64_t>(status.st_size) < virtual_offset >> 16)
        return false;
    char byte = 0;
    return bgzf_read(open_at(path, virtual_offset).get(), &byte, 1) == 0;
}

/// `query(contig)`: an iterator over all records of a contig of the index.
template <class Query>
void require(const std::string& path, int contigs, Query query, auto&& begins_with) {
    bool is_first = true;
    uint64_t end = 0;
    for (int contig = 0; contig < contigs; ++contig) {
        const Iterator records = query(contig);
        if (!records || records->n_off == 0) continue;
        if (is_first && !begins_with(records->off[0].u, contig)) refuse(path);
        is_first = false;
        end = std::max(end, records->off[records->n_off - 1].v);
    }
    if (!is_first && !ends_at(path, end)) refuse(path);
}

}  // namespace

void require_index_of(const std::string& path, tbx_t* index) {
    int contigs = 0;
    const std::unique_ptr<const char*, decltype(&std::free)> names(tbx_seqnames(index, &contigs), &std::free);
    const auto begins_with = [&](uint64_t offset, int contig) {
        const File file = open_at(path, offset);
        kstring_t line = {0, 0, nullptr};
        const bool is_read = bgzf_getline(file.get(), '\n', &line) >= 0;
        const std::unique_ptr<char, decltype(&std::free)> letters(line.s, &std::free);
        if (!is_read) return false;
        const std::string_view text(line.s, line.l);
        return text.substr(0, text.find('\t')) == names.get()[contig];
    };
    const auto query = [&](int contig) { return Iterator(tbx_itr_queryi(index, contig, 0, HTS_POS_MAX)); };
    require(path, contigs, query, begins_with);
}

void require_index_of(const std::string& path, hts_idx_t* index, int contigs) {
    const auto begins_with = [&](uint64_t offset, int contig) {
        const File file = open_at(path, offset);
        // Lengths of the two parts of a record, then its contig (VCF 4.3, section 6.3).
        uint8_t head[12];
        if (bgzf_read(file.get(), head, sizeof head) != static_cast<ssize_t>(sizeof head)) return false;
        return (head[8] | head[9] << 8 | head[10] << 16 | head[11] << 24) == contig;
    };
    const auto query = [&](int contig) {
        return Iterator(hts_itr_query(index, contig, 0, HTS_POS_MAX, bcf_readrec));
    };
    require(path, contigs, query, begins_with);
}

}  // namespace gannet::data::vcf
