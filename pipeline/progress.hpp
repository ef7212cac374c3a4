// SPDX-License-Identifier: MIT
// Provides the messages of a run: on stderr, in the file of --log, and the progress of its stages.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gannet::pipeline {

/// Where messages go.
struct LogOptions {
    bool quiet = false;      ///< only warnings and errors on stderr; the file has all messages
    std::string file;        ///< all messages, with date and time; empty: none
    double interval_s = 60;  ///< between progress lines where stderr is no terminal, and in the file; 0: none
};

/// Messages go to stderr as "[gannet] text" from here on. Those for the file are kept until open_log().
void set_up_log(const LogOptions& options);
/// Creates the file of --log (replacing an older one) and writes to it what was logged before. To be called
/// once the paths of the run have been checked. Throws Error(output_failed).
void open_log();

void log_info(const std::string& text);
void log_warning(const std::string& text);
/// "gannet: error: TEXT" on stderr, whatever --quiet says.
void log_error(const std::string& text) noexcept;
/// All warnings so far, without the word "warning".
std::vector<std::string> logged_warnings();
/// Removes the progress line from the terminal, if there is one.
void clear_progress_line() noexcept;

/// What a line of progress shows.
struct ProgressView {
    std::string what;      ///< "align"
    std::string unit;      ///< "reads"; empty: nothing is counted, only the time is shown
    uint64_t amount = 0;   ///< of the unit, so far
    double fraction = -1;  ///< of the input that has been read, 0-1; negative: unknown
    double elapsed_s = 0;
    bool compact = false;  ///< for a terminal: at most 79 columns
};
/// "align: 37 %, 12.3 M reads, 105 k reads/s, 1:23 elapsed, about 2:20 left".
std::string progress_text(const ProgressView& view);

/// The progress of a stage. On a terminal one line is redrawn twice per second; elsewhere a line is logged
/// every interval. Thread-safe.
class Progress {
  public:
    Progress(std::string what, std::string unit);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void add(uint64_t amount) { amount_ += amount; }
    /// How much of the input has been read, in any unit. A `total` of 0 means that it is not known.
    void set_position(uint64_t position, uint64_t total);

  private:
    void tick();
    std::string text(bool compact) const;

    const std::string what_;
    const std::string unit_;
    std::atomic<uint64_t> amount_{0};
    std::atomic<uint64_t> position_{0};
    std::atomic<uint64_t> total_{0};
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace gannet::pipeline
