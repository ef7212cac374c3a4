// SPDX-License-Identifier: MIT
// Provides the classes of contigs, by their names or from bwa's list of ALT contigs.
#include "data/contig_classes.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"

#include <algorithm>
#include <memory>

namespace gannet::data {
namespace {

/// "_hap" followed by digits only, as in chr6_cox_hap2.
bool ends_with_haplotype(std::string_view name) {
    constexpr std::string_view k_mark = "_hap";
    const size_t at = name.rfind(k_mark);
    if (at == std::string_view::npos || at + k_mark.size() == name.size()) return false;
    const std::string_view number = name.substr(at + k_mark.size());
    return std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ContigClass contig_class_of_name(std::string_view name) {
    if (name.ends_with("_decoy") || name == "hs37d5") return ContigClass::decoy;
    if (name.ends_with("_alt") || name.ends_with("_fix") || name.starts_with("HLA-") ||
        ends_with_haplotype(name))
        return ContigClass::alternate;
    return ContigClass::primary;
}

ContigClasses ContigClasses::by_name(const Reference& reference) {
    ContigClasses found;
    for (const Contig& contig : reference.contigs())
        found.classes_.push_back(contig_class_of_name(contig.name));
    const uint64_t primary = found.count(ContigClass::primary);
    if (primary == 0 || primary == found.classes_.size()) found.classes_.clear();
    return found;
}

ContigClasses ContigClasses::by_file(const Reference& reference, const std::string& path, uint64_t& unknown) {
    ContigClasses found;
    for (const Contig& contig : reference.contigs()) {
        const bool decoy = contig_class_of_name(contig.name) == ContigClass::decoy;
        found.classes_.push_back(decoy ? ContigClass::decoy : ContigClass::primary);
    }
    unknown = 0;
    LineReader lines(std::make_unique<InputStream>(path));
    std::string_view line;
    while (lines.read(line)) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.front() == '@') continue;
        const std::string_view name = line.substr(0, line.find('\t'));
        if (!is_valid_contig_name(name)) {
            throw_malformed(path, "line " + std::to_string(lines.number()) +
                                      " does not begin with the name of a contig: it should be bwa's list of "
                                      "ALT contigs, in SAM");
        }
        const auto contig = reference.find(name);
        if (contig) {
            found.classes_[*contig] = ContigClass::alternate;
        } else {
            ++unknown;
        }
    }
    const uint64_t alternate = found.count(ContigClass::alternate);
    if (alternate == 0 || alternate == found.classes_.size()) {
        throw Error(ErrorKind::reference_mismatch, path + ": names " + (alternate == 0 ? "none" : "all") +
                                                       " of the contigs of " + reference.path() +
                                                       " as ALT contigs: is it of another reference?");
    }
    return found;
}

uint64_t ContigClasses::count(ContigClass wanted) const {
    return static_cast<uint64_t>(std::count(classes_.begin(), classes_.end(), wanted));
}

void ContigClasses::set_alternate(const Reference& reference, uint32_t contig) {
    classes_.resize(reference.contigs().size(), ContigClass::primary);
    classes_[contig] = ContigClass::alternate;
}

}  // namespace gannet::data
