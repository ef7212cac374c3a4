// SPDX-License-Identifier: MIT
// Provides the application: the list of subcommands, their help, and the messages on arguments that cannot be
// parsed.
#include "pipeline/cli/app.hpp"

#include "data/error.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/exit_codes.hpp"
#include "pipeline/cli/formatter.hpp"
#include "pipeline/cli/nearest.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/cli/text_width.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/log.hpp"

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

  gannet run REF R1.fq.gz [R2.fq.gz] -o DIR --sample S  reads to BAM and VCF
  gannet align REF R1.fq.gz [R2.fq.gz] -o OUT.bam       reads to sorted BAM
  gannet sort, gannet markdup IN.bam -o OUT.bam         sort, mark duplicates
  gannet call REF IN.bam -o OUT.vcf.gz                  variants of a sorted BAM
  gannet joint REF A.g.vcf.gz B.g.vcf.gz... -o OUT      gVCFs to a cohort VCF
  gannet index REF                                      built by run if missing
  gannet scatter REF --count N -o DIR                   regions of equal parts
  gannet simulate --size MB -o DIR                      reads with known truth
  gannet compare TRUTH.vcf CALLS.vcf --reference REF    precision and recall
  gannet examples, gannet evaluate-model                to train the scorer
  gannet report DIR... -o REPORT.html                   a page of finished runs
  gannet bench [STAGE...]                               speed of single stages
  gannet devices, gannet version                        backends here; version
  gannet help COMMAND                                   all options of a command

Options of most commands, with defaults in brackets:
  -o PATH        output; - is standard output   -t N        threads [all cores]
  --memory SIZE  limit, as 8G [60 % of free]    --tmp DIR   [output folder]
  --backend B    auto, cuda, simd [auto]        --log FILE  messages [none]
)";

std::string overview() {
    std::string codes;
    for (const ExitCode& code : k_exit_codes)
        codes += (codes.empty() ? "Exit codes: " : ", ") + std::string(code.code) + " " + code.text;
    return k_overview + wrap(codes, 80, 0, 2) + "\n";
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/// The innermost command that was given.
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
    log_error(message + " (see " + full_name(command) + " --help)");
    return static_cast<int>(data::ErrorKind::usage);
}

/// Subcommands are looked up before CLI11 parses, whose message on an unknown one does not help.
std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
    const std::string& given = words.front();
    if (given.empty() || given[0] == '-') return std::nullopt;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == given) return std::nullopt;
        if (!command->get_group().empty()) names.push_back(command->get_name());
    }
    std::string message = "there is no command " + given;
    if (const auto close = nearest(given, names)) message += "; did you mean " + *close + "?";
    return message;
}

/// What to say of the first unknown option among the arguments that were not understood, if there is one.
std::optional<std::string> unknown_option(const CLI::App& command) {
    for (const std::string& extra : command.remaining()) {
        if (extra.size() < 2 || extra[0] != '-') continue;
        const std::string name = extra.substr(0, extra.find('='));
        std::string message = "there is no option " + name;
        if (const auto close = nearest(name, option_names(command)))
            message += "; did you mean " + *close + "?";
        return message;
    }
    return std::nullopt;
}

/// CLI11's message, in one line; an unknown option goes first, since what follows it was taken for arguments.
std::string parse_message(const CLI::App& command, const CLI::ParseError& fault) {
    if (const auto message = unknown_option(command)) return *message;
    std::string text = fault.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&fault);
        mismatch != nullptr && text.starts_with("READS:"))
        return "READS: at most two files (R1 and R2); give several lanes with --lane or --lanes";
    return text;
}

/// "gannet help call" as "gannet call --help"; "gannet help" is the overview.
std::vector<std::string> arguments(int argc, char** argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (words.size() > 1 && words[0] == "--") words.erase(words.begin());
    if (words.empty() || words[0] != "help") return words;
    words.erase(words.begin());
    words.emplace_back("--help");
    return words;
}

/// A flag of every command that stands for "--", which CLI11 takes for the end of the command.
constexpr const char* k_arguments_follow = "--only-arguments-follow";

