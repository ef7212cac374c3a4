// SPDX-License-Identifier: MIT
// Provides the backend `reference` of the op inflate: the format bit by bit, as RFC 1951 describes it.
#include "kernels/inflate/inflate_backends.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gannet::kernels {

namespace {

using inflate::check;
using Bytes = std::vector<uint8_t>;
using Lengths = std::vector<uint8_t>;  ///< of the words of symbols, in bits; 0: no word
using Status = InflateStatus;

constexpr uint32_t k_longest_word = 15;
constexpr uint32_t k_end = 256;
constexpr uint32_t k_literals = 286;
constexpr uint32_t k_distances = 30;
constexpr uint32_t k_code_lengths = 19;

/// RFC 1951, 3.2.5.
struct Range {
    uint32_t extra_bits;
    uint32_t first;
};
constexpr std::array<Range, 29> k_length_ranges{
    {{0, 3},  {0, 4},  {0, 5},  {0, 6},   {0, 7},   {0, 8},   {0, 9},   {0, 10},  {1, 11}, {1, 13},
     {1, 15}, {1, 17}, {2, 19}, {2, 23},  {2, 27},  {2, 31},  {3, 35},  {3, 43},  {3, 51}, {3, 59},
     {4, 67}, {4, 83}, {4, 99}, {4, 115}, {5, 131}, {5, 163}, {5, 195}, {5, 227}, {0, 258}}};
constexpr std::array<Range, k_distances> k_distance_ranges{
    {{0, 1},     {0, 2},     {0, 3},     {0, 4},      {1, 5},      {1, 7},     {2, 9},     {2, 13},
     {3, 17},    {3, 25},    {4, 33},    {4, 49},     {5, 65},     {5, 97},    {6, 129},   {6, 193},
     {7, 257},   {7, 385},   {8, 513},   {8, 769},    {9, 1025},   {9, 1537},  {10, 2049}, {10, 3073},
     {11, 4097}, {11, 6145}, {12, 8193}, {12, 12289}, {13, 16385}, {13, 24577}}};

/// Bits from the lowest of the first byte on; behind the end zeros.
class Bits {
  public:
    explicit Bits(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    uint32_t take(uint32_t count) {
        uint32_t value = 0;
        for (uint32_t k = 0; k < count; ++k, ++at_) {
            const uint32_t bit = at_ / 8 < bytes_.size() ? bytes_[at_ / 8] >> at_ % 8 & 1 : 0;
            value |= bit << k;
        }
        return value;
    }
    void go_to(uint64_t at) { at_ = at; }
    uint64_t at() const { return at_; }
    void end_byte() { at_ = (at_ + 7) / 8 * 8; }
    bool is_beyond_end() const { return at_ > 8 * bytes_.size(); }
    /// Of whole bytes, which are taken.
    std::span<const uint8_t> take_bytes(uint32_t count) {
        const uint64_t begin = at_ / 8;
        at_ += uint64_t{8} * count;
        return is_beyond_end() ? std::span<const uint8_t>() : bytes_.subspan(begin, count);
    }

  private:
    std::span<const uint8_t> bytes_;
    uint64_t at_ = 0;
};

/// RFC 1951, 3.2.2.
class Code {
  public:
    explicit Code(const Lengths& lengths) {
        for (uint32_t bits = 1; bits <= k_longest_word; ++bits) {
            for (uint32_t s = 0; s < lengths.size(); ++s) {
                if (lengths[s] != bits) continue;
                symbols_.push_back(s);
                ++words_[bits];
            }
            room_ -= words_[bits] << (k_longest_word - bits);
        }
    }
    bool is_complete() const { return room_ == 0; }
    bool has_no_word() const { return symbols_.empty(); }
    bool has_one_short_word() const { return symbols_.size() == 1 && words_[1] == 1; }

    /// Takes a word; nothing where the bits are none.
    std::optional<uint32_t> next(Bits& in) const {
        const uint64_t begin = in.at();
        uint32_t word = 0;
        uint32_t first = 0;  // word of this length
        uint32_t index = 0;  // of its symbol
        for (uint32_t bits = 1; bits <= k_longest_word; ++bits) {
            word |= in.take(1);
            const auto count = static_cast<uint32_t>(words_[bits]);
            if (word < first + count) return symbols_[index + word - first];
            index += count;
            first = (first + count) << 1;
            word <<= 1;
        }
        in.go_to(begin);
        return std::nullopt;
    }

  private:
    std::vector<uint32_t> symbols_;                    ///< that have words, by word
    std::array<int32_t, k_longest_word + 1> words_{};  ///< of each length
    int32_t room_ = 1 << k_longest_word;
};

class Inflater {
  public:
    explicit Inflater(const InflateBlock& block) : in_(block.stream), size_(block.out.size()) {}

    Status run() {
        const Status status = read_blocks();
        return in_.is_beyond_end() ? Status::ends_early : status;
    }
    const Bytes& bytes() const { return out_; }

