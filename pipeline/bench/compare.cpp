// SPDX-License-Identifier: MIT
// Provides the comparison of benchmarks.
#include "pipeline/bench/compare.hpp"

#include "data/error.hpp"
#include "data/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gannet::pipeline::bench {
namespace {

using Files = std::vector<BenchFile>;

[[noreturn]] void refuse(const std::string& message) { throw data::Error(data::ErrorKind::usage, message); }

const FileResult* find(const BenchFile& file, const std::string& name) {
    for (const FileResult& result : file.results) {
        if (result.name == name) return &result;
    }
    return nullptr;
}

/// All files must be of one input and one machine; other differences are noted.
void check_together(const Files& base, const Files& fresh, const CompareOptions& options,
                    Comparison& comparison) {
    const BenchFile& first = base.front();
    const BenchFile* with_input = nullptr;  // the stage kernels has none
    const auto note_if = [&](bool differs, const std::string& what, const std::string& a,
                             const std::string& b) {
        const std::string note = what + " differ: " + a + " and " + b;
        if (!differs) return;
        if (std::find(comparison.notes.begin(), comparison.notes.end(), note) == comparison.notes.end())
            comparison.notes.push_back(note);
    };
    for (const Files* files : {&base, &fresh}) {
        for (const BenchFile& file : *files) {
            if (with_input == nullptr && !file.input.empty()) with_input = &file;
            if (!file.input.empty() && file.input != with_input->input)
                refuse(with_input->path + " and " + file.path +
                       " were measured on different inputs: " + with_input->input + " and " + file.input);
            if (file.machine != first.machine && !options.any_machine)
                refuse(first.path + " and " + file.path + " are of different machines: " + first.machine +
                       " and " + file.machine + "; --any-machine compares them nevertheless");
            note_if(file.machine != first.machine, "machines", first.machine, file.machine);
            note_if(file.threads != first.threads, "threads", std::to_string(first.threads),
                    std::to_string(file.threads));
            note_if(file.backend != first.backend, "backends", first.backend, file.backend);
            note_if(file.handicap != first.handicap, "handicaps", first.handicap, file.handicap);
            if (file.commit != files->front().commit)
                note_if(true, "commits within one side", files->front().commit, file.commit);
        }
    }
}

/// Names that all files have, in the order of the first; others are noted.
std::vector<std::string> common_names(const Files& base, const Files& fresh, Comparison& comparison) {
    std::vector<std::string> names;
    std::vector<std::string> seen;
    for (const Files* files : {&base, &fresh}) {
        for (const BenchFile& file : *files) {
            for (const FileResult& result : file.results) {
                if (std::find(seen.begin(), seen.end(), result.name) != seen.end()) continue;
                seen.push_back(result.name);
                const auto lacks = [&result](const BenchFile& other) {
                    return find(other, result.name) == nullptr;
                };
                const auto in_base = std::find_if(base.begin(), base.end(), lacks);
                const auto in_fresh = std::find_if(fresh.begin(), fresh.end(), lacks);
                if (in_base == base.end() && in_fresh == fresh.end()) {
                    names.push_back(result.name);
                } else {
                    comparison.notes.push_back(result.name + " is not compared: " +
                                               (in_base != base.end() ? in_base->path : in_fresh->path) +
                                               " lacks it");
                }
            }
        }
    }
    if (names.empty()) refuse("the files have no result in common: nothing to compare");
    return names;
}

const std::vector<double>& seconds_of(const FileResult& result, bool by_wall) {
    return by_wall ? result.wall_s : result.cpu_s;
}

/// Logarithms of new over base, sample by sample.
std::vector<double> sample_ratios(const std::vector<double>& base, const std::vector<double>& fresh) {
    std::vector<double> ratios;
    for (size_t i = 0; i < std::min(base.size(), fresh.size()); ++i)
        ratios.push_back(std::log(fresh[i] / base[i]));
    return ratios;
}

/// One number for a pair of files. Samples that were taken in turn met the same conditions, so
/// their ratios are compared; otherwise the fastest sample of each file is the one that was disturbed least.
double pair_ratio(const std::vector<double>& base, const std::vector<double>& fresh, bool in_turns) {
    if (in_turns) return median(sample_ratios(base, fresh));
    return std::log(*std::min_element(fresh.begin(), fresh.end()) /
                    *std::min_element(base.begin(), base.end()));
}

/// Logarithms of new over base, one per pair of files; with one pair of files, one per pair of their samples.
std::vector<double> log_ratios(const Files& base, const Files& fresh, const std::string& name, bool by_wall) {
    const auto seconds = [&](const BenchFile& file) -> const std::vector<double>& {
        return seconds_of(*find(file, name), by_wall);
    };
    if (base.size() == 1) return sample_ratios(seconds(base.front()), seconds(fresh.front()));
    std::vector<double> ratios;
    for (size_t i = 0; i < base.size(); ++i) {
        ratios.push_back(
            pair_ratio(seconds(base[i]), seconds(fresh[i]), base[i].in_turns && fresh[i].in_turns));
    }
    return ratios;
}

Verdict judge(const Interval& logs, double edge) {
    if (std::isinf(logs.low)) return Verdict::too_few;
    if (logs.low > 0 && logs.estimate > edge) return Verdict::slower;
    if (logs.high < 0 && logs.estimate < -edge) return Verdict::faster;
    return logs.low >= -edge && logs.high <= edge ? Verdict::same : Verdict::unclear;
}

bool digests_differ(const Files& base, const Files& fresh, const std::string& name) {
    const std::string& first = find(base.front(), name)->digest;
    const auto differs = [&](const BenchFile& file) { return find(file, name)->digest != first; };
    return std::any_of(base.begin(), base.end(), differs) || std::any_of(fresh.begin(), fresh.end(), differs);
}

bool chosen_wall(const Files& base, const Files& fresh, Clock clock) {
    if (clock != Clock::automatic) return clock == Clock::wall;
    const auto on_device = [](const BenchFile& file) { return file.backend.starts_with("cuda"); };
    return std::any_of(base.begin(), base.end(), on_device) ||
           std::any_of(fresh.begin(), fresh.end(), on_device);
}

/// "1.024".
std::string ratio_text(double ratio) {
    char text[48];
    std::snprintf(text, sizeof text, "%.3f", ratio);
    return text;
}

/// 0.05 as "5 %".
std::string percent(double share) {
    char text[48];
    std::snprintf(text, sizeof text, "%g %%", 100 * share);
    return text;
}

}  // namespace

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::slower:
            return "slower";
        case Verdict::faster:
            return "faster";
        case Verdict::same:
            return "same";
        case Verdict::unclear:
            return "unclear";
        default:
            return "too few";
    }
}

