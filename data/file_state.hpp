// SPDX-License-Identifier: MIT
// Provides what shows that a file was changed while it was read.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gannet::data {

/// Which file it is, its size, the time of its last change, and its last bytes. Of what is no regular file (a
/// pipe, standard input, nothing) nothing is known, and nothing is compared.
struct FileState {
    bool regular = false;
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;
    std::array<uint8_t, 64> end{};  ///< the last bytes, or zeros

    static FileState of(const std::string& path);
    static FileState of(int descriptor);

    /// Throws Error(malformed_input) where the file `name` is not what it was: `now` is its state at the end
    /// of reading.
    void require_unchanged(const std::string& name, const FileState& now) const;
};

}  // namespace gannet::data
