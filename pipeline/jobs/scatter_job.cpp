// SPDX-License-Identifier: MIT
// Provides the plan of shards and its output.
#include "pipeline/jobs/scatter_job.hpp"

#include "data/error.hpp"
#include "data/output_file.hpp"
#include "data/output_path.hpp"
#include "pipeline/jobs/call_job.hpp"
#include "pipeline/jobs/contig_choice.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/shard_names.hpp"
#include "pipeline/jobs/text_output.hpp"
#include "pipeline/progress.hpp"
#include "variants/reads/windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

/// The part of a scope in one calling window.
struct Piece {
    std::vector<data::Region> regions;
    uint64_t known_bases = 0;
};

std::vector<data::Region> regions_of(const data::Reference& reference, const data::RegionSet& scope) {
    if (!scope.empty()) return scope.regions();
    std::vector<data::Region> all;
    for (uint32_t i = 0; i < reference.contigs().size(); ++i)
        all.push_back({i, 0, static_cast<int64_t>(reference.contigs()[i].length)});
    return all;
}

uint64_t known_bases_of(const data::Reference& reference, const data::Region& region) {
    const uint64_t offset = reference.contigs()[region.contig].offset;
    const uint64_t begin = offset + static_cast<uint64_t>(region.begin);
    const uint64_t end = offset + static_cast<uint64_t>(region.end);
    uint64_t known = end - begin;
    const auto runs = reference.runs();
    auto run = std::partition_point(runs.begin(), runs.end(),
                                    [begin](const data::NonAcgtRun& r) { return r.end <= begin; });
    for (; run != runs.end() && run->begin < end; ++run)
        known -= std::min(run->end, end) - std::max(run->begin, begin);
    return known;
}

std::vector<Piece> pieces_of(const data::Reference& reference, const data::RegionSet& scope) {
    std::vector<Piece> pieces;
    for (const data::Region& region : regions_of(reference, scope)) {
        for (int64_t begin = region.begin; begin < region.end;) {
            const int64_t window = begin / variants::k_window_bp;
            const int64_t end = std::min(region.end, (window + 1) * variants::k_window_bp);
            const data::Region part{region.contig, begin, end};
            const bool same = !pieces.empty() && pieces.back().regions.back().contig == region.contig &&
                              pieces.back().regions.back().begin / variants::k_window_bp == window;
            if (!same) pieces.emplace_back();
            pieces.back().regions.push_back(part);
            pieces.back().known_bases += known_bases_of(reference, part);
            begin = end;
        }
    }
    return pieces;
}

uint64_t known_bases_of(const std::vector<Piece>& pieces) {
    uint64_t known = 0;
    for (const Piece& piece : pieces) known += piece.known_bases;
    return known;
}

/// "chr1:1-8192,chr2:1-500": as --regions takes it.
std::string regions_text(const data::Reference& reference, const data::RegionSet& regions) {
    std::string text;
    for (const data::Region& r : regions.regions()) {
        const std::string& name = reference.contigs()[r.contig].name;
        const std::string range = ":" + std::to_string(r.begin + 1) + "-" + std::to_string(r.end);
        const bool is_ambiguous = reference.find(name + range) || name.find(',') != std::string::npos;
        text += (text.empty() ? "" : ",") + (is_ambiguous ? "{" + name + "}" : name) + range;
    }
    return text;
}

std::string bed_text(const data::Reference& reference, const data::RegionSet& regions) {
    std::string text;
    for (const data::Region& r : regions.regions()) {
        text += reference.contigs()[r.contig].name + "\t" + std::to_string(r.begin) + "\t" +
                std::to_string(r.end) + "\n";
    }
    return text;
}

std::string megabases(uint64_t bases) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f Mb", static_cast<double>(bases) / 1e6);
    return text;
}

void log_plan(const std::vector<Shard>& shards) {
    const auto [least, most] =
        std::minmax_element(shards.begin(), shards.end(),
                            [](const Shard& a, const Shard& b) { return a.known_bases < b.known_bases; });
    log_info(std::to_string(shards.size()) + " shards of " + megabases(least->known_bases) + " to " +
             megabases(most->known_bases) + " of known bases");
}

