// SPDX-License-Identifier: MIT
// Provides joining of gVCFs: windows to sites, sites to records.
#include "pipeline/jobs/joint_job.hpp"

#include "data/cohort_record.hpp"
#include "data/error.hpp"
#include "data/line_reader.hpp"
#include "data/threads.hpp"
#include "data/vcf/cohort_text.hpp"
#include "data/vcf/writer.hpp"
#include "pipeline/jobs/call_job.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/joint_families.hpp"
#include "pipeline/jobs/joint_sources.hpp"
#include "pipeline/jobs/ploidy.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/progress.hpp"
#include "variants/cohort/site_caller.hpp"
#include "variants/cohort/sites.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>

namespace gannet::pipeline {
namespace {

using data::Error;
using data::ErrorKind;
using variants::cohort::SiteCaller;

/// Positions of all samples together that a window may have, and the limits of a window.
constexpr int64_t k_window_positions = int64_t{1} << 24;
constexpr int64_t k_min_window_bp = 4096;
constexpr int64_t k_max_window_bp = int64_t{1} << 18;
/// Sites that a thread takes at once, and genotypes of all of them that are held as text.
constexpr size_t k_task_sites = 8;
constexpr size_t k_batch_genotypes = size_t{1} << 20;

/// Of a VCF, FASTA, FASTQ or BAM instead of a list of files.
bool is_data(std::string_view line) {
    if (line.starts_with('#')) return line.starts_with("##fileformat=");
    return line.starts_with('>') || line.starts_with('@') ||
           std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

std::vector<std::string> inputs_of(const JointOptions& options) {
    std::vector<std::string> paths = options.inputs;
    if (!options.list.empty()) {
        // "-" would close standard input, which is checked and compared with the outputs later.
        if (options.list == "-") check_standard_input();
        data::LineReader lines(
            std::make_unique<data::InputStream>(options.list == "-" ? "/dev/stdin" : options.list));
        for (std::string_view line; lines.read(line);) {
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (lines.number() == 1) line = data::without_byte_order_mark(line);
            std::error_code fault;
            if (is_data(line) && !std::filesystem::exists(line, fault))
                throw Error(ErrorKind::malformed_input,
                            options.list + ": line " + std::to_string(lines.number()) +
                                ": names no file: --list wants a text with one gVCF per line");
            if (!line.empty() && line[0] != '#') paths.emplace_back(line);
        }
    }
    if (paths.empty()) throw Error(ErrorKind::usage, "no gVCF given: name at least one, or give --list");
    return paths;
}

JobFiles files_of(const JointOptions& options, const std::vector<std::string>& paths) {
    JobFiles files;
    files.reads_reference(options.reference, options.index);
    files.reads(options.pedigree, "--pedigree")
        .reads(options.list, "--list")
        .reads(options.regions_file, "--regions-file");
    for (const std::string& path : paths) files.reads_indexed_variants(path, "the gVCF");
    return files.writes_indexed(options.output, "-o").writes(options.log.file, "--log");
}

std::vector<std::string> header_lines(const JointOptions& options) {
    CommandText command("joint");
    command.word(options.reference);
    for (const std::string& path : options.inputs) command.word(path);
    command.option("--list", options.list).option("--pedigree", options.pedigree);
    for (const std::string& region : options.regions) command.option("--regions", region);
    command.option("--regions-file", options.regions_file);
    const std::string parameters =
        "minimum_quality=" + std::to_string(std::llround(options.parameters.site_min_quality * 100)) +
        "/100,max_alternates=" + std::to_string(options.parameters.max_alternates) +
        ",allele_min_quality=" + std::to_string(options.parameters.allele_min_quality);
    return {"##gannet_command=" + command.text(), "##gannet_parameters=" + parameters};
}

/// Sites of windows to the writer.
class Joiner {
  public:
    Joiner(const JointOptions& options, const data::Reference& reference, JointSources& sources,
           size_t threads)
        : reference_(reference),
          sources_(sources),
          threads_(threads),
          parameters_(options.parameters),
          families_(options.pedigree, sources.samples(), reference),
          min_quality_centi_(std::llround(options.parameters.site_min_quality * 100)),
          writer_(options.output, reference,
                  data::vcf::cohort_header(reference, sources.samples(), program_name(),
                                           header_lines(options), !families_.kinships().empty()),
                  threads) {
        const auto samples = static_cast<int64_t>(sources.samples().size());
        window_bp_ = options.window_bp > 0
                         ? options.window_bp
                         : std::clamp(k_window_positions / samples, k_min_window_bp, k_max_window_bp);
    }

    void join(const data::Region& region, bool jump, Progress& progress) {
        sources_.go_to(region, jump);
        for (int64_t begin = region.begin; begin < region.end;) {
            const int64_t end = std::min(begin + window_bp_, region.end);
            sources_.load(region.contig, begin, end);
            write(region.contig, variants::cohort::unify(sources_.windows(), begin, end, parameters_));
            families_.check(false);
            const int64_t next = std::min(sources_.next_position(region.contig, end), region.end);
            progress.add(static_cast<uint64_t>(next - begin));
            begin = next;
        }
    }
    void close() {
        families_.check(true);
        writer_.close();
        families_.warn_of_diploid_males();
    }
    uint64_t sites() const { return sites_; }

  private:
    void write(uint32_t contig, const std::vector<variants::cohort::Site>& sites) {
        const size_t batch = std::max(k_task_sites * threads_, k_batch_genotypes / sources_.samples().size());
        for (size_t first = 0; first < sites.size(); first += batch) {
            const size_t last = std::min(sites.size(), first + batch);
            const size_t tasks = (last - first + k_task_sites - 1) / k_task_sites;
            texts_.resize(std::max(texts_.size(), tasks));
            std::vector<uint64_t> written(tasks, 0);
            data::for_each_index(threads_, tasks, [&](size_t task) {
                texts_[task].clear();
                SiteCaller caller(families_.kinships());
                data::CohortRecord record;
                record.contig = contig;
                const size_t begin = first + task * k_task_sites;
                for (size_t i = begin; i < std::min(last, begin + k_task_sites); ++i) {
                    const auto inheritance = families_.at(contig, sites[i].position);
                    if (!caller.call(sources_.windows(), sites[i], record, inheritance)) continue;
                    if (record.quality_centi < min_quality_centi_) continue;
                    data::vcf::append_text(record, reference_, sources_.samples(), texts_[task]);
                    ++written[task];
                }
                const std::scoped_lock lock(families_mutex_);
                families_.add(caller);  // sums: in any order
            });
            for (size_t task = 0; task < tasks; ++task) {
                writer_.write_lines(texts_[task]);
                sites_ += written[task];
            }
        }
    }

    const data::Reference& reference_;
    JointSources& sources_;
    size_t threads_;
    variants::cohort::UnificationParameters parameters_;
    JointFamilies families_;
    std::mutex families_mutex_;
    int64_t min_quality_centi_;
    data::vcf::Writer writer_;
    int64_t window_bp_ = 0;
    std::vector<std::string> texts_;
    uint64_t sites_ = 0;
};

/// The user forgot --gvcf of gannet call, or the option of another caller.
void warn_of_plain_vcfs(const JointSources& sources) {
    const std::vector<std::string> paths = sources.without_reference();
    if (paths.empty()) return;
    const std::string others =
        paths.size() == 1 ? "" : " (and " + std::to_string(paths.size() - 1) + " others)";
    log_warning(paths.front() + others +
                ": has no reference blocks and no <*> or <NON_REF>: is it a gVCF? Without them a sample is "
                "./. where it has no record");
}

using ContigsOfFiles = std::vector<std::pair<std::string, std::vector<uint32_t>>>;

/// One warning of the files that lack contigs or parts of them: `what` is said of the first file's first
/// contig.
void warn_of_files(const ContigsOfFiles& files, const std::string& what, const std::string& others_have,
                   const data::Reference& reference) {
    std::string first;
    size_t count_of_files = 0;
    const SexChromosomes sexes = sex_chromosomes(reference);
    for (const auto& [path, contigs] : files) {
        size_t count = 0;
        std::string name;
        for (const uint32_t contig : contigs) {
            // There are no blocks where the ploidy is 0.
            if (contig == sexes.y) continue;
            if (count++ == 0) name = reference.contigs()[contig].name;
        }
        if (count == 0) continue;
        if (count_of_files++ > 0) continue;
        first = path + what + name;
        if (count > 1) first += " and " + std::to_string(count - 1) + " other contigs";
    }
    if (count_of_files == 0) return;
    std::string others;
    if (count_of_files > 1)
        others = " (" + std::to_string(count_of_files - 1) +
                 (count_of_files == 2 ? " other gVCF lacks" : " other gVCFs lack") + " some too)";
    log_warning(first + others_have + others +
                ": is it cut, or of a part of the genome? There its sample is ./.");
}

/// A gVCF that was cut between two lines and closed properly looks whole.
void warn_of_missing_contigs(const JointSources& sources, const data::Reference& reference) {
    warn_of_files(sources.without_contigs(), ": has no record on ", ", where other samples have some",
                  reference);
    warn_of_files(sources.with_parts_of_contigs(), ": holds less than half of the bases that others do of ",
                  "", reference);
}

/// Qualities of different versions are not quite of one scale.
void warn_of_caller_models(const JointSources& sources) {
    const std::vector<std::string> paths = sources.of_each_caller_model();
    if (paths.size() < 2) return;
    log_warning(paths[0] + " and " + paths[1] + ": are of different versions of gannet's caller (" +
                std::to_string(paths.size()) +
                " in all, by ##gannet_caller_model): their qualities may differ; call all samples with one");
}

std::vector<data::Region> regions_of(const JointOptions& options, const data::Reference& reference) {
    const CallScope scope = call_scope(options.regions, options.regions_file, "", reference);
    if (!scope.windows.empty()) return scope.windows.regions();
    std::vector<data::Region> all;
    for (uint32_t i = 0; i < reference.contigs().size(); ++i)
        all.push_back({i, 0, static_cast<int64_t>(reference.contigs()[i].length)});
    return all;
}

}  // namespace

void run_joint(const JointOptions& options) {
    const std::vector<std::string> paths = inputs_of(options);
    for (const std::string& path : paths) check_readable(path);
    const OutputLocks locks = files_of(options, paths).lock();
    open_log();
    ResourceOptions resources;
    resources.backend = "simd";  // no device is used
    resources.threads = options.threads;
    resources.log = options.log;
    Session session(resources);
    const auto threads = static_cast<size_t>(session.threads());
    const auto reference = open_reference(options.reference, options.index, session);
    const std::vector<data::Region> regions = regions_of(options, *reference);
    const bool limited = !options.regions.empty() || !options.regions_file.empty();
    JointSources sources(paths, *reference, threads, options.max_open_files);
    Joiner joiner(options, *reference, sources, threads);
    {
        Progress progress("joint", "bp");
        for (const data::Region& region : regions) joiner.join(region, limited, progress);
    }
    joiner.close();
    warn_of_plain_vcfs(sources);
    warn_of_caller_models(sources);
    if (!limited) warn_of_missing_contigs(sources, *reference);
    log_info("joint: " + std::to_string(paths.size()) + " samples, " + std::to_string(sources.records()) +
             " records, " + std::to_string(joiner.sites()) + " sites: " + options.output);
}

}  // namespace gannet::pipeline
