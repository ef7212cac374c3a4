// SPDX-License-Identifier: MIT
// Provides the de Bruijn graph of local assembly and the walk over its paths.
#include "variants/alleles/assembly.hpp"

#include "variants/model/alleles.hpp"

#include <algorithm>
#include <bit>

namespace gannet::variants {

namespace {

constexpr auto k_sizes = alleles_numbers<size_t, 6>("assembly_kmer_sizes");
constexpr uint8_t k_min_quality = alleles_number("assembly_min_quality");
// Reads, of an edge that is not in the reference.
constexpr uint16_t k_min_count = alleles_number("assembly_min_count");
// Of a haplotype compared with the reference.
constexpr size_t k_max_extra_length = alleles_number("assembly_max_extra_bp");
// Of one walk through a graph with many paths.
constexpr size_t k_max_steps = alleles_number("assembly_max_steps");

uint64_t mixed(unsigned __int128 key) {
    uint64_t hash = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15u ^
                    static_cast<uint64_t>(key >> 64) * 0xc2b2ae3d27d4eb4fu;
    return hash ^ hash >> 31;
}

}  // namespace

int32_t Assembler::node_of(Key key) {
    if (nodes_.size() * 2 >= slots_.size()) {
        slots_.assign(std::max<size_t>(1024, slots_.size() * 2), k_none);
        for (size_t i = 0; i < nodes_.size(); ++i) {
            size_t slot = mixed(nodes_[i].key) & (slots_.size() - 1);
            while (slots_[slot] != k_none) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<int32_t>(i);
        }
    }
    size_t slot = mixed(key) & (slots_.size() - 1);
    while (slots_[slot] != k_none) {
        if (nodes_[static_cast<size_t>(slots_[slot])].key == key) return slots_[slot];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<int32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_.back().key = key;
    return slots_[slot];
}

void Assembler::set_size(size_t k) {
    leading_ = 1;
    for (size_t i = 1; i < k; ++i) leading_ *= k_multiplier;
}

void Assembler::add_read(std::span<const data::Base> bases, std::span<const uint8_t> qualities, size_t k) {
    Key key = 0;
    size_t length = 0;
    int32_t last = k_none;
    for (size_t i = 0; i < bases.size(); ++i) {
        if (bases[i] > 3 || qualities[i] < k_min_quality) {
            length = 0;
            key = 0;
            last = k_none;
            continue;
        }
        key = length < k ? rolled(key, bases[i]) : rolled(key, bases[i], bases[i - k]);
        if (++length < k) continue;
        const int32_t node = node_of(key);
        if (last != k_none) {
            Node& from = nodes_[static_cast<size_t>(last)];
            from.next[bases[i]] = node;
            if (from.count[bases[i]] < 0xffff) ++from.count[bases[i]];
        }
        last = node;
    }
}

bool Assembler::build(const ReadSet& set, std::span<const uint32_t> reads,
                      std::span<const data::Base> reference, size_t k) {
    nodes_.clear();
    std::fill(slots_.begin(), slots_.end(), k_none);
    if (reference.size() < 2 * k) return false;
    set_size(k);
    Key key = 0;
    int32_t last = k_none;
    for (size_t i = 0; i < reference.size(); ++i) {
        if (reference[i] > 3) return false;
        key = i < k ? rolled(key, reference[i]) : rolled(key, reference[i], reference[i - k]);
        if (i + 1 < k) continue;
        const size_t known = nodes_.size();
        const int32_t node = node_of(key);
        if (nodes_.size() == known) return false;  // the reference repeats a k-mer
        if (last != k_none) {
            nodes_[static_cast<size_t>(last)].next[reference[i]] = node;
            nodes_[static_cast<size_t>(last)].reference_next = static_cast<int8_t>(reference[i]);
        }
        last = node;
    }
    source_ = 0;
    sink_ = last;
    for (const uint32_t index : reads) {
        const CallRead& read = set.reads[index];
        add_read({set.bases.data() + read.bases, read.length},
                 {set.qualities.data() + read.bases, read.length}, k);
    }
    return true;
}

bool Assembler::is_kept(const Node& node, size_t base) const {
    return node.next[base] != k_none &&
           (node.count[base] >= k_min_count || node.reference_next == static_cast<int8_t>(base));
}

void Assembler::mark_reachable() {
    edges_.clear();
    for (size_t i = 0; i < nodes_.size(); ++i) {
        for (size_t base = 0; base < 4; ++base) {
            if (is_kept(nodes_[i], base)) edges_.emplace_back(nodes_[i].next[base], static_cast<int32_t>(i));
        }
    }
    std::sort(edges_.begin(), edges_.end());
    queue_.assign(1, sink_);
    nodes_[static_cast<size_t>(sink_)].reaches_sink = true;
    for (size_t at = 0; at < queue_.size(); ++at) {
        auto edge =
            std::lower_bound(edges_.begin(), edges_.end(), std::pair<int32_t, int32_t>{queue_[at], k_none});
        for (; edge != edges_.end() && edge->first == queue_[at]; ++edge) {
            Node& from = nodes_[static_cast<size_t>(edge->second)];
            if (from.reaches_sink) continue;
            from.reaches_sink = true;
            queue_.push_back(edge->second);
        }
    }
}

/// Depth first, the edge with most reads first. False if a path has a cycle or there are too many paths.
bool Assembler::walk(size_t k, size_t longest, std::span<const data::Base> reference,
                     std::vector<data::Base>& haplotypes, std::vector<uint32_t>& offsets) {
    const auto enter = [&](int32_t index) {
        Node& node = nodes_[static_cast<size_t>(index)];
        node.is_on_path = true;
        Step step{index, {}, 0, 0};
        for (size_t base = 0; base < 4; ++base) {
            if (!is_kept(node, base) || !nodes_[static_cast<size_t>(node.next[base])].reaches_sink) continue;
            step.order[static_cast<size_t>(step.choices++)] = static_cast<int8_t>(base);
        }
        std::stable_sort(step.order.begin(), step.order.begin() + step.choices, [&](int8_t a, int8_t b) {
            return node.count[static_cast<size_t>(a)] > node.count[static_cast<size_t>(b)];
        });
        path_.push_back(step);
    };
    path_.clear();
    bases_.assign(reference.begin(), reference.begin() + static_cast<std::ptrdiff_t>(k));
    enter(source_);
    for (size_t steps = 0; !path_.empty(); ++steps) {
        if (steps > k_max_steps) return false;
        Step& step = path_.back();
        const bool is_end = step.node == sink_;
        if (is_end && !std::equal(bases_.begin(), bases_.end(), reference.begin(), reference.end())) {
            haplotypes.insert(haplotypes.end(), bases_.begin(), bases_.end());
            offsets.push_back(static_cast<uint32_t>(haplotypes.size()));
            if (offsets.size() > k_max_paths) return true;
        }
        if (is_end || step.tried == step.choices || bases_.size() >= longest) {
            nodes_[static_cast<size_t>(step.node)].is_on_path = false;
            path_.pop_back();
            bases_.pop_back();
            continue;
        }
        const int8_t base = step.order[static_cast<size_t>(step.tried++)];
        const int32_t next = nodes_[static_cast<size_t>(step.node)].next[static_cast<size_t>(base)];
        if (nodes_[static_cast<size_t>(next)].is_on_path) return false;
        bases_.push_back(static_cast<data::Base>(base));
        enter(next);
    }
    return true;
}

bool Assembler::assemble(const ReadSet& set, std::span<const uint32_t> reads,
                         std::span<const data::Base> reference, std::vector<data::Base>& haplotypes,
                         std::vector<uint32_t>& offsets) {
    for (const size_t k : k_sizes) {
        haplotypes.clear();
        offsets.assign(1, 0);
        if (!build(set, reads, reference, k)) continue;
        mark_reachable();
        if (walk(k, reference.size() + k_max_extra_length, reference, haplotypes, offsets)) return true;
    }
    haplotypes.clear();
    offsets.assign(1, 0);
    return false;
}

}  // namespace gannet::variants
