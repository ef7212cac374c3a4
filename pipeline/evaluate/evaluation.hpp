// SPDX-License-Identifier: MIT
// Provides the counts that a model is judged by: calls with and without the network, right and wrong, by
// kind, depth and context, and by QUAL.
#pragma once

#include "ml/decision.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::evaluate {

inline constexpr std::array<std::string_view, 2> k_kind_names = {"SNP", "indel"};
/// Depth at a site, fragments: the first class ends before [1], and so on.
inline constexpr std::array<int32_t, 4> k_depth_begin = {0, 12, 22, 40};
inline constexpr std::array<std::string_view, 4> k_depth_names = {"0-11", "12-21", "22-39", "40 and more"};
inline constexpr std::array<std::string_view, 2> k_side_names = {"off",
                                                                 "on"};  ///< without and with the network

/// What the variants of a group have in common; without depth and context: all of a kind.
struct Group {
    bool is_indel = false;
    std::optional<size_t> depth;  ///< of k_depth_names
    std::optional<ml::Context> context;
    std::string name() const;                             ///< "SNP", "SNP, depth 12-21", "indel, repeat"
    bool is_stratum() const { return depth && context; }  ///< as a model's manifest may name it
};

/// One variant of the truth, or one call that passes.
struct Change {
    bool is_indel = false;
    int32_t depth = -1;  ///< -1: not known; it counts in no class of depth
    ml::Context context = ml::Context::unique;
};
struct Call : Change {
    int32_t quality_centi = 0;
    bool is_right = false;    ///< with its genotype
    bool is_present = false;  ///< the truth has the allele, in whatever genotype: what QUAL speaks of
};

struct Tally {
    uint64_t right = 0;
    uint64_t wrong = 0;
    uint64_t missed = 0;  ///< variants of the truth
    uint64_t errors() const { return wrong + missed; }
};

/// Calls of a range of QUAL.
struct QualityBin {
    int32_t begin_centi = 0;
    uint64_t calls = 0;
    uint64_t absent = 0;
    double stated_sum = 0;  ///< of the error probabilities that QUAL states
};
inline constexpr std::array<int32_t, 8> k_quality_begin_centi = {1000, 1300, 1700, 2000,
                                                                 2500, 3000, 3500, 4000};

/// Calls of at least this QUAL.
struct CurvePoint {
    int32_t quality_centi = 0;
    uint64_t right = 0;
    uint64_t wrong = 0;
};

class Evaluation {
  public:
    Evaluation();
    /// `side`: of k_side_names.
    void add_call(size_t side, const Call& call);
    void add_missed(size_t side, const Change& change, uint64_t count = 1);
    /// Variants that no candidate stands for: they count in the group of their kind only.
    void add_without_candidate(bool is_indel, uint64_t count);

    /// Of each kind: all, by depth, by context; then all strata.
    const std::vector<Group>& groups() const { return groups_; }
    const Tally& tally(size_t side, size_t group) const { return tallies_[side][group]; }
    uint64_t without_candidate(bool is_indel) const { return without_candidate_[is_indel ? 1 : 0]; }
    std::vector<QualityBin> calibration(size_t side, bool is_indel) const;
    /// By falling QUAL, one point for each that occurs, whole Phred.
    std::vector<CurvePoint> curve(size_t side, size_t group) const;

  private:
    bool is_of(const Group& group, const Change& change) const;

    std::vector<Group> groups_;
    std::array<std::vector<Tally>, 2> tallies_;
    std::array<std::vector<Call>, 2> calls_;
    std::array<uint64_t, 2> without_candidate_{};
};

/// What was evaluated, for the outputs.
struct EvaluationFacts {
    std::string command;
    std::string program;
    std::string source;  ///< "examples" or "VCF"
    std::string model;   ///< version and sha256; empty where only VCFs were given
};

std::string to_table(const Evaluation& evaluation);
std::string to_json(const Evaluation& evaluation, const EvaluationFacts& facts);
/// Self-contained pictures: stated against observed errors by QUAL, and right against wrong calls by group.
std::string calibration_svg(const Evaluation& evaluation);
std::string curves_svg(const Evaluation& evaluation);

}  // namespace gannet::pipeline::evaluate
