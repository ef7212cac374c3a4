// SPDX-License-Identifier: MIT
// Provides cutting of text into lines.
#include "data/line_reader.hpp"

#include "data/error.hpp"

#include <cstring>

namespace gannet::data {

bool LineReader::read(std::string_view& line) {
    for (;;) {
        const auto rest = static_cast<size_t>(end_ - at_);
        const auto* newline = rest == 0 ? nullptr : static_cast<const char*>(std::memchr(at_, '\n', rest));
        if (newline != nullptr) {
            line = {at_, static_cast<size_t>(newline - at_)};
            at_ = newline + 1;
            break;
        }
        if (rest > max_line_bytes_) {
            throw_malformed(name(), number_ + 1,
                            "its line is longer than " + std::to_string(max_line_bytes_ >> 20) +
                                " MiB, the limit: this is another format, or the file is damaged");
        }
        const std::span<const char> window = input_.next(rest);
        at_ = window.data();
        end_ = at_ + window.size();
        if (window.size() != rest) continue;
        if (rest == 0) return false;
        line = {at_, rest};
        at_ = end_;
        break;
    }
    ++number_;
    return true;
}

}  // namespace gannet::data
