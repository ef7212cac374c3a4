// SPDX-License-Identifier: MIT
// Tests which views of the scorer a run keeps, their file, and what a page says of them.
#include "pipeline/report/scorer_view.hpp"

#include "data/error.hpp"
#include "pipeline/report/kept_views.hpp"
#include "pipeline/report/variant_figures.hpp"
#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline::report {
namespace {

using variants::AlleleView;
using variants::Asked;
using variants::Decided;
using variants::SiteView;

data::Variant record_at(int64_t position, int32_t genotype_quality, uint32_t filters = 0) {
    data::Variant record;
    record.position = position;
    record.alleles = {"A", "G"};
    record.genotype = {0, 1};
    record.genotype_quality = genotype_quality;
    record.filters = filters;
    return record;
}

std::string line_of(const data::Variant& record) {
    return "c\t" + std::to_string(record.position + 1) + "\t.\tA\tG\t30\t" +
           (record.filters == 0 ? "PASS" : "LowQual") +
           "\t.\tGT:GQ\t0/1:" + std::to_string(record.genotype_quality);
}

void offer(ViewKeeper& keeper, const data::Variant& record) {
    const Asked asked = record.position % 3 == 0 ? Asked::yes : Asked::settled;
    if (!keeper.wants(record, true)) return;
    if (asked != Asked::yes && !keeper.wants(record, false)) return;
    keeper.take(record, {0, record.position, asked, Decided::caller, {}});
}

std::set<int64_t> positions_of(const ViewKeeper& keeper) {
    std::set<int64_t> positions;
    for (const KeptView& view : keeper.views()) {
        EXPECT_EQ(view.contig, "c");
        positions.insert(view.site.position);
    }
    return positions;
}

TEST(ViewKeeper, keeps_those_of_the_records_that_the_report_shows_in_any_order) {
    const auto reference = variants::testing::make_reference(std::string(5000, 'A'));
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<data::Variant> records;
        for (int64_t at = 0; at < 400; ++at)
            records.push_back(
                record_at(at * 7, static_cast<int32_t>(random() % 60), random() % 5 == 0 ? 1 : 0));
        VariantFigures figures;
        for (const data::Variant& record : records) ASSERT_TRUE(figures.add(line_of(record)));
        std::set<int64_t> expected;
        for (const ShownSite& site : figures.shown()) expected.insert(site.position);
        ASSERT_EQ(expected.size(), k_doubtful_sites + k_usual_sites);
        // And the lowest GQ of those that the network was asked about, first ones first.
        std::vector<data::Variant> asked;
        for (const data::Variant& record : records)
            if (record.position % 3 == 0 && record.filters == 0) asked.push_back(record);
        std::stable_sort(asked.begin(), asked.end(), [](const data::Variant& a, const data::Variant& b) {
            return a.genotype_quality < b.genotype_quality;
        });
        for (size_t i = 0; i < k_scored_sites; ++i) expected.insert(asked[i].position);
        for (int order = 0; order < 3; ++order) {
            ViewKeeper keeper(*reference);
            for (const data::Variant& record : records) offer(keeper, record);
            EXPECT_EQ(positions_of(keeper), expected);
            std::shuffle(records.begin(), records.end(), random);
        }
    }
}

