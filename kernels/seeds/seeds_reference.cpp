// SPDX-License-Identifier: MIT
// Provides the backend `reference` of seeding: the contract, base by base and entry by entry.
#include "kernels/seeds/seeds_backends.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace gannet::kernels {

namespace {

uint32_t base_at(const uint64_t* words, uint64_t position) {
    return static_cast<uint32_t>(words[position / 32] >> 2 * (position % 32) & 3);
}

struct Seed {
    uint32_t position = 0;
    bool reverse = false;
    uint64_t hash = 0;
    bool is_long = false;
    bool is_first = false;  ///< one of the disjoint ones of all seeds
    // Entries by their word.
    std::vector<uint64_t> used;
    std::vector<uint64_t> beside;
    int32_t left_out_bp = k_none_left_out;
};

/// What is kept of a run, and of the rest the most bases that one next to it shares.
struct Kept {
    uint64_t begin = 0;
    uint64_t end = 0;
    int32_t left_out_bp = k_none_left_out;
    int32_t shared_bp = 0;
};

/// One read.
class Seeding {
  public:
    Seeding(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads, uint32_t read)
        : index_(index), genome_(genome), reads_(reads), read_(read), length_(reads.length[read]) {
        if (length_ < index.kmer || length_ > k_seeds_max_read) return;
        for (uint32_t i = 0; i + index.kmer <= length_; ++i) {
            if (!is_ambiguous(i) && is_syncmer(i)) add_seed(i);
        }
        settled_ = settle();
    }

    bool is_settled() const { return settled_; }

    /// Chooses the entries of a read that is not settled.
    void choose(bool is_mate_settled) {
        const uint32_t unique = disjoint([this](const Seed& seed) { return is_unique(seed); });
        const uint32_t complete =
            disjoint([this](const Seed& seed) { return !seed.is_long && count_primary(seed.used) > 0; });
        const bool enough =
            complete >= k_enough_complete || (is_mate_settled && complete >= k_enough_beside_mate);
        for (Seed& seed : seeds_) {
            if (unique >= k_enough_unique) {
                if (seed.is_long || seed.used.size() > k_hits_beside_unique) leave_out(seed);
            } else if (seed.is_long && enough) {
                leave_out(seed);
                narrowed_ |= complete < k_enough_complete;
            } else if (seed.is_long) {
                seed.used = entries_of(seed);
            }
        }
        narrow_to_the_right();
        narrow_to_the_left();
    }

    void add_to(SeedHits& out) const {
        const size_t first = out.hits.size();
        for (const Seed& seed : seeds_) {
            for (const uint64_t entry : seed.used) out.hits.push_back(hit(seed, entry));
        }
        for (const Seed& seed : seeds_) {
            for (const uint64_t entry : seed.beside) out.hits.push_back(hit(seed, entry));
        }
        out.hit_offset.push_back(out.hits.size());
        out.complete_seeds.push_back(
            disjoint([](const Seed& seed) { return seed.left_out_bp == k_none_left_out; }));
        bool narrowed = narrowed_;
        for (const Seed& seed : seeds_)
            narrowed |= seed.left_out_bp != k_none_left_out && seed.left_out_bp != k_all_left_out;
        out.narrowed.push_back(narrowed ? 1 : 0);
        if (narrowed || out.hits.size() - first > k_max_diagonals) add_parts(out.parts);
        out.part_offset.push_back(static_cast<uint32_t>(out.parts.size()));
    }

  private:
    bool is_ambiguous(uint32_t position) const {
        if (!reads_.is_ambiguous(read_)) return false;
        for (uint32_t i = position; i < position + index_.kmer; ++i) {
            if (base_at(reads_.mask_words(read_, 0), i) != 0) return true;
        }
        return false;
    }

    uint64_t number(uint32_t position, uint32_t bases) const {
        uint64_t value = 0;
        for (uint32_t i = 0; i < bases; ++i)
            value |= uint64_t{base_at(reads_.words(read_, 0), position + i)} << 2 * i;
        return value;
    }
    uint64_t number_of_complement(uint32_t position, uint32_t bases) const {
        uint64_t value = 0;
        for (uint32_t i = 0; i < bases; ++i)
            value |= uint64_t{3 - base_at(reads_.words(read_, 0), position + bases - 1 - i)} << 2 * i;
        return value;
    }

