// SPDX-License-Identifier: MIT
// Provides the report of a run.
#include "pipeline/jobs/report.hpp"

#include "data/json_text.hpp"
#include "kernels/cuda/device.hpp"
#include "pipeline/build_info.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/plausibility.hpp"
#include "pipeline/log.hpp"
#include "pipeline/machine.hpp"
#include "pipeline/report/run_file.hpp"
#include "pipeline/resources.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

namespace gannet::pipeline {
namespace {

using Json = nlohmann::ordered_json;

/// numerator / denominator with `decimals` digits; null where there is no denominator.
Json ratio(uint64_t numerator, uint64_t denominator, int decimals) {
    if (denominator == 0) return nullptr;
    const double scale = std::pow(10.0, decimals);
    return std::round(static_cast<double>(numerator) / static_cast<double>(denominator) * scale) / scale;
}

/// The parts of run.json's "sex": mapped reads and known bases.
template <class Depth>
auto parts_of(Depth& sex) {
    return std::array{std::pair{"x", &sex.x}, std::pair{"y", &sex.y}, std::pair{"autosomes", &sex.autosomes}};
}

Json to_json(const DepthFacts& depth) {
    return {{"aligned_bases", depth.aligned_bases},
            {"reference_bases", depth.known_bases},
            {"mean", ratio(depth.aligned_bases, depth.known_bases, 2)}};
}

/// Null where the reference has no X, no Y or no autosomes, or these have no reads.
Json to_json(const SexDepth& sex) {
    if (sex.expected(sex.x) == 0 || sex.expected(sex.y) == 0) return nullptr;
    const std::string inferred = sex.sex();
    Json json = {{"inferred", inferred.empty() ? Json(nullptr) : Json(inferred)},
                 {"x_depth", ratio(sex.x.reads, sex.expected(sex.x), 3)},
                 {"y_depth", ratio(sex.y.reads, sex.expected(sex.y), 3)}};
    for (const auto& [name, part] : parts_of(sex)) json[name] = {part->reads, part->bases};
    return json;
}

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
                 {"trimmed_reads", counts.trimmed_reads},
                 {"trimmed_bases", counts.trimmed_bases},
                 {"secondary", counts.secondary},
                 {"records", counts.records},
                 {"duplicates", facts.duplicates_marked ? Json(facts.duplicates) : Json(nullptr)},
                 {"optical_duplicate_pairs",
                  facts.duplicates_marked ? Json(facts.optical_duplicate_pairs) : Json(nullptr)},
                 {"spilled_bytes", facts.spilled_bytes},
                 {"insert_sizes", Json::array()}};
    for (const align::InsertSizeModel& model : facts.models) {
        json["insert_sizes"].push_back({{"valid", model.valid},
                                        {"mean_bp", model.mean_bp},
                                        {"sd_bp", model.sd_bp},
                                        {"low_bp", model.low_bp},
                                        {"high_bp", model.high_bp}});
    }
    json["sex"] = facts.sex ? to_json(*facts.sex) : Json(nullptr);
    json["depth"] = facts.depth ? to_json(*facts.depth) : Json(nullptr);
    return json;
}

/// Bytes of a path that are not UTF-8 become U+FFFD: such a file can be named as well as any other.
std::string text_of(const Json& json, int indent) { return data::json_text(json, indent) + "\n"; }

/// What comes back of a text that text_of() has written.
std::string kept_of(const std::string& text) { return Json::parse(text_of(text, -1)); }

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
    facts.counts.trimmed_reads = json.at("trimmed_reads");
    facts.counts.trimmed_bases = json.at("trimmed_bases");
    facts.counts.secondary = json.at("secondary");
    facts.counts.records = json.at("records");
    facts.duplicates_marked = !json.at("duplicates").is_null();
    if (facts.duplicates_marked) {
        facts.duplicates = json.at("duplicates");
        facts.optical_duplicate_pairs = json.at("optical_duplicate_pairs");
    }
    facts.spilled_bytes = json.at("spilled_bytes");
    if (const Json& depth = json.at("depth"); !depth.is_null())
        facts.depth = DepthFacts{depth.at("aligned_bases").get<uint64_t>(),
                                 depth.at("reference_bases").get<uint64_t>()};
    if (const Json& sex = json.at("sex"); !sex.is_null()) {
        facts.sex.emplace();
        for (const auto& [name, part] : parts_of(*facts.sex))
            *part = {sex.at(name).at(0).get<uint64_t>(), sex.at(name).at(1).get<uint64_t>()};
    }
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

