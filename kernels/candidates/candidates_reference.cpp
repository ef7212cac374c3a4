// SPDX-License-Identifier: MIT
// Provides the backend `reference` of the search for candidates: the contract step by step and base by base,
// apart from the code of the other backends.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/genome/packed_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace gannet::kernels {
namespace {

constexpr uint8_t k_ambiguous_code = 4;
constexpr int64_t k_plain_margin_bp = 64;
constexpr int32_t k_gaps_below_bp = 64;

enum class Pairing : uint8_t { outside, match, mismatch, ambiguous };

uint8_t packed_code(const uint64_t* words, uint64_t base) { return words[base / 32] >> 2 * (base % 32) & 3; }

/// What the op asks of a genome.
class Genome {
  public:
    explicit Genome(const GenomeView& view) : view_(view) {}

    int64_t size() const { return static_cast<int64_t>(view_.words * 32); }
    uint8_t code(int64_t position) const {
        return any_ambiguous(position, position + 1)
                   ? k_ambiguous_code
                   : packed_code(view_.packed, static_cast<uint64_t>(position));
    }
    uint32_t contig(int64_t position) const {
        uint32_t found = 0;
        for (uint32_t k = 0; k < view_.contigs; ++k) {
            if (static_cast<int64_t>(view_.contig_begin[k]) <= position) found = k;
        }
        return found;
    }
    int64_t contig_begin(uint32_t contig) const { return static_cast<int64_t>(view_.contig_begin[contig]); }
    int64_t contig_end(uint32_t contig) const {
        return contig_begin(contig) + static_cast<int64_t>(view_.contig_length[contig]);
    }
    bool alternate(int64_t position) const {
        for (uint32_t k = 0; k < view_.alternate_count; ++k) {
            if (position >= view_.alternate[k].begin && position < view_.alternate[k].end) return true;
        }
        return false;
    }
    bool plain(int64_t begin, int64_t end) const {
        const int64_t block = int64_t{1} << k_fine_block_bits;
        if (begin < 0 || end > size() || end - begin > 2 * block) return false;
        return !any_ambiguous(begin / block * block, (end + block - 1) / block * block);
    }

  private:
    bool any_ambiguous(int64_t begin, int64_t end) const {
        const GenomeInterval* const last = view_.ambiguous + view_.ambiguous_count;
        const GenomeInterval* const first = std::partition_point(
            view_.ambiguous, last, [begin](const GenomeInterval& each) { return each.end <= begin; });
        return first != last && first->begin < end;
    }

    const GenomeView& view_;
};

/// A read, whose other strand is made from the one that was sequenced.
class Read {
  public:
    Read(const ReadBatchView& batch, uint32_t index) : batch_(batch), index_(index) {}

    uint32_t length() const { return batch_.length[index_]; }
    bool any_ambiguous() const { return batch_.is_ambiguous(index_); }
    uint8_t code(uint32_t strand, uint32_t oriented) const {
        const uint32_t base = sequenced(strand, oriented);
        if (any_ambiguous() && packed_code(batch_.mask_words(index_, 0), base) != 0) return k_ambiguous_code;
        const uint8_t code = packed_code(batch_.words(index_, 0), base);
        return strand == 0 ? code : static_cast<uint8_t>(3 - code);
    }
    std::optional<uint8_t> quality(uint32_t strand, uint32_t oriented) const {
        if (batch_.quality == nullptr) return std::nullopt;
        return batch_.quality[batch_.quality_begin[index_] + sequenced(strand, oriented)];
    }

  private:
    uint32_t sequenced(uint32_t strand, uint32_t oriented) const {
        return strand == 0 ? oriented : length() - 1 - oriented;
    }

    const ReadBatchView& batch_;
    uint32_t index_;
};

/// Step 3: one read on one diagonal.
class Comparison {
  public:
    Comparison(const Genome& genome, const CandidateParameters& parameters, const Read& read,
               const Diagonal& diagonal)
        : genome_(genome), parameters_(parameters), scoring_(parameters.scoring), read_(read) {
        out_.diagonal = diagonal_of_hit(diagonal.key << 16);
        out_.strand = strand_of_hit(diagonal.key << 16);
        out_.seeds = diagonal.seeds;
    }

