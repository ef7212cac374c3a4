// SPDX-License-Identifier: MIT
// Provides parsing of four-line FASTQ, and a precise cause for each way in which a file may not be that.
#include "data/fastq/record_parser.hpp"

#include "data/error.hpp"
#include "data/fastq/letters.hpp"
#include "data/fastq/reader.hpp"
#include "data/sam_tags.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::data::fastq {
namespace {

constexpr size_t k_max_name_bytes = 254;  // SAM specification 1.4

std::string shown(char letter) {
    if (letter > ' ' && letter <= '~') return std::string("'") + letter + "'";
    if (letter == ' ') return "a space";
    if (letter == '\t') return "a tab";
    return "byte " + std::to_string(static_cast<uint8_t>(letter));
}

bool all_iupac(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return k_is_iupac[static_cast<uint8_t>(c)] != 0; });
}

/// SOLiD: a primer base, then colours 0-3 (or '.').
bool is_colour_space(std::string_view bases) {
    const auto is_colour = [](char c) { return (c >= '0' && c <= '3') || c == '.'; };
    const std::string_view rest = bases.substr(bases.empty() || is_colour(bases.front()) ? 0 : 1);
    return std::all_of(rest.begin(), rest.end(), is_colour) &&
           std::any_of(rest.begin(), rest.end(), [](char c) { return c != '.'; });
}

void strip_carriage_return(std::string_view& line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
}

[[noreturn]] void refuse_beginning(const std::string& name, uint64_t record, char letter) {
    if (letter == '>') {
        throw_malformed(name, record, "begins with '>': this is FASTA, which has no qualities; give FASTQ");
    }
    throw_malformed(name, record,
                    "begins with " + shown(letter) + " instead of '@'" +
                        (record == 1 ? ": this is not FASTQ"
                                     : ": the record before it has too many lines or the file is damaged"));
}

}  // namespace

void refuse_long_record(const std::string& name, uint64_t record, char letter) {
    if (letter != '@') refuse_beginning(name, record, letter);
    throw_malformed(name, record,
                    "is longer than " + std::to_string(k_max_fastq_record_bytes >> 20) +
                        " MiB, the limit for a FASTQ record: the file is damaged, or its line ends are "
                        "missing");
}

void require_phred_33(const EncodingProgress& encoding, const std::string& name, uint64_t records) {
    if (encoding.check.is_phred_64()) throw_malformed(name, records, encoding.check.cause());
}

void RecordParser::refuse(const std::string& cause) const { throw_malformed(name_, records_ + 1, cause); }

/// A piece holds complete records, so one that is at its end is followed by the next.
bool RecordParser::has_text() {
    while (at_ == end_) {
        if (next_piece_ == text_.pieces.size()) return false;
        const FileText::Piece& piece = text_.pieces[next_piece_++];
        at_ = piece.text.data();
        end_ = at_ + piece.text.size();
        known_end_ = end_ + piece.following;
    }
    return true;
}

/// The next line from at_, which moves past it; the rest, and false, where no newline follows.
bool RecordParser::take_line(std::string_view& line) {
    const auto rest = static_cast<size_t>(end_ - at_);
    const auto* newline = rest == 0 ? nullptr : static_cast<const char*>(std::memchr(at_, '\n', rest));
    line = {at_, newline == nullptr ? rest : static_cast<size_t>(newline - at_)};
    at_ = newline == nullptr ? end_ : newline + 1;
    return newline != nullptr;
}

RecordParser::Lines RecordParser::cut() {
    Lines lines;
    lines.complete = take_line(lines.title) && lines.complete;
    lines.complete = take_line(lines.bases) && lines.complete;
    // Nearly always "+\n", as many qualities as bases, and a newline where it belongs.
    const size_t length = lines.bases.size();
    if (static_cast<size_t>(end_ - at_) > length + 2 && at_[0] == '+' && at_[1] == '\n' &&
        at_[2 + length] == '\n') {
        lines.plus = {at_, 1};
        lines.qualities = {at_ + 2, length};
        at_ += length + 3;
    } else {
        lines.complete = take_line(lines.plus) && lines.complete;
        lines.complete = take_line(lines.qualities) && lines.complete;
    }
    return lines;
}

