// SPDX-License-Identifier: MIT
// Tests duplicate marking on hand-made templates, and that the decision depends on the set only.
#include "align/duplicates/duplicates.hpp"

#include "align/duplicates/name_store.hpp"
#include "tests/unit/sort/sort_cases.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <thread>

namespace gannet::align::duplicates {
namespace {

/// A mapped read: 1-based unclipped 5' end, strand, clips; contig < 0 is unmapped.
struct Mate {
    int32_t contig = 0;
    int32_t five_prime = 0;
    bool reverse = false;
    uint32_t lead_clip = 0;
    uint32_t tail_clip = 0;
    uint8_t quality = 30;
};
constexpr Mate k_unmapped = {-1, 0, false, 0, 0, 30};
constexpr uint32_t k_length = 20;

void append(data::RecordBatch& batch, uint64_t ordinal, const std::string& name, const Mate& mate,
            uint16_t flag) {
    const std::vector<data::Base> bases(k_length, 1);
    const std::vector<uint8_t> qualities(k_length, mate.quality);
    std::vector<uint32_t> cigar;
    const uint32_t matched = k_length - mate.lead_clip - mate.tail_clip;
    if (mate.lead_clip) cigar.push_back(data::cigar_element(mate.lead_clip, data::k_cigar_soft_clip));
    cigar.push_back(data::cigar_element(matched, data::k_cigar_match));
    if (mate.tail_clip) cigar.push_back(data::cigar_element(mate.tail_clip, data::k_cigar_soft_clip));
    data::RecordFields fields;
    fields.name = name;
    fields.ordinal = ordinal;
    fields.flag = flag;
    fields.bases = bases;
    fields.qualities = qualities;
    if (mate.contig >= 0) {
        fields.contig = mate.contig;
        fields.cigar = cigar;
        fields.position = mate.reverse ? mate.five_prime - static_cast<int32_t>(matched + mate.tail_clip)
                                       : mate.five_prime - 1 + static_cast<int32_t>(mate.lead_clip);
        if (mate.reverse) fields.flag |= data::k_flag_reverse;
    }
    data::RecordAppender appender(batch, fields);
}

/// Templates by name; ordinals follow the order of making unless given.
class Templates {
  public:
    void pair(const std::string& name, const Mate& a, const Mate& b, uint32_t read_group = 0) {
        const uint64_t ordinal = next(name);
        data::RecordBatch& batch = batches_.emplace_back();
        batch.read_group = read_group;
        uint16_t flag = data::k_flag_paired;
        if (a.contig < 0)
            append(batch, ordinal, name, a, flag | data::k_flag_read1 | data::k_flag_unmapped);
        else
            append(batch, ordinal, name, a,
                   flag | data::k_flag_read1 | (b.contig < 0 ? data::k_flag_mate_unmapped : 0));
        if (b.contig < 0)
            append(batch, ordinal + 1, name, b, flag | data::k_flag_read2 | data::k_flag_unmapped);
        else
            append(batch, ordinal + 1, name, b,
                   flag | data::k_flag_read2 | (a.contig < 0 ? data::k_flag_mate_unmapped : 0));
    }
    void single(const std::string& name, const Mate& a) {
        const uint64_t ordinal = next(name);
        append(batches_.emplace_back(), ordinal, name, a, 0);
    }
    /// Names of the duplicates, in order.
    std::vector<std::string> duplicates(const std::vector<data::ReadGroup>& groups = {},
                                        LibraryMetrics* metrics = nullptr) const {
        Marker marker(groups);
        for (const data::RecordBatch& batch : batches_) marker.add(batch);
        const Decision decision = marker.decide();
        if (metrics) *metrics = decision.metrics[0];
        expect_same_by_record(groups, decision);
        std::vector<std::string> names;
        for (const auto& [name, ordinal] : ordinals_) {
            if (decision.is_duplicate(ordinal)) names.push_back(name);
        }
        return names;
    }

