// SPDX-License-Identifier: MIT
// Provides the first pass over the alignments of a sample.
#include "pipeline/jobs/sample.hpp"

#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "pipeline/log.hpp"
#include "pipeline/progress.hpp"
#include "variants/parameters.hpp"
#include "variants/sample/stutter_rates.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gannet::pipeline {

namespace {

/// No more of the genome than this is looked at for windows with reads: 1 Mb of the alignments of 6 Mb of a
/// human genome is within it.
constexpr int64_t k_tried_bp = 512'000'000;

/// Of the depth along the genome: MHC haplotypes, libraries with many diverged copies and usual ones have 0
/// to 12 %.
constexpr int32_t k_usual_deviation_percent = 20;
/// Usual libraries have at most 2.4 %; mixtures of equal parts, hybrids and DNA of single cells 6 % and more.
constexpr uint64_t k_max_unexplained_percent = 4;
constexpr int64_t k_max_near_bp = 20'000;  ///< mate-pair libraries have fragments of 2 to 15 kb
constexpr int64_t k_max_primer_bp = 100;   ///< primers have 18 to 35 bases, some with a tail; amplicons more

using Windows = std::vector<std::unique_ptr<variants::ProfileWindow>>;
struct FirstPass {
    std::unique_ptr<variants::ProfileWindows> ranks;
    Windows windows;
    variants::SampleProfile profile;
    variants::ExpectedDepth depth;
    SeenReads seen;
};

/// Appends those of the regions that have reads. False where the records can be read only once.
bool visit_windows(stages::ChunkSource& source, const data::Reference& reference,
                   const std::vector<data::Region>& regions, const variants::SampleModel& model,
                   unsigned threads, Windows& windows, SeenReads& seen) {
    Windows opened(regions.size());
    std::vector<SeenReads> seen_in(regions.size());
    const bool is_complete =
        source.visit(regions, threads, [&](size_t window, const data::RecordView& record, uint16_t flags) {
            if (!opened[window])
                opened[window] = std::make_unique<variants::ProfileWindow>(reference, regions[window],
                                                                           model.mapping, model.primers);
            opened[window]->add(record, flags);
            seen_in[window].add(record, flags);
        });
    for (const SeenReads& one : seen_in) seen.add(one);
    std::erase(opened, nullptr);
    std::move(opened.begin(), opened.end(), std::back_inserter(windows));
    return is_complete;
}

/// All but the depth. Empty where the records can be read only once.
std::optional<FirstPass> first_pass(stages::ChunkSource& source, const data::Reference& reference,
                                    const variants::PloidyMap& ploidy, const variants::SampleModel& model,
                                    unsigned threads) {
    FirstPass pass{std::make_unique<variants::ProfileWindows>(reference, ploidy), {}, {}, {}, {}};
    Windows& windows = pass.windows;
    int64_t covered = 0;
    int64_t bases = 0;
    int64_t tried = 0;
    // Alignments of a part of the genome have no reads in most of the first windows, and those of a shallow
    // sample too few to measure what is rare, so more are tried.
    while ((2 * covered < variants::k_profile_bp ||
            (bases < variants::k_profile_bases && covered < variants::k_max_profile_bp)) &&
           tried < k_tried_bp) {
        const int64_t next = std::max(tried, variants::k_profile_bp);
        const std::vector<data::Region> regions = pass.ranks->take(next);
        if (regions.empty()) break;
        tried += next;
        const size_t before = windows.size();
        if (!visit_windows(source, reference, regions, model, threads, windows, pass.seen))
            return std::nullopt;
        for (size_t i = before; i < windows.size(); ++i) {
            if (windows[i]->depths().mean_depth() > 0) covered += variants::k_profile_window_bp;
            bases += windows[i]->depths().mean_depth() * variants::k_profile_window_bp /
                     variants::k_profile_depth_scale;
        }
    }
    pass.profile = variants::profile_of_windows(windows);
    return pass;
}

void add_depth(stages::ChunkSource& source, const data::Reference& reference,
               const variants::SampleModel& model, unsigned threads, FirstPass& pass) {
    pass.depth = pass.profile.depths.estimate(pass.profile.reads.usual_read_bp());
    if (!pass.depth.is_known()) return;
    variants::judge_deep_places(pass.windows, pass.depth);
    if (!pass.depth.is_known()) return;
    const std::vector<data::Region> of_contigs = pass.ranks->take_of_contigs();
    if (!of_contigs.empty())
        visit_windows(source, reference, of_contigs, model, threads, pass.windows, pass.seen);
    pass.depth.contig_copies = variants::contig_copies(pass.windows, pass.depth);
    pass.windows.clear();
}

/// The estimate goes no further than its highest value, whatever the sample has.
std::string amount_text(int32_t parts_per_million) {
    return (parts_per_million == variants::k_max_estimate_ppm ? "at least " : "") +
           variants::percent_text(parts_per_million);
}

/// Empty where it is as even as usual libraries are.
std::string deviation_text(int32_t deviation_percent) {
    if (deviation_percent <= k_usual_deviation_percent) return "";
    return "by a standard deviation of " + std::to_string(deviation_percent) + " % beyond chance and GC";
}

std::string qualities_text(const variants::QualityMap& map, uint64_t bases) {
    if (bases < variants::k_min_quality_bases)
        return "as reported (not measured: " + std::to_string(bases) + " bases are too few)";
    const std::string changes = variants::to_text(map);
    return changes.empty() ? "as reported" : changes + " (measured over " + std::to_string(bases) + " bases)";
}

/// "3 copies of chr21, 3 of chrX"; empty where all contigs have two.
std::string copies_text(const data::Reference& reference, const std::vector<uint8_t>& contig_copies) {
    std::string text;
    for (size_t contig = 0; contig < contig_copies.size(); ++contig) {
        if (contig_copies[contig] == 2) continue;
        text += (text.empty() ? "" : ", ") + std::to_string(contig_copies[contig]) +
                (text.empty() ? " copies of " : " of ") + reference.contigs()[contig].name;
    }
    return text;
}

}  // namespace

