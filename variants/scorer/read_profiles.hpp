// SPDX-License-Identifier: MIT
// Provides the differences of each read from the reference, computed on first use.
#pragma once

#include "ml/example.hpp"
#include "variants/evidence/evidence.hpp"
#include "variants/reads/read_set.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Differences of the reads of one window, each with the candidate that it is. clear() keeps the memory.
class ReadProfiles {
  public:
    void clear(size_t reads);
    /// Another read of the same fragment in the window, wherever it is; -1: none.
    int32_t mate_of(const ReadSet& set, uint32_t read);
    /// Computes the read's events unless that was done; linear in its bases.
    void prepare(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                 std::span<const Candidate> candidates, int32_t minimum_base_quality, uint32_t read);
    /// By position; valid until the next prepare().
    std::span<const ml::ReadEvent> events(uint32_t read) const {
        return {events_.data() + entries_[read].first, entries_[read].count};
    }

  private:
    struct Entry {
        uint32_t first = 0;
        uint32_t count = 0;
        bool known = false;
    };
    std::vector<Entry> entries_;
    std::vector<ml::ReadEvent> events_;
    std::vector<data::Base> arena_;
    // All reads, in lists by the low bits of the hash of their names: the first of each list, and of each
    // read the next one in the order of the reads; -1: none. Made at first use.
    std::vector<int32_t> first_;
    std::vector<int32_t> next_;
};

/// The candidate that is the same allele; -1 if there is none.
int32_t find_candidate(std::span<const Candidate> candidates, const std::vector<data::Base>& candidate_arena,
                       const Allele& allele, const std::vector<data::Base>& arena);

}  // namespace gannet::variants
