// SPDX-License-Identifier: MIT
// Writes the tables of the scorer's input into docs/scorer.md and ml/train/features.py, or checks that they
// are there.
//
//   write_features [--check] SCORER.md FEATURES.py
//
// Exit code 0: done, or up to date; 1: out of date, or a file cannot be read or written; 2: usage.
#include "ml/feature_text.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view k_begin = "<!-- features: written by scripts/update_features -->\n";
constexpr std::string_view k_end = "<!-- features: end -->\n";

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// The document with new tables between its two markers.
std::optional<std::string> with_tables(const std::string& document) {
    const size_t begin = document.find(k_begin);
    const size_t end = document.find(k_end);
    if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
    return document.substr(0, begin + k_begin.size()) + gannet::ml::features_markdown() +
           document.substr(end);
}

int fail(const std::string& path, const char* cause) {
    std::fprintf(stderr, "write_features: %s: %s\n", path.c_str(), cause);
    return 1;
}

int update(const std::string& path, const std::string& old_text, const std::string& new_text, bool check) {
    if (old_text == new_text) return 0;
    if (check) return fail(path, "differs from ml/feature_table.hpp; run scripts/update_features");
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << new_text;
    file.close();
    return file ? 0 : fail(path, "cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
    const bool check = argc > 1 && std::string_view(argv[1]) == "--check";
    if (argc != (check ? 4 : 3)) {
        std::fprintf(stderr, "usage: write_features [--check] SCORER.md FEATURES.py\n");
        return 2;
    }
    const std::string document_path = argv[argc - 2];
    const std::string python_path = argv[argc - 1];
    const auto document = read_file(document_path);
    if (!document) return fail(document_path, "cannot be read");
    const auto new_document = with_tables(*document);
    if (!new_document) return fail(document_path, "lacks the lines between which the tables go");
    const int document_result = update(document_path, *document, *new_document, check);
    const int python_result =
        update(python_path, read_file(python_path).value_or(""), gannet::ml::features_python(), check);
    return document_result != 0 ? document_result : python_result;
}
