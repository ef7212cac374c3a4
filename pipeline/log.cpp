// SPDX-License-Identifier: MIT
// Provides the messages of a run through spdlog, which this source alone includes.
#include "pipeline/log.hpp"

#include "data/error.hpp"
#include "data/json_text.hpp"
#include "data/output_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gannet::pipeline {
namespace {

/// What every message looks like, and what precedes it in the file. stderr has no time, so that the messages
/// of two runs can be compared.
constexpr const char* k_pattern = "%*%v";
constexpr const char* k_file_pattern = "%Y-%m-%d %H:%M:%S %*%v";

/// %* of the pattern: what begins a message of a level.
class Beginning final : public spdlog::custom_flag_formatter {
  public:
    void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
                spdlog::memory_buf_t& out) override {
        const std::string_view text = of(message.level);
        out.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Beginning>(); }

  private:
    static std::string_view of(spdlog::level::level_enum level) {
        if (level == spdlog::level::warn) return "[gannet] warning: ";
        if (level == spdlog::level::err) return "gannet: error: ";
        if (level == spdlog::level::critical) return "gannet: ";
        return "[gannet] ";
    }
};

std::unique_ptr<spdlog::formatter> formatter(const char* pattern) {
    auto made = std::make_unique<spdlog::pattern_formatter>();
    made->add_flag<Beginning>('*').set_pattern(pattern);
    return made;
}

/// A message as a JSON object. Bytes that are not UTF-8 are replaced.
class JsonFormatter final : public spdlog::formatter {
  public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        using std::chrono::milliseconds;
        const auto since = std::chrono::duration_cast<milliseconds>(message.time.time_since_epoch()).count();
        const std::time_t seconds = since / 1000;
        std::tm utc{};
        gmtime_r(&seconds, &utc);
        char time[40];
        const size_t length = std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &utc);
        std::snprintf(time + length, sizeof time - length, ".%03dZ", static_cast<int>(since % 1000));
        const char* const level = message.level == spdlog::level::warn  ? "warning"
                                  : message.level >= spdlog::level::err ? "error"
                                                                        : "info";
        const nlohmann::ordered_json object = {
            {"time", time},
            {"level", level},
            {"message", std::string(message.payload.data(), message.payload.size())}};
        const std::string line = data::json_text(object, data::k_json_in_one_line) + "\n";
        out.append(line.data(), line.data() + line.size());
    }
    std::unique_ptr<formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

std::unique_ptr<spdlog::formatter> formatter_of(const LogOptions& options, const char* pattern) {
    if (options.json) return std::make_unique<JsonFormatter>();
    return formatter(pattern);
}

/// The file of --log. spdlog's own would create missing folders, and could not keep messages until the paths
/// of the run have been checked.
class FileSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    /// Throws Error(output_failed).
    void open(const std::string& path) {
        if (file_ >= 0) return;
        errno = 0;
        file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (file_ < 0) data::throw_output_failed(path, errno);
        write_out();
    }
    /// Of the first write that failed, once; 0: none has.
    int take_fault() { return std::exchange(fault_, 0); }

  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        unwritten_.append(line.data(), line.size());
        if (file_ >= 0) write_out();
    }
    void flush_() override {}

  private:
    /// A log that cannot be written ends no run, but a warning says so.
    void write_out() {
        ssize_t written = 0;
        for (size_t at = 0; at < unwritten_.size(); at += static_cast<size_t>(written)) {
            do {
                written = write(file_, unwritten_.data() + at, unwritten_.size() - at);
            } while (written < 0 && errno == EINTR);
            if (written > 0) continue;
            if (!std::exchange(has_failed_, true)) fault_ = written < 0 ? errno : EIO;
            break;
        }
        unwritten_.clear();
    }

    int file_ = -1;
    int fault_ = 0;
    bool has_failed_ = false;
    std::string unwritten_;  ///< until it is open
};

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

/// Of set_up_log(); apart from the log, whose mutex may be held.
std::atomic<bool> is_json{false};

/// Of a line these stay free: the terminal writes ^C there.
constexpr size_t k_free_columns = 2;

size_t terminal_columns() {
    winsize size{};
    const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : 80;
}

/// A terminal of which this process has no control counts as in the foreground.
bool is_in_background() {
    const pid_t group = tcgetpgrp(STDERR_FILENO);
    return group > 0 && group != getpgrp();
}

constexpr std::string_view k_line_prefix = "[gannet] ";

/// All that the log of the process consists of. spdlog writes in the calling thread, with the mutex held.
struct Log {
    Log() : logger("gannet", terminal_sink) {
        terminal_sink->set_formatter(formatter(k_pattern));
        logger.set_level(spdlog::level::trace);
        logger.set_error_handler([this](const std::string& /*cause*/) { failed = true; });
    }

    std::mutex mutex;
    LogOptions options;
    size_t lines_drawn = 0;    ///< the terminal's last lines that are of progress: at most 2
    size_t columns_drawn = 0;  ///< of the longest one
    std::vector<std::string> warnings;
    std::shared_ptr<spdlog::sinks::stderr_sink_st> terminal_sink =
        std::make_shared<spdlog::sinks::stderr_sink_st>();
    std::shared_ptr<FileSink> file_sink;  ///< with --log
    spdlog::logger logger;
    bool failed = false;     ///< the last message could not be made
    bool has_ended = false;  ///< the last message was written: nothing is drawn after it
    bool is_held = false;
    std::vector<std::pair<spdlog::level::level_enum, std::string>> held;

