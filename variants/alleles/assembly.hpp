// SPDX-License-Identifier: MIT
// Provides local assembly by a de Bruijn graph, for regions where alignments may not show the alleles.
#pragma once

#include "variants/model/alleles.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sequence/allele.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Reference bases on both sides of a region that haplotypes are anchored in; more than any k.
inline constexpr int64_t k_assembly_flank_bp = alleles_number("assembly_flank_bp");

/// Assembles reads over reference [begin, end): nodes are k-mers, the reference's first and last are source
/// and sink. Uses the smallest k of a fixed list for which neither the reference nor the paths repeat a
/// k-mer (Iqbal 2012 and Poplin 2017 describe such graphs).
class Assembler {
  public:
    /// Replaces `haplotypes` (bases one after another) and `offsets` (haplotypes + 1) by up to k_max_paths
    /// sequences from source to sink, without the reference itself. False if there is no such k.
    bool assemble(const ReadSet& set, std::span<const uint32_t> reads, std::span<const data::Base> reference,
                  std::vector<data::Base>& haplotypes, std::vector<uint32_t>& offsets);

    static constexpr size_t k_max_paths = alleles_number("assembly_max_paths");

  private:
    using Key = unsigned __int128;  ///< a rolling hash, wide enough to identify its k-mer
    static constexpr int32_t k_none = -1;
    static constexpr Key k_multiplier = Key{0x9e3779b97f4a7c15u} << 64 | 0xd1342543de82ef95u;

    struct Node {
        Key key = 0;
        std::array<int32_t, 4> next{k_none, k_none, k_none, k_none};
        std::array<uint16_t, 4> count{};
        int8_t reference_next = -1;  ///< the next base of the reference
        bool reaches_sink = false;
        bool is_on_path = false;
    };

    bool build(const ReadSet& set, std::span<const uint32_t> reads, std::span<const data::Base> reference,
               size_t k);
    void add_read(std::span<const data::Base> bases, std::span<const uint8_t> qualities, size_t k);
    int32_t node_of(Key key);
    void set_size(size_t k);
    Key rolled(Key key, data::Base in) const { return key * k_multiplier + in + 1; }
    Key rolled(Key key, data::Base in, data::Base out) const {
        return (key - (out + 1) * leading_) * k_multiplier + in + 1;
    }
    bool is_kept(const Node& node, size_t base) const;
    void mark_reachable();
    bool walk(size_t k, size_t longest, std::span<const data::Base> reference,
              std::vector<data::Base>& haplotypes, std::vector<uint32_t>& offsets);

    std::vector<Node> nodes_;
    std::vector<int32_t> slots_;
    std::vector<int32_t> queue_;
    std::vector<std::pair<int32_t, int32_t>> edges_;  // (to, from), to walk backwards
    struct Step {
        int32_t node;
        std::array<int8_t, 4> order;  // bases to try, those with most reads first
        int8_t tried;
        int8_t choices;
    };
    std::vector<Step> path_;
    std::vector<data::Base> bases_;
    Key leading_ = 0;  // the multiplier's power that the oldest base of a k-mer has
    int32_t source_ = k_none;
    int32_t sink_ = k_none;
};

}  // namespace gannet::variants
