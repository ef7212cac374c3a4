// SPDX-License-Identifier: MIT
// Provides the backend `reference` of banded_sw: the contract written down as plainly as it goes, the oracle
// of the others.
#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/banded_sw/banded_sw_windows.hpp"

#include <algorithm>
#include <limits>

namespace gannet::kernels {

namespace banded_sw {

namespace {

constexpr int32_t k_unreachable = std::numeric_limits<int32_t>::min() / 2;

/// H, E and F of every cell of the band. E: best path that ends in a query gap (I), F: in a target gap (D).
class Matrices {
  public:
    Matrices(const BandedSwScoring& scoring, std::span<const uint8_t> query, std::span<const uint8_t> target,
             int32_t band, std::vector<int32_t>& cells)
        : scoring_(scoring),
          query_(query),
          target_(target),
          band_(band),
          cells_(cells),
          columns_(std::min(2 * band + 1, n() + 1)) {
        cells_.assign(size_t{3} * static_cast<size_t>(m() + 1) * static_cast<size_t>(columns_),
                      k_unreachable);
        for (int32_t i = 0; i <= m(); ++i) {
            for (int32_t j = first(i); j <= last(i); ++j) fill(i, j);
        }
    }

    int32_t m() const { return static_cast<int32_t>(query_.size()); }
    int32_t n() const { return static_cast<int32_t>(target_.size()); }
    /// Columns of row i inside band and target; none where first > last.
    int32_t first(int32_t i) const { return std::max(0, i - band_); }
    int32_t last(int32_t i) const { return std::min(n(), i + band_); }

    int32_t h(int32_t i, int32_t j) const { return at(i, j, 0); }
    int32_t e(int32_t i, int32_t j) const { return at(i, j, 1); }
    int32_t f(int32_t i, int32_t j) const { return at(i, j, 2); }
    int32_t by_match(int32_t i, int32_t j) const {
        return i == 0 || j == 0 ? k_unreachable : h(i - 1, j - 1) + substitution(i - 1, j - 1);
    }
    /// E and F of a cell by opening a gap there, and by lengthening one.
    int32_t opened_e(int32_t i, int32_t j) const {
        return h(i - 1, j) - scoring_.gap_open - scoring_.gap_extend;
    }
    int32_t opened_f(int32_t i, int32_t j) const {
        return h(i, j - 1) - scoring_.gap_open - scoring_.gap_extend;
    }
    int32_t longer_e(int32_t i, int32_t j) const { return e(i - 1, j) - scoring_.gap_extend; }
    int32_t longer_f(int32_t i, int32_t j) const { return f(i, j - 1) - scoring_.gap_extend; }

  private:
    int32_t substitution(int32_t i, int32_t j) const {
        const uint8_t a = query_[static_cast<size_t>(i)];
        const uint8_t b = target_[static_cast<size_t>(j)];
        if (a >= 4 || b >= 4) return -scoring_.ambiguous;
        return a == b ? scoring_.match : -scoring_.mismatch;
    }

    int32_t at(int32_t i, int32_t j, size_t matrix) const {
        return i < 0 || j < first(i) || j > last(i) ? k_unreachable : cells_[index(i, j, matrix)];
    }
    /// Row-major; a row holds the columns from first(i).
    size_t index(int32_t i, int32_t j, size_t matrix) const {
        const auto row = static_cast<size_t>(i) * static_cast<size_t>(columns_);
        return 3 * (row + static_cast<size_t>(j - first(i))) + matrix;
    }

    void fill(int32_t i, int32_t j) {
        const int32_t gap_e = i == 0 ? k_unreachable : std::max(opened_e(i, j), longer_e(i, j));
        const int32_t gap_f = j == 0 ? k_unreachable : std::max(opened_f(i, j), longer_f(i, j));
        cells_[index(i, j, 1)] = std::max(gap_e, k_unreachable);
        cells_[index(i, j, 2)] = std::max(gap_f, k_unreachable);
        const int32_t best = std::max({by_match(i, j), gap_e, gap_f, k_unreachable});
        cells_[index(i, j, 0)] = i == 0 && j == 0 ? 0 : best;
    }

