// SPDX-License-Identifier: MIT
// Provides what the path of an output means: a file that is replaced at the end, or a device, pipe or
// descriptor that is written in place.
#pragma once

#include <string>

namespace gannet::data {

struct OutputPath {
    enum class Kind {
        file,       ///< a regular file, or nothing yet: written beside, then renamed to `path`
        in_place,   ///< a device, a pipe, a socket: opened and written, never renamed over
        descriptor  ///< an open descriptor of this process: "-", /dev/stdout, /dev/fd/N and links to them
    };
    Kind kind = Kind::file;
    /// file: its canonical folder and its name, with symbolic links followed, so that a link stays what it is
    /// and its target is replaced. Else as given.
    std::string path;
    int descriptor = -1;
};

/// Makes and opens nothing. A path whose folder does not exist is returned as given, as a file. Throws
/// Error(output_failed) where symbolic links go round in a circle.
OutputPath resolve_output(const std::string& path);

/// True for "-", devices, pipes and descriptors: what cannot be renamed into place.
bool is_written_in_place(const std::string& path);
/// True where `path` leads to a terminal.
bool is_terminal(const std::string& path);

}  // namespace gannet::data
