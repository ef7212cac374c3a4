// SPDX-License-Identifier: MIT
// Tests the optional fields that are carried from reads to records: comments of FASTQ, and fields of BAM.
#include "data/sam_tags.hpp"

#include "data/record.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gannet::data {
namespace {

/// A record that has these tags and nothing else of interest.
RecordBatch record_with(std::span<const uint8_t> tags) {
    RecordBatch batch;
    RecordFields fields;
    fields.name = "r";
    RecordAppender(batch, fields).append_tags(tags);
    return batch;
}

TEST(SamTags, comments_become_fields_of_bam) {
    std::vector<uint8_t> bytes;
    ASSERT_EQ(
        append_sam_tags("RX:Z:ACG-TTT\tXI:i:-300\tXU:i:4000000000\tXF:f:0.5\tXA:Z:mine\tYC:A:x\tXH:H:1AFF\t"
                        "XB:B:s,1,-2\tXE:B:C",
                        bytes),
        "");
    const RecordBatch batch = record_with(bytes);
    const RecordView record = batch.view(0);
    EXPECT_EQ(record.string_tag("RX"), "ACG-TTT");
    EXPECT_EQ(record.integer_tag("XI"), -300);
    EXPECT_EQ(record.integer_tag("XU"), 4'000'000'000);
    EXPECT_FALSE(record.tag("XA")) << "the aligner writes XA itself";
    const auto text = [&record](const char(&name)[3]) {
        const auto value = record.tag(name).value();
        return std::string(value.begin(), value.end());
    };
    EXPECT_EQ(text("XF"), std::string("f\0\0\0\x3f", 5));
    EXPECT_EQ(text("YC"), "Ax");
    EXPECT_EQ(text("XH"), std::string("H1AFF\0", 6));
    EXPECT_EQ(text("XB"), std::string("Bs\2\0\0\0\1\0\xfe\xff", 10));
    EXPECT_EQ(text("XE"), std::string("BC\0\0\0\0", 6));
}

TEST(SamTags, the_field_of_illumina_is_left_out) {
    std::vector<uint8_t> bytes;
    EXPECT_EQ(append_sam_tags("1:N:0:ACGTACGT", bytes), "");
    EXPECT_TRUE(bytes.empty());
    EXPECT_EQ(append_sam_tags("2:Y:18:1\tBC:Z:A", bytes), "");
    EXPECT_EQ(bytes.size(), 5u);
}

TEST(SamTags, comments_that_are_not_tags_are_refused) {
    for (const char* comment : {"length=100", "RX:Z", "RX:Y:A", "1X:Z:A", "XI:i:x", "XI:i:5000000000",
                                "XI:i:", "XF:f:1x", "XB:B:", "XB:B:c,300", "XB:B:z,1", "XB:B:c1", "XH:H:abc",
                                "XC:A:xy", "BC:Z:A\t1:N:0:A", "RX:Z:A BC:Z:\x01"}) {
        std::vector<uint8_t> bytes;
        EXPECT_NE(append_sam_tags(comment, bytes), "") << comment;
    }
}

TEST(SamTags, a_tag_that_is_there_twice_is_refused) {
    std::vector<uint8_t> bytes = {'R', 'X', 'A', 'x'};  // of the read before
    EXPECT_EQ(append_sam_tags("RX:Z:A\tBC:Z:A\tRY:i:1", bytes), "");
    EXPECT_NE(append_sam_tags("XI:i:300\tBC:Z:A\tXI:i:1", bytes), "");
    EXPECT_EQ(append_sam_tags("NM:i:300\tBC:Z:A\tNM:i:1", bytes), "") << "is not carried";
    const std::string_view tags("RXZA\0BCAxRXZC\0", 14);
    EXPECT_FALSE(append_carried_tags({reinterpret_cast<const uint8_t*>(tags.data()), tags.size()}, bytes));
}

TEST(SamTags, fields_of_bam_are_carried_unless_they_describe_an_alignment) {
    RecordBatch batch;
    RecordFields fields;
    fields.name = "r";
    {
        RecordAppender record(batch, fields);
        record.tag("NM", int64_t{3});
        record.tag("RX", "ACGT");
        record.tag("MC", "10M");
        record.tag("OQ", "FFFF");
        record.tag("ZI", int64_t{70'000});
    }
    std::vector<uint8_t> bytes;
    ASSERT_TRUE(append_carried_tags(batch.view(0).tags(), bytes));
    const RecordBatch out = record_with(bytes);
    EXPECT_EQ(out.view(0).string_tag("RX"), "ACGT");
    EXPECT_EQ(out.view(0).integer_tag("ZI"), 70'000);
    for (const auto& dropped : {"NM", "MC", "OQ"}) {
        const char name[3] = {dropped[0], dropped[1], '\0'};
        EXPECT_FALSE(out.view(0).tag(name)) << name;
    }
}

TEST(SamTags, damaged_fields_of_bam_are_refused) {
    const auto carried = [](std::string_view tags) {
        std::vector<uint8_t> out;
        return append_carried_tags({reinterpret_cast<const uint8_t*>(tags.data()), tags.size()}, out);
    };
    EXPECT_TRUE(carried(std::string_view("RXZA\0", 5)));
    EXPECT_FALSE(carried("RXZA"));
    EXPECT_FALSE(carried("RX"));
    EXPECT_FALSE(carried(std::string_view("RXi\0\0", 5)));
    EXPECT_FALSE(carried(std::string_view("RXZA\tB\0", 7))) << "a tab would end the field in SAM";
    EXPECT_FALSE(carried(std::string_view("R\nZA\0", 5)));
}

}  // namespace
}  // namespace gannet::data