/// `command`: with targets the depth, which is of all bases, is not what a reader expects.
std::string depth_text(const std::optional<DepthFacts>& depth, const std::string& command) {
    if (!depth || depth->known_bases == 0) return "";
    return ", mean depth " +
           fixed(static_cast<double>(depth->aligned_bases) / static_cast<double>(depth->known_bases), 1) +
           (report::has_word(command, "--targets") ? "x over the whole reference, not the targets" : "x");
}

std::string percent_of(uint64_t part, uint64_t whole) {
    return fixed(whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole), 2) + " %";
}

}  // namespace

namespace {

/// UTC, ISO 8601.
std::string time_text(std::time_t time) {
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

Json to_json(const variants::VariantCounts& counts) {
    return {{"records", counts.records},
            {"snps", counts.snps},
            {"indels", counts.indels},
            {"insertions", counts.insertions},
            {"deletions", counts.deletions},
            {"multiallelic", counts.multiallelic},
            {"transitions", counts.transitions},
            {"transversions", counts.transversions},
            {"ts_tv", ratio(counts.transitions, counts.transversions, 3)},
            {"heterozygous", counts.heterozygous},
            {"homozygous_alternate", counts.homozygous_alternate},
            {"haploid_alternate", counts.haploid_alternate}};
}

Json counts_of(const RunReport& report) {
    Json json = Json::object();
    if (report.align) {
        json["align"] = to_json(*report.align);
        json["align"].erase("spilled_bytes");  // depends on the memory of the run
    }
    if (report.call) {
        json["call"] = {{"windows", report.call->windows},
                        {"variants", report.call->variants.all.records},
                        {"passing", report.call->variants.pass.records},
                        {"all", to_json(report.call->variants.all)},
                        {"pass", to_json(report.call->variants.pass)}};
    }
    return json;
}

/// What devices were used, and the memory that their streams took; null where there was none.
Json devices_of(const Session& session) {
    if (session.ops().backend != kernels::Backend::cuda) return nullptr;
    const kernels::cuda::MemoryUse use = kernels::cuda::memory_use();
    Json json = {{"peak_pinned_bytes", use.most_pinned_bytes},
                 {"planned_pinned_bytes", session.pinned_bytes()},
                 {"pinned_growths", use.pinned_growths},
                 {"pinned_registered", use.registers_pinned},
                 {"devices", Json::array()}};
    for (const kernels::cuda::MemoryUse::OfDevice& one : use.devices) {
        json["devices"].push_back({{"ordinal", one.device.ordinal},
                                   {"uuid", one.device.uuid},
                                   {"name", one.device.name},
                                   {"memory_limit_bytes", one.limit_bytes},
                                   {"peak_memory_bytes", one.most_bytes},
                                   {"resident_bytes", one.resident_bytes},
                                   {"growths", one.growths}});
    }
    return json;
}

/// Joules and mean watts, null where nothing counts them.
Json energy_entry(const std::optional<double>& joules, double seconds) {
    if (!joules) return nullptr;
    return {{"joules", std::round(*joules * 1e3) * 1e-3},
            {"mean_watts", seconds > 0 ? Json(std::round(*joules / seconds * 1e2) * 1e-2) : Json(nullptr)}};
}

Json energy_entry(const Energy& energy) {
    Json json = {{"elapsed_s", energy.seconds},
                 {"host", energy_entry(energy.host_joules, energy.seconds)},
                 {"devices", Json::array()}};
    for (const std::optional<double>& joules : energy.device_joules)
        json["devices"].push_back(energy_entry(joules, energy.device_seconds));
    return json;
}

/// Of all that counts its energy; empty where not both host and devices do.
std::optional<double> joules_of(const Energy& energy) {
    std::optional<double> sum = energy.host_joules;
    for (const std::optional<double>& joules : energy.device_joules)
        sum = sum && joules ? std::optional<double>(*sum + *joules) : std::nullopt;
    return sum;
}

Json energy_of(const RunReport& report, const EnergyMeter::Report& energy) {
    Json json = energy_entry(energy.total);
    json["host_counters"] = energy.host_zones.empty() ? Json(nullptr) : Json(energy.host_zones);
    json["host_unavailable"] = energy.host_fault.empty() ? Json(nullptr) : Json(energy.host_fault);
    json["device_uuids"] = energy.devices;
    json["devices_unavailable"] = energy.device_fault.empty() ? Json(nullptr) : Json(energy.device_fault);
    const std::optional<double> joules = joules_of(energy.total);
    const bool has_reads = report.align && !report.resumed && report.align->counts.reads > 0;
    json["joules_per_million_reads"] =
        joules && has_reads
            ? Json(std::round(*joules * 1e9 / static_cast<double>(report.align->counts.reads)) * 1e-3)
            : Json(nullptr);
    json["phases"] = Json::array();
    for (const EnergyMeter::Phase& phase : energy.phases) {
        json["phases"].push_back({{"phase", phase.name}});
        json["phases"].back().update(energy_entry(phase.energy));
    }
    return json;
}

/// Everything that may differ between two runs with equal results: comparisons drop this block.
Json execution_of(const RunReport& report, const Session& session, const Tracer& tracer) {
    const std::time_t now = std::time(nullptr);
    const Machine machine = this_machine();
    return {{"start", time_text(now - static_cast<std::time_t>(tracer.elapsed_s()))},
            {"end", time_text(now)},
            {"host", machine.host},
            {"machine", machine_text(machine)},
            {"cpu", machine.cpu},
            {"backend_choice", session.backend_choice()},
            {"simd_level", kernels::name(session.ops().simd_level)},
            {"threads", session.threads()},
            {"memory_bytes", session.memory_bytes()},
            {"resumed_at_bam", report.resumed},
            {"resumed_reads", report.align ? report.align->resumed_reads : 0},
            {"elapsed_s", tracer.elapsed_s()},
            {"cpu_s", process_cpu_seconds()},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"spilled_bytes", report.align ? report.align->spilled_bytes : 0},
            {"device", devices_of(session)},
            {"trace", report.trace.empty() ? Json(nullptr) : Json(report.trace)},
            {"energy", energy_of(report, session.energy().report())},
            {"stages", to_json(tracer.times())}};
}

}  // namespace

