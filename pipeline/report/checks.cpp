// SPDX-License-Identifier: MIT
// Provides the verdict on a sample.
#include "pipeline/report/checks.hpp"

#include "pipeline/jobs/plausibility.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>
#include <utility>

namespace gannet::pipeline::report {
namespace {

constexpr size_t k_breadth_depth = 10;
constexpr size_t k_good_quality = 30;
/// Relative to the autosomes, of which a single Y has 0.5 and two X have 1; between these and one more of
/// them.
constexpr double k_two_y_depth = 0.8;
constexpr double k_three_x_depth = 1.25;

/// Collects the checks of a sample.
class Checks {
  public:
    explicit Checks(const Limits& limits) : limits_(limits) {}

    void judged(const char* limit_name, const char* title, std::optional<double> value, std::string note,
                std::string why_not = "") {
        const Limit& limit = limits_.of(limit_name);
        Check check{
            limit_name,         title,          value, limit.unit, "", limit.pass_text(), limit.look_text(),
            Result::not_judged, std::move(note)};
        check.text = value ? value_text(*value, limit.unit) : "not known";
        if (value && why_not.empty())
            check.result = report::judge(*value, limit);
        else
            check.note = why_not.empty() ? "there are no reads of this kind, or no file that has it"
                                         : std::move(why_not);
        checks_.push_back(std::move(check));
    }
    void add(Check check) { checks_.push_back(std::move(check)); }
    std::vector<Check> take() { return std::move(checks_); }

