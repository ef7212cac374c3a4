// SPDX-License-Identifier: MIT
// Provides tests of mapping an index in huge pages.
#include "align/index/mapping.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace gannet::align {
namespace {

constexpr uint64_t k_file_bytes = 4 * IndexMapping::k_probe_bytes;

/// As `gannet index` and cp leave it: in the page cache in the pages in which it was written, and on the
/// disk.
void write_file(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_GE(descriptor, 0);
    std::vector<uint8_t> piece(4096);
    for (uint64_t at = 0; at < k_file_bytes; at += piece.size()) {
        for (size_t i = 0; i < piece.size(); ++i)
            piece[i] = static_cast<uint8_t>((at / piece.size()) * 31 + i);
        ASSERT_EQ(::write(descriptor, piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    }
    ASSERT_EQ(fsync(descriptor), 0);
    ::close(descriptor);
}

void drop_from_cache(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED), 0);
    ::close(descriptor);
}

uint64_t huge_bytes_after(const std::string& path, bool renews) {
    const IndexMapping mapping(path);
    if (renews) mapping.renew_small_pages();
    mapping.populate(0, mapping.size());
    return mapping.huge_bytes();
}

TEST(IndexMapping, a_file_that_was_just_written_is_in_as_many_huge_pages_as_one_that_is_not_in_memory) {
    const tests::TemporaryFolder folder;
    const std::string path = folder.path("index");
    write_file(path);
    drop_from_cache(path);
    const uint64_t wanted = huge_bytes_after(path, false);
    if (wanted < k_file_bytes / 2) GTEST_SKIP() << "this file system has no huge pages for mapped files";
    write_file(path);
    EXPECT_LT(huge_bytes_after(path, false), wanted / 2) << "then there is nothing to renew";
    EXPECT_GE(huge_bytes_after(path, true), wanted / 2);
}

TEST(IndexMapping, renewing_pages_leaves_the_contents) {
    const tests::TemporaryFolder folder;
    const std::string path = folder.path("index");
    write_file(path);
    const IndexMapping mapping(path);
    mapping.renew_small_pages();
    for (uint64_t at = 0; at < k_file_bytes; at += 1021)
        ASSERT_EQ(mapping.bytes()[at], static_cast<uint8_t>((at / 4096) * 31 + at % 4096)) << at;
}

TEST(IndexMapping, a_small_file_stays_in_memory) {
    const tests::TemporaryFolder folder;
    const std::string path = folder.path("index");
    std::ofstream(path) << "small";
    const IndexMapping mapping(path);
    mapping.renew_small_pages();
    EXPECT_EQ(mapping.bytes()[4], 'l');
    EXPECT_EQ(mapping.size(), 5u);
}

}  // namespace
}  // namespace gannet::align
