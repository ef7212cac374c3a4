// SPDX-License-Identifier: MIT
// Provides the layout of help texts: per option its name, unit and text, wrapped at the terminal's width.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace gannet::pipeline::cli {

class HelpFormatter : public CLI::Formatter {
  public:
    explicit HelpFormatter(size_t width);
    std::string make_help(const CLI::App* command, std::string, CLI::AppFormatMode mode) const override;
    std::string make_description(const CLI::App* command) const override;
    std::string make_usage(const CLI::App* command, std::string) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_footer(const CLI::App* command) const override;

  private:
    /// "  NAME   text": the text in the second column, on the next line where the name is too long.
    std::string entry(const std::string& name, const std::string& text) const;

    size_t width_;
};

}  // namespace gannet::pipeline::cli
