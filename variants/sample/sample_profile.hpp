// SPDX-License-Identifier: MIT
// Provides the profile of a sample: counts over a fixed choice of windows of the genome, from which its
// contamination, the truth of its base qualities and the stability of its repeats are estimated before
// anything is called.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "variants/model/sample.hpp"
#include "variants/sample/base_changes.hpp"
#include "variants/sample/base_damage.hpp"
#include "variants/sample/depth_bins.hpp"
#include "variants/sample/expected_depth.hpp"
#include "variants/sample/mapping_scale.hpp"
#include "variants/sample/ploidy.hpp"
#include "variants/sample/primers.hpp"
#include "variants/sample/repeat_stutter.hpp"
#include "variants/sample/systematic_errors.hpp"
#include "variants/sample/unseen_variants.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gannet::variants {

inline constexpr int64_t k_profile_window_bp = sample_number("profile_window_bp");
/// Windows are chosen until they have so many known bases together; smaller genomes are used completely.
inline constexpr int64_t k_profile_bp = sample_number("profile_bp");
/// And then until they have so many bases of reads, 24x of k_profile_bp: of a shallower sample it takes more
/// of the genome, at most k_max_profile_bp, to see as many errors.
inline constexpr int64_t k_profile_bases = sample_number("profile_depth") * k_profile_bp;
inline constexpr int64_t k_max_profile_bp = sample_number("profile_max_bp");

/// The windows that a sample is profiled in: of the grid of k_profile_window_bp on all diploid contigs, those
/// with the smallest hash of contig name and number first. They depend on the reference and the ploidy alone.
class ProfileWindows {
  public:
    /// `reference` must outlive this.
    ProfileWindows(const data::Reference& reference, const PloidyMap& ploidy);
    /// The next windows, by contig and position, that have `known_bp` known bases together, or all that are
    /// left. Windows without known bases are passed over. Empty: all have been taken.
    std::vector<data::Region> take(int64_t known_bp);
    /// Of each contig that is large enough to be a chromosome, the next windows until eight of it have been
    /// taken, or all.
    std::vector<data::Region> take_of_contigs();

  private:
    const data::Reference& reference_;
    std::vector<data::Region> ranked_;
    size_t next_ = 0;
};

/// Counts of any set of windows; sums, so that the order in which windows are added does not matter.
struct SampleProfile {
    static constexpr size_t k_min_depth = sample_number("contamination_min_depth");
    static constexpr size_t k_max_depth = sample_number("contamination_max_depth");
    static constexpr size_t k_reference_part = sample_number("contamination_reference_part");
    static constexpr size_t k_max_other = k_max_depth / k_reference_part;

    /// Bases on positions without an apparent variant, by reported quality, and those of them that are not
    /// the reference's.
    std::array<uint64_t, 94> bases{};
    std::array<uint64_t, 94> mismatches{};
    /// Positions where the sample seems to be homozygous for a base other than the reference's:
    /// homozygous[change_class(other base, reference's)][depth][n] have n fragments of the reference's base
    /// among `depth`, at most one in five.
    using HomozygousSites = std::array<std::array<uint32_t, k_max_other + 1>, k_max_depth + 1>;
    std::array<HomozygousSites, k_change_classes> homozygous{};
    ReadCounts reads;
    /// Depth of the reads that the caller uses, in bins without N.
    DepthCounts depths;
    /// Reads that change the length of a repeat.
    StutterCounts stutter;
    BaseChangeCounts changes;
    UnseenVariants unseen;  ///< among the mismatches
    /// Places where one other base is on one strand only.
    SystematicErrorCounts errors;

    uint64_t all_bases() const;
    void add(const SampleProfile& other);
    bool operator==(const SampleProfile&) const = default;
};

