// SPDX-License-Identifier: MIT
// Provides the rules by which the ploidy of a sample follows from its options and the reference.
#include "pipeline/jobs/ploidy.hpp"

#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "pipeline/log.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gannet::pipeline {

namespace {

using data::Error;
using data::ErrorKind;

/// Pseudoautosomal regions are 0-based, half-open.
struct Assembly {
    const char* name;
    uint64_t x_length;
    uint64_t y_length;
    std::array<std::array<int64_t, 2>, 2> x_regions;
    std::array<std::array<int64_t, 2>, 2> y_regions;
    std::string_view x_md5;
};

// Genome Reference Consortium: "Pseudoautosomal regions" of GRCh38.p14 and GRCh37.p13. MD5: @SQ M5 of X.
constexpr std::array<Assembly, 2> k_assemblies{{
    {"GRCh38",
     156'040'895,
     57'227'415,
     {{{10'000, 2'781'479}, {155'701'382, 156'030'895}}},
     {{{10'000, 2'781'479}, {56'887'902, 57'217'415}}},
     "2b3a55ff7f58eb308420c8a9b11cac50"},
    {"GRCh37",
     155'270'560,
     59'373'566,
     {{{60'000, 2'699'520}, {154'931'043, 155'260'560}}},
     {{{10'000, 2'649'520}, {59'034'049, 59'363'566}}},
     "7e0e2e580297b7764e31dbc80c2540dd"},
}};

std::vector<data::Region> regions_of(const std::array<std::array<int64_t, 2>, 2>& intervals) {
    std::vector<data::Region> regions;
    for (const auto& [begin, end] : intervals) regions.push_back({0, begin, end});
    return regions;
}

/// More rules of a file than this are counted in the header, not listed.
constexpr size_t k_max_listed_rules = 24;

/// Collects rules in the order in which they apply.
class Rules {
  public:
    explicit Rules(const data::Reference& reference) : reference_(reference) {}

    void add(const PloidyRule& rule) {
        map_.set(rule.region, rule.ploidy);
        text_ +=
            "; " + region_text(rule.region) + " " + std::to_string(rule.ploidy) + " (" + rule.reason + ")";
    }
    void add_contig(uint32_t contig, uint8_t ploidy, const std::string& reason) {
        add({{contig, 0, length_of(contig)}, ploidy, reason});
    }
    void add_everywhere(uint8_t ploidy, const std::string& reason) {
        for (uint32_t contig = 0; contig < reference_.contigs().size(); ++contig)
            map_.set({contig, 0, length_of(contig)}, ploidy);
        text_ = std::to_string(ploidy) + " (" + reason + ")";
    }
    void add_file(const PloidyFile& file) {
        if (file.rules.size() <= k_max_listed_rules) {
            for (const PloidyRule& rule : file.rules) add(rule);
            return;
        }
        for (const PloidyRule& rule : file.rules) map_.set(rule.region, rule.ploidy);
        text_ += "; " + std::to_string(file.rules.size()) + " regions (--ploidy)";
    }
    SamplePloidy take() { return {std::move(map_), std::move(text_)}; }

  private:
    int64_t length_of(uint32_t contig) const {
        return static_cast<int64_t>(reference_.contigs()[contig].length);
    }
    std::string region_text(const data::Region& region) const {
        const std::string& name = reference_.contigs()[region.contig].name;
        if (region.begin == 0 && region.end == length_of(region.contig)) return name;
        return name + ":" + std::to_string(region.begin + 1) + "-" + std::to_string(region.end);
    }

    const data::Reference& reference_;
    variants::PloidyMap map_;
    std::string text_ = "2";
};

/// The pseudoautosomal regions, and what they were taken from.
struct PseudoautosomalRegions {
    std::vector<data::Region> regions;
    std::string source;
};

PseudoautosomalRegions read_par(const std::string& path, const SexChromosomes& sexes,
                                const data::Reference& reference) {
    PseudoautosomalRegions par{data::bed::load(path, reference).regions(), "--par"};
    for (const data::Region& region : par.regions) {
        if (region.contig == sexes.x || region.contig == sexes.y) continue;
        throw Error(ErrorKind::usage, "--par " + path + ": has regions of " +
                                          reference.contigs()[region.contig].name +
                                          ": pseudoautosomal regions are parts of X and Y");
    }
    return par;
}

PseudoautosomalRegions built_in_par(const SexChromosomes& sexes, const data::Reference& reference) {
    const auto contig = [&](const std::optional<uint32_t>& index) {
        return index ? &reference.contigs()[*index] : nullptr;
    };
    const auto assembly = known_assembly(contig(sexes.x), contig(sexes.y));
    if (!assembly) {
        throw Error(ErrorKind::usage,
                    "--sex male: by the lengths of X and Y " + reference.path() +
                        " is neither GRCh38 nor GRCh37: give its pseudoautosomal regions with --par BED (an "
                        "empty file where it has none)");
    }
    if (!assembly->has_known_md5 && sexes.x) {
        log_info("the bases of " + reference.contigs()[*sexes.x].name + " are not those of " +
                 assembly->name + ", whose length it has (is it masked?): the pseudoautosomal regions of " +
                 assembly->name + " are used");
    }
    PseudoautosomalRegions par{{}, std::string("PAR of ") + assembly->name};
    const auto add = [&par](const std::optional<uint32_t>& index, const std::vector<data::Region>& regions) {
        if (!index) return;
        for (const data::Region& region : regions) par.regions.push_back({*index, region.begin, region.end});
    };
    add(sexes.x, assembly->x_regions);
    add(sexes.y, assembly->y_regions);
    return par;
}

void add_sex(const PloidyOptions& options, const data::Reference& reference, Rules& rules) {
    const SexChromosomes sexes = sex_chromosomes(reference);
    if (!sexes.x && !sexes.y) {
        log_warning("--sex " + options.sex + " has no effect: " + reference.path() +
                    " has no contig named chrX, X, chrY or Y");
        return;
    }
    if (options.sex == "female") {
        if (sexes.y) rules.add_contig(*sexes.y, 0, "female");
        return;
    }
    const PseudoautosomalRegions par =
        options.par.empty() ? built_in_par(sexes, reference) : read_par(options.par, sexes, reference);
    for (const auto& contig : {sexes.x, sexes.y}) {
        if (contig) rules.add_contig(*contig, 1, "male");
    }
    for (const data::Region& region : par.regions) rules.add({region, 2, par.source});
}

}  // namespace

SexChromosomes sex_chromosomes(const data::Reference& reference) {
    const auto find = [&](const char* name, const char* other) {
        const auto found = reference.find(name);
        return found ? found : reference.find(other);
    };
    return {find("chrX", "X"), find("chrY", "Y")};
}

std::optional<KnownAssembly> known_assembly(const data::Contig* x, const data::Contig* y) {
    for (const Assembly& assembly : k_assemblies) {
        if (x != nullptr && x->length != assembly.x_length) continue;
        if (y != nullptr && y->length != assembly.y_length) continue;
        if (x == nullptr && y == nullptr) continue;
        return KnownAssembly{assembly.name, regions_of(assembly.x_regions), regions_of(assembly.y_regions),
                             x != nullptr && x->md5 == assembly.x_md5};
    }
    return std::nullopt;
}

bool has_unmasked_par(const data::Reference& reference) {
    const SexChromosomes sexes = sex_chromosomes(reference);
    if (!sexes.x || !sexes.y) return false;
    const data::Contig& y = reference.contigs()[*sexes.y];
    const auto assembly = known_assembly(&reference.contigs()[*sexes.x], &y);
    if (!assembly) return false;
    uint64_t bases = 0;
    uint64_t unknown = 0;
    for (const data::Region& region : assembly->y_regions) {
        const uint64_t begin = y.offset + static_cast<uint64_t>(region.begin);
        const uint64_t end = y.offset + static_cast<uint64_t>(region.end);
        bases += end - begin;
        for (const data::NonAcgtRun& run : reference.runs()) {
            const uint64_t first = std::max(run.begin, begin);
            const uint64_t last = std::min(run.end, end);
            if (first < last) unknown += last - first;
        }
    }
    return 2 * unknown < bases;
}

bool is_human_mitochondrion(const data::Contig& contig) {
    constexpr std::array<std::string_view, 4> k_names{"chrM", "M", "chrMT", "MT"};
    return (contig.length == 16'569 || contig.length == 16'571) &&
           std::find(k_names.begin(), k_names.end(), contig.name) != k_names.end();
}

void describe_ploidy(CommandText& command, const PloidyOptions& options) {
    command.option("--sex", options.sex).option("--par", options.par).option("--ploidy", options.file);
    if (options.everywhere) command.option("--ploidy", std::to_string(*options.everywhere));
}

SamplePloidy sample_ploidy(const PloidyOptions& options, const data::Reference& reference) {
    if (has_unmasked_par(reference))
        log_warning(
            reference.path() +
            ": the pseudoautosomal regions of Y are not masked (N): their reads fit X and Y alike, so "
            "variants there are not called; use a reference where they are masked, as in the analysis "
            "sets of GRCh38");
    Rules rules(reference);
    if (options.everywhere) {
        rules.add_everywhere(*options.everywhere, "--ploidy");
        return rules.take();
    }
    for (uint32_t contig = 0; contig < reference.contigs().size(); ++contig) {
        if (is_human_mitochondrion(reference.contigs()[contig])) rules.add_contig(contig, 1, "mitochondrial");
    }
    PloidyFile file;
    if (!options.file.empty()) file = read_ploidy_file(options.file, options.sex, reference);
    if (file.elsewhere) rules.add_everywhere(*file.elsewhere, "--ploidy");
    if (!options.sex.empty() && !file.by_sex) add_sex(options, reference, rules);
    rules.add_file(file);
    return rules.take();
}

}  // namespace gannet::pipeline
