// SPDX-License-Identifier: MIT
// Provides the families of a cohort and what contradicts them.
#include "pipeline/jobs/joint_families.hpp"

#include "data/error.hpp"
#include "data/pedigree.hpp"
#include "pipeline/log.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gannet::pipeline {
namespace {

using variants::cohort::Inheritance;
using variants::cohort::Kinship;

std::vector<Kinship> kinships_of(const std::string& path, const std::vector<std::string>& samples) {
    std::vector<Kinship> kinships;
    if (path.empty()) return kinships;
    const auto index_of = [&samples](const std::string& name) -> std::optional<size_t> {
        const auto found = std::find(samples.begin(), samples.end(), name);
        if (found == samples.end()) return std::nullopt;
        return static_cast<size_t>(found - samples.begin());
    };
    std::map<std::pair<std::string, std::string>, size_t> by_parents;
    for (const data::Person& person : data::load_pedigree(path)) {
        const std::optional<size_t> child = index_of(person.name);
        const std::optional<size_t> father = index_of(person.father);
        const std::optional<size_t> mother = index_of(person.mother);
        if (!child || (!father && !mother)) continue;
        const auto [place, is_new] =
            by_parents.emplace(std::pair(person.father, person.mother), kinships.size());
        if (is_new) kinships.push_back({father, mother, {}});
        Kinship& kinship = kinships[place->second];
        kinship.children.push_back(*child);
        if (person.sex == data::Sex::male) kinship.sons.push_back(*child);
    }
    if (kinships.empty())
        log_warning(path + ": no sample is a child of another one: genotypes are called without families");
    return kinships;
}

/// X and Y, but not the tenth chromosome in Roman numerals.
SexChromosomes sexes_of(const data::Reference& reference) {
    SexChromosomes sexes = sex_chromosomes(reference);
    if (reference.find("chrIX") || reference.find("IX")) sexes.x.reset();
    return sexes;
}

std::optional<KnownAssembly> assembly_of(const SexChromosomes& sexes, const data::Reference& reference) {
    const auto contig = [&](const std::optional<uint32_t>& index) {
        return index ? &reference.contigs()[*index] : nullptr;
    };
    return known_assembly(contig(sexes.x), contig(sexes.y));
}

/// Mitochondria, and sex chromosomes where females have one copy.
bool has_one_copy_in_some(std::string_view name) {
    constexpr std::array<std::string_view, 8> k_names{"chrM", "M", "chrMT", "MT", "chrZ", "Z", "chrW", "W"};
    return std::ranges::find(k_names, name) != k_names.end();
}

bool covers(const std::vector<data::Region>& regions, int64_t position) {
    return std::ranges::any_of(regions, [position](const data::Region& region) {
        return position >= region.begin && position < region.end;
    });
}

}  // namespace

JointFamilies::JointFamilies(const std::string& pedigree, const std::vector<std::string>& samples,
                             const data::Reference& reference)
    : pedigree_(pedigree),
      samples_(samples),
      reference_(reference),
      sexes_(sexes_of(reference)),
      assembly_(assembly_of(sexes_, reference)),
      kinships_(kinships_of(pedigree, samples)),
      check_(kinships_) {}

Inheritance JointFamilies::at(uint32_t contig, int64_t position) const {
    const bool is_x = contig == sexes_.x;
    const bool is_y = contig == sexes_.y;
    Inheritance inheritance;
    inheritance.is_y = is_y;
    inheritance.is_autosomal = !is_x && !is_y && !has_one_copy_in_some(reference_.contigs()[contig].name);
    const bool is_pseudoautosomal =
        assembly_ && covers(is_x ? assembly_->x_regions : assembly_->y_regions, position);
    inheritance.is_single_in_males = (is_x || is_y) && !is_pseudoautosomal;
    return inheritance;
}

void JointFamilies::add(const variants::cohort::SiteCaller& caller) {
    check_.add(caller.kinship());
    for (const auto& [male, copies] : caller.males()) {
        males_[male].one += copies.one;
        males_[male].two += copies.two;
    }
}

void JointFamilies::check(bool is_end) const {
    const auto pair = check_.contradiction(is_end);
    if (!pair) return;
    throw data::Error(
        data::ErrorKind::reference_mismatch,
        pedigree_ + ": " + samples_[pair->child] + " is no child of " + samples_[pair->parent] + ": at " +
            std::to_string(pair->opposite) + " of " + std::to_string(pair->sites) +
            " sites where both are homozygous they have no allele in common (parents and children less than "
            "1 %, unrelated persons about 40 %): correct the pedigree or the samples, or write 0 for this "
            "parent (as where a chromosome is of one parent only)");
}

void JointFamilies::warn_of_diploid_males() const {
    std::string names;
    for (const auto& [male, copies] : males_) {
        if (copies.two > copies.one) names += (names.empty() ? "" : ", ") + samples_[male];
    }
    if (names.empty()) return;
    log_warning(pedigree_ +
                ": of males with two copies of X or Y in their gVCFs nothing is transmitted there (" + names +
                "): make these gVCFs with --sex male");
}

}  // namespace gannet::pipeline
