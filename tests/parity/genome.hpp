// SPDX-License-Identifier: MIT
// Provides made genomes for the parity cases of ops that read one.
#pragma once

#include "kernels/genome/genome_view.hpp"
#include "tests/parity/random.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gannet::parity {

using Codes = std::vector<uint8_t>;  ///< 0 to 3, and 4 for what is ambiguous

inline Codes random_codes(Random& random, size_t count) {
    Codes codes(count);
    for (uint8_t& code : codes) code = static_cast<uint8_t>(random.below(4));
    return codes;
}

/// Each base is another one with `percent`.
inline Codes mutated(Random& random, Codes codes, uint32_t percent) {
    for (uint8_t& code : codes) {
        if (code < 4 && random.chance(percent)) code = static_cast<uint8_t>((code + 1 + random.below(3)) % 4);
    }
    return codes;
}

inline Codes reverse_complement(const Codes& codes) {
    Codes out(codes.rbegin(), codes.rend());
    for (uint8_t& code : out) code = code > 3 ? code : static_cast<uint8_t>(3 - code);
    return out;
}

/// Contigs with padding between them, and all that GenomeView refers to.
class MadeGenome {
  public:
    MadeGenome() : codes_(k_padding, 4) {}

    /// Returns where the contig begins.
    int64_t add(const Codes& contig, bool alternate = false) {
        const auto begin = static_cast<int64_t>(codes_.size());
        contig_begin_.push_back(codes_.size());
        contig_length_.push_back(contig.size());
        codes_.insert(codes_.end(), contig.begin(), contig.end());
        codes_.resize((codes_.size() + 2 * k_padding - 1) / k_padding * k_padding, 4);
        const int64_t end = begin + static_cast<int64_t>(contig.size());
        if (alternate && last_is_alternate_)
            alternate_.back().end = end;
        else if (alternate)
            alternate_.push_back({begin, end});
        last_is_alternate_ = alternate;
        return begin;
    }
    /// Once, when all contigs are there.
    void finish() {
        packed_.assign(codes_.size() / 32 + 1, 0);
        fine_.assign((codes_.size() >> (kernels::k_fine_block_bits + 6)) + 1, 0);
        coarse_.assign((codes_.size() >> (kernels::k_coarse_block_bits + 6)) + 1, 0);
        for (size_t i = 0; i < codes_.size(); ++i) {
            if (codes_[i] < 4) {
                packed_[i / 32] |= uint64_t{codes_[i]} << 2 * (i % 32);
                continue;
            }
            mark(fine_, i >> kernels::k_fine_block_bits);
            mark(coarse_, i >> kernels::k_coarse_block_bits);
            const auto at = static_cast<int64_t>(i);
            // Beside each other, as runs of different letters are.
            if (!ambiguous_.empty() && ambiguous_.back().end == at && i % 7 != 0)
                ambiguous_.back().end = at + 1;
            else
                ambiguous_.push_back({at, at + 1});
        }
    }

    size_t size() const { return codes_.size(); }
    const Codes& codes() const { return codes_; }  ///< of the packed genome, padding included, as 4
    uint8_t code(int64_t at) const {
        return at < 0 || at >= static_cast<int64_t>(codes_.size()) ? 4 : codes_[static_cast<size_t>(at)];
    }
    /// [begin, begin + count), 4 outside.
    Codes codes(int64_t begin, size_t count) const {
        Codes out;
        for (size_t i = 0; i < count; ++i) out.push_back(code(begin + static_cast<int64_t>(i)));
        return out;
    }
    kernels::GenomeView view() const {
        return {packed_.data(),
                packed_.size() - 1,
                contig_begin_.data(),
                contig_length_.data(),
                static_cast<uint32_t>(contig_begin_.size()),
                ambiguous_.data(),
                static_cast<uint32_t>(ambiguous_.size()),
                fine_.data(),
                coarse_.data(),
                alternate_.data(),
                static_cast<uint32_t>(alternate_.size())};
    }

  private:
    static constexpr size_t k_padding = 64;
    static void mark(std::vector<uint64_t>& bits, size_t block) {
        bits[block / 64] |= uint64_t{1} << block % 64;
    }

    Codes codes_;
    bool last_is_alternate_ = false;
    std::vector<uint64_t> packed_;  ///< and one word more, which word_at() reads
    std::vector<uint64_t> contig_begin_;
    std::vector<uint64_t> contig_length_;
    std::vector<kernels::GenomeInterval> ambiguous_;
    std::vector<uint64_t> fine_;
    std::vector<uint64_t> coarse_;
    std::vector<kernels::GenomeInterval> alternate_;
};

}  // namespace gannet::parity
