// SPDX-License-Identifier: MIT
// Provides a reference and reads that are placed on it one by one, as an aligner would have placed them.
#pragma once

#include "tests/unit/variants/caller_support.hpp"
#include "variants/reads/read_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace gannet::variants::testing {

class PlacedReads : public ::testing::Test {
  protected:
    /// 400 random bases on either side of `middle`.
    void make(const std::string& middle) {
        std::mt19937_64 random(7);
        letters_ = random_letters(random, 400) + middle + random_letters(random, 400);
        reference_ = make_reference(letters_);
        slice_.load(*reference_, 0, 0, static_cast<int64_t>(letters_.size()));
    }

    /// Reads are added in the order of their positions.
    void add(const std::string& bases, int64_t begin, std::vector<uint32_t> cigar, uint8_t quality = 37,
             bool reverse = false) {
        CallRead read;
        read.begin = read.end = begin;
        read.bases = static_cast<uint32_t>(set_.bases.size());
        read.length = static_cast<uint32_t>(bases.size());
        read.cigar = static_cast<uint32_t>(set_.cigars.size());
        read.cigar_count = static_cast<uint32_t>(cigar.size());
        read.reverse = reverse;
        for (const uint32_t element : cigar) {
            if (data::cigar_consumes_reference(data::cigar_op(element)))
                read.end += data::cigar_length(element);
            set_.cigars.push_back(element);
        }
        for (const char base : bases) {
            set_.bases.push_back(data::k_base_of_letter[static_cast<uint8_t>(base)]);
            set_.qualities.push_back(quality);
        }
        set_.longest_span = std::max(set_.longest_span, read.end - read.begin);
        set_.reads.push_back(read);
    }

    static constexpr uint32_t match(uint32_t length) {
        return data::cigar_element(length, data::k_cigar_match);
    }
    static constexpr uint32_t clip(uint32_t length) {
        return data::cigar_element(length, data::k_cigar_soft_clip);
    }

    std::string letters_;
    std::shared_ptr<const data::Reference> reference_;
    ReferenceSlice slice_;
    ReadSet set_;
};

}  // namespace gannet::variants::testing
