// SPDX-License-Identifier: MIT
// Provides numbers as a reader of a report sees them. Internal to report/.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace gannet::pipeline::report {

inline std::string decimal(double value, int decimals) {
    char text[400];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

/// Without zeros at the end: 12.5, 12, 0.
inline std::string shortest(double value, int decimals) {
    std::string text = decimal(value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

/// 1,234,567.
inline std::string grouped(uint64_t value) {
    std::string text = std::to_string(value);
    for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

/// A fraction as "12.34 %".
inline std::string percent_of_one(double fraction, int decimals = 2) {
    return decimal(100 * fraction, decimals) + " %";
}

/// "950", "1.5 k", "20 M", "3.1 G": for axes.
inline std::string with_prefix(double value) {
    constexpr const char* k_prefixes[] = {"", " k", " M", " G", " T"};
    size_t step = 0;
    while (std::abs(value) >= 1000 && step + 1 < std::size(k_prefixes)) {
        value /= 1000;
        ++step;
    }
    return shortest(value, std::abs(value) >= 100 || step == 0 ? 2 : 1) + k_prefixes[step];
}

/// Text between tags and in attributes with quotes. Control characters become question marks.
inline std::string escaped(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    for (const char letter : text) {
        switch (letter) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += static_cast<unsigned char>(letter) < 0x20 && letter != '\n' ? '?' : letter;
        }
    }
    return safe;
}

}  // namespace gannet::pipeline::report
