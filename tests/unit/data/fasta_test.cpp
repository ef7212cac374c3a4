// SPDX-License-Identifier: MIT
// Tests loading of FASTA: packing, runs, MD5, containers, refusals, and the index files beside it.
#include "compress.hpp"
#include "data/error.hpp"
#include "data/fasta/contig_lengths.hpp"
#include "data/fasta/faidx_check.hpp"
#include "data/fasta/reader.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gannet::data::fasta {
namespace {

using tests::TemporaryFolder;

std::string refusal(const std::string& text) {
    const TemporaryFolder folder;
    try {
        load(folder.write("x.fa", text));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        return std::string(error.what()).substr(folder.path("x.fa").size() + 2);
    }
    return "read";
}

std::string random_sequence(size_t length, unsigned seed) {
    std::mt19937 random(seed);
    std::string text(length, 'A');
    for (char& letter : text) letter = "ACGTacgt"[random() % 8];
    for (size_t at = 0; at + 500 < length; at += 3000 + random() % 5000) {
        const char letter = "NnRykMSW"[random() % 8];
        std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), 1 + random() % 400, letter);
    }
    return text;
}

std::string upper(std::string text) {
    for (char& letter : text) letter = static_cast<char>(toupper(letter));
    return text;
}

std::string fold(const std::string& text, size_t width, const std::string& newline = "\n") {
    std::string out;
    for (size_t at = 0; at < text.size(); at += width) out += text.substr(at, width) + newline;
    return out;
}

TEST(Fasta, lengths_of_contigs_are_those_of_the_loaded_reference) {
    const TemporaryFolder folder;
    // Lines that end within a buffer of the reader, and one that is longer than it.
    const std::vector<std::string> sequences = {random_sequence(1'300'000, 1), "", random_sequence(64, 3)};
    for (const size_t width : {size_t{61}, size_t{10000000}}) {
        for (const std::string newline : {"\n", "\r\n"}) {
            std::string text;
            for (size_t i = 0; i < sequences.size(); ++i)
                text +=
                    ">s" + std::to_string(i) + "\ta comment" + newline + fold(sequences[i], width, newline);
            const std::string path = folder.write("x.fa", text);
            std::vector<std::pair<std::string, uint64_t>> found;
            const auto keep = [&found](const std::string& name, uint64_t bases) {
                found.emplace_back(name, bases);
                return true;
            };
            for_each_contig(path, keep);
            std::vector<std::pair<std::string, uint64_t>> wanted;
            const auto loaded = load(path);
            for (const Contig& contig : loaded->contigs()) wanted.emplace_back(contig.name, contig.length);
            EXPECT_EQ(found, wanted);
            found.clear();
            for_each_contig(path, [&](const std::string& name, uint64_t bases) {
                return keep(name, bases) && name != "s1";
            });
            EXPECT_EQ(found.size(), 2u) << "it stops where it is told to";
        }
    }
}

TEST(Fasta, sequences_without_bases_are_one_warning) {
    const TemporaryFolder folder;
    std::vector<std::string> warnings;
    const std::string path = folder.write("x.fa", ">a\nACGT\n>b\n>c\n>d\nA\n>e\n\n");
    load(path, &warnings);
    EXPECT_EQ(warnings, std::vector<std::string>{path + ": sequence 'b' has no bases, nor have 2 others"});
}

