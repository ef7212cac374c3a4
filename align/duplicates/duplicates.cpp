// SPDX-License-Identifier: MIT
// Provides the marker: keys from batches, the decision by sorting each partition of them, and the setting of
// flags.
#include "align/duplicates/duplicates.hpp"

#include "align/duplicates/keys.hpp"
#include "align/duplicates/name_store.hpp"
#include "align/duplicates/partition_store.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace gannet::align::duplicates {
namespace {

constexpr uint16_t k_not_primary = data::k_flag_secondary | data::k_flag_supplementary;
constexpr uint16_t k_never_marked = k_not_primary | data::k_flag_unmapped | data::k_flag_qc_fail;
constexpr size_t k_flag_offset = 14;  // in the bytes of a BAM record

/// Pairs with equal ends and an equal best score; their names decide.
struct Tie {
    uint64_t template_ordinal;
    uint64_t group;
    uint16_t library;
};

/// A Bloom filter of the positions of single ends: the ends of pairs that meet none of them are dropped at
/// once.
class EndFilter {
  public:
    explicit EndFilter(uint64_t ends) {
        uint64_t bits = uint64_t{1} << 16;
        while (bits < ends * 16 && bits < uint64_t{1} << 33) bits *= 2;
        words_.resize(bits / 64);
        mask_ = bits - 1;
    }
    void set(uint64_t hash) { words_[(hash & mask_) / 64] |= uint64_t{1} << (hash % 64); }
    bool may_hold(uint64_t hash) const { return words_[(hash & mask_) / 64] >> (hash % 64) & 1; }

  private:
    std::vector<uint64_t> words_;
    uint64_t mask_;
};

struct LibraryCounts {
    std::atomic<uint64_t> unpaired{0}, pairs{0}, not_primary{0}, unmapped{0};
    std::atomic<uint64_t> unpaired_duplicates{0}, pair_duplicates{0};
};

}  // namespace

struct Marker::State {
    State(std::vector<data::ReadGroup> read_groups, MarkerOptions given)
        : options(std::move(given)), file(options.temporary_directory, options.file_name) {
        for (const data::ReadGroup& group : read_groups) {
            const std::string& name = group.library_or_sample();
            const auto found = std::find(libraries.begin(), libraries.end(), name);
            library_of_group.push_back(static_cast<uint16_t>(found - libraries.begin()));
            if (found == libraries.end()) libraries.push_back(name);
        }
        if (libraries.empty()) libraries.emplace_back();
        counts = std::vector<LibraryCounts>(libraries.size());
    }

    void add_template(const data::RecordBatch& batch, size_t begin, size_t end, uint16_t library,
                      NameBlock& names);
    void spill_over_budget();
    void mark(uint64_t ordinal, uint16_t library, bool pair);
    void decide_pairs(size_t partition, const EndFilter* singles, std::vector<Tie>& ties);
    void decide_ends(size_t partition);
    void decide_ties(std::vector<Tie> ties);

    MarkerOptions options;
    sort::SpillFile file;
    std::vector<std::string> libraries;
    std::vector<uint16_t> library_of_group;
    std::vector<LibraryCounts> counts;
    PartitionStore<PairKey> pairs;
    PartitionStore<EndKey> ends;
    NameStore names;
    std::mutex spill_mutex;
    std::atomic<uint64_t> template_end{0};
    std::atomic<uint64_t> singles{0};
    std::vector<uint64_t> bits;
};

void Marker::State::add_template(const data::RecordBatch& batch, size_t begin, size_t end, uint16_t library,
                                 NameBlock& block) {
    const uint64_t ordinal = batch.entries[begin].ordinal >> 8;
    std::array<data::RecordView, 2> mapped;
    size_t count = 0;
    bool pair = false;
    for (size_t i = begin; i < end; ++i) {
        const uint16_t flag = batch.entries[i].flag;
        if (flag & k_not_primary) {
            counts[library].not_primary.fetch_add(1, std::memory_order_relaxed);
        } else if (flag & data::k_flag_unmapped) {
            counts[library].unmapped.fetch_add(1, std::memory_order_relaxed);
        } else if (!(flag & data::k_flag_qc_fail) && count < 2) {
            mapped[count++] = batch.view(i);
            pair = (flag & data::k_flag_paired) && !(flag & data::k_flag_mate_unmapped);
        }
    }
    if (count == 0) return;
    if (pair && count == 2) {
        block.add(ordinal, mapped[0].name());
        counts[library].pairs.fetch_add(1, std::memory_order_relaxed);
        const PairKey key = make_pair_key(mapped[0], mapped[1], ordinal, library);
        pairs.add(position_hash(key), key);
        if (key.orientation == Orientation::forward_reverse ||
            key.orientation == Orientation::reverse_forward)
            return;
    } else {
        counts[library].unpaired.fetch_add(count, std::memory_order_relaxed);
        singles.fetch_add(count, std::memory_order_relaxed);
        pair = false;
    }
    for (size_t i = 0; i < count; ++i) {
        EndKey key = make_end_key(mapped[i], ordinal, library);
        key.of_pair = pair;
        ends.add(position_hash(key), key);
    }
}

