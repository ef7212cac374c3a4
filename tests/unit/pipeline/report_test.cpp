// SPDX-License-Identifier: MIT
// Checks the figures of a report against values computed by hand, and its verdicts.
#include "data/error.hpp"
#include "pipeline/report/pages.hpp"
#include "pipeline/report/plot.hpp"
#include "pipeline/report/sample_plots.hpp"
#include "pipeline/report/text.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gannet::pipeline::report {
namespace {

/// The message of the error that `job` throws; empty: none.
template <class Job>
std::string refusal(const Job& job) {
    try {
        job();
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::malformed_input);
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr const char* k_stats =
    "# a comment\n"
    "SN\traw total sequences:\t8000\t# excluding\nSN\treads mapped:\t6000\nSN\treads "
    "paired:\t8000\nSN\treads "
    "properly paired:\t4000\n"
    "FFQ\t1\t0\t0\t3\nFFQ\t2\t1\t0\t2\nLFQ\t1\t2\t0\t0\n"
    "GCF\t10.50\t4\nGCF\t20.50\t8\nGCT\t1\t25.00\t25.00\t24.00\t26.00\n"
    "IS\t299\t1\t1\t0\t0\nIS\t300\t5\t5\t0\t0\nRL\t150\t8\nMAPQ\t0\t1\nMAPQ\t60\t5\n"
    "COV\t[1-1]\t1\t10\nCOV\t[3-3]\t3\t20\nCOV\t[1000<]\t1000\t1\nCOV\t[1000<]\t1000\t2\n";

TEST(ReportTables, stats_are_read) {
    const StatsFile stats = parse_stats(k_stats, "s.stats");
    EXPECT_DOUBLE_EQ(*stats.share("reads mapped", "raw total sequences"), 0.75);
    EXPECT_FALSE(stats.share("reads mapped", "no such number"));
    // Eight bases: 3 + 3 of first reads, 2 of second ones; 5 of them have quality 2.
    EXPECT_DOUBLE_EQ(*stats.share_of_quality(2), 5.0 / 8.0);
    EXPECT_EQ(stats.inserts, (Counted{{299, 1}, {300, 5}}));
    EXPECT_EQ(stats.mapping_qualities, (Counted{{0, 1}, {60, 5}}));
    EXPECT_EQ(stats.depths, (Counted{{1, 10}, {3, 20}, {1000, 3}}));
    EXPECT_DOUBLE_EQ(stats.bases[0][3], 26);
}

TEST(ReportTables, damaged_rows_are_refused) {
    EXPECT_TRUE(contains(refusal([] { parse_stats("SN\treads mapped:\tmany\n", "s.stats"); }),
                         "s.stats: line 1 field 3"));
    EXPECT_TRUE(contains(refusal([] { parse_stats("", "s.stats"); }), "not a text of samtools stats"));
    EXPECT_TRUE(
        contains(refusal([] { parse_depth_summary("chrom\tlength\n1\t2\n", "d.txt"); }), "d.txt: line 2"));
    EXPECT_TRUE(
        contains(refusal([] { parse_depth_distribution("total\t99999999999\t0.5\n", "d.txt"); }), "line 1"));
}

TEST(ReportTables, depths_left_out_have_the_share_of_the_next_deeper_one) {
    const auto shares =
        parse_depth_distribution("c\t4\t1.00\ntotal\t4\t0.10\ntotal\t2\t0.60\ntotal\t0\t1.00\n", "d.txt");
    EXPECT_EQ(shares, (std::vector<double>{1.0, 0.6, 0.6, 0.1, 0.1}));
}

TEST(ReportTables, rows_of_targets_are_no_contigs) {
    const DepthFile depth = parse_depth_summary(
        "chrom\tlength\tbases\nc\t900\t20000\nc_region\t50\t800\nc_region_2\t9\t8\nd_region\t7\t6\n"
        "total\t916\t20014\ntotal_region\t50\t800\n",
        "d.txt");
    ASSERT_EQ(depth.contigs.size(), 3u);
    EXPECT_EQ(depth.contigs[1].name, "c_region_2");
    EXPECT_EQ(depth.contigs[2].name, "d_region");
    EXPECT_EQ(depth.total.bases, 20014u);
}

TEST(ReportPileup, cells_follow_cigar_and_md) {
    // Position 100: 3 clipped, 10 aligned, 2 inserted, 4 aligned, 3 deleted, 5 aligned.
    const std::vector<uint32_t> cigar = {
        data::cigar_element(3, data::k_cigar_soft_clip), data::cigar_element(10, data::k_cigar_match),
        data::cigar_element(2, data::k_cigar_insertion), data::cigar_element(4, data::k_cigar_match),
        data::cigar_element(3, data::k_cigar_deletion),  data::cigar_element(5, data::k_cigar_match)};
    std::vector<data::Base> bases(24, 0);
    bases[3 + 1] = 2;           // G at the second aligned base
    bases[3 + 10 + 2 + 4] = 3;  // T after the deletion
    for (const bool is_reverse : {false, true}) {
        data::RecordBatch batch;
        {
            data::RecordFields fields;
            fields.contig = 0;
            fields.position = 100;
            fields.mapping_quality = 60;
            fields.flag = is_reverse ? data::k_flag_reverse : 0;
            fields.name = "r";
            fields.cigar = cigar;
            fields.bases = bases;
            data::RecordAppender(batch, fields).tag("MD", "1C12^ACG0G4");
        }
        const PileupRead read = pileup_read(batch.view(0), 95);
        const std::string wanted = is_reverse ? "     ,g,,,,,,,,,,,,***t,,,," : "     .G............***T....";
        EXPECT_EQ(read.cells,
                  wanted + std::string(static_cast<size_t>(k_pileup_columns) - wanted.size(), ' '));
        EXPECT_EQ(read.insertions, (std::vector<std::pair<int64_t, uint32_t>>{{15, 2}}));
        EXPECT_EQ(read.mapping_quality, 60);
    }
}

TEST(ReportDepth, windows_have_their_share_of_the_bytes) {
    const ContigDepth contig{"c", 3 * k_index_window_bp, 30 * k_index_window_bp};
    // Half of the bytes in the first window, none in the second one (a gap), the rest in the third one.
    const DepthAlong along =
        depth_along(contig, {{0, 100}, {k_index_window_bp, 600}, {2 * k_index_window_bp, 600}}, 1100);
    EXPECT_EQ(along.window_bp, k_index_window_bp);
    ASSERT_EQ(along.depths.size(), 3u);
    EXPECT_DOUBLE_EQ(along.depths[0], 15);
    EXPECT_DOUBLE_EQ(along.depths[1], 0);
    EXPECT_DOUBLE_EQ(along.depths[2], 15);
}

TEST(ReportDepth, long_contigs_have_wider_windows) {
    const uint64_t length = 2 * k_max_windows * k_index_window_bp;
    const DepthAlong along = depth_along({"c", length, length}, {{0, 0}}, 1000);
    EXPECT_EQ(along.window_bp, 2 * k_index_window_bp);
    ASSERT_EQ(along.depths.size(), k_max_windows);
    for (const double depth : along.depths) EXPECT_NEAR(depth, 1, 1e-9);
}

TEST(ReportTimeline, spans_are_added_to_their_steps) {
    Timeline timeline;
    EXPECT_TRUE(timeline.add("align.pack_reads", false, 0, 0.0015));
    EXPECT_TRUE(timeline.add("align.find_candidates", false, 0.0005, 0.0005));
    EXPECT_TRUE(timeline.add("align.extension", true, 0.001, 0.001));
    EXPECT_FALSE(timeline.add("align.extension", true, -1, 2));
    const auto lanes = timeline.lanes();
    ASSERT_EQ(lanes.size(), 2u);
    EXPECT_EQ(lanes[0].name, "align");
    EXPECT_NEAR(lanes[0].busy[0], 1.5, 1e-9);
    EXPECT_NEAR(lanes[0].busy[1], 0.5, 1e-9);
    EXPECT_TRUE(lanes[1].device);
    EXPECT_NEAR(lanes[1].busy[1], 1, 1e-9);
}

TEST(ReportTimeline, steps_widen_and_keep_their_sums) {
    Timeline timeline;
    for (int second = 0; second < 1000; ++second) EXPECT_TRUE(timeline.add("call.x", false, second, 0.5));
    const auto lanes = timeline.lanes();
    EXPECT_LE(lanes[0].busy.size(), Timeline::k_max_steps);
    double busy_s = 0;
    for (const double busy : lanes[0].busy) busy_s += busy * timeline.step_s();
    EXPECT_NEAR(busy_s, 500, 1e-6);
}

std::string run_json(const std::string& command, const std::string& more = "") {
    return R"({"program": "gannet 0.1.0", "sample": "S", "command": ")" + command +
           R"(", "counts": {"align": {"reads": 8,
        "depth": {"reference_bases": 1000}, "sex": {"inferred": "male", "x_depth": 0.5, "y_depth": 0.45}}},
        "outputs": {"variants": "S.vcf.gz", "duplicate metrics": "S.duplicates.txt", "quality control": "S.*"},
        "parameters": {"sample_profile": "contamination 4.87 % (measured: 9 of 99); base qualities as reported; depth 29.5 from 0 % GC, 31.0 from 35 % GC; reads that"})" +
           more + "}";
}

