// SPDX-License-Identifier: MIT
// Provides the log and the progress line.
#include "pipeline/progress.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <unistd.h>

namespace gannet::pipeline {
namespace {

std::atomic<bool> line_stands{false};

bool on_terminal() {
    static const bool terminal = isatty(STDERR_FILENO) != 0;
    return terminal;
}

std::string amount_text(uint64_t amount) {
    char text[32];
    if (amount >= 10'000'000) {
        std::snprintf(text, sizeof text, "%.1f M", static_cast<double>(amount) / 1e6);
    } else {
        std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(amount));
    }
    return text;
}

}  // namespace

void set_up_log(bool quiet) {
    auto logger = spdlog::stderr_logger_mt("gannet");
    // No clock in the lines: a log of two runs can be compared too. Times stand in the report.
    logger->set_pattern("[gannet] %v");
    logger->set_level(quiet ? spdlog::level::warn : spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

void log_info(const std::string& text) {
    clear_progress_line();
    spdlog::info("{}", text);
}

void log_warning(const std::string& text) {
    clear_progress_line();
    spdlog::warn("warning: {}", text);
}

void clear_progress_line() noexcept {
    if (line_stands.exchange(false)) std::fputs("\r\033[K", stderr);
}

void Progress::add(uint64_t amount, const char* unit) {
    using std::chrono::milliseconds;
    const std::lock_guard lock(mutex_);
    done_ += amount;
    const auto now = std::chrono::steady_clock::now();
    if (now - drawn_ < (on_terminal() ? milliseconds(500) : milliseconds(30'000))) return;
    drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const std::string text = what_ + ": " + amount_text(done_) + " " + unit + ", " +
                             amount_text(static_cast<uint64_t>(static_cast<double>(done_) / seconds)) + "/s";
    if (!on_terminal()) {
        spdlog::info("{}", text);
    } else if (spdlog::should_log(spdlog::level::info)) {
        std::fprintf(stderr, "\r\033[K[gannet] %s", text.c_str());
        line_stands = true;
    }
}

}  // namespace gannet::pipeline
