// SPDX-License-Identifier: MIT
// Provides the progress of stages.
#include "pipeline/progress.hpp"

#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace gannet::pipeline {
namespace {

constexpr std::chrono::milliseconds k_redraw_interval(500);
constexpr double k_min_elapsed_for_estimate_s = 3;

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

std::string live_text(const LiveView& view, size_t columns) {
    std::string text = "memory " + size_text(view.memory_bytes);
    if (view.memory_limit_bytes != 0) text += " of " + size_text(view.memory_limit_bytes);
    std::vector<std::string> stages;
    for (const auto& [stage, threads] : view.stages)
        stages.push_back(stage + (threads > 1 ? " " + std::to_string(threads) : ""));
    // The first stage has its room before the graphs: it says most.
    const size_t first = stages.empty() ? 0 : std::strlen("; in ") + stages.front().size();
    const char* before = "; batches ";
    for (const QueueFill& queue : view.queues) {
        const std::string more =
            before + queue.graph + " " + std::to_string(queue.batches) + "/" + std::to_string(queue.slots);
        if (text.size() + more.size() + first > columns) continue;
        text += more;
        before = ", ";
    }
    before = "; in ";
    for (const std::string& stage : stages) {
        if (text.size() + std::strlen(before) + stage.size() > columns) break;
        text += before + stage;
        before = ", ";
    }
    return text;
}

Progress::Progress(std::string what, std::string unit, const Tracer* tracer)
    : what_(std::move(what)), unit_(std::move(unit)), tracer_(tracer), thread_([this] { tick(); }) {}

Progress::~Progress() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
    clear_progress();
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

std::vector<std::string> Progress::lines() const {
    std::vector<std::string> lines = {text(true)};
    if (tracer_ != nullptr) {
        LiveView view = tracer_->live_view();
        view.memory_bytes = memory_in_use_bytes();
        lines.push_back(live_text(view, progress_columns()));
    }
    return lines;
}

void Progress::tick() {
    using std::chrono::duration;
    using Clock = std::chrono::steady_clock;
    const double given_s = progress_interval_s();
    const auto interval =
        std::chrono::duration_cast<Clock::duration>(duration<double>(given_s > 0 ? given_s : 1e9));
    auto next_line = begin_ + interval;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const auto redraw = Clock::now() + k_redraw_interval;
        stop_.wait_until(lock, log_is_on_terminal() ? std::min(redraw, next_line) : next_line);
        if (stopping_) return;
        if (log_is_on_terminal()) draw_progress(lines());
        if (Clock::now() >= next_line) {
            log_progress(text(false));
            next_line += interval;
        }
    }
}

}  // namespace gannet::pipeline