TEST(ReportRun, profile_and_sex_are_read) {
    const RunFile run = parse_run_file(run_json("gannet run ref.fa --sex male --sample S"), "S.run.json");
    EXPECT_DOUBLE_EQ(*run.contamination, 0.0487);
    EXPECT_EQ(run.depth_by_gc, (std::vector<std::pair<int, double>>{{0, 29.5}, {35, 31.0}}));
    EXPECT_EQ(run.stated_sex, "male");
    EXPECT_EQ(run.inferred_sex, "male");
    EXPECT_EQ(run.known_bases, 1000u);
    EXPECT_FALSE(run.has_targets);
    EXPECT_TRUE(parse_run_file(run_json("gannet run ref.fa --targets t.bed"), "x").has_targets);
}

TEST(ReportRun, unmeasured_contamination_is_not_zero) {
    std::string json = run_json("gannet run ref.fa");
    json.replace(json.find("4.87 % (measured"), std::string("4.87 % (measured").size(), "0 (not measured");
    const RunFile run = parse_run_file(json, "S.run.json");
    EXPECT_FALSE(run.contamination);
    EXPECT_TRUE(contains(run.contamination_text, "not measured"));
}

TEST(ReportRun, other_json_is_refused) {
    EXPECT_TRUE(contains(refusal([] { parse_run_file("{\"program\": \"other\"}", "x.json"); }),
                         "x.json: is not the run.json"));
    EXPECT_FALSE(refusal([] { parse_run_file("no JSON", "x.json"); }).empty());
}

