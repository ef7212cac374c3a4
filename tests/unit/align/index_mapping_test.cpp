// SPDX-License-Identifier: MIT
// Provides tests of mapping an index in huge pages.
#include "align/index/huge_pages.hpp"
#include "align/index/mapping.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace gannet::align {
namespace {

// Not a whole number of huge pages.
constexpr uint64_t k_file_bytes = 4 * HugePages::k_piece_bytes + 12'345;

uint8_t byte_at(uint64_t at) { return static_cast<uint8_t>((at / 4096) * 31 + at % 4096); }

/// As `gannet index` and cp leave it: in the page cache in the pages in which it was written, and on the
/// disk.
void write_file(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_GE(descriptor, 0);
    std::vector<uint8_t> piece(4096);
    for (uint64_t at = 0; at < k_file_bytes; at += piece.size()) {
        piece.resize(std::min<uint64_t>(piece.size(), k_file_bytes - at));
        for (size_t i = 0; i < piece.size(); ++i) piece[i] = byte_at(at + i);
        ASSERT_EQ(::write(descriptor, piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    }
    ASSERT_EQ(fsync(descriptor), 0);
    ::close(descriptor);
}

void drop_from_cache(const std::string& path, uint64_t begin, uint64_t size) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(
        posix_fadvise(descriptor, static_cast<off_t>(begin), static_cast<off_t>(size), POSIX_FADV_DONTNEED),
        0);
    ::close(descriptor);
}

/// Bytes in huge pages once all of it was read.
uint64_t huge_bytes_of(const IndexMapping& mapping) {
    mapping.populate(0, mapping.size());
    return mapping.huge_bytes();
}

uint64_t moved(const std::shared_ptr<const IndexMapping>& mapping) {
    uint64_t copied = 0;
    HugePages pages(mapping, [&copied](uint64_t bytes) { copied = bytes; });
    pages.wait();
    return copied;
}

/// Whether this machine gives huge pages at all to who asks for them.
bool has_huge_pages() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string line;
    std::getline(file, line);
    return !line.empty() && line.find("[never]") == std::string::npos;
}

class IndexPages : public testing::Test {
  protected:
    void SetUp() override {
        if (!has_huge_pages()) GTEST_SKIP() << "this machine gives no huge pages (transparent_hugepage)";
        write_file(path_);
    }
    void expect_contents(const IndexMapping& mapping) const {
        for (uint64_t at = 0; at < k_file_bytes; at += 1021)
            ASSERT_EQ(mapping.bytes()[at], byte_at(at)) << at;
        ASSERT_EQ(mapping.bytes()[k_file_bytes - 1], byte_at(k_file_bytes - 1));
    }

    static constexpr uint64_t k_most = k_file_bytes / 10 * 9;
    const tests::TemporaryFolder folder_;
    const std::string path_ = folder_.path("index");
};

TEST_F(IndexPages, of_a_file_that_was_just_written_are_huge_after_the_move) {
    const auto mapping = std::make_shared<const IndexMapping>(path_);
    ASSERT_LT(huge_bytes_of(*mapping), k_file_bytes / 2) << "then there is nothing to move";
    EXPECT_GE(moved(mapping), k_most);
    EXPECT_GE(mapping->huge_bytes(), k_most);
    expect_contents(*mapping);
}

TEST_F(IndexPages, that_are_huge_already_stay_with_the_file) {
    const uint64_t half = 2 * HugePages::k_piece_bytes;
    drop_from_cache(path_, half, k_file_bytes - half);
    const auto mapping = std::make_shared<const IndexMapping>(path_);
    if (huge_bytes_of(*mapping) < half / 10 * 9)
        GTEST_SKIP() << "this file system has no huge pages for mapped files, or memory is in pieces";
    const uint64_t copied = moved(mapping);
    EXPECT_GE(copied, half / 10 * 9);
    EXPECT_LE(copied, half / 10 * 11);
    EXPECT_GE(mapping->huge_bytes(), k_most);
    expect_contents(*mapping);
}

TEST_F(IndexPages, are_huge_in_the_file_for_the_next_run) {
    drop_from_cache(path_, 0, k_file_bytes);
    if (huge_bytes_of(IndexMapping(path_)) < k_most)
        GTEST_SKIP() << "this file system has no huge pages for mapped files";
    write_file(path_);
    moved(std::make_shared<const IndexMapping>(path_));
    EXPECT_GE(huge_bytes_of(IndexMapping(path_)), k_file_bytes / 2);  // the rest where memory is in pieces
}

TEST_F(IndexPages, can_be_read_while_they_are_moved) {
    const auto mapping = std::make_shared<const IndexMapping>(path_);
    std::atomic<bool> ends = false;
    uint64_t wrong = 0;
    uint64_t rounds = 0;
    std::thread reader([&] {
        for (; !ends || rounds < 2; ++rounds) {
            for (uint64_t at = rounds % 4093; at < k_file_bytes; at += 4093)
                wrong += mapping->bytes()[at] != byte_at(at) ? 1 : 0;
        }
    });
    moved(mapping);
    ends = true;
    reader.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_GE(rounds, 2u);
}

TEST_F(IndexPages, stay_readable_where_the_move_is_stopped) {
    const auto mapping = std::make_shared<const IndexMapping>(path_);
    bool was_done = false;
    {
        const HugePages pages(mapping, [&was_done](uint64_t) { was_done = true; });
    }
    EXPECT_FALSE(was_done && mapping->huge_bytes() < k_most);
    expect_contents(*mapping);
}

TEST(IndexMapping, of_a_small_file_is_left_as_it_is) {
    const tests::TemporaryFolder folder;
    const std::string path = folder.path("index");
    std::ofstream(path) << "small";
    const auto mapping = std::make_shared<const IndexMapping>(path);
    EXPECT_EQ(moved(mapping), 0u);
    EXPECT_EQ(mapping->bytes()[4], 'l');
    EXPECT_EQ(mapping->size(), 5u);
}

}  // namespace
}  // namespace gannet::align
