// SPDX-License-Identifier: MIT
// Provides the reading of benchmark files, with everything that a comparison relies on checked.
#include "data/error.hpp"
#include "pipeline/bench/bench_report.hpp"
#include "pipeline/bench/compare.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/text_output.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace gannet::pipeline::bench {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> samples_of(const Json& result, const char* clock, double work) {
    std::vector<double> seconds = result.at(clock).at("samples");
    if (seconds.empty()) throw std::invalid_argument("has no samples");
    for (double& second : seconds) {
        if (!std::isfinite(second) || second <= 0)
            throw std::invalid_argument("has a sample that is no time");
        second /= work;
    }
    return seconds;
}

FileResult result_of(const Json& json) {
    FileResult result;
    result.name = json.at("name");
    result.digest = json.value("digest", "");
    const Json& work = json.at("work");
    if (!work.is_object() || work.empty()) throw std::invalid_argument("has no work");
    const double amount = work.begin().value();
    if (!std::isfinite(amount) || amount <= 0) throw std::invalid_argument("has no work");
    result.wall_s = samples_of(json, "wall_s", amount);
    result.cpu_s = samples_of(json, "cpu_s", amount);
    if (result.wall_s.size() != result.cpu_s.size())
        throw std::invalid_argument("has more samples of one clock than of the other");
    return result;
}

BenchFile fields_of(const Json& json) {
    BenchFile file;
    file.commit = json.at("commit");
    const Json& machine = json.at("machine");
    file.machine = machine.at("cpu").get<std::string>() + ", " +
                   std::to_string(machine.at("usable_cores").get<int>()) + " cores";
    file.backend = json.at("backend").at("name").get<std::string>() + " (" +
                   json.at("backend").at("simd").get<std::string>() + ")";
    file.threads = json.at("options").at("threads");
    file.in_turns = json.at("options").at("in_turns");
    file.handicap = json.at("options").at("handicap").dump();
    if (json.at("input").at("kind") != "none") file.input = json.at("input").dump();
    return file;
}

Json parsed(const std::string& path, std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        data::throw_malformed(path, "is not whole JSON: measure again with gannet bench -o");
    if (!json.is_object() || json.value("schema", Json()) != Json(k_bench_schema))
        data::throw_malformed(path, "is JSON, but not of gannet bench");
    if (json.value("schema_version", Json()) != Json(k_bench_schema_version)) {
        data::throw_malformed(path, "has version " + json.value("schema_version", Json()).dump() +
                                        " of the schema, and this gannet reads " +
                                        std::to_string(k_bench_schema_version) + ": measure both with one");
    }
    return json;
}

}  // namespace

BenchFile parse_bench_file(const std::string& path, std::string_view text) {
    const Json json = parsed(path, text);
    BenchFile file;
    std::string where = "header";
    try {
        file = fields_of(json);
        std::set<std::string> names;
        uint64_t number = 0;
        for (const Json& result : json.at("results")) {
            where = "result " + std::to_string(++number);
            file.results.push_back(result_of(result));
            if (!names.insert(file.results.back().name).second)
                throw std::invalid_argument("has the name of another");
        }
    } catch (const nlohmann::json::exception& fault) {
        const std::string cause = fault.what();
        data::throw_malformed(path, where + ": a field is missing or of the wrong kind " +
                                        cause.substr(0, cause.find(']') + 1));
    } catch (const std::invalid_argument& fault) {
        data::throw_malformed(path, where + " " + fault.what());
    }
    file.path = path;
    return file;
}

BenchFile load_bench_file(const std::string& path) {
    check_readable(path);
    return parse_bench_file(path, read_text_file(path));
}

}  // namespace gannet::pipeline::bench
