// SPDX-License-Identifier: MIT
// Provides tests of the aligner as a whole, on reads whose origin is known.
#include "align/aligner.hpp"

#include "tests/unit/align/genome.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace gannet::align {
namespace {

using data::RecordBatch;
using data::RecordView;
using tests::align_batch;
using tests::cigar_of;
using tests::Genome;
using tests::make_batch;
using tests::Random;
using tests::reverse_complement;

constexpr InsertSizeModel k_model{true, 400, 50, 200, 600};

class AlignerTest : public testing::Test {
  protected:
    AlignerTest() : genome(make_contigs()), aligner(genome.index, {}, {group()}) {}

    static data::ReadGroup group() {
        data::ReadGroup out;
        out.id = "lane1";
        out.sample = "s";
        return out;
    }
    /// "two" holds an exact copy of 2,000 bases of "one".
    static std::vector<std::pair<std::string, std::string>> make_contigs() {
        Random random(21);
        const std::string one = random.bases(30'000);
        return {{"one", one},
                {"two", random.bases(10'000) + one.substr(20'000, 2'000) + random.bases(3'000)}};
    }
    std::string part(size_t contig, size_t begin, size_t length) const {
        return genome.contigs[contig].second.substr(begin, length);
    }
    RecordBatch align_single(const std::vector<std::string>& reads) const {
        return align_batch(aligner, make_batch(reads, false), k_model);
    }
    RecordBatch align_pairs(const std::vector<std::string>& reads) const {
        return align_batch(aligner, make_batch(reads, true), k_model);
    }

    Random random{22};
    Genome genome;
    Aligner aligner;
};

/// Rebuilds the reference under a record from its bases, CIGAR and MD; counts NM on the way.
std::pair<std::string, int64_t> rebuilt(const RecordView& record) {
    std::string query;
    for (uint32_t i = 0; i < record.read_length(); ++i) query += data::k_letter_of_base[record.base(i)];
    std::string pairs;  // the read base of each reference base, - for deleted ones
    int64_t edits = 0;
    size_t at = 0;
    for (uint16_t i = 0; i < record.cigar_count(); ++i) {
        const uint32_t length = data::cigar_length(record.cigar(i));
        const data::CigarOp op = data::cigar_op(record.cigar(i));
        if (op == data::k_cigar_match) pairs += query.substr(at, length);
        if (op == data::k_cigar_deletion) pairs += std::string(length, '-');
        if (op == data::k_cigar_insertion || op == data::k_cigar_deletion) edits += length;
        if (data::cigar_consumes_query(op)) at += length;
    }
    const std::string md(record.string_tag("MD").value());
    size_t at_base = 0;
    for (size_t i = 0; i < md.size();) {
        if (std::isdigit(static_cast<unsigned char>(md[i]))) {
            size_t used = 0;
            at_base += std::stoul(md.substr(i), &used);
            i += used;
        } else if (md[i] == '^') {
            for (++i; i < md.size() && std::isalpha(static_cast<unsigned char>(md[i])); ++i) {
                EXPECT_EQ(pairs.at(at_base), '-');
                pairs[at_base++] = md[i];
            }
        } else {
            EXPECT_NE(pairs.at(at_base), md[i]);
            pairs[at_base++] = md[i++];
            ++edits;
        }
    }
    EXPECT_EQ(at_base, pairs.size());
    return {pairs, edits};
}

/// The usual scores times `by`.
AlignerParameters multiplied(int32_t by) {
    AlignerParameters out;
    kernels::BandedSwScoring& scoring = out.scoring;
    for (int32_t* score : {&scoring.match, &scoring.mismatch, &scoring.gap_open, &scoring.gap_extend,
                           &scoring.end_bonus, &out.minimum_score.score, &out.unpaired_penalty})
        *score *= by;
    return out;
}

TEST_F(AlignerTest, scores_that_are_all_multiplied_give_the_same_alignments) {
    std::vector<std::string> reads;
    for (size_t i = 0; i < 200; ++i) {
        const bool copied = i % 3 == 0;
        const size_t begin = copied ? 20'000 + random.below(1'700) : random.below(19'000);
        const size_t insert_bp = 150 + random.below(500);
        for (std::string read : {part(0, begin, 160), reverse_complement(part(0, begin + insert_bp, 160))}) {
            for (size_t j = random.below(9); j > 0; --j) {
                char& base = read[random.below(read.size())];
                base = tests::other_base(base);
            }
            if (random.below(3) == 0) read.erase(40 + random.below(70), 1 + random.below(12));
            if (random.below(4) == 0) read.insert(40 + random.below(70), random.bases(1 + random.below(8)));
            read.resize(150, 'A');
            if (random.below(4) == 0) read.replace(0, 60, random.bases(60));
            reads.push_back(std::move(read));
        }
    }
    const data::ReadBatch batch = make_batch(reads, true);
    const RecordBatch usual = align_batch(aligner, batch, k_model);
    for (const int32_t by : {2, k_max_match_score}) {
        const Aligner other(genome.index, multiplied(by), {group()});
        const RecordBatch found = align_batch(other, batch, k_model);
        ASSERT_EQ(found.entries.size(), usual.entries.size()) << by;
        for (size_t i = 0; i < found.entries.size(); ++i) {
            const RecordView a = usual.view(i);
            const RecordView b = found.view(i);
            ASSERT_EQ(b.flag(), a.flag()) << by << ' ' << i;
            ASSERT_EQ(b.contig(), a.contig()) << by << ' ' << i;
            ASSERT_EQ(b.position(), a.position()) << by << ' ' << i;
            ASSERT_EQ(cigar_of(b), cigar_of(a)) << by << ' ' << i;
            ASSERT_EQ(b.mapping_quality(), a.mapping_quality()) << by << ' ' << i;
            ASSERT_EQ(b.integer_tag("AS").value_or(-by), by * a.integer_tag("AS").value_or(-1))
                << by << ' ' << i;
            ASSERT_EQ(b.integer_tag("XS").value_or(-by), by * a.integer_tag("XS").value_or(-1))
                << by << ' ' << i;
        }
    }
}

TEST_F(AlignerTest, reads_with_errors_and_indels_map_to_their_origin) {
    std::vector<std::string> reads;
    std::vector<std::pair<size_t, size_t>> origin;
    std::vector<bool> reversed;
    for (size_t i = 0; i < 400; ++i) {
        const size_t contig = random.below(2);
        const size_t begin = random.below(contig == 0 ? 19'000 : 9'000);
        std::string read = part(contig, begin, 170);
        for (size_t j = random.below(4); j > 0; --j) {
            char& base = read[random.below(read.size())];
            base = tests::other_base(base);
        }
        if (i % 3 == 0) read.erase(40 + random.below(70), 1 + random.below(8));
        if (i % 3 == 1) read.insert(40 + random.below(70), random.bases(1 + random.below(8)));
        read.resize(150);
        origin.emplace_back(contig, begin);
        reversed.push_back(random.below(2) == 1);
        reads.push_back(reversed.back() ? reverse_complement(read) : read);
    }
    const RecordBatch out = align_single(reads);
    ASSERT_EQ(out.entries.size(), reads.size());
    size_t gapped = 0;
    for (size_t i = 0; i < reads.size(); ++i) {
        const RecordView record = out.view(i);
        const uint32_t clip = data::cigar_op(record.cigar(0)) == data::k_cigar_soft_clip
                                  ? data::cigar_length(record.cigar(0))
                                  : 0;
        EXPECT_EQ(static_cast<size_t>(record.contig()), origin[i].first) << i;
        EXPECT_EQ(static_cast<size_t>(record.position()), origin[i].second + clip) << i << cigar_of(record);
        EXPECT_EQ(record.has(data::k_flag_reverse), reversed[i]);
        EXPECT_GE(record.mapping_quality(), 50) << i;
        EXPECT_EQ(record.string_tag("RG").value(), "lane1");
        const auto [text, edits] = rebuilt(record);
        EXPECT_EQ(text, part(origin[i].first, static_cast<size_t>(record.position()), text.size()));
        EXPECT_EQ(record.integer_tag("NM").value(), edits);
        gapped += record.cigar_count() > 1;
    }
    EXPECT_GT(gapped, 200u);
}

TEST_F(AlignerTest, gaps_lie_leftmost_on_both_strands) {
    // A deletion and an insertion of one unit within runs: the same CIGAR whichever way the read came.
    std::string sequence = part(0, 4'000, 75) + "CACACACACACACACAG" + part(0, 4'100, 70);
    const Genome other({{"c", random.bases(3'000) + sequence + random.bases(3'000)}});
    const Aligner of_other(other.index, {}, {});
    std::string shorter = sequence;
    shorter.erase(81, 2);
    std::string longer = sequence;
    longer.insert(81, "CA");
    const RecordBatch out = align_batch(
        of_other,
        make_batch({shorter, reverse_complement(shorter), longer, reverse_complement(longer)}, false),
        k_model);
    // The unit repeats from base 75 on; the bases before it may lengthen the run.
    size_t left = 75;
    while (sequence[left - 1] == sequence[left + 1]) --left;
    const std::string before = std::to_string(left);
    EXPECT_EQ(cigar_of(out.view(0)), before + "M2D" + std::to_string(160 - left) + "M");
    EXPECT_EQ(cigar_of(out.view(1)), cigar_of(out.view(0)));
    EXPECT_EQ(cigar_of(out.view(2)), before + "M2I" + std::to_string(162 - left) + "M");
    EXPECT_EQ(cigar_of(out.view(3)), cigar_of(out.view(2)));
}

TEST_F(AlignerTest, template_lengths_are_from_one_5_prime_end_to_the_other) {
    const auto lengths = [&](const std::string& read1, const std::string& read2) {
        const RecordBatch out = align_pairs({read1, read2});
        return std::pair(out.view(0).template_length(), out.view(1).template_length());
    };
    const auto reverse = [&](size_t at) { return reverse_complement(part(0, at, 100)); };
    EXPECT_EQ(lengths(part(0, 8'000, 100), reverse(8'000)), std::pair(100, -100));
    EXPECT_EQ(lengths(reverse(8'000), part(0, 8'000, 100)), std::pair(-100, 100));
    // Both go on beyond their mate's begin.
    EXPECT_EQ(lengths(reverse(7'990), part(0, 8'000, 100)), std::pair(-90, 90));
    // They point away from each other, or the same way.
    EXPECT_EQ(lengths(reverse(8'000), part(0, 8'300, 100)), std::pair(202, -202));
    EXPECT_EQ(lengths(part(0, 8'000, 100), part(0, 8'300, 100)), std::pair(301, -301));
}

TEST_F(AlignerTest, pairs_get_flags_mates_and_lengths) {
    const RecordBatch out = align_pairs({part(0, 1'000, 100), reverse_complement(part(0, 1'300, 100)),
                                         reverse_complement(part(0, 5'310, 100)), part(0, 5'000, 100)});
    ASSERT_EQ(out.entries.size(), 4u);
    const uint16_t expected[] = {0x63, 0x93, 0x53, 0xa3};
    const int32_t lengths[] = {400, -400, -410, 410};
    for (size_t i = 0; i < 4; ++i) {
        const RecordView record = out.view(i);
        const RecordView mate = out.view(i ^ 1);
        EXPECT_EQ(record.flag(), expected[i]);
        EXPECT_EQ(record.template_length(), lengths[i]);
        EXPECT_EQ(record.mate_position(), mate.position());
        EXPECT_EQ(record.mate_contig(), mate.contig());
        EXPECT_EQ(record.string_tag("MC").value(), "100M");
        EXPECT_EQ(record.integer_tag("MQ").value(), mate.mapping_quality());
        EXPECT_EQ(out.entries[i].ordinal, (i / 2) * 256 + i % 2);
        EXPECT_EQ(record.mapping_quality(), 60);
        EXPECT_EQ(record.integer_tag("AS").value(), 100);
    }
}

TEST_F(AlignerTest, of_two_copies_the_mate_decides_and_without_it_neither_is_preferred) {
    // Read 1 lies in the copied stretch, its mate beside it only in "two".
    const RecordBatch paired = align_pairs({part(1, 11'850, 100), reverse_complement(part(1, 12'150, 100))});
    EXPECT_EQ(paired.view(0).contig(), 1);
    EXPECT_EQ(paired.view(0).position(), 11'850);
    EXPECT_GE(paired.view(0).mapping_quality(), 20);
    std::map<int32_t, size_t> chosen;
    std::vector<std::string> reads;
    for (size_t i = 0; i < 60; ++i) reads.push_back(part(1, 10'200 + 10 * i, 100));
    const RecordBatch single = align_single(reads);
    for (size_t i = 0; i < reads.size(); ++i) {
        EXPECT_EQ(single.view(i).mapping_quality(), 0);
        EXPECT_EQ(single.view(i).integer_tag("XS").value(), 100);
        ++chosen[single.view(i).contig()];
    }
    // Neither copy is preferred.
    EXPECT_GT(chosen[0], 15u);
    EXPECT_GT(chosen[1], 15u);
}

TEST_F(AlignerTest, a_mate_without_seeds_is_rescued) {
    std::string mate = part(0, 1'300, 100);
    for (size_t i = 7; i < mate.size(); i += 14) mate[i] = tests::other_base(mate[i]);
    const RecordBatch alone = align_single({mate});
    EXPECT_TRUE(alone.view(0).has(data::k_flag_unmapped));
    const RecordBatch out = align_pairs({part(0, 1'000, 100), reverse_complement(mate)});
    EXPECT_EQ(out.view(1).position(), 1'300);
    EXPECT_TRUE(out.view(1).has(data::k_flag_proper_pair));
    EXPECT_EQ(out.view(1).integer_tag("NM").value(), 7);
}

TEST_F(AlignerTest, an_unmapped_mate_has_the_position_of_its_mate) {
    const RecordBatch out = align_pairs({random.bases(100), part(0, 2'000, 100)});
    const RecordView lost = out.view(0);
    EXPECT_EQ(lost.flag(), 0x45);
    EXPECT_EQ(lost.contig(), 0);
    EXPECT_EQ(lost.position(), 2'000);
    EXPECT_EQ(lost.mate_position(), 2'000);
    EXPECT_EQ(cigar_of(lost), "*");
    EXPECT_EQ(lost.string_tag("MC").value(), "100M");
    EXPECT_EQ(out.view(1).flag(), 0x89);
    EXPECT_EQ(out.view(1).mate_position(), 2'000);
    EXPECT_EQ(out.view(1).template_length(), 0);
    const RecordBatch both = align_pairs({random.bases(100), random.bases(100)});
    EXPECT_EQ(both.view(0).flag(), 0x4d);
    EXPECT_EQ(both.view(1).flag(), 0x8d);
    EXPECT_EQ(both.view(0).contig(), -1);
    EXPECT_EQ(both.view(0).mate_contig(), -1);
}

TEST_F(AlignerTest, split_reads_have_supplementaries_that_name_each_other) {
    const std::string read = part(0, 3'000, 90) + reverse_complement(part(1, 2'000, 60));
    const RecordBatch soft = align_single({read});
    ASSERT_EQ(soft.entries.size(), 2u);
    const RecordView primary = soft.view(0);
    const RecordView part_two = soft.view(1);
    EXPECT_EQ(primary.flag(), 0);
    EXPECT_EQ(part_two.flag(), 0x810);
    EXPECT_EQ(primary.position(), 3'000);
    EXPECT_EQ(part_two.contig(), 1);
    EXPECT_EQ(part_two.position(), 2'000);
    EXPECT_EQ(part_two.read_length(), 150u);
    EXPECT_EQ(primary.string_tag("SA").value().substr(0, 11), "two,2001,-,");
    EXPECT_EQ(part_two.string_tag("SA").value().substr(0, 11), "one,3001,+,");
    AlignerParameters parameters;
    parameters.hard_clip = true;
    const Aligner hard(genome.index, parameters, {});
    const RecordBatch clipped = align_batch(hard, make_batch({read}, false), k_model);
    ASSERT_EQ(clipped.entries.size(), 2u);
    EXPECT_EQ(clipped.view(0).read_length(), 150u);
    EXPECT_EQ(data::cigar_op(clipped.view(1).cigar(1)), data::k_cigar_hard_clip);
    EXPECT_EQ(clipped.view(1).read_length(), data::cigar_length(clipped.view(1).cigar(0)));
}

/// Of a read with 90 bases of unique sequence, the supplementary alignment of the other 60, which are those
/// of a copy but for two; `nearer` copies have all but one.
uint8_t supplementary_quality(size_t nearer) {
    Random random(5);
    const std::string unique = random.bases(90);
    const std::string rest = random.bases(60);
    const auto changed = [&](std::initializer_list<size_t> at) {
        std::string copy = rest;
        for (const size_t base : at) copy[base] = tests::other_base(copy[base]);
        return copy;
    };
    std::string sequence = random.bases(2'000) + unique + random.bases(2'000) + changed({40, 50});
    for (size_t i = 0; i < nearer; ++i) sequence += random.bases(500) + changed({15});
    const Genome genome({{"c", sequence + random.bases(1'000)}});
    data::ReadGroup group;
    group.id = group.sample = "s";
    const Aligner aligner(genome.index, {}, {group});
    const RecordBatch batch = align_batch(aligner, make_batch({unique + rest}, false), k_model);
    EXPECT_EQ(batch.entries.size(), 2u);
    for (size_t i = 0; i < batch.entries.size(); ++i) {
        if ((batch.view(i).flag() & data::k_flag_supplementary) != 0) return batch.view(i).mapping_quality();
    }
    ADD_FAILURE() << "no supplementary alignment";
    return 0;
}

TEST(Supplementaries, places_that_seeding_left_out_count) {
    EXPECT_GE(supplementary_quality(0), 30);
    EXPECT_EQ(supplementary_quality(30), 0);  // seeds of so many entries are left out beside unique ones
}

TEST_F(AlignerTest, reads_over_the_ends_of_contigs_are_clipped_there) {
    const RecordBatch out =
        align_single({random.bases(30) + part(0, 0, 70), part(0, 29'940, 60) + random.bases(40),
                      part(1, 14'920, 80) + "ACGT"});
    EXPECT_EQ(out.view(0).position(), 0);
    EXPECT_EQ(cigar_of(out.view(0)), "30S70M");
    EXPECT_EQ(out.view(1).position(), 29'940);
    EXPECT_EQ(cigar_of(out.view(1)), "60M40S");
    EXPECT_EQ(cigar_of(out.view(2)), "80M4S");
}

TEST_F(AlignerTest, empty_short_long_and_ambiguous_reads_have_records) {
    std::string with_n = part(0, 700, 120);
    with_n[60] = 'N';
    const RecordBatch out = align_single({"", "ACGT", std::string(100, 'N'), std::string(150, 'A'), with_n,
                                          part(0, 0, 4'096), part(0, 0, 4'097)});
    ASSERT_EQ(out.entries.size(), 7u);
    for (const size_t unmapped : {0, 1, 2, 3, 6}) {
        EXPECT_EQ(out.view(unmapped).flag(), data::k_flag_unmapped) << unmapped;
        EXPECT_EQ(out.view(unmapped).contig(), -1);
    }
    EXPECT_EQ(out.view(0).read_length(), 0u);
    EXPECT_EQ(cigar_of(out.view(4)), "120M");
    EXPECT_EQ(out.view(4).integer_tag("AS").value(), 118);
    EXPECT_EQ(out.view(4).integer_tag("NM").value(), 1);
    EXPECT_EQ(cigar_of(out.view(5)), "4096M");
}

TEST_F(AlignerTest, no_result_depends_on_the_batches) {
    std::vector<std::string> reads;
    for (size_t i = 0; i < 300; ++i) {
        const size_t begin = 19'000 + random.below(3'000);
        std::string first = part(0, begin, 100);
        first[random.below(100)] = 'C';
        reads.push_back(first);
        reads.push_back(reverse_complement(part(0, begin + 150 + random.below(300), 100)));
    }
    const data::ReadBatch whole = make_batch(reads, true);
    const RecordBatch expected = align_batch(aligner, whole, k_model);
    std::vector<uint8_t> bytes;
    for (size_t begin = 0; begin < 300; begin += 7) {
        const size_t end = std::min<size_t>(300, begin + 7);
        data::ReadBatch piece = make_batch(
            {reads.begin() + static_cast<int64_t>(2 * begin), reads.begin() + static_cast<int64_t>(2 * end)},
            true);
        piece.names.assign(whole.names.begin() + whole.name_offset[begin],
                           whole.names.begin() + whole.name_offset[end]);
        for (size_t i = 0; i <= end - begin; ++i) {
            piece.name_offset[i] = whole.name_offset[begin + i] - whole.name_offset[begin];
        }
        std::copy(whole.qualities.begin() + whole.base_offset[2 * begin],
                  whole.qualities.begin() + whole.base_offset[2 * end], piece.qualities.begin());
        piece.first_template = begin;
        const RecordBatch out = align_batch(aligner, piece, k_model);
        EXPECT_EQ(out.entries.front().ordinal, begin * 256);
        bytes.insert(bytes.end(), out.bytes.begin(), out.bytes.end());
    }
    EXPECT_TRUE(bytes == expected.bytes);
}

TEST_F(AlignerTest, an_empty_batch_gives_no_records) { EXPECT_TRUE(align_pairs({}).entries.empty()); }

TEST(InsertSizes, the_model_is_made_of_the_bulk) {
    std::vector<int32_t> inserts;
    Random random(31);
    for (size_t i = 0; i < 1'000; ++i) {
        int32_t insert = 300;
        for (size_t j = 0; j < 12; ++j) insert += static_cast<int32_t>(random.below(41)) - 20;
        inserts.push_back(insert);
    }
    inserts.insert(inserts.end(), {9'000, 9'500, 5});
    const InsertSizeModel model = estimate_insert_sizes(inserts);
    EXPECT_TRUE(model.valid);
    EXPECT_NEAR(model.mean_bp, 300, 5);
    EXPECT_NEAR(model.sd_bp, 41, 4);
    EXPECT_LE(model.low_bp, model.mean_bp - 4 * model.sd_bp);
    EXPECT_GE(model.high_bp, model.mean_bp + 4 * model.sd_bp);
    EXPECT_LT(model.high_bp, 600);
    std::reverse(inserts.begin(), inserts.end());
    EXPECT_EQ(estimate_insert_sizes(inserts).mean_bp, model.mean_bp);
}

TEST(InsertSizes, too_few_pairs_give_the_fallback) {
    const InsertSizeModel model = estimate_insert_sizes({300, 310});
    EXPECT_FALSE(model.valid);
    EXPECT_EQ(model.high_bp, k_fallback_model.high_bp);
}

TEST(InsertSizes, penalties_grow_with_the_distance_from_the_mean) {
    EXPECT_EQ(insert_penalty(k_model, 400, 1), 0);
    EXPECT_EQ(insert_penalty(k_model, 300, 1), insert_penalty(k_model, 500, 1));
    EXPECT_LT(insert_penalty(k_model, 450, 1), insert_penalty(k_model, 500, 1));
    EXPECT_LT(insert_penalty(k_model, 10'000, 1), 1'000);
    EXPECT_GT(insert_penalty(k_model, 500, 1), 0);
    EXPECT_EQ(insert_penalty(k_model, 500, 3), 3 * insert_penalty(k_model, 500, 1));
}

/// The sequence that each record has of its mate; "-" without one.
std::vector<std::string> mate_sequences(const RecordBatch& batch) {
    std::vector<std::string> out;
    for (size_t i = 0; i < batch.entries.size(); ++i)
        out.emplace_back(batch.view(i).string_tag("R2").value_or("-"));
    return out;
}

TEST_F(AlignerTest, a_certain_read_has_the_sequence_of_a_mate_that_is_elsewhere_without_certainty) {
    // The mate, as it was sequenced, is in both copies of 2,000 bases.
    const std::string anchor = part(0, 3'000, 150);
    const std::string mate = reverse_complement(part(0, 20'700, 150));
    EXPECT_EQ(mate_sequences(align_pairs({anchor, mate})), (std::vector<std::string>{mate, "-"}));
    // Whatever the strand and number of the anchor.
    EXPECT_EQ(mate_sequences(align_pairs({mate, anchor})), (std::vector<std::string>{"-", mate}));
    EXPECT_EQ(mate_sequences(align_pairs({reverse_complement(anchor), mate})),
              (std::vector<std::string>{mate, "-"}));
}

TEST_F(AlignerTest, other_pairs_have_no_sequence_of_the_mate) {
    const std::vector<std::string> none{"-", "-"};
    const std::string anchor = part(0, 3'000, 150);
    // A proper pair, one in a copy among them; mates that are certain; both uncertain; an unmapped mate.
    EXPECT_EQ(mate_sequences(align_pairs({anchor, reverse_complement(part(0, 3'250, 150))})), none);
    EXPECT_EQ(mate_sequences(align_pairs({part(0, 19'700, 150), reverse_complement(part(0, 20'010, 150))})),
              none);
    EXPECT_EQ(mate_sequences(align_pairs({anchor, part(0, 9'000, 150)})), none);
    EXPECT_EQ(mate_sequences(align_pairs({part(0, 20'100, 150), part(0, 21'700, 150)})), none);
    EXPECT_EQ(mate_sequences(align_pairs({anchor, random.bases(150)})), none);
}

TEST_F(AlignerTest, only_the_primary_alignment_has_the_sequence_of_the_mate) {
    const std::string mate = part(0, 20'700, 150);
    const RecordBatch found = align_pairs({part(0, 3'000, 90) + part(0, 9'000, 60), mate});
    ASSERT_EQ(found.entries.size(), 3u);
    EXPECT_EQ(mate_sequences(found), (std::vector<std::string>{mate, "-", "-"}));
}

}  // namespace
}  // namespace gannet::align
