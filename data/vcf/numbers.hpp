// SPDX-License-Identifier: MIT
// Provides numbers as a VCF's text has them, in integer arithmetic only.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace gannet::data::vcf {

inline void append(std::string& text, int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(digits, end);
}

/// value / 10^decimals, without trailing zeros: the digits that a reader of floats would print again.
inline void append_decimal(std::string& text, int64_t value, int decimals) {
    if (value < 0) text += '-';
    value = std::abs(value);
    int64_t unit = 1;
    for (int i = 0; i < decimals; ++i) unit *= 10;
    append(text, value / unit);
    int64_t rest = value % unit;
    if (rest == 0) return;
    text += '.';
    while (rest != 0) {
        unit /= 10;
        text += static_cast<char>('0' + rest / unit);
        rest %= unit;
    }
}

template <class Values>
void append_list(std::string& text, const Values& values) {
    bool first = true;
    for (const auto value : values) {
        if (!first) text += ',';
        first = false;
        append(text, value);
    }
    if (first) text += '.';
}

}  // namespace gannet::data::vcf
