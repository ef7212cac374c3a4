// SPDX-License-Identifier: MIT
// Provides the completion of commands, options and values for shells.
#pragma once

#include "pipeline/cli/command_description.hpp"

#include <string>

namespace gannet::pipeline::cli {

/// For bash 4 or later, with or without the package bash-completion.
std::string bash_completion(const CommandDescription& program);
/// An autoloaded function, _gannet.
std::string zsh_completion(const CommandDescription& program);
std::string fish_completion(const CommandDescription& program);

}  // namespace gannet::pipeline::cli