JobFiles inputs_of(const ScatterOptions& options) {
    JobFiles files;
    files.reads_reference(options.reference, options.index).reads_alternates(options.alt);
    return files.reads(options.targets, "--targets").reads(options.regions_file, "--regions-file");
}

void write_shards(const ScatterOptions& options, const data::Reference& reference,
                  const std::vector<Shard>& shards) {
    std::vector<std::string> paths;
    for (size_t i = 1; i <= shards.size(); ++i)
        paths.push_back((fs::path(options.output) / k_interval_shards.of(i, shards.size())).string());
    JobFiles files = inputs_of(options);
    for (size_t i = 0; i + 1 < paths.size(); ++i) files.writes_before(paths.back(), paths[i], "the output");
    files.writes(paths.back(), "the output").check();
    make_output_folder(options.output);
    const OutputLocks locks = files.lock();
    k_interval_shards.refuse_others(options.output, shards.size());
    // Too many to be held open until the last is written: none is left where one cannot be written.
    size_t written = 0;
    try {
        for (; written < shards.size(); ++written)
            write_text_file(paths[written], bed_text(reference, shards[written].regions));
    } catch (const data::Error&) {
        for (size_t i = 0; i < written; ++i) data::remove_old_file(paths[i]);
        throw;
    }
}

}  // namespace

std::vector<Shard> plan_shards(const data::Reference& reference, const data::RegionSet& scope,
                               uint32_t count) {
    std::vector<Piece> pieces = pieces_of(reference, scope);
    uint64_t total = known_bases_of(pieces);
    // Where nothing is known, the pieces themselves are dealt out.
    const bool by_pieces = total == 0;
    if (by_pieces) total = pieces.size();
    std::vector<std::vector<data::Region>> regions(count);
    std::vector<uint64_t> known(count, 0);
    uint64_t before = 0;
    for (const Piece& piece : pieces) {
        const uint64_t weight = by_pieces ? 1 : piece.known_bases;
        // The shard that holds the middle of the piece.
        const uint64_t shard = std::min<uint64_t>((2 * before + weight) * count / (2 * total), count - 1);
        regions[shard].insert(regions[shard].end(), piece.regions.begin(), piece.regions.end());
        known[shard] += piece.known_bases;
        before += weight;
    }
    std::vector<Shard> shards;
    for (uint32_t i = 0; i < count; ++i) {
        if (!regions[i].empty()) shards.push_back({data::RegionSet(std::move(regions[i])), known[i]});
    }
    return shards;
}

uint32_t shards_of_size(const data::Reference& reference, const data::RegionSet& scope, double size_mb) {
    const auto known = static_cast<double>(known_bases_of(pieces_of(reference, scope)));
    return static_cast<uint32_t>(std::clamp(std::ceil(known / (size_mb * 1e6)), 1.0, 99'999.0));
}

void run_scatter(const ScatterOptions& options) {
    const OutputLocks locks = inputs_of(options).writes(options.log.file, "--log").lock();
    ResourceOptions resources;
    resources.backend = "simd";  // no device is needed to plan
    resources.log = options.log;
    Session session(resources);
    const auto reference = open_reference(options.reference, options.index, session);
    CallScope scope = call_scope(options.regions, options.regions_file, options.targets, *reference,
                                 options.interval_padding_bp);
    const data::ContigClasses classes = classify_contigs(*reference, options.reference, options.alt);
    limit_to_primary(scope, *reference, classes, options.all_contigs);
    const uint32_t count =
        options.count > 0 ? options.count : shards_of_size(*reference, scope.targets, options.size_mb);
    const std::vector<Shard> shards = plan_shards(*reference, scope.targets, count);
    log_plan(shards);
    if (!options.output.empty()) return write_shards(options, *reference, shards);
    for (const Shard& shard : shards) std::cout << regions_text(*reference, shard.regions) << '\n';
    std::cout << std::flush;
}

}  // namespace gannet::pipeline