    uint32_t smer_value(uint32_t position) const {
        auto x = static_cast<uint32_t>(
            std::min(number(position, index_.smer), number_of_complement(position, index_.smer)));
        x += 0x7f4a7c15;
        x ^= x >> 15;
        x *= 0x2c1b3c6d;
        return x ^ x >> 12;
    }

    bool is_syncmer(uint32_t position) const {
        const uint32_t last = position + index_.kmer - index_.smer;
        uint32_t smallest = UINT32_MAX;
        for (uint32_t i = position; i <= last; ++i) smallest = std::min(smallest, smer_value(i));
        return smer_value(position) == smallest || smer_value(last) == smallest;
    }

    void add_seed(uint32_t position) {
        const uint32_t k = index_.kmer;
        const uint64_t modulus = uint64_t{1} << 2 * k;
        const uint64_t forward = number(position, k);
        const uint64_t backward = number_of_complement(position, k);
        Seed seed;
        seed.position = position;
        seed.reverse = backward < forward;
        uint64_t x = std::min(forward, backward);
        x = (x + 0x9e3779b97f4a7c15) % modulus;
        x = x * 0xbf58476d1ce4e5b9 % modulus;
        x ^= x >> k;
        x = x * 0x94d049bb133111eb % modulus;
        x ^= x >> k;
        seed.hash = x;
        seed.is_long = number_of_words(x >> index_.bucket_shift) == k_long_mark;
        if (!seed.is_long) seed.used = entries_of(seed);
        seeds_.push_back(seed);
    }

    /// What the first word of its block has for a bucket.
    uint64_t number_of_words(uint64_t bucket) const {
        const uint64_t first = index_.words[index_.block_begin[bucket / 16]].value();
        return first >> 4 * (bucket % 16) & 15;
    }

    std::vector<uint64_t> entries_of(const Seed& seed) const {
        const uint64_t bucket = seed.hash >> index_.bucket_shift;
        uint64_t word = index_.block_begin[bucket / 16] + uint64_t{1};
        for (uint64_t before = bucket / 16 * 16; before < bucket; ++before)
            word += number_of_words(before) == k_long_mark ? 1 : number_of_words(before);
        std::vector<uint64_t> found;
        if (seed.is_long) return entries_of_long(index_.words[word].value(), seed);
        for (uint64_t i = word; i < word + number_of_words(bucket); ++i) {
            if (index_.words[i].fingerprint() == SeedEntry::fingerprint_of(seed.hash)) found.push_back(i);
        }
        return found;
    }

    /// Of the long bucket at `place`.
    std::vector<uint64_t> entries_of_long(uint64_t place, const Seed& seed) const {
        const uint64_t kmers = index_.words[place].value() & UINT32_MAX;
        std::vector<uint64_t> found;
        for (uint64_t kmer = place + 1; kmer <= place + kmers; ++kmer) {
            if (index_.words[kmer].fingerprint() != SeedEntry::fingerprint_of(seed.hash)) continue;
            const uint64_t end = kmer < place + kmers ? index_.words[kmer + 1].value() & UINT32_MAX
                                                      : index_.words[place].value() >> 32;
            for (uint64_t i = index_.words[kmer].value() & UINT32_MAX; i < end; ++i) found.push_back(i);
        }
        return found;
    }

    bool on_alternate(uint64_t entry) const {
        const auto position = static_cast<int64_t>(index_.words[entry].position());
        for (uint32_t i = 0; i < genome_.alternate_count; ++i) {
            if (position >= genome_.alternate[i].begin && position < genome_.alternate[i].end) return true;
        }
        return false;
    }
    size_t count_primary(const std::vector<uint64_t>& entries) const {
        size_t count = 0;
        for (const uint64_t entry : entries) count += on_alternate(entry) ? 0 : 1;
        return count;
    }

