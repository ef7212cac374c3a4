// SPDX-License-Identifier: MIT
// Provides parsing and printing of @RG lines.
#include "data/read_group.hpp"

#include "data/error.hpp"

#include <algorithm>

namespace gannet::data {
namespace {

/// Literal "\t" as shells hand it over, and "\\".
std::string unescape(std::string_view line) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 't' || line[i + 1] == '\\')) {
            text += line[++i] == 't' ? '\t' : '\\';
        } else {
            text += line[i];
        }
    }
    return text;
}

[[noreturn]] void refuse(std::string_view line, const std::string& cause) {
    throw Error(ErrorKind::usage, "read group '" + std::string(line) + "': " + cause +
                                      "; write '@RG\\tID:lane1\\tSM:sample\\tLB:library\\tPU:flowcell.lane'");
}

}  // namespace

ReadGroup ReadGroup::parse(std::string_view line) {
    std::string text = unescape(line);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (!text.starts_with("@RG\t")) refuse(line, "does not begin with @RG and a tab");
    ReadGroup group;
    std::string seen;
    for (size_t at = 3; at < text.size();) {
        const size_t end = std::min(text.find('\t', at + 1), text.size());
        const std::string field = text.substr(at + 1, end - at - 1);
        at = end;
        if (field.size() < 3 || field[2] != ':') refuse(line, "field '" + field + "' is not TAG:VALUE");
        if (field.size() == 3) refuse(line, "field '" + field + "' has no value");
        for (const char letter : field) {
            if (letter < ' ' || letter > '~') refuse(line, "holds an unprintable character");
        }
        const std::string tag = field.substr(0, 2);
        if (seen.find(tag + ' ') != std::string::npos) refuse(line, "has " + tag + " twice");
        seen += tag + ' ';
        std::string value = field.substr(3);
        if (tag == "ID") {
            group.id = std::move(value);
        } else if (tag == "SM") {
            group.sample = std::move(value);
        } else if (tag == "LB") {
            group.library = std::move(value);
        } else if (tag == "PL") {
            group.platform = std::move(value);
        } else if (tag == "PU") {
            group.platform_unit = std::move(value);
        } else {
            group.extra += (group.extra.empty() ? "" : "\t") + field;
        }
    }
    if (group.id.empty()) refuse(line, "has no ID");
    return group;
}

std::string ReadGroup::to_sam() const {
    std::string line = "@RG\tID:" + id;
    const auto field = [&line](const char* tag, const std::string& value) {
        if (!value.empty()) line += std::string("\t") + tag + ':' + value;
    };
    field("SM", sample);
    field("LB", library);
    field("PL", platform);
    field("PU", platform_unit);
    if (!extra.empty()) line += '\t' + extra;
    return line;
}

}  // namespace gannet::data
