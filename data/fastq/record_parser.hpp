// SPDX-License-Identifier: MIT
// Provides the records of a FASTQ text, appended to a batch as codes.
#pragma once

#include "data/fastq/encoding.hpp"
#include "data/fastq/text_batch.hpp"
#include "data/read_batch.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gannet::data::fastq {

/// The check of a file's first reads, which goes on from text to text.
struct EncodingProgress {
    EncodingCheck check;
    uint64_t reads = 0;
    bool is_decided() const { return reads >= EncodingCheck::k_reads; }
};

/// Parses four-line FASTQ (Cock et al. 2010, without line wrapping) with Phred+33 qualities
/// (data/fastq/encoding.hpp). Refuses what is not that: Error(malformed_input) with file, 1-based number of
/// the record, and cause.
class RecordParser {
  public:
    /// `text` and `name`, the file's, must outlive it. `encoding`: null where it is decided.
    RecordParser(const FileText& text, const std::string& name, bool comment_tags, EncodingProgress* encoding)
        : text_(text),
          name_(name),
          records_(text.first_record),
          comment_tags_(comment_tags),
          encoding_(encoding) {}

    uint64_t records() const { return records_; }  ///< the 1-based number of the last one
    /// Appends bases, qualities and an offset, and tags where comments hold them; `word` is the title up to
    /// the first blank, valid as long as the text. False at the end of the text.
    bool read(ReadBatch& batch, std::string_view& word);

  private:
    struct Lines {
        std::string_view title, bases, plus, qualities;
        bool complete = true;  ///< each ends with a newline; only the last record of a file need not
    };

    bool has_text();
    bool take_line(std::string_view& line);
    Lines cut();
    void append(ReadBatch& batch, const Lines& lines);
    void append_tags(ReadBatch& batch, std::string_view comment) const;
    [[noreturn]] void refuse(const std::string& cause) const;
    [[noreturn]] void refuse_shape(const Lines& lines) const;
    [[noreturn]] void refuse_base(std::string_view bases) const;
    [[noreturn]] void refuse_quality(std::string_view qualities) const;

    const FileText& text_;
    const std::string& name_;
    size_t next_piece_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* known_end_ = nullptr;  ///< of what is at hand of the file
    uint64_t records_;
    bool comment_tags_;
    EncodingProgress* encoding_;
};

/// Throws that the qualities of a file, whose name and number of records are given, are not Phred+33, if the
/// reads looked at say so.
void require_phred_33(const EncodingProgress& encoding, const std::string& name, uint64_t records);

/// Throws that a record, which begins with `letter`, is longer than k_max_fastq_record_bytes.
[[noreturn]] void refuse_long_record(const std::string& name, uint64_t record, char letter);

}  // namespace gannet::data::fastq