void SeenReads::add(const data::RecordView& record, uint16_t flags) {
    using namespace data;
    if ((flags & (k_flag_unmapped | k_flag_secondary | k_flag_supplementary | k_flag_duplicate)) != 0) return;
    const std::span<const uint8_t> qualities = record.qualities();
    constexpr uint8_t k_absent = 0xff;
    if (!qualities.empty() && qualities[0] != k_absent) {
        constexpr auto k_least = static_cast<uint8_t>(variants::CallerParameters().minimum_base_quality);
        bases += qualities.size();
        unused_bases += static_cast<uint64_t>(std::count_if(
            qualities.begin(), qualities.end(), [](uint8_t quality) { return quality < k_least; }));
    }
    if ((flags & k_flag_paired) == 0 || (flags & k_flag_mate_unmapped) != 0) return;
    ++pairs;
    const int64_t length = record.template_length();
    if (record.contig() != record.mate_contig() || length == 0 || std::abs(length) > k_max_near_bp) return;
    ++near_pairs;
    const bool is_reverse = (flags & k_flag_reverse) != 0;
    if (is_reverse == ((flags & k_flag_mate_reverse) != 0)) {
        ++tandem;
    } else if (is_reverse == (length > 0)) {
        ++rf;  // the 5' end of the reverse read is the left one
    }
}

void SeenReads::add(const SeenReads& other) {
    bases += other.bases;
    unused_bases += other.unused_bases;
    pairs += other.pairs;
    near_pairs += other.near_pairs;
    rf += other.rf;
    tandem += other.tandem;
}

std::string contamination_text(const variants::ContaminationEstimate& estimate) {
    const std::string sites = std::to_string(estimate.sites) + " homozygous SNPs";
    if (estimate.sites < variants::k_min_contamination_sites)
        return "0 (not measured: " + sites + " are too few)";
    const std::string counted = std::to_string(estimate.reference_fragments) + " of " +
                                std::to_string(estimate.fragments) + " fragments at " + sites +
                                " have the reference base";
    if (estimate.parts_per_million == 0 &&
        100 * estimate.reference_fragments > k_max_unexplained_percent * estimate.fragments)
        return "0 (not measured: " + counted +
               ", but not as few fragments of another individual would: a mixture, or DNA of few cells?)";
    return amount_text(estimate.parts_per_million) + " (measured: " + counted + ")";
}

int32_t contamination_of(const std::string& text) {
    constexpr double k_million = 1e6;
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
        value * k_million > variants::Contamination::k_max_ppm) {
        throw data::Error(data::ErrorKind::usage,
                          "'" + text + "': give a fraction from 0 to 0.2 (0.02 is 2 %), or auto");
    }
    return static_cast<int32_t>(value * k_million + 0.5);
}

variants::Primers read_primers(const std::string& path, const data::Reference& reference) {
    if (path.empty()) return {};
    std::vector<variants::Primer> primers;
    for (const data::bed::Row& row : data::bed::load_rows(path, reference)) {
        const int64_t length = row.region.end - row.region.begin;
        if (length > k_max_primer_bp) {
            const std::string& contig = reference.contigs()[row.region.contig].name;
            data::throw_malformed(path, contig + ":" + std::to_string(row.region.begin + 1) + "-" +
                                            std::to_string(row.region.end) + ": has " +
                                            std::to_string(length) + " bp, and a primer at most " +
                                            std::to_string(k_max_primer_bp) +
                                            ": give the primers, not the amplicons between them");
        }
        if (length > 0) primers.push_back({row.region, row.strand});
    }
    if (primers.empty()) throw data::Error(data::ErrorKind::usage, path + ": holds no primer");
    return variants::Primers(primers);
}

void describe_sample(CommandText& command, const SampleOptions& options) {
    if (options.contamination != "auto") command.option("--contamination", options.contamination);
    if (options.base_qualities != "auto") command.option("--base-qualities", options.base_qualities);
    command.option("--primers", options.primers);
}

