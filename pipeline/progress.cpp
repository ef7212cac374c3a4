// SPDX-License-Identifier: MIT
// Provides the log and the progress of stages.
#include "pipeline/progress.hpp"

#include "data/error.hpp"
#include "data/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gannet::pipeline {
namespace {

constexpr std::chrono::milliseconds k_redraw_interval(500);
constexpr double k_min_elapsed_for_estimate_s = 3;

/// All that the log of the process consists of.
struct Log {
    std::mutex mutex;
    LogOptions options;
    bool line_drawn = false;  ///< the terminal's last line is one of progress
    int file = -1;
    std::string unwritten;  ///< for the file, until it is open
    std::vector<std::string> warnings;
};

Log& the_log() {
    static Log log;
    return log;
}

bool on_terminal() {
    static const bool terminal = isatty(STDERR_FILENO) != 0;
    return terminal;
}

std::string timestamp() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    return text;
}

/// With the mutex held. A log that cannot be written ends no run.
void to_file(Log& log, const std::string& line) {
    if (log.options.file.empty()) return;
    log.unwritten += timestamp() + " " + line + "\n";
    if (log.file < 0) return;
    while (!log.unwritten.empty()) {
        const ssize_t written = write(log.file, log.unwritten.data(), log.unwritten.size());
        if (written <= 0) break;
        log.unwritten.erase(0, static_cast<size_t>(written));
    }
    log.unwritten.clear();
}

/// With the mutex held.
void to_stderr(Log& log, const std::string& line) {
    if (log.line_drawn) std::fputs("\r\033[K", stderr);
    log.line_drawn = false;
    std::fprintf(stderr, "%s\n", line.c_str());
}

/// In one line, and without what would change a terminal: control characters as \n or \x1b.
std::string printable(const std::string& text) {
    std::string shown;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto letter = static_cast<unsigned char>(text[i]);
        const bool is_c1 =
            letter == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (letter >= 0x20 && letter != 0x7f && !is_c1) {
            shown += text[i];
        } else if (letter == '\n') {
            shown += "\\n";
        } else if (letter == '\t') {
            shown += "\\t";
        } else {
            char code[8];
            std::snprintf(code, sizeof code, "\\x%02x",
                          is_c1 ? static_cast<unsigned char>(text[++i]) : letter);
            shown += code;
        }
    }
    return shown;
}

void draw_line(const std::string& text) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    if (log.options.quiet) return;
    winsize size{};
    size_t columns = 80;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
    std::fprintf(stderr, "\r\033[K%s", ("[gannet] " + text).substr(0, columns - 1).c_str());
    std::fflush(stderr);
    log.line_drawn = true;
}

void log_progress(const std::string& text) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    to_file(log, "[gannet] " + text);
    if (!log.options.quiet && !on_terminal()) to_stderr(log, "[gannet] " + text);
}

std::string amount_text(double amount) {
    char text[32];
    if (amount >= 1e9) {
        std::snprintf(text, sizeof text, "%.1f G", amount / 1e9);
    } else if (amount >= 1e7) {
        std::snprintf(text, sizeof text, "%.1f M", amount / 1e6);
    } else if (amount >= 1e4) {
        std::snprintf(text, sizeof text, "%.0f k", amount / 1e3);
    } else {
        std::snprintf(text, sizeof text, "%.0f", amount);
    }
    return text;
}

/// "1:23", "2:01:23".
std::string time_text(double seconds) {
    const auto whole = static_cast<long>(std::lround(seconds));
    char text[32];
    if (whole >= 3600) {
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    }
    return text;
}

}  // namespace

void set_up_log(const LogOptions& options) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.options = options;
}

void open_log() {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    if (log.options.file.empty() || log.file >= 0) return;
    errno = 0;
    const int file =
        open(log.options.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) data::throw_output_failed(log.options.file, errno);
    log.file = file;
    std::string before;
    before.swap(log.unwritten);
    if (!before.empty() && write(file, before.data(), before.size()) < 0)
        data::throw_output_failed(log.options.file, errno);
}

void log_info(const std::string& given) {
    const std::string text = printable(given);
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    to_file(log, "[gannet] " + text);
    // No time on stderr, so that the messages of two runs can be compared.
    if (!log.options.quiet) to_stderr(log, "[gannet] " + text);
}

void log_warning(const std::string& given) {
    const std::string text = printable(given);
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.warnings.push_back(text);
    to_file(log, "[gannet] warning: " + text);
    to_stderr(log, "[gannet] warning: " + text);
}

void log_error(const std::string& given) noexcept {
    try {
        const std::string text = printable(given);
        Log& log = the_log();
        const std::lock_guard lock(log.mutex);
        to_stderr(log, "gannet: error: " + text);
        to_file(log, "gannet: error: " + text);
    } catch (...) {
        std::fputs("gannet: error: out of memory\n", stderr);
    }
}

std::vector<std::string> logged_warnings() {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    return log.warnings;
}

void clear_progress_line() noexcept {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    if (log.line_drawn) std::fputs("\r\033[K", stderr);
    log.line_drawn = false;
}

std::string progress_text(const ProgressView& view) {
    const double rate = view.elapsed_s > 0 ? static_cast<double>(view.amount) / view.elapsed_s : 0;
    std::string text = view.what + ": ";
    if (view.fraction >= 0) {
        const double percent = std::floor(100 * std::min(view.fraction, 1.0));
        text += std::to_string(static_cast<int>(percent)) + " %, ";
    }
    if (!view.unit.empty()) {
        text += amount_text(static_cast<double>(view.amount)) + " " + view.unit + ", " + amount_text(rate) +
                (view.compact ? "/s, " : " " + view.unit + "/s, ");
    }
    text += time_text(view.elapsed_s) + " elapsed";
    // Early in a run the estimate would be dominated by opening and buffering files.
    if (view.fraction > 0.005 && view.elapsed_s >= k_min_elapsed_for_estimate_s) {
        const double left = view.elapsed_s * (1 - std::min(view.fraction, 1.0)) / view.fraction;
        text += (view.compact ? ", " : ", about ") + time_text(left) + " left";
    }
    return text;
}

Progress::Progress(std::string what, std::string unit)
    : what_(std::move(what)), unit_(std::move(unit)), thread_([this] { tick(); }) {}

Progress::~Progress() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
    clear_progress_line();
}

void Progress::set_position(uint64_t position, uint64_t total) {
    position_ = position;
    total_ = total;
}

std::string Progress::text(bool compact) const {
    ProgressView view;
    view.what = what_;
    view.unit = unit_;
    view.amount = amount_;
    if (const uint64_t total = total_; total > 0)
        view.fraction = static_cast<double>(position_) / static_cast<double>(total);
    view.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    view.compact = compact;
    return progress_text(view);
}

void Progress::tick() {
    using std::chrono::duration;
    using Clock = std::chrono::steady_clock;
    const double interval_s = [] {
        Log& log = the_log();
        const std::lock_guard lock(log.mutex);
        return log.options.interval_s > 0 ? log.options.interval_s : 1e9;
    }();
    const auto interval = std::chrono::duration_cast<Clock::duration>(duration<double>(interval_s));
    auto next_line = begin_ + interval;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const auto redraw = Clock::now() + k_redraw_interval;
        stop_.wait_until(lock, on_terminal() ? std::min(redraw, next_line) : next_line);
        if (stopping_) return;
        if (on_terminal()) draw_line(text(true));
        if (Clock::now() >= next_line) {
            log_progress(text(false));
            next_line += interval;
        }
    }
}

}  // namespace gannet::pipeline