    /// With the mutex held.
    void clear_lines() noexcept {
        std::fputs(clearing(), stderr);
        lines_drawn = 0;
    }
    /// What removes the lines of progress from the terminal; with the mutex held.
    const char* clearing() const noexcept {
        if (lines_drawn == 0) return "";
        // Where the terminal has become narrower it may have broken the lines, no one knows into how many:
        // they stay, so that nothing above them is lost.
        if (columns_drawn >= terminal_columns()) return "\r\n";
        return lines_drawn == 1 ? "\r\033[K" : "\r\033[K\033[A\033[K";
    }
    /// With the mutex held.
    void write(spdlog::level::level_enum level, const std::string& text) {
        if (is_held && level < spdlog::level::err) {
            held.emplace_back(level, text);
            return;
        }
        release();
        write_now(level, text);
    }
    void release() {
        is_held = false;
        for (const auto& [level, text] : std::exchange(held, {})) write_now(level, text);
    }
    void write_now(spdlog::level::level_enum level, const std::string& text) {
        if (terminal_sink->should_log(level)) clear_lines();
        failed = false;
        logger.log(level, spdlog::string_view_t(options.json ? text : printable(text)));
        warn_of_lost_log();
    }
    /// With the mutex held.
    void warn_of_lost_log() {
        const int fault = file_sink ? file_sink->take_fault() : 0;
        if (fault == 0) return;
        warnings.push_back(options.file + ": the log is incomplete: " + std::strerror(fault));
        write_now(spdlog::level::warn, warnings.back());
    }
};

Log& the_log() {
    static Log log;
    return log;
}

void write_last(spdlog::level::level_enum level, const std::string& text) noexcept {
    bool failed = false;
    try {
        Log& log = the_log();
        const std::lock_guard lock(log.mutex);
        log.write(level, text);
        log.has_ended = log.has_ended || level == spdlog::level::critical;
        failed = log.failed;
    } catch (...) {
        failed = true;
    }
    if (failed) std::fputs("gannet: error: out of memory\n", stderr);
}

}  // namespace

void set_up_log(const LogOptions& options) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.options = options;
    log.terminal_sink->set_formatter(formatter_of(options, k_pattern));
    is_json = options.json;
    log.terminal_sink->set_level(options.quiet ? spdlog::level::warn : spdlog::level::info);
    if (options.file.empty() || log.file_sink) return;
    log.file_sink = std::make_shared<FileSink>();
    log.file_sink->set_formatter(formatter_of(options, k_file_pattern));
    log.logger.sinks().push_back(log.file_sink);
}

void open_log() {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    if (!log.file_sink) return;
    log.file_sink->open(log.options.file);
    log.warn_of_lost_log();
}

void hold_log() {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.is_held = true;
}

void release_log(const std::vector<std::string>& first) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    for (const std::string& text : first) log.write_now(spdlog::level::info, text);
    log.release();
}

void log_info(const std::string& text) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.write(spdlog::level::info, text);
}

void log_warning(const std::string& text) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.warnings.push_back(text);
    log.write(spdlog::level::warn, text);
}

void log_error(const std::string& text) noexcept { write_last(spdlog::level::err, text); }

void log_end(const std::string& text) noexcept { write_last(spdlog::level::critical, text); }

void log_progress(const std::string& text) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.write(log_is_on_terminal() ? spdlog::level::debug : spdlog::level::info, text);
}

std::vector<std::string> logged_warnings() {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    return log.warnings;
}

bool log_is_on_terminal() {
    static const bool terminal = [] {
        const char* const kind = std::getenv("TERM");
        return isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
    }();
    return terminal && !is_json;
}

double progress_interval_s() {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    return log.options.interval_s;
}

size_t progress_columns() {
    const size_t columns = terminal_columns();
    const size_t taken = k_line_prefix.size() + k_free_columns;
    return columns > taken ? columns - taken : 0;
}

void draw_progress(const std::vector<std::string>& lines) {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    if (log.options.quiet || log.has_ended) return;
    if (is_in_background()) {
        log.lines_drawn = 0;  // others write there now
        return;
    }
    std::string text = log.clearing();
    log.columns_drawn = 0;
    log.lines_drawn = 0;
    for (const std::string& line : lines) {
        const size_t columns = std::max(terminal_columns(), k_free_columns) - k_free_columns;
        const std::string shown = (std::string(k_line_prefix) + line).substr(0, columns);
        text += (log.lines_drawn == 0 ? "" : "\r\n") + shown;
        log.columns_drawn = std::max(log.columns_drawn, shown.size());
        ++log.lines_drawn;
    }
    // At once, so that no one sees a part of it.
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

void clear_progress() noexcept {
    Log& log = the_log();
    const std::lock_guard lock(log.mutex);
    log.clear_lines();
}

}  // namespace gannet::pipeline