std::string to_json(const RunReport& report, const Session& session, const Tracer& tracer) {
    const BuildInfo build = build_info();
    Json json = {
        {"program", program_name()},
        {"build", {{"commit", build.commit}, {"compiler", build.compiler}, {"type", build.build_type}}},
        {"command", report.command},
        {"sample", report.sample},
        {"reference", report.reference},
        {"inputs", report.inputs},
        {"backend", kernels::name(session.ops().backend)},
        {"parameters", Json::object()}};
    if (!report.align_parameters.empty()) json["parameters"]["align"] = report.align_parameters;
    if (!report.call_parameters.empty()) {
        json["parameters"]["call"] = report.call_parameters;
        json["parameters"]["ploidy"] = report.ploidy;
        json["parameters"]["sample_profile"] = report.sample_profile;
        json["scorer"] = report.scorer.empty() ? Json(nullptr) : Json(report.scorer);
    }
    json["counts"] = counts_of(report);
    json["warnings"] = logged_warnings();
    json["outputs"] = Json::object();
    for (const auto& [what, path] : report.outputs) json["outputs"][what] = path;
    if (!report.quality_control.empty()) json["quality_control"] = report.quality_control;
    json["execution"] = execution_of(report, session, tracer);
    return text_of(json, 2);
}

namespace {

/// Nothing where no counter can be read: run.json says why.
void log_energy(const RunReport& report, const EnergyMeter::Report& energy) {
    std::string parts;
    const auto add = [&](const std::string& name, const std::optional<double>& joules, double seconds) {
        if (!joules) return;
        parts += (parts.empty() ? "" : ", ") + name + " " + fixed(*joules, 0) + " J (" +
                 fixed(seconds > 0 ? *joules / seconds : 0, 0) + " W)";
    };
    add("all of the host", energy.total.host_joules, energy.total.seconds);
    for (size_t device = 0; device < energy.total.device_joules.size(); ++device)
        add("device " + std::to_string(device), energy.total.device_joules[device],
            energy.total.device_seconds);
    if (parts.empty()) return;
    const std::optional<double> sum = joules_of(energy.total);
    if (sum && report.align && !report.resumed && report.align->counts.reads > 0)
        parts += ", " + fixed(*sum * 1e6 / static_cast<double>(report.align->counts.reads), 0) +
                 " J per million reads";
    log_info("energy: " + parts);
}

}  // namespace