    const BandedSwScoring& scoring_;
    std::span<const uint8_t> query_;
    std::span<const uint8_t> target_;
    int32_t band_;
    std::vector<int32_t>& cells_;
    int32_t columns_;
};

/// Cells in the order of the contract's ties, so that only a higher score replaces an earlier one.
JobResult find_end(const Matrices& matrices, int32_t end_bonus) {
    JobResult best;
    JobResult whole{k_unreachable, 0, 0, 1};
    for (int32_t i = 0; i <= matrices.m(); ++i) {
        for (int32_t j = matrices.first(i); j <= matrices.last(i); ++j) {
            const int32_t score = matrices.h(i, j);
            const JobResult here{score, static_cast<uint32_t>(i), static_cast<uint32_t>(j),
                                 i == matrices.m()};
            if (score > best.score) best = here;
            if (i == matrices.m() && score > whole.score) whole = here;
        }
    }
    const bool reaches_end = whole.score > k_unreachable && whole.score + end_bonus >= best.score;
    if (!reaches_end) best.to_end = 0;
    return reaches_end ? whole : best;
}

void append_step(CigarOp op, size_t begin, std::vector<uint32_t>& cigar) {
    if (cigar.size() > begin && (cigar.back() & 0xf) == op) {
        cigar.back() += 1U << 4;
    } else {
        cigar.push_back(1U << 4 | op);
    }
}

/// What to do at a cell that is not inside a gap.
CigarOp choose_step(const Matrices& matrices, int32_t i, int32_t j, bool late) {
    const int32_t score = matrices.h(i, j);
    if (!late && score == matrices.by_match(i, j)) return k_cigar_m;
    if (late && score == matrices.f(i, j)) return k_cigar_d;
    if (score == matrices.e(i, j)) return k_cigar_i;
    return late ? k_cigar_m : k_cigar_d;
}

/// True when the gap that reaches (i, j) is closed by its step there.
bool closes_gap(CigarOp gap, const Matrices& matrices, int32_t i, int32_t j, bool late) {
    const int32_t opened = gap == k_cigar_i ? matrices.opened_e(i, j) : matrices.opened_f(i, j);
    const int32_t longer = gap == k_cigar_i ? matrices.longer_e(i, j) : matrices.longer_f(i, j);
    return late ? opened > longer : opened >= longer;
}

void trace(const Matrices& matrices, const JobResult& end, bool late, std::vector<uint32_t>& cigar) {
    const size_t begin = cigar.size();
    auto i = static_cast<int32_t>(end.query_end);
    auto j = static_cast<int32_t>(end.target_end);
    CigarOp step = k_cigar_m;
    bool in_gap = false;
    while (i > 0 || j > 0) {
        if (!in_gap) step = choose_step(matrices, i, j, late);
        in_gap = step != k_cigar_m && !closes_gap(step, matrices, i, j, late);
        append_step(step, begin, cigar);
        if (step != k_cigar_d) --i;
        if (step != k_cigar_i) --j;
    }
    std::reverse(cigar.begin() + static_cast<std::ptrdiff_t>(begin), cigar.end());
}

}  // namespace

JobResult extend_reference(const BandedSwScoring& scoring, std::span<const uint8_t> query,
                           std::span<const uint8_t> target, uint32_t band, uint8_t flags,
                           std::vector<uint32_t>& cigar) {
    thread_local std::vector<int32_t> cells;
    const Matrices matrices(scoring, query, target, static_cast<int32_t>(band), cells);
    const JobResult end = find_end(matrices, scoring.end_bonus);
    if (flags & k_sw_traceback) trace(matrices, end, (flags & k_sw_gaps_late) != 0, cigar);
    return end;
}

}  // namespace banded_sw

void banded_sw_reference(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                         BandedSwResults& results) {
    banded_sw::check(scoring, batch);
    banded_sw::prepare(batch.size(), results);
    for (size_t job = 0; job < batch.size(); ++job) {
        const banded_sw::JobResult result = banded_sw::extend_reference(
            scoring, {batch.bases.data() + batch.query_offset[job], batch.query_length[job]},
            {batch.bases.data() + batch.target_offset[job], batch.target_length[job]}, batch.band[job],
            batch.flags[job], results.cigar);
        results.score[job] = result.score;
        results.query_end[job] = result.query_end;
        results.target_end[job] = result.target_end;
        results.to_end[job] = result.to_end;
        results.cigar_offset[job + 1] = static_cast<uint32_t>(results.cigar.size());
    }
}

namespace {

uint8_t code_in(const uint64_t* words, uint64_t base) {
    return static_cast<uint8_t>(words[base / 32] >> 2 * (base % 32) & 3);
}

/// Out of the words of the read as sequenced.
uint8_t query_code(const ReadBatchView& reads, const ExtensionJob& job, uint32_t oriented) {
    const uint32_t base = job.strand == 0 ? oriented : reads.length[job.read] - 1 - oriented;
    if (reads.is_ambiguous(job.read) && code_in(reads.mask_words(job.read, 0), base) != 0) return 4;
    const uint8_t code = code_in(reads.words(job.read, 0), base);
    return job.strand == 0 ? code : static_cast<uint8_t>(3 - code);
}

uint8_t target_code(const GenomeView& genome, int64_t position) {
    const GenomeInterval* const last = genome.ambiguous + genome.ambiguous_count;
    const GenomeInterval* const next = std::partition_point(
        genome.ambiguous, last, [position](const GenomeInterval& each) { return each.end <= position; });
    if (next != last && next->begin <= position) return 4;
    return code_in(genome.packed, static_cast<uint64_t>(position));
}

}  // namespace

void banded_sw_windows_reference(Stream& stream, const BandedSwScoring& scoring, const GenomeView& genome,
                                 const ReadBatchView& reads, const BandedSwWindows& windows,
                                 BandedSwResults& results) {
    BandedSwBatch listed;
    banded_sw::list_windows({genome, reads, windows}, listed);
    BandedSwBatch batch;
    std::vector<uint8_t> query;
    std::vector<uint8_t> target;
    for (size_t k = 0; k < windows.count; ++k) {
        const ExtensionJob& job = windows.jobs[k];
        query.clear();
        target.clear();
        for (uint32_t i = 0; i < job.query_length; ++i)
            query.push_back(query_code(reads, job, job.query_begin + i));
        for (uint32_t j = 0; j < job.target_length; ++j)
            target.push_back(target_code(genome, job.target_begin + j));
        if (job.left != 0) {
            std::reverse(query.begin(), query.end());
            std::reverse(target.begin(), target.end());
        }
        batch.add(query, target, job.band, listed.flags[k]);
    }
    banded_sw_reference(stream, scoring, batch, results);
}

}  // namespace gannet::kernels
