// SPDX-License-Identifier: MIT
// Provides reading of the numbers in headers of CRAM containers.
#include "data/bam/cram_containers.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::data::bam {
namespace {

constexpr size_t k_definition_bytes = 26;  ///< of the file, before the first container
constexpr size_t k_length_bytes = 4;       ///< of a container, its first number
constexpr size_t k_first_bytes = 512;      ///< enough for the header of a container with some slices
constexpr size_t k_max_slice_bytes = 5;    ///< of a landmark
constexpr uint64_t k_max_slices = 1 << 20;

/// The numbers of CRAM one after the other; zeros where there are no more bytes.
class CramBytes {
  public:
    CramBytes(std::span<const uint8_t> bytes, size_t at) : bytes_(bytes), at_(at) {}

    size_t position() const { return at_; }
    bool past_end() const { return at_ > bytes_.size(); }
    void skip(size_t bytes) { at_ += bytes; }
    /// ITF8: the ones that the first byte begins with say how many follow.
    uint32_t number() {
        const unsigned first = take();
        const int more = std::min(std::countl_one(static_cast<uint8_t>(first)), 4);
        uint32_t value = first & (more == 4 ? 0x0fu : 0xffu >> (more + 1));
        for (int i = 0; i < more; ++i) {
            const unsigned next = take();
            value = i == 3 ? value << 4 | (next & 0x0f) : value << 8 | next;
        }
        return value;
    }
    int64_t signed_number() { return static_cast<int32_t>(number()); }
    unsigned byte() { return take(); }
    /// LTF8: the same with up to eight more.
    void skip_long_number() { skip(static_cast<size_t>(std::countl_one(static_cast<uint8_t>(take())))); }

  private:
    unsigned take() {
        const size_t at = at_++;
        return at < bytes_.size() ? bytes_[at] : 0;
    }

    std::span<const uint8_t> bytes_;
    size_t at_;
};

/// Up to the number of slices.
CramContainer take_container(CramBytes& bytes, unsigned major) {
    CramContainer container;
    container.contig = bytes.signed_number();
    container.begin = bytes.signed_number();
    container.span = bytes.signed_number();
    container.records = bytes.signed_number();
    if (major >= 3)
        bytes.skip_long_number();  // record counter
    else
        (void)bytes.number();
    bytes.skip_long_number();  // bases
    (void)bytes.number();      // blocks
    return container;
}

}  // namespace

uint64_t cram_header_bytes(std::span<const uint8_t> head) {
    constexpr size_t k_major = 4;
    const unsigned major = head.size() > k_major ? head[k_major] : 0;
    CramBytes bytes(head, k_definition_bytes + k_length_bytes);
    take_container(bytes, major);
    for (uint64_t slices = bytes.number(); slices > 0 && !bytes.past_end(); --slices) (void)bytes.number();
    bytes.skip(major >= 3 ? 4 : 0);  // checksum
    bytes.skip(2);                   // of the block: compression, content
    (void)bytes.number();            // its identifier
    (void)bytes.number();            // its bytes as stored
    const uint64_t text = bytes.number();
    return bytes.past_end() ? 0 : text;
}

CramContainers::CramContainers(const std::string& path, const std::string& name)
    : name_(name), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || fstat(file_, &status) != 0) {
        const int cause = errno;
        if (file_ >= 0) close(file_);
        throw_cannot_open(name, cause);
    }
    file_bytes_ = status.st_size;
    const auto head = bytes_at(0, k_definition_bytes);
    if (head.size() == k_definition_bytes) major_ = head[4];
}

CramContainers::~CramContainers() { close(file_); }

std::span<const uint8_t> CramContainers::bytes_at(int64_t offset, size_t size) {
    buffer_.resize(size);
    size_t end = 0;
    while (end < size) {
        const ssize_t got =
            pread(file_, buffer_.data() + end, size - end, offset + static_cast<int64_t>(end));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_malformed(name_, std::string("cannot be read: ") + std::strerror(errno));
        if (got == 0) break;
        end += static_cast<size_t>(got);
    }
    return {buffer_.data(), end};
}

std::optional<CramContainer> CramContainers::read_header() {
    if (offset_ >= file_bytes_) return std::nullopt;
    const auto refuse = [&] {
        throw_malformed(
            name_, "has a damaged container at byte " + std::to_string(offset_) + "; copy or make it again");
    };
    std::span<const uint8_t> head = bytes_at(offset_, k_first_bytes);
    if (head.size() < k_length_bytes) refuse();
    uint32_t length = 0;
    std::memcpy(&length, head.data(), sizeof length);
    CramBytes bytes(head, k_length_bytes);
    CramContainer container = take_container(bytes, major_);
    const uint64_t slices = bytes.number();
    if (bytes.past_end() || slices > k_max_slices || container.records < 0) refuse();
    if (const size_t most = bytes.position() + (slices + 1) * k_max_slice_bytes; most > head.size()) {
        head = bytes_at(offset_, most);
        bytes = CramBytes(head, bytes.position());
    }
    for (uint64_t i = 0; i < slices; ++i) container.slices.push_back(bytes.signed_number());
    bytes.skip(major_ >= 3 ? 4 : 0);  // checksum
    if (bytes.past_end()) refuse();
    container.offset = offset_;
    container.body = offset_ + static_cast<int64_t>(bytes.position());
    container.end = offset_ + static_cast<int64_t>(bytes.position() + length);
    if (container.end > file_bytes_) refuse();
    offset_ = container.end;
    return container;
}

std::optional<CramContainer> CramContainers::next() {
    if (!known()) return std::nullopt;
    if (offset_ == 0) {
        offset_ = k_definition_bytes;
        (void)read_header();  // the container of the file's header
    }
    for (;;) {
        std::optional<CramContainer> container = read_header();
        if (!container || container->records > 0) return container;
    }
}

bool CramContainers::needs_reference(const CramContainer& container) {
    if (container.contig == CramContainer::k_no_contig) return true;
    constexpr unsigned k_raw = 0;
    // The compression header begins with a map of properties; RR says whether the reference is required.
    {
        CramBytes bytes(bytes_at(container.body, k_first_bytes), 0);
        if (bytes.byte() != k_raw) return true;
        bytes.skip(1);                                     // content
        for (int i = 0; i < 4; ++i) (void)bytes.number();  // identifier, sizes, bytes of the map
        for (uint32_t left = std::min(bytes.number(), 16u); left > 0; --left) {
            const unsigned first = bytes.byte(), second = bytes.byte();
            if (first == 'R' && second == 'R') {
                if (bytes.byte() == 0 && !bytes.past_end()) return false;
            } else if (first == 'S' && second == 'M') {
                bytes.skip(5);
            } else if (first == 'T' && second == 'D') {
                bytes.skip(bytes.number());
            } else {
                bytes.skip(1);
            }
        }
    }
    for (const int64_t slice : container.slices) {
        CramBytes bytes(bytes_at(container.body + slice, k_first_bytes), 0);
        if (bytes.byte() != k_raw) continue;
        bytes.skip(1);                                     // content
        for (int i = 0; i < 7; ++i) (void)bytes.number();  // identifier, sizes, contig, begin, span, records
        if (major_ >= 3)
            bytes.skip_long_number();  // record counter
        else
            (void)bytes.number();
        (void)bytes.number();  // blocks
        for (uint64_t blocks = bytes.number(); blocks > 0 && !bytes.past_end(); --blocks)
            (void)bytes.number();
        if (bytes.signed_number() >= 0 && !bytes.past_end()) return false;  // the block with the copy
    }
    return true;
}

}  // namespace gannet::data::bam
