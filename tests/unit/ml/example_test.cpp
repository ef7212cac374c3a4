// SPDX-License-Identifier: MIT
// Tests the encoding of rows: what a read shows stands where the layout says.
#include "ml/example.hpp"

#include "tests/support/repeat_rich_bases.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace gannet::ml {
namespace {

using data::cigar_element;

/// A read of 40 bases over reference position 100, all A, quality 40.
struct Case {
    std::vector<data::Base> reference = std::vector<data::Base>(pileup::k_columns, 0);
    std::vector<data::Base> bases = std::vector<data::Base>(40, 0);
    std::vector<uint8_t> qualities = std::vector<uint8_t>(40, 40);
    std::vector<uint32_t> cigar{cigar_element(40, data::k_cigar_match)};
    std::vector<ReadEvent> events;
    ExampleAllele allele{100, 100, 101, 5};
    RowInput row;

    std::vector<uint8_t> encode() {
        row.begin = row.begin == 0 ? 90 : row.begin;
        row.end = row.begin + 40;
        row.bases = bases;
        row.qualities = qualities;
        row.cigar = cigar;
        row.events = events;
        std::vector<uint8_t> out(pileup::k_row_bytes, 7);
        encode_row(allele, reference, row, out);
        return out;
    }
};

uint8_t cell(const std::vector<uint8_t>& row, int64_t position, size_t channel) {
    return row[static_cast<size_t>(position - 100 + k_event_column) * pileup::k_channels + channel];
}

TEST(Example, an_snv_is_in_the_event_column) {
    Case c;
    c.bases[10] = 2;  // reference position 100
    c.bases[13] = 1;
    c.qualities[10] = 30;
    c.events = {{100, 1, 5, ReadEvent::mismatch, 30, 2}, {103, 1, 6, ReadEvent::mismatch, 40, 1}};
    const auto row = c.encode();
    EXPECT_EQ(cell(row, 99, 0), 200);
    EXPECT_EQ(cell(row, 100, 0), 0);
    EXPECT_EQ(cell(row, 100, 1), 150);
    EXPECT_EQ(cell(row, 100, 6), 255);  // the allele itself
    EXPECT_EQ(cell(row, 100, 7), 192);  // G
    EXPECT_EQ(cell(row, 103, 7), 128);
    EXPECT_EQ(cell(row, 101, 7), 0);
    EXPECT_EQ(cell(row, 103, 4), 255);  // another candidate
    EXPECT_EQ(cell(row, 103, 6), 0);
    EXPECT_EQ(cell(row, 89, 0), 0);  // before the read
    EXPECT_EQ(std::accumulate(row.begin() + 256 + row_feature("unused").offset, row.end(), 0), 0);
}

TEST(Example, gaps_and_clips_are_at_their_reference_positions) {
    Case c;
    c.cigar = {cigar_element(6, data::k_cigar_soft_clip), cigar_element(8, data::k_cigar_match),
               cigar_element(3, data::k_cigar_insertion), cigar_element(6, data::k_cigar_match),
               cigar_element(2, data::k_cigar_deletion),  cigar_element(17, data::k_cigar_match)};
    c.row.begin = 92;
    const auto row = c.encode();
    EXPECT_EQ(cell(row, 91, 5), 200);
    EXPECT_EQ(cell(row, 86, 5), 200);
    EXPECT_EQ(cell(row, 92, 5), 0);
    EXPECT_EQ(cell(row, 99, 3), 32 + 8 * 3);  // the base before the insertion
    EXPECT_EQ(cell(row, 105, 2), 0);
    EXPECT_EQ(cell(row, 106, 2), 255);
    EXPECT_EQ(cell(row, 107, 2), 255);
    EXPECT_EQ(cell(row, 108, 2), 0);
    EXPECT_EQ(cell(row, 108, 0), 200);
}

TEST(Example, features_are_scaled_and_clamped) {
    Case c;
    c.row.support = 200;
    c.row.mapping_quality = 60;
    c.row.flags = data::k_flag_reverse | data::k_flag_proper_pair;
    c.row.offset = 10;
    c.row.mismatches = 99;
    c.row.has_likelihood = true;
    c.row.best_fit = -2 * k_posterior_scale;
    c.row.template_length = -400;
    c.row.pool = k_pool_reference;
    c.row.fits = {0, 3 * k_posterior_scale / 2, 0, 40 * int64_t{k_posterior_scale}};
    c.row.base = 2;
    c.row.length_change = -3;
    const auto row = c.encode();
    const auto feature = [&](const Feature& of) { return row[256 + of.offset]; };
    EXPECT_EQ(feature(row_feature("pool")), k_pool_reference);
    EXPECT_EQ(feature(row_feature("support")), 200);
    EXPECT_EQ(feature(row_feature("mapping_quality")), 240);
    EXPECT_EQ(feature(row_feature("reverse")), 255);
    EXPECT_EQ(feature(row_feature("certainty")), 73);
    EXPECT_EQ(feature(row_feature("best_fit")), 16);
    EXPECT_EQ(feature(row_feature("to_5_end")), 29);  // read from the right
    EXPECT_EQ(feature(row_feature("to_3_end")), 10);
    EXPECT_EQ(feature(row_feature("mismatches")), 255);
    EXPECT_EQ(feature(row_feature("clip_distance")), 0);
    EXPECT_EQ(feature(row_feature("paired")), 0);
    EXPECT_EQ(feature(row_feature("proper_pair")), 255);
    EXPECT_EQ(feature(row_feature("template_length")), 100);
    EXPECT_EQ(feature(row_feature("fits")[1]), 24);
    EXPECT_EQ(feature(row_feature("fits")[3]), 255);
    EXPECT_EQ(feature(row_feature("base")[2]), 255);
    EXPECT_EQ(feature(row_feature("base")[0]), 0);
    EXPECT_EQ(feature(row_feature("length_change")), (16 - 3) * 8);
}

TEST(Example, reference_channels_name_bases_runs_and_repeats) {
    std::vector<data::Base> bases(pileup::k_columns + 8, 3);
    for (size_t i = 0; i < bases.size(); ++i) bases[i] = static_cast<data::Base>(i % 4);
    for (size_t i = 10; i < 15; ++i) bases[i] = 2;
    for (size_t i = 20; i < 32; ++i) bases[i] = i % 2 == 0 ? 0 : 1;
    std::vector<uint8_t> out(pileup::k_columns * k_site_channels);
    encode_reference({114, 116, 119, -1}, bases, 4, out);
    const auto at = [&](size_t i, size_t channel) { return out[(i - 4) * k_site_channels + channel]; };
    EXPECT_EQ(at(12, 2), 255);
    EXPECT_EQ(at(12, 0), 0);
    EXPECT_EQ(at(12, 4), 5 * 16);
    EXPECT_EQ(at(25, 4), 16);
    EXPECT_GE(at(25, 5), 12 * 4);
    EXPECT_EQ(at(12, 5), 0);
    EXPECT_EQ(at(4 + 15, 6), 0);
    EXPECT_EQ(at(4 + 16, 6), 255);
    EXPECT_EQ(at(4 + 18, 6), 255);
    EXPECT_EQ(at(4 + 19, 6), 0);
}

/// The walk, base by base, that gave the lengths of runs and repeats before.
void walked_lengths(std::span<const data::Base> bases, size_t margin, std::vector<int64_t>& runs,
                    std::vector<int64_t>& repeats) {
    runs.assign(pileup::k_columns, 1);
    repeats.assign(pileup::k_columns, 0);
    for (size_t period = 1; period <= 6; ++period) {
        for (size_t begin = 0; begin + period < bases.size();) {
            size_t end = begin + period;
            while (end < bases.size() && bases[end] == bases[end - period] && bases[end] < data::k_base_n)
                ++end;
            const size_t length = end - begin;
            const bool is_repeat = period == 1 ? length >= 2 : length >= 2 * period && length >= 6;
            for (size_t i = begin; i < end && is_repeat; ++i) {
                if (i < margin || i >= margin + pileup::k_columns) continue;
                int64_t& longest = (period == 1 ? runs : repeats)[i - margin];
                longest = std::max(longest, static_cast<int64_t>(length));
            }
            begin = std::max(begin + 1, end - period + 1);
        }
    }
}

TEST(Example, reference_channels_are_those_of_a_walk) {
    constexpr size_t k_margin = 24;
    std::mt19937_64 random(5);
    std::vector<uint8_t> out(pileup::k_columns * k_site_channels);
    std::vector<int64_t> runs, repeats;
    for (int round = 0; round < 2'000; ++round) {
        const std::vector<data::Base> bases =
            gannet::testing::repeat_rich_bases(random, pileup::k_columns + 2 * k_margin);
        encode_reference({114, 116, 119, -1}, bases, k_margin, out);
        walked_lengths(bases, k_margin, runs, repeats);
        for (size_t column = 0; column < pileup::k_columns; ++column) {
            std::vector<uint8_t> expected(k_site_channels);
            FeatureWriter cell(expected);
            cell.set(site_channel("run"), bases[k_margin + column] < 4 ? runs[column] : 0);
            cell.set(site_channel("repeat"), repeats[column]);
            for (const size_t channel : {4, 5})
                ASSERT_EQ(out[column * k_site_channels + channel], expected[channel])
                    << data::to_letters(bases) << " " << column << " " << channel;
        }
    }
}

}  // namespace
}  // namespace gannet::ml
