// SPDX-License-Identifier: MIT
// Provides `gannet simulate`.
#include "data/error.hpp"
#include "data/fasta/contig_lengths.hpp"
#include "data/simulate/simulate.hpp"
#include "data/simulate/truth_files.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/log.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resources.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gannet::pipeline::cli {
namespace {

constexpr int64_t k_max_seed = 1'000'000'000'000'000;  ///< exact as a double, by which options are checked

void verify(const data::simulate::Options& options) {
    if ((options.size_mb > 0) == !options.reference.empty()) {
        throw data::Error(data::ErrorKind::usage, "give either --size or --reference");
    }
    if (!options.reference.empty()) check_readable(options.reference);
    if (!options.variants.empty()) check_readable(options.variants);
}

JobFiles files_of(const data::simulate::Options& options, const std::string& library, const LogOptions& log) {
    JobFiles files;
    files.writes(log.file, "--log");
    files.reads_reference(options.reference, "").reads_with_indexes(options.variants, "--variants");
    if (!data::simulate::is_preset(library)) files.reads(library, "--library");
    const std::string last = options.output + "/simulate.json";
    for (const char* name :
         {"truth.vcf.gz", "truth.vcf.gz.tbi", "truth.vcf.gz.csi", "confident.bed", "contaminant.vcf.gz",
          "contaminant.vcf.gz.tbi", "contaminant.vcf.gz.csi", "hidden_copies.bed", "missing_paralogues.bed",
          "library.json", "strata.bed", "reads_1.fq.gz", "reads_2.fq.gz"}) {
        files.writes_before(last, options.output + "/" + name, "the output");
    }
    if (options.reference.empty() || options.library.missing_paralogue_share > 0) {
        for (const char* name : {"ref.fa", "ref.fa.fai", "ref.fa.alt"})
            files.writes_before(last, options.output + "/" + name, "the output");
    }
    return files.writes(last, "the output");
}

/// Whether a FASTA has the contigs of a simulation.
bool has_contigs(const std::string& fasta, const data::simulate::TruthGenome& genome) {
    size_t known = 0;
    bool differs = false;
    try {
        data::fasta::for_each_contig(fasta, [&](const std::string& name, uint64_t length) {
            differs = known == genome.contigs.size() || genome.contigs[known] != std::pair(name, length);
            ++known;
            return !differs;
        });
    } catch (const data::Error&) {
        return false;
    }
    return !differs && known == genome.contigs.size();
}

/// What an earlier simulation in the folder made.
struct EarlierSimulation {
    bool is_there = false;
    bool made_reference = false;  ///< ref.fa; not where it took the user's
};

/// One that was stopped leaves its truth, made before the reads, or its lock with the command.
EarlierSimulation earlier_simulation(const std::string& folder) {
    std::error_code fault;
    const auto has = [&](const char* name) { return std::filesystem::exists(folder + name, fault); };
    const auto report = nlohmann::json::parse(read_text_file(folder + "/simulate.json"), nullptr, false);
    if (report.is_object() && report.contains("reference"))
        return {true, report["reference"] == "" || has("/missing_paralogues.bed") ||
                          report.contains("has_made_reference")};
    const std::string holder = read_text_file(folder + "/.simulate.json.lock");
    if (holder.find(" simulate ") != std::string::npos)
        return {true, holder.find(" --reference") == std::string::npos};
    const auto truth = data::simulate::genome_of_truth(folder + "/truth.vcf.gz");
    if (!truth) return {};
    return {true, truth->reference.empty() && (!has("/ref.fa") || has_contigs(folder + "/ref.fa", *truth))};
}

/// Names such as ref.fa are also those of the user's own files: what no simulation left there is not
/// replaced.
void refuse_files_of_others(const EarlierSimulation& earlier, const LogOptions& log, const JobFiles& files) {
    const auto is_own = [&](const std::string& path) {
        const std::string name = std::filesystem::path(path).filename().string();
        if (name.starts_with("ref.fa")) return earlier.made_reference;
        if (name.starts_with("reads_") && !data::simulate::has_simulated_reads(path)) return false;
        return earlier.is_there;
    };
    for (const std::string& path : files.existing_outputs()) {
        if (path == log.file || is_own(path)) continue;
        throw data::Error(data::ErrorKind::output_failed,
                          path +
                              ": is there, and nothing says that gannet simulate made it: choose another "
                              "folder, or remove it");
    }
}

/// Refuses nothing: shells offer the names beside files.
CLI::Validator preset_names() {
    std::string names;
    for (const std::string_view name : data::simulate::k_presets)
        names += (names.empty() ? "{" : ",") + std::string(name);
    return {[](std::string&) { return std::string(); }, names + "}"};
}

/// What the command line says about the library.
struct LibraryChoice {
    std::string library = "clean";
    std::optional<double> duplicates;
};

int simulate(data::simulate::Options options, const LibraryChoice& choice, const LogOptions& log) {
    set_up(log);
    verify(options);
    options.library = data::simulate::load_library(choice.library);
    if (choice.duplicates) options.library.duplicate_share = *choice.duplicates;
    const JobFiles files = files_of(options, choice.library, log);
    files.check();
    const EarlierSimulation earlier = earlier_simulation(options.output);
    refuse_files_of_others(earlier, log, files);
    options.has_made_reference = !options.reference.empty() && earlier.made_reference;
    make_output_folder(options.output);
    const OutputLocks locks = files.lock();
    open_log();
    if (options.threads == 0) options.threads = default_threads();
    const data::simulate::Summary summary = [&options] {
        const Progress progress("simulate", "");
        return data::simulate::run(options);
    }();
    log_info(std::to_string(summary.reference_bp) + " bp, " + std::to_string(summary.pairs) +
             " read pairs, " + std::to_string(summary.snvs) + " SNVs, " + std::to_string(summary.indels) +
             " indels in " + options.output);
    return 0;
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
    CLI::App* const command =
        app.add_subcommand("simulate", "Simulate a genome, a sample with known variants, and its reads.");
    const auto options = std::make_shared<data::simulate::Options>();
    const auto choice = std::make_shared<LibraryChoice>();
    const auto log = std::make_shared<LogOptions>();
    options->threads = 0;
    command->add_option("--size", options->size_mb, "size of the genome to be made, Mb, 0.02-4000")
        ->check(between(0.02, 4000, "Mb"))
        ->type_name("MB");
    command->add_flag(
        "--human", options->human,
        "make the contigs, gaps and satellites of the human genome, of a male, scaled to --size "
        "(3217: those of GRCh38 with ALT contigs and decoys)");
    command->add_option("--reference", options->reference, "use this FASTA instead of a made-up genome")
        ->type_name("FASTA");
    command
        ->add_option("--variants", options->variants,
                     "use the variants of this VCF instead of random ones [none]")
        ->type_name("VCF");
    command
        ->add_option(
            "--haploid", options->haploid,
            "contigs of which the sample has one copy, at half the depth, separated by commas [none]")
        ->delimiter(',')
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("CONTIGS");
    command->add_option("--coverage", options->coverage, "mean depth of the reads, x [30]")
        ->check(between(0, 10000, "x"))
        ->type_name("X");
    command->add_option("--seed", options->seed, "seed of the random numbers [1]")
        ->check(whole_between(0, k_max_seed))
        ->type_name("N");
    command->add_option("--read-length", options->read_length, "read length, bp [150]")
        ->check(between(36, 500, "bp"))
        ->type_name("BP");
    command->add_option("--fragment-mean", options->fragment_mean, "mean fragment length, bp [400]")
        ->check(between(60, 100000, "bp"))
        ->type_name("BP");
    command
        ->add_option("--fragment-sd", options->fragment_sd,
                     "standard deviation of the fragment length, bp [90]")
        ->check(between(0, 100000, "bp"))
        ->type_name("BP");
    command
        ->add_option(
            "--library", choice->library,
            "faults of the reads: clean, pcr-free, pcr, old, or a JSON file (docs/simulate.md) [clean]")
        ->check(not_empty())
        ->check(preset_names())
        ->type_name("NAME|JSON");
    command
        ->add_option("--duplicates", choice->duplicates,
                     "fraction of pairs that are PCR duplicates, 0-0.9 [that of the library; clean: 0.06]")
        ->check(between(0, 0.9))
        ->type_name("X");
    command
        ->add_option("-o,--output", options->output,
                     "folder for ref.fa, truth.vcf.gz, confident.bed and the reads")
        ->required()
        ->type_name("DIR");
    add_threads_option(*command, options->threads);
    add_log_options(*command, *log);
    command->footer("Example:\n  gannet simulate --size 5 --coverage 30 --seed 1 -o simulated");
    command->callback([options, choice, log, &action] {
        action = [options, choice, log] { return simulate(*options, *choice, *log); };
    });
}

}  // namespace gannet::pipeline::cli