void log_summary(const RunReport& report, const Session& session, const Tracer& tracer) {
    if (report.align) {
        const stages::AlignCounts& counts = report.align->counts;
        log_info(std::to_string(counts.reads) + " reads, " + percent_of(counts.mapped, counts.reads) +
                 " mapped, " + percent_of(counts.proper_pairs, counts.reads) + " in proper pairs, " +
                 (report.align->duplicates_marked
                      ? percent_of(report.align->duplicates, counts.reads) + " duplicates"
                      : "duplicates not marked") +
                 depth_text(report.align->depth, report.command) +
                 (report.resumed ? " (BAM of an earlier run)" : ""));
    }
    if (report.call) {
        const variants::VariantCounts& pass = report.call->variants.pass;
        log_info(std::to_string(report.call->variants.all.records) + " variants, " +
                 std::to_string(pass.records) + " of them PASS: " + std::to_string(pass.snps) + " SNPs, " +
                 std::to_string(pass.indels) + " indels" +
                 (pass.transversions == 0 ? ""
                                          : ", Ts/Tv " + fixed(static_cast<double>(pass.transitions) /
                                                                   static_cast<double>(pass.transversions),
                                                               2)));
    }
    // The stages of a step, whose name precedes the dot, together.
    std::vector<std::pair<std::string, double>> steps;
    for (const StageTimes& stage : tracer.times()) {
        const std::string step = stage.name.substr(0, stage.name.find('.'));
        if (step == "device") continue;  // its start is waited for
        auto at = steps.begin();
        while (at != steps.end() && at->first != step) ++at;
        if (at == steps.end()) at = steps.insert(at, {step, 0.0});
        at->second += stage.cpu_s;
    }
    std::string line;
    for (const auto& [step, seconds] : steps)
        line += (line.empty() ? " (" : ", ") + step + " " + fixed(seconds, 1);
    if (!line.empty()) line += ")";
    log_info(fixed(process_cpu_seconds(), 1) + " CPU s" + line + ", " + fixed(tracer.elapsed_s(), 1) +
             " s elapsed; peak memory " + size_text(peak_memory_bytes()));
    log_energy(report, session.energy().report());
    for (const auto& [what, path] : report.outputs) log_info(what + ": " + path);
}

std::string facts_to_json(const AlignFacts& facts, const std::string& run_facts, uint64_t bam_bytes) {
    const Json json = {{"facts", kept_of(run_facts)},
                       {"bam_bytes", bam_bytes},
                       {"qc", facts.qc_written},
                       {"findings", facts.findings},
                       {"align", to_json(facts)}};
    return text_of(json, 1);
}

std::optional<AlignFacts> facts_from_json(const std::string& text, const std::string& run_facts,
                                          uint64_t bam_bytes) {
    try {
        const Json json = Json::parse(text);
        if (json.at("facts") != kept_of(run_facts) || json.at("bam_bytes") != bam_bytes) return std::nullopt;
        AlignFacts facts = facts_of(json.at("align"));
        facts.findings = json.at("findings");
        facts.qc_written = json.at("qc");
        return facts;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace gannet::pipeline