    std::optional<Candidate> candidate() {
        const int64_t length = read_.length();
        const int64_t middle = std::clamp<int64_t>(out_.diagonal + length / 2, 0, genome_.size() - 1);
        out_.contig = genome_.contig(middle);
        out_.alternate = genome_.alternate(middle);
        plain_ = !read_.any_ambiguous() &&
                 genome_.plain(out_.diagonal - k_plain_margin_bp, out_.diagonal + length + k_plain_margin_bp);
        for (uint32_t i = 0; i < read_.length(); ++i) pairing_.push_back(pairing(i));
        find_anchor();
        if (out_.anchor_end == out_.anchor_begin) return std::nullopt;
        out_.score = static_cast<int32_t>(out_.anchor_end - out_.anchor_begin) * scoring_.match;
        extend(false);
        extend(true);
        out_.target_begin = out_.diagonal + out_.query_begin;
        out_.target_end = out_.diagonal + out_.query_end;
        return out_;
    }

  private:
    Pairing pairing(uint32_t i) const {
        const int64_t position = out_.diagonal + i;
        if (position < genome_.contig_begin(out_.contig) || position >= genome_.contig_end(out_.contig))
            return Pairing::outside;
        const uint8_t own = read_.code(out_.strand, i);
        const uint8_t other = genome_.code(position);
        if (own == k_ambiguous_code || other == k_ambiguous_code) return Pairing::ambiguous;
        return own == other ? Pairing::match : Pairing::mismatch;
    }

    void find_anchor() {
        uint32_t run = 0;
        for (uint32_t i = 0; i < pairing_.size(); ++i) {
            run = pairing_[i] == Pairing::match ? run + 1 : 0;
            if (run > out_.anchor_end - out_.anchor_begin) {
                out_.anchor_begin = i + 1 - run;
                out_.anchor_end = i + 1;
            }
        }
    }

    /// The bases of a side from the anchor outwards, as far as they are in the contig.
    std::vector<uint32_t> side(bool right) const {
        std::vector<uint32_t> bases;
        if (right) {
            for (uint32_t i = out_.anchor_end; i < pairing_.size(); ++i) bases.push_back(i);
        } else {
            for (uint32_t i = out_.anchor_begin; i > 0; --i) bases.push_back(i - 1);
        }
        const auto in_contig = [this](uint32_t i) { return pairing_[i] != Pairing::outside; };
        bases.erase(std::find_if_not(bases.begin(), bases.end(), in_contig), bases.end());
        return bases;
    }

    void extend(bool right) {
        const std::vector<uint32_t> bases = side(right);
        size_t taken = 0;
        int32_t best = 0;
        int32_t sum = 0;
        for (size_t k = 0; k < bases.size(); ++k) {
            const Pairing here = pairing_[bases[k]];
            sum += here == Pairing::match      ? scoring_.match
                   : here == Pairing::mismatch ? -scoring_.mismatch
                                               : -scoring_.ambiguous;
            if (sum > best) {
                best = sum;
                taken = k + 1;
            }
        }
        int32_t value = best;
        const size_t of_read = right ? read_.length() - out_.anchor_end : out_.anchor_begin;
        if (bases.size() == of_read && sum + scoring_.end_bonus >= best) {
            taken = bases.size();
            best = sum;
            value = sum + scoring_.end_bonus;
        }
        int32_t quality = 0;
        for (size_t k = 0; k < taken; ++k) {
            if (pairing_[bases[k]] != Pairing::mismatch) continue;
            if (const auto of_base = read_.quality(out_.strand, bases[k]))
                quality += parameters_.quality_weight[std::min<size_t>(*of_base, 63)];
        }
        out_.score += best;
        (right ? out_.right_score : out_.left_score) = best;
        (right ? out_.right_quality : out_.left_quality) = quality;
        (right ? out_.right_gapped : out_.left_gapped) = gapped(bases, right, value);
        if (right)
            out_.query_end = out_.anchor_end + static_cast<uint32_t>(taken);
        else
            out_.query_begin = out_.anchor_begin - static_cast<uint32_t>(taken);
    }

