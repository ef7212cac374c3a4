// SPDX-License-Identifier: MIT
// Provides the shapes of complaints about inputs.
#include "data/error.hpp"

namespace gannet::data {

void throw_malformed(const std::string& file, uint64_t record, const std::string& cause) {
    throw Error(ErrorKind::malformed_input, file + ": record " + std::to_string(record) + ": " + cause);
}

void throw_malformed(const std::string& file, const std::string& cause) {
    throw Error(ErrorKind::malformed_input, file + ": " + cause);
}

}  // namespace gannet::data
