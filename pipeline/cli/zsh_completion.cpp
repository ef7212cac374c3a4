// SPDX-License-Identifier: MIT
// Provides the completion for zsh.
#include "pipeline/cli/completion.hpp"

namespace gannet::pipeline::cli {
namespace {

/// Within single quotes, within the brackets of _arguments or before a colon.
std::string zsh_text(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\'')
            result += "'\\''";
        else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\')
            result += std::string("\\") + letter;
        else
            result += letter;
    }
    return result;
}

std::string zsh_action(const OptionDescription& option) {
    if (!option.values.empty()) {
        std::string values;
        for (const std::string& value : option.values) values += (values.empty() ? "" : " ") + value;
        if (option.kind == ValueKind::file) return "{compadd " + values + "; _files}";
        return "(" + values + ")";
    }
    switch (option.kind) {
        case ValueKind::file:
            return "_files";
        case ValueKind::folder:
            return "_files -/";
        case ValueKind::lane:
            return "_sequence -s , _files";
        case ValueKind::word:
            break;
    }
    return " ";
}

/// A line of _arguments: "'(-o --output)'{-o+,--output=}'[text]:FILE:_files'".
std::string zsh_option(const OptionDescription& option) {
    const auto names = option.names();
    std::string excluded;
    std::string forms;
    for (const std::string& name : names) {
        excluded += (excluded.empty() ? "" : " ") + name;
        const char* const joint = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
        forms += (forms.empty() ? "" : ",") + name + joint;
    }
    if (names.size() > 1) forms = "{" + forms + "}";
    std::string text = option.repeats ? "'*'" : "'(" + excluded + ")'";
    text += forms + "'[" + zsh_text(option.text) + "]";
    if (!option.value.empty()) {
        text += std::string(option.value_optional ? "::" : ":") + zsh_text(option.value) + ":" +
                zsh_text(zsh_action(option));
    }
    return text + "'";
}

std::string zsh_argument(const OptionDescription& argument) {
    return "'" + std::string(argument.repeats ? "*" : "") +
           (argument.required  ? ":"
            : argument.repeats ? ":"
                               : "::") +
           zsh_text(argument.value) + ":" + zsh_text(zsh_action(argument)) + "'";
}

std::string zsh_function_name(const CommandDescription& command) { return "_" + command.full_name("_"); }

std::string zsh_commands(const std::vector<CommandDescription>& commands) {
    std::string text;
    for (const CommandDescription& command : commands)
        text += "        '" + zsh_text(command.words.back()) + ":" + zsh_text(command.text) + "'\n";
    return text;
}

std::string zsh_function(const CommandDescription& command) {
    std::string text = zsh_function_name(command) + "() {\n";
    for (const CommandDescription& inner : command.commands) {
        text += "    if [[ $words[2] == " + inner.words.back() +
                " ]]; then\n        shift words; ((CURRENT--)); " + zsh_function_name(inner) +
                "; return\n    fi\n";
    }
    if (!command.commands.empty()) {
        text += "    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n        local -a commands=(\n" +
                zsh_commands(command.commands) + "        )\n        _describe command commands\n    fi\n";
    }
    text += "    _arguments -S";
    for (const OptionDescription& option : command.options()) text += " \\\n        " + zsh_option(option);
    for (const OptionDescription& argument : command.arguments)
        text += " \\\n        " + zsh_argument(argument);
    return text + "\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
    std::string text =
        "#compdef gannet\n# zsh completion for gannet; written by gannet of its own options.\n\n";
    for (const CommandDescription* command : program.all()) {
        if (!command->words.empty()) text += zsh_function(*command);
    }
    text += "_gannet() {\n    local -a commands=(\n" + zsh_commands(program.commands) +
            "        'help:Explain a command.'\n    )\n"
            "    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
            "    shift words; ((CURRENT--))\n    case $words[1] in\n"
            "        help)\n            ((CURRENT == 2)) && _describe command commands\n";
    for (const CommandDescription& command : program.commands) {
        for (const CommandDescription& inner : command.commands) {
            text += "            ((CURRENT == 3)) && [[ $words[2] == " + command.words.back() +
                    " ]] && compadd " + inner.words.back() + "\n";
        }
    }
    text += "            ;;\n";
    for (const CommandDescription& command : program.commands)
        text += "        " + command.words.back() + ") " + zsh_function_name(command) + " ;;\n";
    return text + "    esac\n}\n\n_gannet \"$@\"\n";
}

}  // namespace gannet::pipeline::cli
