// SPDX-License-Identifier: MIT
// Provides the finding of paralogues by shared words, and their removal from the reference.
#include "data/simulate/hidden_copies.hpp"
#include "data/simulate/random.hpp"

#include <algorithm>

namespace gannet::data::simulate {

namespace {

constexpr uint32_t k_word_bp = 32;
constexpr uint64_t k_sampling = 32;      ///< one word in so many is looked at
constexpr size_t k_max_occurrences = 8;  ///< words of common repeats are passed over
constexpr uint64_t k_max_gap_bp = 1500;
constexpr uint64_t k_min_bp = 1000;
constexpr uint64_t k_max_bp = 100000;
constexpr uint64_t k_diagonal_bp = 1024;
constexpr uint64_t k_min_words_share = 4;  ///< of the words looked at, one in so many must be shared

constexpr uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 32) * 0x9FB21C651E98DF25U;
    return x ^ x >> 29;
}

struct Word {
    uint64_t hash;
    uint64_t at : 63;  ///< over all contigs
    uint64_t is_reverse : 1;
};

std::vector<Word> words_of(const Genome& genome) {
    std::vector<Word> words;
    uint64_t offset = 0;
    for (const Sequence& sequence : genome.sequences) {
        uint64_t forward = 0;
        uint64_t reverse = 0;
        uint32_t known = 0;
        for (uint64_t i = 0; i < sequence.bases.size(); ++i) {
            const uint64_t base = sequence.bases[i];
            known = base < k_base_n ? known + 1 : 0;
            forward = forward << 2 | (base & 3);
            reverse = reverse >> 2 | (3 - (base & 3)) << 62;
            if (known < k_word_bp) continue;
            const uint64_t hash = mixed(std::min(forward, reverse));
            if (hash % k_sampling == 0)
                words.push_back({hash, offset + i + 1 - k_word_bp, reverse < forward});
        }
        offset += sequence.bases.size();
    }
    std::sort(words.begin(), words.end(),
              [](const Word& a, const Word& b) { return a.hash != b.hash ? a.hash < b.hash : a.at < b.at; });
    return words;
}

/// A word at `first` and again at `second`, later.
struct Hit {
    uint64_t diagonal;  ///< their distance or, of opposite strands, their sum, by k_diagonal_bp
    uint64_t first;
    uint64_t second;
    bool opposite;
};

std::vector<Hit> hits_of(const std::vector<Word>& words) {
    std::vector<Hit> hits;
    for (size_t begin = 0; begin < words.size();) {
        size_t end = begin + 1;
        while (end < words.size() && words[end].hash == words[begin].hash) ++end;
        if (end - begin <= k_max_occurrences)
            for (size_t i = begin; i < end; ++i)
                for (size_t j = i + 1; j < end; ++j) {
                    const bool opposite = words[i].is_reverse != words[j].is_reverse;
                    const uint64_t diagonal =
                        opposite ? words[j].at + words[i].at : words[j].at - words[i].at;
                    hits.push_back({diagonal / k_diagonal_bp, words[i].at, words[j].at, opposite});
                }
        begin = end;
    }
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        if (a.opposite != b.opposite) return a.opposite < b.opposite;
        if (a.diagonal != b.diagonal) return a.diagonal < b.diagonal;
        return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    return hits;
}

class Places {
  public:
    explicit Places(const Genome& genome) {
        for (const Sequence& sequence : genome.sequences) {
            begins_.push_back(size_);
            size_ += sequence.bases.size();
        }
        begins_.push_back(size_);
    }
    uint32_t contig(uint64_t at) const {
        return static_cast<uint32_t>(std::upper_bound(begins_.begin(), begins_.end(), at) - begins_.begin() -
                                     1);
    }
    uint64_t begin(uint32_t contig) const { return begins_[contig]; }

  private:
    std::vector<uint64_t> begins_;
    uint64_t size_ = 0;
};

}  // namespace

std::vector<Paralogue> find_paralogues(const Genome& genome) {
    const std::vector<Hit> hits = hits_of(words_of(genome));
    const Places places(genome);
    std::vector<Paralogue> found;
    for (size_t begin = 0; begin < hits.size();) {
        size_t end = begin + 1;
        while (end < hits.size() && hits[end].opposite == hits[begin].opposite &&
               hits[end].diagonal == hits[begin].diagonal &&
               hits[end].first - hits[end - 1].first < k_max_gap_bp)
            ++end;
        const auto [low, high] = std::minmax_element(
            hits.begin() + static_cast<ptrdiff_t>(begin), hits.begin() + static_cast<ptrdiff_t>(end),
            [](const Hit& a, const Hit& b) { return a.second < b.second; });
        const uint64_t from = low->second;
        const uint64_t to = high->second + k_word_bp;
        const uint64_t other = hits[begin].first;
        const uint64_t span = to - from;
        const uint32_t contig = places.contig(from);
        const bool is_apart = from >= hits[end - 1].first + k_word_bp;
        if (span >= k_min_bp && span <= k_max_bp && is_apart && contig == places.contig(to - 1) &&
            (end - begin) * k_sampling * k_min_words_share >= span) {
            const uint32_t other_contig = places.contig(other);
            found.push_back({contig, from - places.begin(contig), to - places.begin(contig), other_contig,
                             other - places.begin(other_contig)});
        }
        begin = end;
    }
    std::sort(found.begin(), found.end(), [](const Paralogue& a, const Paralogue& b) {
        if (a.contig != b.contig) return a.contig < b.contig;
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Paralogue> apart;
    for (const Paralogue& paralogue : found)
        if (apart.empty() || apart.back().contig != paralogue.contig || apart.back().end <= paralogue.begin)
            apart.push_back(paralogue);
    return apart;
}

std::vector<Paralogue> take_out_paralogues(Genome& genome, double share, uint64_t seed) {
    if (share <= 0) return {};
    Random random(seed, Stream::paralogues, 0);
    std::vector<Paralogue> taken;
    for (const Paralogue& paralogue : find_paralogues(genome)) {
        if (!random.chance(share)) continue;
        std::vector<Base>& bases = genome.sequences[paralogue.contig].bases;
        std::fill(bases.begin() + static_cast<ptrdiff_t>(paralogue.begin),
                  bases.begin() + static_cast<ptrdiff_t>(paralogue.end), k_base_n);
        taken.push_back(paralogue);
    }
    for (Sequence& sequence : genome.sequences) sequence.unknown = unknown_runs(sequence.bases);
    return taken;
}

}  // namespace gannet::data::simulate
