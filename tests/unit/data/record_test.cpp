// SPDX-License-Identifier: MIT
// Tests the encoding of alignment records as BAM bytes.
#include "data/record.hpp"

#include "data/equal_bases.hpp"

#include <gtest/gtest.h>

namespace gannet::data {
namespace {

TEST(Record, view_reads_back_what_appender_wrote) {
    RecordBatch batch;
    const std::vector<uint32_t> cigar = {cigar_element(2, k_cigar_soft_clip), cigar_element(3, k_cigar_match),
                                         cigar_element(4, k_cigar_deletion), cigar_element(2, k_cigar_match)};
    const std::vector<Base> bases = {0, 1, 2, 3, 4, 0, 1};
    const std::vector<uint8_t> qualities = {30, 31, 32, 33, 2, 35, 36};
    {
        RecordFields fields;
        fields.contig = 1;
        fields.position = 99;
        fields.mapping_quality = 60;
        fields.flag = k_flag_reverse;
        fields.name = "read/odd";
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        RecordAppender appender(batch, fields);
        appender.tag("NM", 300);
        appender.tag("AS", -3);
        appender.tag("MD", "3^ACGT2");
        appender.tag_char("XT", 'U');
    }
    const RecordView view = batch.view(0);
    EXPECT_EQ(view.name(), "read/odd");
    EXPECT_EQ(view.position(), 99);
    EXPECT_EQ(view.reference_span(), 9);
    EXPECT_EQ(view.end_position(), 108);
    for (size_t i = 0; i < bases.size(); ++i) EXPECT_EQ(view.base(i), bases[i]) << i;
    EXPECT_EQ(view.qualities()[6], 36);
    EXPECT_EQ(view.integer_tag("NM"), 300);
    EXPECT_EQ(view.integer_tag("AS"), -3);
    EXPECT_EQ(view.string_tag("MD"), "3^ACGT2");
    EXPECT_FALSE(view.integer_tag("XX").has_value());
    EXPECT_EQ(batch.entries[0].size_bytes, view.bytes().size());
}

std::string letters(const RecordView& record) {
    std::string text;
    for (size_t i = 0; i < record.read_length(); ++i) text += "ACGTN"[record.base(i)];
    return text;
}

TEST(Record, equal_bases_become_those_of_the_reference) {
    const std::vector<uint64_t> packed = {0, 0, 0xe4e4e4e4e4e4e4e4, 0, 0, 0, 0};  // ACGT, eight times
    const Reference reference("r.fa", {{"c", 32, 64, ""}}, packed, {}, nullptr);
    for (const size_t bases : {7, 8, 21}) {  // whole words and the rest
        RecordBatch batch;
        const std::vector<uint32_t> cigar = {
            cigar_element(1, k_cigar_soft_clip), cigar_element(2, k_cigar_match),
            cigar_element(1, k_cigar_insertion), cigar_element(2, k_cigar_deletion),
            cigar_element(static_cast<uint32_t>(bases) - 4, k_cigar_equal)};
        const std::vector<Base> read(bases, 1);
        {
            RecordFields fields;
            fields.contig = 0;
            fields.position = 2;
            fields.flag = 0;
            fields.name = "r";
            fields.cigar = cigar;
            fields.bases = read;
            const RecordAppender appender(batch, fields);
        }
        const std::span<uint8_t> bytes(batch.bytes.data() + batch.entries[0].offset,
                                       batch.entries[0].size_bytes);
        uint8_t* const nibbles = bytes.data() + (batch.view(0).nibbles().data() - bytes.data());
        EXPECT_FALSE(has_equal_base(batch.view(0).nibbles(), bases));
        std::string wanted(bases, 'C');
        const std::string aligned =
            "NGTN"
            "GTACGTACGTACGTACG";  // G, T: positions 2, 3; then from 6 on
        for (const size_t at : {size_t{0}, size_t{2}, size_t{3}, size_t{4}, bases - 1}) {
            nibbles[at / 2] &= at % 2 == 0 ? 0x0f : 0xf0;
            EXPECT_TRUE(has_equal_base(batch.view(0).nibbles(), bases)) << at;
            wanted[at] = aligned[at];
            resolve_equal_bases(bytes, reference);
            EXPECT_EQ(letters(batch.view(0)), wanted);
        }
    }
}

TEST(Record, bin_is_the_specification_s) {
    EXPECT_EQ(bam_bin(0, 1), 4681);
    EXPECT_EQ(bam_bin(16383, 16385), 585);
    EXPECT_EQ(bam_bin(-1, 0), 4680);
}

}  // namespace
}  // namespace gannet::data
