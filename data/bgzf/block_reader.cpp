// SPDX-License-Identifier: MIT
// Provides reading of BGZF block headers and trailers.
#include "data/bgzf/block_reader.hpp"

#include "data/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::data::bgzf {
namespace {

constexpr uint32_t k_header_bytes =
    18;  // with the BC field first among the extra ones, as all writers put it
constexpr uint32_t k_trailer_bytes = 8;

}  // namespace

BlockReader::BlockReader(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status = {};
    if (file_ < 0 || fstat(file_, &status) != 0) {
        const int cause = errno;
        if (file_ >= 0) close(file_);
        throw_cannot_open(path, cause);
    }
    file_bytes_ = static_cast<uint64_t>(status.st_size);
}

BlockReader::~BlockReader() { close(file_); }

std::optional<BlockReader::Block> BlockReader::at(uint64_t offset) const {
    uint8_t head[k_header_bytes];
    if (pread(file_, head, sizeof head, static_cast<off_t>(offset)) != sizeof head) return std::nullopt;
    constexpr uint8_t k_magic[] = {0x1f, 0x8b, 8, 4};
    constexpr uint8_t k_field[] = {'B', 'C', 2, 0};
    if (std::memcmp(head, k_magic, sizeof k_magic) != 0 ||
        std::memcmp(head + 12, k_field, sizeof k_field) != 0)
        return std::nullopt;
    Block block;
    block.size_bytes = (uint32_t{head[16]} | uint32_t{head[17]} << 8) + 1;
    if (block.size_bytes < k_header_bytes + k_trailer_bytes) return std::nullopt;
    uint8_t tail[4];
    const uint64_t at = offset + block.size_bytes - sizeof tail;
    if (pread(file_, tail, sizeof tail, static_cast<off_t>(at)) != sizeof tail) return std::nullopt;
    std::memcpy(&block.data_bytes, tail, sizeof tail);
    return block;
}

}  // namespace gannet::data::bgzf
