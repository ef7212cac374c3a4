// SPDX-License-Identifier: MIT
// Provides the log on stderr and, on a terminal, one line of progress that is redrawn below it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace gannet::pipeline {

/// Log lines go to stderr as "[gannet] text"; `quiet` leaves warnings and errors only.
void set_up_log(bool quiet);
void log_info(const std::string& text);
void log_warning(const std::string& text);
/// Removes a progress line from the terminal, if one stands.
void clear_progress_line() noexcept;

/// How far a stage has come. Thread-safe; draws twice a second on a terminal, logs twice a minute elsewhere.
class Progress {
  public:
    explicit Progress(std::string what) : what_(std::move(what)) {}
    ~Progress() { clear_progress_line(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    /// `text`: "1.2 M reads".
    void add(uint64_t amount, const char* unit);

  private:
    std::string what_;
    std::mutex mutex_;
    uint64_t done_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point drawn_ = begin_;
};

}  // namespace gannet::pipeline
