// SPDX-License-Identifier: MIT
// Provides small text outputs that appear whole or not at all.
#pragma once

#include <string>

namespace gannet::pipeline {

/// Writes beside and renames. Throws Error(output_failed) or Error(disk_space).
void write_text_file(const std::string& path, const std::string& text);
std::string read_text_file(const std::string& path);  ///< empty when it cannot be read

}  // namespace gannet::pipeline
