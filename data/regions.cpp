// SPDX-License-Identifier: MIT
// Provides parsing of region strings and look-up in sorted intervals.
#include "data/regions.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace gannet::data {
namespace {

std::optional<int64_t> parse_position(std::string_view text) {
    int64_t value = 0;
    bool digits = false;
    for (const char letter : text) {
        if (letter == ',' && digits) continue;
        if (letter < '0' || letter > '9' || value > (INT64_MAX - 9) / 10) return std::nullopt;
        value = value * 10 + (letter - '0');
        digits = true;
    }
    if (!digits) return std::nullopt;
    return value;
}

/// "100", "100-", "100-200"
bool is_range(std::string_view text) {
    const size_t dash = text.find('-');
    if (!parse_position(text.substr(0, dash))) return false;
    return dash == std::string_view::npos || dash + 1 == text.size() || parse_position(text.substr(dash + 1));
}

Error bad_region(std::string_view text, const std::string& cause) {
    return Error(ErrorKind::usage,
                 "region '" + std::string(text) + "': " + cause + "; write NAME:BEGIN-END, 1-based");
}

struct RegionText {
    std::string_view name;
    std::optional<std::string_view> range;  ///< nothing: the complete contig
};

/// The name ends at its closing brace, at the end where all of the text is a contig, else at the last colon.
RegionText divided(std::string_view text, const Reference& reference) {
    if (text.starts_with('{')) {
        const size_t brace = text.find('}');
        if (brace == std::string_view::npos || (brace + 1 < text.size() && text[brace + 1] != ':'))
            throw bad_region(text, "its name has no closing brace before the colon");
        const std::string_view name = text.substr(1, brace - 1);
        if (brace + 1 == text.size()) return {name, std::nullopt};
        return {name, text.substr(brace + 2)};
    }
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return {text, std::nullopt};
    const RegionText parts{text.substr(0, colon), text.substr(colon + 1)};
    if (!reference.find(text)) return parts;
    if (reference.find(parts.name) && is_range(*parts.range)) {
        const std::string name(parts.name);
        throw Error(ErrorKind::usage, "region '" + std::string(text) + "' is a contig and also a part of " +
                                          name + "; write {" + std::string(text) + "} or {" + name +
                                          "}:" + std::string(*parts.range));
    }
    return {text, std::nullopt};
}

}  // namespace

std::string unknown_contig_message(std::string_view name, const Reference& reference) {
    const std::string other =
        name.starts_with("chr") ? std::string(name.substr(3)) : "chr" + std::string(name);
    std::string message = "contig '" + std::string(name) + "' is not in the reference " + reference.path();
    if (reference.find(other)) message += ", which has '" + other + "': use the names of the reference";
    return message;
}

Region parse_region(std::string_view text, const Reference& reference) {
    const auto whole = [&reference](uint32_t contig) {
        return Region{contig, 0, static_cast<int64_t>(reference.contigs()[contig].length)};
    };
    const auto bad = [text](const std::string& cause) { return bad_region(text, cause); };
    const RegionText parts = divided(text, reference);
    const std::string_view name = parts.name;
    const auto contig = reference.find(name);
    if (!contig) throw Error(ErrorKind::reference_mismatch, unknown_contig_message(name, reference));

    Region region = whole(*contig);
    if (!parts.range) return region;
    const auto beyond = [&bad, name, &region](const char* what) {
        return bad(std::string(what) + " past the end of " + std::string(name) + ", which has " +
                   std::to_string(region.end) + " bp");
    };
    const std::string_view range = *parts.range;
    const size_t dash = range.find('-');
    const auto begin = parse_position(range.substr(0, dash));
    if (!begin || *begin < 1) throw bad("its begin is not a positive number");
    if (*begin > region.end) throw beyond("it begins");
    region.begin = *begin - 1;
    if (dash != std::string_view::npos && dash + 1 < range.size()) {
        const auto end = parse_position(range.substr(dash + 1));
        if (!end) throw bad("its end is not a number");
        if (*end < *begin) throw bad("it ends before it begins");
        if (*end > region.end) throw beyond("it ends");
        region.end = *end;
    }
    return region;
}

RegionSet::RegionSet(std::vector<Region> regions) : regions_(std::move(regions)) {
    std::erase_if(regions_, [](const Region& r) { return r.end <= r.begin; });
    std::sort(regions_.begin(), regions_.end());
    size_t kept = 0;
    for (const Region& region : regions_) {
        if (kept != 0 && regions_[kept - 1].contig == region.contig &&
            regions_[kept - 1].end >= region.begin) {
            regions_[kept - 1].end = std::max(regions_[kept - 1].end, region.end);
        } else {
            regions_[kept++] = region;
        }
    }
    regions_.resize(kept);
}

bool RegionSet::contains(uint32_t contig, int64_t position) const {
    return overlaps(contig, position, position + 1);
}

bool RegionSet::overlaps(uint32_t contig, int64_t begin, int64_t end) const {
    const auto after =
        std::partition_point(regions_.begin(), regions_.end(), [contig, begin](const Region& r) {
            return r.contig < contig || (r.contig == contig && r.end <= begin);
        });
    return after != regions_.end() && after->contig == contig && after->begin < end && begin < end;
}

uint64_t RegionSet::total_bp() const {
    uint64_t total = 0;
    for (const Region& region : regions_) total += static_cast<uint64_t>(region.end - region.begin);
    return total;
}

}  // namespace gannet::data
