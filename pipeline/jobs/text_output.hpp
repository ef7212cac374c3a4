// SPDX-License-Identifier: MIT
// Provides small text outputs that appear complete or not at all.
#pragma once

#include <string>

namespace gannet::pipeline {

/// A data::OutputFile of this text. Throws Error(output_failed) or Error(disk_space).
void write_text_file(const std::string& path, const std::string& text);
std::string read_text_file(const std::string& path);  ///< empty when it cannot be read

}  // namespace gannet::pipeline