  private:
    /// Records one by one, all first mates before the second ones, with keys that spill.
    void expect_same_by_record(const std::vector<data::ReadGroup>& groups, const Decision& decision) const {
        Marker marker(groups, {0, ::testing::TempDir()});
        std::vector<std::pair<data::RecordView, uint64_t>> templates;  // of each record
        for (const bool second : {false, true}) {
            for (const data::RecordBatch& batch : batches_) {
                for (size_t i = 0; i < batch.entries.size(); ++i) {
                    if (((batch.entries[i].flag & data::k_flag_read2) != 0) != second) continue;
                    data::RecordBatch one;
                    const data::RecordView view = batch.view(i);
                    one.bytes.assign(view.bytes().begin(), view.bytes().end());
                    one.entries.push_back(batch.entries[i]);
                    one.entries[0].offset = 0;
                    one.entries[0].ordinal = uint64_t{templates.size()} << 8;
                    const auto group = static_cast<uint16_t>(batch.read_group);
                    marker.add_records(one, std::span(&group, 1));
                    templates.emplace_back(view, batch.entries[i].ordinal);
                }
            }
        }
        const Decision by_record = marker.decide(2);
        for (uint64_t i = 0; i < templates.size(); ++i) {
            const auto& [view, ordinal] = templates[i];
            EXPECT_EQ(marked_flags(by_record, i << 8, view.flag()),
                      marked_flags(decision, ordinal, view.flag()))
                << view.name();
        }
        for (size_t i = 0; i < decision.metrics.size(); ++i) {
            EXPECT_EQ(by_record.metrics[i].read_pairs_examined, decision.metrics[i].read_pairs_examined);
            EXPECT_EQ(by_record.metrics[i].read_pair_duplicates, decision.metrics[i].read_pair_duplicates);
            EXPECT_EQ(by_record.metrics[i].unpaired_read_duplicates,
                      decision.metrics[i].unpaired_read_duplicates);
        }
    }

