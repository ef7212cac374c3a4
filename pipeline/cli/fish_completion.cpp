// SPDX-License-Identifier: MIT
// Provides the completion for fish.
#include "pipeline/cli/completion.hpp"

namespace gannet::pipeline::cli {
namespace {

// The command is the first word after the program's name: a sample may be named as a command is.
constexpr const char* k_fish_begin = R"(# fish completion for gannet; written by gannet of its own options.

function __gannet_command
    set -l words (commandline -opc)
    set -e words[1]
    if test "$argv" = ''
        test (count $words) -eq 0
        return
    end
    for i in (seq (count $argv))
        test "$words[$i]" = "$argv[$i]"; or return 1
    end
end

# These words and no others.
function __gannet_only
    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __gannet_command $argv
end

complete -c gannet -f
complete -c gannet -n __gannet_command -l help -s h -d 'print help'
complete -c gannet -n __gannet_command -l version -s v -d 'print the version'
complete -c gannet -n __gannet_command -a help -d 'Explain a command.'
)";

std::string fish_quoted(const std::string& text) {
    std::string result = "'";
    for (const char letter : text) {
        if (letter == '\'' || letter == '\\') result += '\\';
        result += letter;
    }
    return result + "'";
}

std::string fish_words(const CommandDescription& command) {
    std::string text;
    for (const std::string& word : command.words) text += " " + word;
    return text;
}

std::string fish_values(const OptionDescription& option) {
    if (!option.values.empty()) {
        std::string list;
        for (const std::string& value : option.values) list += (list.empty() ? "" : " ") + value;
        return (option.kind == ValueKind::file ? " -F -a " : " -f -a ") + fish_quoted(list);
    }
    switch (option.kind) {
        case ValueKind::file:
            return " -F";
        case ValueKind::folder:
            return " -f -a '(__fish_complete_directories)'";
        case ValueKind::lane:
            return " -f -a '(__fish_complete_list , __fish_complete_path)'";
        case ValueKind::word:
            break;
    }
    return " -f";
}

std::string fish_option(const std::string& condition, const OptionDescription& option) {
    std::string text = "complete -c gannet -n " + condition;
    for (const std::string& name : option.short_names) text += " -s " + name.substr(1);
    for (const std::string& name : option.long_names) text += " -l " + name.substr(2);
    if (!option.value.empty()) text += (option.value_optional ? "" : " -r") + fish_values(option);
    return text + " -d " + fish_quoted(option.text) + "\n";
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
    std::string text = k_fish_begin;
    for (const CommandDescription* command : program.all()) {
        std::string asked = "__gannet_command" + fish_words(*command);
        for (const CommandDescription& inner : command->commands) {
            for (const char* const before : {"", " help"}) {
                text += "complete -c gannet -n " +
                        fish_quoted("__gannet_only" + (before + fish_words(*command))) + " -a " +
                        inner.words.back() + " -d " + fish_quoted(inner.text) + "\n";
            }
            if (!command->words.empty()) asked += "; and not __gannet_command" + fish_words(inner);
        }
        const std::string condition = fish_quoted(asked);
        if (command->words.empty()) continue;
        for (const OptionDescription& option : command->options()) text += fish_option(condition, option);
        for (const OptionDescription& argument : command->arguments) {
            const std::string offered = fish_values(argument);
            if (offered != " -f") text += "complete -c gannet -n " + condition + offered + "\n";
        }
    }
    return text;
}

}  // namespace gannet::pipeline::cli
