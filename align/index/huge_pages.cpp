// SPDX-License-Identifier: MIT
// Provides the move of an index to huge pages.
#include "align/index/huge_pages.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

namespace gannet::align {
namespace {

constexpr int k_max_in_vain = 4;

}  // namespace

HugePages::HugePages(std::shared_ptr<const IndexMapping> mapping, std::function<void(uint64_t)> done)
    : mapping_(std::move(mapping)), done_(std::move(done)) {
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) { move(stop); });
    } catch (const std::system_error&) {
    }
}

void HugePages::wait() {
    if (thread_.joinable()) thread_.join();
}

void HugePages::move(const std::stop_token& stop) const {
    constexpr uint64_t k_huge = IndexMapping::k_huge_page_bytes;
    const uint64_t end = mapping_->size() / k_huge * k_huge;
    uint64_t copied = 0;
    std::optional<bool> file_has_huge;
    int in_vain = 0;  // pieces in a row
    try {
        for (uint64_t at = 0; at < end && in_vain < k_max_in_vain; at += k_piece_bytes) {
            if (stop.stop_requested()) return;
            const uint64_t piece_end = std::min(at + k_piece_bytes, end);
            const IndexMapping::Pages pages = mapping_->make_huge(at, piece_end);
            in_vain = pages == IndexMapping::Pages::small ? in_vain + 1 : 0;
            if (pages != IndexMapping::Pages::copied) continue;
            copied += piece_end - at;
            // Once read again they are huge for the next run, if the file system has such pages at all; where
            // it has not, the next run reads them from memory as they are.
            if (file_has_huge.value_or(true)) mapping_->drop(at, piece_end);
            if (!file_has_huge) file_has_huge = mapping_->is_huge(at, piece_end);
        }
    } catch (const std::exception&) {
        // A fault of the disk or of memory: who needs the bytes will meet it.
    }
    if (done_) done_(copied);
}

}  // namespace gannet::align