    template <class Condition>
    uint32_t disjoint(const Condition& condition) const {
        uint32_t count = 0;
        uint32_t end = 0;
        for (const Seed& seed : seeds_) {
            if (seed.position < end || !condition(seed)) continue;
            ++count;
            end = seed.position + index_.kmer;
        }
        return count;
    }

    static void leave_out(Seed& seed) {
        seed.used.clear();
        seed.left_out_bp = k_all_left_out;
    }

    bool is_unique(const Seed& seed) const {
        return !seed.is_long && seed.used.size() == 1 && count_primary(seed.used) == 1;
    }

    /// Whether the read is settled by the disjoint ones of all its seeds.
    bool settle() {
        std::vector<const Seed*> unique;
        uint32_t end = 0;
        for (Seed& seed : seeds_) {
            if (seed.position < end) continue;
            seed.is_first = true;
            end = seed.position + index_.kmer;
            if (is_unique(seed)) unique.push_back(&seed);
        }
        if (unique.size() < k_enough_unique) return false;
        const uint64_t place = hit(*unique.front(), unique.front()->used.front());
        for (const Seed* const seed : unique) {
            const uint64_t other = hit(*seed, seed->used.front());
            if (strand_of_hit(other) != strand_of_hit(place) ||
                std::abs(diagonal_of_hit(other) - diagonal_of_hit(place)) > k_same_place_bp)
                return false;
        }
        const uint32_t last_end = unique.back()->position + index_.kmer;
        if (unique.front()->position > k_open_end_bp || length_ - last_end > k_open_end_bp) return false;
        for (Seed& seed : seeds_) {
            if (!seed.is_first || seed.is_long || seed.used.size() > k_hits_beside_unique) leave_out(seed);
        }
        return true;
    }

    void narrow_to_the_right() {
        uint32_t matched_to = 0;
        for (Seed& seed : seeds_) {
            if (seed.reverse || seed.used.size() <= k_plain_hits) continue;
            if (seed.position + index_.kmer <= matched_to) {
                leave_out(seed);
            } else if (const int32_t shared_bp = narrow(seed); shared_bp != k_widened) {
                matched_to = seed.position + index_.kmer + static_cast<uint32_t>(shared_bp);
            }
        }
    }

    void narrow_to_the_left() {
        uint32_t matched_from = UINT32_MAX;
        for (auto seed = seeds_.rbegin(); seed != seeds_.rend(); ++seed) {
            if (!seed->reverse || seed->used.size() <= k_plain_hits) continue;
            if (seed->position >= matched_from) {
                leave_out(*seed);
            } else if (const int32_t shared_bp = narrow(*seed); shared_bp != k_widened) {
                matched_from = seed->position - static_cast<uint32_t>(shared_bp);
            }
        }
    }

    static constexpr int32_t k_widened = -1;

    /// Returns the most bases that an entry shares with the seed's context, or k_widened.
    int32_t narrow(Seed& seed) const {
        const std::vector<uint64_t> run = seed.used;
        const Kept kept = keep(seed, run, k_narrowed_hits);
        seed.used.assign(run.begin() + static_cast<std::ptrdiff_t>(kept.begin),
                         run.begin() + static_cast<std::ptrdiff_t>(kept.end));
        seed.left_out_bp = kept.left_out_bp;
        if (genome_.alternate_count == 0 || count_primary(seed.used) >= k_narrowed_hits / 2)
            return kept.shared_bp;
        const Kept wider = keep(seed, run, k_narrowed_beside_alternates);
        for (uint64_t i = wider.begin; i < wider.end; ++i) {
            if ((i < kept.begin || i >= kept.end) && !on_alternate(run[i])) seed.beside.push_back(run[i]);
        }
        seed.left_out_bp = wider.left_out_bp;
        return k_widened;
    }

