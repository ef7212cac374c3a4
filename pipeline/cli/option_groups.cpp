// SPDX-License-Identifier: MIT
// Provides the options that several subcommands have in common.
#include "pipeline/cli/option_groups.hpp"

#include "data/error.hpp"
#include "ml/weights.hpp"
#include "pipeline/jobs/sample.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace gannet::pipeline::cli {
namespace {

std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

}  // namespace

CLI::Validator between(double low, double high, const std::string& unit) {
    const std::string range =
        number_text(low) + " to " + number_text(high) + (unit.empty() ? "" : " " + unit);
    return CLI::Validator(
        [low, high, range](const std::string& text) -> std::string {
            double value = 0;
            const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (fault != std::errc{} || end != text.data() + text.size())
                return text + " is not a number; valid: " + range;
            if (!(value >= low && value <= high)) return text + " is out of range; valid: " + range;
            return "";
        },
        "");
}

CLI::Validator whole_between(int64_t low, int64_t high, const std::string& unit) {
    const CLI::Validator in_range = between(static_cast<double>(low), static_cast<double>(high), unit);
    const std::string range =
        std::to_string(low) + " to " + std::to_string(high) + (unit.empty() ? "" : " " + unit);
    return CLI::Validator(
        [in_range, range](const std::string& text) -> std::string {
            const std::string message = in_range(text);
            if (!message.empty()) return message;
            int64_t value = 0;
            const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool is_whole = fault == std::errc{} && end == text.data() + text.size();
            return is_whole ? "" : text + " is not a whole number; valid: " + range;
        },
        "");
}

void add_reference_argument(CLI::App& command, std::string& reference) {
    command.add_option("REF", reference, "reference FASTA, plain or bgzip")->required();
}

CLI::Validator not_empty(bool is_needed) {
    return {[is_needed](std::string& text) {
                if (!text.empty()) return std::string();
                return std::string("is empty: give a name") + (is_needed ? "" : ", or leave the option out");
            },
            ""};
}

void add_input_options(CLI::App& command, InputOptions& input) {
    add_reference_argument(command, input.reference);
    command
        .add_option("READS", input.reads,
                    "R1.fq.gz [R2.fq.gz]: FASTQ (plain, gzip or BGZF; - is standard input), or one file of "
                    "unaligned BAM or CRAM")
        ->expected(0, 2);
    command
        .add_option("--lane", input.lanes,
                    "one lane: R1, R2 and read group, separated by commas; repeat for each lane. RG is an id "
                    "or a complete @RG line")
        ->group("Input")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("R1,R2[,RG]");
    command
        .add_option("--lanes", input.lanes_file,
                    "lanes from a tab-separated file: R1, R2 (. for none), read group")
        ->group("Input")
        ->type_name("TSV");
    command.add_flag("--interleaved", input.interleaved, "one file holds both mates of each pair, in turn")
        ->group("Input");
    command
        .add_option("-R,--read-group", input.read_group,
                    "read group line as for bwa mem: '@RG\\tID:x\\tSM:y' [made from the sample name]")
        ->group("Input")
        ->type_name("LINE");
    command
        .add_option("--sample", input.sample,
                    "sample name [from the read group, else from the first file's name]")
        ->check(not_empty())
        ->group("Input")
        ->type_name("NAME");
    command
        .add_flag("-C,--comment-tags", input.comment_tags,
                  "add the comments of FASTQ, which must be SAM tags such as RX:Z:ACGT, to the records")
        ->group("Input");
    add_index_option(command, input.index, true);
    add_alternates_option(command, input.alt);
}

void add_alignments_options(CLI::App& command, std::string& reference, std::string& alignments,
                            std::string& sample, std::string& index) {
    add_reference_argument(command, reference);
    command
        .add_option("ALIGNMENTS", alignments,
                    "BAM or CRAM sorted by coordinate. Its index (.bai, .csi, .crai) is used where there is "
                    "one; only regions need it")
        ->required();
    command
        .add_option("--sample", sample, "sample to use, of those that the read groups name [their only one]")
        ->check(not_empty())
        ->group("Input")
        ->type_name("NAME");
    add_index_option(command, index);
}

void add_index_option(CLI::App& command, std::string& index, bool is_built) {
    command
        .add_option("--index", index,
                    is_built ? "gannet index of the reference [REF.gannet; built if there is none]"
                             : "gannet index of the reference [REF.gannet]")
        ->group("Input")
        ->type_name("FILE");
}