TEST(Fasta, letters_come_back_from_every_container_and_line_width) {
    const TemporaryFolder folder;
    const std::vector<std::string> sequences = {random_sequence(200'003, 1), "",  "NNNNN",
                                                random_sequence(700'000, 2), "A", random_sequence(64, 3)};
    for (const size_t width : {size_t{60}, size_t{61}, size_t{10000000}}) {
        for (const std::string newline : {"\n", "\r\n"}) {
            std::string text;
            for (size_t i = 0; i < sequences.size(); ++i) {
                text += ">s" + std::to_string(i) + " comment" + newline + fold(sequences[i], width, newline);
            }
            for (const std::string& content : {text, tests::gzip(text), tests::bgzf(text)}) {
                std::vector<std::string> warnings;
                const auto reference = load(folder.write("r.fa", content), &warnings);
                ASSERT_EQ(reference->contigs().size(), sequences.size());
                EXPECT_EQ(warnings.size(), 1u);
                for (uint32_t i = 0; i < sequences.size(); ++i) {
                    const Contig& contig = reference->contigs()[i];
                    EXPECT_EQ(contig.offset % 64, 0u);
                    ASSERT_EQ(contig.length, sequences[i].size());
                    EXPECT_TRUE(reference->letters(i, 0, contig.length) == upper(sequences[i]))
                        << width << " " << i;
                }
            }
        }
    }
}

TEST(Fasta, bases_of_any_range_are_those_of_the_contig) {
    const TemporaryFolder folder;
    const std::string letters = "ACGTTGCAAGCTNNATCGGATTACAGCCGTATAGCTTAACGGTCAATGCGTACCTGATTGACCA";
    const auto reference = load(folder.write("r.fa", ">a\nG\n>b\n" + letters + "\n"));
    const auto length = static_cast<int64_t>(letters.size());
    for (int64_t begin = -2; begin < length; ++begin) {
        for (int64_t end = begin; end < length + 3; ++end) {
            std::vector<Base> bases(static_cast<size_t>(end - begin));
            reference->bases(1, begin, bases);
            for (int64_t i = begin; i < end; ++i) {
                const char letter = i < 0 || i >= length ? 'N' : letters[static_cast<size_t>(i)];
                EXPECT_EQ(bases[static_cast<size_t>(i - begin)],
                          k_base_of_letter[static_cast<uint8_t>(letter)])
                    << begin << ' ' << i;
            }
        }
    }
}

TEST(Fasta, padding_lies_around_every_contig) {
    const TemporaryFolder folder;
    const auto reference = load(folder.write("r.fa", ">a\n" + std::string(63, 'C') + "\n>b\nGG\n>c\nT"));
    const auto& contigs = reference->contigs();
    EXPECT_EQ(contigs[0].offset, 64u);
    EXPECT_EQ(contigs[1].offset, 192u);
    EXPECT_EQ(reference->genome_size(), 448u);
    std::vector<Base> bases(reference->genome_size());
    reference->genome_bases(0, bases);
    for (uint64_t i = 0; i < bases.size(); ++i) {
        bool inside = false;
        for (const Contig& contig : contigs)
            inside |= i >= contig.offset && i < contig.offset + contig.length;
        EXPECT_EQ(bases[i] == k_base_n, !inside) << i;
    }
    uint64_t last = 0;
    for (const NonAcgtRun& run : reference->runs()) {
        EXPECT_GE(run.begin, last);
        EXPECT_GT(run.end, run.begin);
        last = run.end;
    }
}

TEST(Fasta, md5_is_of_the_upper_case_letters) {
    const TemporaryFolder folder;
    const auto reference = load(folder.write("r.fa", ">a x\nacgt\nACGT\n"));
    EXPECT_EQ(reference->contigs()[0].md5, "cc0af3a4fedb18378b4b57b98068e69f");
}

TEST(Fasta, refusals_name_sequence_and_cause) {
    EXPECT_EQ(refusal(""), "holds no sequence");
    EXPECT_EQ(refusal("ACGT\n"), "is not FASTA: its first line does not begin with '>'");
    EXPECT_EQ(refusal("@r\nACGT\n+\nIIII\n"),
              "is FASTQ, not FASTA: the reference comes first, then the reads");
    EXPECT_EQ(refusal(">a\nAC\n>a\nAC\n"), "record 2: the name 'a' occurs twice: names must differ");
    EXPECT_EQ(refusal(">\nAC\n"), "record 1: sequence without a name: write one after '>'");
    EXPECT_EQ(refusal(">a\nACGT\n>b\nACGT\nAC-T\n"),
              "record 2: sequence 'b' holds '-' at base 7, which is not a letter of nucleotides (IUPAC)");
}

TEST(Fasta, names_follow_the_sam_specification) {
    for (const char* good : {"chr1", "HLA-A*01:01", "gi|1|ref", "a=b", "!#$%&+./:;?@^_~-"})
        EXPECT_TRUE(is_valid_contig_name(good)) << good;
    for (const char* bad : {"",   "*",  "=",  "*a", "=a", "a,b", "a\\b", "a\"b", "a'b",  "a`b",     "(a",
                            "a)", "<a", "a>", "[a", "a]", "{a",  "a}",   "a b",  "a\tb", "\xc3\xa4"})
        EXPECT_FALSE(is_valid_contig_name(bad)) << bad;
}

TEST(Fasta, a_contig_past_the_limit_is_refused) {
    const TemporaryFolder folder;
    const std::string path = folder.write("r.fa", ">a\nACGTACGTAC\n>b\nACGTACGTACG\n");
    EXPECT_EQ(load(path, nullptr, 11)->contigs().size(), 2U);
    try {
        load(path, nullptr, 10);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        EXPECT_NE(std::string(error.what()).find("record 2: sequence 'b' is longer than 10 bp"),
                  std::string::npos);
    }
}

/// What the check of a .fai with this content says of a FASTA of two sequences; empty: it fits.
std::string faidx_cause(const std::string& fai, const std::string& fasta = ">a x\nACGT\nAC\n>b\nACG\n") {
    const TemporaryFolder folder;
    const std::string path = folder.write("r.fa", fasta);
    folder.write("r.fa.fai", fai);
    try {
        check_faidx(path);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        return error.what();
    }
    return {};
}

TEST(Fasta, a_fai_must_fit_its_file) {
    EXPECT_EQ(faidx_cause("a\t6\t5\t4\t5\nb\t3\t16\t3\t4\n"), "");
    EXPECT_EQ(faidx_cause("a\t6\t6\t4\t6\nb\t3\t20\t3\t5\n", ">a x\r\nACGT\r\nAC\r\n>b\r\nACG\r\n"), "");
    EXPECT_EQ(faidx_cause("a\t0\t3\t0\t0\nb\t3\t6\t3\t4\n", ">a\n>b\nACG\n"), "");
    for (const char* bad :
         {"", "a\t6\t5\t4\t5\n", "a\t7\t5\t4\t5\nb\t3\t16\t3\t4\n", "a\t6\t5\t3\t5\nb\t3\t16\t3\t4\n",
          "a\t6\t5\t4\t6\nb\t3\t16\t3\t4\n", "b\t6\t5\t4\t5\na\t3\t16\t3\t4\n", "a\t6\t5\t0\t0\n",
          "a\t6\t5\t4\n", "a\t6\t5\t4\t5\nb\t99999999999999999999\t16\t3\t4\n", "a\t-6\t5\t4\t5\n",
          "a\t6\t5\t4\t5\nb\t30\t16\t3\t4\n", "a\t6\t5\t4\t5\nb\t2\t16\t3\t4\n",
          "a\t6\t5\t4\t5\nc\t3\t16\t3\t4\n"})
        EXPECT_NE(faidx_cause(bad).find("r.fa.fai: "), std::string::npos) << bad;
}

/// What is said of a FASTA of which no .fai can be made; empty: one is made.
std::string no_faidx_cause(const std::string& text) {
    const TemporaryFolder folder;
    try {
        EXPECT_TRUE(ensure_faidx(folder.write("r.fa", text)));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        const std::string what = error.what();
        return what.substr(what.find("r.fa: ") + 6);
    }
    return {};
}

TEST(Fasta, why_no_fai_is_made_is_said) {
    const std::string lengths =
        "cannot be indexed (.fai): the lines of sequence b differ in length "
        "(rewrite it: seqtk seq -l 60)";
    const std::string empty = "cannot be indexed (.fai): its last sequence, b, has no bases (remove it)";
    for (const char* text :
         {">a x\nAC\n>b y\nACG\nACGT\n", ">a\nAC\n>b\nACGT\nAC\nAC", ">b\nACGT\n\nACGT\n>c\nAC\n",
          ">a\nAC\n>b\nACG\nACGT\n>c\n", ">b\r\nAC\r\nACGT\r\n"})
        EXPECT_EQ(no_faidx_cause(text), lengths) << text;
    for (const char* text : {">a\nACGT\nAC\n>b x\n", ">a\nAC\n>b\n\n"})
        EXPECT_EQ(no_faidx_cause(text), empty) << text;
    for (const char* text : {">a\nACGT\nAC\n>b\nA\n", ">a\n>b\nACGT\n", ">b\nACGT\n\n>c\nAC\n"})
        EXPECT_EQ(no_faidx_cause(text), "") << text;
}

TEST(Fasta, every_byte_that_is_no_letter_is_refused) {
    const tests::TemporaryFolder folder;
    const std::string letters = "ACGTURYKMSWBDHVNacgturykmswbdhvn";
    for (int byte = 0; byte < 256; ++byte) {
        if (byte == '\n') continue;
        for (const size_t at : {size_t{3}, size_t{18}}) {  // in a group of 16 bases, and after the last one
            std::string bases(20, 'G');
            bases[at] = static_cast<char>(byte);
            bool is_read = true;
            try {
                load(folder.write("x.fa", ">a\n" + bases + "\n"));
            } catch (const Error&) {
                is_read = false;
            }
            EXPECT_EQ(is_read, letters.find(static_cast<char>(byte)) != std::string::npos) << byte;
        }
    }
}

TEST(Fasta, faidx_is_made_where_it_is_missing) {
    const TemporaryFolder folder;
    const std::string text = ">a\nACGT\nAC\n>b\nGGG\n";
    const std::string plain = folder.write("p.fa", text);
    EXPECT_TRUE(ensure_faidx(plain));
    EXPECT_EQ(tests::read_file(plain + ".fai"), "a\t6\t3\t4\t5\nb\t3\t14\t3\t4\n");
    const std::string blocks = folder.write("b.fa.gz", tests::bgzf(text));
    EXPECT_TRUE(ensure_faidx(blocks));
    EXPECT_EQ(tests::read_file(blocks + ".fai"), "a\t6\t3\t4\t5\nb\t3\t14\t3\t4\n");
    EXPECT_EQ(tests::read_file(blocks + ".gzi").size() % 8, 0u);
    EXPECT_EQ(folder.files(), 5u);
    EXPECT_THROW(ensure_faidx(folder.write("g.fa.gz", tests::gzip(text))), Error);
    EXPECT_THROW(ensure_faidx(folder.write("u.fa", ">a\nAC\nACGT\nA\n")), Error);
    EXPECT_EQ(folder.files(), 7u);
}

}  // namespace
}  // namespace gannet::data::fasta
