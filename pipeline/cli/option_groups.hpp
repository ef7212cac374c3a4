// SPDX-License-Identifier: MIT
// Provides the options that several subcommands have in common, each with its text, unit and default.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <string>
#include <vector>

namespace gannet::pipeline::cli {

/// Refuses an empty value, which a shell makes of a variable that is not set. `is_needed`: an argument, or an
/// option that cannot be left out.
CLI::Validator not_empty(bool is_needed = false);
/// REF, reads, lanes, read group, sample, index: the inputs of `run` and `align`.
void add_input_options(CLI::App& command, InputOptions& input);
/// REF and ALIGNMENTS, sample, index: the inputs of `call` and `examples`.
void add_alignments_options(CLI::App& command, std::string& reference, std::string& alignments,
                            std::string& sample, std::string& index);
/// REF alone.
void add_reference_argument(CLI::App& command, std::string& reference);
/// Threads, memory, temporary folder, backend, trace, and the options of the log.
void add_resource_options(CLI::App& command, ResourceOptions& resources);
/// --memory alone.
void add_memory_option(CLI::App& command, uint64_t& bytes);
/// --backend, --devices, --gpu-memory.
void add_device_options(CLI::App& command, ResourceOptions& resources);
/// --threads alone, for commands that need no more.
void add_threads_option(CLI::App& command, int& threads);
/// --quiet, --log, --progress.
void add_log_options(CLI::App& command, LogOptions& log);
void add_checkpoint_options(CLI::App& command, ResourceOptions& resources);
void add_alignment_options(CLI::App& command, DuplicateOptions& duplicates, int& level,
                           align::AlignerParameters& parameters);
/// --umi, --optical-distance.
std::array<CLI::Option*, 2> add_duplicate_options(CLI::App& command, DuplicateOptions& duplicates);
/// --alleles and --dbsnp of `call` and `run`.
void add_alleles_option(CLI::App& command, std::string& alleles, std::string& dbsnp);
/// --regions, --targets, --contigs.
void add_region_options(CLI::App& command, std::vector<std::string>& regions, std::string& targets,
                        bool& all_contigs);
/// --regions-file.
void add_regions_file_option(CLI::App& command, std::string& path);
/// --interval-padding.
void add_interval_padding_option(CLI::App& command, int64_t& padding_bp);
/// --dry-run.
void add_dry_run_option(CLI::App& command, bool& dry_run);
/// --report of `align` and `call`.
void add_report_option(CLI::App& command, std::string& path);
/// --alt.
void add_alternates_option(CLI::App& command, std::string& alt);
/// --sex, --par, --ploidy.
void add_ploidy_options(CLI::App& command, PloidyOptions& ploidy);
/// --scorer, --no-scorer, --model.
void add_scorer_options(CLI::App& command, ScorerOptions& scorer);
/// --contamination, --base-qualities, --primers.
void add_sample_options(CLI::App& command, SampleOptions& sample);
/// --gvcf, --gvcf-bands, --gvcf-dialect. `has_default`: --gvcf alone stands for a name that the job gives.
void add_gvcf_options(CLI::App& command, GvcfOptions& gvcf, bool has_default);
/// --index FILE. `is_built`: by the command, where there is none.
void add_index_option(CLI::App& command, std::string& index, bool is_built = false);
/// --strict.
void add_strict_option(CLI::App& command, bool& strict);
/// --verify-index auto|always|never.
void add_verify_index_option(CLI::App& command, VerifyIndex& verify);

/// A validator of numbers whose message states the valid range and its unit.
CLI::Validator between(double low, double high, const std::string& unit = "");
/// The same of whole numbers.
CLI::Validator whole_between(int64_t low, int64_t high, const std::string& unit = "");

/// To be called first by the action of a command: from here on messages are logged.
void set_up(const LogOptions& log);
inline void set_up(const ResourceOptions& resources) { set_up(resources.log); }
/// `is_plan`: --log is not written.
void set_up(const ResourceOptions& resources, bool is_plan);

}  // namespace gannet::pipeline::cli
