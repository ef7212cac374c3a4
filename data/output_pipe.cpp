// SPDX-License-Identifier: MIT
// Provides the pipe in front of an output.
#include "data/output_pipe.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
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
    (void)fcntl(writing_end_, F_SETPIPE_SZ, static_cast<int>(k_buffer_bytes));  // faster, where it is allowed
    thread_ = std::thread([this] { copy(); });
}

OutputPipe::~OutputPipe() {
    if (writing_end_ >= 0) close(writing_end_);
    if (thread_.joinable()) thread_.join();
    close(reading_end_);
}

int OutputPipe::take_writing_end() { return std::exchange(writing_end_, -1); }

void OutputPipe::copy() noexcept {
    std::vector<uint8_t> buffer(k_buffer_bytes);
    for (;;) {
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
