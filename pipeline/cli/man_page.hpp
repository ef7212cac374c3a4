// SPDX-License-Identifier: MIT
// Provides the man pages of the commands.
#pragma once

#include "pipeline/cli/command_description.hpp"

#include <string>

namespace gannet::pipeline::cli {

/// A page in the macros of man(7). `program`: that of all commands, for the list of commands and SEE ALSO;
/// `version`: "gannet 0.1.0"; `date`: ISO 8601, or empty.
std::string man_page(const CommandDescription& command, const CommandDescription& program,
                     const std::string& version, const std::string& date);

}  // namespace gannet::pipeline::cli