    bool gapped(const std::vector<uint32_t>& bases, bool right, int32_t value) const {
        const int32_t loss = static_cast<int32_t>(bases.size()) * scoring_.match + scoring_.end_bonus - value;
        const int32_t of_mismatch = scoring_.mismatch_loss();
        if (bases.empty() || loss <= scoring_.gap_open + scoring_.gap_extend) return false;
        if (!plain_ || loss > 3 * of_mismatch || loss > 15 * scoring_.match) return true;
        for (int32_t gap = 1; gap < k_gaps_below_bp; ++gap) {
            const int32_t deletion = scoring_.gap_open + gap * scoring_.gap_extend;
            const int32_t insertion = deletion + gap * scoring_.match;
            if (deletion >= loss) return false;
            if (gap_might_win(bases, right, right ? gap : -gap, 0, (loss - deletion - 1) / of_mismatch))
                return true;
            if (insertion < loss &&
                gap_might_win(bases, right, right ? -gap : gap, gap, (loss - insertion - 1) / of_mismatch))
                return true;
        }
        return scoring_.gap_open + k_gaps_below_bp * scoring_.gap_extend < loss;
    }

    bool gap_might_win(const std::vector<uint32_t>& bases, bool right, int64_t shift, int64_t inserted,
                       int32_t allowed) const {
        int32_t seen = 0;
        std::optional<int64_t> near;
        for (const uint32_t i : bases) {
            if (pairing_[i] == Pairing::match) continue;
            if (seen++ == allowed) near = near.value_or(i);
        }
        if (!near) return true;
        const auto length = static_cast<int64_t>(read_.length());
        int64_t far = right ? length : 0;
        for (int32_t mismatches = 0; right ? far > 0 : far < length; far += right ? -1 : 1) {
            const int64_t next = right ? far - 1 : far;
            mismatches += read_.code(out_.strand, static_cast<uint32_t>(next)) !=
                          genome_.code(out_.diagonal + shift + next);
            if (mismatches > allowed) break;
        }
        return right ? far <= *near + inserted : far + inserted > *near;
    }

    const Genome& genome_;
    const CandidateParameters& parameters_;
    const BandedSwScoring& scoring_;
    const Read& read_;
    bool plain_ = false;
    std::vector<Pairing> pairing_;
    Candidate out_;
};

/// All steps for one read.
class Search {
  public:
    Search(const Genome& genome, const CandidateParameters& parameters, const Read& read)
        : genome_(genome), parameters_(parameters), read_(read) {}

    CandidatesLeftOut left_out;
    std::vector<Candidate> candidates;

    void run(const uint64_t* begin, const uint64_t* end) {
        find_diagonals(begin, end);
        limit_diagonals();
        const uint32_t pruned = compare();
        if (candidates.size() > 1) {
            drop_redundant();
            const auto primary = static_cast<uint32_t>(std::count_if(
                candidates.begin(), candidates.end(), [](const Candidate& each) { return !each.alternate; }));
            if (primary + pruned > k_max_candidates) left_out.truncated = 1;
            limit_candidates();
        }
        choose_extended(false);
        choose_extended(true);
    }

    /// Step 7 of a gapped side.
    ExtensionJob job(uint32_t index, const Candidate& candidate, bool left) const {
        const BandedSwScoring& scoring = parameters_.scoring;
        const int64_t length = left ? candidate.anchor_begin : read_.length() - candidate.anchor_end;
        const int64_t band = std::clamp<int64_t>(
            (length * scoring.match + scoring.end_bonus - scoring.gap_open) / scoring.gap_extend, 1,
            parameters_.band);
        int64_t begin = candidate.diagonal + candidate.anchor_end;
        int64_t end = std::min(begin + length + band, genome_.contig_end(candidate.contig));
        if (left) {
            end = candidate.diagonal + candidate.anchor_begin;
            begin = std::max(end - length - band, genome_.contig_begin(candidate.contig));
        }
        return {begin,
                static_cast<uint32_t>(end - begin),
                index,
                static_cast<uint16_t>(left ? 0 : candidate.anchor_end),
                static_cast<uint16_t>(length),
                static_cast<uint16_t>(band),
                candidate.strand,
                static_cast<uint8_t>(left ? 1 : 0)};
    }

