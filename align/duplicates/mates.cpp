// SPDX-License-Identifier: MIT
// Provides the keys of templates whose records come in any order: mates are joined by read group and name, at
// once where the second one comes soon, else partition by partition at the end. Those that are left then are
// joined by name alone, as Picard and samtools do with all: a template's mates may lie in two read groups,
// and two read groups may have templates of one name.
#include "align/duplicates/marker_state.hpp"
#include "data/threads.hpp"

#include <tuple>

namespace gannet::align::duplicates {
namespace {

// Mates that wait at once, whatever the budget, so that the decision does not depend on it even where names
// occur twice: in a sorted file those of the fragments over a position, and those of distant mates until
// there are so many. About 12 MB.
constexpr size_t k_max_waiting = size_t{1} << 17;

/// Of equal names a read group's mates are neighbours.
bool is_before(const MateKey& a, const MateKey& b) {
    return std::tie(a.name_hash, a.name_check, a.read_group, a.ordinal) <
           std::tie(b.name_hash, b.name_check, b.read_group, b.ordinal);
}

uint64_t waiting_key(const MateKey& mate) {
    return mate.name_hash + mate.read_group * uint64_t{0x9e3779b97f4a7c15};
}

}  // namespace

void Marker::State::add_record(const data::RecordView& record, uint64_t ordinal, uint16_t group,
                               uint16_t library, NameBlock& block) {
    const bool is_pair = record.has(data::k_flag_paired) && !record.has(data::k_flag_mate_unmapped);
    const bool is_failed = record.has(data::k_flag_qc_fail);
    if (!is_pair) {
        if (!is_failed) add_single(make_end_key(record, ordinal, library), umi_of(record));
        return;
    }
    const MateKey mate = make_mate_key(record, ordinal, is_failed ? 0 : umi_of(record), group, library);
    if (mate.read1) block.add(ordinal, record.name(), group);
    const auto [found, is_new] = waiting.try_emplace(waiting_key(mate), mate);
    if (is_new) {
        if (waiting.size() > k_max_waiting) put_waiting_away();
        return;
    }
    const MateKey& other = found->second;
    if (!other.same_name(mate) || other.read_group != mate.read_group || other.read1 == mate.read1) {
        mates.add(mate.name_hash, mate);
        return;
    }
    add_mates(other, mate);
    waiting.erase(found);
}

void Marker::State::add_mates(const MateKey& a, const MateKey& b) {
    const MateKey& first = a.read1 ? a : b;
    const MateKey& second = a.read1 ? b : a;
    if (first.qc_fail || second.qc_fail) {
        for (const MateKey* mate : {&first, &second}) {
            if (!mate->qc_fail) add_single(make_end_key(*mate, false), mate->umi);
        }
        return;
    }
    const PairKey key = make_pair_key(first, second, first.ordinal);
    counts[key.library].pairs.fetch_add(1, std::memory_order_relaxed);
    partners.add(first.name_hash, {first.ordinal, second.ordinal});
    put(key, first.umi);
    if (key.orientation == Orientation::forward_reverse || key.orientation == Orientation::reverse_forward)
        return;
    for (const MateKey* mate : {&first, &second}) put(make_end_key(*mate, true), first.umi);
}

/// Its mate is mapped, but not in the input: no duplicate, as in Picard, but single reads may be duplicates
/// of it.
void Marker::State::add_orphan(const MateKey& mate) {
    if (mate.qc_fail) return;
    counts[mate.library].orphans.fetch_add(1, std::memory_order_relaxed);
    put(make_end_key(mate, true), mate.umi);
}

void Marker::State::add_single(const EndKey& key, uint64_t umi) {
    counts[key.library].unpaired.fetch_add(1, std::memory_order_relaxed);
    singles.fetch_add(1, std::memory_order_relaxed);
    put(key, umi);
}

void Marker::State::put_waiting_away() {
    for (const auto& [key, mate] : waiting) mates.add(mate.name_hash, mate);
    waiting.clear();
}

void Marker::State::join_mates(unsigned threads) {
    put_waiting_away();
    spill_over_budget();
    data::for_each_index(threads, PartitionStore<MateKey>::k_partitions, [&](size_t i) {
        std::vector<MateKey> values = mates.take(i, file);
        std::sort(values.begin(), values.end(), is_before);
        std::vector<MateKey> left;
        for (size_t at = 0; at < values.size(); ++at) {
            const MateKey& mate = values[at];
            if (at + 1 < values.size() && values[at + 1].same_name(mate) &&
                values[at + 1].read_group == mate.read_group && values[at + 1].read1 != mate.read1) {
                add_mates(mate, values[++at]);
            } else {
                left.push_back(mate);
            }
        }
        join_across_groups(left);
        spill_over_budget(false);
    });
}

/// Joins mates of one name that lie in two read groups, where no third one has the name and each says that
/// the other is its mate: else they may be halves of two templates.
void Marker::State::join_across_groups(std::span<const MateKey> left) {
    for (size_t begin = 0, end = 0; begin < left.size(); begin = end) {
        while (end < left.size() && left[end].same_name(left[begin])) ++end;
        const MateKey& a = left[begin];
        const MateKey& b = left[end - 1];
        if (end - begin == 2 && a.read1 != b.read1 && a.places_hash == b.places_hash) {
            add_mates(a, b);
        } else {
            for (size_t i = begin; i < end; ++i) add_orphan(left[i]);
        }
    }
}

void Marker::State::mark_partners() {
    partners.for_each(file, [this](const Partner& partner) {
        if ((bits[partner.first / 64] >> (partner.first % 64) & 1) != 0)
            bits[partner.second / 64] |= uint64_t{1} << (partner.second % 64);
    });
}

void Marker::add_records(const data::RecordBatch& batch, std::span<const uint16_t> groups) {
    State& state = *state_;
    NameBlock names;
    for (size_t i = 0; i < batch.entries.size(); ++i) {
        const data::RecordEntry& entry = batch.entries[i];
        const uint16_t library =
            groups[i] < state.library_of_group.size() ? state.library_of_group[groups[i]] : uint16_t{0};
        const uint64_t ordinal = entry.ordinal >> 8;
        state.template_end = std::max<uint64_t>(state.template_end, ordinal + 1);
        if ((entry.flag & k_not_primary) != 0) {
            state.counts[library].not_primary.fetch_add(1, std::memory_order_relaxed);
        } else if ((entry.flag & data::k_flag_unmapped) != 0) {
            state.counts[library].unmapped.fetch_add(1, std::memory_order_relaxed);
        } else {
            state.add_record(batch.view(i), ordinal, groups[i], library, names);
        }
    }
    if (!names.empty()) state.names.add(std::move(names));
    state.spill_over_budget();
}

}  // namespace gannet::align::duplicates
