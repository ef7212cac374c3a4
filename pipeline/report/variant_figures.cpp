// SPDX-License-Identifier: MIT
// Provides what a report shows of a VCF.
#include "pipeline/report/variant_figures.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"
#include "pipeline/report/rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace gannet::pipeline::report {
namespace {

constexpr size_t k_first_columns = 8;
constexpr size_t k_max_line_bytes = size_t{16} << 20;

std::optional<size_t> base_of(char letter) {
    const size_t at = std::string_view("ACGT").find(letter);
    return at == std::string_view::npos ? std::nullopt : std::optional<size_t>(at);
}

/// "0/1", "1|1", "1"; missing alleles are -1. False where it is no genotype of one or two copies.
bool parse_genotype(std::string_view text, data::Variant& variant) {
    const size_t bar = text.find_first_of("/|");
    const auto allele = [](std::string_view of, int8_t& value) {
        value = -1;
        return of == "." || parse_number(of, value);
    };
    variant.ploidy = bar == std::string_view::npos ? 1 : 2;
    if (!allele(text.substr(0, bar), variant.genotype[0])) return false;
    variant.genotype[1] = variant.genotype[0];
    return variant.ploidy == 1 || allele(text.substr(bar + 1), variant.genotype[1]);
}

size_t capped(double value, size_t most) {
    return value <= 0 ? 0 : std::min(static_cast<size_t>(value), most);
}

}  // namespace

void VariantFigures::add_changes(const data::Variant& variant) {
    const std::string& reference = variant.alleles[0];
    for (size_t i = 1; i < variant.alleles.size(); ++i) {
        const std::string& alternate = variant.alleles[i];
        if (alternate.empty() || alternate == "*" || alternate[0] == '<') continue;
        const auto longer = static_cast<int64_t>(alternate.size()) - static_cast<int64_t>(reference.size());
        if (longer != 0) {
            const int64_t length = std::clamp<int64_t>(longer, -k_max_indel_bp, k_max_indel_bp);
            ++indels[static_cast<size_t>(length + k_max_indel_bp)];
            continue;
        }
        // Beside a longer allele an SNV is padded with bases of the reference.
        size_t differences = 0;
        size_t at = 0;
        for (size_t base = 0; base < reference.size(); ++base) {
            if (reference[base] == alternate[base]) continue;
            ++differences;
            at = base;
        }
        const auto from = base_of(reference[at]);
        const auto to = base_of(alternate[at]);
        if (differences == 1 && from && to) ++substitutions[*from][*to];
    }
}

void VariantFigures::add_sample(const data::Variant& variant, std::string_view format,
                                std::string_view sample) {
    split_fields(format, keys_, ':');
    split_fields(sample, values_, ':');
    const auto value = [this](std::string_view key) {
        for (size_t i = 0; i < keys_.size() && i < values_.size(); ++i)
            if (keys_[i] == key) return values_[i];
        return std::string_view();
    };
    const bool is_snv =
        variant.alleles.size() == 2 && variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
    const size_t kind = is_snv ? 0 : 1;
    double number = 0;
    if (parse_number(value("GQ"), number)) {
        ++genotype_qualities[kind][capped(number, k_max_quality)];
        choose(variant, number);
        for (ShownSite& site : viewed_)
            if (site.position == variant.position - 1 && site.contig == columns_[0] && site.alleles.empty())
                site = site_of(variant, number, ShownAs::scored);
    }
    if (parse_number(value("DP"), number)) ++depths[capped(number, k_max_depth)];
    if (!is_snv || variant.genotype[0] < 0 || variant.genotype[1] < 0) return;
    double fraction = -1;
    if (!parse_number(value("VAF"), fraction)) {
        split_fields(value("AD"), parts_, ',');
        double reference = 0;
        double alternate = 0;
        if (parts_.size() == 2 && parse_number(parts_[0], reference) && parse_number(parts_[1], alternate) &&
            reference + alternate > 0)
            fraction = alternate / (reference + alternate);
    }
    if (fraction < 0) return;
    const bool is_alternate_only = variant.genotype[0] > 0 && variant.genotype[1] > 0;
    // VAF has few decimals; half a millionth keeps 0.58 in the step that begins with it.
    ++fractions[is_alternate_only ? 1 : 0]
               [capped((fraction + 5e-7) * static_cast<double>(k_fractions), k_fractions - 1)];
}

void VariantFigures::ask_for(const std::vector<std::pair<std::string, int64_t>>& sites) {
    for (const auto& [contig, position] : sites) {
        ShownSite site;
        site.contig = contig;
        site.position = position - 1;
        site.why = ShownAs::asked_uncalled;
        asked_.push_back(std::move(site));
    }
}

void VariantFigures::ask_for_views(const std::vector<std::pair<std::string, int64_t>>& sites) {
    for (const auto& [contig, position] : sites) {
        ShownSite& site = viewed_.emplace_back();
        site.contig = contig;
        site.position = position - 1;
    }
}

ShownSite VariantFigures::site_of(const data::Variant& variant, double genotype_quality, ShownAs why) const {
    const auto column = [this](size_t at) {
        return at < columns_.size() ? std::string(columns_[at]) : std::string();
    };
    return {column(0),
            variant.position - 1,
            variant.position - 1,
            variant.alleles,
            column(k_first_columns),
            column(k_first_columns + 1),
            column(5),
            column(6),
            genotype_quality,
            why};
}

