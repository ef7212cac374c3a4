// SPDX-License-Identifier: MIT
// Provides the lock of an output.
#include "data/output_lock.hpp"

#include "data/error.hpp"
#include "data/output_file.hpp"
#include "data/unfinished.hpp"

#include <array>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gannet::data {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view k_first_line = "gannet lock\n";
constexpr size_t k_max_text_bytes = 1024;
constexpr size_t k_max_command_bytes = 300;
constexpr int k_max_attempts = 1000;

std::string printable(std::string text) {
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    for (char& letter : text) {
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = ' ';
    }
    return text;
}

std::string command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string program;
    std::getline(file, program, '\0');
    std::string text = printable(fs::path(program).filename().string());
    for (std::string word; std::getline(file, word, '\0');) text += " " + printable(word);
    if (text.size() > k_max_command_bytes) text = text.substr(0, k_max_command_bytes) + "...";
    return text.empty() ? "gannet" : text;
}

std::string text_of(int descriptor) {
    std::array<char, k_max_text_bytes> text;
    const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
    return {text.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

/// Who holds the lock; the holder may not have written it yet.
std::string holder_of(int descriptor) {
    for (int attempt = 0; attempt < 50; ++attempt) {
        const std::string text = text_of(descriptor);
        if (text.size() > k_first_line.size()) return printable(text.substr(k_first_line.size()));
        usleep(2000);
    }
    return "another process";
}

int flock_retrying(int descriptor, int operation) {
    int result = 0;
    do {
        result = flock(descriptor, operation);
    } while (result != 0 && errno == EINTR);
    return result;
}

bool is_still_named(int descriptor, const std::string& path) {
    struct stat opened {};
    struct stat named {};
    return fstat(descriptor, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::string process_description() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 64> since{};
    std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S UTC", &utc);
    return command_line() + " (pid " + std::to_string(getpid()) + ", host " + host.data() + ", since " +
           since.data() + ")";
}

OutputLock::OutputLock(const std::string& path, const OnWait& on_wait) : path_(path) {
    const fs::path file(path);
    lock_path_ = (file.parent_path() / ("." + file.filename().string() + ".lock")).string();
    for (int attempt = 0; attempt < k_max_attempts; ++attempt) {
        if (try_lock(on_wait)) return;
    }
    refuse("changes all the time: " + lock_path_);
}

void OutputLock::refuse(const std::string& cause) const {
    throw Error(ErrorKind::output_failed, path_ + ": " + cause);
}

/// Opens the lock file, made where it is missing; throws where it is not one of gannet's.
int OutputLock::open_lock_file() const {
    int descriptor = open(lock_path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    // Another user's lock file may be readable only: it can be locked all the same.
    if (descriptor < 0 && errno == EACCES)
        descriptor = open(lock_path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno == ELOOP)
        refuse("cannot be locked: " + lock_path_ + " is a symbolic link; remove it");
    if (descriptor < 0) throw_output_failed(lock_path_, errno);
    struct stat status {};
    if (fstat(descriptor, &status) != 0) {
        const int cause = errno;
        // It may have been made just now: where nobody holds it, it does not stay.
        if (flock_retrying(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(lock_path_.c_str());
        close(descriptor);
        throw_output_failed(lock_path_, cause);
    }
    const bool regular = S_ISREG(status.st_mode);
    if (!regular || (status.st_size > 0 && !text_of(descriptor).starts_with(k_first_line))) {
        close(descriptor);
        refuse("cannot be locked: " + lock_path_ +
               " is not a lock of gannet; remove it or choose another name");
    }
    return descriptor;
}

/// False where the lock file was removed by its last holder meanwhile.
bool OutputLock::try_lock(const OnWait& on_wait) {
    // Until the file is listed as unfinished, no signal may come between: it would be left.
    auto guard = lock_unfinished();
    struct Closer {
        int descriptor;
        ~Closer() {
            if (descriptor >= 0) close(descriptor);
        }
    } closer{open_lock_file()};
    if (flock_retrying(closer.descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            guard.unlock();
            const std::string holder = holder_of(closer.descriptor);
            if (!on_wait) {
                refuse("is being written by " + holder + ": wait for it to end or choose another output");
            }
            if (!waited_) on_wait(holder);
            waited_ = true;
            supported_ = flock_retrying(closer.descriptor, LOCK_EX) == 0;
            guard.lock();
        } else {
            supported_ = false;
        }
    }
    if (!is_still_named(closer.descriptor, lock_path_)) return false;
    const std::string text = std::string(k_first_line) + process_description() + "\n";
    // Only for people: what cannot be written (a full disk, another user's file) ends no run.
    if (ftruncate(closer.descriptor, 0) == 0) (void)!pwrite(closer.descriptor, text.data(), text.size(), 0);
    add_unfinished(lock_path_);
    descriptor_ = std::exchange(closer.descriptor, -1);
    return true;
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : path_(std::move(other.path_)),
      lock_path_(std::move(other.lock_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      waited_(other.waited_),
      supported_(other.supported_) {}

OutputLock::~OutputLock() {
    if (descriptor_ < 0) return;
    const auto lock = lock_unfinished();
    // Removed while it is locked: who waits for it sees that it has no name any more and makes another.
    unlink(lock_path_.c_str());
    forget_unfinished(lock_path_);
    close(descriptor_);
}

std::vector<std::string> OutputLock::remove_leftovers(const std::string& path) const {
    std::vector<std::string> removed;
    if (!supported_) return removed;
    const fs::path file(path);
    std::error_code fault;
    fs::directory_iterator entries(file.parent_path(), fault);
    for (; !fault && entries != fs::directory_iterator(); entries.increment(fault)) {
        const std::string name = entries->path().string();
        struct stat status {};
        if (!is_partial_name_of(entries->path().filename().string(), file.filename().string())) continue;
        if (lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (status.st_uid == geteuid() && unlink(name.c_str()) == 0) removed.push_back(name);
    }
    return removed;
}

}  // namespace gannet::data