/// Bytes of a read: `cells` by column, '.' of quality 30, ':' of 10, a letter that differs, '*', '~', '+'.
std::vector<uint8_t> row_of(uint8_t pool, const std::string& cells, int mapping_quality, bool is_reverse) {
    std::vector<uint8_t> row(ml::pileup::k_row_bytes, 0);
    for (size_t column = 0; column < cells.size(); ++column) {
        ml::FeatureWriter cell(
            std::span<uint8_t>(row).subspan(column * ml::pileup::k_channels, ml::pileup::k_channels));
        const char letter = cells[column];
        const size_t base = std::string("ACGT").find(letter);
        if (letter == '.' || letter == '+') cell.set(ml::row_channel("match"), 30);
        if (letter == ':') cell.set(ml::row_channel("match"), 10);
        if (letter == '*') cell.set(ml::row_channel("deleted"), 1);
        if (letter == '~') cell.set(ml::row_channel("clipped"), 30);
        if (letter == '+') cell.set(ml::row_channel("inserted"), 6);
        if (base == std::string::npos) continue;
        cell.set(ml::row_channel("mismatch"), 25);
        cell.set(ml::row_channel("base"), static_cast<int64_t>(base) + 1);
        cell.set(ml::row_channel("allele"), 1);
    }
    ml::FeatureWriter features(
        std::span<uint8_t>(row).subspan(ml::pileup::k_columns * ml::pileup::k_channels));
    features.set_byte(ml::row_feature("pool"), pool);
    features.set_byte(ml::row_feature("support"), pool == ml::k_pool_allele ? 175 : 79);
    features.set(ml::row_feature("mapping_quality"), mapping_quality);
    features.set(ml::row_feature("reverse"), is_reverse);
    return row;
}

AlleleView shown_allele() {
    AlleleView allele;
    allele.reference = "A";
    allele.alternate = "G";
    allele.facts.emplace();
    allele.facts->fragments = 31;
    allele.facts->filters = data::k_filter_allele_bias;
    allele.facts->base = {-65536, -32768, -6 * 65536};
    allele.stratum.emplace();
    allele.stratum->depth_begin = 22;
    allele.stratum->depth_end = 40;
    allele.stratum->direction = ml::Direction::rescue;
    allele.stratum->prior = 98304;
    allele.raw = {-655360, 131072, 65536};
    allele.correction = {0, 163840, 163840};
    allele.posterior = {-131072, -6554, -196608};
    allele.site.assign(ml::pileup::k_site_bytes, 0);
    for (size_t column = 0; column < ml::pileup::k_columns; ++column)
        allele.site[column * ml::k_site_channels + column % 4] = 255;  // ACGTACGT...
    for (const auto& row : {row_of(ml::k_pool_reference, "....:...", 60, true),
                            row_of(ml::k_pool_allele, "  ..G.+*~", 20, false)})
        allele.rows.insert(allele.rows.end(), row.begin(), row.end());
    return allele;
}

SiteView shown_site() { return {0, 99, Asked::yes, Decided::with_network, {shown_allele()}}; }

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(ScorerView, text_has_a_line_per_read_by_pool) {
    const std::string text = example_text(shown_allele());
    EXPECT_TRUE(contains(text, "ACGTACGTACGTACGTACGTACGTACGTACGT  MAPQ")) << text;
    EXPECT_TRUE(contains(text,
                         "of the allele: 1, 1 forward, means: MAPQ 20.0, quality of equal bases 30.0, "
                         "other bases 1.0\n  ..G.+*~" +
                             std::string(23, ' ') + "  20 + 3\n"))
        << text;
    EXPECT_TRUE(contains(text,
                         "of the reference: 1, 0 forward, means: MAPQ 60.0, quality of equal bases 27.5, "
                         "other bases 0.0\n....:..." +
                             std::string(24, ' ') + "  60 - -3\nothers: 0\n"))
        << text;
}

TEST(ScorerView, page_has_the_numbers_and_the_drawing) {
    const std::string html = scorer_view_html(shown_site(), "GT 0/1, GQ 12", "c:100 A>G");
    const std::string base = "caller (base)</th><td class=\"number\">-1.000</td><td class=\"number\">-0.500";
    for (const std::string& part : std::vector<std::string>{
             "The network was asked", "corrected posterior says: GT 0/1, GQ 12.",
             "A&gt;G: SNP, unique, 31 fragments",
             "stratum from 22 fragments to 39, direction rescue, prior 1.5, temperature 1", base,
             "network's output", "-10.000", "2.500</td>", "-0.100</td>", "AlleleBias", "role=\"img\"",
             "of the allele: 1 read<", "others: 0 reads<", "Network's input as text"})
        EXPECT_TRUE(contains(html, part)) << part << "\n" << html;
}