TEST(ReportLimits, values_on_a_limit_are_within_it) {
    const Limit limit{"x", Unit::ratio, 1.9, 2.3, 1.8, 2.5};
    EXPECT_EQ(judge(1.9, limit), Result::pass);
    EXPECT_EQ(judge(2.31, limit), Result::look);
    EXPECT_EQ(judge(1.8, limit), Result::look);
    EXPECT_EQ(judge(1.79, limit), Result::fail);
    EXPECT_EQ(judge(2.51, limit), Result::fail);
    EXPECT_EQ(limit.pass_text(), "1.9 to 2.3");
}

TEST(ReportLimits, defaults_survive_being_written_and_read) {
    Limits limits;
    limits.change(Limits().to_json(), "limits.json");
    EXPECT_EQ(limits.to_json(), Limits().to_json());
    limits.change(R"({"duplicates": {"pass_max": 0.05, "look_max": null}})", "limits.json");
    EXPECT_DOUBLE_EQ(*limits.of("duplicates").pass_max, 0.05);
    EXPECT_EQ(judge(0.9, limits.of("duplicates")), Result::look);
    EXPECT_DOUBLE_EQ(*limits.of("depth").pass_min, 25);
}

TEST(ReportLimits, what_cannot_be_meant_is_refused) {
    const auto change = [](const char* json) { return refusal([json] { Limits().change(json, "l.json"); }); };
    EXPECT_TRUE(contains(change(R"({"duplicate": {}})"), "l.json: there is no limit \"duplicate\""));
    EXPECT_TRUE(contains(change(R"({"duplicates": {"max": 1}})"), "pass_min, pass_max"));
    EXPECT_TRUE(contains(change(R"({"duplicates": {"pass_max": "1"}})"), "neither a number nor null"));
    EXPECT_TRUE(contains(change(R"({"duplicates": 1})"), "is not an object"));
    EXPECT_TRUE(contains(change(R"({"duplicates": {"look_max": 0.1}})"), "not within"));
    EXPECT_FALSE(change("[]").empty());
}