    Kept keep(const Seed& seed, const std::vector<uint64_t>& run, size_t most) const {
        std::vector<int32_t> shared;
        uint64_t place = 0;
        for (const uint64_t entry : run) {
            const int32_t bases = shared_bp(seed, entry);
            shared.push_back(bases);
            const auto next = static_cast<uint32_t>(bases);
            if (next < context_length(seed) && context_of_entry(entry, next) < context_of_read(seed, next))
                ++place;
        }
        Kept kept{place, place, k_none_left_out, 0};
        const auto before = [&] { return kept.begin > 0 ? shared[kept.begin - 1] : -1; };
        const auto behind = [&] { return kept.end < run.size() ? shared[kept.end] : -1; };
        kept.shared_bp = std::max({before(), behind(), 0});
        while (kept.end - kept.begin < most && std::max(before(), behind()) >= 0) {
            if (behind() >= before()) {
                ++kept.end;
            } else {
                --kept.begin;
            }
        }
        kept.left_out_bp = std::max(before(), behind());
        return kept;
    }

    uint32_t context_length(const Seed& seed) const {
        const uint32_t behind = seed.reverse ? seed.position : length_ - seed.position - index_.kmer;
        return std::min(behind, k_context_bases);
    }
    /// Base `i` behind the k-mer in its canonical direction.
    uint32_t context_of_read(const Seed& seed, uint32_t i) const {
        const uint64_t* const words = reads_.words(read_, 0);
        return seed.reverse ? 3 - base_at(words, seed.position - 1 - i)
                            : base_at(words, seed.position + index_.kmer + i);
    }
    uint32_t context_of_entry(uint64_t at, uint32_t i) const {
        const SeedEntry entry = index_.words[at];
        const uint64_t position = entry.position();
        const uint64_t block = i / 32;
        if (entry.reverse()) {
            const bool is_within = position >= 32 * (block + 1);
            return is_within ? 3 - base_at(genome_.packed, position - 1 - i) : 0;
        }
        const uint64_t begin = position + index_.kmer + 32 * block;
        return begin + 64 <= genome_.genome_size() ? base_at(genome_.packed, begin + i % 32) : 0;
    }
    int32_t shared_bp(const Seed& seed, uint64_t entry) const {
        uint32_t i = 0;
        while (i < context_length(seed) && context_of_entry(entry, i) == context_of_read(seed, i)) ++i;
        return static_cast<int32_t>(i);
    }

    uint64_t hit(const Seed& seed, uint64_t at) const {
        const SeedEntry entry = index_.words[at];
        const bool strand = entry.reverse() != seed.reverse;
        const uint32_t oriented = strand ? length_ - index_.kmer - seed.position : seed.position;
        return hit_key(strand, static_cast<int64_t>(entry.position()) - oriented, oriented);
    }

    void add_parts(std::vector<DistinctPart>& out) const {
        std::vector<DistinctPart> parts;
        for (const Seed& seed : seeds_) {
            if (seed.used.empty()) continue;
            const auto more = static_cast<uint32_t>(seed.left_out_bp + 1);
            if (more > context_length(seed)) continue;
            const uint32_t begin = seed.reverse ? seed.position - more : seed.position;
            parts.push_back(
                {static_cast<uint16_t>(begin), static_cast<uint16_t>(begin + index_.kmer + more)});
        }
        std::sort(parts.begin(), parts.end(), [](DistinctPart a, DistinctPart b) {
            return a.end != b.end ? a.end < b.end : a.begin < b.begin;
        });
        out.insert(out.end(), parts.begin(), parts.end());
    }

    const SeedIndexView& index_;
    const GenomeView& genome_;
    const ReadBatchView& reads_;
    const uint32_t read_;
    const uint32_t length_;
    std::vector<Seed> seeds_;
    bool settled_ = false;
    bool narrowed_ = false;  ///< long seeds are left out without enough others
};

}  // namespace

void seeds_reference(const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
                     SeedHits& out) {
    out.clear();
    for (uint32_t read = 0; read < reads.reads; ++read) {
        Seeding seeding(index, genome, reads, read);
        if (!seeding.is_settled()) {
            const bool is_mate_settled =
                reads.has_mate(read) && Seeding(index, genome, reads, read ^ 1).is_settled();
            seeding.choose(is_mate_settled);
        }
        seeding.add_to(out);
    }
}

}  // namespace gannet::kernels