bool RecordParser::read(ReadBatch& batch, std::string_view& word) {
    if (!has_text()) return false;
    Lines lines = cut();
    if (lines.title.empty() || lines.title == "\r")
        refuse("begins with an empty line: remove empty lines between records");
    strip_carriage_return(lines.title);
    strip_carriage_return(lines.bases);
    strip_carriage_return(lines.plus);
    strip_carriage_return(lines.qualities);
    const bool good = lines.title[0] == '@' && !lines.plus.empty() && lines.plus[0] == '+' &&
                      lines.bases.size() == lines.qualities.size() &&
                      (lines.plus.size() == 1 || lines.plus.substr(1) == lines.title.substr(1));
    if (!good) refuse_shape(lines);
    const size_t blank = 1 + printable_letters(lines.title.substr(1));
    if (blank < lines.title.size() && lines.title[blank] != ' ' && lines.title[blank] != '\t') {
        refuse("its name holds " + shown(lines.title[blank]) + ": names are printable ASCII");
    }
    word = lines.title.substr(1, blank - 1);
    if (word.empty()) refuse("has no name");
    if (word[0] == '@') refuse("its name begins with @, as header lines of SAM do: rename it");
    if (word.size() > k_max_name_bytes)
        refuse("its name is longer than 254 letters, the limit of SAM and BAM");
    append(batch, lines);
    if (comment_tags_) append_tags(batch, lines.title.substr(blank));
    ++records_;
    if (encoding_ != nullptr && ++encoding_->reads == EncodingCheck::k_reads)
        require_phred_33(*encoding_, name_, records_);
    return true;
}

void RecordParser::append(ReadBatch& batch, const Lines& lines) {
    const size_t begin = batch.bases.size();
    const size_t length = lines.bases.size();
    batch.bases.resize(begin + length);
    batch.qualities.resize(begin + length);
    if (!encode_bases(lines.bases.data(), length, batch.bases.data() + begin)) refuse_base(lines.bases);
    uint8_t lowest = 255;
    uint8_t highest = 0;
    decode_qualities(lines.qualities.data(), length, batch.qualities.data() + begin, lowest, highest);
    if (length != 0 && (lowest < k_phred_offset || highest > k_phred_offset + k_max_phred))
        refuse_quality(lines.qualities);
    if (encoding_ != nullptr) encoding_->check.add(length, lowest, highest);
    batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
}

void RecordParser::append_tags(ReadBatch& batch, std::string_view comment) const {
    if (batch.tag_offset.empty()) batch.tag_offset.push_back(0);
    comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
    const std::string cause = append_sam_tags(comment, batch.tags);
    if (!cause.empty()) refuse("its comment is not tags of SAM separated by tabs, as -C needs: " + cause);
    batch.tag_offset.push_back(static_cast<uint32_t>(batch.tags.size()));
}

void RecordParser::refuse_shape(const Lines& lines) const {
    const bool cut_short = !lines.complete;
    if (lines.title[0] != '@') refuse_beginning(name_, records_ + 1, lines.title[0]);
    const char* const end_of_file = "the file ends inside it: it is cut, copy or make it again";
    if (cut_short && lines.qualities.size() < lines.bases.size()) refuse(end_of_file);
    if (lines.plus.empty() && cut_short) refuse(end_of_file);
    if (lines.plus.empty() || lines.plus[0] != '+') {
        if (!lines.plus.empty() && !lines.bases.empty() && all_iupac(lines.plus) && all_iupac(lines.bases)) {
            refuse("its sequence runs over several lines (multi-line FASTQ): write it on one (seqtk seq)");
        }
        refuse("its third line does not begin with '+'");
    }
    if (lines.plus.size() > 1 && lines.plus.substr(1) != lines.title.substr(1)) {
        refuse("its third line repeats another name than its first");
    }
    // The second line of wrapped qualities may begin with '@'; lines of equal length show that it is one.
    const bool shorter = lines.qualities.size() < lines.bases.size() && at_ != known_end_;
    const size_t wrapped = lines.qualities.size();
    const bool goes_on =
        shorter && (*at_ != '@' || (static_cast<size_t>(known_end_ - at_) > wrapped && at_[wrapped] == '\n'));
    refuse(
        "has " + std::to_string(lines.bases.size()) + " bases but " + std::to_string(wrapped) + " qualities" +
        (goes_on ? " on their first line: multi-line FASTQ is not read, write it on one (seqtk seq)" : ""));
}

void RecordParser::refuse_base(std::string_view bases) const {
    const auto bad =
        std::find_if(bases.begin(), bases.end(), [](char c) { return !k_is_iupac[static_cast<uint8_t>(c)]; });
    if (is_colour_space(bases))
        refuse("holds colours (SOLiD), not bases: colour-space reads are not supported");
    refuse("its base " + std::to_string(bad - bases.begin() + 1) + " is " + shown(*bad) +
           ", not a letter of nucleotides (IUPAC)" + (*bad == '.' ? "; write N for an unknown base" : ""));
}

void RecordParser::refuse_quality(std::string_view qualities) const {
    const auto bad =
        std::find_if(qualities.begin(), qualities.end(), [](char c) { return c < '!' || c > '~'; });
    if (bad != qualities.end() && (*bad == '\n' || *bad == '\r')) {
        refuse("has " + std::to_string(qualities.size()) + " bases but " +
               std::to_string(bad - qualities.begin()) + " qualities");
    }
    refuse("its quality " + std::to_string(bad - qualities.begin() + 1) + " is " + shown(*bad) +
           ", outside Phred+33 ('!' to '~')");
}

}  // namespace gannet::data::fastq
