// SPDX-License-Identifier: MIT
// Provides the text of a JSON document, whatever bytes its strings have.
#pragma once

#include <string>

namespace gannet::data {

inline constexpr int k_json_in_one_line = -1;

/// The text of a document of nlohmann's. Bytes that are not UTF-8, which paths may have, become U+FFFD: by
/// default they would be an exception. `indent`: spaces per level.
template <class Json>
std::string json_text(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gannet::data
