// SPDX-License-Identifier: MIT
// Provides the making of lines of text. Internal to qc/.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gannet::pipeline::qc {

inline std::string fixed(double value, int decimals) {
    char text[400];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

/// As Picard writes numbers: at most six decimals; "?" for what is none.
inline std::string trimmed(double value) {
    if (!(value - value == 0.0)) return "?";
    std::string text = fixed(value, 6);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

/// A field of a line: text or a whole number.
struct Field {
    Field(std::string_view of) : text(of) {}
    Field(const char* of) : text(of) {}
    Field(const std::string& of) : text(of) {}
    Field(uint64_t of) : text(std::to_string(of)) {}
    Field(uint32_t of) : text(std::to_string(of)) {}
    Field(int of) : text(std::to_string(of)) {}
    std::string text;
};

/// The fields, with tabs between them and a line end.
inline void append_line(std::string& text, std::initializer_list<Field> fields) {
    bool first = true;
    for (const Field& field : fields) {
        if (!first) text += '\t';
        text += field.text;
        first = false;
    }
    text += '\n';
}

}  // namespace gannet::pipeline::qc
