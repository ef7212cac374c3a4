// SPDX-License-Identifier: MIT
// Provides the completion for bash.
#include "pipeline/cli/completion.hpp"

namespace gannet::pipeline::cli {
namespace {

// What a value may be is asked first, since an option's value is not an option. Bash takes "=" for a word of
// its own. Files are left to readline, which knows quotes and tildes.
constexpr const char* k_bash_begin = R"(# bash completion for gannet; written by gannet of its own options.

_gannet_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_gannet_words_or_files() { compopt -o default; _gannet_words "$1"; }
_gannet_files() { compopt -o default; COMPREPLY=(); }
_gannet_folders() { compopt -o dirnames; COMPREPLY=(); }
_gannet_lane() {
    local done=
    [[ $cur == *,* ]] && done=${cur%,*},
    compopt -o filenames -o nospace
    mapfile -t COMPREPLY < <(compgen -P "$done" -f -- "${cur##*,}")
}

_gannet() {
    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD-2]}
    fi
    COMPREPLY=()
)";

std::string joined_words(const std::vector<std::string>& words, const char* separator) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
    return text;
}

/// "_gannet_files", "_gannet_words 'auto cuda'"; ":" where nothing can be offered.
std::string bash_offer(const OptionDescription& option) {
    if (!option.values.empty()) {
        const char* const offer =
            option.kind == ValueKind::file ? "_gannet_words_or_files '" : "_gannet_words '";
        return offer + joined_words(option.values, " ") + "'";
    }
    switch (option.kind) {
        case ValueKind::file:
            return "_gannet_files";
        case ValueKind::folder:
            return "_gannet_folders";
        case ValueKind::lane:
            return "_gannet_lane";
        case ValueKind::word:
            break;
    }
    return ":";
}

std::string joined_names(const std::vector<CommandDescription>& commands) {
    std::vector<std::string> names;
    for (const CommandDescription& command : commands) names.push_back(command.words.back());
    return joined_words(names, " ");
}

/// The branch of a command: values by option, then options, then arguments.
std::string bash_branch(const CommandDescription& command) {
    std::string text = "        '" + joined_words(command.words, " ") + "')\n            case $option in\n";
    std::vector<std::string> names;
    for (const OptionDescription& option : command.options()) {
        const auto own = option.names();
        names.insert(names.end(), own.begin(), own.end());
        if (option.value.empty()) continue;
        // An option that may stand alone may be followed by another.
        const std::string or_option = option.value_optional ? "[[ $cur == -* ]] || { " : "";
        text += "                " + joined_words(own, "|") + ") " + or_option + bash_offer(option) +
                (option.value_optional ? "; return; }" : "; return") + " ;;\n";
    }
    text += "            esac\n            if [[ $cur == -* ]]; then _gannet_words '" +
            joined_words(names, " ") + "'; ";
    std::string words = joined_names(command.commands);
    std::string files = ":";
    for (const OptionDescription& argument : command.arguments) {
        if (!argument.values.empty())
            words += (words.empty() ? "" : " ") + joined_words(argument.values, " ");
        else
            files = bash_offer(argument);
    }
    return text + "else " + (words.empty() ? files : "_gannet_words '" + words + "'") + "; fi ;;\n";
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
    std::string text = k_bash_begin;
    const std::string commands = joined_names(program.commands);
    text += "    if ((COMP_CWORD == 1)); then\n        _gannet_words '" + commands +
            " help --help --version'\n        return\n    fi\n";
    for (const CommandDescription& command : program.commands) {
        for (const CommandDescription& inner : command.commands) {
            text += "    [[ $command == " + command.words.back() +
                    " && ${COMP_WORDS[2]} == " + inner.words.back() +
                    " ]] && ((COMP_CWORD > 2)) && command+=' " + inner.words.back() + "'\n";
        }
    }
    text += "    case $command in\n        help)\n            ((COMP_CWORD == 2)) && _gannet_words '" +
            commands + "'\n";
    for (const CommandDescription& command : program.commands) {
        if (command.commands.empty()) continue;
        text += "            ((COMP_CWORD == 3)) && [[ $option == " + command.words.back() +
                " ]] && _gannet_words '" + joined_names(command.commands) + "'\n";
    }
    text += "            ;;\n";
    for (const CommandDescription* command : program.all()) {
        if (!command->words.empty()) text += bash_branch(*command);
    }
    return text + "    esac\n}\n\ncomplete -F _gannet gannet\n";
}

}  // namespace gannet::pipeline::cli