    uint64_t next(const std::string& name) {
        ordinals_[name] = ordinals_.size() + 5;
        return ordinals_[name] << 8;
    }
    std::vector<data::RecordBatch> batches_;
    std::map<std::string, uint64_t> ordinals_;
};

using Names = std::vector<std::string>;
Mate forward(int32_t five_prime, uint8_t quality = 30) { return {0, five_prime, false, 0, 0, quality}; }
Mate reverse(int32_t five_prime, uint8_t quality = 30) { return {0, five_prime, true, 0, 0, quality}; }

TEST(Duplicates, best_sum_of_both_mates_stays) {
    Templates t;
    t.pair("a", forward(100, 30), reverse(300, 30));
    t.pair("b", forward(100, 35), reverse(300, 31));
    t.pair("c", reverse(300, 37), forward(100, 20));
    t.pair("other", forward(100), reverse(301));
    EXPECT_EQ(t.duplicates(), (Names{"a", "c"}));
}

TEST(Duplicates, qualities_below_15_do_not_count) {
    Templates t;
    t.pair("a", forward(100, 14), reverse(300, 30));
    t.pair("b", forward(100, 15), reverse(300, 29));
    EXPECT_EQ(t.duplicates(), (Names{"a"}));
}

TEST(Duplicates, tie_is_decided_by_name_whatever_the_order) {
    Templates t;
    t.pair("n10", forward(100), reverse(300));
    t.pair("n2", forward(100), reverse(300));
    t.pair("n1", forward(100), reverse(300));
    EXPECT_EQ(t.duplicates(), (Names{"n10", "n2"}));
}

TEST(Duplicates, clips_are_undone_at_5_prime_ends_of_both_strands) {
    Templates t;
    t.pair("a", {0, 100, false, 4, 0, 31}, {0, 300, true, 0, 6, 31});
    t.pair("b", {0, 100, false, 0, 7, 30}, {0, 300, true, 5, 0, 30});
    EXPECT_EQ(t.duplicates(), (Names{"b"}));
}

TEST(Duplicates, orientation_and_contig_tell_apart) {
    Templates t;
    t.pair("fr", forward(100), reverse(300));
    t.pair("rf", reverse(100), forward(300));
    t.pair("elsewhere", forward(100), {1, 300, true, 0, 0, 30});
    t.pair("elsewhere_again", {1, 300, true, 0, 0, 30}, forward(100));
    EXPECT_EQ(t.duplicates(), (Names{"elsewhere_again"}));
}

TEST(Duplicates, equal_strands_need_the_same_mate_to_be_left) {
    Templates t;
    t.pair("ff", forward(100), forward(300));
    t.pair("ff_swapped", forward(300), forward(100));
    t.pair("rr", reverse(100), reverse(300));
    EXPECT_EQ(t.duplicates(), Names{});
    t.pair("ff_weaker", forward(100, 29), forward(300, 29));
    EXPECT_EQ(t.duplicates(), (Names{"ff_weaker"}));
}

TEST(Duplicates, single_end_yields_to_any_pair_else_best_stays) {
    Templates t;
    t.pair("pair", forward(100, 20), reverse(300, 20));
    t.pair("half_left", forward(100, 40), k_unmapped);
    t.pair("half_right", k_unmapped, reverse(300, 40));
    t.single("wrong_strand", reverse(100));
    t.single("alone_a", forward(500, 30));
    t.single("alone_b", forward(500, 33));
    t.pair("ff", forward(700), forward(900));
    t.single("at_ff", forward(900));
    LibraryMetrics metrics;
    EXPECT_EQ(t.duplicates({}, &metrics), (Names{"alone_a", "at_ff", "half_left", "half_right"}));
    EXPECT_EQ(metrics.unpaired_reads_examined, 6u);
    EXPECT_EQ(metrics.read_pairs_examined, 2u);
    EXPECT_EQ(metrics.unmapped_reads, 2u);
    EXPECT_EQ(metrics.unpaired_read_duplicates, 4u);
    EXPECT_EQ(metrics.read_pair_duplicates, 0u);
}

TEST(Duplicates, tie_of_single_ends_keeps_the_first_by_coordinate_then_input) {
    Templates t;
    t.single("clipped", {0, 100, false, 3, 0, 30});
    t.single("z", forward(100));
    t.single("a", forward(100));
    EXPECT_EQ(t.duplicates(), (Names{"a", "clipped"}));
}

TEST(Duplicates, libraries_are_apart) {
    std::vector<data::ReadGroup> groups(3);
    groups[0].library = "x";
    groups[1].library = "y";
    groups[2].library = "x";
    Templates t;
    t.pair("x1", forward(100), reverse(300), 0);
    t.pair("y1", forward(100), reverse(300), 1);
    t.pair("x2", forward(100), reverse(300), 2);
    EXPECT_EQ(t.duplicates(groups), (Names{"x2"}));
}

TEST(Duplicates, apply_marks_primary_mapped_records_only) {
    const data::Reference reference = blank_reference({1000});
    data::RecordBatch batch;
    append(batch, 256, "a", forward(100), data::k_flag_paired | data::k_flag_mate_unmapped);
    append(batch, 257, "a", k_unmapped, data::k_flag_paired | data::k_flag_unmapped);
    append(batch, 258, "a", forward(100), data::k_flag_paired | data::k_flag_supplementary);
    append(batch, 512, "b", forward(100, 40), 0);
    sort::Sorter sorter(reference, {});
    Marker marker({});
    sorter.add(batch);
    marker.add(batch);
    const Decision decision = marker.decide();
    sorter.finish_input();
    size_t marked = 0;
    for (size_t i = 0; i < sorter.buckets(); ++i) {
        sort::SortedBucket bucket = sorter.load(i);
        apply(decision, bucket);
        for (const data::RecordEntry& entry : bucket.entries) {
            const data::RecordView view({bucket.bytes.data() + entry.offset, entry.size_bytes});
            EXPECT_EQ(view.flag(), entry.flag);
            EXPECT_EQ(view.has(data::k_flag_duplicate), entry.ordinal == 256) << entry.ordinal;
            marked += view.has(data::k_flag_duplicate);
        }
    }
    EXPECT_EQ(marked, 1u);
}

TEST(Duplicates, decision_depends_on_the_set_not_on_threads_batches_or_memory) {
    std::vector<data::RecordBatch> batches;
    std::mt19937 random(5);
    for (uint64_t b = 0; b < 40; ++b) {
        data::RecordBatch& batch = batches.emplace_back();
        for (uint64_t t = b * 1000; t < b * 1000 + 1000; ++t) {
            const auto place = [&] { return static_cast<int32_t>(random() % 2000) + 100; };
            const auto quality = static_cast<uint8_t>(30 + random() % 3);
            // Half of the names say where on one of two small tiles they lie.
            const std::string name = random() % 2 == 0 ? std::to_string(random())
                                                       : "m:1:c:1:110" + std::to_string(random() % 2) + ":" +
                                                             std::to_string(random() % 300) + ":" +
                                                             std::to_string(random() % 300);
            if (random() % 4 == 0) {
                append(batch, t << 8, name, forward(place(), quality), 0);
            } else {
                const int32_t at = place();
                append(batch, t << 8, name, forward(at, quality), data::k_flag_paired | data::k_flag_read1);
                append(batch, (t << 8) + 1, name, reverse(at + static_cast<int32_t>(random() % 50), quality),
                       data::k_flag_paired | data::k_flag_read2);
            }
        }
    }
    const ScratchFolder folder;
    Marker plain({});
    for (const data::RecordBatch& batch : batches) plain.add(batch);
    const Decision expected = plain.decide();
    EXPECT_GT(expected.metrics[0].read_pair_duplicates, 1000u);
    EXPECT_GT(expected.metrics[0].unpaired_read_duplicates, 1000u);
    EXPECT_GT(expected.metrics[0].read_pair_optical_duplicates, 100u);
    std::reverse(batches.begin(), batches.end());
    for (const uint64_t memory_bytes : {uint64_t{0}, uint64_t{1} << 20, ~uint64_t{0}}) {
        Marker marker({}, {memory_bytes, folder.path()});
        std::vector<std::thread> threads;
        std::atomic<size_t> next{0};
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (size_t i = next++; i < batches.size(); i = next++) marker.add(batches[i]);
            });
        }
        for (std::thread& thread : threads) thread.join();
        const Decision decision = marker.decide(3);
        EXPECT_EQ(marker.spilled_bytes() > 0, memory_bytes != ~uint64_t{0});
        EXPECT_EQ(decision.bits_, expected.bits_) << memory_bytes;
        EXPECT_EQ(metrics_text(decision, ""), metrics_text(expected, ""));
    }
    // The first half is added by a run that is killed afterwards.
    data::StateWriter state;
    {
        Marker first({}, {uint64_t{1} << 20, folder.path(), "keys"});
        for (size_t i = 0; i < batches.size(); ++i) {
            if (i == batches.size() / 2) first.save(state);
            first.add(batches[i]);
        }
    }
    Marker second({}, {uint64_t{1} << 20, folder.path(), "keys"});
    data::StateReader reader(state.bytes(), "state");
    second.restore(reader, 2, ~uint64_t{0});
    EXPECT_TRUE(reader.empty());
    for (size_t i = batches.size() / 2; i < batches.size(); ++i) second.add(batches[i]);
    const Decision decision = second.decide(3);
    EXPECT_EQ(decision.bits_, expected.bits_);
    EXPECT_EQ(metrics_text(decision, ""), metrics_text(expected, ""));
}

