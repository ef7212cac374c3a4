// SPDX-License-Identifier: MIT
// Provides the presets of libraries, and the reading and writing of libraries as JSON.
#include "data/simulate/library.hpp"

#include "data/error.hpp"
#include "data/strict_json.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gannet::data::simulate {

namespace {

using L = Library;
constexpr std::array k_fields{
    LibraryField{"systematic_sites_per_kb", &L::systematic_sites_per_kb, 0, 20, {0, 1, 1, 2}},
    LibraryField{"systematic_rate", &L::systematic_rate, 0, 0.5, {0.03, 0.03, 0.03, 0.05}},
    LibraryField{"systematic_log_sd", &L::systematic_log_sd, 0, 2, {1, 1, 1, 1.2}},
    LibraryField{"systematic_low_quality", &L::systematic_low_quality, 0, 1, {0.5, 0.5, 0.5, 0.3}},
    LibraryField{"ggc_error_factor", &L::ggc_error_factor, 0, 50, {5, 1, 1, 5}},
    LibraryField{"slip_factor", &L::slip_factor, 0, 30, {0, 1, 5, 9}},
    LibraryField{"read_slip_factor", &L::read_slip_factor, 0, 10, {1, 1, 1, 1}},
    LibraryField{"pcr_substitution_rate", &L::pcr_substitution_rate, 0, 0.01, {0, 0, 4e-5, 3e-4}},
    LibraryField{"duplicate_share", &L::duplicate_share, 0, 0.9, {0.06, 0.03, 0.12, 0.2}},
    LibraryField{"oxidation_rate", &L::oxidation_rate, 0, 0.05, {0, 1e-5, 5e-5, 3e-4}},
    LibraryField{"deamination_rate", &L::deamination_rate, 0, 0.2, {0, 0, 0, 0}},
    LibraryField{"end_deamination_rate", &L::end_deamination_rate, 0, 0.6, {0, 0, 0, 0}},
    LibraryField{"foldback_share", &L::foldback_share, 0, 0.2, {0, 0.002, 0.005, 0.02}},
    LibraryField{"chimera_share", &L::chimera_share, 0, 0.2, {0, 0.005, 0.01, 0.02}},
    LibraryField{"short_fragment_share", &L::short_fragment_share, 0, 0.5, {0, 0.005, 0.01, 0.05}},
    LibraryField{"gc_bias", &L::gc_bias, 0, 12, {1.6, 1.6, 4, 8}},
    LibraryField{"gc_optimum", &L::gc_optimum, 20, 70, {45, 45, 45, 48}},
    LibraryField{"quality_values", &L::quality_values, 3, 41, {8, 4, 8, 41}},
    LibraryField{"quality_peak", &L::quality_peak, 20, 41, {39, 39, 39, 36}},
    LibraryField{"quality_fall_1", &L::quality_fall_1, 0, 30, {6, 6, 7, 12}},
    LibraryField{"quality_fall_2", &L::quality_fall_2, 0, 30, {9, 9, 11, 18}},
    LibraryField{"collapsed_share", &L::collapsed_share, 0, 0.5, {0.015625, 0.015625, 0.02, 0.04}},
    LibraryField{"quality_overstated", &L::quality_overstated, -10, 10, {0, 0, 1, 3}},
    LibraryField{"late_error_factor", &L::late_error_factor, 0.1, 20, {1, 1.3, 1.5, 2}},
    LibraryField{"hopping_share", &L::hopping_share, 0, 0.1, {0, 0.005, 0.005, 0.001}},
    LibraryField{"contamination_share", &L::contamination_share, 0, 0.5, {0, 0.002, 0.005, 0.02}},
    LibraryField{"hidden_copies_per_mb", &L::hidden_copies_per_mb, 0, 50, {0, 0.5, 0.5, 0.5}},
    LibraryField{"hidden_copy_min_bp", &L::hidden_copy_min_bp, 500, 200000, {1000, 1000, 1000, 1000}},
    LibraryField{"hidden_copy_max_bp", &L::hidden_copy_max_bp, 500, 200000, {20000, 20000, 20000, 20000}},
    LibraryField{
        "hidden_copy_min_divergence", &L::hidden_copy_min_divergence, 0, 0.2, {0.002, 0.002, 0.002, 0.002}},
    LibraryField{
        "hidden_copy_max_divergence", &L::hidden_copy_max_divergence, 0, 0.2, {0.05, 0.05, 0.05, 0.05}},
    LibraryField{"hidden_copy_both_share", &L::hidden_copy_both_share, 0, 1, {0.5, 0.5, 0.5, 0.5}},
    LibraryField{"hidden_array_share", &L::hidden_array_share, 0, 1, {0.1, 0.1, 0.1, 0.1}},
    LibraryField{"missing_paralogue_share", &L::missing_paralogue_share, 0, 1, {0, 0.02, 0.02, 0.05}},
};

/// The shortest text that reads back as the same number.
std::string number(double value) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

std::string presets_text() {
    std::string text;
    for (const std::string_view name : k_presets) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

Library preset(size_t index) {
    Library library;
    for (const LibraryField& field : k_fields) library.*field.value = field.presets[index];
    return library;
}

size_t preset_index(std::string_view name) {
    return static_cast<size_t>(std::find(k_presets.begin(), k_presets.end(), name) - k_presets.begin());
}

}  // namespace

std::span<const LibraryField> library_fields() { return k_fields; }

bool is_preset(std::string_view name) { return preset_index(name) < k_presets.size(); }

std::string complaint_about(const Library& library) {
    for (const LibraryField& field : k_fields) {
        const double value = library.*field.value;
        if (!(value >= field.low && value <= field.high))
            return in_quotes(field.key) + " is " + number(value) + "; it must be " + number(field.low) +
                   " to " + number(field.high);
    }
    const double values = library.quality_values;
    if (values != 41 && values != 8 && values != 4 && values != 3)
        return "\"quality_values\" is " + number(values) + "; it must be 41, 8, 4 or 3";
    if (library.hidden_copy_min_bp > library.hidden_copy_max_bp)
        return "\"hidden_copy_min_bp\" is above \"hidden_copy_max_bp\"";
    if (library.hidden_copy_min_divergence > library.hidden_copy_max_divergence)
        return "\"hidden_copy_min_divergence\" is above \"hidden_copy_max_divergence\"";
    if (library.hopping_share + library.contamination_share > 0.5)
        return "\"hopping_share\" and \"contamination_share\" are more than 0.5 together";
    return "";
}

Library parse_library(std::string_view text, const std::string& name) {
    const nlohmann::json object = parse_object(text, name, "the library");
    Library library = preset(0);
    if (const auto found = object.find("preset"); found != object.end()) {
        if (!found->is_string() || !is_preset(found->get<std::string>()))
            throw_malformed(name, "\"preset\" is not one of " + presets_text());
        library = preset(preset_index(found->get<std::string>()));
    }
    for (const auto& [key, value] : object.items()) {
        if (key == "preset") continue;
        const auto field = std::find_if(k_fields.begin(), k_fields.end(),
                                        [&key = key](const LibraryField& f) { return f.key == key; });
        if (field == k_fields.end())
            throw_malformed(name,
                            in_quotes(key) + " is not a field of a library; docs/simulate.md lists them");
        if (!value.is_number()) throw_malformed(name, in_quotes(key) + " is not a number");
        library.*(field->value) = value.get<double>();
    }
    if (const std::string complaint = complaint_about(library); !complaint.empty())
        throw_malformed(name, complaint);
    return library;
}

Library load_library(const std::string& preset_or_file) {
    constexpr std::streamsize k_max_bytes = 1 << 16;
    if (is_preset(preset_or_file)) return preset(preset_index(preset_or_file));
    std::error_code ignored;
    if (std::filesystem::is_directory(preset_or_file, ignored))
        throw_malformed(preset_or_file,
                        "a folder; a library is one of " + presets_text() + ", or a JSON file");
    errno = 0;
    std::ifstream in(preset_or_file, std::ios::binary);
    if (!in)
        throw_malformed(preset_or_file, std::string(std::strerror(errno)) + "; a library is one of " +
                                            presets_text() + ", or a JSON file");
    std::string text(k_max_bytes + 1, '\0');
    in.read(text.data(), k_max_bytes + 1);
    if (in.gcount() > k_max_bytes) throw_malformed(preset_or_file, "too long for the JSON of a library");
    text.resize(static_cast<size_t>(in.gcount()));
    return parse_library(text, preset_or_file);
}

std::string library_text(const Library& library) {
    std::string text;
    for (const LibraryField& field : k_fields)
        text += std::string(text.empty() ? "{\n" : ",\n") + " \"" + std::string(field.key) +
                "\": " + number(library.*field.value);
    return text + "\n}\n";
}

}  // namespace gannet::data::simulate
