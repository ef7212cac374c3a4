// SPDX-License-Identifier: MIT
// Provides stage times and the trace file.
#include "pipeline/trace.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>

namespace gannet::pipeline {
namespace {

int64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

int thread_number() {
    static std::atomic<int> next{0};
    thread_local const int number = next++;
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

void Tracer::record(size_t stage, uint64_t batch, int64_t begin_ns, int64_t end_ns, int64_t cpu_ns) {
    const std::lock_guard lock(mutex_);
    Sum& sum = sums_[stage];
    ++sum.batches;
    sum.cpu_ns += cpu_ns;
    sum.busy_ns += end_ns - begin_ns;
    sum.first_ns = std::min(sum.first_ns, begin_ns);
    sum.last_ns = std::max(sum.last_ns, end_ns);
    if (keep_spans_) events_.push_back({stage, batch, begin_ns, end_ns, thread_number()});
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

void Tracer::write(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) throw data::Error(data::ErrorKind::output_failed, path + ": cannot be written");
    std::fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file);
    bool first = true;
    for (const Event& event : events_) {
        std::fprintf(file,
                     "%s{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
                     "\"args\":{\"batch\":%llu}}",
                     first ? "" : ",\n", sums_[event.stage].name.c_str(), event.thread,
                     static_cast<double>(event.begin_ns - begin_ns_) * 1e-3,
                     static_cast<double>(event.end_ns - event.begin_ns) * 1e-3,
                     static_cast<unsigned long long>(event.batch));
        first = false;
    }
    std::fputs("\n]}\n", file);
    if (std::fclose(file) != 0)
        throw data::Error(data::ErrorKind::output_failed, path + ": cannot be written");
}

}  // namespace gannet::pipeline
