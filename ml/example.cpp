// SPDX-License-Identifier: MIT
// Provides the encoding of a read and of the reference around a candidate.
#include "ml/example.hpp"

#include "data/tandem_repeats.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace gannet::ml {

namespace {

constexpr int64_t k_columns = pileup::k_columns;

/// The channels of one read; positions outside the columns are ignored.
class Map {
  public:
    Map(int64_t first, std::span<uint8_t> bytes) : first_(first), bytes_(bytes) {}
    void set(int64_t position, const Feature& channel, int64_t value = 1) {
        const int64_t column = position - first_;
        if (column < 0 || column >= k_columns) return;
        FeatureWriter(bytes_.subspan(static_cast<size_t>(column) * pileup::k_channels)).set(channel, value);
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
    static constexpr Feature k_match = row_channel("match");
    static constexpr Feature k_mismatch = row_channel("mismatch");
    int64_t at = row.begin;
    int64_t query = 0;
    const auto quality = [&](int64_t offset) { return int64_t{row.qualities[static_cast<size_t>(offset)]}; };
    for (size_t i = 0; i < row.cigar.size(); ++i) {
        const data::CigarOp op = data::cigar_op(row.cigar[i]);
        const auto length = static_cast<int64_t>(data::cigar_length(row.cigar[i]));
        if (op == data::k_cigar_soft_clip) {
            // As if the alignment went on without a gap.
            const int64_t from = query == 0 ? at - length : at;
            const auto [begin, end] = map.cut(from, from + length);
            for (int64_t p = begin; p < end; ++p)
                map.set(p, row_channel("clipped"), quality(query + p - from));
        } else if (op == data::k_cigar_insertion) {
            map.set(at - 1, row_channel("inserted"), length + 4);
        } else if (op == data::k_cigar_deletion) {
            const auto [begin, end] = map.cut(at, at + length);
            for (int64_t p = begin; p < end; ++p) map.set(p, row_channel("deleted"));
        } else if (data::cigar_consumes_query(op) && data::cigar_consumes_reference(op)) {
            const auto [begin, end] = map.cut(at, at + length);
            for (int64_t p = begin; p < end; ++p) {
                const int64_t offset = query + p - at;
                const bool same =
                    row.bases[static_cast<size_t>(offset)] == reference[static_cast<size_t>(p - first)];
                map.set(p, same ? k_match : k_mismatch, quality(offset));
                if (const data::Base base = row.bases[static_cast<size_t>(offset)];
                    !same && base < data::k_base_n)
                    map.set(p, row_channel("base"), base + 1);
            }
        }
        if (data::cigar_consumes_query(op)) query += length;
        if (data::cigar_consumes_reference(op)) at += length;
    }
}

void draw_events(const ExampleAllele& allele, const RowInput& row, Map& map) {
    static constexpr Feature k_allele = row_channel("allele");
    static constexpr Feature k_candidate = row_channel("candidate");
    for (const ReadEvent& event : row.events) {
        if (event.candidate < 0) continue;
        const Feature& channel = event.candidate == allele.candidate ? k_allele : k_candidate;
        if (event.kind == ReadEvent::insertion) {
            map.set(event.position - 1, channel);
            continue;
        }
        const auto [begin, end] = map.cut(event.position, event.position + event.length);
        for (int64_t p = begin; p < end; ++p) map.set(p, channel);
    }
}

void write_features(const RowInput& row, std::span<uint8_t> bytes) {
    constexpr int64_t k_clip_reach = 255;
    FeatureWriter out(bytes);
    const auto has = [&](uint16_t flag) { return (row.flags & flag) != 0; };
    const auto length = static_cast<int64_t>(row.bases.size());
    const bool reverse = has(data::k_flag_reverse);
    const int64_t to_left = row.offset;
    const int64_t to_right = length - 1 - row.offset;
    const int64_t quality_sum = std::accumulate(row.qualities.begin(), row.qualities.end(), int64_t{0});
    out.set_byte(row_feature("pool"), row.pool);
    out.set_byte(row_feature("support"), row.support);
    out.set(row_feature("mapping_quality"), row.mapping_quality);
    out.set(row_feature("reverse"), reverse);
    out.set(row_feature("base_quality"), row.base_quality);
    out.set(row_feature("certainty"), std::abs(row.support - int{k_undecided}), k_support_scale);
    if (row.has_likelihood) out.set(row_feature("best_fit"), -int64_t{row.best_fit}, k_posterior_scale);
    out.set(row_feature("has_likelihood"), row.has_likelihood);
    out.set(row_feature("to_5_end"), reverse ? to_right : to_left);
    out.set(row_feature("to_3_end"), reverse ? to_left : to_right);
    out.set(row_feature("mismatches"), row.mismatches);
    out.set(row_feature("candidates"), row.candidates);
    out.set(row_feature("error_quality"), row.error_quality);
    out.set(row_feature("indels"), row.indels);
    out.set(row_feature("clipped"), row.clipped);
    if (row.clip_distance >= 0) {
        constexpr Feature k_distance = row_feature("clip_distance");
        out.set_byte(k_distance, byte_of(k_clip_reach - row.clip_distance * k_distance.scale));
    }
    out.set_byte(row_feature("mate_support"), row.mate_support);
    out.set(row_feature("paired"), has(data::k_flag_paired));
    out.set(row_feature("proper_pair"), has(data::k_flag_proper_pair));
    out.set(row_feature("mate_elsewhere"), row.mate_elsewhere);
    out.set(row_feature("template_length"), std::abs(int64_t{row.template_length}));
    out.set(row_feature("first_of_pair"), has(data::k_flag_read1));
    out.set(row_feature("read_length"), length);
    out.set(row_feature("not_carried"), row.not_carried);
    out.set_byte(row_feature("left"), row.left);
    out.set_byte(row_feature("right"), row.right);
    out.set(row_feature("near"), row.near);
    out.set(row_feature("span"), row.end - row.begin);
    out.set(row_feature("run"), row.run);
    out.set(row_feature("mean_quality"), quality_sum, length);
    if (row.has_likelihood) {
        for (size_t i = 0; i < row.fits.size(); ++i)
            out.set(row_feature("fits")[i], row.fits[i], k_posterior_scale);
    }
    if (row.base < data::k_base_n) out.set(row_feature("base")[row.base], 1);
    constexpr int32_t k_zero_change = 16;
    out.set(row_feature("length_change"), row.length_change + k_zero_change);
    out.set(row_feature("mate_covers"), row.mate_support != 0);
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

void encode_reference(const ExampleAllele& allele, std::span<const data::Base> bases, size_t margin,
                      std::span<uint8_t> out) {
    constexpr size_t k_min_run_bp = 2;
    constexpr size_t k_min_repeat_bp = 6;
    std::array<int64_t, pileup::k_columns> runs{};
    std::array<int64_t, pileup::k_columns> repeated{};
    runs.fill(1);
    data::TandemRepeats repeats;
    repeats.find(bases);
    for (size_t period = 1; period <= data::TandemRepeats::k_max_period; ++period) {
        const size_t shortest = period == 1 ? k_min_run_bp : std::max(k_min_repeat_bp, 2 * period);
        repeats.for_each(period, shortest, margin, data::UnknownBases::never_repeat,
                         [&](const data::TandemRepeats::Repeat& repeat) {
                             const size_t end = std::min(repeat.end, margin + pileup::k_columns);
                             for (size_t i = std::max(repeat.begin, margin); i < end; ++i) {
                                 int64_t& longest = (period == 1 ? runs : repeated)[i - margin];
                                 longest = std::max(longest, static_cast<int64_t>(repeat.length()));
                             }
                             return true;
                         });
    }
    for (size_t column = 0; column < pileup::k_columns; ++column) {
        const data::Base base = bases[margin + column];
        FeatureWriter cell(out.subspan(column * k_site_channels, k_site_channels));
        for (data::Base b = 0; b < 4; ++b) cell.set(site_channel("bases")[b], base == b);
        cell.set(site_channel("run"), base < 4 ? runs[column] : 0);
        cell.set(site_channel("repeat"), repeated[column]);
        const int64_t position = allele.position - k_event_column + static_cast<int64_t>(column);
        cell.set(site_channel("tract"), position >= allele.begin && position < allele.end);
    }
}

}  // namespace gannet::ml
