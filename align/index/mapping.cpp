// SPDX-License-Identifier: MIT
// Provides the mapping of an index file, and what keeps it in huge pages.
#include "align/index/mapping.hpp"

#include <algorithm>
#include <array>
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
#include <utility>

namespace gannet::align {
namespace {

using data::ErrorKind;

constexpr uint64_t k_page_bytes = 4096;
constexpr uint64_t k_huge_page_bytes = IndexMapping::k_huge_page_bytes;

std::string errno_text() { return std::strerror(errno); }

/// Addresses of a mapping, where the line of /proc/self/smaps is its head.
std::optional<std::pair<uintptr_t, uintptr_t>> addresses_of(std::string_view line) {
    if (line.empty() || (line[0] >= 'A' && line[0] <= 'Z'))
        return std::nullopt;  // addresses are in lower case
    uintptr_t begin = 0;
    uintptr_t end = 0;
    const char* const line_end = line.data() + line.size();
    const auto at = std::from_chars(line.data(), line_end, begin, 16);
    if (at.ec != std::errc() || at.ptr == line_end || *at.ptr != '-') return std::nullopt;
    if (std::from_chars(at.ptr + 1, line_end, end, 16).ec != std::errc()) return std::nullopt;
    return std::pair(begin, end);
}

/// Of the mappings that have bytes of [begin, begin + size).
uint64_t huge_bytes_of(const uint8_t* begin, uint64_t size) {
    constexpr std::array<std::string_view, 2> fields{"FilePmdMapped:", "AnonHugePages:"};
    const auto first = reinterpret_cast<uintptr_t>(begin);
    std::ifstream maps("/proc/self/smaps");
    uint64_t kilobytes = 0;
    bool is_here = false;
    for (std::string line; std::getline(maps, line);) {
        if (const auto addresses = addresses_of(line)) {
            // They come in order, and the kernel walks the pages of a mapping when it is its turn.
            if (addresses->first >= first + size) break;
            is_here = addresses->second > first;
        }
        if (!is_here) continue;
        for (const std::string_view field : fields) {
            if (!line.starts_with(field)) continue;
            const size_t number = std::min(line.find_first_not_of(' ', field.size()), line.size());
            uint64_t value = 0;
            std::from_chars(line.data() + number, line.data() + line.size(), value);
            kilobytes += value;
        }
    }
    return kilobytes << 10;
}

/// A part of the address space that begins where a huge page may.
class AddressRange {
  public:
    explicit AddressRange(uint64_t size) : size_((size + k_page_bytes - 1) / k_page_bytes * k_page_bytes) {
        const uint64_t all = size_ + k_huge_page_bytes;
        void* const at = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) return;
        auto* const first = static_cast<uint8_t*>(at);
        const uint64_t before =
            (k_huge_page_bytes - reinterpret_cast<uintptr_t>(first) % k_huge_page_bytes) % k_huge_page_bytes;
        if (before > 0) munmap(first, before);
        begin_ = first + before;
        munmap(begin_ + size_, all - before - size_);
    }
    ~AddressRange() {
        if (begin_ != nullptr) munmap(begin_, size_);
    }
    AddressRange(const AddressRange&) = delete;
    AddressRange& operator=(const AddressRange&) = delete;

    uint64_t size() const { return size_; }
    /// Null, and errno says why, where it cannot be had.
    uint8_t* map(int protection, int flags, int descriptor, uint64_t offset) const {
        if (begin_ == nullptr) return nullptr;
        void* const at =
            mmap(begin_, size_, protection, flags | MAP_FIXED, descriptor, static_cast<off_t>(offset));
        return at == MAP_FAILED ? nullptr : begin_;
    }
    /// What was mapped there lives on, elsewhere or as it is.
    uint8_t* release() { return std::exchange(begin_, nullptr); }

  private:
    uint64_t size_;
    uint8_t* begin_ = nullptr;
};

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
        AddressRange range(size_);
        bytes_ = range.map(PROT_READ, MAP_SHARED, descriptor_, 0);
        // Before anything is read through it. Kernels without it refuse.
        if (bytes_ != nullptr) madvise(range.release(), size_, MADV_HUGEPAGE);
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

/// Through a mapping of its own: from that of the index others read at the same time.
bool IndexMapping::is_huge(uint64_t begin, uint64_t end) const {
    const AddressRange range(end - begin);
    uint8_t* const view = range.map(PROT_READ, MAP_SHARED, descriptor_, begin);
    if (view == nullptr) return false;
    madvise(view, range.size(), MADV_HUGEPAGE);
    madvise(view, range.size(), MADV_POPULATE_READ);
    return huge_bytes_of(view, range.size()) >= range.size() / 4 * 3;
}

IndexMapping::Pages IndexMapping::make_huge(uint64_t begin, uint64_t end) const {
    if (is_huge(begin, end)) return Pages::huge;
    AddressRange range(end - begin);
    uint8_t* const copy = range.map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == nullptr) return Pages::small;
    madvise(copy, range.size(), MADV_HUGEPAGE);
    read("", begin, {copy, range.size()});
    if (huge_bytes_of(copy, range.size()) < range.size() / 2) return Pages::small;
    mprotect(copy, range.size(), PROT_READ);
    auto* const place = const_cast<uint8_t*>(bytes_ + begin);
    if (mremap(copy, range.size(), range.size(), MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
        // The file again, should what was in its place be gone already.
        (void)mmap(place, range.size(), PROT_READ, MAP_SHARED | MAP_FIXED, descriptor_,
                   static_cast<off_t>(begin));
        return Pages::small;
    }
    range.release();
    return Pages::copied;
}

void IndexMapping::drop(uint64_t begin, uint64_t end) const {
    (void)posix_fadvise(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(end - begin),
                        POSIX_FADV_DONTNEED);
}

uint64_t IndexMapping::huge_bytes() const { return huge_bytes_of(bytes_, size_); }

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
