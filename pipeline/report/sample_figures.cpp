// SPDX-License-Identifier: MIT
// Provides the reading of a finished run.
#include "pipeline/report/sample_figures.hpp"

#include "data/error.hpp"
#include "data/index_names.hpp"
#include "data/output_path.hpp"
#include "pipeline/jobs/qc_files.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/report/kept_views.hpp"
#include "pipeline/report/rows.hpp"

#include <algorithm>
#include <filesystem>

namespace gannet::pipeline::report {
namespace fs = std::filesystem;
namespace {

constexpr const char* k_run_json = ".run.json";

bool is_file(const std::string& path) {
    std::error_code fault;
    return fs::is_regular_file(path, fault);
}

RunFiles run_of(const std::string& run_json) {
    return {run_json, run_json.substr(0, run_json.size() - std::string_view(k_run_json).size())};
}

constexpr const char* k_quality_control = "quality control";

/// Whether run.json names it among what the run wrote. In the same folder there may be files of an earlier
/// run that this one did not replace.
bool wrote(const SampleFigures& figures, std::string_view output) {
    const auto& outputs = figures.run.outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [output](const auto& written) { return written.first == output; });
}

/// The path of a file that the run wrote; empty, and noted as missing, where there is none.
std::string own_file(const std::string& path, const char* what, const char* output, SampleFigures& figures) {
    const std::string name = fs::path(path).filename().string();
    if (!wrote(figures, output)) {
        figures.missing.push_back(std::string(what) + ": the run wrote no " + name);
        return "";
    }
    if (is_file(path)) return path;
    figures.missing.push_back(std::string(what) + ": there is no " + name);
    figures.lost.push_back(name);
    return "";
}

/// Calls `parse(text, path)` where the run wrote the file.
template <class Parse>
void read_own(const std::string& path, const char* what, SampleFigures& figures, const Parse& parse,
              const char* output = k_quality_control) {
    const std::string own = own_file(path, what, output, figures);
    if (!own.empty()) parse(read_text_file(own), own);
}

/// Picard's PERCENT_DUPLICATION, over all libraries.
std::optional<double> duplicates_of(const std::vector<MetricsRow>& libraries) {
    double examined = 0;
    double duplicates = 0;
    for (const MetricsRow& library : libraries) {
        const auto value = [&library](const char* column) { return metric(library, column).value_or(0); };
        examined += value("UNPAIRED_READS_EXAMINED") + 2 * value("READ_PAIRS_EXAMINED");
        duplicates += value("UNPAIRED_READ_DUPLICATES") + 2 * value("READ_PAIR_DUPLICATES");
    }
    return examined > 0 ? std::optional<double>(duplicates / examined) : std::nullopt;
}

const MetricsRow* row_of(const std::vector<MetricsRow>& rows, const char* column,
                         std::initializer_list<const char*> preferred) {
    for (const char* value : preferred) {
        for (const MetricsRow& row : rows) {
            const auto at = row.find(column);
            if (at != row.end() && at->second == value) return &row;
        }
    }
    return nullptr;
}

/// Of rows of Picard CollectInsertSizeMetrics. Mates of other pairs have all orientations, none so often.
std::string orientation_of(const std::vector<MetricsRow>& rows) {
    const auto pairs_of = [](const MetricsRow& row) { return metric(row, "READ_PAIRS").value_or(0); };
    double all = 0;
    for (const MetricsRow& row : rows) all += pairs_of(row);
    for (const MetricsRow& row : rows) {
        const auto at = row.find("PAIR_ORIENTATION");
        if (all > 0 && 5 * pairs_of(row) >= 4 * all && at != row.end()) return at->second;
    }
    return "";
}

[[noreturn]] void throw_cut(const std::string& path) {
    data::throw_malformed(path, "ends within its table of metrics: the file was cut");
}

void read_quality_control(const RunFiles& files, SampleFigures& figures) {
    read_own(
        files.path(".stats"), "qualities, bases, insert sizes and mapping qualities", figures,
        [&](const std::string& text, const std::string& path) { figures.stats = parse_stats(text, path); });
    read_own(files.path(".mosdepth.summary.txt"), "depth of contigs", figures,
             [&](const std::string& text, const std::string& path) {
                 figures.depth = parse_depth_summary(text, path);
             });
    read_own(files.path(".mosdepth.global.dist.txt"), "breadth", figures,
             [&](const std::string& text, const std::string& path) {
                 figures.depth_shares = parse_depth_distribution(text, path);
             });
    read_own(
        files.path(".duplicates.txt"), "duplicates", figures,
        [&](const std::string& text, const std::string& path) {
            figures.libraries = parse_metrics(text, path, TableEnd::blank_line);
            figures.duplicates = duplicates_of(figures.libraries);
        },
        "duplicate metrics");
    read_own(files.path(".insert_size_metrics"), "insert size", figures,
             [&](const std::string& text, const std::string& path) {
                 const auto rows = parse_metrics(text, path, TableEnd::blank_line_after_rows);
                 if (const auto* row = row_of(rows, "PAIR_ORIENTATION", {"FR", "RF", "TANDEM"}))
                     figures.inserts = *row;
                 figures.orientation = orientation_of(rows);
             });
    read_own(files.path(".alignment_summary_metrics"), "mismatches and chimeras", figures,
             [&](const std::string& text, const std::string& path) {
                 const auto rows = parse_metrics(text, path, TableEnd::any);
                 // Without reads no histogram follows, nor a blank line; one row or the other is always
                 // there.
                 const auto* row = row_of(rows, "CATEGORY", {"PAIR", "UNPAIRED"});
                 if (row == nullptr) throw_cut(path);
                 figures.summary = *row;
             });
}

/// What runs of earlier versions have not.
void read_coverage(const RunFiles& files, SampleFigures& figures) {
    if (!wrote(figures, k_quality_control)) return;
    const auto rows_of = [&](const char* ending, TableEnd end) {
        const std::string path = files.path(ending);
        return is_file(path) ? parse_metrics(read_text_file(path), path, end) : std::vector<MetricsRow>();
    };
    const auto first_of = [&](const char* ending) {
        const auto rows = rows_of(ending, TableEnd::blank_line);
        return rows.empty() ? std::nullopt : std::optional<MetricsRow>(rows.front());
    };
    figures.wgs = first_of(".wgs_metrics");
    if (figures.run.has_targets) figures.targets = first_of(".hs_metrics");
    figures.gc_bias = rows_of(".gc_bias.detail_metrics", TableEnd::any_or_no_table);
    if (!figures.gc_bias.empty() && figures.gc_bias.back()["GC"] != "100")
        throw_cut(files.path(".gc_bias.detail_metrics"));
    for (size_t mate = 0; mate < figures.sequences.size(); ++mate) {
        const std::string path = files.path(mate == 0 ? ".R1_fastqc.zip" : ".R2_fastqc.zip");
        if (is_file(path)) figures.sequences[mate] = parse_fastqc_sequences(read_text_file(path), path);
    }
}

/// Empty where the run wrote CRAM: a BAM beside it is of an earlier run.
std::string bam_of(const RunFiles& files, const SampleFigures& figures) {
    const auto& outputs = figures.run.outputs;
    const bool is_cram = std::any_of(outputs.begin(), outputs.end(), [](const auto& written) {
        return written.first == "alignments" && written.second.ends_with(".cram");
    });
    return is_cram ? "" : files.path(".bam");
}

bool needs_index(const std::string& path) {
    return path.ends_with(".cram") || path.ends_with(".bam") || path.ends_with(".gz");
}

bool has_index(const std::string& path) {
    const std::vector<std::string> names = data::index_names_of(path);
    return std::any_of(names.begin(), names.end(), is_file);
}

void look_for(const std::string& path, SampleFigures& figures) {
    const std::string name = fs::path(path).filename().string();
    std::vector<std::string>& lost = figures.lost;
    if (!is_file(path) && std::find(lost.begin(), lost.end(), name) == lost.end()) lost.push_back(name);
}

void look_for_indexed(const std::string& path, SampleFigures& figures) {
    look_for(path, figures);
    if (needs_index(path) && !has_index(path))
        figures.lost.push_back("index of " + fs::path(path).filename().string());
}

/// In the folder of the run, which may have been moved, or where --gvcf FILE said.
std::string gvcf_of(const RunFiles& files, const SampleFigures& figures, const std::string& written) {
    const auto& outputs = figures.run.outputs;
    const fs::path folder = fs::path(written).parent_path();
    const bool is_in_folder = std::any_of(outputs.begin(), outputs.end(), [&folder](const auto& other) {
        return other.first == "variants" && fs::path(other.second).parent_path() == folder;
    });
    if (!is_in_folder) return written;
    return (fs::path(files.run_json).parent_path() / fs::path(written).filename()).string();
}

/// "All there" is said of all that the run wrote, also of what no figure is drawn from. The report itself
/// aside: who asks for one is about to have it.
void look_for_the_others(const RunFiles& files, SampleFigures& figures) {
    const bool is_apart = figures.run.execution.elapsed_s <= 0;  // its report sees no gVCF
    for (const auto& [what, path] : figures.run.outputs) {
        if (what == "alignments")
            look_for_indexed(files.path(path.ends_with(".cram") ? ".cram" : ".bam"), figures);
        else if (what == "variants")
            look_for_indexed(files.path(".vcf.gz"), figures);
        else if (what == "gVCF" && !is_apart && !data::is_written_in_place(path))
            look_for_indexed(gvcf_of(files, figures, path), figures);
    }
    if (!wrote(figures, k_quality_control)) return;
    const fs::path folder = fs::path(files.run_json).parent_path();
    for (const std::string& name : figures.run.quality_control) look_for((folder / name).string(), figures);
    if (figures.run.quality_control.empty())
        for (const std::string& path : QcFiles(files.stem).certain_paths()) look_for(path, figures);
}

/// Sites that the user asks for are an output; those that the report chooses are left out where they cannot
/// be had.
void require_files_of_sites(const RunFiles& files, const SampleFigures& figures) {
    const std::string bam = bam_of(files, figures);
    const std::string alignments = bam.empty() ? files.path(".cram") : bam;
    for (const std::string& path : {files.path(".vcf.gz"), alignments})
        if (!is_file(path)) data::throw_malformed(path, "is not there, and --sites needs it");
    if (!has_index(alignments))
        data::throw_malformed(alignments,
                              "has no index, and --sites needs one: samtools index " + alignments);
}

/// What the scorer saw of some records. A file that is gone or damaged costs the report no more than that.
std::vector<KeptView> read_views(const RunFiles& files, SampleFigures& figures) {
    const std::string path = files.path(k_views_ending);
    const std::string name = fs::path(path).filename().string();
    const auto& written = figures.run.quality_control;
    if (figures.run.scorer.empty()) {
        figures.no_views = "the run did not use it (--no-scorer): all records are the caller's";
    } else if (std::find(written.begin(), written.end(), name) == written.end()) {
        figures.no_views = "the run wrote no " + name;
    } else if (!is_file(path)) {
        figures.no_views = "there is no " + name;
    } else {
        try {
            return parse_views(read_text_file(path), path);
        } catch (const data::Error& error) {
            log_warning(std::string(error.what()) + "; the report is made without it");
            figures.no_views = error.what();
            figures.missing.push_back("views of the scorer: " + figures.no_views);
        }
    }
    return {};
}

void add_views(std::vector<KeptView>&& views, SampleFigures& figures) {
    for (Pileup& pileup : figures.pileups) {
        for (KeptView& view : views)
            if (view.contig == pileup.site.contig && view.site.position == pileup.site.record_position)
                pileup.view = view.site;
    }
}

/// A CRAM may have been moved away from its reference since: that is no fault of the report.
void read_reads_of_sites(const RunFiles& files, bool are_asked, SampleFigures& figures) {
    if (!figures.variants) return;
    const std::string bam = bam_of(files, figures);
    const std::string cram = files.path(".cram");
    if (is_file(bam)) {
        figures.pileups = read_pileups(bam, "", figures.variants->shown());
    } else if (is_file(cram)) {
        try {
            figures.pileups = read_pileups(cram, figures.run.reference, figures.variants->shown());
        } catch (const data::Error& error) {
            if (are_asked) throw;
            figures.missing.push_back(std::string("reads at some sites: ") + error.what());
        }
    }
}

/// The trace as the command named it, else beside run.json.
void read_trace(const RunFiles& files, SampleFigures& figures) {
    const std::string& given = figures.run.execution.trace;
    if (given.empty()) {
        figures.missing.push_back("timeline: the run had no --trace");
        return;
    }
    const fs::path beside = fs::path(files.run_json).parent_path() / fs::path(given).filename();
    for (const std::string& path : {given, beside.string()}) {
        if (!is_file(path)) continue;
        figures.timeline = read_timeline(path);
        return;
    }
    figures.missing.push_back("timeline: there is no " + given);
}

}  // namespace

