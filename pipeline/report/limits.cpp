// SPDX-License-Identifier: MIT
// Provides the limits of a report.
#include "pipeline/report/limits.hpp"

#include "data/error.hpp"
#include "data/strict_json.hpp"
#include "pipeline/report/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace gannet::pipeline::report {
namespace {

using Bound = std::optional<double> Limit::*;
constexpr std::array<std::pair<const char*, Bound>, 4> k_bounds{{{"pass_min", &Limit::pass_min},
                                                                 {"pass_max", &Limit::pass_max},
                                                                 {"look_min", &Limit::look_min},
                                                                 {"look_max", &Limit::look_max}}};

Limit at_least(const char* name, Unit unit, double pass, double look) {
    return {name, unit, pass, std::nullopt, look, std::nullopt};
}
Limit at_most(const char* name, Unit unit, double pass, double look) {
    return {name, unit, std::nullopt, pass, std::nullopt, look};
}

std::string range_text(const std::optional<double>& least, const std::optional<double>& most, Unit unit) {
    if (least && most) return value_text(*least, unit) + " to " + value_text(*most, unit);
    if (least) return "at least " + value_text(*least, unit);
    return most ? "at most " + value_text(*most, unit) : "any";
}

/// The range of look holds that of pass.
bool is_nested(const Limit& limit) {
    const auto inside = [](const std::optional<double>& low, const std::optional<double>& high) {
        return !low || !high || *low <= *high;
    };
    return inside(limit.look_min, limit.pass_min) && inside(limit.pass_max, limit.look_max) &&
           inside(limit.pass_min, limit.pass_max);
}

}  // namespace

std::string value_text(double value, Unit unit) {
    switch (unit) {
        case Unit::depth:
            return shortest(value, 1) + "x";
        case Unit::fraction:
            return shortest(100 * value, 2) + " %";
        case Unit::length:
            return shortest(value, 0) + " bp";
        case Unit::ratio:
            break;
    }
    return shortest(value, 2);
}

std::string Limit::pass_text() const { return range_text(pass_min, pass_max, unit); }
std::string Limit::look_text() const { return range_text(look_min, look_max, unit); }

Limits::Limits()
    : all_{at_least("depth", Unit::depth, 25, 15),
           at_least("breadth_10x", Unit::fraction, 0.95, 0.90),
           at_least("targets_20x", Unit::fraction, 0.90, 0.80),
           at_most("targets_uncovered", Unit::fraction, 0.02, 0.05),
           at_least("mapped", Unit::fraction, 0.95, 0.80),
           at_least("proper_pairs", Unit::fraction, 0.90, 0.75),
           at_most("mismatches", Unit::fraction, 0.01, 0.02),
           at_least("q30_bases", Unit::fraction, 0.80, 0.70),
           at_most("duplicates", Unit::fraction, 0.20, 0.30),
           at_most("chimeras", Unit::fraction, 0.03, 0.05),
           at_most("contamination", Unit::fraction, 0.01, 0.03),
           {"insert_size", Unit::length, 250, 700, 150, 1000},
           {"ts_tv", Unit::ratio, 1.9, 2.3, 1.8, 2.5},
           {"ts_tv_targets", Unit::ratio, 1.9, 3.4, 1.7, 3.7},
           {"het_hom", Unit::ratio, 1.2, 2.4, 0.9, 3.0}} {}

const Limit& Limits::of(std::string_view name) const {
    for (const Limit& limit : all_)
        if (limit.name == name) return limit;
    throw std::out_of_range("no limit " + std::string(name));
}

void Limits::change(std::string_view json, const std::string& name) {
    const nlohmann::json changes = data::parse_object(json, name, "the limits");
    for (const auto& [key, bounds] : changes.items()) {
        const auto limit = std::find_if(all_.begin(), all_.end(),
                                        [&key = key](const Limit& one) { return one.name == key; });
        if (limit == all_.end())
            data::throw_malformed(name, "there is no limit " + data::in_quotes(key) +
                                            "; gannet report --print-limits has all of them");
        const std::string where = "the limit " + data::in_quotes(key);
        if (!bounds.is_object())
            data::throw_malformed(name, where + " is not an object such as {\"pass_max\": 0.2}");
        for (const auto& [bound, value] : bounds.items()) {
            const auto at = std::find_if(k_bounds.begin(), k_bounds.end(),
                                         [&bound = bound](const auto& one) { return one.first == bound; });
            if (at == k_bounds.end())
                data::throw_malformed(name, where + " has " + data::in_quotes(bound) +
                                                "; it can have pass_min, pass_max, look_min and look_max");
            if (!value.is_number() && !value.is_null())
                data::throw_malformed(name, where + ": " + bound + " is neither a number nor null");
            (*limit).*(at->second) =
                value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
        }
        if (!is_nested(*limit))
            data::throw_malformed(name, where + ": what passes (" + limit->pass_text() +
                                            ") is not within what is looked at (" + limit->look_text() + ")");
    }
}

std::string Limits::to_json() const {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Limit& limit : all_) {
        for (const auto& [bound, member] : k_bounds) {
            if (limit.*member) json[limit.name][bound] = *(limit.*member);
        }
    }
    return json.dump(2) + "\n";
}

}  // namespace gannet::pipeline::report
