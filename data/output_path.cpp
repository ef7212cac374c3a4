// SPDX-License-Identifier: MIT
// Provides the resolution of output paths.
#include "data/output_path.hpp"

#include "data/output_file.hpp"

#include <climits>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <linux/magic.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace gannet::data {
namespace {

constexpr int k_max_links = 40;  // as the kernel

struct Parts {
    std::string folder;  ///< canonical; empty where it does not exist
    std::string name;
};

Parts split(const std::string& path) {
    const size_t slash = path.rfind('/');
    Parts parts;
    parts.name = slash == std::string::npos ? path : path.substr(slash + 1);
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    std::array<char, PATH_MAX> canonical;
    if (realpath(folder.c_str(), canonical.data()) != nullptr) parts.folder = canonical.data();
    return parts;
}

std::string join(const std::string& folder, const std::string& name) {
    return folder == "/" ? folder + name : folder + "/" + name;
}

bool is_of_proc(const std::string& folder) {
    struct statfs system {};
    return statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// "/proc/PID/fd" and "/proc/PID/task/TID/fd" of this process hold its descriptors as links that can be
/// written through, but not replaced.
OutputPath of_proc(const Parts& parts, const std::string& given) {
    const std::string own = "/proc/" + std::to_string(getpid()) + "/";
    const bool digits = !parts.name.empty() && parts.name.size() < 8 &&
                        std::all_of(parts.name.begin(), parts.name.end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
    if (digits && parts.folder.starts_with(own) && parts.folder.ends_with("/fd")) {
        return {OutputPath::Kind::descriptor, given, std::atoi(parts.name.c_str())};
    }
    return {OutputPath::Kind::in_place, given, -1};
}

}  // namespace

OutputPath resolve_output(const std::string& path) {
    if (path == "-") return {OutputPath::Kind::descriptor, path, STDOUT_FILENO};
    std::string at = path;
    for (int links = 0; links < k_max_links; ++links) {
        const Parts parts = split(at);
        if (parts.folder.empty()) return {OutputPath::Kind::file, at, -1};
        if (is_of_proc(parts.folder)) return of_proc(parts, path);
        const std::string full = join(parts.folder, parts.name);
        struct stat status {};
        if (lstat(full.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
            return {OutputPath::Kind::file, full, -1};
        }
        if (!S_ISLNK(status.st_mode)) return {OutputPath::Kind::in_place, path, -1};
        std::array<char, PATH_MAX> target;
        const ssize_t size = readlink(full.c_str(), target.data(), target.size());
        if (size <= 0) throw_output_failed(path, errno);
        const std::string_view text(target.data(), static_cast<size_t>(size));
        at = text[0] == '/' ? std::string(text) : join(parts.folder, std::string(text));
    }
    throw_output_failed(path, ELOOP);
}

bool is_written_in_place(const std::string& path) {
    return resolve_output(path).kind != OutputPath::Kind::file;
}

bool is_terminal(const std::string& path) {
    const OutputPath target = resolve_output(path);
    if (target.kind == OutputPath::Kind::descriptor) return isatty(target.descriptor) == 1;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return false;
    const int descriptor = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool terminal = descriptor >= 0 && isatty(descriptor) == 1;
    if (descriptor >= 0) close(descriptor);
    return terminal;
}

}  // namespace gannet::data
