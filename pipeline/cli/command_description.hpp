// SPDX-License-Identifier: MIT
// Provides what CLI11 knows of the commands as plain values, from which man pages, completions and the page
// of options are written.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gannet::pipeline::cli {

/// What a shell offers for a value.
enum class ValueKind { word, file, folder, lane };  ///< lane: files, separated by commas

struct OptionDescription {
    std::vector<std::string> short_names;  ///< "-o"
    std::vector<std::string> long_names;   ///< "--output"
    std::string value;                     ///< "FILE"; the name of an argument; empty: a flag
    std::string text;
    std::vector<std::string>
        values;  ///< all that are valid, where they can be counted; of a file: its names beside
    ValueKind kind = ValueKind::word;
    bool required = false;
    bool repeats = false;         ///< takes several values or may be given several times
    bool value_optional = false;  ///< the option may stand alone
    std::vector<std::string> names() const;
};

struct OptionGroup {
    std::string title;
    std::vector<OptionDescription> options;
};

/// A part of a footer: "Examples:" and the lines after it, as they are laid out.
struct FooterSection {
    std::string title;
    std::string text;  ///< what follows the title in its line
    std::vector<std::string> lines;
};

struct CommandDescription {
    std::vector<std::string> words;  ///< {"bench", "compare"}; empty for the program
    std::string text;
    std::vector<OptionDescription> arguments;
    std::vector<OptionGroup> groups;
    std::vector<FooterSection> footer;
    std::vector<CommandDescription> commands;

    std::string full_name(const std::string& separator) const;  ///< "gannet bench compare"
    std::vector<OptionDescription> options() const;             ///< of all groups
    /// This command and those below it, each before its own.
    std::vector<const CommandDescription*> all() const;
};

/// Hidden options and commands are left out.
CommandDescription describe(const CLI::App& app);

}  // namespace gannet::pipeline::cli