std::vector<RunFiles> find_runs(const std::string& path) {
    std::error_code fault;
    if (!fs::is_directory(path, fault)) {
        if (path.ends_with(k_run_json) && is_file(path)) return {run_of(path)};
        if (is_file(path + k_run_json)) return {run_of(path + k_run_json)};
        data::throw_malformed(path, "is neither a folder of a finished run nor a run.json");
    }
    std::vector<RunFiles> runs;
    for (const auto& entry : fs::directory_iterator(path)) {
        const std::string name = entry.path().string();
        if (name.ends_with(k_run_json) && entry.is_regular_file(fault)) runs.push_back(run_of(name));
    }
    std::sort(runs.begin(), runs.end(),
              [](const RunFiles& a, const RunFiles& b) { return a.run_json < b.run_json; });
    return runs;
}

std::optional<double> SampleFigures::mean_depth() const {
    if (!depth || run.known_bases == 0) return std::nullopt;
    return static_cast<double>(depth->total.bases) / static_cast<double>(run.known_bases);
}

std::optional<double> SampleFigures::breadth(size_t at_least) const {
    if (!depth || depth_shares.empty() || run.known_bases == 0) return std::nullopt;
    const double share = at_least < depth_shares.size() ? depth_shares[at_least] : 0;
    return std::min(1.0,
                    share * static_cast<double>(depth->total.length) / static_cast<double>(run.known_bases));
}

