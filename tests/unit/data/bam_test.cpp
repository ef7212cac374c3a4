// SPDX-License-Identifier: MIT
// Tests writing and reading of SAM, BAM and CRAM: records, index, partial names and refusals.
#include "data/bam/packer.hpp"
#include "data/bam/reader.hpp"
#include "data/bam/writer.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <htslib/sam.h>

#include <algorithm>
#include <random>

namespace gannet::data::bam {
namespace {

using tests::TemporaryFolder;

constexpr int64_t k_length = 300'000;

struct Set {
    TemporaryFolder folder;
    std::string fasta;
    std::shared_ptr<const Reference> reference;
    std::string header;
    RecordBatch batch;
    std::vector<RecordView> views;

    explicit Set(size_t count = 6000) {
        std::mt19937 random(7);
        std::string text;
        for (const char* name : {"one", "two", "empty", "three"}) {
            text += std::string(">") + name + '\n';
            for (int64_t i = 0; i < k_length; ++i) text += "ACGT"[random() % 4];
            text += '\n';
        }
        fasta = folder.write("r.fa", text);
        reference = fasta::load(fasta);
        header = "@HD\tVN:1.6\tSO:coordinate\n";
        for (const Contig& contig : reference->contigs()) {
            header += "@SQ\tSN:" + contig.name + "\tLN:" + std::to_string(contig.length) +
                      "\tM5:" + contig.md5 + '\n';
        }
        header += "@RG\tID:l1\tSM:me\tLB:lib\tPL:ILLUMINA\tPU:f.1\n";
        for (size_t i = 0; i < count; ++i) append(i, count);
        for (size_t i = 0; i < batch.entries.size(); ++i) views.push_back(batch.view(i));
    }

