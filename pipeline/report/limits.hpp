// SPDX-License-Identifier: MIT
// Provides the limits that a sample is judged by: each has a name, a source, and can be changed by a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {

/// How a value is written: a depth ("31.2x"), a fraction of one ("12.3 %"), a length ("412 bp") or a ratio.
enum class Unit { depth, fraction, length, ratio };
std::string value_text(double value, Unit unit);

/// A value within [pass_min, pass_max] passes; one outside of [look_min, look_max] fails; between the two it
/// is to be looked at. What is not given is not limited.
struct Limit {
    std::string name;
    Unit unit = Unit::ratio;
    std::optional<double> pass_min, pass_max, look_min, look_max;
    std::string pass_text() const;  ///< "at least 25x", "1.9 to 2.2"
    std::string look_text() const;
};

/// Defaults are for germline whole genomes of people (docs/report.md).
class Limits {
  public:
    Limits();  ///< the defaults
    /// Throws std::out_of_range for a name that there is not.
    const Limit& of(std::string_view name) const;
    const std::vector<Limit>& all() const { return all_; }
    /// A JSON object {"duplicates": {"pass_max": 0.2, "look_max": 0.3}}: what it names becomes another number
    /// or, with null, none. Throws Error(malformed_input): no such object, unknown names, values that are no
    /// numbers, a look limit within the pass limits. `name`: of the file, for messages.
    void change(std::string_view json, const std::string& name);
    std::string to_json() const;  ///< as change() reads it

  private:
    std::vector<Limit> all_;
};

}  // namespace gannet::pipeline::report
