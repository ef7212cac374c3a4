// SPDX-License-Identifier: MIT
// Provides the width of the terminal and the wrapping of text at it, without breaking a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gannet::pipeline::cli {

/// Columns of help texts: the environment variable COLUMNS, else the terminal of standard output, else 80; at
/// least 40.
size_t help_width();

/// `text` broken at blanks so that no line is longer than `width` columns, unless a single word is. The first
/// line begins in column `begin`, which the caller has written already; later ones are indented by `indent`
/// blanks. Ends without a newline.
std::string wrap(std::string_view text, size_t width, size_t begin, size_t indent);

/// Wraps a line that is laid out already: an example ("  gannet ...") is continued with a backslash, as a
/// shell reads it; any other keeps its indent, or that of its second column ("  name   text").
std::string wrap_line(std::string_view line, size_t width);

}  // namespace gannet::pipeline::cli