void Marker::State::spill_over_budget() {
    if (pairs.held_bytes() + ends.held_bytes() + names.held_bytes() <= options.memory_bytes) return;
    const std::lock_guard lock(spill_mutex);
    if (pairs.held_bytes() + ends.held_bytes() + names.held_bytes() <= options.memory_bytes) return;
    names.spill(file);
    pairs.spill(file, options.memory_bytes / 4);
    ends.spill(file, options.memory_bytes / 4);
}

void Marker::State::mark(uint64_t ordinal, uint16_t library, bool pair) {
    // Keys of a checkpoint that was changed may hold anything.
    if (ordinal >= template_end || library >= counts.size()) file.fail_damaged();
    std::atomic_ref(bits[ordinal / 64]).fetch_or(uint64_t{1} << (ordinal % 64), std::memory_order_relaxed);
    (pair ? counts[library].pair_duplicates : counts[library].unpaired_duplicates)
        .fetch_add(1, std::memory_order_relaxed);
}

/// Of the pairs with equal ends the one with the best score is no duplicate; if there are several, they go to
/// `ties`.
void Marker::State::decide_pairs(size_t partition, const EndFilter* filter, std::vector<Tie>& ties) {
    std::vector<PairKey> keys = pairs.take(partition, file);
    std::sort(keys.begin(), keys.end(), [](const PairKey& a, const PairKey& b) {
        if (a.left != b.left) return a.left < b.left;
        if (a.right != b.right) return a.right < b.right;
        if (a.left_contig != b.left_contig) return a.left_contig < b.left_contig;
        if (a.right_contig != b.right_contig) return a.right_contig < b.right_contig;
        if (a.orientation != b.orientation) return a.orientation < b.orientation;
        if (a.library != b.library) return a.library < b.library;
        if (a.score != b.score) return a.score > b.score;
        return a.template_ordinal < b.template_ordinal;
    });
    for (size_t begin = 0, end; begin < keys.size(); begin = end) {
        const PairKey& best = keys[begin];
        size_t tied = begin + 1;
        while (tied < keys.size() && keys[tied].score == best.score && best.same_position(keys[tied])) ++tied;
        for (end = tied; end < keys.size() && best.same_position(keys[end]); ++end) {
            mark(keys[end].template_ordinal, keys[end].library, true);
        }
        for (size_t i = begin; tied > begin + 1 && i < tied; ++i) {
            ties.push_back({keys[i].template_ordinal, best.template_ordinal, best.library});
        }
        if (filter == nullptr || best.orientation == Orientation::forward_forward ||
            best.orientation == Orientation::reverse_reverse) {
            continue;
        }
        EndKey both[2];
        ends_of_pair(best, both);
        for (const EndKey& key : both) {
            const uint64_t hash = position_hash(key);
            if (filter->may_hold(hash)) ends.add(hash, key);
        }
    }
}

/// Where a pair has an end all single reads are duplicates, elsewhere all but the best.
void Marker::State::decide_ends(size_t partition) {
    std::vector<EndKey> keys = ends.take(partition, file);
    std::sort(keys.begin(), keys.end(), [](const EndKey& a, const EndKey& b) {
        if (a.position != b.position) return a.position < b.position;
        if (a.contig != b.contig) return a.contig < b.contig;
        if (a.reverse != b.reverse) return a.reverse < b.reverse;
        if (a.library != b.library) return a.library < b.library;
        if (a.of_pair != b.of_pair) return a.of_pair > b.of_pair;
        if (a.score != b.score) return a.score > b.score;
        if (a.mapped_position != b.mapped_position) return a.mapped_position < b.mapped_position;
        return a.template_ordinal < b.template_ordinal;
    });
    for (size_t begin = 0, end; begin < keys.size(); begin = end) {
        const EndKey& best = keys[begin];
        for (end = begin + 1; end < keys.size() && best.same_position(keys[end]); ++end) {
            if (!keys[end].of_pair) mark(keys[end].template_ordinal, keys[end].library, false);
        }
    }
}

void Marker::State::decide_ties(std::vector<Tie> ties) {
    std::sort(ties.begin(), ties.end(),
              [](const Tie& a, const Tie& b) { return a.template_ordinal < b.template_ordinal; });
    std::vector<uint64_t> ordinals;
    ordinals.reserve(ties.size());
    for (const Tie& tie : ties) ordinals.push_back(tie.template_ordinal);
    const std::vector<std::string> found = names.find(ordinals, file);
    std::vector<size_t> order(ties.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        if (ties[a].group != ties[b].group) return ties[a].group < ties[b].group;
        if (found[a] != found[b]) return found[a] < found[b];
        return a < b;
    });
    for (size_t i = 1; i < order.size(); ++i) {
        const Tie& tie = ties[order[i]];
        if (tie.group == ties[order[i - 1]].group) mark(tie.template_ordinal, tie.library, true);
    }
}

