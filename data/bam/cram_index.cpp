// SPDX-License-Identifier: MIT
// Provides reading of CRAI and its comparison with the containers of the CRAM.
#include "data/bam/cram_index.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string_view>

namespace gannet::data::bam {

CramIndex::CramIndex(const std::string& path, const std::string& cram_path, size_t contigs) : path_(path) {
    read(cram_path, contigs);
    compare(cram_path);
}

void CramIndex::refuse(const std::string& cause) const {
    throw_malformed(path_,
                    cause + ": the index is damaged or of another file; make it again (samtools index)");
}

void CramIndex::read(const std::string& cram_path, size_t contigs) {
    std::error_code fault;
    const auto cram_bytes = static_cast<int64_t>(std::filesystem::file_size(cram_path, fault));
    LineReader lines(std::make_unique<InputStream>(path_));
    std::string_view line;
    int64_t last_container = 0;
    while (lines.read(line)) {
        // Contig, begin, span, container's offset, slice's offset and size.
        std::array<int64_t, 6> values = {};
        const char* at = line.data();
        const char* const end = at + line.size();
        for (size_t i = 0; i < values.size(); ++i) {
            const auto result = std::from_chars(at, end, values[i]);
            const bool last = i + 1 == values.size();
            if (result.ec != std::errc() ||
                (last ? result.ptr != end : result.ptr == end || *result.ptr != '\t'))
                refuse("line " + std::to_string(lines.number()) + " is not six numbers");
            at = result.ptr + 1;
        }
        const auto [contig, begin, span, container, slice, slice_bytes] = values;
        if (contig < -2 || contig >= static_cast<int64_t>(contigs) || span < 0 || slice < 0 ||
            slice_bytes < 0 || container < last_container || slice > cram_bytes || slice_bytes > cram_bytes ||
            container > cram_bytes - slice - slice_bytes) {
            refuse("line " + std::to_string(lines.number()) + " does not fit the alignments");
        }
        last_container = container;
        lines_.push_back({contig, begin, span, container, slice, slice_bytes});
    }
}

/// Checks the lines of one container, of which `line` is the first, and gives the number of the next line.
size_t CramIndex::compare_container(const CramContainer& container, size_t line) const {
    const bool single = container.contig >= 0, none = container.contig == CramContainer::k_no_contig;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    std::vector<int64_t> listed, slices = container.slices;
    for (; line < lines_.size() && lines_[line].container == container.offset; ++line) {
        const Line& found = lines_[line];
        if (single ? found.contig != container.contig : none && found.contig >= 0)
            refuse("has another contig than the file");
        begin = std::min(begin, found.begin);
        end = std::max(end, found.begin + found.span);
        listed.push_back(found.slice);
    }
    const auto make_unique = [](std::vector<int64_t>& numbers) {
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    };
    make_unique(listed);
    make_unique(slices);
    if (!std::includes(slices.begin(), slices.end(), listed.begin(), listed.end()))
        refuse("names a slice that is not in the file");
    if (none) return line;
    if (listed.size() != slices.size()) refuse("leaves records out");
    if (single && (begin > container.begin || end < container.begin + container.span))
        refuse("states other positions than the file");
    return line;
}

void CramIndex::compare(const std::string& cram_path) {
    CramContainers containers(cram_path, cram_path);
    if (!containers.known()) return;
    size_t line = 0;
    while (const auto container = containers.next()) {
        if (line < lines_.size() && lines_[line].container < container->offset)
            refuse("names a container that is not in the file");
        line = compare_container(*container, line);
        if (container->contig == CramContainer::k_mixed) mixed_.push_back(*container);
    }
    if (line < lines_.size()) refuse("names a container that is not in the file");
}

void CramIndex::require_listed(int64_t container, int64_t contig, int64_t position) const {
    const auto first =
        std::lower_bound(lines_.begin(), lines_.end(), container,
                         [](const Line& line, int64_t offset) { return line.container < offset; });
    for (auto line = first; line != lines_.end() && line->container == container; ++line) {
        const int64_t begin = line->begin - 1;
        if (line->contig == contig && begin <= position && position < begin + line->span) return;
    }
    refuse("leaves records out");
}

}  // namespace gannet::data::bam
