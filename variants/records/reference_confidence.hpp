// SPDX-License-Identifier: MIT
// Provides how certain the pile-up of a window is of the reference's bases, position by position: what the
// reference blocks of a gVCF are made of.
#pragma once

#include "data/regions.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/evidence/evidence.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sample/gap_quality.hpp"
#include "variants/sequence/repeats.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gannet::variants {

/// Over the positions of a window; empty vectors stand for zeros everywhere (no reads).
struct ReferenceConfidence {
    int64_t begin = 0;
    int64_t end = 0;
    std::vector<uint16_t> depth;  ///< bases of at least the minimum quality, overlapping mates counted once
    /// PL of one copy, and of all copies, having the most probable other allele (another base, or an
    /// insertion or deletion whose record has this position), where PL of the reference is 0. 0 where the
    /// other allele is as probable. Of a haploid position only the second counts.
    std::vector<std::array<uint16_t, 2>> likelihoods;

    void clear(const data::Region& window);
    /// Of the same window: no position stays more certain than there; depths stay.
    void lower_to(const ReferenceConfidence& other);
    uint16_t depth_at(int64_t position) const {
        return depth.empty() ? uint16_t{0} : depth[static_cast<size_t>(position - begin)];
    }
    std::array<uint16_t, 2> likelihoods_at(int64_t position) const {
        return depth.empty() ? std::array<uint16_t, 2>{} : likelihoods[static_cast<size_t>(position - begin)];
    }
};

/// Computes the confidence of windows, one at a time; keeps its scratch memory. Three likelihoods are taken
/// together, the lowest PL of each genotype counting:
///  - another base: the model of pile_up() (genotype.hpp), with the base that fits best;
///  - an insertion or deletion: fragments that span the position and the repeat that begins there, each
///  against
///    the gap-open quality of the repeat (gap_qualities), and those that show one for it;
///  - soft clips within 3 bp: each as an alternate fragment of Phred 20.
/// A position whose reference base is not A, C, G or T has PL 0. Integers only. Cost: linear in the bases of
/// the reads.
class ReferenceConfidenceBuilder {
  public:
    /// `evidence` and `slice` are those of the window and reach at least 600 bp beyond it, where the contig
    /// does.
    void build(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
               const data::Region& window, int32_t minimum_base_quality, const GapQualityTable& gaps,
               ReferenceConfidence& out);

  private:
    /// A base that is not the reference's; `sign` -1 takes it away again.
    struct Mismatch {
        uint32_t offset = 0;
        data::Base base = 0;
        uint8_t quality = 0;
        int8_t sign = 1;
    };
    struct Odds {
        int64_t some = 0;  // log10 P(reads | reference) - log10 P(reads | one copy has the other allele)
        int64_t all = 0;   // ... all copies
        void lower_to(const Odds& other);
    };

    void start(const ReadSet& set, const ReferenceSlice& slice, const data::Region& window,
               int32_t minimum_base_quality);
    void match(uint32_t query, uint32_t length, int64_t reference);
    void add_matches(std::span<const uint8_t> qualities, uint8_t cap, uint64_t* matches);
    void drop_second_mates(const CallRead& read, const CallRead& mate);
    void drop(size_t offset, data::Base base, uint8_t quality);
    void project(const CallRead& read, int64_t from, int64_t to, std::vector<uint16_t>& out) const;
    void load_repeat_edges();
    void count_spanning(int64_t begin, int64_t end, int32_t sign);
    void find_gap_qualities(const GapQualityTable& gaps);
    void add_indels(const Evidence& evidence);
    void count_clips(const Evidence& evidence);
    Odds odds_of_bases(size_t offset, size_t& mismatch) const;
    Odds odds_of_gaps(size_t offset) const;

    const ReadSet* set_ = nullptr;
    const ReferenceSlice* slice_ = nullptr;
    const CallRead* read_ = nullptr;  // the current one
    int64_t begin_ = 0;
    int64_t end_ = 0;
    int32_t minimum_base_quality_ = 0;

    static constexpr uint8_t k_no_cap = 0xff;
    std::array<uint64_t, 256> odds_{};  // of a base that matches, by quality, for reads of the cap below
    uint8_t odds_cap_ = k_no_cap;
    std::vector<uint64_t> matches_;  // packed odds of the bases that match
    std::vector<int32_t> covering_;  // aligned bases of reads
    std::vector<int32_t> depth_;     // what is taken off it: bases of low quality, N, second mates
    std::vector<Mismatch> mismatches_;
    std::vector<int32_t> spanning_;  // fragments that show the length of what follows
    std::vector<RepeatEdge> edges_;  // ascending
    int64_t longest_reach_ = 0;      // of any edge
    std::vector<uint8_t> gap_qualities_;
    std::vector<Odds> indels_;  // by offset; only where has_indel_
    std::vector<uint8_t> has_indel_;
    std::vector<int64_t> clips_;
    std::vector<uint16_t> projected_[2];
};

}  // namespace gannet::variants
