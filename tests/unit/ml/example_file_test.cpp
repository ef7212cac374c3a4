// SPDX-License-Identifier: MIT
// Tests shards of examples: what is written is read back, and what is damaged is refused.
#include "ml/example_file.hpp"

#include "data/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace gannet::ml {
namespace {

const ExampleFileHeader k_header{"gannet examples x", "S", {"chr1", "chr2"}};

std::vector<uint8_t> pattern(size_t bytes, uint8_t seed) {
    std::vector<uint8_t> out(bytes);
    for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(i * 7 + seed);
    return out;
}

ExampleFacts facts(uint32_t contig, uint32_t position, uint8_t kind) {
    ExampleFacts out;
    out.contig = contig;
    out.position = position;
    out.kind = kind;
    out.base = {-1, -65536, k_min_posterior};
    out.allele = 77;
    out.fragments = 40'000;
    out.plain_phred = 61;
    out.filters = 17;
    out.context = 3;
    out.copies = 2;
    out.quality_cap = 31;
    return out;
}

void write_shard(const std::string& path, size_t records,
                 const std::function<void(ExampleRecord&)>& change = {}) {
    ExampleWriter writer(path, k_header);
    for (size_t i = 0; i < records; ++i) {
        const auto site = pattern(pileup::k_site_bytes, static_cast<uint8_t>(i));
        const auto rows = pattern(pileup::k_row_bytes * (i % 49), static_cast<uint8_t>(i + 1));
        ExampleRecord record{facts(1, static_cast<uint32_t>(i), static_cast<uint8_t>(i % 4)),
                             static_cast<uint8_t>(i % 3), site, rows};
        if (change) change(record);
        writer.write(record);
    }
    writer.commit();
}

std::string complaint(const std::string& path) {
    try {
        ExampleReader reader(path);
        ExampleRecord record;
        while (reader.read(record)) continue;
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::malformed_input);
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
    return "";
}

TEST(ExampleFile, what_is_written_is_read_back) {
    const tests::TemporaryFolder folder;
    const std::string path = folder.path("a.gnx");
    write_shard(path, 120);
    ExampleReader reader(path);
    EXPECT_EQ(reader.header().command, k_header.command);
    EXPECT_EQ(reader.header().contigs, k_header.contigs);
    ExampleRecord record;
    for (size_t i = 0; i < 120; ++i) {
        ASSERT_TRUE(reader.read(record)) << i;
        EXPECT_EQ(record.facts.contig, 1U);
        EXPECT_EQ(record.facts.position, i);
        EXPECT_EQ(record.facts.base, (std::array<int32_t, 3>{-1, -65536, k_min_posterior}));
        EXPECT_EQ(record.facts.allele, 77U);
        EXPECT_EQ(record.facts.fragments, 40'000);
        EXPECT_EQ(record.facts.plain_phred, 61);
        EXPECT_EQ(record.facts.filters, 17);
        EXPECT_EQ(record.facts.context, 3);
        EXPECT_EQ(record.facts.copies, 2);
        EXPECT_EQ(record.facts.quality_cap, 31);
        EXPECT_EQ(record.label, i % 3);
        const auto site = pattern(pileup::k_site_bytes, static_cast<uint8_t>(i));
        const auto rows = pattern(pileup::k_row_bytes * (i % 49), static_cast<uint8_t>(i + 1));
        EXPECT_TRUE(std::equal(site.begin(), site.end(), record.site.begin(), record.site.end()));
        EXPECT_TRUE(std::equal(rows.begin(), rows.end(), record.rows.begin(), record.rows.end()));
    }
    EXPECT_FALSE(reader.read(record));
}

TEST(ExampleFile, what_the_format_does_not_allow_is_refused) {
    const tests::TemporaryFolder folder;
    const auto said = [&](const std::string& name, const std::function<void(ExampleRecord&)>& change) {
        write_shard(folder.path(name), 3, change);
        return complaint(folder.path(name));
    };
    EXPECT_EQ(said("good", {}), "");
    EXPECT_NE(said("label", [](ExampleRecord& r) { r.label = 3; }).find("record 1: has label 3"),
              std::string::npos);
    EXPECT_NE(said("kind", [](ExampleRecord& r) { r.facts.kind = 4; }).find("has kind 4"), std::string::npos);
    EXPECT_NE(said("contig", [](ExampleRecord& r) { r.facts.contig = 2; }).find("contig"), std::string::npos);
    EXPECT_NE(said("base", [](ExampleRecord& r) { r.facts.base[1] = 1; }).find("posterior"),
              std::string::npos);
    EXPECT_NE(said("short", [](ExampleRecord& r) { r.site = r.site.first(300); }).find("record"),
              std::string::npos);
    folder.write("foreign", "not examples at all, only text");
    EXPECT_NE(complaint(folder.path("foreign")).find("not a file of examples"), std::string::npos);
    folder.write("empty", "");
    EXPECT_NE(complaint(folder.path("empty")), "");
    folder.write("layout", std::string("GNTEX\0\0\1", 8) + std::string(60, ' '));
    EXPECT_NE(complaint(folder.path("layout")).find("version 1"), std::string::npos);
}

TEST(ExampleFile, a_shard_cut_off_anywhere_is_refused) {
    const tests::TemporaryFolder folder;
    write_shard(folder.path("whole"), 60);
    std::ifstream file(folder.path("whole"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(bytes.size(), 200U);
    for (const size_t size : {size_t{4}, size_t{17}, bytes.size() / 3, bytes.size() / 2, bytes.size() - 40,
                              bytes.size() - 28 /* all records, without the end marker */}) {
        folder.write("cut", bytes.substr(0, size));
        EXPECT_NE(complaint(folder.path("cut")), "") << size;
    }
}

}  // namespace
}  // namespace gannet::ml
