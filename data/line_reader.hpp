// SPDX-License-Identifier: MIT
// Provides the lines of text files.
#pragma once

#include "data/input_stream.hpp"
#include "data/read_ahead.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gannet::data {

/// The first line of a text without the byte order mark that some editors put before it.
inline std::string_view without_byte_order_mark(std::string_view line) {
    constexpr std::string_view k_mark = "\xef\xbb\xbf";
    return line.starts_with(k_mark) ? line.substr(k_mark.size()) : line;
}

/// The lines of a text file, without their newlines. A line longer than `max_line_bytes` is
/// Error(malformed_input), so that memory stays bounded whatever the file is.
class LineReader {
  public:
    static constexpr size_t k_max_line_bytes = size_t{1} << 20;

    explicit LineReader(std::unique_ptr<InputStream> stream, size_t max_line_bytes = k_max_line_bytes)
        : input_(std::move(stream)), max_line_bytes_(max_line_bytes) {}
    const std::string& name() const { return input_.name(); }
    uint64_t number() const { return number_; }  ///< 1-based, of the line read last
    bool read(std::string_view& line);           ///< valid until the next call; false at the end

  private:
    ReadAhead input_;
    size_t max_line_bytes_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    uint64_t number_ = 0;
};

}  // namespace gannet::data
