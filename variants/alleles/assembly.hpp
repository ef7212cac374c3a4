// SPDX-License-Identifier: MIT
// Provides local assembly by a de Bruijn graph, for regions where alignments may not show the alleles.
#pragma once

#include "variants/alleles/assembly_paths.hpp"
#include "variants/model/alleles.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Reference bases on both sides of a region that haplotypes are anchored in; more than any k.
inline constexpr int64_t k_assembly_flank_bp = alleles_number("assembly_flank_bp");

/// Assembles reads over a stretch of the reference: nodes are k-mers, the reference's first and last are
/// source and sink. There reads that are aligned over the ends of the stretch get the reference's bases:
/// where haplotypes differ from it every few bases, they would have neither. Uses the smallest k of a fixed
/// list for which neither the reference nor the paths repeat a k-mer (Iqbal 2012 and Poplin 2017 describe
/// such graphs). Which paths: AssemblyPaths.
class Assembler {
  public:
    /// `reference` begins at `begin`. Replaces `haplotypes` (bases one after another) and `offsets`
    /// (haplotypes + 1) by up to k_max_paths sequences from source to sink, the most probable one first,
    /// without the reference itself. False if there is no such k.
    bool assemble(const ReadSet& set, std::span<const uint32_t> reads, int64_t begin,
                  std::span<const data::Base> reference, std::vector<data::Base>& haplotypes,
                  std::vector<uint32_t>& offsets);

    static constexpr size_t k_max_paths = alleles_number("assembly_max_paths");

  private:
    using Key = unsigned __int128;
    static constexpr int32_t k_none = AssemblyNode::k_none;
    static constexpr Key k_multiplier = Key{0x9e3779b97f4a7c15u} << 64 | 0xd1342543de82ef95u;

    bool build(const ReadSet& set, std::span<const uint32_t> reads, int64_t begin,
               std::span<const data::Base> reference, size_t k);
    void add_anchored(const ReadSet& set, const CallRead& read, int64_t begin,
                      std::span<const data::Base> reference, size_t k);
    void add_read(std::span<const data::Base> bases, std::span<const uint8_t> qualities, size_t k);
    int32_t node_of(Key key);
    void set_size(size_t k);
    Key rolled(Key key, data::Base in) const { return key * k_multiplier + in + 1; }
    Key rolled(Key key, data::Base in, data::Base out) const {
        return (key - (out + 1) * leading_) * k_multiplier + in + 1;
    }
    bool is_kept(const AssemblyNode& node, size_t base) const;
    void mark_ways();

    std::vector<AssemblyNode> nodes_;
    std::vector<int32_t> visits_;  // nodes of the reads, with k_none after each stretch of good bases
    std::vector<int32_t> slots_;
    std::vector<data::Base> bases_;  // of a read with anchors
    std::vector<uint8_t> qualities_;
    std::vector<int32_t> queue_;
    std::vector<std::pair<int32_t, int32_t>> edges_;  // (to, from), to walk backwards
    AssemblyPaths paths_;
    Key leading_ = 0;  // the multiplier's power that the oldest base of a k-mer has
    int32_t source_ = k_none;
    int32_t sink_ = k_none;
};

}  // namespace gannet::variants
