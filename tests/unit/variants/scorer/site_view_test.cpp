// SPDX-License-Identifier: MIT
// Tests the views of called sites: they hold the example that the network was given, its output and what came
// of it, or the reason why it was not asked, however the genome is cut.
#include "variants/scorer/site_view.hpp"

#include "kernels/op_table.hpp"
#include "tests/unit/variants/caller_support.hpp"
#include "variants/caller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>

namespace gannet::variants {
namespace {

using namespace testing;

/// A sample with SNVs, indels and places of two alternate alleles.
struct Sample {
    std::shared_ptr<const data::Reference> reference;
    std::vector<std::shared_ptr<const RecordChunk>> chunks;
};

Sample make_sample(uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::string letters = random_letters(random, 20'000);
    std::vector<Change> changes;
    for (size_t at = 200; at + 300 < letters.size(); at += 90 + random() % 200) {
        const std::string base = letters.substr(at, 1);
        Change change{static_cast<int64_t>(at), base, base == "A" ? "C" : "A", {true, random() % 3 == 0}};
        if (random() % 4 == 0) change.alternate = base + random_letters(random, 3);
        changes.push_back(change);
        if (change.on[1] || random() % 3 != 0) continue;
        change.alternate = base == "G" ? "T" : "G";
        change.on[0] = false;
        change.on[1] = true;
        changes.push_back(change);
    }
    const auto reads = simulate(random, letters, changes, {});
    return {make_reference(letters), make_chunks(reads, 1'000'000)};
}

/// Wants all views, of records and of sites that were asked about alike.
class AllViews final : public SiteViews {
  public:
    bool wants(const data::Variant&, bool) override { return true; }
    void take(const data::Variant& record, SiteView&& view) override {
        EXPECT_EQ(view.position, record.position);
        views.emplace_back(record, std::move(view));
    }
    std::vector<std::pair<data::Variant, SiteView>> views;
};

/// What was given to the network, by position and alternate bases, and what the network is made to say of it.
struct Given {
    std::vector<uint8_t> site, rows;
    CopyLogs output{};
};

struct Result {
    std::vector<data::Variant> records;
    std::vector<std::pair<data::Variant, SiteView>> views;
    std::map<std::pair<int64_t, std::string>, Given> given;
};

/// Differs from allele to allele, and is large enough to decide.
CopyLogs output_of(const ml::ExampleFacts& facts) {
    const auto little = static_cast<int32_t>(facts.allele % 1000);
    constexpr int32_t k_much = 3 * ml::k_posterior_scale;
    return facts.allele % 2 == 0 ? CopyLogs{-k_much, little, 2 * little}
                                 : CopyLogs{k_much / 4, little, -little};
}

std::string alternate_of(const ExampleBatch& examples, const ml::ExampleFacts& facts) {
    std::string text;
    for (int32_t i = 0; i < facts.alternate_length; ++i)
        text += data::k_letter_of_base[examples.fact_bases[facts.first_base + static_cast<size_t>(i)]];
    return text;
}

Result run(const Sample& sample, const ml::Decision& decision, size_t batch, const SampleModel& model = {}) {
    static const kernels::OpTable ops = kernels::make_op_table(std::nullopt, std::nullopt);
    const auto stream = ops.make_stream();
    ScoringParameters scoring;
    scoring.enabled = true;
    scoring.decision = decision;
    Caller caller(sample.reference, {}, {}, scoring, {}, model);
    AllViews all;
    caller.set_views(&all);
    CallWork work;
    Result result;
    std::vector<WindowReads> waiting;
    const auto flush = [&] {
        caller.begin(std::exchange(waiting, {}), work);
        ops.pair_hmm(*stream, work.jobs, work.likelihoods);
        stream->wait();
        caller.genotype(work);
        work.corrections.clear();
        for (size_t i = 0; i < work.examples.facts.size(); ++i) {
            const ml::ExampleFacts& facts = work.examples.facts[i];
            const auto* const site = work.examples.network.sites.data() + i * ml::pileup::k_site_bytes;
            const auto* const rows = work.examples.network.rows.data();
            Given& given = result.given[{facts.position, alternate_of(work.examples, facts)}];
            given.site.assign(site, site + ml::pileup::k_site_bytes);
            given.rows.assign(
                rows + work.examples.network.row_offset[i] * size_t{ml::pileup::k_row_bytes},
                rows + work.examples.network.row_offset[i + 1] * size_t{ml::pileup::k_row_bytes});
            given.output = output_of(facts);
            work.corrections.insert(work.corrections.end(), given.output.begin(), given.output.end());
        }
        caller.finish(work, result.records);
    };
    WindowFeeder feeder(*sample.reference, {}, [&](WindowReads&& window) {
        waiting.push_back(std::move(window));
        if (waiting.size() == batch) flush();
    });
    for (const auto& chunk : sample.chunks) feeder.push(chunk);
    feeder.finish();
    flush();
    result.views = std::move(all.views);
    return result;
}

/// Of a record of one alternate allele, by its PL and the priors of nothing: the genotype's copies.
size_t copies_of(const data::Variant& record) {
    return static_cast<size_t>(record.genotype[0] > 0) + static_cast<size_t>(record.genotype[1] > 0);
}

TEST(SiteView, holds_the_example_the_output_and_what_counted) {
    const Sample sample = make_sample(3);
    const ml::Decision decision = trusted_everywhere();
    const Result result = run(sample, decision, 2);
    ASSERT_EQ(result.views.size(), result.records.size());
    size_t shown = 0, decided = 0, several = 0;
    for (const auto& [record, view] : result.views) {
        ASSERT_EQ(view.asked, Asked::yes);
        several += view.alleles.size() > 1;
        for (const AlleleView& allele : view.alleles) {
            if (!allele.facts) continue;
            ++shown;
            EXPECT_TRUE(allele.stratum);
            // Of a site of one allele the example is found by the bases that the record adds or changes.
            const bool is_indel = allele.reference.size() != allele.alternate.size();
            const std::string bases = is_indel ? allele.alternate.substr(1) : allele.alternate;
            const auto given = result.given.find({view.position, bases});
            if (allele.reference.size() > 1 || given == result.given.end()) continue;
            EXPECT_EQ(allele.site, given->second.site);
            EXPECT_EQ(allele.rows, given->second.rows);
            EXPECT_EQ(allele.raw, given->second.output);
            EXPECT_EQ(allele.correction, correction_of(decision, *allele.facts, allele.raw));
            ++decided;
        }
        if (view.alleles.size() != 1 || !view.alleles[0].facts || view.decided != Decided::with_network)
            continue;
        const CopyLogs& posterior = view.alleles[0].posterior;
        const auto best = std::max_element(posterior.begin(), posterior.end()) - posterior.begin();
        if (record.alleles.size() != 2) continue;
        EXPECT_EQ(static_cast<size_t>(best), copies_of(record)) << view.position;
    }
    EXPECT_GT(shown, 60u);
    EXPECT_GT(decided * 2, shown);
    EXPECT_GT(several, 5u);
}

TEST(SiteView, batches_do_not_change_it) {
    const Sample sample = make_sample(4);
    ml::Decision decision = trusted_everywhere();
    decision.settle_phred = 40;
    const Result whole = run(sample, decision, 100);
    ASSERT_GT(whole.views.size(), 50u);
    for (const size_t batch : {1, 3}) {
        const Result parts = run(sample, decision, batch);
        ASSERT_EQ(parts.views.size(), whole.views.size());
        for (size_t i = 0; i < whole.views.size(); ++i) {
            const SiteView& a = parts.views[i].second;
            const SiteView& b = whole.views[i].second;
            EXPECT_EQ(a.position, b.position);
            EXPECT_EQ(a.asked, b.asked);
            EXPECT_EQ(a.decided, b.decided);
            ASSERT_EQ(a.alleles.size(), b.alleles.size());
            for (size_t k = 0; k < a.alleles.size(); ++k) {
                EXPECT_EQ(a.alleles[k].alternate, b.alleles[k].alternate);
                EXPECT_EQ(a.alleles[k].rows, b.alleles[k].rows);
                EXPECT_EQ(a.alleles[k].site, b.alleles[k].site);
                EXPECT_EQ(a.alleles[k].raw, b.alleles[k].raw);
                EXPECT_EQ(a.alleles[k].posterior, b.alleles[k].posterior);
            }
        }
    }
}

TEST(SiteView, names_why_the_network_was_not_asked) {
    const Sample sample = make_sample(5);
    const auto count = [](const Result& result, Asked asked) {
        return std::count_if(result.views.begin(), result.views.end(),
                             [asked](const auto& view) { return view.second.asked == asked; });
    };
    ml::Decision settling = trusted_everywhere();
    settling.settle_phred = 40;
    const Result settled = run(sample, settling, 2);
    EXPECT_GT(count(settled, Asked::settled), 30);
    for (const auto& [record, view] : settled.views) {
        if (view.asked != Asked::settled) continue;
        EXPECT_EQ(view.decided, Decided::caller);
        const auto candidate = std::find_if(view.alleles.begin(), view.alleles.end(),
                                            [](const AlleleView& one) { return one.facts.has_value(); });
        ASSERT_NE(candidate, view.alleles.end());
        EXPECT_GE(candidate->facts->plain_phred, 40);
        EXPECT_TRUE(candidate->rows.empty());
    }
    const Result silent = run(sample, ml::Decision{}, 2);
    EXPECT_EQ(count(silent, Asked::no_stratum), static_cast<int64_t>(silent.views.size()));
    for (const auto& [record, view] : silent.views)
        for (const AlleleView& allele : view.alleles) EXPECT_FALSE(allele.stratum);
    SampleModel model;
    model.read_bp = 301;
    const Result of_long_reads = run(sample, trusted_everywhere(), 2, model);
    EXPECT_EQ(count(of_long_reads, Asked::long_reads), static_cast<int64_t>(of_long_reads.views.size()));
    model = {};
    model.has_improper_pairs = true;
    const Result of_mate_pairs = run(sample, trusted_everywhere(), 2, model);
    EXPECT_EQ(count(of_mate_pairs, Asked::improper_pairs), static_cast<int64_t>(of_mate_pairs.views.size()));
    model.is_measured = false;
    const Result unknown = run(sample, trusted_everywhere(), 2, model);
    EXPECT_EQ(count(unknown, Asked::not_measured), static_cast<int64_t>(unknown.views.size()));
}

}  // namespace
}  // namespace gannet::variants