/// What follows "--" are arguments, which are files: as such one is named that begins with a hyphen.
void mark_arguments(std::vector<std::string>& words) {
    const auto mark = std::find(words.begin(), words.end(), "--");
    if (mark == words.end()) return;
    *mark = k_arguments_follow;
    for (auto word = mark + 1; word != words.end(); ++word) {
        if (word->size() > 1 && word->front() == '-') word->insert(0, "./");
    }
}

void add_mark(CLI::App& command) {
    command.add_flag(k_arguments_follow)->group("");
    for (CLI::App* inner : command.get_subcommands({})) add_mark(*inner);
}

/// An empty value is mostly a variable of a script that was never set. It is not what leaving the option out
/// is.
void refuse_empty_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        if (option->get_expected_max() > 0)
            option->check(not_empty(option->get_required() || option->get_positional()));
    }
    for (CLI::App* inner : command.get_subcommands({})) refuse_empty_values(*inner);
}

/// What a variable that was never set leaves: "" among optional arguments, which CLI11 does not check, and in
/// `-o $X -q` the next option as a value. A file of such a name can be given as ./-q.
std::optional<std::string> lost_value(const CLI::App& command) {
    const std::vector<std::string> names = option_names(command);
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_expected_max() == 0) continue;
        const bool is_argument = option->get_positional();
        const std::string name = is_argument                    ? option->get_name()
                                 : option->get_snames().empty() ? "--" + option->get_lnames().front()
                                                                : "-" + option->get_snames().front();
        for (const std::string& value : option->results()) {
            if (is_argument && value.empty()) return name + ": is empty: give a name, or leave it out";
            const std::string word = value.substr(0, value.find('='));
            if (!is_argument && std::find(names.begin(), names.end(), word) != names.end())
                return name + ": needs a value, and " + word + " is an option";
        }
    }
    return std::nullopt;
}

void add_commands(CLI::App& app, Action& action) {
    add_run_command(app, action);
    add_align_command(app, action);
    add_sort_command(app, action);
    add_markdup_command(app, action);
    add_call_command(app, action);
    add_joint_command(app, action);
    add_index_command(app, action);
    add_scatter_command(app, action);
    add_simulate_command(app, action);
    add_compare_command(app, action);
    add_examples_command(app, action);
    add_evaluate_command(app, action);
    add_report_command(app, action);
    add_bench_command(app, action);
    add_devices_command(app, action);
    add_version_command(app, action);
    add_texts_command(app, action);
    // Unknown words are collected, so that the nearest name can be offered; see parse_message.
    for (CLI::App* command : app.get_subcommands({})) {
        command->allow_extras();
        refuse_empty_values(*command);
        add_mark(*command);
    }
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app("Sequencing reads (FASTQ) to variants (VCF) in one program.");
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag("-v,--version", program_name());
    app.formatter(std::make_shared<HelpFormatter>(help_width()));  // before the subcommands, which inherit it
    Action action;
    add_commands(app, action);
    std::vector<std::string> words = arguments(argc, argv);
    if (words.empty()) {
        std::fputs(overview().c_str(), stderr);
        return static_cast<int>(data::ErrorKind::usage);
    }
    // Errors of the arguments themselves are messages too.
    const auto end = std::find(words.begin(), words.end(), "--");
    LogOptions log;
    log.json = std::find(words.begin(), end, "--log-json") != end;
    set_up_log(log);
    if (const auto message = unknown_command(app, words)) return usage_error(app, *message);
    mark_arguments(words);
    try {
        std::reverse(words.begin(), words.end());  // as CLI11 takes them
        app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        const CLI::App& command = parsed_command(app);
        std::cout << (&command == &app ? overview() : command.help()) << std::flush;
        return 0;
    } catch (const CLI::CallForVersion&) {
        std::cout << program_name() << std::endl;
        return 0;
    } catch (const CLI::ParseError& fault) {
        return usage_error(app, parse_message(parsed_command(app), fault));
    }
    const CLI::App& command = parsed_command(app);
    if (const auto message = unknown_option(command)) return usage_error(app, *message);
    if (const auto message = lost_value(command)) return usage_error(app, *message);
    const auto extras = command.remaining();
    if (!extras.empty()) return usage_error(app, "one argument too many: " + extras.front());
    if (!action) return usage_error(app, "no command given");
    return action();
}

}  // namespace gannet::pipeline::cli
