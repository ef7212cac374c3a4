// SPDX-License-Identifier: MIT
// Provides the part of a read by which FastQC tells whether two reads are duplicates. Internal to qc/.
#pragma once

#include "data/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gannet::pipeline::qc {

/// Reads up to this length are compared whole; of longer ones, whose ends have more errors, the start.
inline constexpr size_t k_max_whole_read_bp = 75;
inline constexpr size_t k_read_start_bp = 50;

inline std::span<const data::Base> start_of(std::span<const data::Base> read) {
    return read.size() > k_max_whole_read_bp ? read.first(k_read_start_bp) : read;
}

/// Of at most k_max_whole_read_bp codes of bases. The same on every machine.
uint64_t hash_of(std::span<const data::Base> start);

/// At most k_max_whole_read_bp bases, three bits each, and their number: equal exactly where the sequences
/// are.
class ReadStart {
  public:
    ReadStart() = default;
    explicit ReadStart(std::span<const data::Base> start);
    size_t length() const { return words_.back() >> k_length_shift; }
    data::Base base(size_t at) const {
        return static_cast<data::Base>(words_[at / k_word_bases] >> 3 * (at % k_word_bases) & 7);
    }
    std::string letters() const;
    uint64_t hash() const;  ///< hash_of() the bases
    bool is_valid() const;  ///< false for bytes that no read gives
    /// Written out, since that of an array is a call.
    bool operator==(const ReadStart& other) const {
        return ((words_[0] ^ other.words_[0]) | (words_[1] ^ other.words_[1]) |
                (words_[2] ^ other.words_[2]) | (words_[3] ^ other.words_[3])) == 0;
    }

  private:
    static constexpr size_t k_word_bases = 21;
    static constexpr unsigned k_length_shift = 56;  ///< in the last word, which has 12 bases

    std::array<uint64_t, 4> words_{};
};

}  // namespace gannet::pipeline::qc
