// SPDX-License-Identifier: MIT
// Provides the text of a batch of FASTQ records, cut from its files and not looked into yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <vector>

namespace gannet::data::fastq {

/// Records of one file, one after the other: lines 4 * first_record and following. Each piece holds complete
/// records, but for the last of a file, which may lack lines. It keeps its memory alive.
struct FileText {
    struct Piece {
        std::shared_ptr<const void> memory;
        std::string_view text;
        size_t following = 0;  ///< bytes of the file behind it that are at hand too, for advice in messages
    };
    std::vector<Piece> pieces;
    uint64_t first_record = 0;  ///< number of records before, in the file

    void clear() { pieces.clear(); }
};

/// What is parsed at a time: `templates` of one file, or of two. Empty where the reads come from a format
/// whose reader has parsed them already.
struct TextBatch {
    FileText first;
    FileText second;
    size_t templates = 0;
    std::exception_ptr fault;  ///< why nothing follows; to be thrown when the records were found to be good

    bool empty() const { return templates == 0 && !fault; }
    void clear() {
        first.clear();
        second.clear();
        templates = 0;
        fault = nullptr;
    }
};

}  // namespace gannet::data::fastq