  private:
    Status read_blocks() {
        for (bool is_last = false; !is_last;) {
            is_last = in_.take(1) != 0;
            const Status status = read_block(in_.take(2));
            if (status != Status::ok) return status;
        }
        return out_.size() == size_ ? Status::ok : Status::too_short;
    }

    Status read_block(uint32_t type) {
        if (type == 0) return copy_stored();
        if (type == 1) {
            Lengths literals(144, 8);
            literals.resize(256, 9);
            literals.resize(280, 7);
            literals.resize(288, 8);
            return read_symbols(Code(literals), Code(Lengths(32, 5)));
        }
        return type == 2 ? read_dynamic() : Status::bad_block;
    }

    Status copy_stored() {
        in_.end_byte();
        const uint32_t count = in_.take(16);
        if ((count ^ in_.take(16)) != 0xffff) return Status::bad_block;
        const std::span<const uint8_t> bytes = in_.take_bytes(count);
        if (count > size_ - out_.size()) return Status::too_long;
        out_.insert(out_.end(), bytes.begin(), bytes.end());
        return Status::ok;
    }

    /// RFC 1951, 3.2.7.
    Status read_dynamic() {
        constexpr std::array<uint8_t, k_code_lengths> k_order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
        const uint32_t literals = in_.take(5) + 257;
        const uint32_t distances = in_.take(5) + 1;
        const uint32_t written = in_.take(4) + 4;
        if (literals > k_literals || distances > k_distances) return Status::bad_code;
        Lengths of_lengths(k_code_lengths);
        for (uint32_t k = 0; k < written; ++k) of_lengths[k_order[k]] = static_cast<uint8_t>(in_.take(3));
        const Code code(of_lengths);
        if (!code.is_complete()) return Status::bad_code;
        Lengths lengths;
        while (lengths.size() < literals + distances) {
            const std::optional<uint32_t> symbol = code.next(in_);
            if (!symbol) return Status::bad_code;
            uint8_t length = static_cast<uint8_t>(*symbol);
            uint32_t count = 1;
            if (*symbol >= 16) {
                count = *symbol == 16 ? 3 + in_.take(2) : *symbol == 17 ? 3 + in_.take(3) : 11 + in_.take(7);
                if (*symbol == 16 && lengths.empty()) return Status::bad_code;
                length = *symbol == 16 ? lengths.back() : 0;
            }
            lengths.insert(lengths.end(), count, length);
        }
        if (lengths.size() > literals + distances || lengths[k_end] == 0) return Status::bad_code;
        const auto between = lengths.begin() + literals;
        const Code literal(Lengths(lengths.begin(), between));
        const Code distance(Lengths(between, lengths.end()));
        if (!literal.is_complete() && !literal.has_one_short_word()) return Status::bad_code;
        if (!distance.is_complete() && !distance.has_one_short_word() && !distance.has_no_word())
            return Status::bad_code;
        return read_symbols(literal, distance);
    }

    Status read_symbols(const Code& literal, const Code& distance) {
        for (;;) {
            const std::optional<uint32_t> symbol = literal.next(in_);
            if (!symbol) return Status::bad_code;
            if (*symbol == k_end) return Status::ok;
            if (*symbol < k_end) {
                if (out_.size() == size_) return Status::too_long;
                out_.push_back(static_cast<uint8_t>(*symbol));
                continue;
            }
            if (*symbol >= k_literals) return Status::bad_code;
            const uint32_t length = value_of(k_length_ranges[*symbol - k_end - 1]);
            const std::optional<uint32_t> second = distance.next(in_);
            if (!second || *second >= k_distances) return Status::bad_code;
            const uint32_t back = value_of(k_distance_ranges[*second]);
            if (back > out_.size()) return Status::bad_distance;
            if (length > size_ - out_.size()) return Status::too_long;
            for (uint32_t k = 0; k < length; ++k) out_.push_back(out_[out_.size() - back]);
        }
    }

    uint32_t value_of(const Range& range) { return range.first + in_.take(range.extra_bits); }

    Bits in_;
    size_t size_;
    Bytes out_;
};

/// RFC 1952, 8.
uint32_t crc32_of(const Bytes& bytes) {
    uint32_t crc = ~0u;
    for (const uint8_t byte : bytes) {
        crc ^= byte;
        for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

}  // namespace

void inflate_reference(Stream&, std::span<const InflateBlock> blocks, std::vector<InflateStatus>& statuses) {
    check(blocks);
    statuses.clear();
    for (const InflateBlock& block : blocks) {
        Inflater inflater(block);
        Status status = inflater.run();
        if (status == Status::ok && crc32_of(inflater.bytes()) != block.crc32) status = Status::bad_checksum;
        if (status == Status::ok)
            std::copy(inflater.bytes().begin(), inflater.bytes().end(), block.out.begin());
        statuses.push_back(status);
    }
}

}  // namespace gannet::kernels
