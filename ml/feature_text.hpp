// SPDX-License-Identifier: MIT
// Provides the tables of the scorer's input as text: for docs/scorer.md, and as a Python module for training.
#pragma once

#include <string>

namespace gannet::ml {

/// Markdown tables of ml/feature_table.hpp.
std::string features_markdown();
/// ml/train/features.py.
std::string features_python();

}  // namespace gannet::ml
