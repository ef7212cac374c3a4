// SPDX-License-Identifier: MIT
// Provides the counting, and its table and JSON.
#include "pipeline/evaluate/evaluation.hpp"

#include "data/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace gannet::pipeline::evaluate {

namespace {

size_t depth_class(int32_t depth) {
    size_t found = 0;
    while (found + 1 < k_depth_begin.size() && depth >= k_depth_begin[found + 1]) ++found;
    return found;
}

}  // namespace

std::string Group::name() const {
    std::string text(k_kind_names[is_indel ? 1 : 0]);
    if (depth) text += ", depth " + std::string(k_depth_names[*depth]);
    if (context) text += ", " + std::string(ml::k_context_names[static_cast<size_t>(*context)]);
    return text;
}

Evaluation::Evaluation() {
    for (const bool is_indel : {false, true}) {
        groups_.push_back({is_indel, std::nullopt, std::nullopt});
        for (size_t depth = 0; depth < k_depth_names.size(); ++depth)
            groups_.push_back({is_indel, depth, std::nullopt});
        for (size_t context = 0; context < ml::k_context_names.size(); ++context)
            groups_.push_back({is_indel, std::nullopt, static_cast<ml::Context>(context)});
    }
    for (const bool is_indel : {false, true}) {
        for (size_t depth = 0; depth < k_depth_names.size(); ++depth) {
            for (size_t context = 0; context < ml::k_context_names.size(); ++context)
                groups_.push_back({is_indel, depth, static_cast<ml::Context>(context)});
        }
    }
    for (auto& side : tallies_) side.resize(groups_.size());
}

bool Evaluation::is_of(const Group& group, const Change& change) const {
    if (group.is_indel != change.is_indel) return false;
    if (group.depth && (change.depth < 0 || depth_class(change.depth) != *group.depth)) return false;
    return !group.context || *group.context == change.context;
}

void Evaluation::add_call(size_t side, const Call& call) {
    calls_[side].push_back(call);
    for (size_t g = 0; g < groups_.size(); ++g) {
        if (is_of(groups_[g], call)) ++(call.is_right ? tallies_[side][g].right : tallies_[side][g].wrong);
    }
}

void Evaluation::add_missed(size_t side, const Change& change, uint64_t count) {
    for (size_t g = 0; g < groups_.size(); ++g) {
        if (is_of(groups_[g], change)) tallies_[side][g].missed += count;
    }
}

void Evaluation::add_without_candidate(bool is_indel, uint64_t count) {
    without_candidate_[is_indel ? 1 : 0] += count;
    for (size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].is_indel != is_indel || groups_[g].depth || groups_[g].context) continue;
        for (auto& side : tallies_) side[g].missed += count;
    }
}

std::vector<QualityBin> Evaluation::calibration(size_t side, bool is_indel) const {
    std::vector<QualityBin> bins;
    for (const int32_t begin : k_quality_begin_centi) bins.push_back({begin, 0, 0, 0});
    for (const Call& call : calls_[side]) {
        if (call.is_indel != is_indel) continue;
        size_t at = 0;
        while (at + 1 < bins.size() && call.quality_centi >= bins[at + 1].begin_centi) ++at;
        ++bins[at].calls;
        bins[at].absent += !call.is_present;
        bins[at].stated_sum += std::pow(10.0, -call.quality_centi / 1000.0);
    }
    return bins;
}

std::vector<CurvePoint> Evaluation::curve(size_t side, size_t group) const {
    std::map<int32_t, std::array<uint64_t, 2>, std::greater<>> by_quality;
    for (const Call& call : calls_[side]) {
        if (is_of(groups_[group], call)) ++by_quality[call.quality_centi / 100 * 100][call.is_right ? 0 : 1];
    }
    std::vector<CurvePoint> points;
    CurvePoint sum;
    for (const auto& [quality_centi, counts] : by_quality) {
        sum = {quality_centi, sum.right + counts[0], sum.wrong + counts[1]};
        points.push_back(sum);
    }
    return points;
}

std::string to_table(const Evaluation& evaluation) {
    char line[160];
    std::snprintf(line, sizeof line, "%-24s %8s %8s %8s %8s   %8s %8s %8s %8s\n", "", "off", "", "", "", "on",
                  "", "", "");
    std::string text = line;
    std::snprintf(line, sizeof line, "%-24s %8s %8s %8s %8s   %8s %8s %8s %8s\n", "", "right", "wrong",
                  "missed", "errors", "right", "wrong", "missed", "errors");
    text += line;
    const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
    for (size_t g = 0; g < evaluation.groups().size() && !evaluation.groups()[g].is_stratum(); ++g) {
        const Tally& off = evaluation.tally(0, g);
        const Tally& on = evaluation.tally(1, g);
        std::snprintf(line, sizeof line, "%-24s %8llu %8llu %8llu %8llu   %8llu %8llu %8llu %8llu\n",
                      evaluation.groups()[g].name().c_str(), number(off.right), number(off.wrong),
                      number(off.missed), number(off.errors()), number(on.right), number(on.wrong),
                      number(on.missed), number(on.errors()));
        text += line;
    }
    return text;
}

std::string to_json(const Evaluation& evaluation, const EvaluationFacts& facts) {
    using Json = nlohmann::ordered_json;
    Json json = {{"program", facts.program}, {"command", facts.command}, {"from", facts.source}};
    if (!facts.model.empty()) json["model"] = facts.model;
    json["without_candidate"] = {{"SNP", evaluation.without_candidate(false)},
                                 {"indel", evaluation.without_candidate(true)}};
    json["groups"] = Json::array();
    for (size_t g = 0; g < evaluation.groups().size(); ++g) {
        const Group& group = evaluation.groups()[g];
        Json entry = {{"kind", k_kind_names[group.is_indel ? 1 : 0]}};
        if (group.depth) entry["depth"] = k_depth_names[*group.depth];
        if (group.context) entry["context"] = ml::k_context_names[static_cast<size_t>(*group.context)];
        for (size_t side = 0; side < k_side_names.size(); ++side) {
            const Tally& tally = evaluation.tally(side, g);
            Json curve = Json::array();
            for (const CurvePoint& point : evaluation.curve(side, g))
                curve.push_back({point.quality_centi / 100, point.right, point.wrong});
            entry[k_side_names[side]] = {
                {"right", tally.right}, {"wrong", tally.wrong}, {"missed", tally.missed}};
            if (!group.is_stratum()) entry[k_side_names[side]]["curve"] = curve;
        }
        json["groups"].push_back(entry);
    }
    for (const bool is_indel : {false, true}) {
        for (size_t side = 0; side < k_side_names.size(); ++side) {
            Json& bins = json["calibration"][k_kind_names[is_indel ? 1 : 0]][k_side_names[side]];
            bins = Json::array();
            for (const QualityBin& bin : evaluation.calibration(side, is_indel)) {
                if (bin.calls == 0) continue;
                const auto calls = static_cast<double>(bin.calls);
                bins.push_back({{"QUAL_from", bin.begin_centi / 100.0},
                                {"calls", bin.calls},
                                {"absent", bin.absent},
                                {"stated", bin.stated_sum / calls},
                                {"observed", static_cast<double>(bin.absent) / calls}});
            }
        }
    }
    return data::json_text(json, 1) + "\n";
}

}  // namespace gannet::pipeline::evaluate
