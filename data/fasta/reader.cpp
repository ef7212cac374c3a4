// SPDX-License-Identifier: MIT
// Provides loading of FASTA in one pass: letters are staged, then checked, digested and packed in long runs.
#include "data/fasta/reader.hpp"

#include "data/error.hpp"
#include "data/fasta/faidx_check.hpp"
#include "data/input_stream.hpp"
#include "data/letters.hpp"
#include "data/memory_budget.hpp"
#include "data/output_file.hpp"
#include "data/read_ahead.hpp"

#include <htslib/bgzf.h>
#include <htslib/faidx.h>
#include <htslib/hts.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <tmmintrin.h>
#include <unistd.h>
#include <unordered_set>
#include <vector>

namespace gannet::data::fasta {
namespace {

constexpr uint64_t k_padding_bases = 64;
constexpr size_t k_staged_bytes = size_t{1} << 16;
constexpr size_t k_max_title_bytes = size_t{1} << 20;
constexpr size_t k_counted_contigs = 4096;       ///< so many, or a multiple, are a moment to look at memory
constexpr uint64_t k_loaded_contig_bytes = 450;  ///< with the sets of the loader, while it is loaded

struct Genome {
    std::vector<uint64_t> packed;
    std::vector<NonAcgtRun> runs;
};

/// 16 letters that are all A, C, G or T: their 32 packed bits in `bits`. False when any is not.
bool pack_sixteen(const char* letters, uint32_t& bits) {
    // The low nibbles of A, C, T and G (1, 3, 4, 7) differ: two look-ups give the letter expected
    // and its code.
    // 1 where the low nibble is 0: no such byte is 1, so that NUL, which is all zeros, is no letter either.
    const __m128i expected = _mm_setr_epi8(1, 'A', 0, 'C', 'T', 0, 0, 'G', 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i codes = _mm_setr_epi8(0, 0, 0, 1, 3, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(letters));
    const __m128i nibble = _mm_and_si128(text, _mm_set1_epi8(15));
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_shuffle_epi8(expected, nibble), text)) != 0xffff) return false;
    const __m128i code = _mm_shuffle_epi8(codes, nibble);
    const __m128i pairs = _mm_maddubs_epi16(code, _mm_set1_epi16(0x0401));    // 4 bits in each 16
    const __m128i quads = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00100001));  // 8 bits in each 32
    const __m128i gather = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    bits = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_shuffle_epi8(quads, gather)));
    return true;
}

class Loader {
  public:
    Loader(std::string path, uint64_t size_bytes, bool compressed, uint64_t max_contig_bp)
        : path_(std::move(path)), max_contig_bp_(max_contig_bp) {
        // Address space only: a plain file has at most four bases per packed byte, gzip packs about as
        // tightly.
        genome_.packed.reserve(size_bytes / (compressed ? 6 : 30) + 64);
        staged_.reserve(k_staged_bytes);
        pad();
    }

    void line(std::string_view text);     ///< from a line's begin, without its newline
    void letters(std::string_view text);  ///< more of a line that holds sequence
    bool in_contig() const { return in_contig_; }
    std::shared_ptr<const Reference> finish(std::vector<std::string>* warnings);

  private:
    void begin_contig(std::string_view title);
    void end_contig();
    void flush();
    void pack_group(const char* letters, size_t size);
    void add_run(uint64_t begin, uint64_t end, char letter, bool may_join);
    void pad();
    [[noreturn]] void refuse_letter(char letter, size_t at) const;
    [[noreturn]] void refuse_length() const;

    std::string path_;
    uint64_t max_contig_bp_;
    Genome genome_;
    std::vector<Contig> contigs_;
    std::unordered_set<std::string> names_;
    std::vector<char> staged_;
    uint64_t bases_ = 0;         ///< of the genome so far, padding included
    uint64_t partial_word_ = 0;  ///< of bases_ % 32 bases
    LettersMd5 digest_;
    bool in_contig_ = false;
    bool run_open_ = false;  ///< the last run belongs to this contig and may grow
};

void Loader::add_run(uint64_t begin, uint64_t end, char letter, bool may_join) {
    if (may_join && run_open_ && genome_.runs.back().end == begin && genome_.runs.back().letter == letter) {
        genome_.runs.back().end = end;
    } else {
        genome_.runs.push_back({begin, end, letter, {}});
    }
}

/// Ends the last word, and adds padding so that what follows begins at a multiple of 64.
void Loader::pad() {
    const uint64_t begin = bases_;
    bases_ = (bases_ + 63) / 64 * 64 + k_padding_bases;
    if (begin % 32 != 0) genome_.packed.push_back(partial_word_);
    genome_.packed.resize(bases_ / 32, 0);
    partial_word_ = 0;
    add_run(begin, bases_, 'N', false);
    run_open_ = false;
}

