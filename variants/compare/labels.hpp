// SPDX-License-Identifier: MIT
// Provides labels for candidate alleles: how many copies of each a truth set has.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/sequence.hpp"
#include "variants/compare/atoms.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gannet::variants::compare {

/// Takes candidates in genome order and labels each, in the same order, once no later candidate can change
/// its label. Candidates and variants of the truth within k_label_reach_bp of one another are labelled
/// together:
///   - a candidate that equals a variant of the truth after normalisation has the copies of the truth;
///   - if a variant of the truth is not a candidate, called genotypes and truth are matched as haplotypes
///     (matcher.hpp), and a called candidate that matches has the copies that were called;
///   - other candidates are unknown near a variant of the truth that is still unmatched, and have 0 copies
///     elsewhere.
/// Labels do not depend on how candidates are batched. Without a truth all are unknown.
inline constexpr int64_t k_label_reach_bp = 30;
inline constexpr uint8_t k_unknown_copies = 255;

class Labeller {
  public:
    /// `take(ordinal, label)`: ordinals count the candidates from 0.
    using Take = std::function<void(uint64_t ordinal, uint8_t label)>;
    /// `truth` empty: none. Throws what data::vcf::Reader throws.
    Labeller(const data::Reference& reference, const std::string& truth, Take take);
    /// A left-aligned change; `called`: copies that the caller gives it.
    void add(uint32_t contig, int64_t begin, int64_t reference_length, std::span<const data::Base> bases,
             uint8_t called);
    void finish();
    /// After finish(): SNVs and indels of the truth in the targets (empty: everywhere) that no candidate
    /// stands for, as they are or in another form.
    struct Missing {
        uint64_t snp = 0;
        uint64_t indel = 0;
    };
    Missing without_candidate(const data::RegionSet& targets) const;

  private:
    struct Candidate {
        Atom atom;
        uint8_t called = 0;
        uint8_t label = k_unknown_copies;
    };
    void close();
    void find_truth();
    bool label_equal();
    void label_by_haplotypes();

    const data::Reference& reference_;
    Take take_;
    bool has_truth_;
    CallSet truth_;
    int64_t longest_ = 0;  // reach of any atom of the truth, written or normalised
    std::vector<Candidate> cluster_;
    std::vector<Atom> near_;          // atoms of the truth near the cluster
    std::vector<size_t> near_index_;  // of each: its place in the truth
    std::vector<bool> explained_;
    int64_t cluster_end_ = 0;
    uint64_t given_ = 0;
};

}  // namespace gannet::variants::compare
