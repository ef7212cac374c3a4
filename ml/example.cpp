// SPDX-License-Identifier: MIT
// Provides the encoding of a read and of the reference around a candidate.
#include "ml/example.hpp"

#include <algorithm>
#include <cstdlib>

namespace gannet::ml {

namespace {

enum Channel : size_t { k_match, k_mismatch, k_deleted, k_inserted, k_other, k_clip, k_allele, k_tract };

constexpr int64_t k_columns = pileup::k_columns;

/// The map of one read; positions outside the columns are left out.
class Map {
  public:
    Map(int64_t first, std::span<uint8_t> bytes) : first_(first), bytes_(bytes) {}
    void set(int64_t position, Channel channel, int64_t value) {
        const int64_t column = position - first_;
        if (column < 0 || column >= k_columns) return;
        bytes_[static_cast<size_t>(column) * pileup::k_channels + channel] = byte_of(value);
    }
    /// [begin, end) cut to the columns.
    std::pair<int64_t, int64_t> cut(int64_t begin, int64_t end) const {
        return {std::max(begin, first_), std::min(end, first_ + k_columns)};
    }

  private:
    int64_t first_;
    std::span<uint8_t> bytes_;
};

void draw_alignment(const RowInput& row, std::span<const data::Base> reference, int64_t first, Map& map) {
    int64_t at = row.begin;
    int64_t query = 0;
    const auto quality = [&](int64_t offset) { return int64_t{row.qualities[static_cast<size_t>(offset)]}; };
    for (size_t i = 0; i < row.cigar.size(); ++i) {
        const data::CigarOp op = data::cigar_op(row.cigar[i]);
        const auto length = static_cast<int64_t>(data::cigar_length(row.cigar[i]));
        if (op == data::k_cigar_soft_clip) {
            // The bases stand where they would lie had the alignment gone on.
            const int64_t from = query == 0 ? at - length : at;
            const auto [begin, end] = map.cut(from, from + length);
            for (int64_t p = begin; p < end; ++p) map.set(p, k_clip, 5 * quality(query + p - from));
        } else if (op == data::k_cigar_insertion) {
            map.set(at - 1, k_inserted, 32 + 8 * length);
        } else if (op == data::k_cigar_deletion) {
            const auto [begin, end] = map.cut(at, at + length);
            for (int64_t p = begin; p < end; ++p) map.set(p, k_deleted, 255);
        } else if (data::cigar_consumes_query(op) && data::cigar_consumes_reference(op)) {
            const auto [begin, end] = map.cut(at, at + length);
            for (int64_t p = begin; p < end; ++p) {
                const int64_t offset = query + p - at;
                const bool same =
                    row.bases[static_cast<size_t>(offset)] == reference[static_cast<size_t>(p - first)];
                map.set(p, same ? k_match : k_mismatch, 5 * quality(offset));
            }
        }
        if (data::cigar_consumes_query(op)) query += length;
        if (data::cigar_consumes_reference(op)) at += length;
    }
}

void draw_events(const ExampleAllele& allele, const RowInput& row, Map& map) {
    for (const ReadEvent& event : row.events) {
        if (event.candidate < 0) continue;
        const Channel channel = event.candidate == allele.candidate ? k_allele : k_other;
        if (event.kind == ReadEvent::insertion) {
            map.set(event.position - 1, channel, 255);
            continue;
        }
        const auto [begin, end] = map.cut(event.position, event.position + event.length);
        for (int64_t p = begin; p < end; ++p) map.set(p, channel, 255);
    }
    const auto [begin, end] = map.cut(std::max(allele.begin, row.begin), std::min(allele.end, row.end));
    for (int64_t p = begin; p < end; ++p) map.set(p, k_tract, 255);
}

void write_features(const RowInput& row, std::span<uint8_t> out) {
    const auto has = [&](uint16_t flag) { return static_cast<uint8_t>((row.flags & flag) != 0 ? 255 : 0); };
    const auto length = static_cast<int64_t>(row.bases.size());
    const bool reverse = (row.flags & data::k_flag_reverse) != 0;
    const int64_t to_left = row.offset;
    const int64_t to_right = length - 1 - row.offset;
    int64_t quality_sum = 0;
    for (const uint8_t quality : row.qualities) quality_sum += quality;
    out[0] = row.support;
    out[1] = byte_of(row.mapping_quality * 4);
    out[2] = has(data::k_flag_reverse);
    out[3] = byte_of(row.base_quality * 5);
    out[4] = byte_of(std::abs(row.support - int{k_undecided}));
    out[5] = row.has_likelihood ? byte_of(-int64_t{row.best_fit} * 8 / k_base_scale) : uint8_t{0};
    out[6] = row.has_likelihood ? 255 : 0;
    out[7] = byte_of(reverse ? to_right : to_left);
    out[8] = byte_of(reverse ? to_left : to_right);
    out[9] = byte_of(row.mismatches * 16);
    out[10] = byte_of(row.candidates * 16);
    out[11] = byte_of(row.wrong_quality);
    out[12] = byte_of(row.indels * 32);
    out[13] = byte_of(row.clipped * 2);
    out[14] =
        row.clip_distance < 0 ? uint8_t{0} : byte_of(255 - std::min<int64_t>(255, row.clip_distance * 4));
    out[15] = row.mate_support;
    out[16] = has(data::k_flag_paired);
    out[17] = has(data::k_flag_proper_pair);
    out[18] = row.mate_elsewhere ? 255 : 0;
    out[19] = byte_of(std::abs(int64_t{row.template_length}) / 4);
    out[20] = has(data::k_flag_read1);
    out[21] = byte_of(length / 2);
    out[22] = byte_of(row.not_carried * 16);
    out[23] = row.left;
    out[24] = row.right;
    out[25] = byte_of(row.near * 32);
    out[26] = byte_of((row.end - row.begin) / 2);
    out[27] = byte_of(row.run * 16);
    out[28] = length == 0 ? uint8_t{0} : byte_of(quality_sum * 5 / length);
}

}  // namespace

void encode_row(const ExampleAllele& allele, std::span<const data::Base> reference, const RowInput& row,
                std::span<uint8_t> out) {
    std::fill(out.begin(), out.end(), uint8_t{0});
    const int64_t first = allele.position - k_event_column;
    Map map(first, out.first(pileup::k_columns * pileup::k_channels));
    draw_alignment(row, reference, first, map);
    draw_events(allele, row, map);
    write_features(row, out.subspan(pileup::k_columns * pileup::k_channels));
}

void encode_reference(std::span<const data::Base> bases, size_t margin, std::span<uint8_t> out) {
    constexpr size_t k_longest_period = 6;
    std::array<uint8_t, pileup::k_columns> runs{};
    std::array<uint8_t, pileup::k_columns> repeats{};
    for (size_t period = 1; period <= k_longest_period; ++period) {
        for (size_t begin = 0; begin + period < bases.size();) {
            size_t end = begin + period;
            while (end < bases.size() && bases[end] == bases[end - period] && bases[end] < data::k_base_n)
                ++end;
            const size_t length = end - begin;
            const bool is_repeat = period == 1 ? length >= 2 : length >= 2 * period && length >= 6;
            for (size_t i = begin; i < end && is_repeat; ++i) {
                if (i < margin || i >= margin + pileup::k_columns) continue;
                auto& value = (period == 1 ? runs : repeats)[i - margin];
                value = std::max(value, byte_of(static_cast<int64_t>(length * (period == 1 ? 16 : 4))));
            }
            begin = std::max(begin + 1, end - period + 1);
        }
    }
    for (size_t column = 0; column < pileup::k_columns; ++column) {
        const data::Base base = bases[margin + column];
        uint8_t* const cell = out.data() + column * k_site_channels;
        for (data::Base b = 0; b < 4; ++b) cell[b] = base == b ? 255 : 0;
        cell[4] = base < 4 ? std::max<uint8_t>(runs[column], 16) : uint8_t{0};
        cell[5] = repeats[column];
    }
}

}  // namespace gannet::ml
