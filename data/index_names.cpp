// SPDX-License-Identifier: MIT
// The endings of indexes.
#include "data/index_names.hpp"

#include <array>
#include <string_view>

namespace gannet::data {
namespace {

constexpr std::array<std::string_view, 4> k_endings = {".bai", ".csi", ".crai", ".tbi"};

/// Endings in the place of the file's own, as Picard and GATK name them, and look for first. htslib looks for
/// a .csi of that kind before all others.
struct InPlace {
    std::string_view file, index;
};
constexpr std::array<InPlace, 3> k_in_place = {{{".bam", ".bai"}, {".bam", ".csi"}, {".cram", ".crai"}}};

}  // namespace

std::vector<std::string> index_names_of(const std::string& file) {
    std::vector<std::string> names;
    for (const std::string_view ending : k_endings) names.push_back(file + std::string(ending));
    for (const InPlace& ending : k_in_place) {
        if (file.ends_with(ending.file))
            names.push_back(file.substr(0, file.size() - ending.file.size()) + std::string(ending.index));
    }
    return names;
}

std::string without_index_ending(const std::string& path) {
    for (const std::string_view ending : k_endings) {
        if (path.size() > ending.size() && path.ends_with(ending))
            return path.substr(0, path.size() - ending.size());
    }
    return path;
}

}  // namespace gannet::data
