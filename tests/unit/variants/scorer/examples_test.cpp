// SPDX-License-Identifier: MIT
// Tests the examples of the caller's candidates: they do not depend on how the genome is cut, and a network
// that says nothing leaves the caller's word.
#include "data/vcf/writer.hpp"
#include "kernels/op_table.hpp"
#include "ml/feature_table.hpp"
#include "tests/unit/variants/caller_support.hpp"
#include "variants/caller.hpp"
#include "variants/scorer/read_profiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>

namespace gannet::variants {
namespace {

using namespace testing;

/// An example's bytes and facts.
struct Seen {
    std::vector<uint8_t> site;
    std::vector<uint8_t> rows;
    std::array<int32_t, 3> base;
    bool operator==(const Seen&) const = default;
};
using Key = std::tuple<int64_t, int32_t, uint32_t>;
using SeenExamples = std::map<Key, Seen>;

struct Result {
    SeenExamples examples;
    std::vector<data::Variant> scored;
    std::vector<data::Variant> plain;
};

void take_examples(const CallWork& work, SeenExamples& out) {
    for (size_t i = 0; i < work.examples.facts.size(); ++i) {
        Seen seen;
        const auto* const site = work.examples.network.sites.data() + i * ml::pileup::k_site_bytes;
        seen.site.assign(site, site + ml::pileup::k_site_bytes);
        const auto* const rows = work.examples.network.rows.data();
        seen.rows.assign(rows + work.examples.network.row_offset[i] * size_t{ml::pileup::k_row_bytes},
                         rows + work.examples.network.row_offset[i + 1] * size_t{ml::pileup::k_row_bytes});
        seen.base = work.examples.facts[i].base;
        const auto key = Key(work.examples.facts[i].change_begin, work.examples.facts[i].reference_length,
                             work.examples.facts[i].allele);
        EXPECT_TRUE(out.emplace(key, seen).second) << "twice at " << work.examples.facts[i].position;
    }
}

/// `correction`: the network's output for each example. `invert_bytes`: the examples are altered once they
/// were handed to the network.
Result run(const std::shared_ptr<const data::Reference>& reference,
           const std::vector<std::shared_ptr<const RecordChunk>>& chunks, const data::RegionSet& regions,
           size_t batch, const std::array<int32_t, 3>& correction = {},
           const ml::Decision& decision = trusted_everywhere(), bool invert_bytes = false,
           const SampleModel& model = {}) {
    static const kernels::OpTable ops = kernels::make_op_table(std::nullopt, std::nullopt);
    const auto stream = ops.make_stream();
    ScoringParameters scoring;
    scoring.enabled = true;
    scoring.decision = decision;
    const Caller caller(reference, {}, regions, scoring, {}, model);
    const Caller plain(reference, {}, regions);
    CallWork work, plain_work;
    Result result;
    std::vector<WindowReads> waiting;
    const auto flush = [&] {
        plain.begin(waiting, plain_work);
        ops.pair_hmm(*stream, plain_work.jobs, plain_work.likelihoods);
        plain.genotype(plain_work);
        plain.finish(plain_work, result.plain);
        caller.begin(std::move(waiting), work);
        waiting.clear();
        ops.pair_hmm(*stream, work.jobs, work.likelihoods);
        stream->wait();
        caller.genotype(work);
        take_examples(work, result.examples);
        work.corrections.clear();
        for (size_t i = 0; i < work.examples.facts.size(); ++i)
            work.corrections.insert(work.corrections.end(), correction.begin(), correction.end());
        if (invert_bytes) {
            for (uint8_t& byte : work.examples.network.sites) byte = static_cast<uint8_t>(~byte);
            for (uint8_t& byte : work.examples.network.rows) byte = static_cast<uint8_t>(~byte);
        }
        caller.finish(work, result.scored);
    };
    WindowFeeder feeder(*reference, regions, [&](WindowReads&& window) {
        waiting.push_back(std::move(window));
        if (waiting.size() == batch) flush();
    });
    for (const auto& chunk : chunks) feeder.push(chunk);
    feeder.finish();
    flush();
    return result;
}

struct Sample {
    std::shared_ptr<const data::Reference> reference;
    std::vector<SimulatedRead> reads;
};

Sample make_sample(uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string letters = random_letters(random, 30'000);
    for (size_t at = 500; at + 100 < letters.size(); at += 1100) {
        const std::string unit = random_letters(random, 1 + random() % 4);
        for (size_t i = 0; i < 30; ++i) letters[at + i] = unit[i % unit.size()];
    }
    std::vector<Change> changes;
    for (size_t at = 200; at + 300 < letters.size(); at += 60 + random() % 250) {
        const uint64_t sides = 1 + random() % 3;
        Change change{
            static_cast<int64_t>(at), letters.substr(at, 1), "", {(sides & 1) != 0, (sides & 2) != 0}};
        if (random() % 4 == 0) {
            change.reference = letters.substr(at, 2 + random() % 9);
            change.alternate = letters.substr(at, 1);
        } else if (random() % 4 == 0) {
            change.alternate = letters.substr(at, 1) + random_letters(random, 1 + random() % 12);
        } else {
            change.alternate = letters[at] == 'A' ? "C" : "A";
        }
        changes.push_back(change);
    }
    return {make_reference(letters), simulate(random, letters, changes, {})};
}

TEST(Examples, shards_and_batches_give_the_same_bytes) {
    const Sample sample = make_sample(5);
    const auto whole = run(sample.reference, make_chunks(sample.reads, 1'000'000), {}, 1).examples;
    ASSERT_GT(whole.size(), 150U);
    std::mt19937_64 random(6);
    for (int round = 0; round < 3; ++round) {
        const auto chunks = make_chunks(sample.reads, 1 + random() % 500);
        SeenExamples united;
        const auto cut = static_cast<int64_t>(5'000 + random() % 20'000);
        for (const data::Region& part : {data::Region{0, 0, cut}, data::Region{0, cut, 30'000}}) {
            const auto examples =
                run(sample.reference, chunks, data::RegionSet({part}), 1 + random() % 4).examples;
            united.insert(examples.begin(), examples.end());
        }
        EXPECT_EQ(united.size(), whole.size());
        EXPECT_TRUE(united == whole) << "round " << round;
    }
}

/// What is unusual of a read without a mate is no sign of an error.
TEST(Examples, reads_without_mates_are_as_those_of_proper_pairs) {
    constexpr size_t k_row_features_at = size_t{ml::pileup::k_columns} * ml::pileup::k_channels;
    constexpr size_t k_summary_at = ml::pileup::k_site_bytes - ml::k_summary_bytes;
    const Sample sample = make_sample(5);
    const auto examples = run(sample.reference, make_chunks(sample.reads, 1'000'000), {}, 1).examples;
    ASSERT_GT(examples.size(), 150U);
    for (const auto& [key, seen] : examples) {
        for (size_t pool = 0; pool < ml::pileup::k_pools; ++pool)
            EXPECT_EQ(seen.site[k_summary_at + ml::summary_feature("improper")[pool].offset], 0);
        for (size_t row = 0; row < seen.rows.size(); row += ml::pileup::k_row_bytes) {
            for (const ml::Feature& feature : {ml::row_feature("paired"), ml::row_feature("proper_pair"),
                                               ml::row_feature("first_of_pair")})
                EXPECT_NE(seen.rows[row + k_row_features_at + feature.offset], 0) << feature.name;
        }
    }
}

std::vector<std::string> lines_of(const std::vector<data::Variant>& variants,
                                  const data::Reference& reference) {
    std::vector<std::string> lines;
    for (const data::Variant& variant : variants) lines.push_back(data::vcf::to_text(variant, reference));
    return lines;
}

TEST(Examples, a_network_that_says_nothing_leaves_the_callers_records) {
    const Sample sample = make_sample(7);
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    const Result zeros = run(sample.reference, chunks, {}, 3);
    const auto expected = lines_of(zeros.plain, *sample.reference);
    ASSERT_GT(expected.size(), 100U);
    EXPECT_GT(zeros.examples.size(), 150U);
    EXPECT_EQ(lines_of(zeros.scored, *sample.reference), expected);

    // A network that says much, in strata that do not listen, and where there are none.
    constexpr int32_t k_much = 14 * ml::k_posterior_scale;
    for (const ml::Decision& decision : {trusted_everywhere(ml::Direction::none), ml::Decision{}}) {
        const Result silent = run(sample.reference, chunks, {}, 3, {k_much, 0, 0}, decision);
        EXPECT_EQ(silent.examples.size(), 0U);
        EXPECT_EQ(lines_of(silent.scored, *sample.reference), expected);
    }
}

TEST(Examples, directions_limit_what_the_network_may_overrule) {
    Sample sample = make_sample(11);
    size_t read = 0;  // at this depth some variants stay below the threshold
    std::erase_if(sample.reads, [&](const SimulatedRead&) { return read++ % 5 != 0; });
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    constexpr int32_t k_much = 14 * ml::k_posterior_scale;
    const auto passing = [&](const std::array<int32_t, 3>& correction, ml::Direction direction) {
        const Result result = run(sample.reference, chunks, {}, 2, correction, trusted_everywhere(direction));
        std::array<int64_t, 2> count{};
        for (const data::Variant& v : result.plain) count[0] += v.filters == 0;
        for (const data::Variant& v : result.scored) count[1] += v.filters == 0;
        return count;
    };
    const std::array<int32_t, 3> absent{k_much, 0, 0}, present{0, k_much, k_much};
    EXPECT_EQ(passing(absent, ml::Direction::reject)[1], 0);
    EXPECT_EQ(passing(absent, ml::Direction::rescue)[1], passing(absent, ml::Direction::rescue)[0]);
    EXPECT_GT(passing(present, ml::Direction::rescue)[1], passing(present, ml::Direction::rescue)[0]);
    EXPECT_EQ(passing(present, ml::Direction::reject)[1], passing(present, ml::Direction::reject)[0]);
}

TEST(Examples, large_corrections_decide) {
    const Sample sample = make_sample(8);
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    constexpr int32_t k_much = 14 * ml::k_posterior_scale;
    EXPECT_TRUE(run(sample.reference, chunks, {}, 2, {k_much, 0, 0}).scored.empty());
    const Result all = run(sample.reference, chunks, {}, 2, {0, 0, k_much});
    ASSERT_GT(all.scored.size(), 100U);
    for (const data::Variant& variant : all.scored) {
        if (variant.alleles.size() > 2) continue;
        EXPECT_EQ(variant.genotype, (std::array<int8_t, 2>{1, 1}));
        EXPECT_EQ(variant.likelihoods[2], 0);
        EXPECT_LE(variant.quality_centi, 4000);  // the scale is the caller's
    }
}

TEST(Examples, quality_for_qd_is_that_of_the_reads_alone) {
    const Sample sample = make_sample(9);
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    const Result result = run(sample.reference, chunks, {}, 2, {0, ml::k_posterior_scale / 2, 0});
    size_t compared = 0;
    for (const data::Variant& scored : result.scored) {
        for (const data::Variant& plain : result.plain) {
            if (scored.position != plain.position || scored.alleles != plain.alleles) continue;
            EXPECT_EQ(scored.uncapped_quality_centi, plain.uncapped_quality_centi);
            compared += plain.uncapped_quality_centi > 10'000;  // more than any posterior of the network
        }
    }
    EXPECT_GT(compared, 100u);
}

/// The variant without its phase, which depends on the sites around it.
data::Variant unphased(data::Variant variant) {
    variant.phase_set = -1;
    if (variant.ploidy == 2) std::sort(variant.genotype.begin(), variant.genotype.end());
    return variant;
}

TEST(Examples, settled_sites_are_the_callers_and_need_no_network) {
    const Sample sample = make_sample(9);
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    constexpr int32_t k_much = 14 * ml::k_posterior_scale;
    const Result all = run(sample.reference, chunks, {}, 2);
    ml::Decision settling = trusted_everywhere();
    settling.settle_phred = 40;
    const Result settled = run(sample.reference, chunks, {}, 2, {k_much, 0, 0}, settling);
    EXPECT_LT(settled.examples.size() * 3, all.examples.size() * 2);
    ASSERT_GT(settled.scored.size(), 50U);
    size_t at = 0;
    for (const data::Variant& variant : settled.scored) {  // what is left is as the caller has it
        while (at < all.plain.size() && all.plain[at].position < variant.position) ++at;
        ASSERT_LT(at, all.plain.size());
        EXPECT_EQ(data::vcf::to_text(unphased(variant), *sample.reference),
                  data::vcf::to_text(unphased(all.plain[at]), *sample.reference));
    }
}

TEST(Examples, genotypes_do_not_depend_on_the_bytes_of_examples) {
    const Sample sample = make_sample(10);
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    const auto lines = [&](bool invert_bytes) {
        constexpr int32_t k_little = ml::k_posterior_scale / 2;  // not zero: the decision is made anew
        const Result result =
            run(sample.reference, chunks, {}, 2, {0, k_little, 0}, trusted_everywhere(), invert_bytes);
        return lines_of(result.scored, *sample.reference);
    };
    const auto expected = lines(false);
    ASSERT_GT(expected.size(), 100U);
    EXPECT_EQ(lines(true), expected);
}

TEST(Examples, summary_has_the_systematic_errors_of_the_sample_and_their_odds) {
    const Sample sample = make_sample(9);
    const auto chunks = make_chunks(sample.reads, 1'000'000);
    SampleModel model;
    model.errors.per_billion = {20'000, 300'000};
    const auto clean = run(sample.reference, chunks, {}, 1).examples;
    const auto prone = run(sample.reference, chunks, {}, 1, {}, trusted_everywhere(), false, model).examples;
    ASSERT_EQ(clean.size(), prone.size());
    const auto byte = [](const Seen& seen, const ml::Feature& feature, size_t i = 0) {
        return int{seen.site[seen.site.size() - ml::k_summary_bytes + feature.offset + i]};
    };
    size_t snvs = 0, repeating = 0;
    for (const auto& [key, seen] : prone) {
        const Seen& before = clean.at(key);
        EXPECT_EQ(byte(before, ml::summary_feature("systematic_error")), 0);
        EXPECT_EQ(byte(before, ml::summary_feature("sample_systematic_errors")), 0);
        EXPECT_EQ(byte(before, ml::summary_feature("sample_systematic_errors"), 1), 0);
        EXPECT_EQ(byte(seen, ml::summary_feature("sample_systematic_errors")), 63);      // 48 log10(21)
        EXPECT_EQ(byte(seen, ml::summary_feature("sample_systematic_errors"), 1), 118);  // 48 log10(301)
        if (byte(seen, ml::summary_feature("is_snp")) == 0) {
            EXPECT_EQ(byte(seen, ml::summary_feature("systematic_error")), 0);
            continue;
        }
        ++snvs;
        const int64_t position = std::get<0>(key);
        std::array<data::Base, 3> around{};
        sample.reference->bases(0, position - 1, around);
        data::Base alternate = 0;
        while (byte(seen, ml::summary_feature("bases"), alternate) == 0) ++alternate;
        const RepeatsBaseBefore repeats{around[0] == alternate, around[2] == alternate};
        repeating += repeats[0] || repeats[1];
        std::array<int32_t, 4> strands{};
        for (size_t i = 0; i < 4; ++i) {
            EXPECT_LT(byte(seen, ml::summary_feature("strands"), i), 255);
            strands[i] = byte(seen, ml::summary_feature("strands"), i) / 4;
        }
        for (size_t i = 0; i < 2; ++i)
            EXPECT_EQ(byte(seen, ml::summary_feature("repeats_base_before"), i), repeats[i] ? 255 : 0);
        const int64_t odds = systematic_error_odds(
            model.errors, {{strands[0], strands[1]}, {strands[2], strands[3]}}, repeats);
        const auto expected =
            std::clamp<int64_t>((odds + 8 * int64_t{k_log_scale}) * 16 / k_log_scale, 0, 255);
        EXPECT_EQ(byte(seen, ml::summary_feature("systematic_error")), expected) << position;
    }
    EXPECT_GT(snvs, 60u);
    EXPECT_GT(repeating, 10u);
}

TEST(ReadProfiles, mate_is_the_first_other_read_of_the_fragment) {
    std::mt19937_64 random(1);
    for (const size_t count : {2, 3, 64, 500}) {
        ReadSet set;
        set.reads.resize(count);
        // Hashes that often share their low bits.
        for (CallRead& read : set.reads) read.name_hash = random() % (count + 1) << 32 | random() % 3;
        ReadProfiles profiles;
        for (int window = 0; window < 2; ++window, set.reads.pop_back()) {
            profiles.clear(set.reads.size());
            for (uint32_t i = 0; i < set.reads.size(); ++i) {
                int32_t expected = -1;
                for (uint32_t j = static_cast<uint32_t>(set.reads.size()); j-- > 0;)
                    if (j != i && set.reads[j].name_hash == set.reads[i].name_hash)
                        expected = static_cast<int32_t>(j);
                ASSERT_EQ(profiles.mate_of(set, i), expected) << i << " of " << set.reads.size();
            }
        }
    }
}

}  // namespace
}  // namespace gannet::variants
