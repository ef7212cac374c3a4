// SPDX-License-Identifier: MIT
// Provides the table of a mapping scale, and its estimate.
#include "variants/sample/mapping_scale.hpp"

#include <algorithm>
#include <numeric>

namespace gannet::variants {

namespace {

constexpr uint64_t k_min_reads_of_ceiling = sample_number("mapping_ceiling_min_reads");
constexpr int32_t k_lowest_ceiling = sample_number("mapping_lowest_ceiling");
constexpr uint64_t k_ceiling_part = sample_number("mapping_ceiling_part");

}  // namespace

MappingScale::MappingScale(int32_t ceiling) : ceiling_(ceiling) {
    const int32_t lowest = std::clamp(ceiling, 1, k_ceiling);
    for (int32_t reported = 0; reported < static_cast<int32_t>(table_.size()); ++reported) {
        const int32_t stretched = (reported * k_ceiling + lowest / 2) / lowest;
        table_[static_cast<size_t>(reported)] = static_cast<uint8_t>(std::min(stretched, k_ceiling));
    }
}

void ReadCounts::add(const ReadCounts& other) {
    for (size_t i = 0; i < qualities_.size(); ++i) qualities_[i] += other.qualities_[i];
    for (size_t i = 0; i < lengths_.size(); ++i) lengths_[i] += other.lengths_[i];
    paired_ += other.paired_;
    proper_ += other.proper_;
}

uint64_t ReadCounts::reads() const {
    return std::accumulate(qualities_.begin(), qualities_.end(), uint64_t{0});
}

MappingScale ReadCounts::scale() const {
    const uint64_t all = reads();
    int32_t highest = static_cast<int32_t>(qualities_.size()) - 1;
    while (highest > 0 && qualities_[static_cast<size_t>(highest)] == 0) --highest;
    const bool is_ceiling = all >= k_min_reads_of_ceiling && highest >= k_lowest_ceiling &&
                            qualities_[static_cast<size_t>(highest)] * k_ceiling_part >= all;
    return MappingScale(is_ceiling ? highest : MappingScale::k_ceiling);
}

int32_t ReadCounts::usual_read_bp() const {
    const uint64_t all = std::accumulate(lengths_.begin(), lengths_.end(), uint64_t{0});
    uint64_t seen = 0;
    for (size_t length = 1; length < lengths_.size(); ++length) {
        seen += lengths_[length];
        if (seen > 0 && 2 * seen >= all - lengths_[0]) return static_cast<int32_t>(length);
    }
    return records_number("allele_bias_read_bp");
}

std::string to_text(const MappingScale& scale) {
    const std::string text = "mapping qualities up to " + std::to_string(scale.ceiling());
    const std::string used = std::to_string(MappingScale::k_ceiling);
    return scale.ceiling() == MappingScale::k_ceiling ? text : text + ", used as up to " + used;
}

}  // namespace gannet::variants