TEST(NameStore, names_come_back_by_ordinal_in_memory_and_spilled) {
    const ScratchFolder folder;
    sort::SpillFile file(folder.path());
    NameStore store;
    const auto name_of = [](uint64_t i) {
        return i % 97 == 0 ? std::string(254, 'x') : "run:1:" + std::to_string(i * 7919);
    };
    for (const uint64_t first : {uint64_t{1} << 40, uint64_t{0}, uint64_t{500000}}) {
        NameBlock block;
        for (uint64_t i = first; i < first + 90000; i += 1 + i % 3 * 150)
            block.add(i, name_of(i), static_cast<uint16_t>(i % 5 * 300));
        store.add(std::move(block));
        if (first == 0) store.spill(file);
    }
    std::vector<uint64_t> wanted;
    std::vector<std::string> expected;
    for (const uint64_t first : {uint64_t{0}, uint64_t{500000}, uint64_t{1} << 40}) {
        for (uint64_t i = first, k = 0; i < first + 90000; i += 1 + i % 3 * 150, ++k) {
            if (k % 5 != 0) continue;
            wanted.push_back(i);
            expected.push_back(name_of(i));
        }
    }
    store.end_input();
    EXPECT_EQ(store.find(wanted, file), expected);
    EXPECT_TRUE(store.has_colons());
    // A part in the middle, with the read groups.
    const std::vector<uint64_t> part(wanted.begin() + 30, wanted.begin() + 200);
    size_t seen = 0;
    store.for_each(part, file, [&](const StoredName& found) {
        EXPECT_EQ(found.index, seen);
        EXPECT_EQ(found.name, expected[30 + seen]);
        EXPECT_EQ(found.read_group, part[seen] % 5 * 300);
        ++seen;
    });
    EXPECT_EQ(seen, part.size());
}

