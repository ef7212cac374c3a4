// SPDX-License-Identifier: MIT
// Provides a read group (@RG): which sample, library and lane reads come from.
#pragma once

#include <string>
#include <string_view>

namespace gannet::data {

struct ReadGroup {
    std::string id;
    std::string sample;
    std::string library;
    std::string platform = "ILLUMINA";
    std::string platform_unit;
    std::string extra;  ///< further tab-separated TAG:VALUE fields, kept as given

    /// "@RG\tID:...": parses bwa's -R syntax (literal \t accepted). Throws Error(usage).
    static ReadGroup parse(std::string_view line);
    std::string to_sam() const;  ///< one line, no newline
    const std::string& library_or_sample() const { return library.empty() ? sample : library; }
};

}  // namespace gannet::data
