// SPDX-License-Identifier: MIT
// Provides the reading of small JSON texts from files: duplicate keys are refused, messages have one line.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace gannet::data {

/// An object. Throws data::Error(malformed_input), "NAME: WHAT is ...", on anything else.
nlohmann::json parse_object(std::string_view text, const std::string& name, const std::string& what);

/// For messages: in quotes, at most 40 characters, unprintable ones as question marks.
std::string in_quotes(std::string_view text);

}  // namespace gannet::data
