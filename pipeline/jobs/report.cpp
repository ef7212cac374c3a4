// SPDX-License-Identifier: MIT
// Provides the report of a run.
#include "pipeline/jobs/report.hpp"

#include "pipeline/jobs/headers.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/resources.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace gannet::pipeline {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const AlignFacts& facts) {
    const stages::AlignCounts& counts = facts.counts;
    Json json = {{"templates", counts.templates},
                 {"reads", counts.reads},
                 {"bases", facts.bases},
                 {"mapped", counts.mapped},
                 {"paired", counts.paired},
                 {"properly_paired", counts.proper_pairs},
                 {"supplementary", counts.supplementary},
                 {"too_long", counts.too_long},
                 {"secondary", counts.secondary},
                 {"records", counts.records},
                 {"duplicates", facts.duplicates},
                 {"spilled_bytes", facts.spilled_bytes},
                 {"insert_sizes", Json::array()}};
    for (const align::InsertSizeModel& model : facts.models) {
        json["insert_sizes"].push_back({{"valid", model.valid},
                                        {"mean_bp", model.mean_bp},
                                        {"sd_bp", model.sd_bp},
                                        {"low_bp", model.low_bp},
                                        {"high_bp", model.high_bp}});
    }
    return json;
}

AlignFacts facts_of(const Json& json) {
    AlignFacts facts;
    facts.counts.templates = json.at("templates");
    facts.counts.reads = json.at("reads");
    facts.bases = json.at("bases");
    facts.counts.mapped = json.at("mapped");
    facts.counts.paired = json.at("paired");
    facts.counts.proper_pairs = json.at("properly_paired");
    facts.counts.supplementary = json.at("supplementary");
    facts.counts.too_long = json.at("too_long");
    facts.counts.secondary = json.at("secondary");
    facts.counts.records = json.at("records");
    facts.duplicates = json.at("duplicates");
    facts.spilled_bytes = json.at("spilled_bytes");
    for (const Json& model : json.at("insert_sizes")) {
        facts.models.push_back({model.at("valid"), model.at("mean_bp"), model.at("sd_bp"), model.at("low_bp"),
                                model.at("high_bp")});
    }
    return facts;
}

Json to_json(const std::vector<StageTimes>& times) {
    Json json = Json::array();
    for (const StageTimes& stage : times) {
        json.push_back({{"stage", stage.name},
                        {"batches", stage.batches},
                        {"cpu_s", stage.cpu_s},
                        {"busy_s", stage.busy_s},
                        {"elapsed_s", stage.elapsed_s}});
    }
    return json;
}

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string percent(uint64_t part, uint64_t whole) {
    return fixed(whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole), 2) + " %";
}

}  // namespace

std::string to_json(const RunReport& report, const Session& session, const Tracer& tracer) {
    Json json = {{"program", program_name()},
                 {"command", report.command},
                 {"sample", report.sample},
                 {"reference", report.reference},
                 {"inputs", report.inputs},
                 {"parameters", Json::object()},
                 {"backend", session.ops().choice},
                 {"threads", session.threads()},
                 {"memory_bytes", session.memory_bytes()},
                 {"counts", Json::object()}};
    if (!report.align_parameters.empty()) json["parameters"]["align"] = report.align_parameters;
    if (!report.call_parameters.empty()) json["parameters"]["call"] = report.call_parameters;
    if (!report.call_parameters.empty())
        json["scorer"] = report.scorer.empty() ? Json(nullptr) : Json(report.scorer);
    if (report.align) json["counts"]["align"] = to_json(*report.align);
    if (report.call) {
        json["counts"]["call"] = {{"windows", report.call->windows},
                                  {"variants", report.call->variants},
                                  {"passing", report.call->passing}};
    }
    json["resumed_at_bam"] = report.resumed;
    json["outputs"] = Json::object();
    for (const auto& [what, path] : report.outputs) json["outputs"][what] = path;
    json["stages"] = to_json(tracer.times());
    json["elapsed_s"] = tracer.elapsed_s();
    json["cpu_s"] = process_cpu_seconds();
    json["peak_memory_bytes"] = peak_memory_bytes();
    return json.dump(2) + "\n";
}

void log_summary(const RunReport& report, const Tracer& tracer) {
    if (report.align) {
        const stages::AlignCounts& counts = report.align->counts;
        log_info(std::to_string(counts.reads) + " reads, " + percent(counts.mapped, counts.reads) +
                 " mapped, " + percent(counts.proper_pairs, counts.reads) + " in proper pairs, " +
                 percent(report.align->duplicates, counts.reads) + " duplicates" +
                 (report.resumed ? " (BAM of an earlier run)" : ""));
    }
    if (report.call) {
        log_info(std::to_string(report.call->variants) + " variants, " +
                 std::to_string(report.call->passing) + " of them PASS");
    }
    // Stages of one step (what stands before the dot) together.
    std::vector<std::pair<std::string, double>> steps;
    for (const StageTimes& stage : tracer.times()) {
        const std::string step = stage.name.substr(0, stage.name.find('.'));
        auto at = steps.begin();
        while (at != steps.end() && at->first != step) ++at;
        if (at == steps.end()) at = steps.insert(at, {step, 0.0});
        at->second += stage.cpu_s;
    }
    std::string line = "CPU seconds:";
    for (const auto& [step, seconds] : steps) line += " " + step + " " + fixed(seconds, 1) + ",";
    log_info(line + " whole process " + fixed(process_cpu_seconds(), 1) + " in " +
             fixed(tracer.elapsed_s(), 1) + " s; peak memory " + size_text(peak_memory_bytes()));
    for (const auto& [what, path] : report.outputs) log_info(what + ": " + path);
}

std::string facts_to_json(const AlignFacts& facts, const std::string& run_facts, uint64_t bam_bytes) {
    const Json json = {{"facts", run_facts}, {"bam_bytes", bam_bytes}, {"align", to_json(facts)}};
    return json.dump(1) + "\n";
}

std::optional<AlignFacts> facts_from_json(const std::string& text, const std::string& run_facts,
                                          uint64_t bam_bytes) {
    try {
        const Json json = Json::parse(text);
        if (json.at("facts") != run_facts || json.at("bam_bytes") != bam_bytes) return std::nullopt;
        return facts_of(json.at("align"));
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace gannet::pipeline