MeasuredSample measure_sample(const SampleOptions& options, stages::ChunkSource& source,
                              const data::Reference& reference, const variants::PloidyMap& ploidy,
                              unsigned threads, Tracer& tracer) {
    const bool measures_contamination = options.contamination == "auto";
    const bool measures_qualities = options.base_qualities == "auto";
    MeasuredSample sample;
    sample.model.primers = read_primers(options.primers, reference);
    std::optional<FirstPass> pass;
    {
        const Progress progress("measure sample", "", &tracer);
        const Span span(tracer, tracer.stage("call.profile"), 0);
        pass = first_pass(source, reference, ploidy, sample.model, threads);
        if (pass) sample.model.mapping = pass->profile.reads.scale();
        // The reads that count are others then.
        if (sample.model.mapping.ceiling() < variants::MappingScale::k_ceiling) {
            pass.reset();
            pass = first_pass(source, reference, ploidy, sample.model, threads);
        }
        if (pass) add_depth(source, reference, sample.model, threads, *pass);
        if (!pass)
            log_warning(
                "the alignments can be read only once: contamination and base qualities are not measured, "
                "and the scorer is not used (give a file in place of the stream to have them)");
    }
    const variants::SampleProfile* const profile = pass ? &pass->profile : nullptr;
    const std::string unknown = "not measured: the alignments can be read only once";
    const variants::BaseDamage damage =
        profile ? variants::estimate_base_damage(profile->changes) : variants::BaseDamage();
    if (!damage.none()) {
        log_warning(
            "the library is damaged (FFPE tissue, oxidation, ancient DNA): in the direction of mate 1 it "
            "has " +
            damage.to_text() +
            (measures_qualities ? "; such bases count for less" : " (--base-qualities as-is)"));
    }
    int32_t ppm = 0;
    std::string contamination = "0 (" + unknown + ")";
    if (!measures_contamination) {
        ppm = contamination_of(options.contamination);
        contamination = variants::percent_text(ppm) + " (--contamination)";
    } else if (profile) {
        const variants::ContaminationEstimate estimate = variants::estimate_contamination(*profile, damage);
        ppm = estimate.parts_per_million;
        contamination = contamination_text(estimate);
        if (ppm > 0)
            log_warning(
                (ppm == variants::k_max_estimate_ppm ? "" : "about ") + amount_text(ppm) +
                " of the fragments are of another individual or species; genotypes take it into account "
                "(--contamination)");
    }
    sample.model.contamination = variants::Contamination(ppm);
    sample.model.is_measured = profile != nullptr;
    std::string qualities =
        "as reported (" + std::string(measures_qualities ? unknown : "--base-qualities") + ")";
    if (measures_qualities && profile) {
        sample.model.qualities = variants::estimate_qualities(*profile, ppm, damage);
        qualities = qualities_text(sample.model.qualities, profile->all_bases());
        const std::string changes = variants::to_text(sample.model.qualities);
        if (!changes.empty())
            log_info("base qualities promise too much; used instead of those reported: " + changes +
                     " (--base-qualities)");
    }
    std::string depth = "not known";
    if (profile) {
        sample.seen = pass->seen;
        sample.model.read_bp = profile->reads.usual_read_bp();
        sample.model.has_improper_pairs = profile->reads.has_improper_pairs();
        sample.model.depth = pass->depth;
        if (sample.model.depth.is_known()) depth = sample.model.depth.to_text();
        if (sample.model.depth.is_enriched) {
            depth = "no evidence of copies (deep places have two copies)";
            log_info(
                "deep places all over the genome have two copies, as of targets captured beside a whole "
                "genome, or of DNA of few cells: depth is no evidence of further copies");
        }
        const std::string copies = copies_text(reference, pass->depth.contig_copies);
        if (!copies.empty()) log_info("by its depth the sample has " + copies);
        depth += copies.empty() ? "" : "; " + copies;
        const std::string deviation = deviation_text(pass->depth.deviation_percent);
        depth += deviation.empty() ? "" : "; varies along the genome " + deviation;
        if (!deviation.empty())
            log_warning("the depth varies along the genome " + deviation +
                        " (usual libraries: at most 12 %), as of DNA of few cells: SNVs of further copies of "
                        "a sequence may be called, and variants where it is deep be filtered");
        sample.model.stutter = profile->stutter;
        sample.model.gaps = variants::gap_qualities_of(variants::with_varied_repeats(profile->stutter.gaps));
        sample.model.errors = variants::estimate_systematic_errors(profile->errors);
        if (measures_qualities) sample.model.damage = damage;
    }
    sample.text =
        "contamination " + contamination + "; base qualities " + qualities + "; depth " + depth +
        "; reads that change the length of homopolymers and repeats: " + sample.model.stutter.to_text() +
        "; gap qualities " + variants::to_text(sample.model.gaps) + "; places prone to systematic errors " +
        sample.model.errors.to_text() + "; damage " + damage.to_text() + "; " +
        variants::to_text(sample.model.mapping) + "; reads of " + (profile ? "" : "about ") +
        std::to_string(sample.model.read_bp) + " bp";
    return sample;
}

}  // namespace gannet::pipeline