void add_strict_option(CLI::App& command, bool& strict) {
    command
        .add_flag("--strict", strict,
                  "end with exit code 3 and without outputs when the data look implausible (see "
                  "docs/usage.md) [warn]")
        ->group("Input");
}

void add_verify_index_option(CLI::App& command, VerifyIndex& verify) {
    command
        .add_option_function<std::string>(
            "--verify-index",
            [&verify](const std::string& word) {
                verify = word == "always"  ? VerifyIndex::always
                         : word == "never" ? VerifyIndex::never
                                           : VerifyIndex::automatic;
            },
            "compare the index with its checksums: auto (on its first use on this machine), always or never "
            "[auto]")
        ->group("Input")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->type_name("WHEN");
}

namespace {

/// No limit of memory below it is meant: 1 MiB.
constexpr uint64_t k_min_memory_bytes = 1u << 20;

void add_size_option(CLI::App& command, const std::string& name, uint64_t& bytes, const std::string& help) {
    command
        .add_option_function<std::string>(
            name,
            [name, &bytes](const std::string& text) {
                const auto size = parse_size(text);
                if (!size)
                    throw CLI::ValidationError(name, text + " is not a size; valid: 8G, 900M and the like");
                // A number alone is bytes, and so few are a unit that was forgotten.
                if (*size < k_min_memory_bytes) {
                    const bool has_unit = text.find_first_not_of("0123456789.") != std::string::npos;
                    const std::string advice =
                        has_unit ? "" : "; did you mean " + text + (*size < 1024 ? "G?" : "M?");
                    throw CLI::ValidationError(
                        name, text + " is only " + std::to_string(*size) + " bytes" + advice);
                }
                bytes = *size;
            },
            help)
        ->group("Resources")
        ->type_name("SIZE");
}

/// These never affect a result: they are for measuring, and for the tests that show so.
void add_hidden_options(CLI::App& command, ResourceOptions& resources) {
    command
        .add_option("--batch-bases", resources.batch_bases,
                    "bases per batch of reads [800000, with a device 1600000]")
        ->group("")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 28));
    command.add_option("--batch-records", resources.batch_records, "reads per batch of windows [6000]")
        ->group("")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 28));
    command
        .add_option("--slots", resources.slots,
                    "batches in flight [threads + " + std::to_string(k_look_ahead) + ", and " +
                        std::to_string(k_device_slots) + " more with a device]")
        ->group("")
        ->check(CLI::Range(size_t{1}, size_t{4096}));
}

}  // namespace

void add_threads_option(CLI::App& command, int& threads) {
    command.add_option("-t,-@,--threads", threads, "threads, compression included [all usable cores]")
        ->group("Resources")
        ->check(whole_between(1, 4096))
        ->type_name("N");
}

void add_log_options(CLI::App& command, LogOptions& log) {
    command.add_flag("-q,--quiet", log.quiet, "print only warnings and errors on stderr")->group("Log");
    command.add_option("--log", log.file, "also write all messages, with date and time, to this file [none]")
        ->group("Log")
        ->type_name("FILE");
    command
        .add_flag("--log-json", log.json, "write messages as one JSON object per line: time, level, message")
        ->group("Log");
    command
        .add_option("--progress", log.interval_s,
                    "seconds between progress lines where stderr is not a terminal; 0: none [60]")
        ->group("Log")
        ->check(between(0, 86400, "s"))
        ->type_name("S");
}

namespace {

/// Of one device; whether it is there is found out later.
std::string device_reference(const std::string& text) {
    const bool is_number =
        !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789") == std::string::npos;
    if (is_number || text.starts_with("GPU-") || text.starts_with("MIG-")) return "";
    return "device " + text + " is neither a number nor a UUID (GPU-..., MIG-...)";
}

}  // namespace

void add_memory_option(CLI::App& command, uint64_t& bytes) {
    add_size_option(command, "--memory", bytes, "memory limit, with K, M or G [60 % of what is free]");
}

void add_device_options(CLI::App& command, ResourceOptions& resources) {
    command
        .add_option("--backend", resources.backend,
                    "auto, cuda, simd, reference or emulated [auto, or GANNET_BACKEND]")
        ->group("Resources")
        ->check(CLI::IsMember({"auto", "cuda", "simd", "reference", "emulated"}))
        ->type_name("NAME");
    command
        .add_option("--devices", resources.devices,
                    "CUDA devices to use, as numbers or UUIDs of `gannet devices`, with commas [all]")
        ->group("Resources")
        ->delimiter(',')
        ->check(device_reference)
        ->type_name("LIST");
    add_size_option(command, "--gpu-memory", resources.device_memory_bytes,
                    "memory limit of each CUDA device [90 % of what is free]");
}

