// SPDX-License-Identifier: MIT
// Writes the table of the caller's model into docs/caller_model.md, or checks that it is there.
//
//   write_caller_model [--check] CALLER_MODEL.md
//
// Exit code 0: done, or up to date; 1: out of date, or the file cannot be read or written; 2: usage.
#include "variants/caller_model.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view k_begin = "<!-- numbers: written by scripts/update_model -->\n";
constexpr std::string_view k_end = "<!-- numbers: end -->\n";

int fail(const std::string& path, const char* cause) {
    std::fprintf(stderr, "write_caller_model: %s: %s\n", path.c_str(), cause);
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const bool check = argc > 1 && std::string_view(argv[1]) == "--check";
    if (argc != (check ? 3 : 2)) {
        std::fprintf(stderr, "usage: write_caller_model [--check] CALLER_MODEL.md\n");
        return 2;
    }
    const std::string path = argv[argc - 1];
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(path, "cannot be read");
    const std::string before{std::istreambuf_iterator<char>(in), {}};
    in.close();
    const size_t begin = before.find(k_begin);
    const size_t end = before.find(k_end);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return fail(path, "lacks the lines between which the table goes");
    const std::string after = before.substr(0, begin + k_begin.size()) +
                              gannet::variants::caller_model_markdown() + before.substr(end);
    if (before == after) return 0;
    if (check) return fail(path, "differs from variants/caller_model.hpp; run scripts/update_model");
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << after;
    out.close();
    return out ? 0 : fail(path, "cannot be written");
}
