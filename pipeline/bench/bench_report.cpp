// SPDX-License-Identifier: MIT
// Provides the JSON and the table of a benchmark.
#include "pipeline/bench/bench_report.hpp"

#include "data/json_text.hpp"
#include "pipeline/bench/statistics.hpp"
#include "pipeline/build_info.hpp"
#include "pipeline/jobs/headers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace gannet::pipeline::bench {
namespace {

using Json = nlohmann::ordered_json;

Json spread(const std::vector<double>& seconds) {
    return {{"median", median(seconds)},
            {"quartile_low", quantile(seconds, 0.25)},
            {"quartile_high", quantile(seconds, 0.75)},
            {"samples", seconds}};
}

/// Fraction of the bound that the fastest sample reached; the fastest, since the roof is that of the fastest
/// burst.
double fraction_of_bound(const Result& result) {
    return result.bound.cpu_s / *std::min_element(result.samples.cpu_s.begin(), result.samples.cpu_s.end());
}

std::string hex(uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

Json to_json(const Machine& machine) {
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"usable_cores", machine.usable_cores},
            {"simd", machine.simd},
            {"memory_bytes", machine.memory_bytes},
            {"kernel", machine.kernel},
            {"load_before", machine.load}};
}

Json to_json(const BenchInputOptions& options, const BenchInput::Facts& facts) {
    Json json = {{"kind", facts.kind}};
    if (facts.kind == "simulated") {
        json["size_mb"] = options.size_mb;
        json["coverage"] = options.coverage;
        json["seed"] = options.seed;
    }
    if (!facts.files.empty()) json["files"] = facts.files;
    return json;
}

Json to_json(const Result& result) {
    Json json = {{"stage", result.stage}, {"name", result.name}, {"threads", result.threads}};
    const double wall = median(result.samples.wall_s);
    const double cpu = median(result.samples.cpu_s);
    for (const Amount& amount : result.work) json["work"][amount.unit] = amount.count;
    if (result.digest != 0) json["digest"] = hex(result.digest);
    for (const Amount& amount : result.work) {
        json["throughput"].push_back({{"unit", amount.unit + "/s"},
                                      {"value", amount.count / wall},
                                      {"per_cpu_second", amount.count / cpu}});
    }
    json["runs_per_sample"] = result.samples.runs;
    json["wall_s"] = spread(result.samples.wall_s);
    json["cpu_s"] = spread(result.samples.cpu_s);
    json["bound"] = nullptr;
    if (!result.bound.name.empty()) {
        json["bound"] = {{"name", result.bound.name},
                         {"cpu_s", result.bound.cpu_s},
                         {"fraction", fraction_of_bound(result)}};
    }
    return json;
}

/// 12.3 M: three digits and a prefix of 1000.
std::string scaled(double value) {
    constexpr std::array<const char*, 5> k_prefixes{"", " k", " M", " G", " T"};
    size_t prefix = 0;
    while (value >= 999.5 && prefix + 1 < k_prefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    char text[32];
    std::snprintf(text, sizeof text, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
    return std::string(text) + (prefix == 0 ? " " : k_prefixes[prefix]);
}

std::string line_of(const Result& result) {
    const double cpu = median(result.samples.cpu_s);
    const double wall = median(result.samples.wall_s);
    const double half_spread =
        50 * (quantile(result.samples.cpu_s, 0.75) - quantile(result.samples.cpu_s, 0.25)) / cpu;
    const auto rate = [](const Amount& amount, double seconds) {
        return scaled(amount.count / seconds) + amount.unit;
    };
    std::string rates;
    for (size_t i = 0; i < std::min<size_t>(2, result.work.size()); ++i)
        rates += (i == 0 ? "" : ", ") + rate(result.work[i], cpu);
    std::string fraction = "no bound";
    if (!result.bound.name.empty()) {
        char percent[16];
        std::snprintf(percent, sizeof percent, "%3.0f %% of ", 100 * fraction_of_bound(result));
        fraction = percent + result.bound.name;
    }
    char text[256];
    std::snprintf(text, sizeof text, "%-31s %2d  %-18s  %-34s %9.3f  %5.1f  %s\n", result.name.c_str(),
                  result.threads, rate(result.work.front(), wall).c_str(), rates.c_str(), 1000 * cpu,
                  half_spread, fraction.c_str());
    return text;
}

}  // namespace

std::string to_json(const Report& report) {
    const BuildInfo build = build_info();
    Json json = {{"schema", k_bench_schema},
                 {"schema_version", k_bench_schema_version},
                 {"program", program_name()},
                 {"commit", build.commit},
                 {"compiler", build.compiler},
                 {"flags", build.flags},
                 {"build_type", build.build_type},
                 {"machine", to_json(report.machine)},
                 {"backend",
                  {{"name", report.backend}, {"simd", report.simd_level}, {"choice", report.backend_choice}}},
                 {"options",
                  {{"threads", report.options.threads},
                   {"repetitions", report.options.repetitions},
                   {"min_time_s", report.options.min_time_s},
                   {"handicap", report.options.handicap},
                   {"in_turns", report.in_turns}}},
                 {"input", to_json(report.input, report.facts)},
                 {"bounds", Json::array()},
                 {"results", Json::array()}};
    for (const Roof& roof : report.roofs) {
        json["bounds"].push_back({{"name", roof.name},
                                  {"rate_per_cpu_second", roof.rate},
                                  {"unit", roof.unit},
                                  {"what", roof.what}});
    }
    for (const Result& result : report.results) json["results"].push_back(to_json(result));
    return data::json_text(json, 1) + "\n";
}

std::string to_table(const Report& report) {
    const BuildInfo build = build_info();
    char load[32];
    std::snprintf(load, sizeof load, "%.2f", report.machine.load[0]);
    std::string text = program_name() + " " + build.commit + ", " + build.compiler + " " + build.flags +
                       "\n" + report.machine.cpu + ", " + std::to_string(report.machine.usable_cores) +
                       " cores usable, load before " + load + "; " + report.backend_choice + "\n";
    text +=
        "input: " + data::json_text(to_json(report.input, report.facts), data::k_json_in_one_line) + "\n\n";
    text +=
        "result                          thr  per second          per CPU second                        CPU "
        "ms"
        "    +-%  fraction of bound\n";
    for (const Result& result : report.results) text += line_of(result);
    text +=
        "\nMedians per run; +-%: half of the interquartile range of the CPU time; fraction of bound: of the "
        "fastest sample.\n"
        "Bounds, per CPU second of one thread:\n";
    for (const Roof& roof : report.roofs) {
        if (roof.rate > 0)
            text += "  " + roof.name + ": " + scaled(roof.rate) + roof.unit + ": " + roof.what + "\n";
    }
    return text;
}

}  // namespace gannet::pipeline::bench
