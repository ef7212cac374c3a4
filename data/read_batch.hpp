// SPDX-License-Identifier: MIT
// Provides a batch of sequencing reads in arenas: no allocation per read, and reusable from batch to batch.
#pragma once

#include "data/sequence.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gannet::data {

/// Reads of one lane. A template (SAM's word for the sequenced molecule) has one read, or two when `paired`:
/// reads 2t and 2t+1 are mates 1 and 2 of template t. Bases are codes 0-4, qualities Phred without offset
/// (0-93).
struct ReadBatch {
    uint64_t ordinal = 0;  ///< of this batch in the run, dense from 0
    uint64_t first_template =
        0;  ///< ordinal in the run of the batch's first template: input order, total and dense
    uint64_t mates_before = 0;  ///< second reads of the run before those of this batch
    uint32_t read_group = 0;    ///< index into the run's read groups
    bool paired = false;

    std::vector<char> names;            ///< one per template, without @, comment and /1 or /2
    std::vector<uint32_t> name_offset;  ///< templates + 1
    std::vector<Base> bases;
    std::vector<uint8_t> qualities;
    std::vector<uint32_t> base_offset;  ///< reads + 1; bases and qualities share it
    std::vector<uint8_t> tags;          ///< optional fields carried on to the records, as BAM stores them
    std::vector<uint32_t> tag_offset;   ///< reads + 1, or empty: no read carries any
    std::vector<uint8_t>
        failed_filter;  ///< one per read, 1: of the instrument (SAM flag 0x200), or empty: none

    size_t templates() const { return name_offset.empty() ? 0 : name_offset.size() - 1; }
    size_t reads() const { return base_offset.empty() ? 0 : base_offset.size() - 1; }
    std::string_view name(size_t template_index) const {
        return {names.data() + name_offset[template_index],
                name_offset[template_index + 1] - name_offset[template_index]};
    }
    std::span<const Base> read_bases(size_t read) const {
        return {bases.data() + base_offset[read], base_offset[read + 1] - base_offset[read]};
    }
    std::span<const uint8_t> read_qualities(size_t read) const {
        return {qualities.data() + base_offset[read], base_offset[read + 1] - base_offset[read]};
    }
    std::span<const uint8_t> read_tags(size_t read) const {
        if (tag_offset.empty()) return {};
        return {tags.data() + tag_offset[read], tag_offset[read + 1] - tag_offset[read]};
    }
    bool read_failed_filter(size_t read) const { return !failed_filter.empty() && failed_filter[read] != 0; }
    /// Empties it and keeps the memory.
    void clear() {
        names.clear();
        name_offset.assign(1, 0);
        bases.clear();
        qualities.clear();
        base_offset.assign(1, 0);
        tags.clear();
        tag_offset.clear();
        failed_filter.clear();
    }
};

}  // namespace gannet::data