TEST(ScorerView, page_says_why_the_network_was_not_asked) {
    SiteView view = shown_site();
    view.decided = Decided::caller;
    view.alleles[0].facts->plain_phred = 47;
    const std::pair<Asked, const char*> k_reasons[] = {
        {Asked::no_candidate, "below the model's minimum presence"},
        {Asked::no_stratum, "no stratum for its kind, depth and context"},
        {Asked::not_measured, "too few reads to be measured"},
        {Asked::long_reads, "longer than those"},
        {Asked::improper_pairs, "not proper ones"},
        {Asked::settled, "genotype quality of 47"},
        {Asked::given, "--alleles"}};
    for (const auto& [asked, reason] : k_reasons) {
        view.asked = asked;
        const std::string html = scorer_view_html(view, "", "c:100");
        EXPECT_TRUE(contains(html, "was not asked"));
        EXPECT_TRUE(contains(html, reason)) << reason;
        EXPECT_FALSE(contains(html, "<svg"));
    }
    view.asked = Asked::yes;
    for (const auto& [decided, words] : {std::pair{Decided::caller, "nothing of its output counts"},
                                         std::pair{Decided::neither, "Neither the caller's call"}}) {
        view.decided = decided;
        EXPECT_TRUE(contains(scorer_view_html(view, "", "c:100"), words));
    }
}

/// The message of the refusal of a file; empty: it was read.
std::string refusal(const std::string& text) {
    try {
        parse_views(text, "S.scorer_views.json");
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::malformed_input);
        return error.what();
    }
    return "";
}

TEST(ViewFile, comes_back_as_it_was_written) {
    AlleleView rare;
    rare.reference = "AT";
    rare.alternate = "A";
    SiteView settled{0, 7, Asked::settled, Decided::caller, {shown_allele(), rare}};
    settled.alleles[0].stratum.reset();
    const std::vector<KeptView> views = {{"c", shown_site()}, {"d", settled}};
    const std::string text = views_text(views, "version=1");
    const std::vector<KeptView> back = parse_views(text, "f");
    ASSERT_EQ(back.size(), 2u);
    EXPECT_EQ(views_text(back, "version=1"), text);
    EXPECT_EQ(back[0].site.alleles[0].rows, views[0].site.alleles[0].rows);
    EXPECT_EQ(back[0].site.alleles[0].posterior, views[0].site.alleles[0].posterior);
    EXPECT_EQ(back[1].site.asked, Asked::settled);
    EXPECT_FALSE(back[1].site.alleles[0].stratum);
    EXPECT_FALSE(back[1].site.alleles[1].facts);
}

TEST(ViewFile, damage_is_named) {
    const std::string text = views_text({{"c", shown_site()}}, "version=1");
    const auto changed = [&text](const std::string& from, const std::string& to) {
        std::string copy = text;
        copy.replace(copy.find(from), from.size(), to);
        return copy;
    };
    EXPECT_EQ(refusal(text), "");
    EXPECT_TRUE(contains(refusal(text.substr(0, text.size() / 2)), "S.scorer_views.json: the file of"));
    EXPECT_TRUE(contains(refusal(""), "is not JSON"));
    EXPECT_TRUE(contains(refusal(changed("\"layout\": 2", "\"layout\": 3")), "another version of gannet"));
    EXPECT_TRUE(contains(refusal(changed("\"asked\": \"yes\"", "\"asked\": \"so\"")), "unknown \"asked\""));
    EXPECT_TRUE(contains(refusal(changed("\"rows\": \"96", "\"rows\": \"9g")), "\"rows\""));
    EXPECT_TRUE(contains(refusal(changed("\"rows\": \"96", "\"rows\": \"")), "another layout"));
    EXPECT_TRUE(contains(refusal(changed("\"fragments\": 31", "\"fragments\": -1")), "out of range"));
    EXPECT_TRUE(contains(refusal(changed("\"copies\"", "\"copy\"")), "lacks \"copies\""));
    EXPECT_TRUE(contains(refusal(changed("\"position\": 100", "\"position\": \"x\"")), "site 1"));
}

}  // namespace
}  // namespace gannet::pipeline::report