void VariantFigures::answer(const data::Variant& variant) {
    const int64_t begin = variant.position - 1;
    const int64_t end = begin + static_cast<int64_t>(variant.alleles[0].size());
    for (ShownSite& site : asked_) {
        if (site.why != ShownAs::asked_uncalled || site.contig != columns_[0] || site.position < begin ||
            site.position >= end)
            continue;
        const int64_t position = site.position;
        site = site_of(variant, 0, ShownAs::asked);
        site.position = position;
    }
}

void VariantFigures::choose(const data::Variant& variant, double genotype_quality) {
    const auto keep = [&](auto& chosen, size_t most, double key, ShownAs why) {
        if (chosen.size() == most && key >= chosen.back().first) return;
        const auto at = std::upper_bound(chosen.begin(), chosen.end(), key,
                                         [](double value, const auto& one) { return value < one.first; });
        chosen.insert(at, {key, site_of(variant, genotype_quality, why)});
        if (chosen.size() > most) chosen.pop_back();
    };
    if (genotype_quality < k_usual_quality) {
        keep(doubtful_, k_doubtful_sites, genotype_quality, ShownAs::doubtful);
    } else {
        keep(usual_, k_usual_sites, static_cast<double>(usual_key(columns_[0], columns_[1])), ShownAs::usual);
    }
}

std::vector<ShownSite> VariantFigures::shown() const {
    std::vector<ShownSite> sites = asked_;
    for (const auto& [key, site] : doubtful_) sites.push_back(site);
    for (const ShownSite& site : viewed_) {
        const auto is_chosen = [&site](const auto& chosen) {
            return std::any_of(chosen.begin(), chosen.end(), [&site](const auto& one) {
                return one.second.contig == site.contig && one.second.position == site.position;
            });
        };
        if (!site.alleles.empty() && !is_chosen(doubtful_) && !is_chosen(usual_)) sites.push_back(site);
    }
    for (const auto& [key, site] : usual_) sites.push_back(site);
    return sites;
}

bool VariantFigures::add(std::string_view line) {
    split_fields(line, columns_);
    data::Variant variant;
    if (columns_.size() < k_first_columns || !parse_number(columns_[1], variant.position)) return false;
    variant.alleles.emplace_back(columns_[3]);
    split_fields(columns_[4], parts_, ',');
    if (columns_[4] != ".")
        for (const std::string_view alternate : parts_) variant.alleles.emplace_back(alternate);
    const bool has_sample = columns_.size() > k_first_columns + 1;
    if (has_sample) {
        const std::string_view sample = columns_[k_first_columns + 1];
        if (!columns_[k_first_columns].starts_with("GT") ||
            !parse_genotype(sample.substr(0, sample.find(':')), variant))
            variant.genotype = {-1, -1};
    }
    if (variant.alleles.size() < 2) return true;
    if (!asked_.empty()) answer(variant);
    if (columns_[6] != "PASS" && columns_[6] != ".") variant.filters = data::k_filter_low_quality;
    counts.add(variant);
    if (variant.filters != 0) return true;
    add_changes(variant);
    double quality = 0;
    if (parse_number(columns_[5], quality)) {
        const bool is_snv = variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
        ++qualities[is_snv && variant.alleles.size() == 2 ? 0 : 1][capped(quality, k_max_quality)];
    }
    if (has_sample) add_sample(variant, columns_[k_first_columns], columns_[k_first_columns + 1]);
    return true;
}

double VariantFigures::transitions_per_transversion() const {
    return counts.pass.transversions == 0 ? 0
                                          : static_cast<double>(counts.pass.transitions) /
                                                static_cast<double>(counts.pass.transversions);
}

double VariantFigures::heterozygous_per_homozygous() const {
    return counts.pass.homozygous_alternate == 0 ? 0
                                                 : static_cast<double>(counts.pass.heterozygous) /
                                                       static_cast<double>(counts.pass.homozygous_alternate);
}

uint64_t VariantFigures::sites_with_depth() const {
    uint64_t sites = 0;
    for (const uint64_t count : depths) sites += count;
    return sites;
}

double VariantFigures::median_depth() const {
    const uint64_t sites = sites_with_depth();
    if (sites == 0) return 0;
    uint64_t seen = 0;
    std::optional<size_t> lower;
    for (size_t depth = 0; depth < depths.size(); ++depth) {
        seen += depths[depth];
        if (!lower && 2 * seen >= sites) lower = depth;
        if (2 * seen > sites) return (static_cast<double>(*lower) + static_cast<double>(depth)) / 2;
    }
    return 0;
}

VariantFigures read_variants(const std::string& path,
                             const std::vector<std::pair<std::string, int64_t>>& sites,
                             const std::vector<std::pair<std::string, int64_t>>& viewed) {
    auto stream = std::make_unique<data::InputStream>(path);
    if (stream->holds_variants() != data::InputStream::Variants::vcf)
        data::throw_malformed(path, "is not a VCF");
    data::LineReader lines(std::move(stream), k_max_line_bytes);
    VariantFigures figures;
    figures.ask_for(sites);
    figures.ask_for_views(viewed);
    std::string_view line;
    while (lines.read(line)) {
        if (line.empty() || line[0] == '#') continue;
        if (!figures.add(line))
            data::throw_malformed(path,
                                  "line " + std::to_string(lines.number()) + " is not a record of a VCF");
    }
    return figures;
}

}  // namespace gannet::pipeline::report