class MadeRun {
  public:
    MadeRun(const std::string& command, bool complete) {
        json = run_json(command);
        folder.write("S.run.json", json);
        if (!complete) return;
        folder.write("S.stats", k_stats);
        folder.write("S.mosdepth.summary.txt",
                     "chrom\tlength\tbases\tmean\tmin\tmax\nc\t900\t20000\t22."
                     "22\t0\t60\ntotal\t900\t20000\t22.22\t0\t60\n");
        folder.write("S.mosdepth.global.dist.txt", "total\t10\t1.00\ntotal\t0\t1.00\n");
        folder.write(
            "S.duplicates.txt",
            "## METRICS "
            "CLASS\tx\nLIBRARY\tUNPAIRED_READS_EXAMINED\tREAD_PAIRS_EXAMINED\tUNPAIRED_READ_DUPLICATES\t"
            "READ_PAIR_DUPLICATES\na\t20\t40\t10\t15\nb\t0\t50\t0\t20\n\n");
        folder.write("S.insert_size_metrics",
                     "## METRICS CLASS\tx\nMEDIAN_INSERT_SIZE\tPAIR_ORIENTATION\n90\tRF\n410\tFR\n\n");
        folder.write("S.alignment_summary_metrics",
                     "## METRICS "
                     "CLASS\tx\nCATEGORY\tPF_MISMATCH_RATE\tPCT_CHIMERAS\nFIRST_OF_PAIR\t0.5\t0.5\nPAIR\t0."
                     "004\t0.04\n");
    }
    SampleFigures figures() const {
        const auto runs = find_runs(folder.path(""));
        EXPECT_EQ(runs.size(), 1u);
        return read_sample(runs[0], json);
    }
    const Check check(const std::string& name) const {
        for (const Check& check : checks_of(figures(), Limits()))
            if (check.name == name) return check;
        return {};
    }
    tests::TemporaryFolder folder;
    std::string json;
};

TEST(ReportChecks, values_are_those_of_the_files) {
    const MadeRun run("gannet run ref.fa --sex female", true);
    EXPECT_DOUBLE_EQ(*run.check("depth").value, 20);  // 20,000 bases of 1,000 known ones
    EXPECT_EQ(run.check("depth").result, Result::look);
    EXPECT_DOUBLE_EQ(*run.check("breadth_10x").value, 0.9);
    EXPECT_DOUBLE_EQ(*run.check("mapped").value, 0.75);
    EXPECT_EQ(run.check("mapped").result, Result::fail);
    EXPECT_DOUBLE_EQ(*run.check("proper_pairs").value, 0.5);
    EXPECT_DOUBLE_EQ(*run.check("duplicates").value,
                     80.0 / 200.0);  // 10 + 2 * 15 + 2 * 20 of 20 + 2 * 40 + 2 * 50
    EXPECT_DOUBLE_EQ(*run.check("insert_size").value, 410);
    EXPECT_DOUBLE_EQ(*run.check("mismatches").value, 0.004);
    EXPECT_EQ(run.check("chimeras").result, Result::look);
    EXPECT_EQ(run.check("contamination").result, Result::fail);
    EXPECT_EQ(run.check("sex").result, Result::fail);
    EXPECT_EQ(verdict_of(checks_of(run.figures(), Limits())), Result::fail);
}

