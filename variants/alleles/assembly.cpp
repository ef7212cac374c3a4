// SPDX-License-Identifier: MIT
// Provides the de Bruijn graph of local assembly.
#include "variants/alleles/assembly.hpp"

#include "variants/model/alleles.hpp"

#include <algorithm>
#include <bit>

namespace gannet::variants {

namespace {

constexpr auto k_sizes = alleles_numbers<size_t, 6>("assembly_kmer_sizes");
constexpr uint8_t k_min_kmer_quality = alleles_number("assembly_min_quality");
// Reads, of an edge that is not in the reference.
constexpr uint16_t k_min_count = alleles_number("assembly_min_count");
// Of a haplotype compared with the reference.
constexpr size_t k_max_extra_length = alleles_number("assembly_max_extra_bp");

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
        if (bases[i] > 3 || qualities[i] < k_min_kmer_quality) {
            length = 0;
            key = 0;
            last = k_none;
            visits_.push_back(k_none);
            continue;
        }
        key = length < k ? rolled(key, bases[i]) : rolled(key, bases[i], bases[i - k]);
        if (++length < k) continue;
        const int32_t node = node_of(key);
        if (last != k_none) {
            AssemblyNode& from = nodes_[static_cast<size_t>(last)];
            from.next[bases[i]] = node;
            if (from.count[bases[i]] < 0xffff) ++from.count[bases[i]];
        }
        last = node;
        visits_.push_back(node);
    }
    visits_.push_back(k_none);
}

/// The first and the last k bases of the stretch are the reference's in a read that is aligned over them and
/// further in.
void Assembler::add_anchored(const ReadSet& set, const CallRead& read, int64_t begin,
                             std::span<const data::Base> reference, size_t k) {
    const std::span bases{set.bases.data() + read.bases, read.length};
    const std::span qualities{set.qualities.data() + read.bases, read.length};
    const auto offset_inside = [&](int64_t position) {
        return read.begin < position && position < read.end ? read_offset_at(set, read, position) : -1;
    };
    const int64_t left = offset_inside(begin + static_cast<int64_t>(k));
    const int64_t right = offset_inside(begin + static_cast<int64_t>(reference.size() - k));
    if (left < 0 && right < 0) {
        add_read(bases, qualities, k);
        return;
    }
    bases_.clear();
    qualities_.clear();
    const auto add = [&](std::span<const data::Base> anchor) {
        bases_.insert(bases_.end(), anchor.begin(), anchor.end());
        qualities_.resize(bases_.size(), k_min_kmer_quality);
    };
    const auto first = static_cast<std::ptrdiff_t>(std::max<int64_t>(left, 0));
    const auto last = static_cast<std::ptrdiff_t>(right < 0 ? int64_t{read.length} : right);
    if (left >= 0) add(reference.first(k));
    bases_.insert(bases_.end(), bases.begin() + first, bases.begin() + last);
    qualities_.insert(qualities_.end(), qualities.begin() + first, qualities.begin() + last);
    if (right >= 0) add(reference.last(k));
    add_read(bases_, qualities_, k);
}

bool Assembler::build(const ReadSet& set, std::span<const uint32_t> reads, int64_t begin,
                      std::span<const data::Base> reference, size_t k) {
    nodes_.clear();
    visits_.clear();
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
    for (const uint32_t index : reads) add_anchored(set, set.reads[index], begin, reference, k);
    return true;
}

bool Assembler::is_kept(const AssemblyNode& node, size_t base) const {
    return node.next[base] != k_none &&
           (node.count[base] >= k_min_count || node.reference_next == static_cast<int8_t>(base));
}

/// Of each node those that lead to the sink.
void Assembler::mark_ways() {
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
            AssemblyNode& from = nodes_[static_cast<size_t>(edge->second)];
            if (from.reaches_sink) continue;
            from.reaches_sink = true;
            queue_.push_back(edge->second);
        }
    }
    for (AssemblyNode& node : nodes_) {
        for (size_t base = 0; base < 4; ++base) {
            if (is_kept(node, base) && nodes_[static_cast<size_t>(node.next[base])].reaches_sink)
                node.ways |= static_cast<uint8_t>(1u << base);
        }
    }
}

bool Assembler::assemble(const ReadSet& set, std::span<const uint32_t> reads, int64_t begin,
                         std::span<const data::Base> reference, std::vector<data::Base>& haplotypes,
                         std::vector<uint32_t>& offsets) {
    for (const size_t k : k_sizes) {
        if (!build(set, reads, begin, reference, k)) continue;
        mark_ways();
        if (paths_.find({nodes_, visits_, source_, sink_, reference}, k,
                        reference.size() + k_max_extra_length, k_max_paths, haplotypes, offsets))
            return true;
    }
    haplotypes.clear();
    offsets.assign(1, 0);
    return false;
}

}  // namespace gannet::variants
