// SPDX-License-Identifier: MIT
// Provides the windows of a FASTQ file and the places in them where records end.
#include "data/fastq/text_cutter.hpp"

#include "data/fastq/reader.hpp"
#include "data/fastq/record_parser.hpp"

#include <algorithm>

namespace gannet::data::fastq {

/// Newlines in the first bytes of the window.
size_t TextCutter::lines_before(size_t offset) const {
    if (offset <= kept_) return count_newlines(window_.substr(0, offset));
    return kept_lines_ + input_.line_marks().before(window_.substr(kept_), offset - kept_);
}

/// Behind the n-th newline of the window, n from 1.
size_t TextCutter::offset_of_line(size_t n) const {
    if (n <= kept_lines_) return end_of_line(window_, n);
    return kept_ + input_.line_marks().end_of(window_.substr(kept_), n - kept_lines_);
}

void TextCutter::advance() {
    const size_t kept = window_.size() - at_;
    if (kept > k_max_fastq_record_bytes) refuse_long_record(name(), records_ + 1, window_[at_]);
    const std::span<const char> window = input_.next(kept);
    window_ = {window.data(), window.size()};
    ended_ = window.size() == kept;
    kept_ = kept;
    at_ = 0;
    lines_ = 0;
    count_lines();
}

/// The records that begin at the front of the window. Empty lines at its end are no part of one unless text
/// follows, which the next window shows.
void TextCutter::count_lines() {
    kept_lines_ = count_newlines(window_.substr(0, kept_));
    const size_t last = window_.find_last_not_of("\r\n");
    if (last == std::string_view::npos) {
        complete_ = 0;
        return;
    }
    const size_t before = ended_ ? count_newlines(window_.substr(0, last)) : lines_before(last);
    const bool has_newline = window_.find('\n', last) != std::string_view::npos;
    complete_ = ended_ ? before / 4 + 1 : (before + (has_newline ? 1 : 0)) / 4;
}

/// Has a record ready, or is at the end of the file.
bool TextCutter::fill() {
    while (complete_ == 0 && !ended_) advance();
    return complete_ != 0;
}

TextCutter::Size TextCutter::next_size() {
    if (!fill()) return {};
    const std::string_view rest = window_.substr(at_);
    const size_t title = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const size_t bases = std::min(rest.find('\n', title), rest.size()) - title;
    return {title + 2 * bases + 4, bases};
}

size_t TextCutter::cut(size_t most_records, size_t most_bytes, FileText& out) {
    size_t count = 0;
    while (count < most_records && most_bytes != 0 && fill()) {
        size_t take = std::min(most_records - count, complete_);
        if (window_.size() - at_ > most_bytes)
            take = std::min(take, (lines_before(at_ + most_bytes) - lines_) / 4 + 1);
        // At the end of the file the last record need not be complete, nor end with a newline.
        const bool is_rest = ended_ && take == complete_;
        const size_t end = is_rest ? window_.size() : offset_of_line(lines_ + 4 * take);
        out.pieces.push_back({input_.hold(), window_.substr(at_, end - at_), window_.size() - end});
        most_bytes -= std::min(most_bytes, end - at_);
        at_ = end;
        lines_ += 4 * take;
        complete_ -= take;
        records_ += take;
        count += take;
    }
    return count;
}

}  // namespace gannet::data::fastq
