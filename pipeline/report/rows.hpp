// SPDX-License-Identifier: MIT
// Provides the lines and fields of texts with tabs. Internal to report/.
#pragma once

#include "data/error.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {

/// The fields between tabs (or another separator), in an array that is reused.
inline void split_fields(std::string_view line, std::vector<std::string_view>& fields,
                         char separator = '\t') {
    fields.clear();
    for (size_t at = 0;;) {
        const size_t end = line.find(separator, at);
        fields.push_back(line.substr(at, end == std::string_view::npos ? end : end - at));
        if (end == std::string_view::npos) return;
        at = end + 1;
    }
}

/// False where the text is not a number as a whole.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && end == text.data() + text.size();
}

/// The lines of a text, split.
class Rows {
  public:
    Rows(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    bool next() {
        if (text_.empty()) return false;
        const size_t end = text_.find('\n');
        if (end == std::string_view::npos) {
            ++number_;
            refuse("is not complete: the file was cut");
        }
        line_ = text_.substr(0, end);
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        text_.remove_prefix(end + 1);
        ++number_;
        split_fields(line_, fields_);
        return true;
    }
    std::string_view line() const { return line_; }
    size_t size() const { return fields_.size(); }
    std::string_view operator[](size_t field) const {
        if (field >= fields_.size()) refuse("has fewer fields than it should have");
        return fields_[field];
    }
    template <class Number>
    Number number(size_t field) const {
        Number value{};
        if (!parse_number((*this)[field], value))
            refuse("field " + std::to_string(field + 1) + " is not a number");
        return value;
    }
    [[noreturn]] void refuse(const std::string& cause) const {
        data::throw_malformed(name_, "line " + std::to_string(number_) + " " + cause);
    }

  private:
    std::string_view text_;
    const std::string& name_;
    std::string_view line_;
    std::vector<std::string_view> fields_;
    uint64_t number_ = 0;
};

}  // namespace gannet::pipeline::report
