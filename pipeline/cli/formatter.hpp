// SPDX-License-Identifier: MIT
// Provides the layout of help texts: one line an option, with its unit, and no type names of the parser's.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace gannet::pipeline::cli {

class HelpFormatter : public CLI::Formatter {
  public:
    HelpFormatter() { column_width(26); }
    std::string make_usage(const CLI::App* command, std::string) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace gannet::pipeline::cli
