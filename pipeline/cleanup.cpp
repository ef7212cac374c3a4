// SPDX-License-Identifier: MIT
// Provides the removal of unfinished files when a signal ends the run.
#include "pipeline/cleanup.hpp"

#include "data/error.hpp"
#include "data/mapped_files.hpp"
#include "data/unfinished.hpp"
#include "pipeline/exit.hpp"
#include "pipeline/log.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <pthread.h>
#include <string>
#include <string_view>
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
        case SIGUSR1:
            return "SIGUSR1";
        case SIGUSR2:
            return "SIGUSR2";
        case SIGXCPU:
            return "SIGXCPU";
        default:
            return "SIGTERM";
    }
}

/// Sent by the handler of SIGBUS, for the thread that waits for signals.
int lost_file_signal() { return SIGRTMIN + 1; }
std::atomic<const char*> lost_file{nullptr};

/// What is read through a memory map is gone: the file was cut, or its disk gives no more of it. The thread
/// that met this cannot go on; another one ends the run.
void end_lost_file(int, siginfo_t* info, void*) {
    const char* const path = data::mapped_file_at(info->si_addr);
    if (path == nullptr) {
        std::signal(SIGBUS, SIG_DFL);  // a fault of gannet's own, which comes again and is not caught
        return;
    }
    lost_file = path;
    kill(getpid(), lost_file_signal());
    for (;;) pause();
}

void wait_for_signal(sigset_t signals) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) return;
    data::remove_unfinished_for_ever();
    if (signal == lost_file_signal()) {
        const char* const path = lost_file;
        log_error(
            std::string(path != nullptr ? path : "a mapped file") +
            ": was cut while it was read, or its disk failed: run again when no other program writes to it");
        _exit(static_cast<int>(data::ErrorKind::malformed_input));
    }
    log_end(std::string("stopped by ") + name_of(signal));
    _exit(128 + signal);
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// For the end of a run that has no memory left: given back first, so that unfinished files can be removed
/// and the error said. Below malloc's threshold for mappings, so that it goes to the heap that serves every
/// thread whose own has no room.
constexpr size_t k_reserve_bytes = size_t{96} << 10;
std::unique_ptr<char[]> reserve;

/// The end of a run failed itself, in the thread that was at it.
[[noreturn]] void end_at_once() noexcept {
    constexpr std::string_view text = "gannet: error: out of memory\n";
    (void)!write(STDERR_FILENO, text.data(), text.size());
    _exit(static_cast<int>(data::ErrorKind::host_memory));
}

[[noreturn]] void end_in_the_middle() noexcept {
    static std::atomic_flag ending;
    static std::atomic<pthread_t> whose{};
    if (ending.test_and_set()) {
        if (pthread_equal(whose, pthread_self()) != 0) end_at_once();
        for (;;) pause();  // another thread is at it
    }
    whose = pthread_self();
    reserve.reset();
    data::try_remove_unfinished_for_ever();
    const std::exception_ptr error = std::current_exception();
    int code = static_cast<int>(data::ErrorKind::internal);
    if (error)
        code = report_failure(error);
    else
        log_error("internal fault: a thread was left running");
    _exit(code);
}

}  // namespace

void install_terminate_cleanup() {
    reserve = std::make_unique_for_overwrite<char[]>(k_reserve_bytes);
    std::set_terminate(end_in_the_middle);
}

void install_signal_cleanup() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    // What whoever started this process has it ignore (nohup, a job in the background of a script) stays
    // ignored.
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU}) {
        if (!is_ignored(signal)) sigaddset(&signals, signal);
    }
    sigaddset(&signals, lost_file_signal());
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    struct sigaction bus {};
    bus.sa_sigaction = end_lost_file;
    bus.sa_flags = SA_SIGINFO;
    sigemptyset(&bus.sa_mask);
    (void)data::mapped_file_at(nullptr);  // makes the list, which a handler must not
    sigaction(SIGBUS, &bus, nullptr);
    std::thread(wait_for_signal, signals).detach();
}

void wait_if_stopped() { (void)data::lock_unfinished(); }

void reserve_standard_descriptors() {
    // Standard input is opened for writing only and standard output for reading only, so that their use fails
    // as it would have.
    const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
        // The lowest free number is the one that is taken.
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", modes[descriptor]);
    }
}

}  // namespace gannet::pipeline
