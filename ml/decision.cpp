// SPDX-License-Identifier: MIT
// Provides the reading of a manifest's "decision".
#include "ml/decision.hpp"

#include "data/error.hpp"
#include "data/strict_json.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace gannet::ml {

namespace {

using nlohmann::json;

/// Members of one object, by name; what was not asked for is a fault.
class Members {
  public:
    Members(const json& object, std::string source, std::string what)
        : object_(object), source_(std::move(source)), what_(std::move(what)) {
        if (!object.is_object()) fail("is not an object");
    }
    [[noreturn]] void fail(const std::string& fault) const {
        data::throw_malformed(source_, what_ + " " + fault);
    }
    const json& at(const char* name) {
        ++asked_;
        const auto found = object_.find(name);
        if (found == object_.end()) fail("lacks \"" + std::string(name) + "\"");
        return *found;
    }
    /// Within [low, high], x k_decision_unit.
    int32_t fixed_point(const char* name, double low, double high) {
        const json& value = at(name);
        if (!value.is_number() || !(value.get<double>() >= low) || !(value.get<double>() <= high))
            fail("\"" + std::string(name) + "\" is not a number from " + std::to_string(low) + " to " +
                 std::to_string(high));
        return static_cast<int32_t>(std::lround(value.get<double>() * k_decision_unit));
    }
    int32_t integer(const json& value, const char* name, int32_t high) const {
        if (!value.is_number_integer() || value.get<int64_t>() < 0 || value.get<int64_t>() > high)
            fail("\"" + std::string(name) + "\" is not a whole number from 0 to " + std::to_string(high));
        return value.get<int32_t>();
    }
    size_t choice(const char* name, std::span<const std::string_view> choices) {
        const json& value = at(name);
        if (value.is_string()) {
            const auto found = std::find(choices.begin(), choices.end(), value.get<std::string>());
            if (found != choices.end()) return static_cast<size_t>(found - choices.begin());
        }
        std::string allowed;
        for (const std::string_view choice : choices)
            allowed += (allowed.empty() ? "" : ", ") + std::string(choice);
        fail("\"" + std::string(name) + "\" is not one of " + allowed);
    }
    void finish() const {
        if (object_.size() != asked_) fail("has members that this gannet does not know");
    }

  private:
    const json& object_;
    std::string source_, what_;
    size_t asked_ = 0;
};

constexpr int32_t k_max_fragments = 1'000'000;

Stratum stratum_of(const json& object, const std::string& source, size_t number) {
    static constexpr std::array<std::string_view, 2> k_kinds = {"SNP", "indel"};
    constexpr double k_max_temperature = 16, k_max_prior = 12;
    Members members(object, source, "the manifest's stratum " + std::to_string(number));
    Stratum stratum;
    stratum.is_indel = members.choice("kind", k_kinds) == 1;
    const json& depth = members.at("depth");
    if (!depth.is_array() || depth.size() != 2) members.fail("\"depth\" is not [from, to]");
    stratum.depth_begin = members.integer(depth[0], "depth", k_max_fragments);
    stratum.depth_end = members.integer(depth[1], "depth", k_max_fragments);
    if (stratum.depth_begin >= stratum.depth_end) members.fail("\"depth\" is empty");
    stratum.context = static_cast<Context>(members.choice("context", k_context_names));
    stratum.temperature = members.fixed_point("temperature", 0, k_max_temperature);
    stratum.prior = members.fixed_point("prior", 0, k_max_prior);
    stratum.direction = static_cast<Direction>(members.choice("direction", k_direction_names));
    members.finish();
    return stratum;
}

bool overlap(const Stratum& a, const Stratum& b) {
    return a.is_indel == b.is_indel && a.context == b.context && a.depth_begin < b.depth_end &&
           b.depth_begin < a.depth_end;
}

}  // namespace

const Stratum* Decision::find(bool is_indel, int32_t fragments, Context context) const {
    for (const Stratum& stratum : strata) {
        if (stratum.is_indel == is_indel && stratum.context == context && fragments >= stratum.depth_begin &&
            fragments < stratum.depth_end)
            return &stratum;
    }
    return nullptr;
}

Decision parse_decision(std::string_view text, const std::string& source) {
    constexpr double k_min_presence = -5;  // the caller's posteriors end at -6
    constexpr int32_t k_max_settle = 1000;
    const json object = data::parse_object(text, source, "the manifest's \"decision\"");
    Members members(object, source, "the manifest's \"decision\"");
    Decision decision;
    decision.minimum_presence = members.fixed_point("minimum_presence", k_min_presence, 0);
    decision.settle_phred = members.integer(members.at("settle"), "settle", k_max_settle);
    decision.minimum_zygosity_fragments = members.integer(members.at("minimum_zygosity_fragments"),
                                                          "minimum_zygosity_fragments", k_max_fragments);
    const json& strata = members.at("strata");
    if (!strata.is_array()) members.fail("\"strata\" is not a list");
    for (const json& each : strata) {
        const Stratum stratum = stratum_of(each, source, decision.strata.size() + 1);
        for (size_t i = 0; i < decision.strata.size(); ++i) {
            if (overlap(stratum, decision.strata[i]))
                members.fail("has strata that overlap: " + std::to_string(i + 1) + " and " +
                             std::to_string(decision.strata.size() + 1));
        }
        decision.strata.push_back(stratum);
    }
    members.finish();
    return decision;
}

}  // namespace gannet::ml