void add_resource_options(CLI::App& command, ResourceOptions& resources) {
    add_threads_option(command, resources.threads);
    add_memory_option(command, resources.memory_bytes);
    command
        .add_option("--tmp", resources.temporary,
                    "existing folder for sorted records that exceed --memory [the output's folder]")
        ->group("Resources")
        ->type_name("DIR");
    add_device_options(command, resources);
    command
        .add_option("--trace", resources.trace,
                    "write the times of every stage of every batch, to be viewed at ui.perfetto.dev [none]")
        ->group("Resources")
        ->type_name("FILE");
    add_log_options(command, resources.log);
    add_hidden_options(command, resources);
}

void add_checkpoint_options(CLI::App& command, ResourceOptions& resources) {
    command
        .add_flag("--checkpoint", resources.checkpoint,
                  "keep the reads aligned so far in --tmp; the same command continues from them after a kill")
        ->group("Resources");
    command
        .add_option("--checkpoint-every", resources.checkpoint_templates,
                    "pairs (or single reads) between two checkpoints; each lane ends with one [" +
                        std::to_string(resources.checkpoint_templates) + "]")
        ->group("Resources")
        ->check(whole_between(1, 1'000'000'000'000))
        ->needs("--checkpoint")
        ->type_name("N");
}

void add_alternates_option(CLI::App& command, std::string& alt) {
    command
        .add_option(
            "--alt", alt,
            "list of ALT contigs as bwa mem reads it, or none [REF.alt if it exists, else by their names]")
        ->check(not_empty())
        ->group("Input")
        ->type_name("FILE");
}

void add_alleles_option(CLI::App& command, std::string& alleles, std::string& dbsnp) {
    command
        .add_option("--alleles", alleles,
                    "genotype the alleles of this VCF or BCF in any case, and write each: 0/0 with its "
                    "likelihoods where the sample does not have it [none]")
        ->group("Calling")
        ->type_name("VCF");
    command
        .add_option("--dbsnp", dbsnp,
                    "write the IDs of known variants: a VCF compressed by bgzip, or a BCF, with its index "
                    "(.tbi, .csi), such as dbSNP's [none]")
        ->group("Calling")
        ->type_name("VCF");
}

void add_region_options(CLI::App& command, std::vector<std::string>& regions, std::string& targets,
                        bool& all_contigs) {
    command
        .add_option("--regions", regions,
                    "call only in these regions, for example chr20:1-5000000 (1-based, inclusive); separate "
                    "several by commas or repeat the option [as --contigs]")
        ->group("Calling")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("REGION");
    command.add_option("--targets", targets, "call only in the intervals of this BED file [as --contigs]")
        ->group("Calling")
        ->type_name("BED");
    command
        .add_option_function<std::string>(
            "--contigs", [&all_contigs](const std::string& word) { all_contigs = word == "all"; },
            "primary or all: call on ALT contigs and decoys too [primary]")
        ->excludes("--regions")
        ->excludes("--targets")
        ->group("Calling")
        ->check(CLI::IsMember({"primary", "all"}))
        ->type_name("WHICH");
}

void add_regions_file_option(CLI::App& command, std::string& path) {
    command
        .add_option("--regions-file", path,
                    "the same as a BED file, such as one of `gannet scatter`; adds to --regions")
        ->excludes("--contigs")
        ->check(not_empty())
        ->group("Calling")
        ->type_name("BED");
}

void add_interval_padding_option(CLI::App& command, int64_t& padding_bp) {
    command
        .add_option("--interval-padding", padding_bp,
                    "extend each interval of --regions, --regions-file and --targets on both sides, bp [0]")
        ->excludes("--contigs")
        ->check(whole_between(0, 1'000'000, "bp"))
        ->group("Calling")
        ->type_name("BP");
}

