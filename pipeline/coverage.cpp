// SPDX-License-Identifier: MIT
// Provides counting of depth and the judgement of its spread.
#include "pipeline/coverage.hpp"

#include "data/prefetch.hpp"

#include <algorithm>
#include <numeric>

namespace gannet::pipeline {
namespace {

constexpr uint64_t k_min_reads = 100'000;
constexpr uint64_t k_reads_per_window = 50;
constexpr size_t k_records_ahead = 16;  // whose first bytes are on their way to the caches

uint64_t bins_of(const data::Contig& contig) {
    return (contig.length + Coverage::k_bin_bp - 1) / Coverage::k_bin_bp;
}

uint64_t sum(std::span<const uint32_t> values) {
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

/// The count at which half of all reads are in windows with at least as many reads.
uint64_t typical(std::span<const uint64_t> windows, uint64_t reads) {
    std::vector<uint64_t> ascending(windows.begin(), windows.end());
    std::sort(ascending.begin(), ascending.end());
    uint64_t seen = 0;
    for (size_t i = ascending.size(); i-- > 0;) {
        seen += ascending[i];
        if (2 * seen >= reads) return ascending[i];
    }
    return 0;
}

/// Calls `visit(contig, begin, end)` for the runs within contigs, in contig coordinates.
template <class Visit>
void visit_unknown(const data::Reference& reference, const Visit& visit) {
    for (const data::NonAcgtRun& run : reference.runs()) {
        const uint32_t number = reference.contig_of(run.begin);
        for (uint32_t c = number; c < reference.contigs().size(); ++c) {
            const data::Contig& contig = reference.contigs()[c];
            if (contig.offset >= run.end) break;
            const uint64_t begin = std::max(run.begin, contig.offset);
            const uint64_t end = std::min(run.end, contig.offset + contig.length);
            if (begin < end) visit(c, begin - contig.offset, end - contig.offset);
        }
    }
}

}  // namespace

bool DepthSpread::is_uneven() const {
    if (reads < k_min_reads || 4 * covered >= windows) return false;
    return of_targets || 4 * enclosed < 3 * covered;
}

DepthSpread depth_spread(std::span<const uint32_t> reads, std::span<const uint8_t> targets) {
    DepthSpread spread;
    spread.of_targets = !targets.empty();
    spread.reads = sum(reads);
    if (spread.reads == 0) return spread;
    const size_t bins =
        std::max<size_t>(1, (k_reads_per_window * reads.size() + spread.reads - 1) / spread.reads);
    spread.window_bp = bins * static_cast<uint64_t>(Coverage::k_bin_bp);
    std::vector<uint64_t> windows;
    std::vector<bool> judged;
    for (size_t at = 0; at < reads.size(); at += bins) {
        const size_t size = std::min(bins, reads.size() - at);
        windows.push_back(sum(reads.subspan(at, size)));
        const auto here = spread.of_targets ? targets.subspan(at, size) : std::span<const uint8_t>();
        judged.push_back(here.empty() || std::find(here.begin(), here.end(), 1) != here.end());
    }
    spread.windows = static_cast<uint64_t>(std::count(judged.begin(), judged.end(), true));
    const uint64_t least = std::max<uint64_t>(1, typical(windows, spread.reads) / 4);
    const auto covered = [&](size_t i) { return windows[i] >= least; };
    for (size_t i = 0; i < windows.size(); ++i) {
        if (!judged[i] || !covered(i)) continue;
        ++spread.covered;
        spread.enclosed += i > 0 && i + 1 < windows.size() && covered(i - 1) && covered(i + 1);
    }
    return spread;
}

Coverage::Coverage(const data::Reference& reference) : reference_(reference) {
    uint64_t bins = 0;
    for (const data::Contig& contig : reference.contigs()) {
        first_bin_.push_back(bins);
        bins += bins_of(contig);
    }
    reads_ = std::vector<std::atomic<uint32_t>>(bins);
}

void Coverage::add(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries) {
    using namespace data;
    uint64_t aligned = 0;
    const auto view_of = [bytes](const RecordEntry& entry) {
        return RecordView(bytes.subspan(entry.offset, entry.size_bytes));
    };
    for (size_t next = 0; next < entries.size(); ++next) {
        if (next + k_records_ahead < entries.size())
            prefetch(view_of(entries[next + k_records_ahead]).head());
        const RecordEntry& entry = entries[next];
        if ((entry.flag & k_flag_unmapped) != 0 || entry.contig < 0 || entry.position < 0) continue;
        const auto contig = static_cast<size_t>(entry.contig);
        if ((entry.flag & (k_flag_secondary | k_flag_supplementary)) == 0) {
            const auto bin = static_cast<uint64_t>(entry.position / k_bin_bp);
            reads_[first_bin_[contig] + bin].fetch_add(1, std::memory_order_relaxed);
        }
        if ((entry.flag & (k_flag_secondary | k_flag_qc_fail | k_flag_duplicate)) != 0) continue;
        const RecordView record = view_of(entry);
        for (size_t i = 0; i < record.cigar_count(); ++i) {
            const uint32_t element = record.cigar(i);
            const CigarOp op = cigar_op(element);
            if (cigar_consumes_query(op) && cigar_consumes_reference(op)) aligned += cigar_length(element);
        }
    }
    aligned_bases_.fetch_add(aligned, std::memory_order_relaxed);
}

std::vector<uint8_t> Coverage::bins_of_targets(const data::RegionSet& targets) const {
    std::vector<uint8_t> bins(reads_.size(), 0);
    for (const data::Region& region : targets.regions()) {
        const uint64_t first = first_bin_[region.contig] + static_cast<uint64_t>(region.begin / k_bin_bp);
        const uint64_t last = first_bin_[region.contig] + static_cast<uint64_t>((region.end - 1) / k_bin_bp);
        for (uint64_t bin = first; bin <= last; ++bin) bins[bin] = 1;
    }
    return bins;
}

DepthSpread Coverage::spread(const data::RegionSet& targets) const {
    std::vector<uint32_t> unknown(reads_.size(), 0);
    visit_unknown(reference_, [&](uint32_t contig, uint64_t begin, uint64_t end) {
        for (uint64_t at = begin; at < end;) {
            const uint64_t bin = at / static_cast<uint64_t>(k_bin_bp);
            const uint64_t stop = std::min(end, (bin + 1) * static_cast<uint64_t>(k_bin_bp));
            unknown[first_bin_[contig] + bin] += static_cast<uint32_t>(stop - at);
            at = stop;
        }
    });
    const std::vector<uint8_t> all_targets = bins_of_targets(targets);
    std::vector<uint32_t> known;
    std::vector<uint8_t> known_targets;
    known.reserve(reads_.size());
    for (size_t bin = 0; bin < reads_.size(); ++bin) {
        if (2 * unknown[bin] > k_bin_bp) continue;
        known.push_back(reads_[bin].load(std::memory_order_relaxed));
        if (!targets.empty()) known_targets.push_back(all_targets[bin]);
    }
    return depth_spread(known, known_targets);
}

std::vector<uint64_t> Coverage::reads_by_contig(const data::RegionSet& targets) const {
    const std::vector<uint8_t> counted =
        targets.empty() ? std::vector<uint8_t>(reads_.size(), 1) : bins_of_targets(targets);
    std::vector<uint64_t> reads;
    for (size_t contig = 0; contig < first_bin_.size(); ++contig) {
        const uint64_t end = first_bin_[contig] + bins_of(reference_.contigs()[contig]);
        uint64_t sum = 0;
        for (uint64_t bin = first_bin_[contig]; bin < end; ++bin)
            if (counted[bin] != 0) sum += reads_[bin].load(std::memory_order_relaxed);
        reads.push_back(sum);
    }
    return reads;
}

std::vector<uint64_t> known_bases_by_contig(const data::Reference& reference) {
    std::vector<uint64_t> bases;
    for (const data::Contig& contig : reference.contigs()) bases.push_back(contig.length);
    visit_unknown(reference,
                  [&](uint32_t contig, uint64_t begin, uint64_t end) { bases[contig] -= end - begin; });
    return bases;
}

uint64_t known_bases(const data::Reference& reference) {
    const std::vector<uint64_t> bases = known_bases_by_contig(reference);
    return std::accumulate(bases.begin(), bases.end(), uint64_t{0});
}

}  // namespace gannet::pipeline
