// SPDX-License-Identifier: MIT
// Provides the backend `reference` of the op pairing: the contract step by step, apart from the code of the
// other backends.
#include "kernels/genome/packed_words.hpp"
#include "kernels/pairing/pairing_backends.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace gannet::kernels {
namespace {

struct Call {
    const PairingParameters& parameters;
    const GenomeView& genome;
    const ReadBatchView& reads;
    const PairingBatch& batch;

    int64_t mismatch() const { return 16 * int64_t{parameters.scoring.match + parameters.scoring.mismatch}; }
    int64_t unpaired() const { return 16 * int64_t{parameters.unpaired_penalty}; }
};

/// A read, and what is known of it.
struct Read {
    uint32_t index = 0;
    std::vector<Candidate> competing;
    std::vector<Candidate> aside;
    uint32_t competing_begin = 0;
    size_t within_reach = 0;
    std::vector<int64_t> total;
    size_t chosen = 0;

    int64_t margin = 0;  // step 5
    int64_t own_margin = 0;
    int64_t near_equal = 0;
    int64_t loss = 0;
    int32_t sub_score = 0;
    int64_t left_out = k_nothing_left_out;  // step 6: its own, and that of the template
    int64_t left_out_of_template = k_nothing_left_out;

    bool has_place() const { return !competing.empty(); }
    const Candidate& best() const { return competing[chosen]; }
};

int64_t weighed(const Candidate& c) { return 16 * int64_t{c.score} + c.left_quality + c.right_quality; }

const PairingRead& given(const Call& call, const Read& read) { return call.batch.reads[read.index]; }

// 1
Read read_of(const Call& call, uint32_t index) {
    Read read;
    read.index = index;
    const PairingRead& own = call.batch.reads[index];
    std::vector<Candidate> parts[2];
    for (uint32_t i = own.candidate_begin; i < own.candidate_end; ++i)
        parts[call.batch.candidates[i].alternate].push_back(call.batch.candidates[i]);
    const int32_t least = call.parameters.minimum_score_of(own.length);
    const auto scores = [&](const std::vector<Candidate>& part) {
        return !part.empty() && part[0].score >= least;
    };
    const bool alternates = parts[0].empty() || (scores(parts[1]) && !scores(parts[0]));
    read.competing_begin = own.candidate_begin + (alternates ? static_cast<uint32_t>(parts[0].size()) : 0);
    read.competing = parts[alternates];
    if (!alternates) read.aside = parts[1];
    if (!scores(read.competing)) {
        read.competing.clear();
        return read;
    }
    for (const Candidate& c : read.competing)
        read.within_reach += c.score >= read.competing[0].score - call.parameters.unpaired_penalty;
    read.within_reach = std::min<size_t>(read.within_reach, k_max_candidates);
    return read;
}

// 2
uint64_t salt_of(const Call& call, uint32_t index) {
    uint64_t salt = 0x9e3779b97f4a7c15;
    for (uint32_t i = call.batch.label_begin[index]; i < call.batch.label_begin[index + 1]; ++i)
        salt = mix64(salt ^ static_cast<unsigned char>(call.batch.labels[i]));
    return salt;
}

uint64_t hash_of(const Candidate& c, uint64_t salt) {
    return mix64(salt ^ mix64(static_cast<uint64_t>(c.diagonal) * 2 + c.strand));
}

// 3
void choose_alone(Read& read, uint64_t salt) {
    for (size_t i = 0; i < read.within_reach; ++i) read.total.push_back(weighed(read.competing[i]));
    const auto rank = [&](size_t i) { return std::pair(read.total[i], hash_of(read.competing[i], salt)); };
    for (size_t i = 1; i < read.within_reach; ++i) {
        if (rank(i) > rank(read.chosen)) read.chosen = i;
    }
}

// 4
std::optional<int64_t> insert_of(const Call& call, const Read& read_a, const Candidate& a, const Read& read_b,
                                 const Candidate& b) {
    if (a.contig != b.contig || a.strand == b.strand) return std::nullopt;
    const bool a_first = a.strand == 0;
    const Candidate& forward = a_first ? a : b;
    const Candidate& reverse = a_first ? b : a;
    const int64_t length = given(call, a_first ? read_b : read_a).length;
    const int64_t insert = reverse.target_end + length - reverse.query_end -
                           (forward.target_begin - int64_t{forward.query_begin});
    if (insert < 1 || insert > 10'000 || insert < call.parameters.low_bp || insert > call.parameters.high_bp)
        return std::nullopt;
    return insert;
}

int64_t penalty_of(const Call& call, int64_t insert) {
    const int64_t quarters =
        4 * std::abs(insert - call.parameters.mean_bp) / std::max(1, call.parameters.sd_bp);
    return int64_t{call.parameters.scoring.match} *
           call.parameters.tail_penalty[static_cast<size_t>(std::min<int64_t>(quarters, 32))];
}

bool choose_pair(const Call& call, Read& a, Read& b, uint64_t salt) {
    struct Pair {
        int64_t total;
        bool proper;
        uint64_t hash;
        size_t i;
        size_t j;
    };
    std::vector<Pair> proper;
    for (size_t i = 0; i < a.within_reach; ++i) {
        for (size_t j = 0; j < b.within_reach; ++j) {
            const auto insert = insert_of(call, a, a.competing[i], b, b.competing[j]);
            if (!insert) continue;
            proper.push_back({weighed(a.competing[i]) + weighed(b.competing[j]) - penalty_of(call, *insert),
                              true, hash_of(a.competing[i], hash_of(b.competing[j], salt)), i, j});
        }
    }
    const int64_t alone_a = weighed(a.best());
    const int64_t alone_b = weighed(b.best());
    for (size_t i = 0; i < a.within_reach; ++i) {
        a.total[i] = weighed(a.competing[i]) + alone_b - call.unpaired();
        for (const Pair& pair : proper)
            if (pair.i == i) a.total[i] = std::max(a.total[i], pair.total);
    }
    for (size_t j = 0; j < b.within_reach; ++j) {
        b.total[j] = weighed(b.competing[j]) + alone_a - call.unpaired();
        for (const Pair& pair : proper)
            if (pair.j == j) b.total[j] = std::max(b.total[j], pair.total);
    }
    Pair best{alone_a + alone_b - call.unpaired(), false, 0, a.chosen, b.chosen};
    for (const Pair& pair : proper) {
        if (std::tuple(pair.total, pair.proper, pair.hash) > std::tuple(best.total, best.proper, best.hash))
            best = pair;
    }
    a.chosen = best.i;
    b.chosen = best.j;
    return best.proper;
}

// 5
bool overlap(const Candidate& a, const Candidate& b, uint32_t length) {
    const auto sequenced = [length](const Candidate& c) {
        std::vector<bool> bases(length);
        for (uint32_t i = c.query_begin; i < c.query_end; ++i)
            bases[c.strand == 0 ? i : length - 1 - i] = true;
        return bases;
    };
    const std::vector<bool> of_a = sequenced(a);
    const std::vector<bool> of_b = sequenced(b);
    uint32_t both = 0;
    for (uint32_t i = 0; i < length; ++i) both += of_a[i] && of_b[i];
    return 2 * both > std::min(a.query_end - a.query_begin, b.query_end - b.query_begin);
}

void find_evidence(const Call& call, Read& read) {
    const uint32_t length = given(call, read).length;
    const int64_t match = 16 * int64_t{call.parameters.scoring.match};
    const Candidate& chosen = read.best();
    std::optional<int64_t> rival;
    read.sub_score = given(call, read).left_out.pruned_score;
    for (size_t i = 0; i < read.competing.size(); ++i) {
        if (i == read.chosen || !overlap(read.competing[i], chosen, length)) continue;
        read.sub_score = std::max(read.sub_score, read.competing[i].score);
        if (i >= read.within_reach) continue;
        rival = std::max(rival.value_or(read.total[i]), read.total[i]);
        read.near_equal += read.total[i] >= read.total[read.chosen] - call.mismatch();
    }
    read.own_margin = 16 * (int64_t{chosen.score} - read.sub_score);
    read.margin = rival ? read.total[read.chosen] - *rival
                        : (read.own_margin < 0 ? call.mismatch() / k_usual_mismatch_loss : read.own_margin);
    read.loss = std::max<int64_t>(0, (chosen.query_end - chosen.query_begin) * match - weighed(chosen)) +
                std::min(chosen.query_begin * match, call.mismatch()) +
                std::min((length - chosen.query_end) * match, call.mismatch());
}

// 6
uint32_t packed_code(const uint64_t* words, uint64_t base) { return words[base / 32] >> 2 * (base % 32) & 3; }

bool matches_on(const Call& call, const Read& read, int64_t diagonal, uint32_t begin, uint32_t end) {
    const uint64_t* const sequenced = call.reads.words(read.index, 0);
    const uint32_t length = given(call, read).length;
    for (uint32_t base = begin; base < end; ++base) {
        const int64_t block = diagonal + begin + (base - begin) / 32 * 32;
        if (block < 0 || block > static_cast<int64_t>(call.genome.genome_size()) - 64) return false;
        const uint32_t own = read.best().strand == 0 ? packed_code(sequenced, base)
                                                     : 3 - packed_code(sequenced, length - 1 - base);
        if (own != packed_code(call.genome.packed, static_cast<uint64_t>(diagonal + base))) return false;
    }
    return true;
}

bool matches_in(const Call& call, const Read& read, DistinctPart part) {
    const Candidate& c = read.best();
    const uint32_t length = given(call, read).length;
    const uint32_t begin = c.strand == 0 ? part.begin : length - part.end;
    const uint32_t end = c.strand == 0 ? part.end : length - part.begin;
    if (begin < c.query_begin || end > c.query_end) return false;
    return matches_on(call, read, c.diagonal, begin, end) ||
           (c.left_gapped && matches_on(call, read, c.target_begin - c.query_begin, begin, end)) ||
           (c.right_gapped && matches_on(call, read, c.target_end - c.query_end, begin, end));
}

void find_left_out(const Call& call, Read& read) {
    const PairingRead& own = given(call, read);
    const BandedSwScoring& scoring = call.parameters.scoring;
    if (own.left_out.dropped_score >= 0)
        read.left_out = 16 * (int64_t{read.best().score} - own.left_out.dropped_score);
    if (own.narrowed || own.left_out.dropped_bp > 0) {
        int64_t count = 0;
        uint32_t last_end = 0;
        for (uint32_t i = own.part_begin; i < own.part_end; ++i) {
            const DistinctPart part = call.batch.parts[i];
            if (part.begin < last_end || !matches_in(call, read, part)) continue;
            ++count;
            last_end = part.end;
        }
        count = std::max<int64_t>(0, count - own.left_out.dropped_bp / call.parameters.kmer);
        const int32_t least =
            std::min(scoring.match + scoring.mismatch, scoring.gap_open + scoring.gap_extend);
        read.left_out = std::min(read.left_out, 16 * count * least);
    }
    read.left_out_of_template = read.left_out;
}

void limit_by_mate(const Call& call, Read& read, const Read& mate, bool proper) {
    if (read.left_out == k_nothing_left_out || !mate.has_place()) return;
    int64_t lower = std::min(call.unpaired(), mate.left_out);
    if (mate.competing.size() > 6) lower = std::min(lower, weighed(mate.best()) - weighed(mate.competing[6]));
    read.left_out_of_template =
        read.left_out + (proper ? std::max<int64_t>(lower, 0) : lower - call.unpaired());
}

bool near_equal_left_out(const Call& call, const Read& read) {
    return read.left_out_of_template <= call.mismatch();
}

// 8
/// The discount of `loss`: of each whole difference its own, of the rest of the last one in proportion.
int64_t discount_of(const Call& call, int64_t loss) {
    const DifferenceDiscount& of = call.parameters.difference_discount;
    int64_t whole = 0;
    while (whole < 63 && (whole + 1) * call.mismatch() <= loss) ++whole;
    const int64_t lower = of[static_cast<size_t>(whole)];
    const int64_t step = of[static_cast<size_t>(whole) + 1] - lower;
    return lower + (loss - whole * call.mismatch()) * step / call.mismatch();
}

int64_t quality_of(const Call& call, const Read& read, bool proper) {
    const int64_t margin = std::min(read.margin, read.left_out_of_template);
    const int64_t own_margin = std::min(read.own_margin, read.left_out);
    if (margin <= 0) return 0;
    int64_t quality = margin * 45 / (2 * call.mismatch()) -
                      (discount_of(call, read.loss + margin) - discount_of(call, read.loss)) / 16;
    quality = std::min(quality, std::max<int64_t>(0, own_margin * 45 / (2 * call.mismatch())) + 40);
    const int64_t near_equal = near_equal_left_out(call, read) ? 16 : std::min<int64_t>(read.near_equal, 16);
    quality -= call.parameters.crowd_penalty[static_cast<size_t>(near_equal)];
    const int64_t match = call.parameters.scoring.match;
    const int64_t by_length = 2 * (read.best().score - 20 * match) / match + (proper ? 20 : 0);
    return std::max<int64_t>(0, std::min({quality, by_length, int64_t{60}}));
}

// 9
PlacedRead placed(const Call& call, const Read& read, bool proper, bool needs_search) {
    PlacedRead out;
    if (!read.has_place()) return out;
    const Candidate& chosen = read.best();
    out.candidate = read.competing_begin + static_cast<uint32_t>(read.chosen);
    out.sub_score = read.sub_score;
    out.mapping_quality = static_cast<uint8_t>(quality_of(call, read, proper));
    out.proper = proper;
    out.needs_search = needs_search;
    out.more_parts = !read.aside.empty();
    uint32_t hits = 0;
    const int32_t least = call.parameters.minimum_score_of(given(call, read).length);
    for (size_t i = 0; i < read.competing.size(); ++i) {
        const Candidate& other = read.competing[i];
        if (i == read.chosen || other.score < least) continue;
        const bool same_part = overlap(other, chosen, given(call, read).length);
        if (!same_part) out.more_parts = true;
        if (same_part && 5 * int64_t{other.score} >= 4 * int64_t{chosen.score}) ++hits;
    }
    out.other_hits = hits >= 1 && hits <= (chosen.alternate ? 200u : 5u);
    out.left_gapped = chosen.left_gapped;
    out.right_gapped = chosen.right_gapped;
    return out;
}

void place(const Call& call, std::vector<Read>& reads, uint32_t index, PlacedRead* out) {
    const uint64_t salt = salt_of(call, index);
    for (Read& read : reads) choose_alone(read, salt);
    const bool both = reads.size() == 2 && reads[0].has_place() && reads[1].has_place();
    const bool proper = both && choose_pair(call, reads[0], reads[1], salt);
    for (Read& read : reads) {
        if (!read.has_place()) continue;
        find_evidence(call, read);
        find_left_out(call, read);
    }
    bool needs_search = false;
    if (both) {
        limit_by_mate(call, reads[0], reads[1], proper);
        limit_by_mate(call, reads[1], reads[0], proper);
        needs_search = proper &&
                       (near_equal_left_out(call, reads[0]) || near_equal_left_out(call, reads[1])) &&
                       !(reads[0].margin <= 0 && reads[1].margin <= 0);
    }
    if (proper) reads[0].loss = reads[1].loss = reads[0].loss + reads[1].loss;
    for (const Read& read : reads) out[read.index] = placed(call, read, proper, needs_search);
}

}  // namespace

void pairing_reference(Stream&, const PairingParameters& parameters, const GenomeView& genome,
                       const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out) {
    pairing::check(parameters, reads, batch);
    const Call call{parameters, genome, reads, batch};
    out.resize(reads.reads);
    const uint32_t each = reads.paired ? 2 : 1;
    for (uint32_t first = 0; first < reads.reads; first += each) {
        std::vector<Read> own;
        for (uint32_t i = 0; i < each; ++i) own.push_back(read_of(call, first + i));
        place(call, own, first / each, out.data());
    }
}

}  // namespace gannet::kernels
