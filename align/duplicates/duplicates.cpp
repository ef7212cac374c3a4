// SPDX-License-Identifier: MIT
// Provides the marker: keys from batches, the decision by sorting each partition of them, and the setting of
// flags.
#include "align/duplicates/duplicates.hpp"

#include "align/duplicates/marker_state.hpp"
#include "align/duplicates/umi.hpp"
#include "data/error.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>

namespace gannet::align::duplicates {
namespace {

constexpr uint16_t k_never_marked = k_not_primary | data::k_flag_unmapped | data::k_flag_qc_fail;
constexpr size_t k_flag_offset = 14;  // in the bytes of a BAM record

/// Its top bits choose a partition.
uint64_t hash_of_set(uint64_t ordinal) { return ordinal * 0x9e3779b97f4a7c15u; }

}  // namespace

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

void Marker::State::add_template(const data::RecordBatch& batch, size_t begin, size_t end, uint16_t library,
                                 BatchKeys& keys) {
    const uint64_t ordinal = batch.entries[begin].ordinal >> 8;
    std::array<data::RecordView, 2> mapped;
    size_t count = 0;
    bool pair = false;
    for (size_t i = begin; i < end; ++i) {
        const uint16_t flag = batch.entries[i].flag;
        if (flag & k_not_primary) {
            ++keys.not_primary;
        } else if (flag & data::k_flag_unmapped) {
            ++keys.unmapped;
        } else if (!(flag & data::k_flag_qc_fail) && count < 2) {
            mapped[count++] = batch.view(i);
            pair = (flag & data::k_flag_paired) && !(flag & data::k_flag_mate_unmapped);
        }
    }
    if (count == 0) return;
    const uint64_t umi = umi_of(mapped[0]);
    if (pair && count == 2) {
        keys.names.add(ordinal, mapped[0].name(), static_cast<uint16_t>(batch.read_group));
        ++keys.pair_count;
        const PairKey key = make_pair_key(mapped[0], mapped[1], ordinal, library);
        if (options.by_umi)
            put(key, umi);
        else
            keys.pairs.push_back({position_hash(key), key});
        if (key.orientation == Orientation::forward_reverse ||
            key.orientation == Orientation::reverse_forward)
            return;
    } else {
        for (size_t i = 0; i < count; ++i) add_single(make_end_key(mapped[i], ordinal, library), umi);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        EndKey key = make_end_key(mapped[i], ordinal, library);
        key.of_pair = true;
        put(key, umi);
    }
}

uint64_t Marker::State::umi_of(const data::RecordView& record) const {
    if (!options.by_umi) return 0;
    const auto text = record.string_tag("RX");
    const auto umi = text ? pack_umi(*text) : std::nullopt;
    if (!umi) {
        const auto group = record.string_tag("RG");
        throw data::Error(
            data::ErrorKind::malformed_input,
            (!options.input.empty() ? options.input + ": "
             : group                ? "read group " + std::string(*group) + ": "
                                    : "") +
                "read '" + std::string(record.name()) +
                (text ? "': its UMI (RX) is not 1 to " + std::to_string(k_max_umi_bp) +
                            " bases of A, C, G, T and N"
                      : "' has no UMI (RX): run without --umi, or bring UMIs along (-C, unaligned BAM)"));
    }
    return *umi;
}

void Marker::State::put(const PairKey& key, uint64_t umi) {
    if (options.by_umi)
        umi_pairs.add(position_hash(key), {{key}, umi});
    else
        pairs.add(position_hash(key), key);
}

void Marker::State::put(const EndKey& key, uint64_t umi) {
    if (options.by_umi)
        umi_ends.add(position_hash(key), {{key}, umi});
    else
        ends.add(position_hash(key), key);
}

void Marker::State::spill_over_budget(bool spill_mates) {
    const auto is_within_budget = [&] {
        return held_bytes() + (spill_mates ? mates.held_bytes() : 0) <= options.memory_bytes;
    };
    if (is_within_budget()) return;
    const std::lock_guard lock(spill_mutex);
    if (is_within_budget()) return;
    const uint64_t keep_bytes = options.memory_bytes / 8;
    names.spill(file);
    pairs.spill(file, keep_bytes);
    ends.spill(file, keep_bytes);
    umi_pairs.spill(file, keep_bytes);
    umi_ends.spill(file, keep_bytes);
    partners.spill(file, keep_bytes);
    if (spill_mates) mates.spill(file, keep_bytes);
}

void Marker::State::mark(uint64_t ordinal, uint16_t library, bool pair) {
    // Keys of a checkpoint that was changed may hold anything.
    if (ordinal >= template_end || library >= counts.size()) file.fail_damaged();
    std::atomic_ref(bits[ordinal / 64]).fetch_or(uint64_t{1} << (ordinal % 64), std::memory_order_relaxed);
    (pair ? counts[library].pair_duplicates : counts[library].unpaired_duplicates)
        .fetch_add(1, std::memory_order_relaxed);
}

namespace {

template <class Key>
constexpr bool k_has_umi = requires(Key key) {
    key.umi;
};

template <class Key>
uint64_t molecule_of(const Key& key) {
    if constexpr (k_has_umi<Key>) return key.umi;
    return 0;
}

/// Calls visit(span) for the keys of each molecule at each position. `keys`: sorted, those of a position one
/// after the other; those of a molecule keep their order.
template <class Key, class Visit>
void for_each_molecule(std::span<Key> keys, Visit visit) {
    std::vector<uint64_t> umis;
    for (size_t begin = 0, end; begin < keys.size(); begin = end) {
        for (end = begin + 1; end < keys.size() && keys[begin].same_position(keys[end]); ++end) {
        }
        const std::span<Key> place = keys.subspan(begin, end - begin);
        if constexpr (k_has_umi<Key>) {
            umis.clear();
            for (const Key& key : place) umis.push_back(key.umi);
            join_umis(umis);
            for (size_t i = 0; i < place.size(); ++i) place[i].umi = umis[i];
            std::stable_sort(place.begin(), place.end(),
                             [](const Key& a, const Key& b) { return a.umi < b.umi; });
        }
        for (size_t first = 0, last; first < place.size(); first = last) {
            for (last = first + 1;
                 last < place.size() && molecule_of(place[last]) == molecule_of(place[first]); ++last) {
            }
            visit(std::span<const Key>(place.subspan(first, last - first)));
        }
    }
}

}  // namespace

template <class Key>
void Marker::State::decide_pairs(std::vector<Key> keys, const EndFilter* filter, std::vector<Tie>& ties) {
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
    for_each_molecule(std::span(keys),
                      [&](std::span<const Key> molecule) { decide_molecule(molecule, filter, ties); });
}

/// Of the pairs of a molecule the one with the best score, which comes first, is no duplicate; if there are
/// several, they go to `ties`.
template <class Key>
void Marker::State::decide_molecule(std::span<const Key> keys, const EndFilter* filter,
                                    std::vector<Tie>& ties) {
    const Key& best = keys[0];
    size_t tied = 1;
    while (tied < keys.size() && keys[tied].score == best.score) ++tied;
    for (size_t i = tied; i < keys.size(); ++i) mark(keys[i].template_ordinal, keys[i].library, true);
    for (size_t i = 0; tied > 1 && i < tied; ++i)
        ties.push_back({keys[i].template_ordinal, best.template_ordinal, best.library});
    for (size_t i = 0; keys.size() > 1 && names.has_colons() && i < keys.size(); ++i) {
        set_pairs.add(keys[i].template_ordinal * ordinal_scale,
                      {keys[i].template_ordinal, best.template_ordinal, best.library, keys[i].left_is_read1});
    }
    if (filter == nullptr || best.orientation == Orientation::forward_forward ||
        best.orientation == Orientation::reverse_reverse) {
        return;
    }
    EndKey both[2];
    ends_of_pair(best, both);
    for (const EndKey& key : both) {
        if (filter->may_hold(position_hash(key))) put(key, molecule_of(best));
    }
}

/// Where a pair has an end all single reads of its molecule are duplicates, elsewhere all but the best.
template <class Key>
void Marker::State::decide_ends(std::vector<Key> keys) {
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
    for_each_molecule(std::span(keys), [&](std::span<const Key> molecule) {
        for (const Key& key : molecule.subspan(1)) {
            if (!key.of_pair) mark(key.template_ordinal, key.library, false);
        }
    });
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

template <class T>
void Marker::State::spill_over_budget(PartitionStore<T>& store) {
    const std::lock_guard lock(spill_mutex);
    if (held_bytes() > options.memory_bytes) store.spill(file, options.memory_bytes / 8);
}

void Marker::State::count_optical_duplicates(unsigned threads) {
    constexpr size_t k_partitions = PartitionStore<SetPair>::k_partitions;
    data::for_each_index(threads, k_partitions, [&](size_t i) {
        std::vector<SetPair> wanted = set_pairs.take(i, file);
        std::sort(wanted.begin(), wanted.end(),
                  [](const SetPair& a, const SetPair& b) { return a.template_ordinal < b.template_ordinal; });
        std::vector<uint64_t> ordinals;
        ordinals.reserve(wanted.size());
        for (const SetPair& pair : wanted) ordinals.push_back(pair.template_ordinal);
        names.for_each(ordinals, file, [&](const StoredName& found) {
            const SetPair& pair = wanted[found.index];
            const FlowCellPlace place = place_of_name(found.name).value_or(FlowCellPlace{0, 0, -1});
            placed.add(hash_of_set(pair.set), {pair.set, place.x, place.y, place.tile, found.read_group,
                                               pair.library, pair.left_is_read1});
        });
        spill_over_budget(placed);
    });
    data::for_each_index(threads, k_partitions, [&](size_t i) {
        std::vector<PlacedPair> pairs_of_sets = placed.take(i, file);
        std::sort(pairs_of_sets.begin(), pairs_of_sets.end(),
                  [](const PlacedPair& a, const PlacedPair& b) { return a.set < b.set; });
        const std::span<PlacedPair> all(pairs_of_sets);
        for (size_t begin = 0, end; begin < all.size(); begin = end) {
            for (end = begin + 1; end < all.size() && all[end].set == all[begin].set; ++end) {
            }
            counts[all[begin].library].optical_duplicates.fetch_add(
                count_optical(all.subspan(begin, end - begin), options.optical_distance_pixels),
                std::memory_order_relaxed);
        }
    });
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
    State::BatchKeys keys;
    keys.pairs.reserve(entries.size() / 2);
    uint64_t template_end = 0;
    for (size_t begin = 0, end; begin < entries.size(); begin = end) {
        const uint64_t ordinal = entries[begin].ordinal >> 8;
        for (end = begin + 1; end < entries.size() && entries[end].ordinal >> 8 == ordinal; ++end) {
        }
        state.add_template(batch, begin, end, library, keys);
        template_end = std::max(template_end, ordinal + 1);
    }
    state.pairs.add_all(keys.pairs);
    LibraryCounts& counts = state.counts[library];
    counts.pairs.fetch_add(keys.pair_count, std::memory_order_relaxed);
    counts.not_primary.fetch_add(keys.not_primary, std::memory_order_relaxed);
    counts.unmapped.fetch_add(keys.unmapped, std::memory_order_relaxed);
    state.names.add(std::move(keys.names));
    uint64_t known = state.template_end.load(std::memory_order_relaxed);
    while (known < template_end && !state.template_end.compare_exchange_weak(known, template_end)) {
    }
    state.spill_over_budget();
}

void Marker::save(data::StateWriter& state) {
    State& s = *state_;
    s.pairs.save(s.file, state);
    s.ends.save(s.file, state);
    s.umi_pairs.save(s.file, state);
    s.umi_ends.save(s.file, state);
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
    s.umi_pairs.restore(state, extents);
    s.umi_ends.restore(state, extents);
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
    state.join_mates(threads);
    state.names.end_input();
    state.bits.assign((state.template_end + 63) / 64, 0);
    state.ordinal_scale = ~uint64_t{0} / std::max<uint64_t>(state.template_end, 1);
    std::unique_ptr<EndFilter> filter;
    if (state.singles != 0 && state.pairs.size() + state.umi_pairs.size() != 0) {
        filter = std::make_unique<EndFilter>(state.singles);
        const auto set = [&](const EndKey& key) {
            if (!key.of_pair) filter->set(position_hash(key));
        };
        state.ends.for_each(state.file, set);
        state.umi_ends.for_each(state.file, set);
    }
    constexpr size_t k_partitions = PartitionStore<PairKey>::k_partitions;
    std::vector<std::vector<Tie>> ties(k_partitions);
    data::for_each_index(threads, k_partitions, [&](size_t i) {
        if (state.options.by_umi)
            state.decide_pairs(state.umi_pairs.take(i, state.file), filter.get(), ties[i]);
        else
            state.decide_pairs(state.pairs.take(i, state.file), filter.get(), ties[i]);
        state.spill_over_budget(state.set_pairs);
    });
    data::for_each_index(threads, k_partitions, [&](size_t i) {
        if (state.options.by_umi)
            state.decide_ends(state.umi_ends.take(i, state.file));
        else
            state.decide_ends(state.ends.take(i, state.file));
    });
    for (size_t i = 1; i < k_partitions; ++i) ties[0].insert(ties[0].end(), ties[i].begin(), ties[i].end());
    state.decide_ties(std::move(ties[0]));
    state.mark_partners();
    state.count_optical_duplicates(threads);

    Decision decision;
    decision.bits_ = std::move(state.bits);
    for (size_t i = 0; i < state.libraries.size(); ++i) {
        const LibraryCounts& counts = state.counts[i];
        decision.metrics.push_back({state.libraries[i], counts.unpaired, counts.pairs + counts.orphans / 2,
                                    counts.not_primary, counts.unmapped, counts.unpaired_duplicates,
                                    counts.pair_duplicates, counts.optical_duplicates});
    }
    return decision;
}

uint64_t Marker::spilled_bytes() const { return state_->file.bytes(); }

uint16_t marked_flags(const Decision& decision, uint64_t ordinal, uint16_t flags) {
    const bool is_marked = (flags & k_never_marked) == 0 && decision.is_duplicate(ordinal >> 8);
    return is_marked ? static_cast<uint16_t>(flags | data::k_flag_duplicate) : flags;
}

namespace {

void set_flags(std::span<uint8_t> bytes, data::RecordEntry& entry, uint16_t flags) {
    if (flags == entry.flag) return;
    entry.flag = flags;
    std::memcpy(bytes.data() + entry.offset + k_flag_offset, &flags, sizeof flags);
}

void remove_tag(std::span<uint8_t> bytes, data::RecordEntry& entry, const char (&name)[3]) {
    const std::span<uint8_t> record = bytes.subspan(entry.offset, entry.size_bytes);
    const auto value = data::RecordView(record).tag(name);
    if (!value) return;
    const auto begin = static_cast<size_t>(value->data() - record.data()) - 2;  // with the name
    const size_t end = begin + 2 + value->size();
    std::memmove(record.data() + begin, record.data() + end, record.size() - end);
    entry.size_bytes -= static_cast<uint32_t>(end - begin);
}

}  // namespace

void apply(const Decision& decision, sort::SortedBucket& bucket) {
    for (data::RecordEntry& entry : bucket.entries)
        set_flags(bucket.bytes, entry, marked_flags(decision, entry.ordinal, entry.flag));
}

void clear_marks(data::RecordBatch& batch) {
    for (data::RecordEntry& entry : batch.entries) {
        set_flags(batch.bytes, entry, static_cast<uint16_t>(entry.flag & ~data::k_flag_duplicate));
        remove_tag(batch.bytes, entry, "DT");
        remove_tag(batch.bytes, entry, "DI");
        remove_tag(batch.bytes, entry, "DS");
        remove_tag(batch.bytes, entry, "dt");
        remove_tag(batch.bytes, entry, "do");
    }
}

}  // namespace gannet::align::duplicates
