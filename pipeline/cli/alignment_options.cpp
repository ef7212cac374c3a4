// SPDX-License-Identifier: MIT
// Provides the options of the alignment: what is marked and flagged, scores as bwa mem has them, insert
// sizes.
#include "kernels/pairing/pairing.hpp"
#include "pipeline/cli/option_groups.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace gannet::pipeline::cli {

namespace {

/// "6", or "6,6" as bwa mem takes it: gannet has one value for both.
CLI::Validator one_value(int64_t low, int64_t high) {
    return CLI::Validator(
        [low, high](std::string& text) -> std::string {
            const size_t comma = text.find(',');
            if (comma == std::string::npos) return whole_between(low, high)(text);
            if (text.substr(0, comma) != text.substr(comma + 1))
                return text + " are two values; gannet has one for both: give one";
            text.resize(comma);
            return whole_between(low, high)(text);
        },
        "");
}

void add_score_options(CLI::App& command, align::AlignerParameters& parameters) {
    // All but the matches: -A multiplies those that are not given.
    std::vector<std::pair<const CLI::Option*, int32_t*>> scaled;
    const auto add = [&command, &scaled](const char* name, int32_t& value, double low, double high,
                                         const std::string& help) {
        CLI::Option* const option =
            command.add_option(name, value, help + " [" + std::to_string(value) + "]")
                ->group("Alignment")
                ->transform(one_value(low, high))
                ->type_name("N");
        scaled.emplace_back(option, &value);
        return option;
    };
    kernels::MinimumScore& minimum = parameters.minimum_score;
    add("-T,--min-score", minimum.score, 0, 10000,
        "report no alignment with a lower score; unless it is given, reads of less than 47 bp may score less")
        ->each([&minimum](const std::string&) { minimum.lower_for_short_reads = false; });
    add("-B,--mismatch", parameters.scoring.mismatch, 0, 1000, "penalty for a mismatch");
    add("-O,--gap-open", parameters.scoring.gap_open, 0, 1000, "penalty for opening a gap");
    add("-E,--gap-extend", parameters.scoring.gap_extend, 1, 1000, "penalty for each base of a gap");
    add("-L,--clip-penalty", parameters.scoring.end_bonus, 0, 1000, "penalty for clipping an end of a read");
    add("-U,--unpaired", parameters.unpaired_penalty, 0, 10000, "penalty for a pair that is not proper");
    command
        .add_option_function<int32_t>(
            "-A,--match",
            [&parameters, scaled](int32_t match) {
                parameters.scoring.match = match;
                for (const auto& [option, value] : scaled) {
                    if (option->count() == 0) *value *= match;
                }
            },
            "score of a match, which multiplies -T, -B, -O, -E, -L and -U unless they are given [" +
                std::to_string(parameters.scoring.match) + "]")
        ->group("Alignment")
        ->check(whole_between(1, align::k_max_match_score))
        ->type_name("N");
}

[[noreturn]] void refuse_insert_size(const std::string& text, const std::string& why) {
    throw CLI::ValidationError("-I", text + why + "; -I takes MEAN[,SD[,MAX[,MIN]]] in bp, at most " +
                                         std::to_string(kernels::k_max_insert_bp));
}

/// "MEAN[,SD[,MAX[,MIN]]]" as bwa mem takes it, with its defaults: a tenth of the mean, and four standard
/// deviations around it. Fractions are rounded, a standard deviation to 1 at least.
align::InsertSizeModel parse_insert_size(const std::string& text) {
    std::vector<double> given;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        double value = 0;
        const auto [end, fault] = std::from_chars(text.data() + at, text.data() + comma, value);
        if (fault != std::errc{} || end != text.data() + comma ||
            !(std::abs(value) <= kernels::k_max_insert_bp))
            refuse_insert_size(text, " is not such a list");
        given.push_back(value);
        at = comma + 1;
    }
    if (given.size() > 4) refuse_insert_size(text, " has more than four values");
    if (given[0] < 0.5) refuse_insert_size(text, ": the mean is less than 1");
    if (given.size() > 1 && given[1] <= 0)
        refuse_insert_size(text, ": the standard deviation is not greater than 0");
    const auto rounded = [&given](size_t i) { return static_cast<int32_t>(given[i] + 0.5); };
    align::InsertSizeModel model;
    model.valid = true;
    model.mean_bp = rounded(0);
    model.sd_bp = std::max(1, given.size() > 1 ? rounded(1) : (model.mean_bp + 5) / 10);
    model.high_bp =
        std::min(kernels::k_max_insert_bp, given.size() > 2 ? rounded(2) : model.mean_bp + 4 * model.sd_bp);
    model.low_bp = std::max(1, given.size() > 3 ? rounded(3) : model.mean_bp - 4 * model.sd_bp);
    if (model.high_bp < model.mean_bp) refuse_insert_size(text, ": the maximum is below the mean");
    if (model.low_bp > model.mean_bp) refuse_insert_size(text, ": the minimum is above the mean");
    return model;
}

}  // namespace

void add_alignment_options(CLI::App& command, DuplicateOptions& duplicates, int& level,
                           align::AlignerParameters& parameters) {
    CLI::Option* const unmarked =
        command
            .add_flag_callback(
                "--no-duplicates", [&duplicates] { duplicates.mark = false; }, "do not mark duplicates")
            ->group("Alignment");
    for (CLI::Option* const option : add_duplicate_options(command, duplicates))
        option->group("Alignment")->excludes(unmarked);
    command
        .add_flag("--trim-adapters", parameters.trim_adapters,
                  "remove what follows the fragment from pairs whose mates overlap by 30 bases or more, as "
                  "fastp does [adapters are soft-clipped]")
        ->group("Alignment");
    command.add_flag("--hard-clip", parameters.hard_clip, "hard-clip supplementary records [soft-clip]")
        ->group("Alignment");
    command
        .add_flag("-M,--split-secondary", parameters.split_is_secondary,
                  "flag supplementary records as secondary")
        ->group("Alignment");
    command
        .add_option_function<std::string>(
            "-I,--insert-size",
            [&parameters](const std::string& text) { parameters.insert_size = parse_insert_size(text); },
            "mean insert size, standard deviation, maximum and minimum in bp, for all lanes [estimated for "
            "each lane]")
        ->group("Alignment")
        ->type_name("MEAN[,SD[,MAX[,MIN]]]");
    add_score_options(command, parameters);
    command
        .add_option("--level", level,
                    "compression level of BAM, 0-12; a device compresses at level 1 only [" +
                        std::to_string(level) + "]")
        ->group("Alignment")
        ->check(whole_between(0, 12))
        ->type_name("N");
}

}  // namespace gannet::pipeline::cli
