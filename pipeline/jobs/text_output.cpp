// SPDX-License-Identifier: MIT
// Provides writing of small text files.
#include "pipeline/jobs/text_output.hpp"

#include "data/output_file.hpp"

#include <fstream>
#include <iterator>

namespace gannet::pipeline {

void write_text_file(const std::string& path, const std::string& text) {
    data::OutputFile file(path);
    file.write(text);
    file.commit();
}

std::string read_text_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gannet::pipeline
