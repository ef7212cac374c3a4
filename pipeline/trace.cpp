// SPDX-License-Identifier: MIT
// Provides stage times and the trace file.
#include "pipeline/trace.hpp"

#include "data/output_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>

namespace gannet::pipeline {
namespace {

constexpr size_t k_write_bytes = size_t{1} << 16;

int64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

size_t thread_number() {
    static std::atomic<size_t> next{0};
    thread_local const size_t number = next++;
    return number;
}

}  // namespace

Tracer::Tracer(bool keep_spans) : keep_spans_(keep_spans), begin_ns_(wall_ns()) {}
Tracer::~Tracer() = default;

int64_t Tracer::wall_ns() { return clock_ns(CLOCK_MONOTONIC); }
int64_t Tracer::thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
double Tracer::elapsed_s() const { return static_cast<double>(wall_ns() - begin_ns_) * 1e-9; }

size_t Tracer::stage(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(sums_.begin(), sums_.end(), [&name](const Sum& sum) { return sum.name == name; });
    if (at != sums_.end()) return static_cast<size_t>(at - sums_.begin());
    sums_.push_back({});
    sums_.back().name = name;
    return sums_.size() - 1;
}

size_t Tracer::graph(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find(graphs_.begin(), graphs_.end(), name);
    if (at != graphs_.end()) return static_cast<size_t>(at - graphs_.begin());
    graphs_.push_back(name);
    return graphs_.size() - 1;
}

void Tracer::add(const Event& event, int64_t cpu_ns) {
    const std::lock_guard lock(mutex_);
    Sum& sum = sums_[event.stage];
    ++sum.batches;
    sum.cpu_ns += cpu_ns;
    sum.busy_ns += event.end_ns - event.begin_ns;
    sum.first_ns = std::min(sum.first_ns, event.begin_ns);
    sum.last_ns = std::max(sum.last_ns, event.end_ns);
    if (keep_spans_) events_.push_back(event);
}

void Tracer::record(size_t stage, size_t graph, uint64_t batch, int64_t begin_ns, int64_t end_ns,
                    int64_t cpu_ns) {
    add({stage, graph, batch, begin_ns, end_ns, thread_number(), false}, cpu_ns);
}

void Tracer::record_device(size_t stage, size_t graph, uint64_t batch, size_t slot, int64_t begin_ns,
                           int64_t end_ns) {
    add({stage, graph, batch, begin_ns, end_ns, slot, true}, 0);
}

std::vector<StageTimes> Tracer::times() const {
    const std::lock_guard lock(mutex_);
    std::vector<StageTimes> all;
    for (const Sum& sum : sums_) {
        if (sum.batches == 0) continue;
        all.push_back({sum.name, sum.batches, static_cast<double>(sum.cpu_ns) * 1e-9,
                       static_cast<double>(sum.busy_ns) * 1e-9,
                       static_cast<double>(sum.last_ns - sum.first_ns) * 1e-9});
    }
    return all;
}

LiveView Tracer::live_view() const {
    LiveView view;
    view.memory_limit_bytes = in_flight_.memory_limit();
    const std::lock_guard lock(mutex_);
    for (size_t graph = 0; graph < graphs_.size(); ++graph) {
        if (const int64_t batches = in_flight_.batches(graph); batches > 0)
            view.queues.push_back({graphs_[graph], batches, in_flight_.slots(graph)});
    }
    for (size_t stage = 0; stage < sums_.size(); ++stage) {
        if (const int64_t threads = in_flight_.threads_in(stage); threads > 0)
            view.stages.emplace_back(sums_[stage].name, threads);
    }
    std::stable_sort(view.stages.begin(), view.stages.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return view;
}

void Tracer::write(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    data::OutputFile file(path);
    // Two processes in the viewer: threads of the host, and the streams of the slots.
    std::string text =
        "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"host threads\"}},\n"
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"args\":{\"name\":\"device streams\"}}";
    std::array<char, 256> times;
    for (const Event& event : events_) {
        std::snprintf(times.data(), times.size(), R"("ph":"X","pid":%d,"tid":%zu,"ts":%.3f,"dur":%.3f)",
                      event.device ? 2 : 1, event.track,
                      static_cast<double>(event.begin_ns - begin_ns_) * 1e-3,
                      static_cast<double>(event.end_ns - event.begin_ns) * 1e-3);
        text += ",\n{\"name\":\"" + sums_[event.stage].name + "\",\"cat\":\"" +
                (event.device ? "device" : "host") + "\"," + times.data() + ",\"args\":{\"graph\":\"" +
                graphs_[event.graph] + "\",\"batch\":" + std::to_string(event.batch) + "}}";
        if (text.size() >= k_write_bytes) {
            file.write(text);
            text.clear();
        }
    }
    file.write(text + "\n]}\n");
    file.commit();
}

}  // namespace gannet::pipeline
