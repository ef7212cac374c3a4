// SPDX-License-Identifier: MIT
// Provides the HighDepth filter: more copies than the reference has, amid alleles that only some of them
// have.
#pragma once

#include "data/variant.hpp"
#include "variants/alleles/copy_number.hpp"
#include "variants/alleles/tandem_copies.hpp"
#include "variants/evidence/evidence.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gannet::variants {

/// The depth of the sample in a window.
struct WindowDepth {
    /// As for CopyNumber; empty where the sample's is not known, so that the window's usual depth serves
    /// instead; unless that is uneven, as of captured reads, and says nothing.
    std::span<const int64_t> diploid = {};
    bool is_uneven = false;
    int32_t deviation_percent = 0;
};

/// Detects sequence that the sample has in more copies than the reference: reads of a diverged copy align to
/// the copy that the reference has, which shows as more depth (CopyNumber) and as alleles that only a part of
/// the reads has. Depends on the window's reads and on the depth of the sample as a whole.
///
/// Where a long stretch has one copy more, it may be the sample's own (a duplication, an arm of a
/// chromosome). Then alleles are on one copy or on all but one alike; a diverged copy adds alleles of its own
/// alone, which make alleles denser than beside it. How many are on one and on two copies and the density
/// decide, and the sample's own copies are no extra ones. Where pairs over the junction of a tandem copy show
/// it, and the depth is higher there and not beside it, it may be short, and there may be two copies more
/// (one of each haplotype): then the alleles only must not speak against it, by their counts and by being
/// denser than beside it.
class ExtraCopyFilter {
  public:
    /// The filter with its thresholds, for the header of a VCF.
    static std::string description();
    /// An allele that `support` of `depth` reads have: too few for one that all copies have.
    static bool is_partial(int64_t support, int64_t depth);
    /// `tandem`: those of the window's reads.
    void load(const Evidence& evidence, std::span<const Candidate> candidates, const WindowDepth& depth = {},
              int32_t usual_copies = 2, std::span<const TandemCopy> tandem = {});
    /// The same window after reads of extra copies were taken out. What load() found out of the number of
    /// copies stays; but where most reads of the extra copies are gone, the filter no longer applies.
    void load_remaining(const Evidence& evidence, std::span<const Candidate> candidates);
    /// Whether heterozygous variants fail, and how many copies are the sample's own.
    PlaceCopies at(int64_t position) const;
    int64_t usual_depth() const { return usual_depth_; }
    /// Summed depth over the bases within `reach` of the position, and how many they are.
    std::pair<int64_t, int64_t> depth_within(int64_t position, int64_t reach) const;
    /// Alleles within `reach` that only a part of the reads has.
    int64_t partial_alleles_within(int64_t position, int64_t reach) const;

    /// Of the reads that are left.
    const CopyNumber& copy_number() const { return copies_left_; }
    std::span<const AlleleFraction> partial_fractions() const { return fractions_; }

  private:
    void count(const Evidence& evidence, std::span<const Candidate> candidates);
    void sum_depths(std::span<const int32_t> depths);
    void find_usual_depth();
    void choose_expected_depth(std::span<const int64_t> diploid_depth, int32_t usual_copies, bool is_uneven);
    /// A stretch that the sample itself has more often than usual.
    struct Gain {
        int64_t begin = 0, end = 0;
        int32_t copies = 0;
    };

    void find_gains(std::span<const Candidate> candidates, std::span<const TandemCopy> tandem);
    std::optional<Gain> tandem_gain(std::span<const Candidate> candidates, const TandemCopy& tandem) const;
    int32_t copies_by_depth(int64_t begin, int64_t end) const;
    int64_t density_odds(const Gain& gain) const;
    bool is_one_more(int64_t begin, int64_t end) const;
    int64_t own_odds(std::span<const Candidate> candidates, const Gain& gain) const;
    bool is_dense(int64_t begin, int64_t end) const;
    bool is_resolved(int64_t position, int32_t copies) const;

    const Evidence* evidence_ = nullptr;
    std::vector<Gain> gains_;
    std::vector<int64_t> depth_sums_;       // prefix sums over the evidence's range
    std::vector<int64_t> partial_alleles_;  // positions of alleles that some reads have and some have not
    std::vector<AlleleFraction> fractions_;
    std::vector<int64_t> diploid_depth_;
    bool depth_is_of_sample_ = false;
    int32_t deviation_percent_ = 0;
    int32_t usual_copies_ = 2;
    CopyNumber copies_;                    // of all reads
    CopyNumber copies_left_;               // of the reads that are left
    bool is_some_taken_ = false;           // of the reads
    std::vector<int64_t> all_depth_sums_;  // before that; only where some were
    std::vector<int64_t> all_partial_alleles_;
    std::vector<uint32_t> positions_of_depth_;
    int64_t usual_depth_ = 0;
};

}  // namespace gannet::variants
