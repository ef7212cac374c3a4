// SPDX-License-Identifier: MIT
// Provides the messages of a run: on stderr and in the file of --log.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// Where messages go.
struct LogOptions {
    bool quiet = false;      ///< only warnings and errors on stderr; the file has all messages
    std::string file;        ///< all messages, with date and time; empty: none
    bool json = false;       ///< one JSON object per line, on stderr and in the file
    double interval_s = 60;  ///< between progress lines where stderr is no terminal, and in the file; 0: none
};

/// Messages go to stderr as "[gannet] text" from here on, or as {"time": ISO 8601 in UTC, "level": "info",
/// "warning" or "error", "message": text}. Those for the file are kept until open_log().
void set_up_log(const LogOptions& options);
/// Creates the file of --log (replacing an older one) and writes to it what was logged before. To be called
/// once the paths of the run have been checked. Throws Error(output_failed).
void open_log();

/// From now on messages wait for release_log(), but errors, which let all that wait go before them.
void hold_log();
/// Logs `first`, then what has waited.
void release_log(const std::vector<std::string>& first);

void log_info(const std::string& text);
void log_warning(const std::string& text);
/// "gannet: error: TEXT" on stderr, whatever --quiet says.
void log_error(const std::string& text) noexcept;
/// "gannet: TEXT", the last message before a signal ends the run.
void log_end(const std::string& text) noexcept;
/// A line of progress: as log_info(), but on a terminal in the file only.
void log_progress(const std::string& text);
/// All warnings so far, without the word "warning".
std::vector<std::string> logged_warnings();

/// Whether a line of progress may be drawn: stderr is a terminal, and its messages are for people.
bool log_is_on_terminal();
/// Of set_up_log().
double progress_interval_s();
/// Columns of the terminal that a line of progress may fill.
size_t progress_columns();
/// Draws one or two lines over the terminal's last ones, if those are of progress, or below them; what is
/// wider than progress_columns() is cut. Not with --quiet, and not from the background.
void draw_progress(const std::vector<std::string>& lines);
/// Removes the lines of progress from the terminal, if there are any. The next message does so by itself.
void clear_progress() noexcept;

}  // namespace gannet::pipeline
