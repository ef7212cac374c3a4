// SPDX-License-Identifier: MIT
// Provides the comparison from files to counts: reading, matching twice, counting and writing.
#include "variants/compare/compare.hpp"

#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/output_file.hpp"
#include "data/regions.hpp"
#include "data/vcf/reader.hpp"
#include "variants/compare/atoms.hpp"
#include "variants/compare/matched_sets.hpp"
#include "variants/compare/matcher.hpp"
#include "variants/compare/outcome_writer.hpp"

#include <filesystem>
#include <memory>

namespace gannet::variants::compare {
namespace {

CallSet load(const std::string& path, const data::Reference& reference, const std::string& sample,
             Selection selection) {
    data::vcf::Reader reader(path, reference, sample);
    CallSetBuilder builder(reference, selection);
    data::vcf::Site site;
    while (reader.read(site)) {
        builder.add(site);
    }
    CallSet set = builder.finish();
    set.samples = reader.samples().size();
    set.sample = !sample.empty() || reader.samples().empty() ? sample : reader.samples().front();
    return set;
}

void mark_inside(CallSet& set, const data::RegionSet* targets) {
    for (Atom& atom : set.atoms) {
        atom.inside = targets == nullptr || targets->contains(atom.contig, atom.vcf_position());
    }
}

void count(const CallSet& set, bool truth, Result& result) {
    for (const Atom& atom : set.atoms) {
        if (!atom.inside) {
            continue;
        }
        Counts& counts = atom.is_snp() ? result.snp : result.indel;
        Counts& allele = atom.is_snp() ? result.snp_allele : result.indel_allele;
        ++(truth ? (atom.matched ? counts.truth_matched : counts.truth_missed)
                 : (atom.matched ? counts.calls_right : counts.calls_wrong));
        ++(truth ? (atom.matched_allele ? allele.truth_matched : allele.truth_missed)
                 : (atom.matched_allele ? allele.calls_right : allele.calls_wrong));
    }
}

void note_unchosen_sample(const std::string& path, const CallSet& set, const std::string& wanted,
                          Result& result) {
    if (set.samples < 2 || !wanted.empty()) return;
    result.unchosen_samples.push_back(path + " holds " + std::to_string(set.samples) +
                                      " samples: " + set.sample + ", the first, is compared");
}

void note_unknown_genotypes(const std::string& path, const CallSet& set, Result& result) {
    if (set.records.empty() || set.known_genotypes > 0) return;
    result.unknown_genotypes.push_back(
        path + ": none of its " + std::to_string(set.records.size()) + " records has a genotype (GT) of " +
        set.sample +
        ", so that no allele of it is compared; without sample columns (bcftools view -G) "
        "each allele is compared as one that is carried");
}

void make_folder(const std::string& path) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) {
        throw data::Error(data::ErrorKind::output_failed,
                          path + ": cannot make the folder: " + code.message());
    }
}

}  // namespace

MatchedSets match_files(const Options& options, const data::Reference& reference) {
    data::RegionSet targets;
    if (!options.targets.empty()) {
        targets = data::bed::load(options.targets, reference);
        if (targets.empty())
            throw data::Error(data::ErrorKind::usage, options.targets + ": holds no interval");
    }
    MatchedSets sets;
    sets.truth = load(options.truth, reference, options.truth_sample, {.pass_only = true});
    sets.calls = load(options.calls, reference, options.sample, {options.pass_only, options.minimum_quality});
    const data::RegionSet* inside = options.targets.empty() ? nullptr : &targets;
    mark_inside(sets.truth, inside);
    mark_inside(sets.calls, inside);
    match(reference, sets.truth, sets.calls, MatchBy::genotype);
    match(reference, sets.truth, sets.calls, MatchBy::allele);
    return sets;
}

Result run(const Options& options) {
    if (!options.output.empty()) {
        make_folder(options.output);
    }
    const std::shared_ptr<const data::Reference> reference = data::fasta::load(options.reference);
    const auto [truth, calls] = match_files(options, *reference);
    Result result;
    count(truth, true, result);
    count(calls, false, result);
    result.skipped_alleles = truth.skipped_alleles + calls.skipped_alleles;
    result.repeated_records = truth.repeated_records + calls.repeated_records;
    note_unchosen_sample(options.truth, truth, options.truth_sample, result);
    note_unchosen_sample(options.calls, calls, options.sample, result);
    note_unknown_genotypes(options.truth, truth, result);
    note_unknown_genotypes(options.calls, calls, result);
    if (!options.output.empty()) {
        // Written last: while it is missing, the other files are not a finished comparison.
        data::remove_old_file(options.output + "/compare.json");
        write_outcome(options.output + "/tp.vcf.gz", *reference, calls, Outcome::right);
        write_outcome(options.output + "/fp.vcf.gz", *reference, calls, Outcome::wrong);
        write_outcome(options.output + "/fn.vcf.gz", *reference, truth, Outcome::wrong);
        write_file(options.output + "/compare.json", to_json(result, options));
    }
    return result;
}

}  // namespace gannet::variants::compare
