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
    if (const auto contig = reference.find(text)) return whole(*contig);
    const size_t colon = text.rfind(':');
    const std::string_view name = text.substr(0, colon);
    const auto contig = reference.find(name);
    if (!contig) throw Error(ErrorKind::reference_mismatch, unknown_contig_message(name, reference));

    Region region = whole(*contig);
    const auto bad = [text](const std::string& cause) {
        return Error(ErrorKind::usage,
                     "region '" + std::string(text) + "': " + cause + "; write NAME:BEGIN-END, 1-based");
    };
    const auto beyond = [&bad, name, &region](const char* what) {
        return bad(std::string(what) + " past the end of " + std::string(name) + ", which has " +
                   std::to_string(region.end) + " bp");
    };
    const std::string_view range = text.substr(colon + 1);
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
