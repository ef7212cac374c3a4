// SPDX-License-Identifier: MIT
// Provides what an index records about the FASTA that it was made from, so that an unchanged FASTA is
// recognised without reading all of it.
#pragma once

#include <cstdint>
#include <string>

namespace gannet::align {

/// Size, modification time and a hash of samples of a file. Two files that agree in all three are taken to be
/// the same file; where they differ, the MD5 of the contigs decides.
struct SourceFile {
    static constexpr int64_t k_unknown_time = INT64_MIN;

    uint64_t size_bytes = 0;
    /// Nanoseconds since the epoch. k_unknown_time when the file had been modified within the last
    /// k_settling_ns: file systems keep times in steps of up to 2 s, so a later change might not show.
    int64_t modified_ns = k_unknown_time;
    /// XXH3 of up to 16 blocks of 4 KiB, evenly spaced from the first to the last.
    uint64_t sample_hash = 0;

    /// Of the file at `path`. Error(malformed_input) when it cannot be read. Cost: 16 small reads.
    static SourceFile of(const std::string& path);
    /// False when either modification time is unknown.
    bool is_same_file(const SourceFile& other) const {
        return modified_ns != k_unknown_time && size_bytes == other.size_bytes &&
               modified_ns == other.modified_ns && sample_hash == other.sample_hash;
    }
};

inline constexpr int64_t k_settling_ns = 2'000'000'000;

}  // namespace gannet::align
