// SPDX-License-Identifier: MIT
// Provides the program's entry: the one place where exceptions become exit codes.
#include "pipeline/cleanup.hpp"
#include "pipeline/cli/app.hpp"
#include "pipeline/exit.hpp"

#include <exception>

int main(int argc, char** argv) {
    try {
        gannet::pipeline::install_signal_cleanup();
        return gannet::pipeline::cli::run(argc, argv);
    } catch (...) {
        return gannet::pipeline::report_failure(std::current_exception());
    }
}
