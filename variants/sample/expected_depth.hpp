// SPDX-License-Identifier: MIT
// Provides the depth that a sample is expected to have, by the GC of the sequence.
#pragma once

#include "data/reference.hpp"
#include "variants/model/sample.hpp"
#include "variants/sequence/allele.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants {

inline constexpr size_t k_gc_classes = sample_number("depth_gc_classes");  ///< around 0, 5, 10, ... 100 %
/// Depth is compared in bins that begin at multiples of it.
inline constexpr int64_t k_depth_bin_bases = sample_number("depth_bin_bp");
/// The GC of a bin is that of the bin and this on either side.
inline constexpr int64_t k_gc_reach_bp = sample_number("depth_gc_reach_bp");

/// The class of a sequence of `known` A, C, G and T, of which `strong` are C or G; k_gc_classes without any.
constexpr size_t gc_class(int64_t strong, int64_t known) {
    return known <= 0
               ? k_gc_classes
               : static_cast<size_t>((strong * static_cast<int64_t>(k_gc_classes - 1) + known / 2) / known);
}

/// The depth that two copies have at a place: a negative binomial with this mean, and with the variance of a
/// Poisson distribution and mean^2 / size.
struct PlaceDepth {
    int64_t mean_x256 = 0;  ///< 0: not known
    int32_t size = sample_number("depth_dispersion_size");
};

/// What the copies that the sample has of a place mean for its calls.
struct PlaceCopies {
    uint32_t filters = 0;  ///< that heterozygous variants fail: k_filter_high_depth, or none
    int32_t own = 2;       ///< of its own: more where a contig, or a part of one, is there more than twice
};

/// Mean depth, x 256, of the reads that the caller uses where the sample has two copies; 0: not known.
struct ExpectedDepth {
    std::array<int64_t, k_gc_classes> by_gc{};
    /// How uneven it is (PlaceDepth::size), beyond chance and GC; at most depth_dispersion_size.
    int32_t dispersion_size = sample_number("depth_dispersion_size");
    /// Of the depth where two copies are seen, in percent of it: the standard deviation beyond chance and GC.
    /// Unlike dispersion_size, further copies and lost reads have no part in it. At most 100; 0 of few such
    /// places.
    int32_t deviation_percent = 0;
    /// As of exomes and amplicons: the depth of a place says nothing of its copies, nor does that around it.
    bool is_uneven = false;
    /// Uneven since deep places all over the genome have two copies (judge_deep_places()).
    bool is_enriched = false;
    /// By contig, of those that have two copies in most samples; those of its end missing: 2.
    std::vector<uint8_t> contig_copies;
    int32_t copies_of(uint32_t contig) const {
        return contig < contig_copies.size() ? contig_copies[contig] : 2;
    }
    bool is_known() const;
    /// Of the bins of [begin, end), the first of which begins at `begin`; empty if nothing is known. `slice`
    /// reads as N outside what it holds. Linear in the bases.
    void of_bins(const ReferenceSlice& slice, int64_t begin, int64_t end, std::vector<int64_t>& depths) const;
    /// With the GC of the 512 bp around the position.
    PlaceDepth at(const data::Reference& reference, uint32_t contig, int64_t position) const;
    /// "28.5 (35 %), 29.0 (40 %)": depth by GC.
    std::string to_text() const;
};

/// Bins by GC and depth.
struct DepthHistogram {
    static constexpr int64_t k_steps = sample_number("depth_steps");  ///< of a depth of 1
    static constexpr size_t k_depths = sample_number("depth_max_steps");
    std::array<std::array<uint32_t, k_depths>, k_gc_classes> bins{};

    /// `bases`: aligned to the bin.
    void count(size_t gc, int64_t bases);
    void add(const DepthHistogram& other);
    /// The median of each class, of rare classes that of the nearest one that is not. Unknown where the depth
    /// is uneven, as of exomes and amplicons: a quarter of all bins below half of the median, or above 1.6
    /// times. `is_uneven` is also where most bases lie in few bins. Its unevenness is the variance of all
    /// classes, by their quartiles, less that of reads of `read_bp` which begin anywhere with the same
    /// probability.
    ExpectedDepth estimate(int32_t read_bp) const;
    bool operator==(const DepthHistogram&) const = default;

  private:
    int32_t dispersion_size(int32_t read_bp) const;
};

/// Bins without N of a sample.
struct DepthCounts {
    DepthHistogram all;
    /// Those with an SNV that half of the reads have: the sample has two copies there, and none was lost.
    DepthHistogram two_copies;

    void add(const DepthCounts& other);
    ExpectedDepth estimate(int32_t read_bp) const;
    bool operator==(const DepthCounts&) const = default;

  private:
    int32_t deviation_percent(const ExpectedDepth& expected, int32_t read_bp) const;
};

}  // namespace gannet::variants