Marker::Marker(std::vector<data::ReadGroup> read_groups, MarkerOptions options)
    : state_(std::make_unique<State>(std::move(read_groups), std::move(options))) {}

Marker::~Marker() = default;

void Marker::add(const data::RecordBatch& batch) {
    State& state = *state_;
    const std::vector<data::RecordEntry>& entries = batch.entries;
    if (entries.empty()) return;
    const uint16_t library = batch.read_group < state.library_of_group.size()
                                 ? state.library_of_group[batch.read_group]
                                 : uint16_t{0};
    NameBlock names;
    uint64_t template_end = 0;
    for (size_t begin = 0, end; begin < entries.size(); begin = end) {
        const uint64_t ordinal = entries[begin].ordinal >> 8;
        for (end = begin + 1; end < entries.size() && entries[end].ordinal >> 8 == ordinal; ++end) {
        }
        state.add_template(batch, begin, end, library, names);
        template_end = std::max(template_end, ordinal + 1);
    }
    state.names.add(std::move(names));
    uint64_t known = state.template_end.load(std::memory_order_relaxed);
    while (known < template_end && !state.template_end.compare_exchange_weak(known, template_end)) {
    }
    state.spill_over_budget();
}

void Marker::save(data::StateWriter& state) {
    State& s = *state_;
    s.pairs.save(s.file, state);
    s.ends.save(s.file, state);
    s.names.save(s.file, state);
    s.file.sync();
    state.put(s.file.bytes());
    state.put(s.template_end.load());
    state.put(s.singles.load());
    for (const LibraryCounts& counts : s.counts) {
        for (const auto* count : {&counts.unpaired, &counts.pairs, &counts.not_primary, &counts.unmapped})
            state.put(count->load());
    }
}

void Marker::restore(data::StateReader& state, unsigned threads, uint64_t templates) {
    State& s = *state_;
    std::vector<sort::SpillExtent> extents;
    s.pairs.restore(state, extents);
    s.ends.restore(state, extents);
    s.names.restore(state, extents);
    s.file.resume(state.get<uint64_t>());
    s.file.verify(extents, threads);
    s.template_end = state.get<uint64_t>();
    if (s.template_end > templates) state.fail();
    s.singles = state.get<uint64_t>();
    for (LibraryCounts& counts : s.counts) {
        for (auto* count : {&counts.unpaired, &counts.pairs, &counts.not_primary, &counts.unmapped})
            *count = state.get<uint64_t>();
    }
}

Decision Marker::decide(unsigned threads) {
    State& state = *state_;
    state.bits.assign((state.template_end + 63) / 64, 0);
    std::unique_ptr<EndFilter> filter;
    if (state.singles != 0 && state.pairs.size() != 0) {
        filter = std::make_unique<EndFilter>(state.singles);
        state.ends.for_each(state.file, [&](const EndKey& key) {
            if (!key.of_pair) filter->set(position_hash(key));
        });
    }
    constexpr size_t k_partitions = PartitionStore<PairKey>::k_partitions;
    std::vector<std::vector<Tie>> ties(k_partitions);
    data::for_each_index(threads, k_partitions,
                         [&](size_t i) { state.decide_pairs(i, filter.get(), ties[i]); });
    data::for_each_index(threads, k_partitions, [&](size_t i) { state.decide_ends(i); });
    for (size_t i = 1; i < k_partitions; ++i) ties[0].insert(ties[0].end(), ties[i].begin(), ties[i].end());
    state.decide_ties(std::move(ties[0]));

    Decision decision;
    decision.bits_ = std::move(state.bits);
    for (size_t i = 0; i < state.libraries.size(); ++i) {
        const LibraryCounts& counts = state.counts[i];
        decision.metrics.push_back({state.libraries[i], counts.unpaired, counts.pairs, counts.not_primary,
                                    counts.unmapped, counts.unpaired_duplicates, counts.pair_duplicates});
    }
    return decision;
}

uint64_t Marker::spilled_bytes() const { return state_->file.bytes(); }

uint16_t marked_flags(const Decision& decision, uint64_t ordinal, uint16_t flags) {
    const bool is_marked = (flags & k_never_marked) == 0 && decision.is_duplicate(ordinal >> 8);
    return is_marked ? static_cast<uint16_t>(flags | data::k_flag_duplicate) : flags;
}

void apply(const Decision& decision, sort::SortedBucket& bucket) {
    for (data::RecordEntry& entry : bucket.entries) {
        const uint16_t flags = marked_flags(decision, entry.ordinal, entry.flag);
        if (flags == entry.flag) continue;
        entry.flag = flags;
        std::memcpy(bucket.bytes.data() + entry.offset + k_flag_offset, &entry.flag, sizeof entry.flag);
    }
}

}  // namespace gannet::align::duplicates