    void append(size_t i, size_t count) {
        std::mt19937 random(static_cast<unsigned>(i));
        const int contigs[] = {0, 1, 3, -1};
        RecordFields fields;
        const size_t quarter = i * 4 / count;
        fields.contig = contigs[quarter];
        fields.position = fields.contig < 0 ? -1 : static_cast<int32_t>((i - quarter * count / 4) * 150 + 20);
        // One in a hundred is long: it spans BGZF blocks.
        const uint32_t length = i % 100 == 0 ? 70'000 : 100 + static_cast<uint32_t>(random() % 60);
        const bool long_read = length > 1000;
        std::vector<Base> bases(length);
        for (Base& base : bases) base = static_cast<Base>(random() % 5);
        std::vector<uint8_t> qualities(length);
        for (uint8_t& quality : qualities) quality = static_cast<uint8_t>(random() % 42);
        std::vector<uint32_t> cigar;
        if (fields.contig >= 0 && i % 7 != 0) {
            const uint32_t matched = long_read ? 20 : length - 5;
            cigar = {cigar_element(length - matched, k_cigar_soft_clip),
                     cigar_element(matched, k_cigar_match)};
            fields.flag = 0;
            fields.mapping_quality = 60;
        } else {
            fields.flag = k_flag_unmapped;
        }
        const std::string name = "read" + std::to_string(i) + std::string(i % 5, 'x');
        fields.name = name;
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        RecordAppender appender(batch, fields);
        appender.tag("RG", "l1");
        appender.tag("NM", static_cast<int64_t>(i));
    }
};

std::vector<std::string> dump(Reader& reader, size_t max_bytes = 100'000) {
    std::vector<std::string> records;
    RecordBatch batch;
    while (reader.read(batch, max_bytes)) {
        for (size_t i = 0; i < batch.entries.size(); ++i) {
            const auto bytes = batch.view(i).bytes();
            records.emplace_back(bytes.begin(), bytes.end());
        }
        batch.clear();
    }
    return records;
}

std::vector<std::string> dump(const std::vector<RecordView>& views) {
    std::vector<std::string> records;
    for (const RecordView& view : views) records.emplace_back(view.bytes().begin(), view.bytes().end());
    return records;
}

void write_indexed(const Set& set, const std::string& path, size_t pack_records) {
    IndexedBamWriter writer(path, set.header, 1);
    BlockPacker packer(6);
    PackedRecords packed;
    for (size_t at = 0; at < set.views.size(); at += pack_records) {
        packer.pack(std::span(set.views).subspan(at, std::min(pack_records, set.views.size() - at)), packed);
        writer.write(packed);
    }
    writer.close();
}

TEST(Bam, indexed_writer_gives_back_records_and_htslib_s_index) {
    const Set set;
    for (const size_t pack : {size_t{1}, size_t{501}, size_t{100'000}}) {
        const std::string path = set.folder.path("out.bam");
        write_indexed(set, path, pack);
        const auto reader = Reader::open(path);
        EXPECT_EQ(dump(*reader), dump(set.views));
        EXPECT_EQ(reader->header_text(), set.header);
        reader->rewind();
        EXPECT_EQ(dump(*reader).size(), set.views.size());
        ASSERT_EQ(sam_index_build3(path.c_str(), set.folder.path("expected.bai").c_str(), 0, 0), 0);
        EXPECT_TRUE(tests::read_file(path + ".bai") == tests::read_file(set.folder.path("expected.bai")))
            << pack;
    }
}

TEST(Bam, regions_give_the_records_that_overlap) {
    const Set set;
    const std::string path = set.folder.path("out.bam");
    write_indexed(set, path, 777);
    const auto reader = Reader::open(path);
    ASSERT_TRUE(reader->has_index());
    reader->check_reference(*set.reference);
    for (const Region region :
         {Region{0, 0, 1}, Region{0, 20, 21}, Region{1, 30'000, 60'000}, Region{2, 0, k_length},
          Region{3, 100'000, 100'001}, Region{3, 0, k_length}}) {
        std::vector<RecordView> expected;
        for (const RecordView& view : set.views) {
            const int64_t end = view.position() + std::max<int64_t>(1, view.reference_span());
            const bool here = view.contig() == static_cast<int32_t>(region.contig);
            if (here && view.position() < region.end && end > region.begin) expected.push_back(view);
        }
        reader->seek(region);
        EXPECT_EQ(dump(*reader), dump(expected)) << region.contig << ":" << region.begin;
    }
}

TEST(Bam, long_contigs_get_a_csi) {
    const TemporaryFolder folder;
    const std::string path = folder.path("long.bam");
    const std::string header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:big\tLN:2000000000\n";
    IndexedBamWriter writer(path, header, 6);
    RecordBatch batch;
    for (const int32_t position : {5, 1'900'000'000}) {
        const uint32_t cigar[] = {cigar_element(4, k_cigar_match)};
        const Base bases[] = {0, 1, 2, 3};
        RecordFields fields;
        fields.contig = 0;
        fields.position = position;
        fields.flag = 0;
        fields.name = "r";
        fields.cigar = cigar;
        fields.bases = bases;
        RecordAppender appender(batch, fields);
    }
    BlockPacker packer(6);
    PackedRecords packed;
    const RecordView views[] = {batch.view(0), batch.view(1)};
    packer.pack(views, packed);
    writer.write(packed);
    writer.close();
    EXPECT_EQ(writer.index_path(), path + ".csi");
    const auto reader = Reader::open(path);
    reader->seek({0, 1'800'000'000, 2'000'000'000});
    EXPECT_EQ(dump(*reader).size(), 1u);
}

TEST(Bam, unclosed_writers_leave_nothing) {
    const TemporaryFolder folder;
    {
        IndexedBamWriter indexed(folder.path("a.bam"), "@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\n", 6);
        RecordWriter records(folder.path("b.bam"), RecordWriter::Format::bam,
                             "@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\n", "", 1, true);
        EXPECT_FALSE(std::filesystem::exists(folder.path("a.bam")));
        EXPECT_GE(folder.files(), 2u);
    }
    EXPECT_EQ(folder.files(), 0u);
}

TEST(Bam, unwritable_outputs_say_so) {
    try {
        IndexedBamWriter writer("/nonexistent/a.bam", "@SQ\tSN:c\tLN:9\n", 6);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::output_failed);
    }
    IndexedBamWriter full("/dev/null", "@SQ\tSN:c\tLN:9\n", 6);
    full.close();
    try {
        IndexedBamWriter writer("/dev/full", "@SQ\tSN:c\tLN:9\n", 6);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::disk_space);
    }
}

TEST(Bam, record_writer_round_trips_every_format) {
    const Set set(400);
    using Format = RecordWriter::Format;
    for (const auto& [format, name] :
         {std::pair{Format::sam, "x.sam"}, {Format::bam, "x.bam"}, {Format::cram, "x.cram"}}) {
        const std::string path = set.folder.path(name);
        RecordWriter writer(path, format, set.header, set.fasta, 1, true);
        for (const RecordView& view : set.views) writer.write(view);
        writer.close();
        const auto reader = Reader::open(path, set.fasta);
        const std::vector<std::string> records = dump(*reader);
        ASSERT_EQ(records.size(), set.views.size()) << name;
        if (format != Format::cram) {
            EXPECT_EQ(records, dump(set.views)) << name;
        }
        EXPECT_EQ(reader->has_index(), format != Format::sam) << name;
        ASSERT_EQ(reader->read_groups().size(), 1u);
        EXPECT_EQ(reader->read_groups()[0].library, "lib");
    }
}

std::string refusal(const std::string& path) {
    try {
        const auto reader = Reader::open(path);
        dump(*reader);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        return error.what();
    }
    return "read";
}

TEST(Bam, damaged_and_unsorted_files_are_refused) {
    const Set set(400);
    const std::string path = set.folder.path("out.bam");
    write_indexed(set, path, 100);
    const std::string whole = tests::read_file(path);
    EXPECT_NE(refusal(set.folder.write("a.bam", whole.substr(0, whole.size() - 28)))
                  .find("truncated: its end-of-file marker"),
              std::string::npos);
    EXPECT_NE(refusal(set.folder.write("b.bam", whole.substr(0, 10))), "read");
    const std::string marker = whole.substr(whole.size() - 28);
    EXPECT_NE(refusal(set.folder.write("c.bam", whole.substr(0, whole.size() / 2) + marker)), "read");
    std::string flipped = whole;
    flipped[whole.size() / 2] ^= 4;
    EXPECT_NE(refusal(set.folder.write("d.bam", flipped)), "read");
    EXPECT_NE(refusal(set.folder.write("e.bam", "")), "read");
    EXPECT_NE(refusal(set.folder.write("f.bam", "@r\nACGT\n+\nIIII\n")), "read");

    const std::string head = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:100\n";
    const auto line = [](const char* name, int position, const char* cigar) {
        return std::string(name) + "\t0\tc\t" + std::to_string(position) + "\t60\t" + cigar +
               "\t*\t0\t0\tACGT\tIIII\n";
    };
    EXPECT_EQ(refusal(set.folder.write("g.sam", head + line("a", 5, "4M") + line("b", 9, "4M"))), "read");
    EXPECT_NE(refusal(set.folder.write("g.sam", head + line("a", 9, "4M") + line("b", 5, "4M")))
                  .find("record 2: comes before"),
              std::string::npos);
    EXPECT_NE(refusal(set.folder.write("g.sam", head + line("a", 98, "4M")))
                  .find("record 1: reaches past the end of contig 'c'"),
              std::string::npos);
    EXPECT_NE(refusal(set.folder.write("g.sam", head + line("a", 9, "3M"))), "read");
}

TEST(Bam, reference_must_fit) {
    const Set set(40);
    const std::string path = set.folder.path("out.bam");
    write_indexed(set, path, 100);
    const auto message = [&](const std::string& fasta_text) {
        const auto reference = fasta::load(set.folder.write("other.fa", fasta_text));
        try {
            Reader::open(path)->check_reference(*reference);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::reference_mismatch);
            return std::string(error.what());
        }
        return std::string("fits");
    };
    const std::string text = tests::read_file(set.fasta);
    EXPECT_EQ(message(text), "fits");
    EXPECT_NE(message(">chrone\nACGT\n").find("contig 'one' is not in the reference"), std::string::npos);
    EXPECT_TRUE(message(">chrone\nACGT\n").ends_with("which has 'chrone': use the names of the reference"));
    EXPECT_TRUE(
        message(">other\nACGT\n")
            .ends_with(", nor are 3 others of its header (two, empty, three): give the reference that it "
                       "was aligned to, with --regions too"));
    std::string changed = text;
    changed[100] = changed[100] == 'A' ? 'C' : 'A';
    EXPECT_NE(message(changed).find("has another sequence"), std::string::npos);
    changed.insert(100, "A");
    EXPECT_NE(message(changed).find("is 300000 bp long, but 300001"), std::string::npos);
}

}  // namespace
}  // namespace gannet::data::bam
