// SPDX-License-Identifier: MIT
// Provides the depth along contigs.
#include "pipeline/report/depth_along.hpp"

#include "data/bam/offset_index.hpp"
#include "data/bam/reader.hpp"
#include "data/bgzf/block_reader.hpp"

#include <algorithm>

namespace gannet::pipeline::report {
namespace {

constexpr uint64_t k_shortest_share = 50;  // of the longest contig

/// A virtual offset as bytes of the file, with the part of its block that precedes it.
double bytes_of(uint64_t offset, const data::bgzf::BlockReader& blocks) {
    const auto begin = static_cast<double>(offset >> 16);
    const auto within = static_cast<double>(offset & 0xffff);
    if (within == 0) return begin;
    const auto block = blocks.at(offset >> 16);
    if (!block || block->data_bytes == 0) return begin;
    return begin + block->size_bytes * std::min(1.0, within / block->data_bytes);
}

uint64_t window_of(uint64_t length) {
    const uint64_t steps =
        (length + k_index_window_bp * k_max_windows - 1) / (k_index_window_bp * k_max_windows);
    return std::max<uint64_t>(1, steps) * k_index_window_bp;
}

/// The first point of each window: others are not looked at.
std::vector<IndexPoint> points_of(const data::bam::OffsetIndex::Contig& contig, uint64_t window_bp,
                                  const data::bgzf::BlockReader& blocks) {
    std::vector<IndexPoint> points{{0, bytes_of(contig.begin, blocks)}};
    uint64_t last_window = 0;
    for (const auto& point : contig.points) {
        const auto position = static_cast<uint64_t>(point.position);
        if (position / window_bp == last_window) continue;
        last_window = position / window_bp;
        points.push_back({position, std::max(points.back().bytes, bytes_of(point.offset, blocks))});
    }
    return points;
}

std::vector<const ContigDepth*> drawn(const std::vector<ContigDepth>& contigs) {
    std::vector<const ContigDepth*> longest;
    for (const ContigDepth& contig : contigs) longest.push_back(&contig);
    std::stable_sort(longest.begin(), longest.end(),
                     [](const auto* a, const auto* b) { return a->length > b->length; });
    if (longest.size() > k_max_contigs_along) longest.resize(k_max_contigs_along);
    std::erase_if(longest, [&contigs, most = longest.empty() ? 0 : longest.front()->length](const auto* one) {
        return one->length < most / k_shortest_share;
    });
    return longest;
}

}  // namespace

DepthAlong depth_along(const ContigDepth& contig, const std::vector<IndexPoint>& points, double end_bytes) {
    DepthAlong along{contig.name, contig.length, window_of(contig.length), {}};
    if (points.empty() || end_bytes <= points.front().bytes) return along;
    const double all = end_bytes - points.front().bytes;
    size_t next = 0;
    const auto before = [&](uint64_t position) {  // bytes; positions of the calls ascend
        while (next < points.size() && points[next].position <= position) ++next;
        if (next == 0) return points.front().bytes;
        const IndexPoint& from = points[next - 1];
        const IndexPoint to = next < points.size() ? points[next] : IndexPoint{contig.length, end_bytes};
        if (to.position <= from.position) return to.bytes;
        const double part =
            static_cast<double>(position - from.position) / static_cast<double>(to.position - from.position);
        return from.bytes + (to.bytes - from.bytes) * std::min(1.0, part);
    };
    double begin_bytes = points.front().bytes;
    for (uint64_t begin = 0; begin < contig.length; begin += along.window_bp) {
        const uint64_t end = std::min(contig.length, begin + along.window_bp);
        const double until = end == contig.length ? end_bytes : before(end);
        along.depths.push_back((until - begin_bytes) / all * static_cast<double>(contig.bases) /
                               static_cast<double>(end - begin));
        begin_bytes = until;
    }
    return along;
}

std::vector<DepthAlong> depth_along_contigs(const std::string& bam, const std::vector<ContigDepth>& contigs) {
    const auto reader = data::bam::Reader::open(bam);
    const data::bam::OffsetIndex* const index = reader->offsets();
    if (index == nullptr) return {};
    const data::bgzf::BlockReader blocks(bam);
    const auto chosen = drawn(contigs);
    std::vector<DepthAlong> all;
    for (size_t number = 0; number < reader->contigs().size(); ++number) {
        const auto& name = reader->contigs()[number].name;
        const auto found = std::find_if(chosen.begin(), chosen.end(),
                                        [&name](const ContigDepth* one) { return one->name == name; });
        if (found == chosen.end() || index->contig(number).empty) continue;
        uint64_t end = index->end();
        for (size_t after = number + 1; after < reader->contigs().size(); ++after) {
            if (index->contig(after).empty) continue;
            end = index->contig(after).begin;
            break;
        }
        const uint64_t window_bp = window_of((*found)->length);
        all.push_back(
            depth_along(**found, points_of(index->contig(number), window_bp, blocks), bytes_of(end, blocks)));
    }
    return all;
}

}  // namespace gannet::pipeline::report
