// SPDX-License-Identifier: MIT
// Provides the files of ml/models that are built into the program, as cmake/EmbedModel.cmake writes them.
#pragma once

#include <string_view>

namespace gannet::ml {

struct ShippedFiles {
    std::string_view weights;  ///< empty in a build without a model
    std::string_view manifest;
};

ShippedFiles shipped_files();

}  // namespace gannet::ml
