// SPDX-License-Identifier: MIT
// Provides the adding of counts.
#include "pipeline/qc/counts.hpp"

#include <numeric>

namespace gannet::pipeline::qc {
namespace {

template <class Row>
void add_rows(std::vector<Row>& sums, const std::vector<Row>& more) {
    if (sums.size() < more.size()) sums.resize(more.size());
    for (size_t row = 0; row < more.size(); ++row) {
        for (size_t i = 0; i < more[row].size(); ++i) sums[row][i] += more[row][i];
    }
}

void add_vector(std::vector<uint64_t>& sums, const std::vector<uint64_t>& more) {
    if (sums.size() < more.size()) sums.resize(more.size());
    for (size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

template <class Value, size_t N>
void add_array(std::array<Value, N>& sums, const std::array<Value, N>& more) {
    for (size_t i = 0; i < N; ++i) sums[i] += more[i];
}

template <class Part, size_t N>
void merge_all(std::array<Part, N>& sums, const std::array<Part, N>& more) {
    for (size_t i = 0; i < N; ++i) sums[i].merge(more[i]);
}

}  // namespace

void Histogram::grow(size_t value) { counts_.resize(value + 1); }

uint64_t Histogram::total() const { return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0}); }

uint64_t Histogram::sum() const {
    uint64_t sum = 0;
    for (size_t value = 0; value < counts_.size(); ++value) sum += value * counts_[value];
    return sum;
}

void Histogram::merge(const Histogram& other) { add_vector(counts_, other.counts_); }

void CycleCounts::merge(const CycleCounts& other) {
    add_rows(qualities, other.qualities);
    for (size_t strand = 0; strand < k_strands; ++strand) add_rows(bases[strand], other.bases[strand]);
    merge_all(lengths, other.lengths);
    for (const auto& [length, reads] : other.gc) gc[length].merge(reads);
    for (const auto& [length, reads] : other.gc_starts) gc_starts[length].merge(reads);
    mean_quality.merge(other.mean_quality);
    merge_all(adapters, other.adapters);
}

void AlignmentSummary::merge(const AlignmentSummary& other) {
    constexpr uint64_t AlignmentSummary::*k_sums[] = {
        &AlignmentSummary::reads,         &AlignmentSummary::aligned,
        &AlignmentSummary::passing,       &AlignmentSummary::forward,
        &AlignmentSummary::improper,      &AlignmentSummary::in_pairs,
        &AlignmentSummary::judged_pairs,  &AlignmentSummary::chimeras,
        &AlignmentSummary::adapters,      &AlignmentSummary::soft_clipped,
        &AlignmentSummary::hard_clipped,  &AlignmentSummary::clipped_at_3_prime,
        &AlignmentSummary::aligned_bases, &AlignmentSummary::reads_clipped_at_3_prime,
        &AlignmentSummary::hq_reads,      &AlignmentSummary::hq_bases,
        &AlignmentSummary::hq_q20_bases,  &AlignmentSummary::mismatches,
        &AlignmentSummary::indels};
    for (const auto sum : k_sums) this->*sum += other.*sum;
    hq_mismatches.merge(other.hq_mismatches);
    lengths.merge(other.lengths);
    aligned_lengths.merge(other.aligned_lengths);
    bad_cycles.merge(other.bad_cycles);
}

void GoodBaseCounts::merge(const GoodBaseCounts& other) {
    constexpr uint64_t GoodBaseCounts::*k_sums[] = {
        &GoodBaseCounts::of_adapters, &GoodBaseCounts::of_low_mapping_quality, &GoodBaseCounts::of_duplicates,
        &GoodBaseCounts::without_mate, &GoodBaseCounts::aligned};
    for (const auto sum : k_sums) this->*sum += other.*sum;
}

void TargetCounts::merge(const TargetCounts& other) {
    constexpr uint64_t TargetCounts::*k_sums[] = {
        &TargetCounts::aligned,     &TargetCounts::unique,
        &TargetCounts::on_bait,     &TargetCounts::near_bait,
        &TargetCounts::off_bait,    &TargetCounts::of_adapters,
        &TargetCounts::overlapping, &TargetCounts::of_low_mapping_quality,
        &TargetCounts::off_target,  &TargetCounts::of_low_quality,
        &TargetCounts::on_target,   &TargetCounts::on_target_from_pairs,
        &TargetCounts::pairs,       &TargetCounts::unique_pairs};
    for (const auto sum : k_sums) this->*sum += other.*sum;
}

void GcBiasCounts::merge(const GcBiasCounts& other) {
    clusters += other.clusters;
    aligned += other.aligned;
    add_array(reads, other.reads);
    add_array(bases, other.bases);
    add_array(errors, other.errors);
}

void Counts::merge(const Counts& other) {
    add_vector(mapped, other.mapped);
    add_vector(placed_unmapped, other.placed_unmapped);
    add_array(other_contig, other.other_contig);
    add_array(other_contig_mapq5, other.other_contig_mapq5);
    add_array(checksums, other.checksums);
    merge_all(cycles, other.cycles);
    for (size_t i = 0; i < longest.size(); ++i) longest[i] = std::max(longest[i], other.longest[i]);
    constexpr uint64_t Counts::*k_sums[] = {
        &Counts::quality_sum, &Counts::mapped_bases, &Counts::duplicate_bases,     &Counts::aligned_bases,
        &Counts::mismatches,  &Counts::mapq0,        &Counts::pairs_on_two_contigs};
    for (const auto sum : k_sums) this->*sum += other.*sum;
    constexpr Histogram Counts::*k_histograms[] = {&Counts::flags,           &Counts::flags_without_bases,
                                                   &Counts::neither_lengths, &Counts::mapping_qualities,
                                                   &Counts::inward,          &Counts::outward,
                                                   &Counts::other_pairs,     &Counts::insertions,
                                                   &Counts::deletions};
    for (const auto histogram : k_histograms) (this->*histogram).merge(other.*histogram);
    merge_all(insertion_cycles, other.insertion_cycles);
    merge_all(deletion_cycles, other.deletion_cycles);
    merge_all(summary, other.summary);
    good_bases.merge(other.good_bases);
    gc_bias.merge(other.gc_bias);
    targets.merge(other.targets);
    merge_all(inserts, other.inserts);
    for (size_t i = 0; i < k_orientations; ++i) {
        for (const auto& [size, pairs] : other.long_inserts[i]) long_inserts[i][size] += pairs;
    }
}

}  // namespace gannet::pipeline::qc
