// SPDX-License-Identifier: MIT
// Provides the man pages of the commands.
#include "pipeline/cli/man_page.hpp"

#include "pipeline/cli/exit_codes.hpp"
#include "pipeline/cli/text_width.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace gannet::pipeline::cli {
namespace {

/// Of an example with its indent of 2, in a page of 78 columns, where it has one of 7.
constexpr size_t k_example_columns = 78 - 7 + 2;

/// A text within a line: backslashes and hyphens stay what they are.
std::string roff_text(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\\')
            result += "\\e";
        else if (letter == '-')
            result += "\\-";
        else
            result += letter;
    }
    return result;
}

/// A line of its own: a dot or a quote at its beginning would be a request.
std::string roff_line(const std::string& text) {
    const bool request = !text.empty() && (text[0] == '.' || text[0] == '\'');
    return (request ? "\\&" : "") + roff_text(text) + "\n";
}

std::string roff_bold(const std::string& text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string roff_italic(const std::string& text) { return "\\fI" + roff_text(text) + "\\fR"; }

std::string roff_heading(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return ".SH " + text + "\n";
}

std::string roff_entry(const std::string& term, const std::string& text) {
    return ".TP\n" + term + "\n" + roff_line(text);
}

std::string roff_value(const OptionDescription& option) {
    return option.value.empty() ? "" : " " + roff_italic(option.value);
}

std::string roff_option(const OptionDescription& option) {
    std::string term;
    for (const std::string& name : option.names()) term += (term.empty() ? "" : ", ") + roff_bold(name);
    return roff_entry(term + roff_value(option), option.text);
}

std::string roff_synopsis(const CommandDescription& command) {
    std::string text = roff_bold(command.full_name(" "));
    if (command.words.empty())
        return text + " " + roff_italic("COMMAND") + " [" + roff_italic("options") + "]\n";
    for (const OptionDescription& argument : command.arguments) {
        const std::string name = roff_italic(argument.value) + (argument.repeats ? "..." : "");
        text += argument.required ? " " + name : " [" + name + "]";
    }
    for (const OptionDescription& option : command.options()) {
        if (option.required) text += " " + roff_bold(option.names().front()) + roff_value(option);
    }
    return text + " [" + roff_italic("options") + "]\n";
}

std::string roff_footer(const FooterSection& section) {
    std::string text = roff_heading(section.title == "Example" ? "Examples" : section.title);
    if (!section.text.empty()) text += roff_line(section.text);
    if (section.lines.empty()) return text;
    text += ".nf\n";
    for (const std::string& example : section.lines) {
        std::istringstream lines(wrap_line(example, k_example_columns));
        for (std::string line; std::getline(lines, line);)
            text += roff_line(line.substr(std::min<size_t>(2, line.size())));
    }
    return text + ".fi\n";
}

std::string roff_exit_status(const CommandDescription& command) {
    const bool own = std::any_of(command.footer.begin(), command.footer.end(),
                                 [](const FooterSection& section) { return section.title == "Exit codes"; });
    if (own) return "";
    std::string text = roff_heading("Exit status");
    for (const ExitCode& code : k_exit_codes) text += roff_entry(roff_bold(code.code), code.text);
    return text;
}

std::string roff_environment() {
    return roff_heading("Environment") +
           roff_entry(roff_bold("GANNET_BACKEND"), "what --backend is where it is not given") +
           roff_entry(roff_bold("GANNET_SIMD"), "avx512, avx2 or sse4.2: the instructions to use, at most") +
           roff_entry(roff_bold("XDG_CACHE_HOME"),
                      "folder in which checked indexes and tested devices are remembered") +
           roff_entry(roff_bold("COLUMNS"), "width of help texts");
}

std::string roff_see_also(const CommandDescription& command, const CommandDescription& program) {
    std::string list;
    const auto add = [&list](const CommandDescription& other) {
        list += (list.empty() ? "" : ",\n") + std::string(".BR ") + roff_text(other.full_name("-")) + " (1)";
    };
    for (const CommandDescription* other : program.all()) {
        if (other->words != command.words) add(*other);
    }
    // A comma goes into the macro's line.
    for (size_t at = 0; (at = list.find(" (1),\n", at)) != std::string::npos;)
        list.replace(at, 6, " (1) ,\n");
    return roff_heading("See also") + list + "\n";
}

}  // namespace

std::string man_page(const CommandDescription& command, const CommandDescription& program,
                     const std::string& version, const std::string& date) {
    std::string name = command.full_name("-");
    std::string title = name;
    std::transform(title.begin(), title.end(), title.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    std::string summary = command.text;
    if (summary.ends_with('.')) summary.pop_back();
    std::string page = ".\\\" Written by gannet of its own options.\n.TH " + roff_text(title) + " 1 \"" +
                       date + "\" \"" + version + "\" \"gannet\"\n";
    page += roff_heading("Name") + roff_text(name) + " \\- " + roff_text(summary) + "\n";
    page += roff_heading("Synopsis") + roff_synopsis(command);
    page += roff_heading("Description") + roff_line(command.text);
    if (!command.arguments.empty()) page += roff_heading("Arguments");
    for (const OptionDescription& argument : command.arguments)
        page += roff_entry(roff_italic(argument.value), argument.text);
    if (!command.commands.empty()) page += roff_heading("Commands");
    for (const CommandDescription& inner : command.commands)
        page += roff_entry(roff_bold(inner.full_name(" ")), inner.text);
    page += roff_heading("Options");
    for (const OptionGroup& group : command.groups) {
        if (command.groups.size() > 1) page += ".SS " + group.title + "\n";
        for (const OptionDescription& option : group.options) page += roff_option(option);
    }
    for (const FooterSection& section : command.footer) page += roff_footer(section);
    page += roff_exit_status(command);
    if (command.words.empty()) page += roff_environment();
    return page + roff_see_also(command, program);
}

}  // namespace gannet::pipeline::cli
