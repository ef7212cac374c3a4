// SPDX-License-Identifier: MIT
// Provides the state of the marker to its sources.
#pragma once

#include "align/duplicates/duplicates.hpp"
#include "align/duplicates/keys.hpp"
#include "align/duplicates/name_store.hpp"
#include "align/duplicates/optical.hpp"
#include "align/duplicates/partition_store.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gannet::align::duplicates {

inline constexpr uint16_t k_not_primary = data::k_flag_secondary | data::k_flag_supplementary;

/// Pairs with equal ends and an equal best score; their names decide.
struct Tie {
    uint64_t template_ordinal;
    uint64_t group;
    uint16_t library;
};

/// A pair of a set of duplicates, whose name is asked for where it lies on a flow cell.
struct SetPair {
    uint64_t template_ordinal;
    uint64_t set;  ///< the ordinal of the best one
    uint16_t library;
    bool left_is_read1;
};

class EndFilter;

/// The records of a pair that came apart; the first one's ordinal stands for the template.
struct Partner {
    uint64_t first;
    uint64_t second;
};

struct LibraryCounts {
    std::atomic<uint64_t> unpaired{0}, pairs{0}, not_primary{0}, unmapped{0};
    std::atomic<uint64_t> unpaired_duplicates{0}, pair_duplicates{0}, optical_duplicates{0};
    std::atomic<uint64_t> orphans{0};  // mates of records that are not in the input
};

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

    /// What the templates of a batch have for the stores and counts, which all threads share.
    struct BatchKeys {
        NameBlock names;
        std::vector<PartitionStore<PairKey>::Hashed> pairs;
        uint64_t pair_count = 0;
        uint64_t not_primary = 0;
        uint64_t unmapped = 0;
    };
    void add_template(const data::RecordBatch& batch, size_t begin, size_t end, uint16_t library,
                      BatchKeys& keys);
    /// A mapped primary record; its mate may come later, or have come.
    void add_record(const data::RecordView& record, uint64_t ordinal, uint16_t group, uint16_t library,
                    NameBlock& names);
    void add_mates(const MateKey& a, const MateKey& b);
    void add_orphan(const MateKey& mate);
    void add_single(const EndKey& key, uint64_t umi);
    void put_waiting_away();
    void join_mates(unsigned threads);
    void join_across_groups(std::span<const MateKey> left);
    void mark_partners();

    /// That of the record where duplicates are marked by UMI, else 0.
    uint64_t umi_of(const data::RecordView& record) const;
    void put(const PairKey& key, uint64_t umi);
    void put(const EndKey& key, uint64_t umi);
    /// Spills keys and names, and with `spill_mates` those too: not while mates are taken.
    void spill_over_budget(bool spill_mates = true);
    uint64_t held_bytes() const {
        return pairs.held_bytes() + ends.held_bytes() + umi_pairs.held_bytes() + umi_ends.held_bytes() +
               names.held_bytes() + partners.held_bytes() + set_pairs.held_bytes() + placed.held_bytes();
    }

    void mark(uint64_t ordinal, uint16_t library, bool pair);
    template <class Key>  // PairKey or UmiPairKey
    void decide_pairs(std::vector<Key> keys, const EndFilter* singles, std::vector<Tie>& ties);
    template <class Key>
    void decide_molecule(std::span<const Key> keys, const EndFilter* singles, std::vector<Tie>& ties);
    template <class Key>  // EndKey or UmiEndKey
    void decide_ends(std::vector<Key> keys);
    void decide_ties(std::vector<Tie> ties);
    /// Of the sets that decide_pairs() has met.
    void count_optical_duplicates(unsigned threads);
    /// By the values that it takes itself, while keys are taken.
    template <class T>
    void spill_over_budget(PartitionStore<T>& store);

    MarkerOptions options;
    sort::SpillFile file;
    std::vector<std::string> libraries;
    std::vector<uint16_t> library_of_group;
    std::vector<LibraryCounts> counts;
    PartitionStore<PairKey> pairs;
    PartitionStore<EndKey> ends;
    PartitionStore<UmiPairKey> umi_pairs;  // instead, with by_umi
    PartitionStore<UmiEndKey> umi_ends;
    NameStore names;
    // Of pairs that have duplicates, while decide() runs; nothing where no name has a place.
    PartitionStore<SetPair> set_pairs;  // by ordinal
    PartitionStore<PlacedPair> placed;  // by set
    // Of records that come in any order (mates.cpp).
    std::unordered_map<uint64_t, MateKey> waiting;  // by read group and name: those whose mate has not come
    PartitionStore<MateKey> mates;                  // those that had to make room
    PartitionStore<Partner> partners;
    std::mutex spill_mutex;
    std::atomic<uint64_t> template_end{0};
    std::atomic<uint64_t> singles{0};
    std::vector<uint64_t> bits;
    uint64_t ordinal_scale = 0;  ///< brings the ordinals of templates to 64 bits, in order
};

}  // namespace gannet::align::duplicates
