// SPDX-License-Identifier: MIT
// Provides the records of one FASTQ file, appended to a batch as codes.
#pragma once

#include "data/fastq/encoding.hpp"
#include "data/fastq/reader.hpp"
#include "data/read_ahead.hpp"
#include "data/read_batch.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gannet::data::fastq {

/// Parses four-line FASTQ (Cock et al. 2010, without line wrapping) with Phred+33 qualities
/// (data/fastq/encoding.hpp).
class TextSource {
  public:
    TextSource(std::unique_ptr<InputStream> stream, TaskRunner* runner, bool comment_tags = false)
        : input_(std::move(stream), runner), comment_tags_(comment_tags) {}

    const std::string& name() const { return input_.name(); }
    uint64_t position_bytes() const { return input_.position_bytes(); }  ///< in the file, as stored
    void use_runner(TaskRunner* runner) { input_.use_runner(runner); }
    uint64_t records() const { return records_; }  ///< read so far: the 1-based number of the last one
    /// Appends bases, qualities and an offset, and tags where comments hold them; `word` is the title up to
    /// the first blank, valid until the next call. False at the end of the file.
    bool read(ReadBatch& batch, std::string_view& word);

  private:
    struct Lines {
        std::string_view title, bases, plus, qualities;
    };
    enum class Cut { complete, more, end };

    Cut cut(Lines& lines);
    bool take_line(std::string_view& line);
    bool rest_is_blank();
    void advance();
    void append(ReadBatch& batch, const Lines& lines);
    void append_tags(ReadBatch& batch, std::string_view comment) const;
    void check_encoding() const;
    [[noreturn]] void refuse(const std::string& cause) const;
    [[noreturn]] void refuse_beginning(char letter) const;
    [[noreturn]] void refuse_shape(const Lines& lines) const;
    [[noreturn]] void refuse_base(std::string_view bases) const;
    [[noreturn]] void refuse_quality(std::string_view qualities) const;

    ReadAhead input_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    bool ended_ = false;  ///< the window reaches the end of the file
    bool comment_tags_;
    uint64_t records_ = 0;
    EncodingCheck encoding_;
};

}  // namespace gannet::data::fastq