TEST(NameStore, names_without_colons_have_no_places) {
    NameBlock block;
    for (uint64_t i = 0; i < 100; ++i) block.add(i, "SRR622457." + std::to_string(i));
    NameStore store;
    store.add(std::move(block));
    EXPECT_FALSE(store.has_colons());
    NameBlock late;
    for (uint64_t i = 100; i < 200; ++i) late.add(i, i < 199 ? "x" : "x:1");
    store.add(std::move(late));
    EXPECT_TRUE(store.has_colons());
}

TEST(Optical, place_is_in_the_last_three_of_five_or_seven_fields) {
    const auto is = [](std::string_view name, int16_t tile, int32_t x, int32_t y) {
        const auto place = place_of_name(name);
        return place && place->tile == tile && place->x == x && place->y == y;
    };
    EXPECT_TRUE(is("A00744:46:HV3C3DSXX:2:2551:30590:7921", 2551, 30590, 7921));
    EXPECT_TRUE(is("HWI-ST1:4:1101:1234:-5", 1101, 1234, -5));
    EXPECT_TRUE(is("HWI-ST1:4:1101:1234:2345#ACGT/1", 1101, 1234, 2345));
    EXPECT_TRUE(is("a:b:c:d:65537:1:2", 1, 1, 2));  // 16 bits, as in Picard
    EXPECT_TRUE(is(":a:b:1101:1:2", 1101, 1, 2));   // a colon in front separates nothing
    for (const std::string_view name :
         {"", ":", "SRR1.5", "1:2:3", "a:1:2:3", "a:b:c:1:2:3", "a:b:c:d:e:1:2:3", "a:b:1101:x:2",
          "a:b:1101:1:", "a:b::1:2", "a:b:-1:1:2", "a:b:1101:-:2"}) {
        EXPECT_FALSE(place_of_name(name)) << name;
    }
}

TEST(Optical, near_pairs_of_a_tile_are_joined_and_all_but_one_count) {
    const auto count = [](std::vector<PlacedPair> pairs, uint32_t distance = 100) {
        return count_optical(pairs, distance);
    };
    const PlacedPair a{7, 1000, 5000, 1101, 0, 0, true};
    const auto moved = [&](int32_t x, int32_t y) {
        PlacedPair b = a;
        b.x += x;
        b.y += y;
        return b;
    };
    EXPECT_EQ(count({}), 0u);
    EXPECT_EQ(count({a}), 0u);
    EXPECT_EQ(count({a, a}), 1u);
    EXPECT_EQ(count({a, moved(100, -100)}), 1u);
    EXPECT_EQ(count({a, moved(101, 0)}), 0u);
    EXPECT_EQ(count({a, moved(0, -101)}), 0u);
    EXPECT_EQ(count({a, moved(101, 0)}, 2500), 1u);
    EXPECT_EQ(count({a, moved(200, 0), moved(100, 50)}), 2u);  // joined by the third one
    EXPECT_EQ(count({a, moved(50, 500), moved(60, 90), moved(70, 560)}), 2u);
    PlacedPair other = a;
    other.tile = 1102;
    EXPECT_EQ(count({a, other}), 0u);
    other = a;
    other.read_group = 1;
    EXPECT_EQ(count({a, other}), 0u);
    other = a;
    other.left_is_read1 = false;
    EXPECT_EQ(count({a, other}), 0u);
    other = a;
    other.tile = -1;
    EXPECT_EQ(count({other, other}), 0u);
    EXPECT_EQ(count(std::vector<PlacedPair>(k_max_optical_set / 100, a)), k_max_optical_set / 100 - 1);
    std::vector<PlacedPair> many(k_max_optical_set, a);
    for (size_t i = 0; i < many.size(); ++i) many[i].x = static_cast<int32_t>(i / 2 * 1000);
    EXPECT_EQ(count(many), k_max_optical_set / 2);
    many.push_back(a);
    EXPECT_EQ(count(many), 0u);
    // All near in x: comparing each with each would take minutes.
    many.pop_back();
    for (size_t i = 0; i < many.size(); ++i) {
        many[i].x = static_cast<int32_t>(i % 100);
        many[i].y = static_cast<int32_t>(i / 3 * 200);
    }
    EXPECT_EQ(count(many), k_max_optical_set / 3 * 2);
}

