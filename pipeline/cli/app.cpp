// SPDX-License-Identifier: MIT
// Provides the application: the list of subcommands, the help texts, and what is said of a line that cannot
// be parsed.
#include "pipeline/cli/app.hpp"

#include "data/error.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/formatter.hpp"
#include "pipeline/cli/nearest.hpp"
#include "pipeline/jobs/headers.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gannet::pipeline::cli {
namespace {

constexpr const char* k_overview =
    R"(gannet: sequencing reads (FASTQ) to variants (VCF) in one program

  gannet run      REF.fa R1.fq.gz [R2.fq.gz] -o OUTDIR --sample S   reads to variants: BAM, VCF, report
  gannet align    REF.fa R1.fq.gz [R2.fq.gz] -o out.bam             sorted, duplicates marked, indexed
  gannet call     REF.fa in.bam -o out.vcf.gz [--regions chr20]     variants of a sorted BAM or CRAM
  gannet index    REF.fa [-o IDX]                                   made once; run and align make it if missing
  gannet simulate --size MB --coverage X --seed N -o DIR            genome, sample and reads with known truth
  gannet compare  TRUTH.vcf.gz CALLS.vcf.gz --reference REF.fa      precision, recall and F1
  gannet examples REF.fa in.bam --truth T.vcf.gz -o DIR             labelled examples, to train the scorer with
  gannet bench    [STAGE...] [-o OUT.json]                          speed of single stages; bench compare
  gannet devices                                                    backends of this machine
  gannet version

Options that most take (gannet COMMAND --help tells all of them, with units and defaults):
  -t, -@ N        threads [the cores there are]        --memory SIZE   memory, as 8G [60 % of what is free]
  -o PATH         output; - is standard output         --tmp DIR       spill folder [beside the output]
  --backend NAME  auto, cuda, simd, reference [auto]   --trace FILE    times of every stage [none]

Exit codes: 0 done, 1 internal fault, 2 usage, 3 malformed input, 4 reference mismatch, 5 device,
  6 device memory, 7 memory, 8 output, 9 disk space, 10 slower (bench compare),
  130/143 stopped by a signal
)";

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/// The innermost command of the line.
const CLI::App& parsed_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : parsed_command(*chosen.front());
}

/// "gannet bench compare".
std::string full_name(const CLI::App& command) {
    const CLI::App* const parent = command.get_parent();
    return parent == nullptr ? "gannet" : full_name(*parent) + " " + command.get_name();
}

int usage_error(const CLI::App& app, const std::string& message) {
    const CLI::App& command = parsed_command(app);
    std::fprintf(stderr, "gannet: error: %s (see %s --help)\n", message.c_str(), full_name(command).c_str());
    return static_cast<int>(data::ErrorKind::usage);
}

/// Subcommands are looked up before CLI11 parses: what it says of an unknown one is no help.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return std::nullopt;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return std::nullopt;
    std::string message = "there is no command " + std::string(argv[1]);
    if (const auto close = nearest(argv[1], names)) message += "; did you mean " + *close + "?";
    return message;
}

std::string extras_message(const CLI::App& command, const std::vector<std::string>& extras) {
    for (const std::string& extra : extras) {
        if (extra.size() < 2 || extra[0] != '-') continue;
        const std::string name = extra.substr(0, extra.find('='));
        std::string message = "there is no option " + name;
        if (const auto close = nearest(name, option_names(command)))
            message += "; did you mean " + *close + "?";
        return message;
    }
    return "one argument too many: " + (extras.empty() ? std::string("?") : extras.front());
}

std::string one_line(std::string text) {
    for (char& letter : text) {
        if (letter == '\n') letter = ' ';
    }
    return text;
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app("gannet");
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "this help");
    app.set_version_flag("--version", program_name());
    app.formatter(std::make_shared<HelpFormatter>());  // before the subcommands, which inherit it
    Action action;
    add_run_command(app, action);
    add_align_command(app, action);
    add_call_command(app, action);
    add_index_command(app, action);
    add_simulate_command(app, action);
    add_compare_command(app, action);
    add_examples_command(app, action);
    add_bench_command(app, action);
    add_devices_command(app, action);
    add_version_command(app, action);
    // Unknown words are collected, so that the nearest name can be told; see extras_message.
    for (CLI::App* command : app.get_subcommands({})) command->allow_extras();

    if (const auto message = unknown_command(app, argc, argv)) return usage_error(app, *message);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const CLI::App& command = parsed_command(app);
        std::cout << (&command == &app ? std::string(k_overview) : command.help());
        return 0;
    } catch (const CLI::CallForVersion&) {
        std::cout << program_name() << "\n";
        return 0;
    } catch (const CLI::RequiredError& fault) {
        const CLI::App& command = parsed_command(app);
        const auto extras = command.remaining();
        for (const std::string& extra : extras) {
            if (extra.size() > 1 && extra[0] == '-') return usage_error(app, extras_message(command, extras));
        }
        return usage_error(app, one_line(fault.what()));
    } catch (const CLI::ParseError& fault) {
        return usage_error(app, one_line(fault.what()));
    }
    const CLI::App& command = parsed_command(app);
    if (const auto extras = command.remaining(); !extras.empty()) {
        return usage_error(app, extras_message(command, extras));
    }
    if (!action) {
        std::fputs(k_overview, stderr);
        return static_cast<int>(data::ErrorKind::usage);
    }
    return action();
}

}  // namespace gannet::pipeline::cli
