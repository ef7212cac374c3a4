// SPDX-License-Identifier: MIT
// Provides the description of commands as CLI11 knows them.
#include "pipeline/cli/command_description.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace gannet::pipeline::cli {
namespace {

/// The members of "NAME:{auto,cuda}", as CLI::IsMember adds them to the name of a type, and of
/// "CLOCK:value in {cpu->0,wall->1} OR {0,1}", as CLI::CheckedTransformer does.
std::vector<std::string> members(const std::string& type) {
    const size_t begin = type.find('{', std::min(type.find(':'), type.size()));
    const size_t end = type.find('}', std::min(begin, type.size()));
    if (end == std::string::npos) return {};
    std::vector<std::string> values;
    std::istringstream list(type.substr(begin + 1, end - begin - 1));
    for (std::string value; std::getline(list, value, ',');)
        values.push_back(value.substr(0, value.find("->")));
    return values;
}

/// From the name of the value, which is a word of a small vocabulary.
ValueKind kind_of(const std::string& value) {
    if (value.starts_with("R1,")) return ValueKind::lane;
    if (value == "DIR") return ValueKind::folder;
    for (const char* word : {"FILE", "FASTA", "FASTQ", "BAM", "BED", "VCF", "TSV", "JSON", "PREFIX"}) {
        if (value.find(word) != std::string::npos) return ValueKind::file;
    }
    return ValueKind::word;
}

OptionDescription describe_option(const CLI::Option& option) {
    OptionDescription result;
    for (const std::string& name : option.get_snames()) result.short_names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) result.long_names.push_back("--" + name);
    const std::string type = option.get_type_name();
    const std::string name = type.substr(0, type.find(':'));
    result.text = option.get_description();
    result.required = option.get_required();
    result.repeats = option.get_items_expected_max() > 1;
    if (option.get_positional()) {
        // CLI11 calls a text without a name of its own so: of gannet's arguments these are files.
        result.kind = name == "TEXT" ? ValueKind::file : kind_of(name);
        result.value = option.get_name(true);
    } else if (option.get_items_expected_max() > 0) {
        result.kind = kind_of(name);
        result.value = name;
        result.value_optional = option.get_items_expected_min() == 0;
    }
    if (!result.value.empty()) result.values = members(type);
    return result;
}

/// A title is a line that is not indented and has a colon.
std::vector<FooterSection> sections(const std::string& footer) {
    std::vector<FooterSection> result;
    std::istringstream lines(footer);
    for (std::string line; std::getline(lines, line);) {
        const size_t colon = line.find(':');
        if (!line.empty() && line[0] != ' ' && colon != std::string::npos) {
            const size_t text = line.find_first_not_of(' ', colon + 1);
            result.push_back({line.substr(0, colon), text == std::string::npos ? "" : line.substr(text), {}});
        } else if (!result.empty()) {
            result.back().lines.push_back(line);
        }
    }
    return result;
}

}  // namespace

std::vector<std::string> OptionDescription::names() const {
    std::vector<std::string> all = short_names;
    all.insert(all.end(), long_names.begin(), long_names.end());
    return all;
}

std::string CommandDescription::full_name(const std::string& separator) const {
    std::string name = "gannet";
    for (const std::string& word : words) name += separator + word;
    return name;
}

std::vector<OptionDescription> CommandDescription::options() const {
    std::vector<OptionDescription> all;
    for (const OptionGroup& group : groups) all.insert(all.end(), group.options.begin(), group.options.end());
    return all;
}

std::vector<const CommandDescription*> CommandDescription::all() const {
    std::vector<const CommandDescription*> list = {this};
    for (const CommandDescription& command : commands) {
        const auto below = command.all();
        list.insert(list.end(), below.begin(), below.end());
    }
    return list;
}

CommandDescription describe(const CLI::App& app) {
    CommandDescription result;
    for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent())
        result.words.insert(result.words.begin(), at->get_name());
    result.text = app.get_description();
    for (const std::string& title : app.get_groups()) {
        OptionGroup group{title, {}};
        for (const CLI::Option* option : app.get_options()) {
            if (option->get_group() != title || title.empty()) continue;
            (option->get_positional() ? result.arguments : group.options).push_back(describe_option(*option));
        }
        if (!group.options.empty()) result.groups.push_back(std::move(group));
    }
    result.footer = sections(app.get_footer());
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!command->get_group().empty()) result.commands.push_back(describe(*command));
    }
    return result;
}

}  // namespace gannet::pipeline::cli
