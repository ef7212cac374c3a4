// SPDX-License-Identifier: MIT
// Provides the strict reading of small JSON texts.
#include "data/strict_json.hpp"

#include "data/error.hpp"

#include <set>
#include <vector>

namespace gannet::data {

std::string in_quotes(std::string_view text) {
    constexpr size_t k_max_shown = 40;
    std::string result = "\"";
    for (const char c : text.substr(0, k_max_shown)) result += c < ' ' || c > '~' ? '?' : c;
    return result + (text.size() > k_max_shown ? "...\"" : "\"");
}

nlohmann::json parse_object(std::string_view text, const std::string& name, const std::string& what) {
    using nlohmann::json;
    constexpr int k_max_depth = 16;
    std::vector<std::set<std::string>> keys;
    std::string fault;
    const auto note = [&](const std::string& cause) {
        if (fault.empty()) fault = cause;
    };
    const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& value) {
        if (depth > k_max_depth) note("is nested too deeply");
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
            note("has the key " + in_quotes(value.get<std::string>()) + " twice");
        return true;
    };
    // The parser takes a NUL for the end of its input, whatever comes after it.
    if (text.find('\0') != std::string_view::npos) note("holds a NUL byte");
    json result;
    try {
        result = json::parse(text.begin(), text.end(), watch);
    } catch (const json::parse_error& error) {
        note("is not JSON (at its byte " + std::to_string(error.byte) + ")");
    } catch (const json::exception&) {
        note("is not JSON");
    }
    if (fault.empty() && !result.is_object()) note("is not a JSON object");
    if (!fault.empty()) throw_malformed(name, what + " " + fault);
    return result;
}

}  // namespace gannet::data
