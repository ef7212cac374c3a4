// SPDX-License-Identifier: MIT
// Provides the differences of each read from the reference, found when they are first asked for.
#pragma once

#include "ml/example.hpp"
#include "variants/evidence.hpp"
#include "variants/read_set.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Of the reads of one window; events know the window's candidate that they are. Memory is kept by clear().
class ReadProfiles {
  public:
    void clear(size_t reads);
    /// Makes sure that the read's events are known; linear in its bases the first time.
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
};

/// The candidate that changes the same bases in the same way; -1 when there is none.
int32_t find_candidate(std::span<const Candidate> candidates, const std::vector<data::Base>& candidate_arena,
                       const Allele& allele, const std::vector<data::Base>& arena);

}  // namespace gannet::variants
