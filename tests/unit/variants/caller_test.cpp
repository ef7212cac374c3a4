// SPDX-License-Identifier: MIT
// Tests the caller whole: known variants are found, and the result does not depend on how the genome is cut.
#include "variants/caller.hpp"

#include "data/vcf/writer.hpp"
#include "kernels/op_table.hpp"
#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace gannet::variants {
namespace {

using namespace testing;

/// Lines of the calls; `batch` windows are begun together.
std::vector<std::string> call(const std::shared_ptr<const data::Reference>& reference,
                              const std::vector<std::shared_ptr<const RecordChunk>>& chunks,
                              const data::RegionSet& regions, size_t batch, const SampleModel& sample = {}) {
    static const kernels::OpTable ops = kernels::make_op_table(std::nullopt, std::nullopt);
    const auto stream = ops.make_stream();
    const Caller caller(reference, {}, regions, {}, {}, sample);
    CallWork work;
    std::vector<data::Variant> out;
    std::vector<WindowReads> waiting;
    const auto flush = [&] {
        caller.begin(std::move(waiting), work);
        waiting.clear();
        ops.pair_hmm(*stream, work.jobs, work.likelihoods);
        stream->wait();
        caller.genotype(work);
        caller.finish(work, out);
    };
    WindowFeeder feeder(*reference, regions, [&](WindowReads&& window) {
        waiting.push_back(std::move(window));
        if (waiting.size() == batch) flush();
    });
    for (const auto& chunk : chunks) feeder.push(chunk);
    feeder.finish();
    flush();
    std::vector<std::string> lines;
    for (const data::Variant& variant : out) lines.push_back(data::vcf::to_text(variant, *reference));
    return lines;
}

/// A line without its phase: blocks end where a window ends.
std::string without_phase(const std::string& line) {
    const size_t sample = line.rfind('\t') + 1;
    const size_t bar = line.find('|', sample);
    if (bar == std::string::npos) return line;
    std::string text = line.substr(0, line.rfind(':'));  // PS
    text.replace(text.find(":PS\t"), 4, "\t");
    const auto [first, second] = std::minmax(text[sample - 3], text[bar - 2]);
    return text.substr(0, sample - 3) + first + '/' + second + text.substr(bar - 1);
}

/// SNPs and indels in random sequence with a few repeats, one about every 150 bp.
std::vector<Change> random_changes(std::mt19937_64& random, const std::string& letters) {
    std::vector<Change> changes;
    for (int64_t at = 200; at + 300 < static_cast<int64_t>(letters.size());
         at += 60 + static_cast<int64_t>(random() % 200)) {
        const auto i = static_cast<size_t>(at);
        const uint64_t sides = 1 + random() % 3;
        Change change{at, letters.substr(i, 1), "", {(sides & 1) != 0, (sides & 2) != 0}};
        switch (random() % 4) {
            case 0:
                change.reference = letters.substr(i, 1 + 1 + random() % 12);
                change.alternate = letters.substr(i, 1);
                break;
            case 1:
                change.alternate = letters.substr(i, 1) + random_letters(random, 1 + random() % 45);
                break;
            default:
                change.alternate = std::string(
                    1, "ACGT"[(data::k_base_of_letter[static_cast<uint8_t>(letters[i])] + 1 + random() % 3) %
                              4]);
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

std::string reference_with_repeats(std::mt19937_64& random, size_t length) {
    std::string letters = random_letters(random, length);
    for (size_t at = 500; at + 200 < length; at += 700 + random() % 900) {
        const std::string unit = random_letters(random, 1 + random() % 5);
        for (size_t i = 0; i < 15 + random() % 60; ++i) letters[at + i] = unit[i % unit.size()];
    }
    return letters;
}

TEST(Caller, random_shards_and_batches_give_the_same_calls) {
    std::mt19937_64 random(11);
    const std::string letters = reference_with_repeats(random, 36'000);
    const auto reference = make_reference(letters);
    const auto changes = random_changes(random, letters);
    auto reads = simulate(random, letters, changes, {});
    for (auto& read :
         reads) {  // a stretch where nothing fits, over a seam of windows: groups of candidates must be cut
        if (read.position < 15'800 || read.position > 16'900) continue;
        for (char& letter : read.letters) {
            if (random() % 4 == 0) letter = "ACGT"[random() % 2];
        }
    }
    const auto whole = call(reference, make_chunks(reads, 1'000'000), {}, 1);
    ASSERT_GT(whole.size(), 200u);
    for (int round = 0; round < 4; ++round) {
        std::set<int64_t> cuts{0, static_cast<int64_t>(letters.size())};
        for (uint64_t i = random() % 12; i > 0; --i)
            cuts.insert(static_cast<int64_t>(random() % letters.size()));
        if (round == 0) cuts.insert({8'192, 16'384, 24'576});
        const auto chunks = make_chunks(reads, 1 + random() % 700);
        std::vector<std::string> united;
        for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
            const data::RegionSet shard({{0, *cut, *std::next(cut)}});
            const auto part = call(reference, chunks, shard, 1 + random() % 5);
            united.insert(united.end(), part.begin(), part.end());
        }
        EXPECT_EQ(united, whole) << "round " << round;
    }
}

TEST(Caller, windows_elsewhere_give_the_same_calls) {
    // The grid is absolute: N before the sequence moves it under the same reads. What stands at a seam then
    // stands inside a window.
    std::mt19937_64 random(12);
    const std::string letters = reference_with_repeats(random, 36'000);
    const auto changes = random_changes(random, letters);
    const auto reads = simulate(random, letters, changes, {});
    const auto calls_shifted_by = [&](int64_t shift) {
        auto moved = reads;
        for (auto& read : moved) read.position += shift;
        auto lines = call(make_reference(std::string(static_cast<size_t>(shift), 'N') + letters),
                          make_chunks(moved, 400), {}, 3);
        for (std::string& line : lines) {  // "c", POS, ...
            const size_t end = line.find('\t', 2);
            line =
                std::to_string(std::stoll(line.substr(2, end - 2)) - shift) + without_phase(line.substr(end));
        }
        return lines;
    };
    const auto plain = calls_shifted_by(0);
    ASSERT_GT(plain.size(), 200u);
    for (const int64_t shift : {1'024, 4'096, 6'400, 8'128})
        EXPECT_EQ(calls_shifted_by(shift), plain) << "shift " << shift;
}

TEST(Caller, isolated_variants_are_found_with_their_genotypes) {
    std::mt19937_64 random(5);
    std::string letters = random_letters(random, 12'000);
    letters.replace(3000, 12, "ACACACACACAC");
    letters[2999] = 'G';
    letters[3012] = 'T';
    letters.replace(5000, 3, "CGT");
    letters.replace(7000, 1, "A");
    letters.replace(9000, 2, "TG");
    std::string inserted = random_letters(random, 40);
    inserted.front() = 'C';
    inserted.back() = 'C';
    const std::vector<Change> changes = {{3000 - 1, "GAC", "G", {true, false}},
                                         {5000, "C", "A", {true, true}},
                                         {7000, "A", "T", {false, true}},
                                         {9000, "T", "T" + inserted, {true, false}}};
    const auto reads = simulate(random, letters, changes, {});
    const auto lines = call(make_reference(letters), make_chunks(reads, 500), {}, 2);
    ASSERT_EQ(lines.size(), changes.size());
    const char* genotypes[] = {"0|1", "1/1", "0|1", "0|1"};
    for (size_t i = 0; i < changes.size(); ++i) {
        const std::string site = "c\t" + std::to_string(changes[i].position + 1) + "\t.\t" +
                                 changes[i].reference + "\t" + changes[i].alternate + "\t";
        EXPECT_EQ(lines[i].substr(0, site.size()), site);
        EXPECT_NE(lines[i].find("\tPASS\t"), std::string::npos) << lines[i];
        EXPECT_NE(lines[i].find(genotypes[i]), std::string::npos) << lines[i];
    }
}

/// Begins of the lines: contig to ALT.
std::vector<std::string> sites_of(const std::vector<std::string>& lines) {
    std::vector<std::string> sites;
    for (const std::string& line : lines) {
        size_t end = 0;
        for (int field = 0; field < 5; ++field) end = line.find('\t', end) + 1;
        sites.push_back(line.substr(0, end));
    }
    return sites;
}

std::string site_of(const Change& change) {
    return "c\t" + std::to_string(change.position + 1) + "\t.\t" + change.reference + "\t" +
           change.alternate + "\t";
}

/// Within the reach of its segments, a region's reads have the SNVs of the regions beside it.
TEST(Caller, snvs_of_the_next_region_do_not_take_the_reads_of_a_haplotype) {
    std::mt19937_64 random(25);
    std::string letters = random_letters(random, 6'000);
    std::vector<Change> changes;
    for (const int64_t offset : {-20, -19, -18, -17, 0, 8, 16, 24, 32, 49, 50, 51, 52}) {
        letters[static_cast<size_t>(3'000 + offset)] = 'C';
        changes.push_back({3'000 + offset, "C", "G", {true, false}});
    }
    const auto reads = simulate(random, letters, changes, {});
    const auto lines = call(make_reference(letters), make_chunks(reads, 500), {}, 2);
    std::vector<std::string> expected;
    for (const Change& change : changes) expected.push_back(site_of(change));
    EXPECT_EQ(sites_of(lines), expected);
    for (size_t i = 4; i < 9; ++i) EXPECT_NE(lines.at(i).find(":32:11,21:"), std::string::npos) << lines[i];
}

TEST(Caller, alleles_that_only_clipped_reads_show_are_found) {
    std::mt19937_64 random(15);
    std::string letters = random_letters(random, 14'000);
    for (const int64_t at : {2'000, 4'000, 6'000, 8'000, 10'000}) {  // no gap can be moved
        letters.replace(static_cast<size_t>(at), 2, "AC");
        letters.replace(static_cast<size_t>(at) + 300, 2, "GT");
    }
    const std::vector<Change> changes = {
        {2'000, letters.substr(2'000, 301), "A", {true, false}},
        {4'000, letters.substr(4'000, 121), "A", {true, true}},
        {6'000, "A", "AG" + random_letters(random, 160) + "G", {false, true}},
        {8'000, "A", "AG" + random_letters(random, 70) + "G", {true, true}},
        {10'000, "A", "A" + letters.substr(10'001, 90), {true, false}}};  // a tandem duplication
    ReadOptions options;
    options.longest_gap = 20;
    const auto lines =
        call(make_reference(letters), make_chunks(simulate(random, letters, changes, options), 500), {}, 2);
    std::vector<std::string> expected;
    for (const Change& change : changes) expected.push_back(site_of(change));
    EXPECT_EQ(sites_of(lines), expected);
    const char* genotypes[] = {"0|1", "1/1", "0|1", "1/1", "0|1"};
    for (size_t i = 0; i < std::min(lines.size(), changes.size()); ++i) {
        EXPECT_NE(lines[i].find(genotypes[i]), std::string::npos) << lines[i];
        EXPECT_NE(lines[i].find("\tPASS\t"), std::string::npos) << lines[i];
    }
}

/// A repeat of three copies that differ, as chr6 has it beside HLA genes. Reads are aligned without gaps,
/// with whichever of their ends has fewer mismatches: no aligner shows a gap for so few. Beyond the deletion
/// a read resembles the copy that was deleted, and its part in the region resembles the next copy too.
TEST(Caller, a_lost_copy_of_a_repeat_whose_copies_differ_is_found) {
    const std::string before = "CAGTCAGTCTGAACTGATGGCGGGAGATGCTGATGCTTGCTTATC";  // the end of one more
    const std::string copies =
        "CTCATTCCCCGTTTATTTATTCTTCGTTAATTCAGTCCAAACTCCCCTCAGTCTGAACTGATGGCGGGAGATGCTGATGCTTGCTTATA"
        "CTCATTCCCTGTTTATTTATTCTTCATTAATTCAATCCAAACTCCCCTCAGTCTGAACTGATGGTGGGAGATGCTGATGCTTGCTTATC"
        "CTCATTCCCCGTTTATTTATTCTTCATTAATTCAATCCAATC";
    std::mt19937_64 random(19);
    std::string letters = random_letters(random, 6'000);
    letters.replace(3'000 - before.size(), before.size() + copies.size(), before + copies);
    const std::vector<Change> changes = {{2'999, letters.substr(2'999, 90), "C", {true, false}}};
    ReadOptions options;
    options.error = 0;
    options.depth = 20;
    auto reads = simulate(random, letters, changes, options);
    for (SimulatedRead& read : reads) {
        if (read.cigar.size() == 1) continue;
        const auto size = static_cast<int64_t>(read.letters.size());
        const int64_t right =
            read.position + (data::cigar_op(read.cigar[1]) == data::k_cigar_deletion ? 89 : 0);
        const auto mismatches = [&](int64_t position) {
            int64_t count = 0;
            for (int64_t i = 0; i < size; ++i)
                count += letters[static_cast<size_t>(position + i)] != read.letters[static_cast<size_t>(i)];
            return count;
        };
        if (data::cigar_op(read.cigar[0]) == data::k_cigar_soft_clip)
            read.position -= data::cigar_length(read.cigar[0]);
        else if (mismatches(right) < mismatches(read.position))
            read.position = right;
        read.cigar = {data::cigar_element(static_cast<uint32_t>(size), data::k_cigar_match)};
    }
    std::stable_sort(reads.begin(), reads.end(),
                     [](const SimulatedRead& a, const SimulatedRead& b) { return a.position < b.position; });
    const auto lines = call(make_reference(letters), make_chunks(reads, 500, 30), {}, 2);
    EXPECT_EQ(sites_of(lines), std::vector<std::string>{site_of(changes[0])});
    ASSERT_FALSE(lines.empty());
    EXPECT_NE(lines[0].find("0|1"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("\tPASS\t"), std::string::npos) << lines[0];
    const std::string likelihoods = lines[0].substr(lines[0].rfind(':', lines[0].rfind(':') - 1) + 1);
    EXPECT_GT(std::stoi(likelihoods), 250)
        << "of 0/0: a read's part in the region fits the next copy as well " << lines[0];
}

/// A repeat of the unit over [begin, end) of random sequence, which no base beside it continues.
std::string letters_with_repeat(std::mt19937_64& random, size_t length, const std::string& unit, size_t begin,
                                size_t end) {
    std::string letters = random_letters(random, length);
    for (size_t i = begin; i < end; ++i) letters[i] = unit[(i - begin) % unit.size()];
    letters[begin - 1] = unit.back() == 'A' ? 'C' : 'A';
    letters[end] = unit[(end - begin) % unit.size()] == 'G' ? 'T' : 'G';
    return letters;
}

TEST(Caller, indels_of_long_repeats_are_written_once_and_leftmost) {
    // Long reads show the indel at the right end of the repeat: up to 1,200 bp from its leftmost position,
    // and in another window.
    std::mt19937_64 random(16);
    const std::string satellite = random_letters(random, 100);
    for (const int64_t begin : {k_window_bp - 1'150, k_window_bp - 600, k_window_bp - 1, k_window_bp}) {
        for (const std::string& unit : {std::string("CA"), satellite}) {
            const int64_t end = begin + 1'200;
            const auto unit_bp = static_cast<int64_t>(unit.size());
            const std::string letters = letters_with_repeat(random, 14'000, unit, static_cast<size_t>(begin),
                                                            static_cast<size_t>(end));
            const std::string before = letters.substr(static_cast<size_t>(begin) - 1, 1);
            const bool is_deletion = begin % 2 == 0;
            const auto last = static_cast<size_t>(end - unit_bp);
            const Change shown = is_deletion ? Change{end - unit_bp - 1,
                                                      letters.substr(last - 1, unit.size() + 1),
                                                      letters.substr(last - 1, 1),
                                                      {true, true}}
                                             : Change{end - 1,
                                                      letters.substr(static_cast<size_t>(end) - 1, 1),
                                                      letters.substr(static_cast<size_t>(end) - 1, 1) + unit,
                                                      {true, true}};
            const Change leftmost = is_deletion ? Change{begin - 1, before + unit, before, {true, true}}
                                                : Change{begin - 1, before, before + unit, {true, true}};
            ReadOptions options;
            options.length = 2'500;
            options.depth = 20;
            options.error = 0;
            const auto reads = simulate(random, letters, std::span(&shown, 1), options);
            const auto reference = make_reference(letters);
            const auto whole = call(reference, make_chunks(reads, 500), {}, 1);
            EXPECT_EQ(sites_of(whole), std::vector<std::string>{site_of(leftmost)}) << begin << " " << unit;
            std::vector<std::string> united;
            for (const auto& [from, to] :
                 {std::pair<int64_t, int64_t>{0, k_window_bp}, {k_window_bp, 14'000}}) {
                const auto part = call(reference, make_chunks(reads, 7), data::RegionSet({{0, from, to}}), 2);
                united.insert(united.end(), part.begin(), part.end());
            }
            EXPECT_EQ(united, whole);
        }
    }
}

TEST(Caller, site_beside_a_deletion_has_the_allele_of_the_deleted_haplotype) {
    SampleWithDeletions sample;
    const auto reference = make_reference(sample.letters);
    const auto chunks = make_chunks(simulate(sample.random, sample.letters, sample.changes, {}), 500);
    const auto lines = call(reference, chunks, {}, 2);
    ASSERT_EQ(lines.size(), 4u);
    for (size_t i = 0; i < 2; ++i) {
        const std::string place = std::to_string(sample.places[i] + 1);
        const std::string& deletion = lines[2 * i];
        const std::string& site = lines[2 * i + 1];
        EXPECT_EQ(deletion.substr(0, 9 + place.size()), "c\t" + place + "\t.\tGATT") << deletion;
        EXPECT_NE(site.find("\tA\tC,*\t"), std::string::npos) << site;
        // Where one window has both, they are in one block. At the seam the deletion is of the window before.
        EXPECT_NE(deletion.find("\t0|1:"), std::string::npos) << deletion;
        EXPECT_NE(site.find("\t1|2:"), std::string::npos) << site;
        const std::string block = i == 0 ? place : std::to_string(sample.places[i] + 11);
        EXPECT_EQ(site.substr(site.rfind(':') + 1), block) << site;
        EXPECT_NE(site.find(":0,"), std::string::npos) << site;  // no read has the reference's base
    }
    // The same where the deletion is outside the targets.
    for (size_t i = 0; i < 2; ++i) {
        const data::RegionSet target({{0, sample.places[i] + 5, sample.places[i] + 100}});
        EXPECT_EQ(call(reference, chunks, target, 1), std::vector<std::string>{lines[2 * i + 1]}) << i;
    }
}

TEST(Caller, phase_does_not_depend_on_the_targets) {
    // A chain of sites that are 120 bp apart: each read links two. The block begins at the window's first.
    std::mt19937_64 random(23);
    std::string letters = random_letters(random, 12'000);
    std::vector<Change> changes;
    for (int64_t at = 1000; at < 10'000; at += 60 + static_cast<int64_t>(random() % 50)) {
        const auto i = static_cast<size_t>(at);
        const bool side = random() % 2 == 0;
        letters[i] = 'A';
        changes.push_back({at, "A", "C", {side, !side}});
    }
    const auto reference = make_reference(letters);
    const auto chunks = make_chunks(simulate(random, letters, changes, {}), 500);
    const auto whole = call(reference, chunks, {}, 1);
    ASSERT_EQ(whole.size(), changes.size());
    std::map<std::string, size_t> blocks;
    for (const std::string& line : whole) ++blocks[line.substr(line.rfind(':') + 1)];
    EXPECT_GT(blocks["1001"], changes.size() / 2);  // up to the end of the window
    std::vector<std::string> united;
    for (int64_t at = 0; at < 12'000; at += 100) {
        const auto part = call(reference, chunks, data::RegionSet({{0, at, at + 100}}), 1);
        united.insert(united.end(), part.begin(), part.end());
    }
    EXPECT_EQ(united, whole);
    // Each site is on the haplotype that it was put on.
    const bool first = changes.front().on[0];
    for (size_t i = 0; i < whole.size() && changes[i].position < k_window_bp; ++i) {
        const bool same = changes[i].on[0] == first;
        EXPECT_NE(whole[i].find(same ? "\t0|1:" : "\t1|0:"), std::string::npos) << whole[i];
    }
}

TEST(Caller, reads_without_variants_give_no_calls) {
    std::mt19937_64 random(6);
    const std::string letters = random_letters(random, 20'000);
    ReadOptions options;
    options.error = 0.001;
    EXPECT_TRUE(call(make_reference(letters), make_chunks(simulate(random, letters, {}, options), 300), {}, 1)
                    .empty());
}

/// Reads of the alternate allele have a mismatch more, and so a lower mapping quality.
TEST(Caller, an_allele_is_found_whose_reads_are_below_the_minimum_mapping_quality) {
    std::mt19937_64 random(8);
    const std::string letters = random_letters(random, 4'000);
    const int64_t at = 2'000;
    const std::string other(1, letters[at] == 'A' ? 'C' : 'A');
    const std::vector<Change> changes = {{at, letters.substr(at, 1), other, {true, false}}};
    std::vector<SimulatedRead> reads = simulate(random, letters, changes, {});
    const auto is_over = [&](const SimulatedRead& read) {
        return read.position <= at && at < read.position + static_cast<int64_t>(read.letters.size());
    };
    for (SimulatedRead& read : reads) {
        if (is_over(read) && read.letters[static_cast<size_t>(at - read.position)] == other[0])
            read.mapping_quality = 14;
    }
    const auto reference = make_reference(letters);
    const auto lines = call(reference, make_chunks(reads, 300), {}, 1);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("c\t2001\t"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("\tPASS\t"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("\t0|1:"), std::string::npos) << lines[0];

    // Where most reads fit another place as well, those that do so nearly are no evidence.
    for (size_t i = 0; i < reads.size(); ++i) {
        if (reads[i].mapping_quality < 0 && i % 4 != 0) reads[i].mapping_quality = 0;
    }
    EXPECT_TRUE(call(reference, make_chunks(reads, 300), {}, 1).empty());
}

/// One base is wrong in a part of the forward reads over it, and is the one before it.
TEST(Caller, a_systematic_error_is_filtered_in_samples_that_have_them) {
    std::mt19937_64 random(12);
    std::string letters = random_letters(random, 4'000);
    const int64_t at = 2'000;
    letters.replace(static_cast<size_t>(at) - 1, 3, "GCA");
    ReadOptions options;
    options.depth = 22;  // with more, the reads of the other strand alone are too few by chance
    std::vector<SimulatedRead> reads = simulate(random, letters, {}, options);
    int seen = 0;
    for (SimulatedRead& read : reads) {
        const int64_t offset = at - read.position;
        if (read.reverse || offset < 0 || offset >= static_cast<int64_t>(read.letters.size())) continue;
        if (seen++ % 5 < 2) read.letters[static_cast<size_t>(offset)] = 'G';
    }
    ASSERT_GT(seen, 7);
    const auto reference = make_reference(letters);
    const auto chunks = make_chunks(reads, 300);
    const auto as_clean = call(reference, chunks, {}, 1);
    ASSERT_EQ(as_clean.size(), 1u);
    EXPECT_NE(as_clean[0].find("c\t2001\t.\tC\tG\t"), std::string::npos) << as_clean[0];
    EXPECT_EQ(as_clean[0].find("StrandBias"), std::string::npos) << as_clean[0];

    SampleModel sample;
    sample.errors.per_billion = {20'000, 300'000};
    const auto as_prone = call(reference, chunks, {}, 1, sample);
    ASSERT_EQ(as_prone.size(), 1u);
    EXPECT_NE(as_prone[0].find("StrandBias"), std::string::npos) << as_prone[0];
}

TEST(Caller, no_windows_or_no_reads_give_no_calls) {
    const auto reference = make_reference(std::string(500, 'A'));
    EXPECT_TRUE(call(reference, {}, {}, 1).empty());
    const Caller caller(reference, {}, {});
    CallWork work;
    std::vector<data::Variant> out;
    WindowReads empty;
    empty.window = {0, 0, 500};
    std::vector<WindowReads> windows;
    windows.push_back(std::move(empty));
    caller.begin(std::move(windows), work);
    EXPECT_EQ(work.jobs.pairs(), 0u);
    caller.genotype(work);
    caller.finish(work, out);
    EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace gannet::variants
