// SPDX-License-Identifier: MIT
// Tests the readers of FASTQ: every container, what is read, and the message of every refusal.
#include "compress.hpp"
#include "data/error.hpp"
#include "data/fastq/reader.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gannet::data::fastq {
namespace {

using tests::bgzf;
using tests::gzip;
using tests::TemporaryFolder;

struct Read {
    std::string name, bases, qualities;
    bool operator==(const Read&) const = default;
};

std::vector<Read> read_all(const Lane& lane, uint64_t batch_bases = 1000) {
    const auto reader = LaneReader::open(lane, {batch_bases});
    std::vector<Read> reads;
    ReadBatch batch;
    while (reader->read(batch)) {
        const size_t mates = batch.paired ? 2 : 1;
        EXPECT_EQ(batch.reads(), mates * batch.templates());
        for (size_t i = 0; i < batch.reads(); ++i) {
            std::string qualities;
            for (const uint8_t quality : batch.read_qualities(i))
                qualities += static_cast<char>(quality + 33);
            reads.push_back({std::string(batch.name(i / mates)), to_letters(batch.read_bases(i)), qualities});
        }
    }
    EXPECT_EQ(batch.reads(), 0u);
    return reads;
}

/// Random reads of ragged lengths (zero too), one in ten with an N.
std::vector<Read> random_reads(size_t count, int max_length, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Read> reads(count);
    for (size_t i = 0; i < count; ++i) {
        reads[i].name = "lane:" + std::to_string(i) + std::string(random() % 30, 'x');
        const size_t length = random() % static_cast<unsigned>(max_length);
        for (size_t k = 0; k < length; ++k) {
            reads[i].bases += "ACGT"[random() % 4];
            reads[i].qualities += static_cast<char>('#' + random() % 40);
        }
        if (length != 0 && i % 10 == 0) reads[i].bases[random() % length] = 'N';
    }
    return reads;
}

std::string text_of(const std::vector<Read>& reads, const std::string& tail = "",
                    const std::string& newline = "\n") {
    std::string text;
    for (const Read& read : reads) {
        text += '@' + read.name + tail + newline + read.bases + newline + '+' + newline + read.qualities +
                newline;
    }
    return text;
}

std::string refusal(const Lane& lane) {
    try {
        read_all(lane);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
    return "read";
}

std::string refusal_of(const std::string& text) {
    const TemporaryFolder folder;
    const std::string path = folder.write("in.fq", text);
    const std::string message = refusal({path, "", false, 0});
    EXPECT_TRUE(message == "read" || message.starts_with(path + ": ")) << message;
    return message == "read" ? message : message.substr(path.size() + 2);
}

TEST(Fastq, every_container_gives_the_same_reads) {
    const TemporaryFolder folder;
    const std::vector<Read> reads = random_reads(6000, 300, 1);
    const std::string text = text_of(reads);
    const size_t third = text.size() / 3;
    const std::string members =
        gzip(text.substr(0, third)) + gzip("") + gzip(text.substr(third, 1)) + gzip(text.substr(third + 1));
    const std::string mixed =
        bgzf(text.substr(0, third)) + gzip(text.substr(third, third)) + bgzf(text.substr(2 * third));
    const std::vector<std::pair<std::string, std::string>> containers = {
        {"plain.fq", text},
        {"one.fq.gz", gzip(text)},
        {"members.fq.gz", members},
        {"padded.fq.gz", members + std::string(100000, '\0')},
        {"blocks.fq.gz", bgzf(text)},
        {"small_blocks.fq.gz", bgzf(text, 777)},
        {"mixed.fq.gz", mixed},
        {"unended.fq", text.substr(0, text.size() - 1)},
        {"blank.fq", text + "\n\r\n\n"},
        {"dos.fq", text_of(reads, "", "\r\n")},
        {"commented.fq", text_of(reads, "/1 comment\tmore")}};
    for (const auto& [name, content] : containers) {
        EXPECT_EQ(read_all({folder.write(name, content), "", false, 0}), reads) << name;
    }
}

TEST(Fastq, reads_longer_than_the_chunks_are_read) {
    const TemporaryFolder folder;
    const std::vector<Read> reads = random_reads(6, 2000000, 2);
    EXPECT_EQ(read_all({folder.write("long.fq.gz", gzip(text_of(reads))), "", false, 0}, 100), reads);
}

TEST(Fastq, pairs_are_the_same_from_two_files_and_interleaved) {
    const TemporaryFolder folder;
    const std::vector<Read> first = random_reads(3000, 200, 3);
    std::vector<Read> second = random_reads(3000, 200, 4);
    std::vector<Read> both;
    for (size_t i = 0; i < first.size(); ++i) {
        second[i].name = first[i].name;
        both.push_back(first[i]);
        both.push_back(second[i]);
    }
    const std::string one = folder.write("1.fq.gz", gzip(text_of(first, "/1")));
    const std::string two = folder.write("2.fq", text_of(second, "/2 1:N:0"));
    EXPECT_EQ(read_all({one, two, false, 0}), both);
    EXPECT_EQ(read_all({folder.write("i.fq", text_of(both)), "", true, 0}), both);
    std::vector<Read> shorter(second.begin(), second.end() - 1);
    const std::string cut = folder.write("cut.fq", text_of(shorter));
    EXPECT_NE(refusal({one, cut, false, 0}).find("cut.fq: ends after record 2999, but its mates' file"),
              std::string::npos);
    EXPECT_NE(refusal({cut, one, false, 0}).find("cut.fq: ends after record 2999, but its mates' file"),
              std::string::npos);
    std::swap(second[7], second[8]);
    const std::string swapped = folder.write("swapped.fq", text_of(second));
    EXPECT_NE(refusal({one, swapped, false, 0}).find("swapped.fq: record 8: is named"), std::string::npos);
    const std::string odd = folder.write("odd.fq", text_of({both.begin(), both.end() - 1}));
    EXPECT_NE(
        refusal({odd, "", true, 0}).find("odd.fq: record 5999: is the first of a pair without its mate"),
        std::string::npos);
}

TEST(Fastq, mates_of_other_numbers_are_told_what_is_dropped) {
    const TemporaryFolder folder;
    const std::vector<Read> reads = random_reads(10, 200, 3);
    for (const std::string mark : {".", "_", ":", "-", "#"}) {
        const std::string one = folder.write("1.fq", text_of(reads, mark + "1"));
        const std::string two = folder.write("2.fq", text_of(reads, mark + "2"));
        EXPECT_NE(refusal({one, two, false, 0}).find("/1 and /2 alone are dropped"), std::string::npos)
            << mark;
        EXPECT_EQ(refusal({two, one, false, 0}).find("/1 and /2"), std::string::npos) << mark;
    }
}

/// All batches are cut before the first is parsed, and the last one is parsed first.
TEST(Fastq, batches_can_be_parsed_in_any_order) {
    const TemporaryFolder folder;
    const std::vector<Read> first = random_reads(5000, 200, 11);
    std::vector<Read> second = random_reads(5000, 200, 12);
    std::vector<Read> both;
    for (size_t i = 0; i < first.size(); ++i) {
        second[i].name = first[i].name;
        both.push_back(first[i]);
        both.push_back(second[i]);
    }
    const Lane two{folder.write("1.fq.gz", bgzf(text_of(first), 5000)), folder.write("2.fq", text_of(second)),
                   false, 0};
    const Lane one{folder.write("i.fq.gz", gzip(text_of(both))), "", true, 0};
    for (const Lane& lane : {two, one}) {
        for (const uint64_t bases : {uint64_t{1}, uint64_t{3000}, uint64_t{70'000}, uint64_t{10'000'000}}) {
            const auto reader = LaneReader::open(lane, {bases});
            std::vector<TextBatch> texts(1);
            std::vector<ReadBatch> batches(1);
            size_t templates = 0;
            while (const size_t count = reader->cut(texts.back(), batches.back(), 999)) {
                EXPECT_LE(count, 999u);
                EXPECT_EQ(batches.back().paired, true);
                templates += count;
                texts.emplace_back();
                batches.emplace_back();
            }
            EXPECT_EQ(templates, first.size());
            for (size_t i = texts.size(); i-- > 0;) {
                if (!texts[i].empty()) reader->parse(texts[i], batches[i]);
            }
            std::vector<Read> reads;
            for (const ReadBatch& batch : batches) {
                for (size_t i = 0; i < batch.reads(); ++i) {
                    std::string qualities;
                    for (const uint8_t quality : batch.read_qualities(i))
                        qualities += static_cast<char>(quality + 33);
                    reads.push_back(
                        {std::string(batch.name(i / 2)), to_letters(batch.read_bases(i)), qualities});
                }
            }
            EXPECT_TRUE(reads == both) << bases;
        }
    }
}

/// As if the files were parsed one record after the other: a record that is not good comes before a fault of
/// its file that lies behind it, and the first template with one of either file before those after it.
TEST(Fastq, first_fault_of_a_lane_is_the_one_reported) {
    const TemporaryFolder folder;
    const std::vector<Read> reads = random_reads(9000, 200, 13);
    const auto with_fault = [&](size_t record) {
        std::vector<Read> bad = reads;
        bad[record - 1].bases += 'A';
        return text_of(bad);
    };
    const auto cut = [](const std::string& whole) { return whole.substr(0, whole.size() - 100); };
    const std::string good = folder.write("good.fq", text_of(reads));
    const std::string late = folder.write("late.fq.gz", cut(bgzf(with_fault(8000), 3000)));
    EXPECT_NE(refusal({late, "", false, 0}).find("late.fq.gz: record 8000: has"), std::string::npos);
    EXPECT_NE(refusal({late, good, false, 0}).find("late.fq.gz: record 8000: has"), std::string::npos);
    EXPECT_NE(refusal({good, late, false, 0}).find("late.fq.gz: record 8000: has"), std::string::npos);
    const std::string sound = folder.write("sound.fq.gz", cut(bgzf(text_of(reads), 3000)));
    EXPECT_NE(refusal({sound, good, false, 0}).find("sound.fq.gz: truncated"), std::string::npos);
    EXPECT_NE(refusal({good, sound, false, 0}).find("sound.fq.gz: truncated"), std::string::npos);
    const std::string early = folder.write("early.fq", with_fault(7999));
    EXPECT_NE(refusal({late, early, false, 0}).find("early.fq: record 7999: has"), std::string::npos);
    EXPECT_NE(refusal({early, late, false, 0}).find("early.fq: record 7999: has"), std::string::npos);
}

TEST(Fastq, empty_lines_are_read_at_the_end_only) {
    const TemporaryFolder folder;
    const std::vector<Read> reads = random_reads(2000, 200, 14);
    const std::string text = text_of(reads);
    for (const size_t count : {size_t{1}, size_t{5}, size_t{4096}, size_t{700'000}}) {
        const std::string blank(count, '\n');
        EXPECT_EQ(read_all({folder.write("x.fq.gz", bgzf(text + blank)), "", false, 0}), reads) << count;
        const std::string more = folder.write("y.fq.gz", bgzf(text + blank + "@r\nA\n+\nI\n"));
        EXPECT_NE(refusal({more, "", false, 0}).find("y.fq.gz: record 2001: begins with an empty line"),
                  std::string::npos)
            << count;
    }
}

TEST(Fastq, empty_file_gives_no_batch) {
    const TemporaryFolder folder;
    for (const std::string& content : {std::string(), gzip(""), bgzf(""), std::string("\n")}) {
        EXPECT_TRUE(read_all({folder.write("empty", content), "", false, 0}).empty());
    }
}

TEST(Fastq, lower_case_iupac_and_u_are_read) {
    const TemporaryFolder folder;
    const auto reads = read_all(
        {folder.write("x.fq", "@r\nacgtuNRykmswbdhvACGTURYKMSWBDHVn\n+r\nIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII\n"),
         "", false, 0});
    ASSERT_EQ(reads.size(), 1u);
    EXPECT_EQ(reads[0].bases, "ACGTTNNNNNNNNNNNACGTTNNNNNNNNNNN");
}

TEST(Fastq, damaged_compression_is_refused) {
    const TemporaryFolder folder;
    const std::string text = text_of(random_reads(6000, 200, 5));
    for (const std::string& whole : {gzip(text), bgzf(text), gzip(text) + gzip(text)}) {
        for (const size_t cut : {size_t{1}, size_t{4}, size_t{11}, size_t{29}, whole.size() / 3}) {
            const std::string message =
                refusal({folder.write("cut.gz", whole.substr(0, whole.size() - cut)), "", false, 0});
            EXPECT_NE(message.find("cut.gz: truncated: the file ends inside"), std::string::npos)
                << message << cut;
        }
        std::string flipped = whole;
        flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 16);
        EXPECT_NE(refusal({folder.write("flip.gz", flipped), "", false, 0}), "read");
        EXPECT_NE(refusal({folder.write("tail.gz", whole + "tail"), "", false, 0})
                      .find("bytes that are not gzip follow"),
                  std::string::npos);
    }
    std::string flags = gzip(text);
    flags[3] = '\x80';  // reserved: RFC 1952 has readers refuse it
    EXPECT_NE(refusal({folder.write("flags.gz", flags), "", false, 0}).find("flags that do not exist"),
              std::string::npos);
    std::string checksum = gzip(text);
    checksum[checksum.size() - 6] ^= 1;
    EXPECT_NE(
        refusal({folder.write("crc.gz", checksum), "", false, 0}).find("checksum of gzip member 1 is wrong"),
        std::string::npos);
    EXPECT_NE(refusal({folder.write("x.bz2", "BZh91AY&SY"), "", false, 0}).find("bzip2, which is not read"),
              std::string::npos);
}

TEST(Fastq, refusals_name_record_and_cause) {
    const std::string good = "@a\nACGT\n+\nIIII\n";
    EXPECT_EQ(refusal_of(good), "read");
    EXPECT_EQ(refusal_of(good + "@b\n\n+\n\n" + good), "read");
    const std::pair<std::string, std::string> cases[] = {
        {"@b\nACGT\n+\nIII\n" + good, "record 2: has 4 bases but 3 qualities"},
        {"@b\nACGT\n+\nIIIII\n", "record 2: has 4 bases but 5 qualities"},
        {"@b\nACGT\n+\nI", "record 2: the file ends inside it"},
        {"@b\nACGT\n+\n", "record 2: the file ends inside it"},
        {"@b\nACGT\n+\nIII\n", "record 2: has 4 bases but 3 qualities"},
        {"@b\nACGT\n+\n\n", "record 2: has 4 bases but 0 qualities"},
        {"@b\nACGT\n+", "record 2: the file ends inside it"},
        {"@b\nACGT\n", "record 2: the file ends inside it"},
        {"@b", "record 2: the file ends inside it"},
        {"b\nACGT\n+\nIIII\n", "record 2: begins with 'b' instead of '@'"},
        {"\n" + good, "record 2: begins with an empty line"},
        {"@b\nACGT\nACGT\n+\nIIII\nIIII\n",
         "record 2: its sequence runs over several lines (multi-line FASTQ)"},
        {"@b\nACGT\n+c\nIIII\n", "record 2: its third line repeats another name"},
        {"@b\nAC.T\n+\nIIII\n", "record 2: its base 3 is '.'"},
        {"@b\nAC T\n+\nIIII\n", "record 2: its base 3 is a space"},
        {"@b\nACGT\n+\nII\x7fI\n", "record 2: its quality 3 is byte 127"},
        {"@b\nACGT\n+\nI I\tI\n", "record 2: has 4 bases but 5 qualities"},
        {"@b\nACGT\n+\nI II\n", "record 2: its quality 2 is a space"},
        {"@b\nT0120\n+\nIIIII\n", "record 2: holds colours (SOLiD)"},
        {"@\nACGT\n+\nIIII\n", "record 2: has no name"},
        {"@@CO\nACGT\n+\nIIII\n", "record 2: its name begins with @"},
        {"@b\x01\nACGT\n+\nIIII\n", "record 2: its name holds byte 1"},
        {"@" + std::string(255, 'n') + "\nACGT\n+\nIIII\n", "record 2: its name is longer than 254"},
        {"@b\nACGT\n-\nIIII\n", "record 2: its third line does not begin with '+'"}};
    for (const auto& [text, expected] : cases) {
        const std::string message = refusal_of(good + text);
        EXPECT_TRUE(message.starts_with(expected)) << "for " << text << ": " << message;
    }
    EXPECT_TRUE(refusal_of(">a\nACGT\n").starts_with("record 1: begins with '>': this is FASTA"));
    EXPECT_TRUE(refusal_of("@a\nACGT\n+\nhgfB\n")
                    .starts_with("record 1: the qualities so far run from 'B' to 'h': this is Phred+64"));
}

TEST(Fastq, every_byte_that_is_no_letter_is_refused) {
    const std::string letters = "ACGTURYKMSWBDHVNacgturykmswbdhvn";
    for (int byte = 0; byte < 256; ++byte) {
        if (byte == '\n') continue;
        for (const size_t at : {size_t{3}, size_t{18}}) {  // in a group of 16 bases, and after the last one
            std::string bases(20, 'G');
            bases[at] = static_cast<char>(byte);
            const std::string message = refusal_of("@a\n" + bases + "\n+\n" + std::string(20, 'I') + "\n");
            EXPECT_EQ(message == "read", letters.find(static_cast<char>(byte)) != std::string::npos) << byte;
        }
    }
}

TEST(Fastq, every_byte_that_is_not_printable_is_refused_wherever_it_is_in_a_name) {
    for (int byte = 1; byte < 256; ++byte) {
        if (byte == '\n') continue;
        const bool is_good = (byte > ' ' && byte <= '~') || byte == ' ' || byte == '\t';
        for (const size_t length : {5, 16, 17, 40}) {
            for (const size_t at : {size_t{1}, length / 2, length - 2}) {
                std::string name(length, 'n');
                name[at] = static_cast<char>(byte);
                const std::string message = refusal_of("@" + name + "\nACGT\n+\nIIII\n");
                EXPECT_EQ(message == "read", is_good) << byte << " at " << at << " of " << length;
            }
        }
    }
}

TEST(Fastq, names_of_every_length_end_at_the_blank) {
    for (size_t length = 1; length < 50; ++length) {
        for (const size_t rest : {0, 1, 15, 16, 30}) {
            const TemporaryFolder folder;
            const std::vector<Read> reads = {{std::string(length, 'n'), "ACGT", "!~5I"}};
            const std::string path = folder.write("in.fq", text_of(reads, " " + std::string(rest, 'c')));
            EXPECT_EQ(read_all({path, "", false, 0}), reads) << length << ' ' << rest;
        }
    }
}

TEST(Fastq, qualities_out_of_range_are_refused_wherever_they_are) {
    for (size_t length = 1; length < 40; ++length) {
        for (size_t at = 0; at < length; ++at) {
            for (const char quality : {'!', '~', ' ', '\x7f', '\xff'}) {
                std::string qualities(length, '5');
                qualities[at] = quality;
                const std::string bases(length, 'A');
                const std::string message = refusal_of("@a\n" + bases + "\n+\n" + qualities + "\n");
                EXPECT_EQ(message == "read", quality == '!' || quality == '~') << length << ' ' << at;
            }
        }
    }
}

TEST(Fastq, phred_64_is_told_from_good_phred_33) {
    std::string high, old;
    for (int i = 0; i < 1500; ++i) {
        high += "@r" + std::to_string(i) + "\nACGT\n+\nIJIJ\n";
        old += "@r" + std::to_string(i) + "\nACGT\n+\nhhgB\n";
    }
    EXPECT_EQ(refusal_of(high), "read");
    EXPECT_EQ(refusal_of("@r\nACGT\n+\n~~#~\n" + old), "read");
    // Q30, Q40 and Q44, as of reads that were filtered; Q30 to Q60. Of few reads they say too little.
    for (const char* const qualities : {"?I?M", "?I]]"}) {
        std::string binned;
        for (int i = 0; i < 1500; ++i) binned += "@r" + std::to_string(i) + "\nACGT\n+\n" + qualities + "\n";
        EXPECT_EQ(refusal_of(binned), "read") << qualities;
        EXPECT_NE(refusal_of(std::string("@r\nACGT\n+\n") + qualities + "\n"), "read") << qualities;
    }
    EXPECT_TRUE(refusal_of(old).starts_with("record 1000: "));
}

TEST(Fastq, unaligned_sam_is_read_as_pairs) {
    const TemporaryFolder folder;
    const std::string head = "@HD\tVN:1.6\tSO:unsorted\n@RG\tID:l1\tSM:me\tLB:lib\tPU:f.1\n";
    const std::string pair =
        "p\t141\t*\t0\t0\t*\t*\t0\t0\tGGA\tIJK\np\t77\t*\t0\t0\t*\t*\t0\t0\tACGN\tIII#\n";
    const Lane lane{folder.write("u.sam", head + pair), "", false, 3};
    const std::vector<Read> expected = {{"p", "ACGN", "III#"}, {"p", "GGA", "IJK"}};
    EXPECT_EQ(read_all(lane), expected);
    EXPECT_EQ(LaneReader::open(lane)->embedded_read_group().to_sam(), "@RG\tID:l1\tSM:me\tLB:lib\tPU:f.1");
    const std::string lonely = folder.write("l.sam", head + "p\t77\t*\t0\t0\t*\t*\t0\t0\tACGN\tIII#\n");
    EXPECT_NE(refusal({lonely, "", false, 0}).find("l.sam: record 1: the mate of 'p' does not follow it"),
              std::string::npos);
    const std::string unprintable = folder.write("n.sam", head + "p\x01q\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n");
    EXPECT_NE(refusal({unprintable, "", false, 0}).find("n.sam: record 1: its name holds an unprintable"),
              std::string::npos);
}

TEST(Fastq, missing_file_is_named) {
    try {
        LaneReader::open({"/nonexistent/x.fq", "", false, 0});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        EXPECT_STREQ(error.what(), "/nonexistent/x.fq: cannot be opened: No such file or directory");
    }
}

}  // namespace
}  // namespace gannet::data::fastq
