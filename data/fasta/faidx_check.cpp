// SPDX-License-Identifier: MIT
// Provides the comparison of .fai and .gzi with the FASTA beside them.
#include "data/fasta/faidx_check.hpp"

#include "data/bgzf/block_reader.hpp"
#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"

#include <htslib/bgzf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace gannet::data::fasta {
namespace {

constexpr uint64_t k_max_title_bytes = 1 << 20;

[[noreturn]] void refuse(const std::string& index, const std::string& cause) {
    throw_malformed(index, cause +
                               ": it is damaged or of another file; remove it, or make it again (samtools "
                               "faidx)");
}

struct Entry {
    std::string name;
    uint64_t length, offset, line_bases, line_bytes;

    uint64_t end() const {  ///< offset behind the last base
        return length == 0 ? offset : offset + length + (length - 1) / line_bases * (line_bytes - line_bases);
    }
};

Entry parse(std::string_view line, const std::string& index, uint64_t number) {
    const auto bad = [&] { refuse(index, "line " + std::to_string(number) + " is not one of a .fai"); };
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0) bad();
    std::array<uint64_t, 4> values = {};
    const char* at = line.data() + tab + 1;
    const char* const end = line.data() + line.size();
    for (size_t i = 0; i < values.size(); ++i) {
        const auto result = std::from_chars(at, end, values[i]);
        const bool last = i + 1 == values.size();
        if (result.ec != std::errc() || (last ? result.ptr != end : result.ptr == end || *result.ptr != '\t'))
            bad();
        at = result.ptr + 1;
    }
    Entry entry{std::string(line.substr(0, tab)), values[0], values[1], values[2], values[3]};
    constexpr uint64_t k_limit = uint64_t{1} << 48;  // no sum of these overflows
    if (entry.length > k_limit || entry.offset > k_limit || entry.line_bytes > k_limit ||
        (entry.length != 0 && (entry.line_bases == 0 || entry.line_bytes <= entry.line_bases))) {
        bad();
    }
    return entry;
}

struct Closer {
    void operator()(BGZF* file) const { bgzf_close(file); }
};

/// Letters of a FASTA at given offsets, inflated if it is BGZF.
class Text {
  public:
    Text(const std::string& fasta, const std::string& index)
        : file_(bgzf_open(fasta.c_str(), "r")), index_(index) {
        if (!file_) throw_cannot_open(fasta, errno);
        if (bgzf_compression(file_.get()) == 2 && bgzf_index_load(file_.get(), fasta.c_str(), ".gzi") != 0)
            refuse(fasta + ".gzi", "cannot be read");
    }
    /// Fewer than asked at the end of the file only.
    std::string read(uint64_t offset, uint64_t bytes) {
        std::string text(bytes, '\0');
        const bool there = bgzf_useek(file_.get(), static_cast<int64_t>(offset), SEEK_SET) == 0;
        const ssize_t got = there ? bgzf_read(file_.get(), text.data(), text.size()) : -1;
        if (got < 0) refuse(index_, "has offsets that cannot be read");
        text.resize(static_cast<size_t>(got));
        return text;
    }

  private:
    std::unique_ptr<BGZF, Closer> file_;
    const std::string& index_;
};

/// Between the last base of one sequence and the first of the next there is one title line, with its name.
/// `after_base`: what comes before `text` is not the beginning of a line.
bool is_title(std::string_view text, const std::string& name, bool after_base) {
    const size_t begin = text.find_first_not_of("\r\n");
    if (after_base && begin == 0) return false;
    if (begin == std::string_view::npos || text[begin] != '>' || text.back() != '\n') return false;
    text.remove_prefix(begin + 1);
    if (text.find('\n') != text.size() - 1) return false;
    return text.substr(0, text.find_first_of(" \t\r\n")) == name;
}

void check_fai(const std::string& fasta, const std::string& index, uint64_t text_bytes) {
    Text text(fasta, index);
    LineReader lines(std::make_unique<InputStream>(index));
    std::string_view line;
    uint64_t end = 0;  // of the sequence before
    bool after_base = false;
    while (lines.read(line)) {
        const Entry entry = parse(line, index, lines.number());
        const auto where = [&] {
            return "line " + std::to_string(lines.number()) + " does not fit " + fasta;
        };
        if (entry.offset <= end || entry.offset - end > k_max_title_bytes || entry.end() > text_bytes ||
            !is_title(text.read(end, entry.offset - end), entry.name, after_base)) {
            refuse(index, where());
        }
        if (entry.length > entry.line_bases) {  // the first line ends where it should
            const std::string ending =
                text.read(entry.offset + entry.line_bases, entry.line_bytes - entry.line_bases);
            if (ending.empty() || ending.back() != '\n' ||
                ending.find_first_not_of("\r\n") != std::string::npos)
                refuse(index, where());
        }
        end = entry.end();
        after_base = entry.length != 0;
    }
    const std::string rest = text.read(end, std::min(text_bytes - end, k_max_title_bytes));
    if (end == 0 || rest.size() != text_bytes - end || rest.find_first_not_of("\r\n") != std::string::npos)
        refuse(index, "leaves out what follows byte " + std::to_string(end) + " of " + fasta);
}

