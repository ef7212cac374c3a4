// SPDX-License-Identifier: MIT
// Provides `gannet simulate`.
#include "data/error.hpp"
#include "data/simulate/simulate.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resources.hpp"

#include <memory>

namespace gannet::pipeline::cli {
namespace {

void verify(const data::simulate::Options& options) {
    if ((options.size_mb > 0) == !options.reference.empty()) {
        throw data::Error(data::ErrorKind::usage, "give either --size or --reference");
    }
    if (!options.reference.empty()) check_readable(options.reference);
    if (!options.variants.empty()) check_readable(options.variants);
    make_output_folder(options.output);
}

int simulate(data::simulate::Options options, bool quiet) {
    set_up_log(quiet);
    verify(options);
    if (options.threads == 0) options.threads = default_threads();
    const data::simulate::Summary summary = data::simulate::run(options);
    log_info(std::to_string(summary.reference_bp) + " bp, " + std::to_string(summary.pairs) +
             " read pairs, " + std::to_string(summary.snvs) + " SNVs, " + std::to_string(summary.indels) +
             " indels in " + options.output);
    return 0;
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("simulate", "genome, sample and reads with known truth");
    const auto options = std::make_shared<data::simulate::Options>();
    const auto quiet = std::make_shared<bool>(false);
    options->threads = 0;
    command->add_option("--size", options->size_mb, "size of a genome to make, Mb")->type_name("MB");
    command->add_option("--reference", options->reference, "FASTA to use instead of a made genome")
        ->type_name("FASTA");
    command->add_option("--variants", options->variants, "VCF to implant instead of random variants")
        ->type_name("VCF");
    command->add_option("--coverage", options->coverage, "mean depth of the reads, x [30]")
        ->check(CLI::Range(0.0, 10000.0))
        ->type_name("X");
    command->add_option("--seed", options->seed, "seed of everything random [1]")->type_name("N");
    command->add_option("--read-length", options->read_length, "length of a read, bp [150]")
        ->check(CLI::Range(20, 1000))
        ->type_name("BP");
    command->add_option("--fragment-mean", options->fragment_mean, "mean length of a fragment, bp [400]")
        ->check(CLI::Range(40.0, 5000.0))
        ->type_name("BP");
    command->add_option("--fragment-sd", options->fragment_sd, "its standard deviation, bp [90]")
        ->check(CLI::Range(0.0, 2000.0))
        ->type_name("BP");
    command->add_option("--duplicates", options->duplicate_share, "share of duplicate pairs, 0-0.9 [0.06]")
        ->check(CLI::Range(0.0, 0.9))
        ->type_name("X");
    command
        ->add_option("-o,--output", options->output,
                     "folder for ref.fa, truth.vcf.gz, confident.bed and reads")
        ->required()
        ->type_name("DIR");
    command->add_option("-t,-@,--threads", options->threads, "threads [the cores there are]")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_flag("-q,--quiet", *quiet, "only warnings and errors on stderr");
    command->footer("Example:\n  gannet simulate --size 5 --coverage 30 --seed 1 -o simulated");
    command->callback(
        [options, quiet, &action] { action = [options, quiet] { return simulate(*options, *quiet); }; });
}

}  // namespace gannet::pipeline::cli