TEST(Optical, clusters_are_those_of_comparing_each_with_each) {
    std::mt19937 random(3);
    for (int repetition = 0; repetition < 400; ++repetition) {
        const uint32_t distance = random() % 3 == 0 ? random() % 4 : random() % 200;
        const auto side = static_cast<int32_t>(1 + random() % 3000);
        std::vector<PlacedPair> pairs(random() % 90);
        for (PlacedPair& pair : pairs) {
            pair = {
                7,   static_cast<int32_t>(random()) % side, static_cast<int32_t>(random()) % side, 1101, 0, 0,
                true};
            if (random() % 20 == 0) pair.y = random() % 2 == 0 ? INT32_MAX : INT32_MIN;
        }
        // Clusters by spreading from each pair that no cluster has.
        std::vector<bool> reached(pairs.size());
        size_t clusters = 0;
        for (size_t seed = 0; seed < pairs.size(); ++seed) {
            if (reached[seed]) continue;
            ++clusters;
            reached[seed] = true;
            std::vector<size_t> open{seed};
            while (!open.empty()) {
                const PlacedPair at = pairs[open.back()];
                open.pop_back();
                for (size_t i = 0; i < pairs.size(); ++i) {
                    if (reached[i] || std::abs(int64_t{pairs[i].x} - at.x) > distance ||
                        std::abs(int64_t{pairs[i].y} - at.y) > distance)
                        continue;
                    reached[i] = true;
                    open.push_back(i);
                }
            }
        }
        EXPECT_EQ(count_optical(pairs, distance), pairs.size() - clusters) << repetition;
    }
}

TEST(Metrics, text_has_picard_s_layout_and_library_size) {
    Decision decision;
    decision.metrics.push_back({"lib", 10, 193500, 124, 3, 4, 11415});
    decision.metrics.push_back({"optical", 10, 193500, 124, 3, 4, 11415, 5000});
    decision.metrics.push_back({"half", 128, 0, 0, 0, 3, 0});   // 0.0234375
    decision.metrics.push_back({"above", 127, 0, 0, 0, 3, 0});  // 0.0236220...
    decision.metrics.push_back({"", 0, 0, 0, 0, 0, 0});
    const std::string text = metrics_text(decision, "gannet run");
    EXPECT_NE(text.find("\n\n## METRICS CLASS\tpicard.sam.DuplicationMetrics\nLIBRARY\t"), std::string::npos);
    EXPECT_NE(text.find("\nlib\t10\t193500\t124\t3\t4\t11415\t0\t0.059"), std::string::npos);
    EXPECT_NE(text.find("\t1574891\n"), std::string::npos);
    EXPECT_NE(text.find("\t2706269\n"), std::string::npos);
    EXPECT_NE(text.find("\noptical\t10\t193500\t124\t3\t4\t11415\t5000\t0.059"), std::string::npos);
    EXPECT_NE(text.find("\nhalf\t128\t0\t0\t0\t3\t0\t0\t0.023437\t"), std::string::npos);
    EXPECT_NE(text.find("\nabove\t127\t0\t0\t0\t3\t0\t0\t0.023622\t"), std::string::npos);
    EXPECT_NE(text.find("\nUnknown Library\t0\t0\t0\t0\t0\t0\t0\t0\t\n\n"), std::string::npos);
}

}  // namespace
}  // namespace gannet::align::duplicates
