// SPDX-License-Identifier: MIT
// Provides the decision between candidates that are equally good: as if drawn, but by the name of their
// template, so that it is the same in every run.
#pragma once

#include "align/packed.hpp"
#include "align/work_state.hpp"

#include <cstdint>
#include <string_view>

namespace gannet::align {

/// Of a template. Its name is hashed when it is first needed, which few templates do. Not thread-safe.
class TieBreak {
  public:
    explicit TieBreak(std::string_view name) : name_(name) {}

    bool prefers(const Candidate& a, const Candidate& b) const {
        return hash(a, of_name()) > hash(b, of_name());
    }
    /// Does it prefer the pair of `a` and `b` to that of `other_a` and `other_b`?
    bool prefers(const Candidate& a, const Candidate& b, const Candidate& other_a,
                 const Candidate& other_b) const {
        return hash(a, hash(b, of_name())) > hash(other_a, hash(other_b, of_name()));
    }

  private:
    static uint64_t hash(const Candidate& candidate, uint64_t salt) {
        return mix64(salt ^ mix64(static_cast<uint64_t>(2 * candidate.diagonal + candidate.strand)));
    }
    uint64_t of_name() const {
        if (!is_known_) {
            for (const char letter : name_) of_name_ = mix64(of_name_ ^ static_cast<uint8_t>(letter));
            is_known_ = true;
        }
        return of_name_;
    }

    std::string_view name_;
    mutable uint64_t of_name_ = 0x9e3779b97f4a7c15;
    mutable bool is_known_ = false;
};

}  // namespace gannet::align
