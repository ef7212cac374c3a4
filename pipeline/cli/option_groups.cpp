// SPDX-License-Identifier: MIT
// Provides the shared option groups.
#include "pipeline/cli/option_groups.hpp"

#include "data/error.hpp"
#include "ml/weights.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resources.hpp"

namespace gannet::pipeline::cli {

void add_input_options(CLI::App& command, InputOptions& input) {
    command.add_option("REF", input.reference, "reference FASTA, plain or bgzip")->required();
    command
        .add_option("READS", input.reads,
                    "R1.fq.gz [R2.fq.gz]: FASTQ (plain, gzip, BGZF, - is stdin) or unaligned BAM/CRAM")
        ->expected(0, 2);
    command
        .add_option("--lane", input.lanes,
                    "one lane as R1,R2[,RG]; repeat for more; RG is an id or a whole @RG line")
        ->group("Input")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("R1,R2[,RG]");
    command.add_option("--lanes", input.lanes_file, "lanes as TSV: R1, R2 (. for none), read group")
        ->group("Input")
        ->type_name("TSV");
    command.add_flag("--interleaved", input.interleaved, "mates alternate in one file")->group("Input");
    command
        .add_option("-R,--read-group", input.read_group,
                    "read group, as bwa: '@RG\\tID:x\\tSM:y' [made from the sample]")
        ->group("Input")
        ->type_name("LINE");
    command
        .add_option("--sample", input.sample,
                    "sample name [of the read group, else of the first file's name]")
        ->group("Input")
        ->type_name("NAME");
    add_index_option(command, input.index);
}

void add_index_option(CLI::App& command, std::string& index) {
    command.add_option("--index", index, "index of the reference [REF.gannet, built where missing]")
        ->group("Input")
        ->type_name("FILE");
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

void add_size_option(CLI::App& command, const std::string& name, uint64_t& bytes, const std::string& help) {
    command
        .add_option_function<std::string>(
            name,
            [name, &bytes](const std::string& text) {
                const auto size = parse_size(text);
                if (!size) throw CLI::ValidationError(name, text + ": not a size such as 8G or 900M");
                bytes = *size;
            },
            help)
        ->group("Resources")
        ->type_name("SIZE");
}

}  // namespace

void add_resource_options(CLI::App& command, ResourceOptions& resources) {
    command
        .add_option("-t,-@,--threads", resources.threads,
                    "threads, compression included [the cores there are]")
        ->group("Resources")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    add_size_option(command, "--memory", resources.memory_bytes,
                    "memory to keep within, with K, M, G [60 % of what is free]");
    command
        .add_option("--tmp", resources.temporary,
                    "folder for what does not fit in memory [beside the output]")
        ->group("Resources")
        ->type_name("DIR");
    command
        .add_option("--backend", resources.backend,
                    "auto, cuda, simd, reference or emulated [auto, or GANNET_BACKEND]")
        ->group("Resources")
        ->check(CLI::IsMember({"auto", "cuda", "simd", "reference", "emulated"}))
        ->type_name("NAME");
    add_size_option(command, "--gpu-memory", resources.device_memory_bytes,
                    "memory of each CUDA device to keep within [90 % of what is free]");
    command
        .add_option("--trace", resources.trace,
                    "times of every stage of every batch, for ui.perfetto.dev [none]")
        ->group("Resources")
        ->type_name("FILE");
    command.add_flag("-q,--quiet", resources.quiet, "only warnings and errors on stderr")->group("Resources");
    // These never affect a result: for measuring, and for the tests that show so.
    command.add_option("--batch-bases", resources.batch_bases, "bases a batch of reads [400000]")
        ->group("")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 28));
    command.add_option("--batch-records", resources.batch_records, "reads a batch of windows [6000]")
        ->group("")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 28));
    command.add_option("--slots", resources.slots, "batches in flight [threads + 2, 2 more with a device]")
        ->group("")
        ->check(CLI::Range(size_t{1}, size_t{4096}));
}

void add_alignment_options(CLI::App& command, bool& mark_duplicates, int& level,
                           align::AlignerParameters& parameters) {
    command
        .add_flag_callback(
            "--no-duplicates", [&mark_duplicates] { mark_duplicates = false; }, "leave duplicates unmarked")
        ->group("Alignment");
    command.add_flag("--hard-clip", parameters.hard_clip, "hard-clip supplementary records [soft]")
        ->group("Alignment");
    command.add_option("--level", level, "compression of the BAM, 0-12 [" + std::to_string(level) + "]")
        ->group("Alignment")
        ->check(CLI::Range(0, 12))
        ->type_name("N");
}

void add_region_options(CLI::App& command, std::vector<std::string>& regions, std::string& targets) {
    command
        .add_option("--regions", regions,
                    "call here only: chr20:1-5000000, 1-based; repeat, or part by commas [all]")
        ->group("Calling")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("REGION");
    command.add_option("--targets", targets, "call inside these intervals only [everywhere]")
        ->group("Calling")
        ->type_name("BED");
}

void add_scorer_options(CLI::App& command, ScorerOptions& scorer) {
    const std::string standing = [] {
        const auto shipped = ml::shipped_model();
        return shipped && shipped->is_default ? "on" : "off";
    }();
    command
        .add_flag("--scorer", scorer.always,
                  "score candidates with the neural network that is shipped [" + standing + "]")
        ->group("Calling");
    command.add_flag("--no-scorer", scorer.never, "call without the neural network")->group("Calling");
    command
        .add_option("--model", scorer.model,
                    "score with this network: .safetensors, its .json manifest beside it [the shipped one]")
        ->group("Calling")
        ->type_name("FILE");
    command
        .add_option("--settle", scorer.settle_phred,
                    "Phred from which on the caller settles plain sites without the network; 0: none [" +
                        std::to_string(variants::ScoringParameters().settle_phred) + "]")
        ->group("Calling")
        ->check(CLI::Range(0, 1000))
        ->type_name("Q");
}

void verify(const ResourceOptions& resources) { set_up_log(resources.quiet); }

}  // namespace gannet::pipeline::cli
