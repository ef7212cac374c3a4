// SPDX-License-Identifier: MIT
// Provides the program's entry: the one function where exceptions become exit codes.
#include "pipeline/cleanup.hpp"
#include "pipeline/cli/app.hpp"
#include "pipeline/exit.hpp"
#include "pipeline/standard_output.hpp"
#include "pipeline/thread_check.hpp"

#include <exception>

int main(int argc, char** argv) {
    using namespace gannet::pipeline;
    reserve_standard_descriptors();
    int code = 0;
    const auto run = [&] {
        try {
            StandardOutput output;
            code = cli::run(argc, argv);
            output.finish();
            wait_if_stopped();
        } catch (...) {
            wait_if_stopped();
            code = report_failure(std::current_exception());
        }
    };
    try {
        install_terminate_cleanup();
        set_thread_stacks();
        install_signal_cleanup();  // in this thread, whose mask the others inherit
        with_enough_stack(run);
    } catch (...) {
        code = report_failure(std::current_exception());
    }
    if (code == 0) end_process_at_once();
    return code;
}
