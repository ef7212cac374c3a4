// SPDX-License-Identifier: MIT
// Provides the removal of partial files when a signal ends the run.
#include "pipeline/cleanup.hpp"

#include "data/error.hpp"
#include "pipeline/progress.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <pthread.h>
#include <set>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

struct Registry {
    std::mutex mutex;
    std::multiset<std::string> outputs;
    std::multiset<std::string> folders;
};

Registry& registry() {
    static Registry* const the_registry = new Registry;  // outlives every thread
    return *the_registry;
}

void remove_partials_of(const std::string& output) {
    const fs::path path(output);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const std::string stem = path.filename().string();
        if (name.starts_with(stem) && name.find(".partial", stem.size()) != std::string::npos) {
            fs::remove(entry.path(), ignored);
        }
    }
}

/// Where a stopped thread stays until the process ends.
void stand_still(int) {
    for (;;) pause();
}

/// Brings all other threads to a halt, so that none makes a file behind our back. Afterwards nothing that
/// takes a lock (not even malloc's) may be called: a thread may hold it.
void stop_other_threads(const std::vector<pid_t>& threads) {
    struct sigaction action {};
    action.sa_handler = stand_still;
    sigaction(SIGUSR2, &action, nullptr);
    for (const pid_t thread : threads) syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
    usleep(20'000);  // for system calls under way to end
}

std::vector<pid_t> other_threads() {
    std::vector<pid_t> threads;
    std::error_code ignored;
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    for (const auto& entry : fs::directory_iterator("/proc/self/task", ignored)) {
        const pid_t thread = std::atoi(entry.path().filename().c_str());
        if (thread != self) threads.push_back(thread);
    }
    return threads;
}

void wait_for_signal(sigset_t signals) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) return;
    Registry& known = registry();
    // Held until the end: nothing may be registered, or renamed by a destructor that waits here, from now on.
    known.mutex.lock();
    for (const std::string& output : known.outputs) remove_partials_of(output);
    std::error_code ignored;
    for (const std::string& folder : known.folders) fs::remove_all(folder, ignored);
    clear_progress_line();
    std::fprintf(stderr, "gannet: stopped by %s\n", signal == SIGINT ? "SIGINT" : "SIGTERM");
    // A writer may have been opened since: what it made has one of few names.
    std::vector<std::string> late(known.folders.begin(), known.folders.end());
    for (const std::string& output : known.outputs) {
        for (const char* index : {"", ".bai", ".csi", ".tbi", ".crai"})
            late.push_back(output + index + ".partial");
    }
    stop_other_threads(other_threads());
    for (const std::string& path : late) {
        if (unlink(path.c_str()) != 0 && errno == EISDIR) rmdir(path.c_str());
    }
    _exit(128 + signal);
}

}  // namespace

void install_signal_cleanup() {
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(wait_for_signal, signals).detach();
}

PartialOutput::PartialOutput(std::string path) : path_(std::move(path)) {
    const std::lock_guard lock(registry().mutex);
    registry().outputs.insert(path_);
}

PartialOutput::~PartialOutput() {
    const std::lock_guard lock(registry().mutex);
    registry().outputs.erase(registry().outputs.find(path_));
}

TemporaryFolder::TemporaryFolder(const std::string& parent) {
    static std::atomic<unsigned> serial{0};
    path_ = (fs::path(parent) / (".gannet-tmp-" + std::to_string(getpid()) + "-" + std::to_string(serial++)))
                .string();
    {
        const std::lock_guard lock(registry().mutex);
        registry().folders.insert(path_);
    }
    std::error_code fault;
    fs::create_directories(path_, fault);
    if (fault) {
        const std::lock_guard lock(registry().mutex);
        registry().folders.erase(registry().folders.find(path_));
        throw data::Error(data::ErrorKind::disk_space, path_ + ": cannot make a temporary folder (" +
                                                           fault.message() +
                                                           "): give another place with --tmp");
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    const std::lock_guard lock(registry().mutex);
    registry().folders.erase(registry().folders.find(path_));
}

}  // namespace gannet::pipeline
