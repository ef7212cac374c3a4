// SPDX-License-Identifier: MIT
// Provides what a report needs of run.json.
#include "pipeline/report/run_file.hpp"

#include "data/error.hpp"
#include "data/strict_json.hpp"
#include "pipeline/report/rows.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gannet::pipeline::report {
namespace {

using Json = nlohmann::json;

/// The object's member, or null.
const Json& member(const Json& object, const char* name) {
    static const Json k_null;
    if (!object.is_object()) return k_null;
    const auto at = object.find(name);
    return at == object.end() ? k_null : *at;
}
std::string text(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : "";
}
std::optional<double> number(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_number() ? std::optional<double>(value.get<double>()) : std::nullopt;
}
uint64_t whole(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_number_unsigned() ? value.get<uint64_t>() : 0;
}
std::vector<std::string> texts(const Json& array) {
    std::vector<std::string> all;
    if (!array.is_array()) return all;
    for (const Json& one : array)
        if (one.is_string()) all.push_back(one.get<std::string>());
    return all;
}

/// The part of the profile that begins with `name` and ends with "; ".
std::string_view part_of(std::string_view profile, std::string_view name) {
    if (!profile.starts_with(name)) {
        const size_t at = profile.find("; " + std::string(name));
        if (at == std::string_view::npos) return {};
        profile.remove_prefix(at + 2);
    }
    profile.remove_prefix(name.size());
    return profile.substr(0, profile.find("; "));
}

void read_profile(std::string_view profile, RunFile& run) {
    std::string_view contamination = part_of(profile, "contamination ");
    run.contamination_text = contamination;
    constexpr std::string_view k_at_least = "at least ";
    if (contamination.starts_with(k_at_least)) contamination.remove_prefix(k_at_least.size());
    const size_t end = contamination.find_first_of(" %");
    double value = 0;
    if (!parse_number(contamination.substr(0, end), value) ||
        contamination.find("(not measured") != std::string_view::npos)
        return;
    const bool is_percent = contamination.find('%') != std::string_view::npos;
    run.contamination = is_percent ? value / 100 : value;
}

void read_energy(const Json& energy, Execution& execution) {
    std::optional<double> joules = number(member(energy, "host"), "joules");
    std::optional<double> watts = number(member(energy, "host"), "mean_watts");
    for (const Json& device : member(energy, "devices")) {
        const auto more = number(device, "joules");
        const auto more_watts = number(device, "mean_watts");
        joules = joules && more ? std::optional<double>(*joules + *more) : std::nullopt;
        watts = watts && more_watts ? std::optional<double>(*watts + *more_watts) : std::nullopt;
    }
    execution.joules = joules;
    execution.mean_watts = watts;
    execution.joules_per_million_reads = number(energy, "joules_per_million_reads");
    execution.energy_unavailable = text(energy, "host_unavailable");
    for (const Json& phase : member(energy, "phases"))
        execution.phases.push_back({text(phase, "phase"), number(phase, "elapsed_s").value_or(0),
                                    number(member(phase, "host"), "joules")});
}

Execution execution_of(const Json& json) {
    Execution execution;
    execution.start = text(json, "start");
    execution.end = text(json, "end");
    execution.host = text(json, "host");
    execution.machine = text(json, "machine");
    execution.cpu = text(json, "cpu");
    execution.backend_choice = text(json, "backend_choice");
    execution.simd_level = text(json, "simd_level");
    execution.trace = text(json, "trace");
    execution.elapsed_s = number(json, "elapsed_s").value_or(0);
    execution.cpu_s = number(json, "cpu_s").value_or(0);
    execution.threads = whole(json, "threads");
    execution.memory_bytes = whole(json, "memory_bytes");
    execution.peak_memory_bytes = whole(json, "peak_memory_bytes");
    execution.spilled_bytes = whole(json, "spilled_bytes");
    execution.resumed = member(json, "resumed_at_bam") == true;
    read_energy(member(json, "energy"), execution);
    for (const Json& device : member(member(json, "device"), "devices"))
        execution.devices.push_back(text(device, "name") + ", " +
                                    std::to_string(whole(device, "peak_memory_bytes") >> 20) +
                                    " MiB of device memory at most");
    for (const Json& stage : member(json, "stages"))
        execution.stages.push_back({text(stage, "stage"), number(stage, "cpu_s").value_or(0),
                                    number(stage, "busy_s").value_or(0),
                                    number(stage, "elapsed_s").value_or(0)});
    return execution;
}

void read_counts(const Json& align, RunFile& run) {
    run.reads = whole(align, "reads");
    run.bases = whole(align, "bases");
    run.trimmed_reads = whole(align, "trimmed_reads");
    run.trimmed_bases = whole(align, "trimmed_bases");
    run.known_bases = whole(member(align, "depth"), "reference_bases");
    const Json& sex = member(align, "sex");
    run.inferred_sex = text(sex, "inferred");
    run.x_depth = number(sex, "x_depth");
    run.y_depth = number(sex, "y_depth");
}

}  // namespace