TEST(ReportTables, cut_metrics_are_refused) {
    const std::string head = "## METRICS CLASS\tx\nA\tB\n";
    const auto read = [&head](const std::string& rows, TableEnd end) {
        return refusal([&] { parse_metrics(head + rows, "m.txt", end); });
    };
    EXPECT_EQ(read("1\t2\n\n## HISTOGRAM\n", TableEnd::blank_line), "");
    EXPECT_EQ(read("1\t2\n", TableEnd::blank_line),
              "m.txt: ends within its table of metrics: the file was cut");
    EXPECT_NE(read("", TableEnd::blank_line), "");
    EXPECT_NE(read("1\t2\n", TableEnd::blank_line_after_rows), "");
    EXPECT_EQ(read("", TableEnd::blank_line_after_rows), "");
    EXPECT_EQ(read("1\t2\n", TableEnd::any), "");
    EXPECT_EQ(read("1\n", TableEnd::any), "m.txt: line 3 has 1 fields, and there are 2 columns");
    EXPECT_NE(refusal([] { parse_metrics("## METRICS CLASS\tx\n", "m.txt", TableEnd::any); }), "");
}

constexpr const char* k_hs_columns =
    "## METRICS CLASS\tx\nMEAN_TARGET_COVERAGE\tZERO_CVG_TARGETS_PCT\tPCT_TARGET_BASES_20X\n";

TEST(ReportChecks, targets_without_reads_fail) {
    const MadeRun run("gannet run ref.fa --targets t.bed", true);
    EXPECT_EQ(run.check("targets_20x").result, Result::not_judged);  // no file
    EXPECT_EQ(run.check("depth").title, "Mean depth");               // neither targets' nor sites' is known
    run.folder.write("S.hs_metrics", k_hs_columns + std::string("40.5\t0.5\t0.4999\n\n"));
    EXPECT_EQ(run.check("depth").text, "40.5x");
    EXPECT_EQ(run.check("depth").title, "Mean depth of targets");
    EXPECT_EQ(run.check("targets_20x").text, "49.99 %");
    EXPECT_EQ(run.check("targets_20x").result, Result::fail);
    EXPECT_EQ(run.check("targets_uncovered").text, "50 %");
    EXPECT_EQ(run.check("targets_uncovered").result, Result::fail);
    EXPECT_EQ(run.check("breadth_10x").name, "");  // of the genome: not asked for
    run.folder.write("S.hs_metrics", k_hs_columns + std::string("14\t0.02\t0.85\n\n"));
    EXPECT_EQ(run.check("depth").result, Result::fail);
    EXPECT_EQ(run.check("targets_20x").result, Result::look);
    EXPECT_EQ(run.check("targets_uncovered").result, Result::pass);
    EXPECT_EQ(MadeRun("gannet run ref.fa", true).check("targets_20x").name, "");
}