bool Comparison::any(Verdict verdict) const {
    return std::any_of(results.begin(), results.end(),
                       [verdict](const Compared& result) { return result.verdict == verdict; });
}

Comparison compare(const Files& base, const Files& fresh, const CompareOptions& options) {
    if (base.empty() || base.size() != fresh.size())
        refuse("pairs are needed: " + std::to_string(base.size()) + " files of the base and " +
               std::to_string(fresh.size()) + " of the new build");
    Comparison comparison;
    comparison.pairs = base.size();
    comparison.by_wall = chosen_wall(base, fresh, options.clock);
    check_together(base, fresh, options, comparison);
    const std::vector<std::string> names = common_names(base, fresh, comparison);
    // Bonferroni: however many results there are, the confidence is that of all of them together.
    const double alpha = (1 - options.confidence) / static_cast<double>(names.size());
    const double edge = std::log1p(options.minimum_effect);
    comparison.pairs_needed = min_pairs(alpha);
    for (const std::string& result_name : names) {
        const std::vector<double> logs = log_ratios(base, fresh, result_name, comparison.by_wall);
        const Interval interval = signed_rank_interval(logs, alpha);
        Compared compared;
        compared.name = result_name;
        compared.pairs = logs.size();
        compared.ratio = {std::exp(interval.estimate), std::exp(interval.low), std::exp(interval.high)};
        compared.verdict = judge(interval, edge);
        compared.other_work = digests_differ(base, fresh, result_name);
        comparison.results.push_back(compared);
    }
    if (comparison.pairs == 1 && !base.front().in_turns)
        comparison.notes.emplace_back(
            "one pair of files: what the machine did between the two runs looks like a change; give "
            "interleaved pairs");
    if (comparison.any(Verdict::too_few))
        comparison.notes.push_back("too few pairs for a verdict: " + std::to_string(comparison.pairs_needed) +
                                   " are needed at this confidence and number of results");
    return comparison;
}

std::string to_table(const Comparison& comparison, const CompareOptions& options) {
    std::string text = (comparison.by_wall ? "wall" : "CPU") + std::string(" seconds, ") +
                       std::to_string(comparison.pairs) + (comparison.pairs == 1 ? " pair" : " pairs") +
                       " of files, " + percent(options.confidence) + " confidence over " +
                       std::to_string(comparison.results.size()) + " results, minimum effect " +
                       percent(options.minimum_effect) + "\n\n";
    text += "result                           pairs  new/base  interval            verdict\n";
    for (const Compared& result : comparison.results) {
        const std::string interval =
            result.verdict == Verdict::too_few
                ? "-"
                : ratio_text(result.ratio.low) + " to " + ratio_text(result.ratio.high);
        char line[160];
        std::snprintf(line, sizeof line, "%-31s  %5zu  %8.3f  %-18s  %s%s\n", result.name.c_str(),
                      result.pairs, result.ratio.estimate, interval.c_str(),
                      std::string(name(result.verdict)).c_str(),
                      result.other_work ? " (its jobs differ: the ratio is per unit of work)" : "");
        text += line;
    }
    for (const std::string& note : comparison.notes) text += "note: " + note + "\n";
    return text;
}

std::string to_json(const Comparison& comparison, const CompareOptions& options) {
    nlohmann::ordered_json json = {{"schema", "gannet-bench-comparison"},
                                   {"schema_version", 2},
                                   {"clock", comparison.by_wall ? "wall" : "cpu"},
                                   {"pairs", comparison.pairs},
                                   {"confidence", options.confidence},
                                   {"minimum_effect", options.minimum_effect},
                                   {"results", nlohmann::ordered_json::array()},
                                   {"notes", comparison.notes}};
    for (const Compared& result : comparison.results) {
        nlohmann::ordered_json one = {{"name", result.name},
                                      {"pairs", result.pairs},
                                      {"ratio", result.ratio.estimate},
                                      {"verdict", name(result.verdict)},
                                      {"jobs_differ", result.other_work}};
        if (result.verdict != Verdict::too_few) {
            one["low"] = result.ratio.low;
            one["high"] = result.ratio.high;
        }
        json["results"].push_back(one);
    }
    return data::json_text(json, 1) + "\n";
}

}  // namespace gannet::pipeline::bench
