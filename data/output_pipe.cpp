// SPDX-License-Identifier: MIT
// Provides the pipe in front of an output.
#include "data/output_pipe.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gannet::data {
namespace {

constexpr size_t k_buffer_bytes = size_t{1} << 18;

}  // namespace

OutputPipe::OutputPipe(OutputFile& file) : file_(file) {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_output_failed(file.path(), errno);
    reading_end_ = ends[0];
    writing_end_ = ends[1];
    ending_ = eventfd(0, EFD_CLOEXEC);
    if (ending_ < 0) {
        const int error = errno;
        close(reading_end_);
        close(writing_end_);
        throw_output_failed(file.path(), error);
    }
    (void)fcntl(writing_end_, F_SETPIPE_SZ, static_cast<int>(k_buffer_bytes));  // faster, where it is allowed
    thread_ = std::thread([this] { copy(); });
}

OutputPipe::~OutputPipe() {
    if (writing_end_ >= 0) close(writing_end_);
    (void)eventfd_write(ending_, 1);
    if (thread_.joinable()) thread_.join();
    close(reading_end_);
    close(ending_);
}

int OutputPipe::take_writing_end() { return std::exchange(writing_end_, -1); }

/// False where the pipe is being destroyed and holds nothing.
bool OutputPipe::wait_for_more() const {
    std::array<pollfd, 2> ends{{{reading_end_, POLLIN, 0}, {ending_, POLLIN, 0}}};
    while (poll(ends.data(), ends.size(), -1) < 0 && errno == EINTR) {
    }
    return ends[0].revents != 0;
}

void OutputPipe::copy() noexcept {
    std::vector<uint8_t> buffer(k_buffer_bytes);
    while (wait_for_more()) {
        const ssize_t size = read(reading_end_, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return;
        if (failed_) continue;
        try {
            file_.write({buffer.data(), static_cast<size_t>(size)});
        } catch (...) {
            failure_ = std::current_exception();
            failed_ = true;
        }
    }
}

void OutputPipe::check() const {
    if (failed_) std::rethrow_exception(failure_);
}

void OutputPipe::finish() {
    thread_.join();
    check();
}

}  // namespace gannet::data
