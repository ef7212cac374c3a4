// SPDX-License-Identifier: MIT
// Provides the command line of gannet: subcommands, their help, and nearest names for what was mistyped.
#pragma once

namespace gannet::pipeline::cli {

/// Parses and runs. Returns the exit code; throws what jobs throw. Usage errors print one line and return 2.
int run(int argc, char** argv);

}  // namespace gannet::pipeline::cli
