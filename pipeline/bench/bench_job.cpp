// SPDX-License-Identifier: MIT
// Provides the job of `gannet bench`.
#include "pipeline/bench/bench_job.hpp"

#include "data/error.hpp"
#include "data/output_path.hpp"
#include "pipeline/bench/bench_report.hpp"
#include "pipeline/bench/stage_table.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

namespace gannet::pipeline::bench {
namespace {

/// The stages that were asked for, in the order of the table, each once.
std::vector<Stage> chosen_stages(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const bool known = std::any_of(stages().begin(), stages().end(),
                                       [&name](const Stage& stage) { return stage.name == name; });
        if (known) continue;
        std::string all;
        for (const Stage& stage : stages()) all += (all.empty() ? "" : ", ") + std::string(stage.name);
        throw data::Error(data::ErrorKind::usage, "there is no stage " + name + "; there are " + all);
    }
    std::vector<Stage> chosen;
    for (const Stage& stage : stages()) {
        if (names.empty() || std::find(names.begin(), names.end(), stage.name) != names.end())
            chosen.push_back(stage);
    }
    return chosen;
}

std::string temporary_folder(const BenchOptions& options) {
    if (!options.resources.temporary.empty()) return options.resources.temporary;
    if (!options.output.empty() && !data::is_written_in_place(options.output))
        return folder_of(options.output);
    return std::filesystem::temp_directory_path().string();
}

/// All of `text` as a number, or Error(usage).
template <class Number>
Number number_of(const char* variable, std::string_view text) {
    Number number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || number < 0)
        throw data::Error(data::ErrorKind::usage,
                          std::string(variable) + ": " + std::string(text) + " is no number");
    return number;
}

}  // namespace

void read_environment(BenchOptions& options) {
    constexpr const char* k_turns = "GANNET_BENCH_TURNS";
    constexpr const char* k_handicap = "GANNET_BENCH_HANDICAP";
    if (const char* const turns = std::getenv(k_turns)) {
        const std::string_view text = turns;
        const size_t comma = std::min(text.find(','), text.size() - 1);
        options.turns = {number_of<int>(k_turns, text.substr(0, comma)),
                         number_of<int>(k_turns, text.substr(comma + 1))};
    }
    if (const char* const handicap = std::getenv(k_handicap))
        options.measure.handicap = number_of<double>(k_handicap, handicap);
}

void run_bench(const BenchOptions& options) {
    const std::vector<Stage> chosen = chosen_stages(options.stages);
    JobFiles files;
    files.reads_reference(options.input.reference, options.input.index);
    for (const std::string& path : options.input.reads) files.reads(path, "--reads");
    files.reads_with_indexes(options.input.alignments, "--bam");
    files.writes(options.output, "-o").writes(options.resources);
    const OutputLocks locks = files.lock();
    Report report;
    report.machine = this_machine();
    Session session(options.resources);
    report.options = options.measure;
    report.options.threads = session.threads();
    report.input = options.input;
    report.input.temporary = temporary_folder(options);
    BenchInput input(report.input, session);
    Roofs roofs(session.ops().simd_level, session.threads());
    BenchContext context(session, input, roofs);
    for (const Stage& stage : chosen) stage.prepare(context);
    log_info("measuring");
    const Turns turns(options.turns.empty() ? -1 : options.turns[0],
                      options.turns.empty() ? -1 : options.turns[1]);
    measure(context.tasks(), report.options, options.turns.empty() ? nullptr : &turns);

    report.backend = kernels::name(session.ops().backend);
    report.simd_level = kernels::name(session.ops().simd_level);
    report.backend_choice = session.backend_choice();
    report.facts = input.facts();
    report.roofs.assign(roofs.all().begin(), roofs.all().end());
    report.in_turns = !options.turns.empty();
    for (Task& task : context.tasks()) report.results.push_back(std::move(task.result));
    session.write_trace();
    if (!options.output.empty()) write_text_file(options.output, to_json(report));
    if (options.output != "-") std::cout << to_table(report) << std::flush;
}

}  // namespace gannet::pipeline::bench