  private:
    void find_diagonals(const uint64_t* begin, const uint64_t* end) {
        std::map<uint64_t, std::vector<bool>> covered;
        for (const uint64_t* hit = begin; hit != end; ++hit) {
            std::vector<bool>& bases = covered[*hit >> 16];
            bases.resize(read_.length());
            for (uint32_t i = 0; i < parameters_.kmer; ++i) bases[position_of_hit(*hit) + i] = true;
        }
        for (const auto& [key, bases] : covered)
            diagonals_.push_back({key, static_cast<uint32_t>(std::count(bases.begin(), bases.end(), true))});
    }

    static uint64_t hash(const Diagonal& diagonal) {
        const int64_t coordinate = diagonal_of_hit(diagonal.key << 16);
        return mix64(static_cast<uint64_t>(2 * coordinate + strand_of_hit(diagonal.key << 16)));
    }

    void limit_diagonals() {
        std::vector<Diagonal> part[2];
        for (const Diagonal& each : diagonals_)
            part[genome_.alternate(diagonal_of_hit(each.key << 16) + read_.length() / 2)].push_back(each);
        const bool any_primary = !part[0].empty();
        diagonals_.clear();
        for (const bool alternate : {false, true}) {
            std::vector<Diagonal>& all = part[alternate];
            std::sort(all.begin(), all.end(), [](const Diagonal& a, const Diagonal& b) {
                return a.seeds != b.seeds ? a.seeds > b.seeds : hash(a) < hash(b);
            });
            for (size_t k = 0; k < all.size(); ++k) {
                if (k < k_max_diagonals) {
                    diagonals_.push_back(all[k]);
                } else if (!alternate || !any_primary) {
                    left_out.truncated = 1;
                    left_out.dropped_bp = std::max(left_out.dropped_bp, all[k].seeds);
                }
            }
        }
    }

    /// Steps 3 and 4; the number of pruned diagonals.
    uint32_t compare() {
        if (diagonals_.empty()) return 0;
        const auto first =
            std::min_element(diagonals_.begin(), diagonals_.end(), [](const Diagonal& a, const Diagonal& b) {
                return a.seeds != b.seeds ? a.seeds > b.seeds : a.key < b.key;
            });
        std::iter_swap(diagonals_.begin(), first);
        const auto best = Comparison(genome_, parameters_, read_, diagonals_.front()).candidate();
        const bool settled = best && best->query_begin == 0 && best->query_end == read_.length() &&
                             !best->left_gapped && !best->right_gapped && !best->alternate;
        if (best) candidates.push_back(*best);
        uint32_t pruned = 0;
        for (size_t k = 1; k < diagonals_.size(); ++k) {
            const auto found = Comparison(genome_, parameters_, read_, diagonals_[k]).candidate();
            if (settled && is_far_and_thin(*best, diagonals_[k]) &&
                (!found || (!found->alternate && found->score < best->score - parameters_.pruned_below()))) {
                ++pruned;
                if (found) left_out.pruned_score = std::max(left_out.pruned_score, found->score);
            } else if (found) {
                candidates.push_back(*found);
            }
        }
        return pruned;
    }

    bool is_far_and_thin(const Candidate& best, const Diagonal& other) const {
        const int64_t distance = std::abs(diagonal_of_hit(other.key << 16) - best.diagonal);
        const bool far = strand_of_hit(other.key << 16) != best.strand || distance > parameters_.band;
        return far && 2 * other.seeds < best.seeds;
    }