  private:
    const Limits& limits_;
    std::vector<Check> checks_;
};

/// Called sites cannot tell of targets that were lost: there are none in these.
void check_targets(const SampleFigures& figures, Checks& checks) {
    const auto of = [&figures](const char* column) {
        return figures.targets ? metric(*figures.targets, column) : std::nullopt;
    };
    const std::string why_not =
        figures.targets ? "" : "there is no table of CollectHsMetrics, or the targets have more than 250 Mb";
    checks.judged("targets_20x", "Target bases at 20x", of("PCT_TARGET_BASES_20X"),
                  "Picard's PCT_TARGET_BASES_20X", why_not);
    checks.judged("targets_uncovered", "Targets without coverage", of("ZERO_CVG_TARGETS_PCT"),
                  "Picard's ZERO_CVG_TARGETS_PCT: no base has a read; regions.bed.gz has the depth of each",
                  why_not);
}

void check_depth(const SampleFigures& figures, Checks& checks) {
    if (figures.targets) {
        checks.judged("depth", "Mean depth of targets", metric(*figures.targets, "MEAN_TARGET_COVERAGE"),
                      "Picard's MEAN_TARGET_COVERAGE: without duplicates, overlapping mates once");
        check_targets(figures, checks);
        return;
    }
    const bool of_sites = figures.run.has_targets && figures.variants;
    if (!of_sites) {
        checks.judged("depth", "Mean depth", figures.mean_depth(),
                      "of the known bases of the reference, without duplicates, overlapping mates once",
                      figures.run.has_targets ? "the run has targets or regions, and no VCF" : "");
    } else {
        const uint64_t sites = figures.variants->sites_with_depth();
        checks.judged(
            "depth", "Depth at called sites",
            sites == 0 ? std::nullopt : std::optional<double>(figures.variants->median_depth()),
            "median DP of " + grouped(sites) + " sites that pass, since the run has targets or regions",
            sites < k_min_sites_of_depth ? "only " + grouped(sites) + " sites are called" : "");
    }
    checks.judged(
        "breadth_10x", "Breadth at 10x", figures.breadth(k_breadth_depth),
        "of the known bases of the reference, to 1 %",
        figures.run.has_targets ? "the run has targets or regions: this is of the complete reference" : "");
    if (figures.run.names_targets) check_targets(figures, checks);
}

/// Share of the reads that begin with an adapter, by FastQC's over-represented sequences: they have no
/// insert.
double adapter_dimers(const SampleFigures& figures) {
    double percent = 0;
    size_t files = 0;
    for (const std::optional<SequencesFile>& file : figures.sequences) {
        if (!file) continue;
        ++files;
        for (const SequencesFile::Row& row : file->often) {
            if (row.source.find("Adapter") != std::string::npos ||
                row.source.find("Primer") != std::string::npos)
                percent += row.percent;
        }
    }
    return files == 0 ? 0 : percent / 100 / static_cast<double>(files);
}

std::string note_of_mapped(const SampleFigures& figures, const std::optional<double>& mapped) {
    const double dimers = adapter_dimers(figures);
    if (mapped && dimers > 0 && 2 * dimers >= 1 - *mapped)
        return "few: adapter dimers, which are " + percent_of_one(dimers) +
               " of the reads by their over-represented sequences";
    return "few: another species, or contamination that the reference lacks";
}

/// Of a library whose pairs are not FR; else empty.
std::string note_of_orientation(const SampleFigures& figures) {
    if (figures.orientation == "RF")
        return "; most pairs are RF (reverse-forward), as of a mate-pair library";
    return figures.orientation == "TANDEM" ? "; both mates of most pairs have one direction" : "";
}

void check_reads(const SampleFigures& figures, Checks& checks) {
    const auto share = [&figures](const char* part, const char* whole) {
        return figures.stats ? figures.stats->share(part, whole) : std::nullopt;
    };
    const auto summary = [&figures](const char* column) {
        return figures.summary ? metric(*figures.summary, column) : std::nullopt;
    };
    const bool is_paired = figures.stats && figures.stats->number("reads paired").value_or(0) > 0;
    const std::string single = is_paired ? "" : "the reads are not paired";
    const auto mapped = static_cast<uint64_t>(
        figures.stats ? figures.stats->number("reads mapped").value_or(0) : k_min_mapped_reads);
    const std::string few =
        mapped < k_min_mapped_reads ? "only " + grouped(mapped) + " reads are mapped" : "";
    const std::optional<double> share_mapped = share("reads mapped", "raw total sequences");
    checks.judged("mapped", "Mapped reads", share_mapped, note_of_mapped(figures, share_mapped));
    const std::string orientation = note_of_orientation(figures);
    checks.judged("proper_pairs", "Properly paired", share("reads properly paired", "reads paired"),
                  "of the paired reads" + orientation, single);
    checks.judged("mismatches", "Mismatch rate", summary("PF_MISMATCH_RATE"),
                  "of aligned bases: sequencing errors, and variants of a related species", few);
    checks.judged("q30_bases", "Bases of Q30 or better",
                  figures.stats ? figures.stats->share_of_quality(k_good_quality) : std::nullopt,
                  "as the sequencer reports them");
    const bool like_amplicons =
        !figures.run.uses_umis && 100 * figures.duplicates.value_or(0) > k_amplicon_duplicates_percent;
    checks.judged("duplicates", "Duplicates", figures.duplicates,
                  std::string("of mapped reads, over all libraries") +
                      (like_amplicons ? std::string("; ") + k_amplicon_advice : std::string()),
                  few);
    checks.judged("chimeras", "Chimeras", summary("PCT_CHIMERAS"),
                  "pairs on two contigs or far apart, and split reads" + orientation,
                  is_paired ? few : single);
    checks.judged("contamination", "Contamination", figures.run.contamination, figures.run.contamination_text,
                  figures.run.contamination ? "" : "contamination " + figures.run.contamination_text);
    checks.judged("insert_size", "Insert size",
                  figures.inserts ? metric(*figures.inserts, "MEDIAN_INSERT_SIZE") : std::nullopt, "median",
                  single);
}

void check_variants(const SampleFigures& figures, Checks& checks) {
    const auto ratio = [&](const char* limit, const char* title, double value, uint64_t sites,
                           const std::string& of) {
        checks.judged(limit, title, value > 0 ? std::optional<double>(value) : std::nullopt,
                      "of " + grouped(sites) + " " + of + " that pass",
                      sites < k_min_sites_of_ratio
                          ? "only " + grouped(sites) + " " + of + " pass; a ratio needs " +
                                grouped(k_min_sites_of_ratio)
                          : "");
    };
    const char* const ts_tv = figures.run.has_targets ? "ts_tv_targets" : "ts_tv";
    if (!figures.variants) {
        checks.judged(ts_tv, "Ti/Tv", std::nullopt, "");
        checks.judged("het_hom", "Het/hom", std::nullopt, "");
        return;
    }
    const variants::VariantCounts& pass = figures.variants->counts.pass;
    ratio(ts_tv, "Ti/Tv", figures.variants->transitions_per_transversion(),
          pass.transitions + pass.transversions, "SNVs");
    ratio("het_hom", "Het/hom", figures.variants->heterozygous_per_homozygous(),
          pass.heterozygous + pass.homozygous_alternate, "genotypes");
}

void check_sex(const RunFile& run, Checks& checks) {
    Check check;
    check.name = "sex";
    check.title = "Sex";
    check.pass_text = "as stated";
    check.look_text = "no clear depth of X and Y, or one more of them";
    const std::string depths = run.x_depth && run.y_depth
                                   ? "X has " + percent_of_one(*run.x_depth, 0) + " and Y " +
                                         percent_of_one(*run.y_depth, 0) + " of the depth of the autosomes"
                                   : "";
    const std::string inferred = run.inferred_sex.empty() ? "not clear" : run.inferred_sex;
    const char* more = "";
    if (run.inferred_sex == "male" && run.y_depth.value_or(0) > k_two_y_depth) more = "; two Y (XYY)";
    if (run.inferred_sex == "female" && run.x_depth.value_or(0) > k_three_x_depth) more = "; three X (XXX)";
    check.text = depths.empty() ? "not known" : inferred + more;
    if (depths.empty()) {
        check.note = "the reference or the reads have no X, Y or autosomes";
    } else if (run.stated_sex.empty()) {
        check.note = depths + "; no --sex was stated";
    } else {
        check.note = depths + "; stated: " + run.stated_sex;
        check.result = run.inferred_sex.empty()             ? Result::look
                       : run.inferred_sex != run.stated_sex ? Result::fail
                       : *more != '\0'                      ? Result::look
                                                            : Result::pass;
    }
    checks.add(std::move(check));
}

void check_warnings(const RunFile& run, Checks& checks) {
    Check check;
    check.name = "warnings";
    check.title = "Warnings of the run";
    check.pass_text = "none";
    check.look_text = "some";
    check.result = run.warnings.empty() ? Result::pass : Result::look;
    check.text = run.warnings.empty() ? "none" : std::to_string(run.warnings.size());
    check.note = run.warnings.empty() ? "" : "they are below";
    checks.add(std::move(check));
}

/// What is judged by a file that was lost since would be judged well.
void check_files(const SampleFigures& figures, Checks& checks) {
    Check check;
    check.name = "files";
    check.title = "Files of the run";
    check.pass_text = "all there";
    check.look_text = "some are missing";
    check.result = Result::look;
    if (!figures.lost.empty()) {
        check.text = std::to_string(figures.lost.size()) + " missing";
        check.note = "there is no " + figures.lost.front();
        for (size_t i = 1; i < figures.lost.size(); ++i) check.note += ", " + figures.lost[i];
    } else if (!figures.stats && !figures.depth) {
        check.text = "no quality control";
        check.note = "the run had --no-qc: its depth and its reads are not judged";
    } else {
        check.result = Result::pass;
        check.text = "all there";
        check.note = "all that the run wrote, with their indexes";
    }
    checks.add(std::move(check));
}

}  // namespace

const char* word(Result result) {
    switch (result) {
        case Result::pass:
            return "pass";
        case Result::look:
            return "look";
        case Result::fail:
            return "fail";
        case Result::not_judged:
            break;
    }
    return "not judged";
}

Result judge(double value, const Limit& limit) {
    const auto within = [value](const std::optional<double>& least, const std::optional<double>& most) {
        return (!least || value >= *least) && (!most || value <= *most);
    };
    if (within(limit.pass_min, limit.pass_max)) return Result::pass;
    return within(limit.look_min, limit.look_max) ? Result::look : Result::fail;
}

std::vector<Check> checks_of(const SampleFigures& figures, const Limits& limits) {
    Checks checks(limits);
    check_depth(figures, checks);
    check_reads(figures, checks);
    check_variants(figures, checks);
    check_sex(figures.run, checks);
    check_warnings(figures.run, checks);
    check_files(figures, checks);
    return checks.take();
}

Result verdict_of(const std::vector<Check>& checks) {
    const auto has = [&checks](Result result) {
        return std::any_of(checks.begin(), checks.end(),
                           [result](const Check& check) { return check.result == result; });
    };
    for (const Result result : {Result::fail, Result::look, Result::pass})
        if (has(result)) return result;
    return Result::not_judged;
}

}  // namespace gannet::pipeline::report
