// SPDX-License-Identifier: MIT
// Provides docs/options.md: the options of all commands as tables.
#pragma once

#include "pipeline/cli/command_description.hpp"

#include <string>

namespace gannet::pipeline::cli {

/// Markdown. The same on every machine.
std::string option_page(const CommandDescription& program);

}  // namespace gannet::pipeline::cli
