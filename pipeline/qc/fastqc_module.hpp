// SPDX-License-Identifier: MIT
// Provides what the modules of FastQC's text have in common. Internal to qc/.
#pragma once

#include "pipeline/qc/tracked_sequences.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace gannet::pipeline::qc {

enum class Status { pass, warn, fail };

/// FastQC's limits (limits.txt): what is beyond the first is a warning, beyond the second a failure.
struct StatusLimits {
    double warn;
    double fail;
};

inline Status status_above(double value, StatusLimits limits) {
    return value > limits.fail ? Status::fail : value > limits.warn ? Status::warn : Status::pass;
}
inline Status status_below(double value, StatusLimits limits) {
    return value < limits.fail ? Status::fail : value < limits.warn ? Status::warn : Status::pass;
}

inline void append_module(std::string& text, const char* name, Status status, const std::string& lines) {
    constexpr std::array<const char*, 3> k_words{"pass", "warn", "fail"};
    text += std::string(">>") + name + "\t" + k_words[static_cast<size_t>(status)] + "\n" + lines +
            ">>END_MODULE\n";
}

/// The shortest digits that stand for the number, with a point.
inline std::string digits_of(double value) {
    if (std::isnan(value)) return "NaN";
    std::array<char, 400> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
    std::string text(digits.data(), end);
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

/// "Sequence Duplication Levels" of a file with reads.
void append_duplication(std::string& text, const TrackedSequences& tracked);
/// "Overrepresented sequences" of a file with reads.
void append_overrepresented(std::string& text, const TrackedSequences& tracked);

}  // namespace gannet::pipeline::qc
