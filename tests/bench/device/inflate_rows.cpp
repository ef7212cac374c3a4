// SPDX-License-Identifier: MIT
// Provides the rows of the op inflate.
#include "data/bgzf/block_inflater.hpp"
#include "data/input_stream.hpp"
#include "tests/bench/device/rows.hpp"

#include <memory>
#include <stdexcept>

namespace gannet::device_bench {

namespace {

using namespace kernels;
using data::StoredPiece;

/// The pieces of a file that have so many blocks, from its beginning again where it has fewer.
std::vector<StoredPiece> pieces_of(const std::string& path, size_t count) {
    std::vector<StoredPiece> pieces;
    size_t blocks = 0;
    while (blocks < count) {
        data::InputStream stream(path);
        const size_t before = blocks;
        for (StoredPiece piece; blocks < count && stream.next_piece(piece); piece = {}) {
            if (piece.kind != StoredPiece::Kind::blocks) throw std::invalid_argument(path + " is not BGZF");
            size_t end = piece.begin;
            for (; blocks < count && end < piece.end; ++blocks)
                end += data::bgzf::block_size(piece.bytes().subspan(end - piece.begin));
            piece.end = end;
            pieces.push_back(std::move(piece));
        }
        if (blocks == before) throw std::invalid_argument(path + " has no blocks");
    }
    return pieces;
}

}  // namespace

void inflate_rows(const Options& options, const OpTable& table) {
    const std::string& path = options.reads.at(0);
    for (const size_t count : options.jobs) {
        const std::vector<StoredPiece> pieces = pieces_of(path, count);
        std::vector<data::bgzf::Body> bodies;
        size_t bytes = 0;
        for (const StoredPiece& piece : pieces) {
            for (auto rest = piece.bytes(); !rest.empty();) {
                const auto block = rest.first(data::bgzf::block_size(rest));
                bodies.push_back(data::bgzf::body_of(block).value());
                bytes += bodies.back().inflated_bytes;
                rest = rest.subspan(block.size());
            }
        }
        std::vector<std::vector<uint8_t>> out(options.most_lanes(), std::vector<uint8_t>(bytes));
        std::vector<std::vector<InflateBlock>> of_lane(out.size());
        std::vector<std::vector<InflateStatus>> statuses(out.size());
        for (size_t lane = 0; lane < out.size(); ++lane) {
            size_t at = 0;
            for (const data::bgzf::Body& body : bodies) {
                of_lane[lane].push_back(
                    {body.stream, std::span(out[lane]).subspan(at, body.inflated_bytes), body.crc32});
                at += body.inflated_bytes;
            }
        }
        const auto call = [&](Stream& stream, size_t lane) {
            if (table.inflate != nullptr) return table.inflate(stream, of_lane[lane], statuses[lane]);
            data::bgzf::BlockInflater inflater;
            size_t at = 0;
            for (StoredPiece piece : pieces) {
                at += inflater.inflate(piece, std::span(out[lane]).subspan(at), path);
                if (piece.error) std::rethrow_exception(piece.error);
            }
        };
        write_rows(options, table, "blocks_of_file", count, {{"bytes", static_cast<double>(bytes)}}, call);
    }
}

}  // namespace gannet::device_bench
