// SPDX-License-Identifier: MIT
// Provides the layout of help texts.
#include "pipeline/cli/formatter.hpp"

#include "pipeline/cli/text_width.hpp"

#include <sstream>

namespace gannet::pipeline::cli {
namespace {

constexpr size_t k_second_column = 26;

/// "-o" where there is one, else "--output".
std::string short_name(const CLI::Option& option) {
    return option.get_snames().empty() ? "--" + option.get_lnames().front()
                                       : "-" + option.get_snames().front();
}

}  // namespace

HelpFormatter::HelpFormatter(size_t width) : width_(width) {
    column_width(k_second_column);
    label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name,
                                     CLI::AppFormatMode mode) const {
    std::string text = CLI::Formatter::make_help(command, std::move(name), mode);
    // The base class separates some groups by two empty lines.
    for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

std::string HelpFormatter::make_description(const CLI::App* command) const {
    return wrap(command->get_description(), width_, 0, 0) + "\n";
}

std::string HelpFormatter::make_usage(const CLI::App* command, std::string) const {
    std::string line = command->get_name();
    for (const CLI::App* outer = command->get_parent(); outer != nullptr; outer = outer->get_parent())
        line = (outer->get_parent() == nullptr ? "gannet" : outer->get_name()) + " " + line;
    line.insert(0, "Usage: ");
    for (const CLI::Option* option : command->get_options()) {
        if (!option->get_positional()) continue;
        const std::string name = option->get_name(true);
        line += option->get_required() ? " " + name : " [" + name + "]";
    }
    for (const CLI::Option* option : command->get_options()) {
        if (!option->get_positional() && option->get_required())
            line += " " + short_name(*option) + make_option_opts(option);
    }
    return wrap(line + " [options]", width_, 0, 4) + "\n";
}

std::string HelpFormatter::entry(const std::string& name, const std::string& text) const {
    std::string line = "  " + name;
    const bool fits = line.size() + 2 <= k_second_column;
    line += fits ? std::string(k_second_column - line.size(), ' ') : "\n" + std::string(k_second_column, ' ');
    return line + wrap(text, width_, k_second_column, k_second_column) + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 option->get_description());
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    if (option->get_positional() || option->get_type_size() == 0) return "";
    return " " + option->get_type_name().substr(0, option->get_type_name().find(':'));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_footer(const CLI::App* command) const {
    std::istringstream lines(command->get_footer());
    std::string text;
    for (std::string line; std::getline(lines, line);) text += wrap_line(line, width_) + "\n";
    return text;
}

}  // namespace gannet::pipeline::cli
