// SPDX-License-Identifier: MIT
// Provides where the lines of a text end, counted where the text is made, so that who cuts it into records
// need not go through all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gannet::data {

/// The number of newlines before each block of a text. Finding the n-th newline, or how many lie before a
/// place, then costs the search of one block.
class LineMarks {
  public:
    static constexpr size_t k_block_bytes = 4096;

    /// Memory for texts of up to so many bytes: to count in these then throws nothing.
    void reserve(size_t bytes) { before_.reserve(bytes / k_block_bytes + 2); }
    /// Counts those of `text`, which the other functions are given again.
    void count(std::string_view text);
    size_t total() const { return before_.empty() ? 0 : before_.back(); }
    /// Newlines in the first `offset` bytes.
    size_t before(std::string_view text, size_t offset) const;
    /// The offset behind the n-th newline, n in 1..total().
    size_t end_of(std::string_view text, size_t n) const;

  private:
    std::vector<uint32_t> before_;  ///< of each block, and of the end
};

/// Newlines in a text, as std::count finds them.
size_t count_newlines(std::string_view text);
/// The offset behind the n-th newline of a text that has as many.
size_t end_of_line(std::string_view text, size_t n);

}  // namespace gannet::data
