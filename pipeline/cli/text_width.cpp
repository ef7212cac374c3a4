// SPDX-License-Identifier: MIT
// Provides the wrapping of help texts.
#include "pipeline/cli/text_width.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace gannet::pipeline::cli {
namespace {

constexpr size_t k_default_width = 80;
constexpr size_t k_min_width = 40;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The words of a text; what stands in single quotes is one word. After a letter it is an apostrophe.
std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    for (const char letter : text) {
        if (letter == '\'') quoted = !quoted && (word.empty() || !is_letter(word.back()));
        if (letter != ' ' || quoted) {
            word += letter;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty()) words.push_back(std::move(word));
    return words;
}

/// Options stay with their values: "-o out.bam" is never broken.
std::vector<std::string> split_command(std::string_view text) {
    std::vector<std::string> parts;
    for (std::string& word : split_words(text)) {
        const bool value = !parts.empty() && parts.back()[0] == '-' &&
                           parts.back().find(' ') == std::string::npos && word[0] != '-';
        if (value) {
            parts.back() += " " + word;
        } else {
            parts.push_back(std::move(word));
        }
    }
    return parts;
}

std::string join(const std::vector<std::string>& words, size_t width, size_t begin, size_t indent,
                 std::string_view line_end) {
    std::string text;
    size_t column = begin;
    for (size_t i = 0; i < words.size(); ++i) {
        const size_t reserve = i + 1 < words.size() ? line_end.size() : 0;
        if (i > 0 && column + 1 + words[i].size() + reserve > width) {
            text += std::string(line_end) + "\n" + std::string(indent, ' ');
            column = indent;
        } else if (i > 0) {
            text += ' ';
            ++column;
        }
        text += words[i];
        column += words[i].size();
    }
    return text;
}

}  // namespace

size_t help_width() {
    size_t width = 0;
    if (const char* const columns = std::getenv("COLUMNS")) width = std::strtoul(columns, nullptr, 10);
    winsize size{};
    if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    return width == 0 ? k_default_width : std::max(width, k_min_width);
}

std::string wrap(std::string_view text, size_t width, size_t begin, size_t indent) {
    return join(split_words(text), width, begin, indent, "");
}

std::string wrap_line(std::string_view line, size_t width) {
    if (line.size() <= width) return std::string(line);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string begin(indent, ' ');
    const std::string_view text = line.substr(indent);
    if (indent > 0 && text.starts_with("gannet "))
        return begin + join(split_command(text), width, indent, indent + 4, " \\");
    size_t column = line.find("  ", indent);
    column = column == std::string_view::npos ? column : line.find_first_not_of(' ', column);
    if (column == std::string_view::npos) return begin + wrap(text, width, indent, indent);
    return std::string(line.substr(0, column)) + wrap(line.substr(column), width, column, column);
}

}  // namespace gannet::pipeline::cli
