// SPDX-License-Identifier: MIT
// Provides tests of the index: the same bytes from any number of threads, complete look-ups, refusals.
#include "align/index/index.hpp"

#include "align/index/file.hpp"
#include "data/error.hpp"
#include "kernels/seeds/syncmers.hpp"
#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

namespace gannet::align {
namespace {

using kernels::hash_kmer;
using kernels::Syncmer;
using kernels::SyncmerScratch;

using tests::Genome;
using tests::Random;

std::string file_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Random, with a repeated element, tandem repeats, N runs and lower complexity.
std::vector<std::pair<std::string, std::string>> mixed_contigs(uint64_t seed) {
    Random random(seed);
    const std::string element = random.bases(400);
    std::string first = random.bases(20'000);
    for (size_t i = 0; i < 40; ++i) {
        std::string copy = element;
        copy[random.below(copy.size())] = 'A';
        first.replace(random.below(19'000), copy.size(), copy);
    }
    first.replace(5'000, 300, std::string(300, 'N'));
    first.replace(9'000, 200, std::string(200, 'A'));
    std::string second = random.bases(3'000);
    for (size_t i = 0; i < 50; ++i) second.replace(1'000 + 7 * i, 7, "ACCGTTA");
    return {{"one", first}, {"two", second}, {"short", "ACGT"}, {"onlyN", std::string(50, 'N')}};
}

uint64_t packed_kmer(std::string_view letters) {
    uint64_t kmer = 0;
    for (size_t i = 0; i < letters.size(); ++i) {
        kmer |= uint64_t{data::k_base_of_letter[static_cast<uint8_t>(letters[i])]} << 2 * i;
    }
    return kmer;
}

std::vector<uint8_t> codes_of(std::string_view letters) {
    std::vector<uint8_t> codes(letters.size());
    data::to_bases(letters, codes);
    return codes;
}

std::vector<uint64_t> packed_of(const std::vector<uint8_t>& codes) {
    std::vector<uint64_t> packed(codes.size() / 32 + 2, 0);
    for (size_t i = 0; i < codes.size(); ++i) packed[i / 32] |= uint64_t{codes[i] & 3u} << 2 * (i % 32);
    return packed;
}

std::vector<Syncmer> syncmers_of(std::string_view letters, IndexParameters parameters = {}) {
    const std::vector<uint8_t> codes = codes_of(letters);
    const std::vector<uint64_t> packed = packed_of(codes);
    const bool has_n = std::find(codes.begin(), codes.end(), 4) != codes.end();
    SyncmerScratch scratch;
    std::vector<Syncmer> out;
    find_syncmers(parameters.kmer, parameters.smer, codes, has_n, packed.data(), 0, scratch, out);
    return out;
}

TEST(Syncmers, both_strands_sample_the_same_kmers) {
    Random random(1);
    for (const IndexParameters parameters : {IndexParameters{21, 11}, {15, 8}, {31, 16}, {23, 12}}) {
        const std::string sequence = random.bases(1'000) + std::string(40, 'A') + random.bases(77);
        const std::vector<Syncmer> forward = syncmers_of(sequence, parameters);
        std::vector<Syncmer> reverse = syncmers_of(tests::reverse_complement(sequence), parameters);
        std::reverse(reverse.begin(), reverse.end());
        ASSERT_EQ(forward.size(), reverse.size());
        for (size_t i = 0; i < forward.size(); ++i) {
            EXPECT_EQ(forward[i].hash, reverse[i].hash);
            EXPECT_EQ(forward[i].position + reverse[i].position + parameters.kmer, sequence.size());
            EXPECT_NE(forward[i].reverse, reverse[i].reverse);
        }
    }
}

TEST(Syncmers, every_window_holds_one_and_the_context_does_not_matter) {
    Random random(2);
    const std::string sequence = random.bases(5'000);
    const std::vector<Syncmer> found = syncmers_of(sequence);
    uint32_t previous = 0;
    for (const Syncmer& syncmer : found) {
        EXPECT_LE(syncmer.position - previous, 10u);
        previous = syncmer.position;
        EXPECT_EQ(syncmers_of(sequence.substr(syncmer.position, 21)).size(), 1u);
    }
    EXPECT_GT(found.size(), sequence.size() / 7);
    EXPECT_LT(found.size(), sequence.size() / 4);
}

TEST(Syncmers, kmers_with_n_are_left_out_and_others_stay) {
    Random random(3);
    std::string sequence = random.bases(300);
    const std::vector<Syncmer> all = syncmers_of(sequence);
    sequence[150] = 'N';
    const std::vector<Syncmer> rest = syncmers_of(sequence);
    size_t expected = 0;
    for (const Syncmer& syncmer : all) expected += syncmer.position > 150 || syncmer.position + 21 <= 150;
    EXPECT_EQ(rest.size(), expected);
    EXPECT_LT(rest.size(), all.size());
}

TEST(Syncmers, sequences_shorter_than_a_kmer_have_none) {
    EXPECT_TRUE(syncmers_of("").empty());
    EXPECT_TRUE(syncmers_of("ACGTACGTACGTACGTACGT").empty());
}

TEST(Index, threads_change_no_byte) {
    const auto contigs = mixed_contigs(4);
    const Genome one(contigs, 1);
    const Genome three(contigs, 3);
    build_index(*one.reference, {}, one.folder.path("again.gannet"), {.threads = 4});
    const std::string bytes = file_bytes(one.folder.path("ref.gannet"));
    EXPECT_GT(bytes.size(), 4096u);
    EXPECT_TRUE(bytes == file_bytes(one.folder.path("again.gannet")));
    // The path of the FASTA is in the file; what follows from the sequences is the same.
    const kernels::SeedIndexView of_one = one.index->view();
    const kernels::SeedIndexView of_three = three.index->view();
    ASSERT_EQ(of_one.word_count, of_three.word_count);
    for (uint64_t i = 0; i < of_one.word_count; ++i)
        ASSERT_EQ(of_one.words[i].value(), of_three.words[i].value());
    ASSERT_EQ(of_one.blocks, of_three.blocks);
    for (uint64_t i = 0; i < of_one.blocks; ++i) ASSERT_EQ(of_one.block_begin[i], of_three.block_begin[i]);
}

TEST(Index, contigs_and_bases_come_back) {
    const Genome genome(mixed_contigs(5));
    const data::Reference& reference = *genome.index->reference();
    ASSERT_EQ(reference.contigs().size(), 4u);
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(reference.contigs()[i].name, genome.contigs[i].first);
        EXPECT_EQ(reference.contigs()[i].md5, genome.reference->contigs()[i].md5);
        EXPECT_EQ(reference.contigs()[i].md5.size(), 32u);
        EXPECT_EQ(reference.letters(i, 0, reference.contigs()[i].length), genome.contigs[i].second);
    }
    genome.index->verify();
}

TEST(Index, every_sampled_kmer_finds_all_its_positions) {
    const Genome genome(mixed_contigs(6));
    // Places of each canonical k-mer, by brute force.
    std::map<uint64_t, std::set<std::pair<uint64_t, bool>>> places;
    for (uint32_t contig = 0; contig < 4; ++contig) {
        const std::string& sequence = genome.contigs[contig].second;
        for (size_t i = 0; i + 21 <= sequence.size(); ++i) {
            const std::string kmer = sequence.substr(i, 21);
            if (kmer.find('N') != std::string::npos) continue;
            const Syncmer hashed = hash_kmer(packed_kmer(kmer), 21);
            places[hashed.hash].insert({genome.reference->contigs()[contig].offset + i, hashed.reverse != 0});
        }
    }
    size_t looked_up = 0;
    size_t repeated = 0;
    for (uint32_t contig = 0; contig < 2; ++contig) {
        for (const Syncmer& seed : syncmers_of(genome.contigs[contig].second)) {
            std::set<std::pair<uint64_t, bool>> found;
            for (const IndexEntry entry : genome.index->find(seed.hash)) {
                found.insert({entry.position(), entry.reverse()});
            }
            ASSERT_EQ(found, places[seed.hash]);
            ++looked_up;
            repeated += found.size() > 1;
        }
    }
    EXPECT_GT(looked_up, 3'000u);
    EXPECT_GT(repeated, 500u);
}

TEST(Index, a_kmer_that_is_not_there_finds_nothing) {
    const Genome genome(mixed_contigs(7));
    Random random(99);
    for (size_t i = 0; i < 200; ++i) {
        const Syncmer hashed = hash_kmer(packed_kmer(random.bases(21)), 21);
        EXPECT_TRUE(genome.index->find(hashed.hash).empty());
    }
}

TEST(Index, narrowing_keeps_the_entries_that_share_most) {
    const Genome genome(mixed_contigs(8));
    const std::span<const uint64_t> packed = genome.index->reference()->packed();
    const auto letters_after = [&](IndexEntry entry, uint32_t length) {
        std::string text;
        for (uint32_t word = 0; 32 * word < length; ++word) {
            const uint64_t bases = context_word(packed, entry, 21, word);
            for (uint32_t i = 0; i < 32; ++i) text += "ACGT"[bases >> (62 - 2 * i) & 3];
        }
        return text.substr(0, length);
    };
    const auto shared = [](std::string_view a, std::string_view b) {
        return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    };
    Random random(9);
    std::vector<kernels::Narrowing> searches;
    std::vector<std::span<const IndexEntry>> runs;
    std::vector<std::string> texts;
    for (const Syncmer& seed : syncmers_of(genome.contigs[0].second)) {
        const auto run = genome.index->find(seed.hash);
        if (run.size() <= kernels::k_short_bucket) continue;
        // The read: one of the entries' own context, with a change somewhere.
        const auto length = static_cast<uint32_t>(1 + random.below(128));
        std::string wanted = letters_after(run[random.below(run.size())], length);
        char& changed = wanted[random.below(length)];
        changed = tests::other_base(changed);
        kernels::Narrowing search{run, {}, length};
        for (uint32_t i = 0; i < length; ++i) {
            search.context[i / 32] |= uint64_t{data::k_base_of_letter[static_cast<uint8_t>(wanted[i])]}
                                      << (62 - 2 * (i % 32));
        }
        searches.push_back(search);
        runs.push_back(run);
        texts.push_back(wanted);
    }
    EXPECT_GT(searches.size(), 100u);
    kernels::GenomeView view;
    view.packed = packed.data();
    view.words = packed.size();
    kernels::narrow(genome.index->view(), view, searches, 5);
    for (size_t i = 0; i < searches.size(); ++i) {
        const std::string& wanted = texts[i];
        const uint32_t length = searches[i].length;
        const auto run = runs[i];
        const auto best = searches[i].run;
        ASSERT_EQ(best.size(), 5u);
        std::vector<size_t> all;
        for (const IndexEntry entry : run) all.push_back(shared(wanted, letters_after(entry, length)));
        std::sort(all.rbegin(), all.rend());
        std::vector<size_t> got;
        for (const IndexEntry entry : best) got.push_back(shared(wanted, letters_after(entry, length)));
        std::sort(got.rbegin(), got.rend());
        EXPECT_EQ(static_cast<size_t>(searches[i].left_out_bp), all[5]);
        all.resize(5);
        EXPECT_EQ(got, all);
    }
}

/// Opens and verifies a changed copy of an index; returns the error, or "" where there is none.
std::pair<data::ErrorKind, std::string> fault_of(const Genome& genome, const std::string& bytes) {
    try {
        Index::open(genome.folder.write("changed.gannet", bytes))->verify(2);
    } catch (const data::Error& error) {
        return {error.kind(), error.what()};
    }
    return {data::ErrorKind::internal, ""};
}

void sign_header(std::string& bytes) {
    const uint64_t checksum = XXH3_64bits(bytes.data(), offsetof(IndexHeader, checksum));
    std::memcpy(bytes.data() + offsetof(IndexHeader, checksum), &checksum, sizeof checksum);
}

TEST(Index, any_flipped_bit_is_found) {
    const Genome genome(mixed_contigs(10));
    const std::string good = file_bytes(genome.folder.path("ref.gannet"));
    ASSERT_EQ(fault_of(genome, good).second, "");
    IndexHeader header;
    std::memcpy(&header, good.data(), sizeof header);
    std::vector<size_t> places;
    for (size_t i = 0; i < 200; ++i) places.push_back(i);  // the header up to its reserved bytes
    for (uint32_t i = 0; i < k_section_count; ++i) {
        places.push_back(header.section[i].offset);
        places.push_back(header.section[i].offset + header.section[i].size_bytes - 1);
        places.push_back(header.section[i].offset + header.section[i].size_bytes);  // padding
    }
    Random random(15);
    for (size_t i = 0; i < 100; ++i) places.push_back(random.below(good.size()));
    for (size_t place : places) {
        place = std::min(place, good.size() - 1);
        std::string bytes = good;
        bytes[place] = static_cast<char>(bytes[place] ^ 1 << random.below(8));
        const auto [kind, message] = fault_of(genome, bytes);
        EXPECT_EQ(kind, data::ErrorKind::malformed_input) << place << " " << message;
        EXPECT_NE(message.find("build it again: gannet index "), std::string::npos)
            << place << " " << message;
    }
}

/// The flags of the mapping of a file, as /proc/self/smaps has them; empty if it is not mapped.
std::string mapping_flags(const std::string& path) {
    std::ifstream maps("/proc/self/smaps");
    bool found = false;
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(path)) found = true;
        if (found && line.starts_with("VmFlags:")) return line;
    }
    return "";
}

TEST(Index, the_mapping_asks_for_huge_pages) {
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
        GTEST_SKIP() << "SKIPPED: this kernel has no transparent huge pages";
    const Genome genome(mixed_contigs(10));
    const std::string flags = mapping_flags(std::filesystem::canonical(genome.folder.path("ref.gannet")));
    EXPECT_NE((flags + " ").find(" hg "), std::string::npos) << flags;
}

TEST(Index, truncated_and_foreign_files_are_refused) {
    const Genome genome(mixed_contigs(10));
    const std::string good = file_bytes(genome.folder.path("ref.gannet"));
    for (const size_t size :
         {size_t{0}, size_t{7}, size_t{4095}, size_t{4096}, good.size() - 4096, good.size() - 1}) {
        EXPECT_EQ(fault_of(genome, good.substr(0, size)).first, data::ErrorKind::malformed_input) << size;
    }
    EXPECT_EQ(fault_of(genome, good + '\0').first, data::ErrorKind::malformed_input);
    EXPECT_EQ(fault_of(genome, "not an index at all").first, data::ErrorKind::malformed_input);
    EXPECT_THROW(Index::open(genome.folder.path("missing")), data::Error);
}

TEST(Index, sections_out_of_the_file_are_refused_even_with_valid_checksums) {
    const Genome genome(mixed_contigs(10));
    const std::string good = file_bytes(genome.folder.path("ref.gannet"));
    for (size_t at = offsetof(IndexHeader, bucket_bits); at < offsetof(IndexHeader, file_size_bytes);
         at += 4) {
        for (const uint32_t value : {0u, 0x7fffffffu, ~0u}) {
            std::string bytes = good;
            std::memcpy(bytes.data() + at, &value, sizeof value);
            if (bytes == good) continue;
            sign_header(bytes);
            EXPECT_EQ(fault_of(genome, bytes).first, data::ErrorKind::malformed_input) << at << " " << value;
        }
    }
}

TEST(Index, other_versions_are_refused_with_advice) {
    const Genome genome(mixed_contigs(10));
    std::string later = file_bytes(genome.folder.path("ref.gannet"));
    later[offsetof(IndexHeader, version)]++;
    sign_header(later);
    std::string first(8192, '\0');  // the header of version 1 was 168 bytes long
    std::memcpy(first.data(), k_index_magic, 8);
    first[offsetof(IndexHeader, version)] = 1;
    const uint64_t checksum = XXH3_64bits(first.data(), 160);
    std::memcpy(first.data() + 160, &checksum, sizeof checksum);
    for (const std::string& bytes : {later, first}) {
        const auto [kind, message] = fault_of(genome, bytes);
        EXPECT_EQ(kind, data::ErrorKind::reference_mismatch);
        EXPECT_NE(message.find("version"), std::string::npos);
        EXPECT_NE(message.find("build it again: gannet index "), std::string::npos);
    }
}

TEST(Index, a_build_beyond_its_memory_is_refused_before_it_begins) {
    const Genome genome(mixed_contigs(11));
    BuildOptions options;
    options.memory_bytes = 40 << 20;
    try {
        build_index(*genome.reference, {}, genome.folder.path("small.gannet"), options);
        FAIL();
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::host_memory);
        EXPECT_NE(std::string(error.what()).find("needs 6"), std::string::npos) << error.what();
    }
    options.memory_bytes = 80 << 20;
    build_index(*genome.reference, {}, genome.folder.path("small.gannet"), options);
    Index::open(genome.folder.path("small.gannet"))->verify();
}

TEST(Index, the_source_file_is_recorded) {
    const Genome genome(mixed_contigs(11));
    BuildOptions options;
    options.source = {123, 456, 789};
    build_index(*genome.reference, {}, genome.folder.path("source.gannet"), options);
    const SourceFile source = Index::open(genome.folder.path("source.gannet"))->source();
    EXPECT_TRUE(source.is_same_file({123, 456, 789}));
    EXPECT_FALSE(source.is_same_file({124, 456, 789}));
    EXPECT_FALSE(source.is_same_file({123, 457, 789}));
    EXPECT_FALSE(source.is_same_file({123, 456, 788}));
    const SourceFile unknown{123, SourceFile::k_unknown_time, 789};
    EXPECT_FALSE(unknown.is_same_file(unknown));
}

TEST(SourceFile, samples_and_times_tell_files_apart) {
    const tests::TemporaryFolder folder;
    Random random(3);
    const std::string text = random.bases(300'000);
    const auto aged = [&](const std::string& name, std::string bytes) {
        const std::string path = folder.write(name, bytes);
        std::filesystem::last_write_time(
            path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
        return SourceFile::of(path);
    };
    const SourceFile one = aged("one", text);
    EXPECT_EQ(one.size_bytes, 300'000u);
    EXPECT_NE(one.modified_ns, SourceFile::k_unknown_time);
    EXPECT_EQ(one.sample_hash, aged("two", text).sample_hash);
    for (const size_t place : {size_t{0}, size_t{4095}, size_t{299'999}, size_t{295'904}}) {
        std::string other = text;
        other[place] = 'N';
        EXPECT_NE(one.sample_hash, aged("three", other).sample_hash) << place;
    }
    EXPECT_EQ(SourceFile::of(folder.write("new", text)).modified_ns, SourceFile::k_unknown_time);
    for (const size_t size : {0, 1, 4096, 4097, 65'536, 65'537}) aged("size", text.substr(0, size));
    EXPECT_THROW(SourceFile::of(folder.path("missing")), data::Error);
}

TEST(Index, two_builds_at_once_leave_one_whole_file) {
    const Genome genome(mixed_contigs(12));
    const std::string path = genome.folder.path("both.gannet");
    const size_t before = genome.folder.files();
    {
        std::vector<std::jthread> builders;
        for (int i = 0; i < 2; ++i) {
            builders.emplace_back([&] { build_index(*genome.reference, {}, path, {.threads = 2}); });
        }
    }
    EXPECT_EQ(genome.folder.files(), before + 1);
    EXPECT_TRUE(file_bytes(path) == file_bytes(genome.folder.path("ref.gannet")));
}

TEST(Index, a_folder_that_is_not_there_is_an_output_error_and_leaves_nothing) {
    const Genome genome(mixed_contigs(13));
    try {
        build_index(*genome.reference, {}, genome.folder.path("none/ref.gannet"), {.threads = 1});
        FAIL();
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::output_failed);
    }
}

TEST(Index, parameters_out_of_range_are_refused) {
    const Genome genome(mixed_contigs(14));
    for (const IndexParameters bad : {IndexParameters{20, 10}, {13, 8}, {33, 16}, {21, 7}, {31, 8}}) {
        EXPECT_THROW(build_index(*genome.reference, bad, genome.folder.path("x"), {}), data::Error);
    }
}

TEST(IndexEntry, positions_beyond_32_bits_come_back) {
    const uint64_t hash = 0x2aaaaaaaaaa;
    for (const uint64_t position : {uint64_t{0}, uint64_t{1} << 32, (uint64_t{1} << 36) - 1}) {
        for (const bool reverse : {false, true}) {
            const IndexEntry entry(hash, position, reverse);
            EXPECT_EQ(entry.position(), position);
            EXPECT_EQ(entry.reverse(), reverse);
            EXPECT_EQ(entry.fingerprint(), hash & ((1 << 27) - 1));
        }
    }
}

}  // namespace
}  // namespace gannet::align
