// SPDX-License-Identifier: MIT
// Provides the course of a run over time.
#include "pipeline/report/timeline.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"
#include "pipeline/report/rows.hpp"

#include <algorithm>
#include <memory>

namespace gannet::pipeline::report {
namespace {

/// Longer traces than this are not of one run.
constexpr double k_max_s = 1e8;

/// The value after "KEY": in a line that gannet wrote; empty where there is none.
std::string_view value_after(std::string_view line, std::string_view key) {
    const size_t at = line.find(key);
    if (at == std::string_view::npos) return {};
    line.remove_prefix(at + key.size());
    if (line.starts_with('"')) return line.substr(1, line.find('"', 1) - 1);
    return line.substr(0, line.find_first_of(",}"));
}

}  // namespace

bool Timeline::add(std::string_view name, bool device, double begin_s, double duration_s) {
    const double end = begin_s + duration_s;
    if (!(begin_s >= 0) || !(duration_s >= 0) || end > k_max_s) return false;
    while (end >= step_s_ * static_cast<double>(k_max_steps)) widen();
    const std::string_view step = name.substr(0, name.find('.'));
    auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                             [&](const Lane& one) { return one.device == device && one.name == step; });
    if (lane == lanes_.end())
        lane = lanes_.insert(lanes_.end(), {std::string(step), device, std::vector<double>(k_max_steps)});
    for (double at = begin_s; at < end;) {
        const auto index = std::min(static_cast<size_t>(at / step_s_), k_max_steps - 1);
        const double until = std::min(end, static_cast<double>(index + 1) * step_s_);
        if (until <= at) break;  // less than the precision of the sum
        lane->busy[index] += until - at;
        at = until;
    }
    end_s_ = std::max(end_s_, end);
    return true;
}

void Timeline::widen() {
    step_s_ *= 2;
    for (Lane& lane : lanes_) {
        for (size_t i = 0; i < k_max_steps / 2; ++i) lane.busy[i] = lane.busy[2 * i] + lane.busy[2 * i + 1];
        std::fill(lane.busy.begin() + k_max_steps / 2, lane.busy.end(), 0.0);
    }
}

std::vector<Timeline::Lane> Timeline::lanes() const {
    const auto steps = std::min(static_cast<size_t>(end_s_ / step_s_) + 1, k_max_steps);
    std::vector<Lane> lanes = lanes_;
    for (Lane& lane : lanes) {
        lane.busy.resize(steps);
        for (double& busy : lane.busy) busy /= step_s_;
    }
    return lanes;
}

Timeline read_timeline(const std::string& path) {
    data::LineReader lines(std::make_unique<data::InputStream>(path));
    Timeline timeline;
    std::string_view line;
    const auto refuse = [&path, &lines] {
        data::throw_malformed(path,
                              "line " + std::to_string(lines.number()) + " is not of a trace of gannet");
    };
    if (!lines.read(line) || line.find("\"traceEvents\"") == std::string_view::npos) refuse();
    while (lines.read(line)) {
        if (line.find(R"("ph":"X")") == std::string_view::npos) continue;
        double begin_us = 0;
        double duration_us = 0;
        if (!parse_number(value_after(line, "\"ts\":"), begin_us) ||
            !parse_number(value_after(line, "\"dur\":"), duration_us) ||
            !timeline.add(value_after(line, "\"name\":"), value_after(line, "\"cat\":") == "device",
                          begin_us * 1e-6, duration_us * 1e-6))
            refuse();
    }
    return timeline;
}

}  // namespace gannet::pipeline::report
