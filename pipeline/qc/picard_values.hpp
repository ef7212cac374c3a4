// SPDX-License-Identifier: MIT
// Provides what the texts of Picard's metrics share. Internal to qc/.
#pragma once

#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline::qc {

/// Values and how often they were seen, with the statistics of htsjdk's Histogram.
class Values {
  public:
    using Seen = std::vector<std::pair<uint32_t, uint64_t>>;  ///< by value

    Values() = default;
    explicit Values(const Histogram& histogram) {
        for (size_t value = 0; value < histogram.size(); ++value)
            if (histogram[value] > 0) seen_.emplace_back(static_cast<uint32_t>(value), histogram[value]);
    }
    /// All of `larger` are above those of the histogram.
    Values(const Histogram& histogram, const std::map<uint32_t, uint64_t>& larger) : Values(histogram) {
        seen_.insert(seen_.end(), larger.begin(), larger.end());
    }

    bool empty() const { return seen_.empty(); }
    const Seen& seen() const { return seen_; }
    uint64_t of(uint32_t value) const {
        const auto at = std::lower_bound(seen_.begin(), seen_.end(), std::pair(value, uint64_t{0}));
        return at == seen_.end() || at->first != value ? 0 : at->second;
    }
    uint64_t count() const {
        uint64_t count = 0;
        for (const auto& [value, times] : seen_) count += times;
        return count;
    }
    double sum() const {
        double sum = 0;
        for (const auto& [value, times] : seen_)
            sum += static_cast<double>(value) * static_cast<double>(times);
        return sum;
    }
    /// The lowest value that a fraction of all are not above.
    double percentile(double fraction) const {
        const auto total = static_cast<double>(count());
        double so_far = 0;
        for (const auto& [value, times] : seen_) {
            so_far += static_cast<double>(times);
            if (so_far / total >= fraction) return value;
        }
        return 0;
    }
    uint32_t least() const { return seen_.empty() ? 0 : seen_.front().first; }
    uint32_t most() const { return seen_.empty() ? 0 : seen_.back().first; }
    uint32_t mode() const {
        const auto most_often = std::max_element(
            seen_.begin(), seen_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        return seen_.empty() ? 0 : most_often->first;
    }
    double mean() const { return sum() / static_cast<double>(count()); }
    double deviation() const {
        const double middle = mean();
        double squares = 0;
        for (const auto& [value, times] : seen_) {
            const double off = static_cast<double>(value) - middle;
            squares += static_cast<double>(times) * (off * off);
        }
        return std::sqrt(squares / static_cast<double>(count() - 1));
    }
    double median() const { return median_of({seen_.begin(), seen_.end()}); }
    double median_deviation() const {
        const double middle = median();
        std::vector<std::pair<double, uint64_t>> off;
        for (const auto& [value, times] : seen_) off.emplace_back(std::abs(value - middle), times);
        std::sort(off.begin(), off.end());
        return median_of(off);
    }
    /// Without what is larger.
    void trim(double largest) {
        while (!seen_.empty() && static_cast<double>(seen_.back().first) > largest) seen_.pop_back();
    }

  private:
    /// Of values in their order.
    static double median_of(const std::vector<std::pair<double, uint64_t>>& values) {
        uint64_t count = 0;
        for (const auto& [value, times] : values) count += times;
        if (count == 0) return 0;
        const uint64_t low = (count + 1) / 2;
        const uint64_t high = count / 2 + 1;
        double at_low = 0;
        uint64_t seen = 0;
        for (const auto& [value, times] : values) {
            if (seen < low && seen + times >= low) at_low = value;
            seen += times;
            if (seen >= high) return (at_low + value) / 2;
        }
        return 0;
    }
    Seen seen_;
};

/// What there is of a file without rows: Picard writes no columns then, and MultiQC, where it finds some,
/// ends its part on Picard, of all samples.
inline std::string picard_origin(const std::string& tool, const Origin& origin) {
    std::string file = origin.sample + ".bam";
    std::replace(file.begin(), file.end(), ' ', '_');  // MultiQC ends the name at a blank
    return "## htsjdk.samtools.metrics.StringHeader\n# " + tool + " INPUT=" + file +
           " (metrics as of picard " + tool + ", by " + origin.program + ": " + origin.command + ")\n\n";
}

inline std::string picard_head(const std::string& tool, const std::string& type, const Origin& origin) {
    return picard_origin(tool, origin) + "## METRICS CLASS\tpicard.analysis." + type + "\n";
}

/// A table of histograms, without those that are empty.
inline void append_histograms(std::string& text, const char* key,
                              const std::vector<std::pair<std::string, Values>>& columns) {
    std::vector<uint32_t> values;
    for (const auto& [name, column] : columns)
        for (const auto& [value, times] : column.seen()) values.push_back(value);
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    text += std::string("\n## HISTOGRAM\tjava.lang.Integer\n") + key;
    for (const auto& [name, column] : columns)
        if (!column.empty()) text += "\t" + name;
    text += "\n";
    for (const uint32_t value : values) {
        text += std::to_string(value);
        for (const auto& [name, column] : columns)
            if (!column.empty()) text += "\t" + std::to_string(column.of(value));
        text += "\n";
    }
}

/// Quotients of Picard: 0 where there is no denominator.
inline double divided(uint64_t part, double whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / whole;
}
inline double divided(uint64_t part, uint64_t whole) { return divided(part, static_cast<double>(whole)); }

}  // namespace gannet::pipeline::qc
