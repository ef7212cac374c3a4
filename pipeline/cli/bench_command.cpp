// SPDX-License-Identifier: MIT
// Provides `gannet bench` and `gannet bench compare`.
#include "data/error.hpp"
#include "pipeline/bench/bench_job.hpp"
#include "pipeline/bench/compare.hpp"
#include "pipeline/bench/stage_table.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"

#include <iostream>
#include <map>
#include <memory>

namespace gannet::pipeline::cli {
namespace {

struct CompareWords {
    std::vector<std::string> files;  ///< base and new by turns
    std::vector<std::string> base;
    std::vector<std::string> fresh;
    std::string output;
    bench::CompareOptions options;
};

int compare(const CompareWords& words) {
    using data::Error;
    using data::ErrorKind;
    if (words.files.size() % 2 != 0)
        throw Error(ErrorKind::usage, "files are given in pairs (base, new): their number must be even");
    if (words.base.size() != words.fresh.size())
        throw Error(ErrorKind::usage, "--base and --new need the same number of files");
    std::vector<bench::BenchFile> base;
    std::vector<bench::BenchFile> fresh;
    for (size_t i = 0; i < words.files.size(); ++i)
        (i % 2 == 0 ? base : fresh).push_back(bench::load_bench_file(words.files[i]));
    for (const std::string& path : words.base) base.push_back(bench::load_bench_file(path));
    for (const std::string& path : words.fresh) fresh.push_back(bench::load_bench_file(path));
    if (base.empty()) throw Error(ErrorKind::usage, "give two files, pairs of files, or --base and --new");
    JobFiles files;
    for (const auto* paths : {&words.files, &words.base, &words.fresh}) {
        for (const std::string& path : *paths) files.reads(path, "the benchmark");
    }
    const OutputLocks locks = files.writes(words.output, "-o").lock();
    const bench::Comparison comparison = bench::compare(base, fresh, words.options);
    if (!words.output.empty()) write_text_file(words.output, bench::to_json(comparison, words.options));
    if (words.output != "-") std::cout << bench::to_table(comparison, words.options) << std::flush;
    if (!comparison.any(bench::Verdict::slower)) return 0;
    log_error("the new build is slower than the base (see the table)");
    return bench::k_exit_slower;
}

void add_compare(CLI::App& bench, Action& action) {
    CLI::App* const command =
        bench.add_subcommand("compare", "Compare benchmark files: is one build slower than another?");
    command->allow_extras();
    const auto words = std::make_shared<CompareWords>();
    command->add_option("FILES", words->files,
                        "BASE.json NEW.json, or several such pairs, in the order in which they were run");
    command->add_option("--base", words->base, "files of the base build, in the order of their runs")
        ->type_name("JSON...");
    command->add_option("--new", words->fresh, "files of the new build, in the same order")
        ->type_name("JSON...");
    command
        ->add_option(
            "--confidence", words->options.confidence,
            "confidence that no difference is reported where there is none, over all results, 0.5-1 [0.99]")
        ->check(between(0.5, 0.999999))
        ->type_name("X");
    command
        ->add_option("--minimum-effect", words->options.minimum_effect,
                     "smallest relative change of time that is reported [0.05]")
        ->check(between(0, 10))
        ->type_name("X");
    command->add_option("--by", words->options.clock, "clock: cpu or wall [cpu; wall for backend cuda]")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, bench::Clock>{{"cpu", bench::Clock::cpu}, {"wall", bench::Clock::wall}}))
        ->transform(CLI::Validator(  // the last one comes first
            [](std::string& word) {
                return word == "cpu" || word == "wall" ? std::string() : "'" + word + "': give cpu or wall";
            },
            ""))
        ->type_name("CLOCK");
    command->add_flag("--any-machine", words->options.any_machine,
                      "compare files of different machines as well");
    command
        ->add_option("-o,--output", words->output,
                     "write the comparison as JSON; - is standard output [none]")
        ->type_name("JSON");
    command->footer(
        "Exit codes: 0 nothing is slower, 10 a result is slower; others as for all commands.\n"
        "Example:\n  gannet bench compare a1.json b1.json a2.json b2.json");
    command->callback([words, &action] { action = [words] { return compare(*words); }; });
}

void add_bench_input(CLI::App& command, bench::BenchInputOptions& input) {
    command.add_option("--size", input.size_mb, "size of the simulated genome, Mb [0.5]")
        ->group("Input")
        ->check(between(0.02, 1000, "Mb"))
        ->type_name("MB");
    command.add_option("--coverage", input.coverage, "mean depth of the simulated reads, x [30]")
        ->group("Input")
        ->check(between(0.1, 10000, "x"))
        ->type_name("X");
    command.add_option("--seed", input.seed, "seed of the simulation [1]")->group("Input")->type_name("N");
    command
        .add_option("--reference", input.reference,
                    "measure with this FASTA and --reads instead of simulated data")
        ->group("Input")
        ->type_name("FASTA");
    command.add_option("--reads", input.reads, "R1.fq.gz [R2.fq.gz]; they are held in memory")
        ->group("Input")
        ->expected(1, 2)
        ->type_name("FASTQ...");
    command
        .add_option("--bam", input.alignments,
                    "sorted BAM or CRAM for the stage pairhmm [the reads are aligned]")
        ->group("Input")
        ->type_name("BAM");
    add_index_option(command, input.index, true);
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("bench", "Measure the speed of single stages, or compare two builds.");
    const auto options = std::make_shared<bench::BenchOptions>();
    std::string known;
    std::string names;
    for (const bench::Stage& stage : bench::stages())
        known += "\n  " + std::string(stage.name) + std::string(10 - stage.name.size(), ' ') +
                 std::string(stage.what);
    for (const bench::Stage& stage : bench::stages())
        names += (names.empty() ? "" : ",") + std::string(stage.name);
    // The members are for completion; the job has a better message on another name than CLI11.
    command->add_option("STAGE", options->stages, "stages to measure [all]")
        ->type_name("STAGE:{" + names + "}");
    add_bench_input(*command, options->input);
    command->add_option("--repetitions", options->measure.repetitions, "samples per result [15]")
        ->check(between(1, 1000))
        ->type_name("N");
    command->add_option("--min-time", options->measure.min_time_s, "minimum time of a sample, s [0.1]")
        ->check(between(0, 3600, "s"))
        ->type_name("S");
    command
        ->add_option("-o,--output", options->output, "write the results as JSON; - is standard output [none]")
        ->type_name("JSON");
    add_resource_options(*command, options->resources);
    command->footer("Stages:" + known +
                    "\nExamples:\n  gannet bench\n  gannet bench extend kernels -t 1 -o extend.json\n"
                    "  gannet bench compare before.json after.json");
    add_compare(*command, action);
    command->callback([command, options, &action] {
        if (!command->get_subcommands().empty()) return;
        action = [options] {
            set_up(options->resources);
            bench::read_environment(*options);
            bench::run_bench(*options);
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