SampleFigures read_sample(const RunFiles& files, std::string_view run_json,
                          const std::vector<std::pair<std::string, int64_t>>& sites) {
    SampleFigures figures;
    figures.run = parse_run_file(run_json, files.run_json);
    if (!sites.empty()) require_files_of_sites(files, figures);
    read_quality_control(files, figures);
    read_coverage(files, figures);
    const std::string bam = bam_of(files, figures);
    if (figures.depth && is_file(bam)) figures.along = depth_along_contigs(bam, figures.depth->contigs);
    if (figures.along.empty())
        figures.missing.push_back("depth along contigs: there is no " +
                                  fs::path(files.path(".bam")).filename().string() +
                                  " of this run with an index and reads");
    const std::string vcf = files.path(".vcf.gz");
    std::vector<KeptView> views = read_views(files, figures);
    std::vector<std::pair<std::string, int64_t>> viewed;
    for (const KeptView& view : views) viewed.emplace_back(view.contig, view.site.position + 1);
    if (!own_file(vcf, "variants", "variants", figures).empty())
        figures.variants = read_variants(vcf, sites, viewed);
    read_reads_of_sites(files, !sites.empty(), figures);
    add_views(std::move(views), figures);
    look_for_the_others(files, figures);
    if (figures.run.depth_by_gc.empty() && figures.gc_bias.empty())
        figures.missing.push_back("depth by GC: too few bases of the sample to measure it");
    read_trace(files, figures);
    return figures;
}

}  // namespace gannet::pipeline::report
