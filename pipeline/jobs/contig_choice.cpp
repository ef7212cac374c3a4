// SPDX-License-Identifier: MIT
// Provides finding of bwa's list of ALT contigs, and the texts that describe the classes of contigs.
#include "pipeline/jobs/contig_choice.hpp"

#include "data/error.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/log.hpp"

#include <filesystem>
#include <system_error>

namespace gannet::pipeline {
namespace {

using data::ContigClass;
using data::ContigClasses;

bool exists(const std::string& path) {
    std::error_code fault;
    return std::filesystem::exists(path, fault);
}

std::string amount(uint64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "3 ALT contigs and 1 decoy"
std::string others_text(const ContigClasses& classes) {
    const uint64_t alternate = classes.count(ContigClass::alternate);
    const uint64_t decoys = classes.count(ContigClass::decoy);
    std::string text;
    if (alternate > 0) text = amount(alternate, "ALT contig");
    if (decoys > 0) text += (text.empty() ? "" : " and ") + amount(decoys, "decoy");
    return text;
}

void log_classes(const ContigClasses& classes, const std::string& how) {
    if (classes.all_primary()) return;
    log_info("the reference has " + others_text(classes) + " beside " +
             amount(classes.count(ContigClass::primary), "contig") + " of the primary assembly (" + how +
             ")");
}

}  // namespace

ContigClasses classify_contigs(const data::Reference& reference, const std::string& reference_path,
                               const std::string& alt) {
    if (alt == "none") return {};
    const std::string beside = reference_path + ".alt";
    const std::string path = !alt.empty() ? alt : exists(beside) ? beside : "";
    if (path.empty()) {
        ContigClasses classes = ContigClasses::by_name(reference);
        log_classes(classes, "by their names");
        return classes;
    }
    uint64_t unknown = 0;
    ContigClasses classes = ContigClasses::by_file(reference, path, unknown);
    if (unknown > 0) {
        log_warning(path + ": " + amount(unknown, "name") + " of ALT contigs " +
                    (unknown == 1 ? "is" : "are") + " not in the reference");
    }
    log_classes(classes, "ALT contigs from " + path);
    return classes;
}

void add_alternates_of_header(const std::vector<std::string>& names, const data::Reference& reference,
                              ContigClasses& classes) {
    uint64_t added = 0;
    for (const std::string& name : names) {
        const auto contig = reference.find(name);
        if (!contig || classes.is_alternate(*contig)) continue;
        classes.set_alternate(reference, *contig);
        ++added;
    }
    if (added > 0)
        log_info(amount(added, "contig") + " more marked as ALT by the header of the alignments (AH)");
}

void describe_intervals(CommandText& command, int64_t padding_bp) {
    if (padding_bp > 0) command.option("--interval-padding", std::to_string(padding_bp));
}

void describe_contigs(CommandText& command, const std::string& alt, bool all_contigs) {
    command.option("--alt", alt).option("--contigs", all_contigs ? "all" : "");
}

data::RegionSet primary_regions(const data::Reference& reference, const ContigClasses& classes) {
    if (classes.all_primary()) return {};
    std::vector<data::Region> regions;
    for (uint32_t i = 0; i < reference.contigs().size(); ++i) {
        if (classes.of(i) == ContigClass::primary)
            regions.push_back({i, 0, static_cast<int64_t>(reference.contigs()[i].length)});
    }
    return data::RegionSet(std::move(regions));
}

std::string primary_text(const data::Reference& reference, const ContigClasses& classes) {
    const uint64_t others = classes.count(ContigClass::alternate) + classes.count(ContigClass::decoy);
    return "primary: " + amount(reference.contigs().size() - others, "contig") + "; without " +
           others_text(classes);
}

}  // namespace gannet::pipeline