std::array<CLI::Option*, 2> add_duplicate_options(CLI::App& command, DuplicateOptions& duplicates) {
    return {
        command.add_flag("--umi", duplicates.by_umi,
                         "duplicates have one molecule's UMI too: the tag RX, one error apart (as UMI-tools' "
                         "directional method)"),
        command
            .add_option("--optical-distance", duplicates.optical_distance_pixels,
                        "duplicates whose clusters are so near, in pixels of their names' x and y, count "
                        "as optical in the metrics; of patterned flow cells 2500 [100]")
            ->check(whole_between(0, 1'000'000, "pixels"))
            ->type_name("PIXELS")};
}

void add_dry_run_option(CLI::App& command, bool& dry_run) {
    command.add_flag(
        "--dry-run", dry_run,
        "check the inputs as at the begin of a run, print backend, memory, disk space and outputs, "
        "and write nothing");
}

void add_report_option(CLI::App& command, std::string& path) {
    command
        .add_option("--report", path,
                    "write counts, parameters, warnings and times as JSON, as run.json has them [none]")
        ->check(not_empty())
        ->group("Log")
        ->type_name("FILE");
}

void add_ploidy_options(CLI::App& command, PloidyOptions& ploidy) {
    command
        .add_option(
            "--sex", ploidy.sex,
            "male or female: X and Y of males are called as haploid outside the pseudoautosomal regions, "
            "and Y of females is not called [not given: X and Y are diploid]")
        ->group("Calling")
        ->check(CLI::IsMember({"male", "female"}))
        ->type_name("SEX");
    command
        .add_option(
            "--par", ploidy.par,
            "pseudoautosomal regions of X and Y, where males are diploid [those of GRCh38 and GRCh37]")
        ->group("Calling")
        ->type_name("BED");
    command
        .add_option_function<std::string>(
            "--ploidy",
            [&ploidy](const std::string& text) {
                const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
                if (is_number && text != "1" && text != "2") {
                    throw CLI::ValidationError("--ploidy", text +
                                                               " is not supported; valid: 1, 2 or a file of "
                                                               "regions with their ploidy");
                }
                if (is_number)
                    ploidy.everywhere = static_cast<uint8_t>(text[0] - '0');
                else
                    ploidy.file = text;
            },
            "1 or 2 copies of all contigs, or a file of regions with their copies: BED with the ploidy as "
            "its "
            "fourth column, or as for bcftools call --ploidy-file [2, human mitochondria 1]")
        ->group("Calling")
        ->check(not_empty())
        ->type_name("N|FILE");
}

void add_sample_options(CLI::App& command, SampleOptions& sample) {
    command
        .add_option(
            "--contamination", sample.contamination,
            "fraction of the fragments that come from another individual, 0 to 0.2, or auto: measured "
            "from a part of the alignments [auto]")
        ->check([](const std::string& text) {
            if (text == "auto") return std::string();
            try {
                contamination_of(text);
            } catch (const data::Error& error) {
                return std::string(error.what());
            }
            return std::string();
        })
        ->group("Calling")
        ->type_name("F|auto");
    command
        .add_option("--base-qualities", sample.base_qualities,
                    "as-is, or auto: those that promise too much are lowered, as measured from a part of the "
                    "alignments [auto]")
        ->check(CLI::IsMember({"auto", "as-is"}))
        ->group("Calling")
        ->type_name("WHICH");
    command
        .add_option("--primers", sample.primers,
                    "primers of an amplicon library, with their strand in column 6: bases of primers at the "
                    "ends of reads are not used, and gannet run marks duplicates by --umi alone [none]")
        ->check(not_empty())
        ->group("Calling")
        ->type_name("BED");
}

void add_scorer_options(CLI::App& command, ScorerOptions& scorer) {
    const std::string by_default = [] {
        const auto shipped = ml::shipped_model();
        return shipped && shipped->is_default ? "on" : "off";
    }();
    command
        .add_flag("--scorer", scorer.always,
                  "score candidates with the neural network that comes with gannet [" + by_default + "]")
        ->group("Calling");
    command.add_flag("--no-scorer", scorer.never, "call without the neural network")->group("Calling");
    command
        .add_option("--model", scorer.model,
                    "score with this network: .safetensors, with its .json manifest beside it [the one that "
                    "comes with gannet]")
        ->group("Calling")
        ->type_name("FILE");
}

void set_up(const LogOptions& log) { set_up_log(log); }

void set_up(const ResourceOptions& resources, bool is_plan) {
    LogOptions log = resources.log;
    if (is_plan) log.file.clear();
    set_up_log(log);
}

}  // namespace gannet::pipeline::cli