void Loader::begin_contig(std::string_view title) {
    end_contig();
    const std::string name(title.substr(0, title.find_first_of(" \t")));
    const uint64_t number = contigs_.size() + 1;
    if (name.empty()) throw_malformed(path_, number, "sequence without a name: write one after '>'");
    for (const char letter : name) {
        if (letter < '!' || letter > '~')
            throw_malformed(path_, number, "its name holds an unprintable character");
    }
    if (!is_valid_contig_name(name)) {
        throw_malformed(path_, number,
                        "the name '" + name.substr(0, 200) +
                            "' is not one that SAM allows: it must not begin with * or =, nor hold commas, "
                            "quotation marks, brackets or backslashes; rename the sequence");
    }
    if (!names_.insert(name).second) {
        throw_malformed(path_, number, "the name '" + name + "' occurs twice: names must differ");
    }
    contigs_.push_back({name, 0, bases_, {}});
    if (contigs_.size() % k_counted_contigs == 0) {
        require_memory(path_, "a reference of more than " + std::to_string(contigs_.size()) + " contigs",
                       contigs_.size() * k_loaded_contig_bytes);
    }
    in_contig_ = true;
}

void Loader::end_contig() {
    if (!in_contig_) return;
    flush();
    Contig& contig = contigs_.back();
    contig.length = bases_ - contig.offset;
    contig.md5 = digest_.finish();
    pad();
    in_contig_ = false;
}

void Loader::refuse_letter(char letter, size_t at) const {
    const Contig& contig = contigs_.back();
    const bool printable = letter > ' ' && letter <= '~';
    throw_malformed(path_, contigs_.size(),
                    "sequence '" + contig.name + "' holds " +
                        (printable ? std::string("'") + letter + "'"
                                   : "byte " + std::to_string(static_cast<uint8_t>(letter))) +
                        " at base " + std::to_string(bases_ - contig.offset + at + 1) +
                        ", which is not a letter of nucleotides (IUPAC)");
}

void Loader::refuse_length() const {
    throw_malformed(path_, contigs_.size(),
                    "sequence '" + contigs_.back().name + "' is longer than " +
                        std::to_string(max_contig_bp_) +
                        " bp, the limit of SAM, BAM and samtools: split it into several sequences");
}

void Loader::pack_group(const char* letters, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        const auto letter = static_cast<uint8_t>(letters[i]);
        if (!k_is_iupac[letter]) refuse_letter(letters[i], i);
        const Base base = k_base_of_letter[letter];
        const uint64_t at = bases_ + i;
        if (base == k_base_n) {
            add_run(at, at + 1, letters[i], true);
            run_open_ = true;
        } else {
            partial_word_ |= uint64_t{base} << (at % 32 * 2);
        }
        if (at % 32 == 31) {
            genome_.packed.push_back(partial_word_);
            partial_word_ = 0;
        }
    }
    bases_ += size;
}

/// Digests and packs the staged letters, groups of 16 at once where they are all ACGT. Contigs begin at
/// multiples of 64 and only the last flush of one is not a multiple of 16, so groups never straddle a word.
void Loader::flush() {
    if (in_contig_ && bases_ - contigs_.back().offset + staged_.size() > max_contig_bp_) refuse_length();
    to_upper(staged_);
    digest_.add(staged_);
    size_t at = 0;
    for (; at + 16 <= staged_.size(); at += 16) {
        const char* letters = staged_.data() + at;
        uint32_t bits = 0;
        if (!pack_sixteen(letters, bits)) {
            pack_group(letters, 16);
            continue;
        }
        if (bases_ % 32 == 0) {
            partial_word_ = bits;
        } else {
            genome_.packed.push_back(partial_word_ | uint64_t{bits} << 32);
            partial_word_ = 0;
        }
        bases_ += 16;
    }
    pack_group(staged_.data() + at, staged_.size() - at);
    staged_.clear();
}

void Loader::line(std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (text.empty()) return;
    if (text.front() == '>') {
        begin_contig(text.substr(1));
        return;
    }
    if (!in_contig_) {
        throw_malformed(path_, text.front() == '@'
                                   ? "is FASTQ, not FASTA: the reference comes first, then the reads"
                                   : "is not FASTA: its first line does not begin with '>'");
    }
    letters(text);
}

void Loader::letters(std::string_view text) {
    while (!text.empty()) {
        const size_t part = std::min(text.size(), k_staged_bytes - staged_.size());
        staged_.insert(staged_.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(part));
        text.remove_prefix(part);
        if (staged_.size() == k_staged_bytes) flush();
    }
}

