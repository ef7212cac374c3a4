// SPDX-License-Identifier: MIT
// Provides the check of devices before they are used.
#include "pipeline/jobs/device_check.hpp"

#include "kernels/cuda/device.hpp"
#include "pipeline/jobs/checked_files.hpp"
#include "pipeline/jobs/headers.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace gannet::pipeline {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds k_time_limit{300};
constexpr const char* k_own_program = "/proc/self/exe";

/// Reads until the other end is closed; false where that has not happened in time.
bool read_all(int descriptor, std::string& text) {
    const auto end = steady_clock::now() + k_time_limit;
    std::array<char, 4096> part;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now());
        pollfd waited{descriptor, POLLIN, 0};
        if (left.count() <= 0 || poll(&waited, 1, static_cast<int>(left.count())) == 0) return false;
        const ssize_t got = read(descriptor, part.data(), part.size());
        if (got == 0 || (got < 0 && errno != EINTR)) return true;
        if (got > 0) text.append(part.data(), static_cast<size_t>(got));
    }
}

/// The last line of what a program said, without what gannet's errors begin with.
std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    const std::string before = "error: ";
    const size_t at = text.find(before);
    return at == std::string::npos ? text : text.substr(at + before.size());
}

/// What is wrong; empty where the self-test has passed.
std::string run_self_test() {
    std::string devices;
    for (const kernels::cuda::DeviceInfo& device : kernels::cuda::devices_in_use())
        devices += (devices.empty() ? "" : ",") + std::to_string(device.ordinal);
    std::vector<std::string> words{"gannet", "devices", "--self-test", "--devices", devices};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return "its self-test could not be started";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t process = 0;
    const int fault = posix_spawn(&process, k_own_program, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string said;
    const bool has_ended = fault == 0 && read_all(ends[0], said);
    close(ends[0]);
    if (fault != 0) return "its self-test could not be started";
    if (!has_ended) kill(process, SIGKILL);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!has_ended) return "its self-test has not ended after " + std::to_string(k_time_limit.count()) + " s";
    if (WIFSIGNALED(status)) return "its self-test was ended by signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? std::string() : last_line(said);
}

}  // namespace

DeviceCheck check_devices() {
    DeviceCheck result;
    const std::string devices = kernels::cuda::self_test_identity();
    if (devices.empty()) return result;
    const std::string build = file_identity(k_own_program);
    const std::string check = "device self-test: " + program_name() + ", " + build + ", " + devices;
    CheckedFiles passed;
    result.was_remembered = !build.empty() && passed.contains(check);
    if (result.was_remembered) return result;
    result.fault = run_self_test();
    if (result.fault.empty() && !build.empty()) passed.remember(check);
    return result;
}

}  // namespace gannet::pipeline
