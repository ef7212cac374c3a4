// SPDX-License-Identifier: MIT
// Provides the reading of small JSON texts that come from outside: no key twice, complaints of one line.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace gannet::ml {

/// An object. Throws data::Error(malformed_input), "NAME: WHAT is ...", on anything else.
nlohmann::json parse_object(std::string_view text, const std::string& name, const std::string& what);

/// For messages: in quotes, at most 40 characters of it, and a question mark for what does not print.
std::string in_quotes(std::string_view text);

}  // namespace gannet::ml
