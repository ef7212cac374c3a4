// SPDX-License-Identifier: MIT
// Provides the options of each job as plain values; the command line fills them, tests may too.
#pragma once

#include "align/aligner.hpp"
#include "align/duplicates/duplicates.hpp"
#include "data/vcf/writer.hpp"
#include "kernels/backend.hpp"
#include "pipeline/log.hpp"
#include "variants/caller.hpp"
#include "variants/cohort/sites.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline {

/// When the checksums of an index are compared with its bytes before it is used.
enum class VerifyIndex {
    automatic,  ///< unless this machine remembers that it did and the file has not changed since
    always,
    never
};

/// Threads, memory and the like. Nothing here affects a result.
struct ResourceOptions {
    int threads = 0;                             ///< 0: all cores that CPU affinity and control group allow
    uint64_t memory_bytes = 0;                   ///< 0: 60 % of what is free
    std::string temporary;                       ///< folder for spilled records; empty: the output's folder
    bool checkpoint = false;                     ///< finished reads are kept, and continued from
    uint64_t checkpoint_templates = 16'000'000;  ///< between two checkpoints
    std::string backend = "auto";
    std::vector<std::string> devices;  ///< ordinals or UUIDs of CUDA devices; empty: all that are fit
    uint64_t device_memory_bytes = 0;  ///< per device; 0: 90 % of what is free
    std::string trace;                 ///< file; empty: none
    LogOptions log;
    VerifyIndex verify_index = VerifyIndex::automatic;
    uint64_t batch_bases = 0;       ///< bases per batch of reads; 0: as Session::batch_bases()
    uint64_t batch_records = 6000;  ///< reads per batch of windows
    size_t slots = 0;               ///< batches in flight in each graph; 0: as Session::slots()
};

struct InputOptions {
    std::string reference;
    std::string index;               ///< empty: beside the reference
    std::vector<std::string> reads;  ///< R1 [R2]
    std::vector<std::string> lanes;  ///< "R1,R2[,RG]"
    std::string lanes_file;          ///< the same as TSV
    bool interleaved = false;
    std::string read_group;  ///< "@RG\tID:..."
    std::string sample;
    bool comment_tags = false;  ///< comments of FASTQ are tags of SAM
    std::string alt;            ///< bwa's list of ALT contigs, or "none"; empty: REF.alt, else by names
};

struct DuplicateOptions {
    bool mark = true;
    bool by_umi = false;  ///< of the tag RX (align/duplicates/umi.hpp)
    uint32_t optical_distance_pixels = align::duplicates::k_optical_distance_pixels;

    /// For a marker with this memory and folder of its own. `input`: what its messages name.
    align::duplicates::MarkerOptions of_marker(uint64_t memory_bytes, std::string folder, std::string input,
                                               std::string file_name = {}) const {
        return {memory_bytes, std::move(folder),       std::move(file_name),
                by_umi,       optical_distance_pixels, std::move(input)};
    }
};

struct AlignOptions {
    InputOptions input;
    std::string output;   ///< file, "-" is standard output
    std::string format;   ///< sam, bam or cram; empty: by the output's ending
    std::string metrics;  ///< file for duplicate metrics; empty: none
    std::string report;   ///< file for what run.json holds of a run; empty: none
    std::string targets;  ///< BED: where the depth is judged; no record depends on it
    std::string qc;       ///< stem of the files of quality control; empty: none
    bool unsorted = false;
    DuplicateOptions duplicates;
    int level = 1;
    align::AlignerParameters parameters;
    bool strict = false;   ///< implausible data end the run (jobs/plausibility.hpp)
    bool dry_run = false;  ///< prints the plan instead (jobs/dry_run.hpp)
    ResourceOptions resources;
};

/// The neural scorer; by default the manifest of the shipped model decides whether it is used.
struct ScorerOptions {
    bool never = false;
    bool always = false;
    std::string model;  ///< .safetensors file; empty: the shipped one
};

/// How many copies of its contigs the sample has (jobs/ploidy.hpp).
struct PloidyOptions {
    std::string sex;  ///< "male", "female"; empty: not given, X and Y are diploid
    std::string par;  ///< BED of the pseudoautosomal regions; empty: those of a known assembly
    std::optional<uint8_t> everywhere;  ///< 1 or 2 copies of all contigs
    std::string file;                   ///< copies by region; empty: none
};

/// What is known of the sample beforehand (jobs/sample.hpp).
struct SampleOptions {
    std::string contamination = "auto";   ///< or a fraction of its fragments
    std::string base_qualities = "auto";  ///< or "as-is"
    std::string primers;                  ///< BED of the primers of its amplicons; empty: none
};

/// A gVCF beside the VCF.
struct GvcfOptions {
    std::string path;         ///< empty: none
    bool beside_vcf = false;  ///< of `run`: SAMPLE.g.vcf.gz in the output folder
    data::vcf::GvcfDialect dialect = data::vcf::GvcfDialect::vcf;
    std::vector<int32_t> bands = variants::default_bands();
    bool wanted() const { return beside_vcf || !path.empty(); }
};

