// SPDX-License-Identifier: MIT
// Provides the text of the caller's parameters for output headers.
#include "variants/parameters.hpp"

#include "variants/model/records.hpp"

namespace gannet::variants {

std::string CallerParameters::to_text() const {
    return "minimum_mapping_quality=" + std::to_string(minimum_mapping_quality) +
           " doubtful_mapping_quality=" + std::to_string(doubtful_mapping_quality) +
           " minimum_base_quality=" + std::to_string(minimum_base_quality) +
           " minimum_quality_centi=" + std::to_string(minimum_quality_centi) +
           " maximum_depth=" + std::to_string(maximum_depth);
}

std::vector<int32_t> default_bands() {
    constexpr auto k_bands = records_numbers<int32_t, 8>("gvcf_bands");
    return {k_bands.begin(), k_bands.end()};
}

}  // namespace gannet::variants