bool has_word(std::string_view command, std::string_view word) {
    for (size_t at = command.find(word); at != std::string_view::npos; at = command.find(word, at + 1)) {
        const bool begins = at > 0 && command[at - 1] == ' ';
        const size_t end = at + word.size();
        if (begins && (end == command.size() || command[end] == ' ')) return true;
    }
    return false;
}

std::vector<std::pair<int, double>> depth_by_gc_of(std::string_view profile) {
    std::vector<std::pair<int, double>> depths;
    std::vector<std::string_view> steps;
    split_fields(part_of(profile, "depth "), steps, ',');
    for (std::string_view step : steps) {  // "31.5 from 35 % GC"
        if (step.starts_with(' ')) step.remove_prefix(1);
        constexpr std::string_view k_from = " from ";
        const size_t from = step.find(k_from);
        if (from == std::string_view::npos || !step.ends_with(" % GC")) return {};
        double depth = 0;
        int gc = 0;
        step.remove_suffix(std::string_view(" % GC").size());
        if (!parse_number(step.substr(0, from), depth) ||
            !parse_number(step.substr(from + k_from.size()), gc))
            return {};
        depths.emplace_back(gc, depth);
    }
    return depths;
}

RunFile parse_run_file(std::string_view json, const std::string& name) {
    const Json file = data::parse_object(json, name, "run.json");
    RunFile run;
    run.program = text(file, "program");
    run.command = text(file, "command");
    run.sample = text(file, "sample");
    if (!run.program.starts_with("gannet") || run.command.empty() || run.sample.empty())
        data::throw_malformed(name, "is not the run.json of a run of gannet");
    const Json& build = member(file, "build");
    run.build = text(build, "commit") + ", " + text(build, "compiler") + ", " + text(build, "type");
    run.reference = text(file, "reference");
    run.backend = text(file, "backend");
    run.scorer = text(file, "scorer");
    run.inputs = texts(member(file, "inputs"));
    run.quality_control = texts(member(file, "quality_control"));
    run.warnings = texts(member(file, "warnings"));
    const Json& parameters = member(file, "parameters");
    if (parameters.is_object())
        for (const auto& [what, value] : parameters.items())
            if (value.is_string()) run.parameters.emplace_back(what, value.get<std::string>());
    const Json& outputs = member(file, "outputs");
    if (outputs.is_object())
        for (const auto& [what, value] : outputs.items())
            if (value.is_string()) run.outputs.emplace_back(what, value.get<std::string>());
    read_counts(member(member(file, "counts"), "align"), run);
    const std::string profile = text(parameters, "sample_profile");
    read_profile(profile, run);
    run.depth_by_gc = depth_by_gc_of(profile);
    run.trims_adapters = has_word(run.command, "--trim-adapters");
    for (const char* sex : {"male", "female"})
        if (has_word(run.command, "--sex " + std::string(sex))) run.stated_sex = sex;
    run.names_targets = has_word(run.command, "--targets");
    run.uses_umis = has_word(run.command, "--umi");
    for (const char* option : {"--targets", "--regions", "--regions-file"})
        run.has_targets = run.has_targets || has_word(run.command, option);
    run.execution = execution_of(member(file, "execution"));
    return run;
}

}  // namespace gannet::pipeline::report