/// The lines of sequences by their lengths: in a .fai all but a sequence's last one are alike.
class LineLengths {
  public:
    /// False: this line must not follow the one before.
    bool add(size_t bytes) {
        if (bytes == 0) {
            is_ended_ = first_ != 0;
            return true;
        }
        if (is_ended_ || (first_ != 0 && bytes > first_)) return false;
        if (first_ == 0) first_ = bytes;
        is_ended_ = bytes < first_;
        return true;
    }
    bool has_bases() const { return first_ != 0; }

  private:
    size_t first_ = 0;
    bool is_ended_ = false;
};

/// A .gzi lists the compressed and inflated offset of every block but the first. Returns the inflated size.
uint64_t check_gzi(const std::string& fasta, const std::string& index, const bgzf::BlockReader& blocks) {
    std::ifstream file(index, std::ios::binary);
    const auto take = [&]() -> std::optional<uint64_t> {
        uint64_t value = 0;
        file.read(reinterpret_cast<char*>(&value), sizeof value);
        if (!file) return std::nullopt;
        return value;
    };
    const auto count = take();
    uint64_t listed = 0;
    uint64_t inflated = 0;
    for (uint64_t at = 0; at < blocks.file_bytes();) {
        const auto block = blocks.at(at);
        if (!block) throw_malformed(fasta, "is damaged: no BGZF block begins at byte " + std::to_string(at));
        // Writers may list the empty block at the end, or leave it out.
        const bool last = block->data_bytes == 0 && at + block->size_bytes == blocks.file_bytes();
        if (at != 0 && !(last && count && listed == *count)) {
            if (take() != at || take() != inflated) refuse(index, "does not fit " + fasta);
            ++listed;
        }
        inflated += block->data_bytes;
        at += block->size_bytes;
    }
    if (listed != count || take()) refuse(index, "does not list the blocks of " + fasta);
    return inflated;
}

}  // namespace

void check_faidx(const std::string& fasta_path) {
    const std::string fai = fasta_path + ".fai";
    const std::string gzi = fasta_path + ".gzi";
    const auto exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
    if (!exists(fai)) return;
    const bgzf::BlockReader blocks(fasta_path);
    uint64_t text_bytes = blocks.file_bytes();
    if (blocks.at(0)) {
        if (!exists(gzi))
            throw_malformed(gzi, "is missing, but " + fai + " is there: make both (samtools faidx)");
        text_bytes = check_gzi(fasta_path, gzi, blocks);
    }
    check_fai(fasta_path, fai, text_bytes);
}

std::string cause_of_no_faidx(const std::string& fasta_path) {
    InputStream stream(fasta_path);
    std::vector<uint8_t> buffer(size_t{1} << 20);
    std::string name;
    LineLengths lengths;
    std::string title;  // its beginning, of the line that is read
    size_t bytes = 0;   // of that line so far
    bool is_uneven = false;
    const auto end_line = [&] {
        if (title.empty()) {
            is_uneven = !lengths.add(bytes);
        } else {
            name = title.substr(1, title.find_first_of(" \t\r") - 1);
            lengths = {};
        }
        title.clear();
        bytes = 0;
    };
    size_t size = 0;
    while (!is_uneven && (size = stream.read(buffer)) != 0) {
        std::string_view text(reinterpret_cast<const char*>(buffer.data()), size);
        while (!is_uneven && !text.empty()) {
            const size_t newline = text.find('\n');
            const std::string_view part = text.substr(0, newline);
            text.remove_prefix(std::min(text.size(), part.size() + 1));
            if (!title.empty() || (bytes == 0 && part.starts_with('>'))) title += part;
            bytes += part.size();
            if (newline != std::string_view::npos) end_line();
        }
    }
    if (bytes != 0 && !is_uneven) end_line();
    if (is_uneven) return "the lines of sequence " + name + " differ in length (rewrite it: seqtk seq -l 60)";
    if (!lengths.has_bases()) return "its last sequence, " + name + ", has no bases (remove it)";
    return "htslib made none";
}

}  // namespace gannet::data::fasta