    /// Step 5.
    void drop_redundant() {
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return std::tie(a.strand, a.diagonal) < std::tie(b.strand, b.diagonal);
        });
        std::vector<bool> gone(candidates.size());
        for (size_t i = 0; i < candidates.size(); ++i) {
            for (size_t j = i + 1; j < candidates.size() && !gone[i]; ++j) {
                const Candidate& a = candidates[i];
                const Candidate& b = candidates[j];
                if (gone[j] || a.strand != b.strand || b.diagonal - a.diagonal > parameters_.band) continue;
                if (same_stretch(a, b)) gone[b.score > a.score ? i : j] = true;
            }
        }
        std::vector<Candidate> left;
        for (size_t i = 0; i < candidates.size(); ++i) {
            if (!gone[i]) left.push_back(candidates[i]);
        }
        candidates = left;
    }

    bool same_stretch(const Candidate& a, const Candidate& b) const {
        const int64_t shift_at_begin = (a.target_begin - a.query_begin) - (b.target_begin - b.query_begin);
        const int64_t shift_at_end = (a.target_end - a.query_end) - (b.target_end - b.query_end);
        if (std::abs(shift_at_begin) >= 25 && std::abs(shift_at_end) >= 25 &&
            std::abs(a.score - b.score) < 3 * parameters_.scoring.mismatch_loss())
            return false;
        const Candidate& worse = a.score < b.score ? a : b;
        const int64_t in_genome =
            std::min(a.target_end, b.target_end) - std::max(a.target_begin, b.target_begin);
        const int64_t in_read =
            std::min<int64_t>(a.query_end, b.query_end) - std::max<int64_t>(a.query_begin, b.query_begin);
        return 2 * in_genome > worse.target_end - worse.target_begin &&
               2 * in_read > int64_t{worse.query_end} - worse.query_begin;
    }

    /// Step 6.
    void limit_candidates() {
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return std::tuple(a.alternate, -a.score, a.strand, a.diagonal, a.query_begin) <
                   std::tuple(b.alternate, -b.score, b.strand, b.diagonal, b.query_begin);
        });
        std::vector<Candidate> kept;
        uint32_t of_part[2] = {0, 0};
        const bool any_primary = !candidates.empty() && !candidates.front().alternate;
        for (const Candidate& each : candidates) {
            const uint32_t rank = of_part[each.alternate]++;
            if (rank < k_max_candidates) kept.push_back(each);
            if (rank == k_max_candidates && (!each.alternate || !any_primary)) {
                left_out.truncated = 1;
                left_out.dropped_score = each.score;
            }
        }
        candidates = kept;
    }

    void choose_extended(bool alternate) {
        const Candidate* first = nullptr;
        uint32_t extended = 0;
        for (Candidate& each : candidates) {
            if (each.alternate != alternate) continue;
            if (first == nullptr) first = &each;
            const bool pruned =
                each.score < first->score - parameters_.pruned_below() && 2 * each.seeds < first->seeds;
            if (!each.left_gapped && !each.right_gapped) continue;
            if (!pruned && extended < k_max_extended)
                ++extended;
            else
                each.left_gapped = each.right_gapped = false;
        }
    }

    const Genome& genome_;
    const CandidateParameters& parameters_;
    const Read& read_;
    std::vector<Diagonal> diagonals_;
};

}  // namespace

void candidates_reference(const CandidateParameters& parameters, const GenomeView& genome_view,
                          const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results) {
    candidates::check(parameters, reads, hits);
    const Genome genome(genome_view);
    candidates::clear(results);
    for (uint32_t index = 0; index < reads.reads; ++index) {
        const Read read(reads, index);
        Search search(genome, parameters, read);
        search.run(hits.hits + hits.hit_begin[index], hits.hits + hits.hit_end[index]);
        for (Candidate& candidate : search.candidates) {
            for (const bool left : {true, false}) {
                if (!(left ? candidate.left_gapped : candidate.right_gapped)) continue;
                (left ? candidate.left_job : candidate.right_job) =
                    static_cast<uint32_t>(results.jobs.size());
                results.jobs.push_back(search.job(index, candidate, left));
            }
            results.candidates.push_back(candidate);
        }
        results.candidate_begin.push_back(static_cast<uint32_t>(results.candidates.size()));
        results.left_out.push_back(search.left_out);
    }
}

namespace candidates {

std::optional<Candidate> compare_reference(const CandidateParameters& parameters, const GenomeView& genome,
                                           const ReadBatchView& reads, uint32_t read, int64_t diagonal,
                                           uint8_t strand) {
    const Genome of_op(genome);
    const Read own(reads, read);
    return Comparison(of_op, parameters, own, {hit_key(strand, diagonal, 0) >> 16, 0}).candidate();
}

ExtensionJob job_reference(const CandidateParameters& parameters, const GenomeView& genome,
                           const ReadBatchView& reads, uint32_t read, const Candidate& candidate, bool left) {
    const Genome of_op(genome);
    const Read own(reads, read);
    return Search(of_op, parameters, own).job(read, candidate, left);
}

}  // namespace candidates

}  // namespace gannet::kernels
