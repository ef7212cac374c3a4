// SPDX-License-Identifier: MIT
// Provides docs/options.md.
#include "pipeline/cli/option_page.hpp"

namespace gannet::pipeline::cli {
namespace {

std::string page_cell(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '|' || letter == '*' || letter == '<' || letter == '[' || letter == ']' ||
            letter == '_')
            result += '\\';
        result += letter;
    }
    return result;
}

/// Code in a cell: a bar would end it.
std::string page_code(const std::string& text) {
    std::string result;
    for (const char letter : text) result += letter == '|' ? std::string("\\|") : std::string(1, letter);
    return "`" + result + "`";
}

std::string page_names(const OptionDescription& option) {
    std::string text;
    for (const std::string& name : option.names()) text += (text.empty() ? "" : ", ") + name;
    return text + (text.empty() || option.value.empty() ? "" : " ") + option.value;
}

std::string page_table(const std::string& title, const std::vector<OptionDescription>& options) {
    std::string text = "|" + title + "||\n|---|---|\n";
    for (const OptionDescription& option : options)
        text += "|" + page_code(page_names(option)) + "|" + page_cell(option.text) + "|\n";
    return text + "\n";
}

}  // namespace

std::string option_page(const CommandDescription& program) {
    std::string page =
        "# Options\n\nAll options of all commands, as `gannet help COMMAND` and the man pages have them; "
        "defaults in brackets. "
        "gannet writes this page itself (`scripts/update_options`).\n\n";
    for (const CommandDescription* command : program.all()) {
        if (command->words.empty()) continue;
        page += "## " + command->full_name(" ") + "\n\n" + command->text + "\n\n";
        if (!command->arguments.empty()) page += page_table("arguments", command->arguments);
        for (const OptionGroup& group : command->groups) page += page_table(group.title, group.options);
        for (const FooterSection& section : command->footer) {
            page += section.title + ":" + (section.text.empty() ? "" : " " + section.text) + "\n\n";
            if (section.lines.empty()) continue;
            page += "```\n";
            for (const std::string& line : section.lines)
                page += (line.starts_with("  ") ? line.substr(2) : line) + "\n";
            page += "```\n\n";
        }
    }
    page.pop_back();
    return page;
}

}  // namespace gannet::pipeline::cli