/// Counts one window. Records may come in any order. Used are, but for the depths, primary records with a
/// mapping quality of at least 40, neither duplicates nor failed, in proper pairs if paired, aligned from end
/// to end without gaps (which repeats do not ask for). Where mates overlap the one that begins later counts;
/// for repeats both do. A window with more than 2^18 mismatches gives its depths and repeats only. Memory: 17
/// bytes per base of the window, 8 per mismatch and 48 per repeat.
class ProfileWindow {
  public:
    /// `scale` and `primers`, whose bases do not count, must outlive this.
    ProfileWindow(const data::Reference& reference, const data::Region& window, const MappingScale& scale,
                  const Primers& primers);
    /// `record` begins in the window. `flags`: its own, and k_flag_duplicate if it is known to be one.
    void add(const data::RecordView& record, uint16_t flags);
    /// Adds what was counted to the profile, but for the depths.
    void finish(SampleProfile& profile);
    /// Of the reads that the caller uses. Where the sample has two copies is known after finish().
    const DepthBins& depths() const { return depths_; }
    uint32_t contig() const { return window_.contig; }

  private:
    struct Mismatch {
        uint32_t position;  // in the window
        data::Base base;
        uint8_t quality;
        uint8_t place;  // FragmentEnds::place_of()
        bool is_reverse : 1;
        bool is_against_mate_1 : 1;
    };
    struct Pile {
        uint32_t depth = 0;
        std::array<uint32_t, 4> others{};
        uint32_t other_sum = 0;
        data::Base most_base() const;
        uint32_t most() const;
    };
    using Mismatches = std::span<const Mismatch>;
    bool add_matches(const data::RecordView& record, int64_t stop);
    void count(size_t first, int64_t from, int64_t to, const FragmentEnds& ends);
    uint32_t usual_depth() const;
    void leave_out(const data::RecordView& record);
    bool has_most_reads(size_t place) const;
    void count_errors(Mismatches of_place, SystematicErrorCounts& errors) const;
    void count_places(uint32_t most_depth, SystematicErrorCounts& errors) const;
    void count_bases(BaseChangeCounts& changes, UnseenVariants& unseen) const;
    void count_mismatches(Mismatches of_place, SampleProfile& profile) const;

    data::Region window_;
    const MappingScale* scale_;
    const Primers* primers_;
    int64_t counted_from_;  ///< positions before may lack reads that begin before the window
    std::vector<data::Base> expected_;
    DepthBins depths_;
    std::vector<int32_t> depth_;
    std::vector<int32_t> reverse_depth_;  ///< of it, of the reverse strand
    std::vector<int32_t> against_depth_;  ///< of it, against the direction of mate 1
    std::vector<int32_t> left_out_;       ///< reads that do not count for gaps, clips or how they are mapped
    std::vector<Mismatch> mismatches_;
    StutterWindow stutter_;
    BaseChangeCounts corrections_;  ///< of bases that depth_ counts
    ReadCounts reads_;
    std::array<std::array<uint64_t, 256>, 4>
        bases_{};  ///< by quality; four, as neighbours often have the same one
    // Of the record that is being added.
    std::vector<data::Base> read_bases_;
    std::vector<uint8_t> read_qualities_;
};

/// What all windows have counted. Depths are those of windows that were sequenced: alignments of one
/// chromosome, or of a part of it, have none elsewhere but a few that are misplaced. A window counts if its
/// mean depth is at least an eighth of what a tenth of those with reads have or exceed.
SampleProfile profile_of_windows(std::span<const std::unique_ptr<ProfileWindow>> windows);

/// Looks at the bins of 1.75 times the expected depth and more, which have four copies if depth tells copies.
/// Where it does not, as of targets that were captured beside a genome, or of DNA of few cells, their SNVs
/// are on half of the fragments, and no denser than elsewhere: such bins in five windows or more, three for
/// each one with an SNV on another share, and SNVs in at most half of all. Then the depth becomes unknown,
/// and `is_enriched`. Where more have an SNV on another share, they are copies: deviation_percent becomes 0.
void judge_deep_places(std::span<const std::unique_ptr<ProfileWindow>> windows, ExpectedDepth& depth);

/// ExpectedDepth::contig_copies: three or four where three quarters of the contig's windows, of at least
/// three, are deeper than 1.25 times the expected depth (a trisomy), by their median. More are no chromosome
/// that is there more often, but an organelle or what the reference has collapsed: two. Empty where all
/// contigs have two, or the depth is not known.
std::vector<uint8_t> contig_copies(std::span<const std::unique_ptr<ProfileWindow>> windows,
                                   const ExpectedDepth& depth);

}  // namespace gannet::variants
