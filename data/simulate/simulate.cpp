// SPDX-License-Identifier: MIT
// Provides a complete simulation: checks the options, makes genome, truth and reads, writes the files.
#include "data/simulate/simulate.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/output_file.hpp"
#include "data/simulate/hidden_copies.hpp"
#include "data/simulate/other_people.hpp"
#include "data/simulate/read_files.hpp"
#include "data/simulate/truth_files.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace gannet::data::simulate {

namespace {

void require(bool holds, const std::string& complaint) {
    if (!holds) throw Error(ErrorKind::usage, "simulate: " + complaint);
}

/// Written so that a NaN is refused too.
bool within(double value, double low, double high) { return value >= low && value <= high; }

void check(const Options& options) {
    require(!options.output.empty(), "an output folder is needed (-o DIR)");
    require((options.size_mb != 0) != !options.reference.empty(), "give either --size or --reference");
    require(!options.reference.empty() || within(options.size_mb, 0.02, 4000),
            "--size must be 0.02 to 4000 Mb");
    require(!options.human || options.reference.empty(), "--human is for a genome that is made: give --size");
    require(!options.human || options.size_mb >= 10, "--human needs a --size of 10 Mb or more");
    require(within(options.coverage, 0, 10000), "--coverage must be 0 to 10000");
    require(within(options.read_length, 36, 500), "--read-length must be 36 to 500 bp");
    require(within(options.fragment_mean, 60, 100000), "--fragment-mean must be 60 to 100000 bp");
    require(within(options.fragment_sd, 0, options.fragment_mean),
            "--fragment-sd must be 0 to the fragment mean");
    const std::string complaint = complaint_about(options.library);
    require(complaint.empty(), "the library's " + complaint);
    require(options.threads >= 1, "--threads must be 1 or more");
}

void count_variants(const Truth& truth, Summary& summary) {
    for (const std::vector<TruthSite>& sites : truth)
        for (const TruthSite& site : sites) {
            const bool snv = std::all_of(site.alleles.begin(), site.alleles.end(),
                                         [](const std::string& allele) { return allele.size() == 1; });
            ++(snv ? summary.snvs : summary.indels);
            const auto [a, b] = site.genotype;
            ++(site.ploidy == 1 ? summary.haploid : a == b ? summary.homozygous : summary.heterozygous);
            summary.multi_allelic += a != b && a != 0 && b != 0;
        }
}

/// Enough digits to distinguish any two options in practice; the shortest form that printf has.
std::string number(double value) {
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%.10g", value);
    return buffer.data();
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

/// File names without their folders and without the threads: equal data, equal bytes.
std::string report_text(const Options& options, const Summary& summary) {
    const auto name = [](const std::string& path) {
        return quoted(std::filesystem::path(path).filename().string());
    };
    std::vector<std::pair<const char*, std::string>> fields{
        {"size_mb", number(options.size_mb)},
        {"human", options.human ? "true" : "false"},
        {"reference", name(options.reference)},
        {"variants", name(options.variants)},
        {"haploid", quoted(joined(options.haploid))},
        {"coverage", number(options.coverage)},
        {"seed", std::to_string(options.seed)},
        {"read_length", std::to_string(options.read_length)},
        {"fragment_mean", number(options.fragment_mean)},
        {"fragment_sd", number(options.fragment_sd)},
        {"duplicate_share", number(options.library.duplicate_share)},
        {"reference_bp", std::to_string(summary.reference_bp)},
        {"known_bp", std::to_string(summary.known_bp)},
        {"snvs", std::to_string(summary.snvs)},
        {"indels", std::to_string(summary.indels)},
        {"multi_allelic", std::to_string(summary.multi_allelic)},
        {"heterozygous", std::to_string(summary.heterozygous)},
        {"homozygous", std::to_string(summary.homozygous)},
        {"haploid_variants", std::to_string(summary.haploid)},
        {"skipped_variants", std::to_string(summary.skipped_variants)},
        {"pairs", std::to_string(summary.pairs)},
        {"duplicate_pairs", std::to_string(summary.duplicate_pairs)},
        {"adapter_pairs", std::to_string(summary.adapter_pairs)},
        {"substitution_errors", std::to_string(summary.substitution_errors)},
        {"indel_errors", std::to_string(summary.indel_errors)},
        {"contaminant_pairs", std::to_string(summary.contaminant_pairs)},
        {"hopped_pairs", std::to_string(summary.hopped_pairs)},
        {"foldback_pairs", std::to_string(summary.foldback_pairs)},
        {"chimera_pairs", std::to_string(summary.chimera_pairs)},
        {"slipped_pairs", std::to_string(summary.slipped_pairs)},
        {"pcr_substitutions", std::to_string(summary.pcr_substitutions)},
        {"oxidised_bases", std::to_string(summary.oxidised_bases)},
        {"deaminated_bases", std::to_string(summary.deaminated_bases)},
        {"systematic_errors", std::to_string(summary.systematic_errors)},
        {"hidden_places", std::to_string(summary.hidden_places)},
        {"hidden_bp", std::to_string(summary.hidden_bp)},
        {"missing_paralogues", std::to_string(summary.missing_paralogues)},
        {"missing_bp", std::to_string(summary.missing_bp)}};
    if (options.has_made_reference) fields.emplace_back("has_made_reference", "true");
    std::string text;
    for (const auto& [key, value] : fields)
        text += std::string(text.empty() ? "{\n" : ",\n") + " \"" + key + "\": " + value;
    return text + "\n}\n";
}

/// Copies of each contig.
std::vector<uint32_t> copies_of(const Genome& genome, const std::vector<std::string>& haploid) {
    std::vector<uint32_t> copies;
    for (const Sequence& sequence : genome.sequences) copies.push_back(sequence.copies);
    for (const std::string& name : haploid) {
        const auto found = std::find_if(genome.sequences.begin(), genome.sequences.end(),
                                        [&](const Sequence& sequence) { return sequence.name == name; });
        require(found != genome.sequences.end(), "--haploid " + name + ": the genome has no such contig");
        copies[static_cast<size_t>(found - genome.sequences.begin())] = 1;
    }
    return copies;
}

/// The haplotypes of all persons, and how many known bases those of the sample have but for its variants; a
/// haplotype of greater depth counts as often as its weight says.
struct Haplotypes {
    std::vector<Haplotype> all;
    uint64_t known_bp = 0;
};

/// As many of the contig as make its depth where that of a diploid contig is `coverage`.
uint32_t weight_of(const Sequence& sequence, double coverage) {
    if (sequence.depth <= 0 || coverage <= 0) return 1;
    return static_cast<uint32_t>(std::clamp(2 * sequence.depth / coverage / sequence.copies, 1.0, 1e6));
}

void add_person(const Genome& genome, const Truth& truth, const std::vector<uint32_t>& copies,
                uint32_t person, double coverage, const std::vector<HiddenPlace>& hidden,
                Haplotypes& haplotypes) {
    for (uint32_t contig = 0; contig < genome.sequences.size(); ++contig) {
        const Sequence& sequence = genome.sequences[contig];
        for (uint32_t side = 0; side < copies[contig]; ++side) {
            const std::vector<Insertion> insertions = insertions_of(hidden, contig, side);
            haplotypes.all.push_back(make_haplotype(sequence, truth[contig], contig, side, insertions));
            Haplotype& made = haplotypes.all.back();
            made.person = person;
            made.weight = weight_of(sequence, coverage);
            if (person > 0) continue;
            haplotypes.known_bp += made.weight * sequence.known_bp();
            for (const Insertion& insertion : insertions) haplotypes.known_bp += insertion.bases.size();
        }
    }
}

/// Leaves one haplotype of the contigs of which there is one copy.
void make_all_haploid(Truth& truth, const std::vector<uint32_t>& copies) {
    for (size_t contig = 0; contig < truth.size(); ++contig) {
        if (copies[contig] == 1) make_haploid(truth[contig]);
        if (copies[contig] == 0) truth[contig].clear();
    }
}

/// Drops sites that touch sequence which is not in the reference any more; returns how many.
uint64_t drop_unknown(const Genome& genome, Truth& truth) {
    uint64_t dropped = 0;
    for (size_t contig = 0; contig < truth.size(); ++contig)
        dropped += std::erase_if(truth[contig], [&](const TruthSite& site) {
            return !is_known(genome.sequences[contig].unknown, site.position, site.end());
        });
    return dropped;
}

/// What remains of an earlier simulation and this one may not write.
void remove_optional_files(const std::string& folder) {
    for (const char* name : {"contaminant.vcf.gz", "contaminant.vcf.gz.tbi", "contaminant.vcf.gz.csi",
                             "hidden_copies.bed", "missing_paralogues.bed", "strata.bed", "ref.fa.alt"})
        remove_old_file(folder + name);
}

/// Genome, truth and haplotypes of a simulation, made one after the other.
class Simulation {
  public:
    Simulation(const Options& options, const std::string& folder) : options_(options), folder_(folder) {}

    Summary run() {
        load_genome();
        take_out();
        make_truth();
        make_people();
        genome_.sequences.clear();
        complete_.sequences.clear();
        // The depth of a diploid contig is that of both copies.
        const double diploid_bp = static_cast<double>(haplotypes_.known_bp) / 2;
        summary_.pairs = static_cast<uint64_t>(options_.coverage * diploid_bp / (2 * options_.read_length));
        take_counts(write_reads(ReadMaker(haplotypes_.all, options_), summary_.pairs, options_.output,
                                options_.threads));
        write_file(folder_ + "library.json", library_text(options_.library));
        return summary_;
    }

  private:
    void load_genome() {
        if (options_.reference.empty()) {
            const auto size_bp = static_cast<uint64_t>(options_.size_mb * 1e6);
            genome_ = options_.human ? make_human_genome(size_bp, options_.seed, options_.threads)
                                     : make_genome(size_bp, options_.seed);
        } else {
            reference_ = fasta::load(options_.reference);
            genome_ = genome_of(*reference_);
        }
        copies_ = copies_of(genome_, options_.haploid);
    }

    /// Name of the FASTA; empty where the genome is in the ref.fa of the simulation.
    std::string users_reference() const {
        if (options_.library.missing_paralogue_share > 0) return "";
        return std::filesystem::path(options_.reference).filename().string();
    }

    void take_out() {
        const double share = options_.library.missing_paralogue_share;
        if (share > 0) {
            complete_ = genome_;
            const std::vector<Paralogue> missing = take_out_paralogues(genome_, share, options_.seed);
            summary_.missing_paralogues = missing.size();
            for (const Paralogue& paralogue : missing) summary_.missing_bp += paralogue.end - paralogue.begin;
            write_missing(genome_, missing, folder_ + "missing_paralogues.bed");
        }
        if (share > 0 || options_.reference.empty()) write_fasta(genome_, folder_ + "ref.fa");
        if (options_.human) {
            write_file(folder_ + "ref.fa.alt", genome_.alternates);
            write_strata(genome_, folder_ + "strata.bed");
            for (Sequence& sequence : genome_.sequences) std::vector<MarkedRun>().swap(sequence.marked);
        }
    }

    void make_truth() {
        if (!options_.variants.empty() && !reference_) reference_ = fasta::load(folder_ + "ref.fa");
        truth_ = options_.variants.empty() ? make_variants(genome_, options_.seed)
                                           : read_variants(options_.variants, *reference_, options_.seed,
                                                           summary_.skipped_variants);
        summary_.skipped_variants += drop_unknown(genome_, truth_);
        make_all_haploid(truth_, copies_);
        summary_.reference_bp = genome_.size();
        summary_.known_bp = genome_.known_bp();
        count_variants(truth_, summary_);
        write_truth(genome_, truth_, users_reference(), folder_ + "truth.vcf.gz");
        write_confident(genome_, folder_ + "confident.bed");
    }

    void make_people() {
        const Library& library = options_.library;
        const Genome& genome = complete_.sequences.empty() ? genome_ : complete_;
        const std::vector<HiddenPlace> hidden =
            make_hidden_copies(genome_, truth_, copies_, library, options_.seed);
        add_person(genome, truth_, copies_, 0, options_.coverage, hidden, haplotypes_);
        if (library.hidden_copies_per_mb > 0)
            write_file(folder_ + "hidden_copies.bed", bed_of(hidden, genome_));
        for (const HiddenPlace& place : hidden)
            for (const HiddenPlace::Copy& copy : place.copies)
                summary_.hidden_bp += copy.bases.size() * (place.sides[0] + place.sides[1]);
        summary_.hidden_places = hidden.size();
        uint32_t person = 0;
        if (library.contamination_share > 0) {
            Truth other = make_other_person(genome_, truth_, options_.seed, ++person);
            make_all_haploid(other, copies_);
            write_truth(genome_, other, users_reference(), folder_ + "contaminant.vcf.gz");
            add_person(genome, other, copies_, person, options_.coverage, {}, haplotypes_);
        }
        if (library.hopping_share > 0) {
            Truth other = make_other_person(genome_, truth_, options_.seed, 2);
            make_all_haploid(other, copies_);
            add_person(genome, other, copies_, ++person, options_.coverage, {}, haplotypes_);
        }
    }

    void take_counts(const ReadCounts& counts) {
        summary_.duplicate_pairs = counts.duplicate_pairs;
        summary_.adapter_pairs = counts.adapter_pairs;
        summary_.substitution_errors = counts.errors.substitutions;
        summary_.indel_errors = counts.errors.indels;
        summary_.systematic_errors = counts.errors.systematic;
        summary_.contaminant_pairs = counts.contaminant_pairs;
        summary_.hopped_pairs = counts.hopped_pairs;
        summary_.foldback_pairs = counts.foldback_pairs;
        summary_.chimera_pairs = counts.chimera_pairs;
        summary_.slipped_pairs = counts.slipped_pairs;
        summary_.pcr_substitutions = counts.fragments.pcr_substitutions;
        summary_.oxidised_bases = counts.fragments.oxidised_bases;
        summary_.deaminated_bases = counts.fragments.deaminated_bases;
    }

    const Options& options_;
    const std::string folder_;
    Summary summary_;
    std::shared_ptr<const Reference> reference_;
    Genome genome_;    ///< the reference
    Genome complete_;  ///< with the paralogues that are not in it; empty where none was taken out
    std::vector<uint32_t> copies_;
    Truth truth_;
    Haplotypes haplotypes_;
};

}  // namespace

Summary run(const Options& options) {
    check(options);
    std::error_code failure;
    std::filesystem::create_directories(options.output, failure);
    if (failure)
        throw Error(ErrorKind::output_failed, options.output + ": cannot be made: " + failure.message());
    const std::string folder = options.output + "/";
    // Written last: while it is missing, the other files are not a finished simulation.
    remove_old_file(folder + "simulate.json");
    remove_optional_files(folder);
    const Summary summary = Simulation(options, folder).run();
    write_file(folder + "simulate.json", report_text(options, summary));
    return summary;
}

}  // namespace gannet::data::simulate