std::shared_ptr<const Reference> Loader::finish(std::vector<std::string>* warnings) {
    end_contig();
    if (contigs_.empty()) throw_malformed(path_, "holds no sequence");
    const auto is_empty = [](const Contig& contig) { return contig.length == 0; };
    const auto first = std::find_if(contigs_.begin(), contigs_.end(), is_empty);
    if (warnings != nullptr && first != contigs_.end()) {
        const auto others = std::count_if(first + 1, contigs_.end(), is_empty);
        warnings->push_back(path_ + ": sequence '" + first->name + "' has no bases" +
                            (others == 0 ? "" : ", nor have " + std::to_string(others) + " others"));
    }
    const auto genome = std::make_shared<const Genome>(std::move(genome_));
    return std::make_shared<const Reference>(path_, std::move(contigs_), genome->packed, genome->runs,
                                             genome);
}

}  // namespace

std::shared_ptr<const Reference> load(const std::string& path, std::vector<std::string>* warnings,
                                      uint64_t max_contig_bp) {
    auto stream = std::make_unique<InputStream>(path);
    if (stream->holds_alignments()) {
        throw_malformed(stream->name(),
                        "holds alignments (SAM, BAM or CRAM), not FASTA: the reference comes first, then the "
                        "alignments or reads");
    }
    Loader loader(stream->name(), stream->size_bytes(), stream->compressed(), max_contig_bp);
    ReadAhead input(std::move(stream));
    size_t kept = 0;
    bool mid_line = false;  // a line of sequence may be as long as a chromosome: it is read piece by piece
    const auto take = [&loader, &mid_line](std::string_view text, bool line_ends) {
        if (mid_line) {
            if (line_ends && text.ends_with('\r')) text.remove_suffix(1);
            loader.letters(text);
        } else {
            loader.line(text);
        }
        mid_line = !line_ends;
    };
    for (;;) {
        const std::span<const char> window = input.next(kept);
        const char* at = window.data();
        const char* const end = at + window.size();
        if (window.size() == kept) {
            if (kept != 0) take({at, kept}, true);
            break;
        }
        while (at != end) {
            const auto* newline =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
            if (newline == nullptr) break;
            take({at, static_cast<size_t>(newline - at)}, true);
            at = newline + 1;
        }
        kept = static_cast<size_t>(end - at);
        const bool title = !mid_line && kept != 0 && (*at == '>' || *at == '\r');
        if (title && kept > k_max_title_bytes) {
            throw_malformed(input.name(), "has a title line longer than " +
                                              std::to_string(k_max_title_bytes >> 20) + " MiB, the limit");
        }
        if (!title && kept > 1) {  // the last byte stays: it may be the carriage return of a DOS line end
            take({at, kept - 1}, false);
            kept = 1;
        }
    }
    return loader.finish(warnings);
}

void require_faidx(const std::string& path) {
    if (ensure_faidx(path)) return;
    throw_malformed(path,
                    "has no .fai, and none can be made in its folder: make it (samtools faidx), or "
                    "link the FASTA into another folder");
}

bool ensure_faidx(const std::string& path) {
    quiet_htslib();
    InputStream probe(path);
    const std::string index = path + ".fai";
    const std::string block_index = path + ".gzi";
    BGZF* file = bgzf_open(path.c_str(), "r");
    if (file == nullptr) throw_cannot_open(path, errno);
    const int compression = bgzf_compression(file);
    bgzf_close(file);
    if (compression == 1) {
        throw_malformed(path,
                        "is plain gzip, which cannot be indexed: gunzip it, and recompress it with bgzip");
    }
    const auto exists = [](const std::string& name) { return access(name.c_str(), F_OK) == 0; };
    if (exists(index) && (compression == 0 || exists(block_index))) return true;

    std::optional<PartialFile> partial_index;
    std::optional<PartialFile> partial_blocks;
    try {
        partial_index.emplace(index);
        if (compression != 0) partial_blocks.emplace(block_index);
    } catch (const Error&) {
        return false;
    }
    const std::string to_blocks = partial_blocks ? partial_blocks->name_to_open() : "";
    if (fai_build3(path.c_str(), partial_index->name_to_open().c_str(),
                   partial_blocks ? to_blocks.c_str() : nullptr) != 0) {
        throw_malformed(path, "cannot be indexed (.fai): " + cause_of_no_faidx(path));
    }
    if (partial_blocks) partial_blocks->commit();
    partial_index->commit();
    return true;
}

}  // namespace gannet::data::fasta
