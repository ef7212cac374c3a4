// SPDX-License-Identifier: MIT
// Provides the layout of help texts.
#include "pipeline/cli/formatter.hpp"

namespace gannet::pipeline::cli {

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
        if (!option->get_positional() && option->get_required()) {
            line += " " + option->get_name() + make_option_opts(option);
        }
    }
    return line + " [options]\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    if (option->get_positional() || option->get_type_size() == 0) return "";
    return " " + option->get_type_name().substr(0, option->get_type_name().find(':'));
}

}  // namespace gannet::pipeline::cli
