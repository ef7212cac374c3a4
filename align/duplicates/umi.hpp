// SPDX-License-Identifier: MIT
// Provides unique molecular identifiers (UMIs): their packed form, and which of them are one molecule's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gannet::align::duplicates {

inline constexpr size_t k_max_umi_bp = 21;

/// The bases of a UMI in three bits each, A, C, G, T and N, behind a bit that marks their number. A hyphen
/// between the UMIs of two mates is passed over. Empty where there is no base, another letter, or more than
/// k_max_umi_bp.
std::optional<uint64_t> pack_umi(std::string_view text);

/// `umis`: those of the templates of one position, each as often as it was seen. Replaces each by the one
/// that stands for its molecule: directional adjacency (Smith, Heger and Sudbery 2017, UMI-tools). A UMI that
/// differs by one base from another, seen at least twice as often less one, is an error of that, and so on
/// from there; of equally frequent ones the smaller packed form goes first. Cost: sorting, and a search for
/// each of the other bases of each UMI.
void join_umis(std::span<uint64_t> umis);

}  // namespace gannet::align::duplicates