struct CallOptions {
    std::string reference;
    std::string index;
    std::string alt;  ///< as in InputOptions
    std::string alignments;
    std::string output;
    std::string sample;  ///< empty: from the read groups, else the file's name
    std::string report;  ///< as in AlignOptions
    std::vector<std::string> regions;
    std::string regions_file;  ///< BED of more regions
    std::string targets;
    int64_t interval_padding_bp = 0;  ///< by which each interval of these three is extended on both sides
    std::string alleles;              ///< VCF of alleles that are genotyped in any case; empty: none
    std::string dbsnp;                ///< VCF of known variants, for IDs; empty: none
    bool all_contigs = false;         ///< without these two: on all contigs, not only on primary ones
    PloidyOptions ploidy;
    SampleOptions sample_model;
    variants::CallerParameters parameters;
    ScorerOptions scorer;
    GvcfOptions gvcf;
    bool strict = false;   ///< implausible data end the run (jobs/plausibility.hpp)
    bool dry_run = false;  ///< prints the plan instead (jobs/dry_run.hpp)
    ResourceOptions resources;
};

struct ExamplesOptions {
    std::string reference;
    std::string index;
    std::string alt;  ///< as in InputOptions
    std::string alignments;
    std::string truth;   ///< VCF; empty: labels are unknown
    std::string output;  ///< folder
    std::string sample;
    int shards = 1;
    std::vector<std::string> regions;
    std::string targets;
    bool all_contigs = false;  ///< without these two: on all contigs, not only on primary ones
    /// Log10 of the caller's probability of at least one copy that a candidate has.
    double minimum_presence = -3.5;
    SampleOptions sample_model;
    variants::CallerParameters parameters;
    ResourceOptions resources;
};

/// Of `evaluate-model`: examples and a model, or a truth and two files of calls.
struct EvaluateOptions {
    std::vector<std::string> examples;  ///< shards, or folders with examples.json
    std::string model;                  ///< .safetensors; empty: the shipped one
    bool everywhere = false;            ///< as if the network counted in every stratum
    std::string truth, off, on;         ///< VCFs
    std::string reference, targets;
    std::string output;  ///< folder
    std::string table;   ///< TSV of every example or change; empty: none
    variants::CallerParameters parameters;
    ResourceOptions resources;
};

struct RunOptions {
    InputOptions input;
    std::string output;          ///< folder
    std::string format = "bam";  ///< or cram
    bool qc = true;              ///< files of quality control in it
    bool report = true;          ///< SAMPLE.report.html, which shows them
    std::string report_limits;   ///< file of `gannet report --limits`; empty: the usual ones
    DuplicateOptions duplicates;
    int level = 1;
    std::vector<std::string> regions;
    std::string regions_file;  ///< BED of more regions
    std::string targets;
    int64_t interval_padding_bp = 0;  ///< as in CallOptions
    std::string alleles;              ///< as in CallOptions
    std::string dbsnp;                ///< as in CallOptions
    bool all_contigs = false;         ///< without these two: on all contigs, not only on primary ones
    PloidyOptions ploidy;
    SampleOptions sample_model;
    align::AlignerParameters align_parameters;
    variants::CallerParameters call_parameters;
    ScorerOptions scorer;
    GvcfOptions gvcf;
    bool strict = false;   ///< implausible data end the run (jobs/plausibility.hpp)
    bool dry_run = false;  ///< prints the plan instead (jobs/dry_run.hpp)
    ResourceOptions resources;
};

/// Of `report`: pages of finished runs.
struct ReportOptions {
    std::vector<std::string> runs;  ///< folders, or run.json files
    std::string output;
    std::string limits;              ///< JSON file; empty: the usual ones
    std::vector<std::string> sites;  ///< CHROM:POS whose reads are shown
    bool prints_limits = false;
    LogOptions log;
};

/// `sort` and `markdup`.
struct SortOptions {
    std::string alignments;  ///< SAM, BAM or CRAM in any order; "-" is standard input
    std::string reference;   ///< FASTA, for CRAM alone
    std::string output;      ///< file, "-" is standard output
    std::string format;      ///< as in AlignOptions
    std::string metrics;     ///< as in AlignOptions
    DuplicateOptions duplicates = {false, false};
    int level = 1;
    ResourceOptions resources;
};

/// Of `scatter`: what `call` would call, in parts of equal size.
struct ScatterOptions {
    std::string reference;
    std::string index;
    std::string alt;  ///< as in InputOptions
    std::vector<std::string> regions;
    std::string regions_file;
    std::string targets;
    int64_t interval_padding_bp = 0;  ///< as in CallOptions
    bool all_contigs = false;         ///< as in CallOptions
    uint32_t count = 0;               ///< shards; 0: as many as size_mb makes
    double size_mb = 0;               ///< known bases of a shard
    std::string output;               ///< folder of BED files; empty: standard output
    LogOptions log;
};

/// Of `joint`: gVCFs of single samples to one VCF.
struct JointOptions {
    std::string reference;
    std::string index;
    std::vector<std::string> inputs;
    std::string list;      ///< file with one path per line, after `inputs`; empty: none
    std::string pedigree;  ///< PED file; empty: no sample is related to another one
    std::string output;
    std::vector<std::string> regions;
    std::string regions_file;
    variants::cohort::UnificationParameters parameters;
    size_t max_open_files = 0;  ///< 0: as many as the system allows
    int64_t window_bp = 0;      ///< 0: by the number of samples; changes memory, never a result
    int threads = 0;
    LogOptions log;
};

struct IndexOptions {
    std::string reference;
    std::string output;
    bool check = false;  ///< verify the index there is, instead of building one
    ResourceOptions resources;
};

}  // namespace gannet::pipeline
