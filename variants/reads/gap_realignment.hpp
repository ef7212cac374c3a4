// SPDX-License-Identifier: MIT
// Provides the realignment of reads that one insertion or deletion explains better than their mismatches and
// clipped bases do.
#pragma once

#include "variants/model/reads.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sequence/allele.hpp"
#include "variants/sequence/gapped_haplotype.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gannet::variants {

/// An aligner opens a gap only if the bases beyond it pay for it. A read that ends a few bases beyond a
/// tandem repeat or a long insertion is therefore clipped, or aligned with mismatches, and a repeat that few
/// reads span shows its alleles in one or two of thirty reads. Each read with such signs is compared here
/// with its alignments with one gap: one end stays where it is, the other one is moved. Costs are Phred: the
/// base qualities of mismatches, those in clipped bases included, and a price of the gap, which is lower
/// where it adds or removes copies of the sequence beside it. A mismatch that other reads share which no gap
/// explains better is a variant, and no sign of a gap: beyond a repeat that ends in a variant, a read that
/// ends there fits a copy more or less as well. Of reads that begin behind the gap too few have a mismatch
/// that is of it, so they are also looked at alone. Where few reads decide, their likelihoods do: a read with
/// such mismatches that does not fit the haplotype with the gap speaks for variants, each of which is as
/// rare as one in a thousand bases.
class GapRealigner {
  public:
    /// Replaces the alignments of those reads and sorts the reads by begin again. The result for a read
    /// depends on the reads and the reference around it only. Linear in the bases of the reads; for the reads
    /// with signs of a gap, times the lengths of gaps that fit their last bases, and for those that a gap
    /// explains, times their mismatches and the bases of at most 128 reads.
    void realign(const ReferenceSlice& slice, ReadSet& set);

  private:
    /// Bases [0, split) on one diagonal and the rest on another one. A diagonal is the reference position
    /// that the first base of the read has, or would have, on it. An insertion's bases follow the split.
    struct OneGap {
        int64_t left = 0;
        int64_t right = 0;
        int64_t split = 0;
        int32_t cost = 0;
        bool stays_left = true;  ///< the end that was not moved
        int32_t price = 0;       ///< of the gap, a part of the cost
        int64_t inserted() const { return left > right ? left - right : 0; }
        /// As GappedHaplotype::border.
        int64_t border() const { return stays_left ? left + split : right + split + inserted(); }
    };
    struct Found {
        uint32_t read = 0;
        int32_t gain = 0;  ///< Phred, of the gap over the alignment that the read has
        OneGap gap;
    };
    static constexpr size_t k_probe_bases = reads_number("realign_probe_bases");
    /// Good bases at the end of a read that is moved: a diagonal is tried only if it fits them.
    struct Probe {
        std::array<int64_t, k_probe_bases> offsets{};
        bool is_full = false;
    };

    bool load(const ReferenceSlice& slice, const ReadSet& set, const CallRead& read);
    int32_t mismatch(int64_t offset, int64_t diagonal) const {
        return bases_[offset] == slice_->at(diagonal + offset) || bases_[offset] > 3 ? 0 : qualities_[offset];
    }
    Probe probe_of(bool at_end) const;
    void find_fitting(const Probe& probe, int64_t stays, bool stays_left);
    void move_right_end();
    void move_left_end();
    int32_t price_of(const OneGap& gap, bool is_tandem) const;
    void take_best_split(OneGap gap, int64_t first, int64_t last);
    /// Of a read, in the part that a gap moves.
    struct Mismatch {
        int64_t position = 0;
        data::Base base = 0;
        uint8_t quality = 0;
    };
    int32_t shared_mismatches(const ReadSet& set, const Found& found);
    bool is_refuted(const ReadSet& set, const Found& found) const;
    int32_t against_gap(const ReadSet& set, const CallRead& read, const GappedHaplotype& with_gap) const;
    bool is_shared(const ReadSet& set, int64_t position, data::Base base, int64_t from, int64_t to) const;
    void replace(ReadSet& set, CallRead& read) const;

    const ReferenceSlice* slice_ = nullptr;
    // The current read.
    const data::Base* bases_ = nullptr;
    const uint8_t* qualities_ = nullptr;
    int64_t length_ = 0;
    int64_t left_clip_ = 0;
    int64_t right_clip_ = 0;
    int64_t left_diagonal_ = 0;   // of the first aligned base
    int64_t right_diagonal_ = 0;  // of the last one
    int32_t cost_ = 0;            // of its alignment
    int32_t limit_ = 0;           // a better alignment costs less
    bool found_ = false;
    OneGap best_;
    std::vector<int64_t> diagonals_;  // that fit the probe, in the order in which they are tried
    std::vector<data::Base> probed_;  // the reference that the probe is compared with
    std::vector<int32_t> prefix_;     // [i]: cost of the bases before i
    std::vector<int32_t> suffix_;     // [i]: cost of the bases from i on
    std::vector<Found> all_found_;    // of the set, by read
    std::vector<uint8_t> has_found_;  // by read
    std::vector<Mismatch> moved_;     // of the read that is looked at
};

}  // namespace gannet::variants
