// SPDX-License-Identifier: MIT
// Provides the description of a sequencing library: the faults of its reads and of the reference, each with a
// rate.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace gannet::data::simulate {

/// The numbers of a library. docs/simulate.md says what each does, its unit, its range, and where its
/// defaults come from. The initial values are those of the preset `clean`.
struct Library {
    double systematic_sites_per_kb = 0;
    double systematic_rate = 0.03;
    double systematic_log_sd = 1;
    double systematic_low_quality = 0.5;
    double ggc_error_factor = 5;

    double slip_factor = 0;
    double read_slip_factor = 1;
    double pcr_substitution_rate = 0;
    double duplicate_share = 0.06;
    double oxidation_rate = 0;
    double deamination_rate = 0;
    double end_deamination_rate = 0;
    double foldback_share = 0;
    double chimera_share = 0;
    double short_fragment_share = 0;
    double gc_bias = 1.6;
    double gc_optimum = 45;

    double quality_values = 8;
    double quality_peak = 39;
    double quality_fall_1 = 6;
    double quality_fall_2 = 9;
    double collapsed_share = 0.015625;
    double quality_overstated = 0;
    double late_error_factor = 1;

    double hopping_share = 0;
    double contamination_share = 0;

    double hidden_copies_per_mb = 0;
    double hidden_copy_min_bp = 1000;
    double hidden_copy_max_bp = 20000;
    double hidden_copy_min_divergence = 0.002;
    double hidden_copy_max_divergence = 0.05;
    double hidden_copy_both_share = 0.5;
    double hidden_array_share = 0.1;
    double missing_paralogue_share = 0;

    bool operator==(const Library&) const = default;
};

/// One number of a library: its name in JSON, its range, and its value in each preset.
struct LibraryField {
    std::string_view key;
    double Library::*value;
    double low;
    double high;
    std::array<double, 4> presets;  ///< in the order of k_presets
};

inline constexpr std::array<std::string_view, 4> k_presets{"clean", "pcr-free", "pcr", "old"};

/// All of them, in the order of the documentation.
std::span<const LibraryField> library_fields();

/// The library that `--library` names: a preset, or else a JSON file with numbers of `library_fields` and
/// optionally "preset", which what is not in the file is taken from (clean by default). Throws
/// Error(malformed_input), one line with file and key: no such preset or file, not JSON, an unknown or
/// repeated key, a value that is no number or out of range.
Library load_library(const std::string& preset_or_file);
bool is_preset(std::string_view name);

/// The same from a text; `name` is for messages.
Library parse_library(std::string_view text, const std::string& name);

/// Empty, or what is wrong with the library: a value out of range, a minimum above its maximum.
std::string complaint_about(const Library& library);

/// A JSON object with all fields, which load_library reads back as the same library.
std::string library_text(const Library& library);

}  // namespace gannet::data::simulate