TEST(ReportPage, shows_coverage_and_gc_bias_of_picard) {
    const MadeRun run("gannet run ref.fa --targets t.bed", true);
    EXPECT_EQ(depth_figures(run.figures()).find("Picard Collect"), std::string::npos);
    run.folder.write("S.wgs_metrics", "## METRICS CLASS\tx\nMEAN_COVERAGE\tPCT_20X\n31.25\t0.875\n\n");
    run.folder.write("S.hs_metrics", "## METRICS CLASS\tx\nFOLD_80_BASE_PENALTY\tPCT_OFF_BAIT\n1.75\t?\n\n");
    run.folder.write(
        "S.gc_bias.detail_metrics",
        "## METRICS CLASS\tx\nGC\tWINDOWS\tNORMALIZED_COVERAGE\n30\t1\t123.45\n40\t90000\t0.96\n100\t0\t0\n");
    const std::string html = depth_figures(run.figures());
    for (const char* part : {"<th scope=\"row\">MEAN_COVERAGE</th><td>31.25</td>",
                             "<th scope=\"row\">PCT_20X</th><td>87.5 %</td>",
                             "<th scope=\"row\">FOLD_80_BASE_PENALTY</th><td>1.75</td>", "0.96"})
        EXPECT_TRUE(contains(html, part)) << part;
    EXPECT_EQ(html.find("PCT_OFF_BAIT"), std::string::npos);
    EXPECT_EQ(html.find("123.45"), std::string::npos);  // too few windows
}

TEST(ReportChecks, few_mapped_reads_say_nothing_of_alignments) {
    const MadeRun run("gannet run ref.fa", true);
    EXPECT_EQ(run.check("mismatches").result, Result::pass);
    run.folder.write("S.stats",
                     "SN\traw total sequences:\t8000\nSN\treads mapped:\t999\nSN\treads paired:\t8000\n"
                     "SN\treads properly paired:\t4\n");
    for (const char* name : {"mismatches", "duplicates", "chimeras"})
        EXPECT_EQ(run.check(name).result, Result::not_judged) << name;
    EXPECT_EQ(run.check("mapped").result, Result::fail);
}

TEST(ReportChecks, sex_is_judged_only_where_it_is_stated) {
    EXPECT_EQ(MadeRun("gannet run ref.fa --sex male", false).check("sex").result, Result::pass);
    EXPECT_EQ(MadeRun("gannet run ref.fa", false).check("sex").result, Result::not_judged);
    EXPECT_EQ(MadeRun("gannet run ref.fa", false).check("sex").text, "male");
}

TEST(ReportChecks, absent_files_are_said_and_not_judged) {
    const MadeRun run("gannet run ref.fa", false);
    const SampleFigures figures = run.figures();
    EXPECT_GE(figures.missing.size(), 8u);
    EXPECT_EQ(run.check("duplicates").result, Result::not_judged);
    const std::string page = sample_page(figures, checks_of(figures, Limits()), "gannet 0.1.0");
    EXPECT_TRUE(contains(page, "there is no S.stats"));
    EXPECT_TRUE(contains(page, "Not drawn: "));
}

TEST(ReportChecks, a_folder_may_have_no_runs_and_other_names_are_refused) {
    const tests::TemporaryFolder folder;
    EXPECT_TRUE(find_runs(folder.path("")).empty());
    EXPECT_TRUE(contains(refusal([&] { find_runs(folder.path("nothing")); }), "neither a folder"));
}

TEST(ReportCohort, outliers_are_far_from_the_median) {
    // Median 10.5, absolute deviations .5 .5 .5 .5 1.5 9.5: their median is 0.5.
    EXPECT_EQ(outliers_of({10, 11, 10, 11, 9, 20}),
              (std::vector<bool>{false, false, false, false, false, true}));
    EXPECT_EQ(outliers_of({10, 11, 10, 20}), std::vector<bool>(4, false));  // too few
    EXPECT_EQ(outliers_of({10, 10, 10, 10, 11}), std::vector<bool>(5, false));
    EXPECT_EQ(outliers_of({10, std::nullopt, 11, 10, 11, 40}),
              (std::vector<bool>{false, false, false, false, false, true}));
}

TEST(ReportCohort, names_of_samples_are_escaped) {
    std::vector<CohortSample> samples;
    for (const char* name : {"<script>alert(1)</script>", "B\" onload=\"x"})
        samples.push_back(
            {name, checks_of(MadeRun("gannet run ref.fa", true).figures(), Limits()), 8, "../a b/\"x.html"});
    const std::string page = cohort_page(samples, {}, "gannet 0.1.0");
    EXPECT_FALSE(contains(page, "<script>alert"));
    EXPECT_TRUE(contains(page, "&lt;script&gt;alert(1)"));
    EXPECT_FALSE(contains(page, "B\" onload"));
}

