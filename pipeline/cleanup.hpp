// SPDX-License-Identifier: MIT
// Provides the end of runs that a signal stops: what they have not finished is removed, then the process
// exits with 128 + the signal's number.
#pragma once

namespace gannet::pipeline {

/// Blocks SIGHUP, SIGINT, SIGTERM, and what batch systems send before they kill (SIGUSR1, SIGUSR2, SIGXCPU),
/// unless they are ignored already, in the calling thread, and so in all that it starts, and waits for them
/// in a separate thread. That thread removes what data/unfinished.hpp lists and ends the process. SIGPIPE and
/// SIGXFSZ are ignored: a closed pipe and a file that grows too large are failed writes. SIGBUS of a mapped
/// file that was cut ends the run with exit code 3. Call once, before any thread is started.
void install_signal_cleanup();

/// From now on what ends a process without an exception to be caught (std::terminate: memory or a thread that
/// could not be had where no error can be given) removes unfinished files and exits as that exception would.
void install_terminate_cleanup();

/// Does not return where a signal is ending the process: what fails because its files are being removed is
/// not reported. Call before an error is reported and before the process ends.
void wait_if_stopped();

/// Opens /dev/null on those of descriptors 0 to 2 that are closed, so that no file gets one of their numbers
/// and log lines as its content. A closed standard output stays one that cannot be written. Call first.
void reserve_standard_descriptors();

}  // namespace gannet::pipeline
