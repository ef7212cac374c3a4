// SPDX-License-Identifier: MIT
// Provides the options of device_bench and the measurement of a row.
#include "tests/bench/device/rows.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace gannet::device_bench {

namespace {

using namespace kernels;
using Json = nlohmann::ordered_json;
using steady_clock = std::chrono::steady_clock;

std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

std::vector<size_t> numbers_of(const std::string& text) {
    std::vector<size_t> numbers;
    for (const std::string& part : parts_of(text)) numbers.push_back(std::stoull(part));
    return numbers;
}

double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

/// Seconds in which at least one of the spans runs.
double union_s(std::vector<std::pair<int64_t, int64_t>> spans) {
    std::sort(spans.begin(), spans.end());
    int64_t total = 0;
    int64_t end = INT64_MIN;
    for (const auto& [from, to] : spans) {
        if (to > end) total += to - std::max(from, end);
        end = std::max(end, to);
    }
    return static_cast<double>(total) * 1e-9;
}

struct Times {
    uint64_t batches = 0;
    double device_s = 0;
    double kernels_s = 0;
    double wall_s = 0;  ///< from the first submission to the last result
};

Times measure_device(const OpTable& table, size_t streams, double seconds, const Call& call) {
    std::vector<std::unique_ptr<Stream>> all = table.make_streams(streams, {});
    Times times;
    const auto begin = steady_clock::now();
    for (int round = 0; round < 2 || seconds_since(begin) < seconds; ++round) {
        for (size_t k = 0; k < streams; ++k) call(*all[k], k);
        const auto submitted = steady_clock::now();
        for (const auto& stream : all) stream->submit();
        for (const auto& stream : all) stream->block();
        const double wall_s = seconds_since(submitted);
        std::vector<std::pair<int64_t, int64_t>> whole;
        std::vector<std::pair<int64_t, int64_t>> kernels;
        for (const auto& stream : all) {
            stream->wait();
            const DeviceSpan span = stream->device_span();
            whole.emplace_back(span.begin_ns, span.end_ns);
            kernels.emplace_back(span.kernels_begin_ns, span.kernels_end_ns);
        }
        if (round == 0) continue;  // takes memory and loads the kernels
        times.batches += streams;
        times.wall_s += wall_s;
        times.device_s += union_s(whole);
        times.kernels_s += union_s(kernels);
    }
    return times;
}

Times measure_host(const OpTable& table, size_t threads, double seconds, const Call& call) {
    std::vector<std::unique_ptr<Stream>> all = table.make_streams(threads, {});
    for (size_t k = 0; k < threads; ++k) call(*all[k], k);  // takes memory
    std::atomic<uint64_t> batches{0};
    std::vector<std::thread> running;
    const auto begin = steady_clock::now();
    for (size_t k = 0; k < threads; ++k) {
        running.emplace_back([&, k] {
            do {
                call(*all[k], k);
                ++batches;
            } while (seconds_since(begin) < seconds);
        });
    }
    for (std::thread& thread : running) thread.join();
    Times times;
    times.batches = batches;
    times.wall_s = seconds_since(begin);
    return times;
}

/// Measures a batch by whatever the backend's clock is.
void write_row(const Options& options, const OpTable& table, std::string_view of, size_t jobs, size_t streams,
               const std::vector<Work>& work, const Call& call) {
    const bool on_device = table.backend == Backend::cuda;
    const size_t lanes = on_device ? streams : options.threads;
    const Times times = on_device ? measure_device(table, lanes, options.seconds, call)
                                  : measure_host(table, lanes, options.seconds, call);
    Json row = {{"op", options.op}, {"class", of}, {"backend", name(table.backend)}, {"jobs", jobs}};
    row[on_device ? "streams" : "threads"] = lanes;
    row["batches"] = times.batches;
    row["wall_s"] = times.wall_s;
    if (on_device) {
        row["device_s"] = times.device_s;
        row["kernels_s"] = times.kernels_s;
    }
    for (const auto& [unit, of_batch] : work) {
        const double total = of_batch * static_cast<double>(times.batches);
        row[unit + "_per_s"] = total / times.wall_s;
        if (!on_device) continue;
        row[unit + "_per_device_s"] = total / times.device_s;
        row[unit + "_per_kernels_s"] = total / times.kernels_s;
    }
    std::cout << row.dump() << std::endl;
}

}  // namespace

Options options_of(int argc, char** argv) {
    Options options;
    if (argc < 2 || argc % 2 != 0) throw std::invalid_argument("device_bench OP [--option VALUE]...");
    options.op = argv[1];
    for (int k = 2; k < argc; k += 2) {
        const std::string name = argv[k];
        const std::string value = argv[k + 1];
        if (name == "--backend")
            options.backend = value;
        else if (name == "--jobs")
            options.jobs = numbers_of(value);
        else if (name == "--streams")
            options.streams = numbers_of(value);
        else if (name == "--threads")
            options.threads = std::stoull(value);
        else if (name == "--seconds")
            options.seconds = std::stod(value);
        else if (name == "--bytes")
            options.bytes = std::stoull(value);
        else if (name == "--classes")
            options.classes = parts_of(value);
        else if (name == "--index")
            options.index = value;
        else if (name == "--reads")
            options.reads = parts_of(value);
        else
            throw std::invalid_argument("no such option: " + name);
    }
    return options;
}

void write_rows(const Options& options, const OpTable& table, std::string_view of, size_t jobs,
                const std::vector<Work>& work, const Call& call) {
    for (const size_t streams : options.streams) write_row(options, table, of, jobs, streams, work, call);
}

}  // namespace gannet::device_bench