TEST(ReportCohort, runs_with_and_without_targets_share_a_table) {
    const MadeRun genome("gannet run ref.fa", true);
    const MadeRun panel("gannet run ref.fa --targets t.bed", true);
    panel.folder.write("S.hs_metrics", k_hs_columns + std::string("40.5\t0.5\t0.4999\n\n"));
    const auto judged = [](const MadeRun& run) { return checks_of(run.figures(), Limits()); };
    const std::string page =
        cohort_page({{"G", judged(genome), 8, ""}, {"P", judged(panel), 8, ""}}, {}, "x");
    const auto cells = [&page](const std::string& sample) {
        const size_t begin = page.find("<tr><th scope=\"row\">" + sample + "</th>");
        const std::string row = page.substr(begin, page.find("</tr>", begin) - begin);
        std::vector<std::string> texts;
        for (size_t at = row.find("<td data-value="); at != std::string::npos;
             at = row.find("<td data-value=", at + 1)) {
            const size_t text = row.find('>', at) + 1;
            texts.push_back(row.substr(text, row.find_first_of(" <", text) - text));
        }
        return texts;
    };
    const auto of_genome = cells("G"), of_panel = cells("P");
    ASSERT_EQ(of_genome.size(), of_panel.size());
    // The verdict; depth, the two of targets, breadth of the genome.
    EXPECT_EQ((std::vector<std::string>(of_genome.begin() + 1, of_genome.begin() + 5)),
              (std::vector<std::string>{"20x", "–", "–", "90"}));
    EXPECT_EQ((std::vector<std::string>(of_panel.begin() + 1, of_panel.begin() + 5)),
              (std::vector<std::string>{"40.5x", "49.99", "50", "–"}));
    for (const char* limit : {"breadth_10x", "targets_20x", "ts_tv", "ts_tv_targets"})
        EXPECT_TRUE(contains(page, "<code>" + std::string(limit) + "</code>")) << limit;
}

TEST(ReportPlot, ticks_are_round_and_reach_the_end) {
    EXPECT_EQ(ticks(100, 5), (std::vector<double>{0, 50, 100}));
    EXPECT_EQ(ticks(7, 5), (std::vector<double>{0, 2, 4, 6, 8}));
    EXPECT_EQ(ticks(0, 5), (std::vector<double>{0, 1}));
}

TEST(ReportPlot, values_are_in_the_table_and_in_the_drawing) {
    Plot plot;
    plot.id = "p";
    plot.title = "A <b>";
    plot.x_title = "x";
    plot.y_title = "y";
    plot.places = {0, 10};
    plot.labels = {"0", "10"};
    plot.series = {{"seen", {0, 1234}}};
    const std::string html = figure_html(plot);
    EXPECT_TRUE(contains(html, "<tr><th scope=\"row\">10</th><td>1,234</td></tr>"));
    EXPECT_TRUE(contains(html, "A &lt;b&gt;"));
    EXPECT_TRUE(contains(html, "d=\"M50 188L388 "));  // from the axis at the left edge to the right edge
    plot.series[0].values = {0, 0};
    EXPECT_TRUE(contains(figure_html(plot), "Not drawn"));
}

TEST(ReportText, numbers_are_written_for_people) {
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(12), "12");
    EXPECT_EQ(shortest(2.50, 2), "2.5");
    EXPECT_EQ(shortest(-0.0001, 2), "0");
    EXPECT_EQ(with_prefix(1500), "1.5 k");
    EXPECT_EQ(with_prefix(20e6), "20 M");
    EXPECT_EQ(value_text(0.123, Unit::fraction), "12.3 %");
    EXPECT_EQ(escaped("a<b>&\"'\x01"), "a&lt;b&gt;&amp;&quot;&#39;?");
}

}  // namespace
}  // namespace gannet::pipeline::report
