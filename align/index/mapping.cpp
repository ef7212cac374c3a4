// SPDX-License-Identifier: MIT
// Provides the mapping of an index file, and what keeps it in huge pages.
#include "align/index/mapping.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::align {
namespace {

using data::ErrorKind;

constexpr uint64_t k_page_bytes = 4096;
constexpr uint64_t k_huge_page_bytes = uint64_t{2} << 20;

std::string errno_text() { return std::strerror(errno); }

/// Whether a line of /proc/self/smaps is the head of the mapping with the address.
bool begins_mapping_of(std::string_view line, uintptr_t address) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    const char* const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ec != std::errc() || first.ptr == last || *first.ptr != '-') return false;
    if (std::from_chars(first.ptr + 1, last, end, 16).ec != std::errc()) return false;
    return begin <= address && address < end;
}

}  // namespace

void fail_index(ErrorKind kind, const std::string& path, const std::string& cause) {
    throw data::Error(kind, path + ": " + cause);
}

std::string index_rebuild_advice(const std::string& path) {
    constexpr std::string_view suffix = ".gannet";
    if (!path.ends_with(suffix)) return "; `gannet index` makes one";
    const std::string fasta = path.substr(0, path.size() - suffix.size());
    std::error_code fault;
    if (std::filesystem::exists(fasta, fault)) return "; build it again: gannet index " + fasta;
    return "; build it again: gannet index REF.fa -o " + path;
}

IndexMapping::IndexMapping(const std::string& path) {
    // Nobody may write to a pipe in its place: it is opened without waiting, and refused.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 && !data::open_files_advice(errno).empty()) data::throw_cannot_open(path, errno);
    if (descriptor_ < 0)
        fail_index(ErrorKind::malformed_input, path,
                   "the index cannot be opened: " + errno_text() +
                       "; make it readable, or name another with --index");
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) {
        const int cause = errno;
        ::close(descriptor_);
        fail_index(ErrorKind::malformed_input, path,
                   std::string("the index cannot be read: ") + std::strerror(cause));
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        fail_index(ErrorKind::malformed_input, path, "is not a file, but should be an index: remove it");
    }
    if (status.st_size > 0) {
        size_ = static_cast<uint64_t>(status.st_size);
        void* at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
        if (at != MAP_FAILED) bytes_ = static_cast<const uint8_t*>(at);
        // Before anything is read through it. Kernels without it refuse.
        if (bytes_ != nullptr) madvise(at, size_, MADV_HUGEPAGE);
    }
    if (bytes_ != nullptr) {
        listed_.emplace(path, bytes_, size_, descriptor_);
        return;
    }
    const int cause = errno;
    ::close(descriptor_);
    if (size_ != 0 && cause == ENOMEM) {
        fail_index(ErrorKind::host_memory, path,
                   "the index cannot be mapped: there is too little address space (ulimit -v)");
    }
    fail_index(
        ErrorKind::malformed_input, path,
        (size_ == 0 ? "is empty, not an index" : "the index cannot be mapped") + index_rebuild_advice(path));
}

IndexMapping::~IndexMapping() {
    listed_.reset();
    munmap(const_cast<uint8_t*>(bytes_), size_);
    ::close(descriptor_);
}

void IndexMapping::populate(uint64_t begin, uint64_t end) const {
    begin = begin / k_page_bytes * k_page_bytes;
    madvise(const_cast<uint8_t*>(bytes_ + begin), end - begin, MADV_POPULATE_READ);
}

/// Only pages that no mapping has, of this process or another one, leave the cache.
void IndexMapping::drop(uint64_t begin, uint64_t end) const {
    madvise(const_cast<uint8_t*>(bytes_ + begin), end - begin, MADV_DONTNEED);
    (void)posix_fadvise(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(end - begin),
                        POSIX_FADV_DONTNEED);
}

void IndexMapping::renew_small_pages() const {
    if (size_ < 2 * k_probe_bytes) return;
    const uint64_t begin = size_ / 2 / k_huge_page_bytes * k_huge_page_bytes;
    const uint64_t end = begin + k_probe_bytes;
    const auto is_huge = [&] {
        madvise(const_cast<uint8_t*>(bytes_ + begin), k_probe_bytes, MADV_DONTNEED);
        const uint64_t before = huge_bytes();
        populate(begin, end);
        return huge_bytes() - before >= k_probe_bytes / 2;
    };
    if (is_huge()) return;
    drop(begin, end);
    if (is_huge()) drop(0, size_);
}

uint64_t IndexMapping::huge_bytes() const {
    std::ifstream maps("/proc/self/smaps");
    constexpr std::string_view field = "FilePmdMapped:";
    bool is_here = false;
    for (std::string line; std::getline(maps, line);) {
        if (line.empty()) continue;
        if (line[0] < 'A' || line[0] > 'Z')  // addresses are in lower case
            is_here = begins_mapping_of(line, reinterpret_cast<uintptr_t>(bytes_));
        if (!is_here || !line.starts_with(field)) continue;
        uint64_t kilobytes = 0;
        const size_t number = line.find_first_not_of(' ', field.size());
        if (number != std::string::npos)
            std::from_chars(line.data() + number, line.data() + line.size(), kilobytes);
        return kilobytes << 10;
    }
    return 0;
}

void IndexMapping::read(const std::string& path, uint64_t offset, std::span<uint8_t> out) const {
    for (size_t filled = 0; filled < out.size();) {
        const ssize_t got =
            pread(descriptor_, out.data() + filled, out.size() - filled, static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            fail_index(
                ErrorKind::malformed_input, path,
                "the index cannot be read: " + (got < 0 ? errno_text() : std::string("it was truncated")) +
                    index_rebuild_advice(path));
        }
        filled += static_cast<size_t>(got);
    }
}

}  // namespace gannet::align
