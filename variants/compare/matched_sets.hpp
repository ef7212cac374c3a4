// SPDX-License-Identifier: MIT
// Provides the changes of truth and calls of a comparison, each with whether the other side has it.
#pragma once

#include "data/reference.hpp"
#include "variants/compare/atoms.hpp"
#include "variants/compare/compare.hpp"

namespace gannet::variants::compare {

struct MatchedSets {
    CallSet truth;
    CallSet calls;
};

/// What run() counts; Options::output and Options::reference are not used. Throws as run().
MatchedSets match_files(const Options& options, const data::Reference& reference);

}  // namespace gannet::variants::compare
