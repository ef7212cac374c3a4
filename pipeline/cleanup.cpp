// SPDX-License-Identifier: MIT
// Provides the removal of unfinished files when a signal ends the run.
#include "pipeline/cleanup.hpp"

#include "data/unfinished.hpp"
#include "pipeline/log.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace gannet::pipeline {
namespace {

const char* name_of(int signal) {
    switch (signal) {
        case SIGHUP:
            return "SIGHUP";
        case SIGINT:
            return "SIGINT";
        default:
            return "SIGTERM";
    }
}

void wait_for_signal(sigset_t signals) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) return;
    data::remove_unfinished_for_ever();
    log_end(std::string("stopped by ") + name_of(signal));
    _exit(128 + signal);
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_cleanup() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(wait_for_signal, signals).detach();
}

void wait_if_stopped() { (void)data::lock_unfinished(); }

void reserve_standard_descriptors() {
    // Standard output is opened for reading only, so that writing to it fails as it would have.
    const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
        // The lowest free number is the one that is taken.
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", modes[descriptor]);
    }
}

}  // namespace gannet::pipeline
