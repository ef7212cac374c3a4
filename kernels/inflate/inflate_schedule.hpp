// SPDX-License-Identifier: MIT
// Provides the device schedule of the op inflate: a warp takes a stream. Its lanes read the same bits and
// find the same symbols, one after the other; they make the tables together, each its entries, and write
// together what is known: literals by eights, a match by as many lanes as it has bytes. So no lane waits for
// a byte that it does not write, but a match for those before it.
#pragma once

#include "kernels/inflate/inflate_warps.hpp"

#include <cstdint>

namespace gannet::kernels::inflate {

/// A value of each lane from phase to phase; inflate_cuda.cu has that of a device, a register.
template <class Warp, class T>
class OfLane {
  public:
    constexpr T& operator[](uint32_t lane) { return values_[lane]; }

  private:
    T values_[k_warp_lanes] = {};
};

template <class Warp>
class StreamSchedule {
  public:
    constexpr StreamSchedule(const Warp& warp, const InflateArrays& arrays, WarpShared& shared,
                             uint32_t block)
        : warp_(warp),
          shared_(shared),
          stream_(arrays.streams + arrays.blocks[block].first_word),
          stream_bytes_(arrays.blocks[block].stream_bytes),
          out_(arrays.out + uint64_t{4} * arrays.blocks[block].first_out_word),
          out_words_(arrays.out_words + arrays.blocks[block].first_out_word),
          out_bytes_(arrays.blocks[block].out_bytes),
          crc32_(arrays.blocks[block].crc32),
          status_(arrays.statuses + block) {}

    constexpr void run() {
        seek(0);
        InflateStatus status = read_blocks();
        if (taken_bits() > 8 * stream_bytes_) status = InflateStatus::ends_early;
        if (status == InflateStatus::ok && crc32() != crc32_) status = InflateStatus::bad_checksum;
        warp_.each([&](uint32_t lane) {
            if (lane == 0) *status_ = static_cast<uint32_t>(status);
        });
    }

  private:
    // Bits. The word after those in bits_ is read when the one before it is taken, long before it is needed.

    constexpr uint32_t word_at(uint32_t k) const { return k < stream_words(stream_bytes_) ? stream_[k] : 0; }

    constexpr void seek(uint32_t byte) {
        next_word_ = byte / 4;
        bits_ = 0;
        held_ = 0;
        ahead_ = word_at(next_word_);
        refill();
        drop(byte % 4 * 8);
    }
    /// To more than 32 bits.
    constexpr void refill() {
        if (held_ > 32) return;
        bits_ |= uint64_t{ahead_} << held_;
        held_ += 32;
        ahead_ = word_at(++next_word_);
    }
    constexpr void drop(uint32_t count) {
        bits_ >>= count;
        held_ -= count;
    }
    constexpr uint32_t take(uint32_t count) {
        const uint32_t taken = static_cast<uint32_t>(bits_) & ((1u << count) - 1);
        drop(count);
        return taken;
    }
    constexpr uint32_t taken_bits() const { return 32 * next_word_ - held_; }

    // Blocks.

    constexpr InflateStatus read_blocks() {
        for (bool is_last = false; !is_last;) {
            refill();
            is_last = take(1) != 0;
            const InflateStatus status = read_block(take(2));
            if (status != InflateStatus::ok) return status;
        }
        write_out();
        return made_ == out_bytes_ ? InflateStatus::ok : InflateStatus::too_short;
    }

    constexpr InflateStatus read_block(uint32_t type) {
        if (type == 0) return copy_stored();
        if (type > 2) return InflateStatus::bad_block;
        if (!(type == 1 ? make_fixed_codes() : read_codes())) return InflateStatus::bad_code;
        return read_symbols();
    }

    constexpr InflateStatus copy_stored() {
        drop(held_ % 8);
        refill();
        const uint32_t count = take(16);
        refill();
        if ((count ^ take(16)) != 0xffff) return InflateStatus::bad_block;
        const uint32_t begin = taken_bits() / 8;
        write_out();
        seek(begin + count);
        // What is beyond the end is seen by run().
        if (begin + count > stream_bytes_ || count > out_bytes_ - made_) return InflateStatus::too_long;
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < count; k += k_warp_lanes) {
                const uint32_t from = begin + k;
                out_[made_ + k] = static_cast<uint8_t>(stream_[from / 4] >> from % 4 * 8);
            }
        });
        made_ += count;
        return InflateStatus::ok;
    }

    constexpr bool make_fixed_codes() {
        warp_.each([&](uint32_t lane) {
            uint8_t* const lengths = shared_.tables.lengths;
            for (uint32_t s = lane; s < k_fixed_literals; s += k_warp_lanes)
                lengths[s] = static_cast<uint8_t>(deflate::fixed_literal_bits(s));
            lengths[k_fixed_literals + lane] = k_fixed_distance_bits;
        });
        make_code(Alphabet::literals, shared_.tables.lengths, k_fixed_literals);
        make_code(Alphabet::distances, shared_.tables.lengths + k_fixed_literals, k_fixed_distances);
        return true;
    }

    constexpr bool read_codes() {
        refill();
        const uint32_t literals = take(5) + k_first_length_symbol;
        const uint32_t distances = take(5) + 1;
        const uint32_t written = take(4) + 4;
        if (literals > k_literals || distances > k_distances) return false;
        warp_.each([&](uint32_t lane) {
            if (lane < k_code_lengths) shared_.tables.length_bits[lane] = 0;
        });
        for (uint32_t k = 0; k < written; ++k) {
            refill();
            const auto bits = static_cast<uint8_t>(take(3));
            warp_.each([&](uint32_t lane) {
                if (lane == 0) shared_.tables.length_bits[deflate::code_length_in_order(k)] = bits;
            });
        }
        make_code(Alphabet::code_lengths, shared_.tables.length_bits, k_code_lengths);
        if (room_ != 0 || !read_lengths(literals + distances)) return false;
        const uint8_t* const lengths = shared_.tables.lengths;
        if (lengths[k_end_symbol] == 0) return false;
        make_code(Alphabet::literals, lengths, literals);
        if (room_ != 0 && !has_one_short_word_) return false;
        make_code(Alphabet::distances, lengths + literals, distances);
        return room_ == 0 || has_one_short_word_ || has_no_word_;
    }

    constexpr bool read_lengths(uint32_t count) {
        uint32_t last = 0;
        for (uint32_t made = 0; made < count;) {
            refill();
            const Entry entry = shared_.tables.distances[bits_ & ((1u << k_max_code_length_bits) - 1)];
            drop(word_bits(entry));
            const uint32_t symbol = value(entry);
            uint32_t times = 1;
            uint32_t length = symbol;
            if (symbol >= k_repeat_last) {
                times = symbol == k_repeat_last   ? 3 + take(2)
                        : symbol == k_repeat_zero ? 3 + take(3)
                                                  : 11 + take(7);
                if (symbol == k_repeat_last && made == 0) return false;
                length = symbol == k_repeat_last ? last : 0;
            }
            if (times > count - made) return false;
            warp_.each([&](uint32_t lane) {
                for (uint32_t k = lane; k < times; k += k_warp_lanes)
                    shared_.tables.lengths[made + k] = static_cast<uint8_t>(length);
            });
            last = length;
            made += times;
        }
        return true;
    }

    // Codes.

    /// Makes a code of the lengths of its words; where they are too many, only room_ is of use.
    constexpr void make_code(Alphabet alphabet, const uint8_t* lengths, uint32_t count) {
        const bool of_literals = alphabet == Alphabet::literals;
        Code& code = of_literals ? shared_.tables.literal : shared_.tables.distance;
        warp_.each([&](uint32_t lane) {
            if (lane <= k_max_code_bits) code.words[lane] = 0;
        });
        warp_.each([&](uint32_t lane) {
            for (uint32_t s = lane; s < count; s += k_warp_lanes) Warp::add(&code.words[lengths[s]], 1);
        });
        room_ = 1 << k_max_code_bits;
        for (uint32_t bits = 1; bits <= k_max_code_bits; ++bits)
            room_ -= static_cast<int32_t>(code.words[bits] << (k_max_code_bits - bits));
        has_no_word_ = code.words[0] == count;
        has_one_short_word_ = code.words[0] + 1 == count && code.words[1] == 1;
        if (room_ < 0) return;
        warp_.each([&](uint32_t lane) {
            if (lane == 0) order(code);
        });
        warp_.each([&](uint32_t lane) {
            for (uint32_t s = lane; s < count; s += k_warp_lanes) {
                const uint32_t bits = lengths[s];
                if (bits == 0) continue;
                uint32_t rank = 0;
                for (uint32_t other = 0; other < s; ++other) rank += lengths[other] == bits;
                code.sorted[code.begin[bits] + rank] = static_cast<uint16_t>(s);
            }
        });
        const uint32_t table_bits = of_literals                       ? k_literal_table_bits
                                    : alphabet == Alphabet::distances ? k_distance_table_bits
                                                                      : k_max_code_length_bits;
        Entry* const table = of_literals ? shared_.tables.literals : shared_.tables.distances;
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < 1u << table_bits; k += k_warp_lanes)
                table[k] = find(alphabet, code, k, 1, table_bits);
        });
    }

    static constexpr void order(Code& code) {
        uint32_t first = 0;
        uint32_t begin = 0;
        for (uint32_t bits = 1; bits <= k_max_code_bits; ++bits) {
            const uint32_t count = code.words[bits];
            code.first[bits] = first;
            code.begin[bits] = begin;
            code.limit[bits] = (first + count) << (k_max_code_bits - bits);
            begin += count;
            first = (first + count) << 1;
        }
    }

    /// The word of `least` to `most` bits that `bits` begin with; 0 where there is none.
    static constexpr Entry find(Alphabet alphabet, const Code& code, uint32_t bits, uint32_t least,
                                uint32_t most) {
        const uint32_t word = turned(bits);
        for (uint32_t length = least; length <= most; ++length) {
            if (word >= code.limit[length]) continue;
            const uint32_t rank = (word >> (k_max_code_bits - length)) - code.first[length];
            return entry_of(alphabet, code.sorted[code.begin[length] + rank], length);
        }
        return 0;
    }

    // Symbols.

    constexpr Entry next_literal() {
        const auto bits = static_cast<uint32_t>(bits_);
        Entry entry = shared_.tables.literals[bits & ((1u << k_literal_table_bits) - 1)];
        if (entry == 0)
            entry = find(Alphabet::literals, shared_.tables.literal, bits, k_literal_table_bits + 1,
                         k_max_code_bits);
        drop(word_bits(entry));
        return entry;
    }
    constexpr Entry next_distance() {
        const auto bits = static_cast<uint32_t>(bits_);
        Entry entry = shared_.tables.distances[bits & ((1u << k_distance_table_bits) - 1)];
        if (entry == 0)
            entry = find(Alphabet::distances, shared_.tables.distance, bits, k_distance_table_bits + 1,
                         k_max_code_bits);
        drop(word_bits(entry));
        return entry;
    }

    constexpr InflateStatus read_symbols() {
        for (;;) {
            refill();
            const Entry entry = next_literal();
            if (entry == 0) return InflateStatus::bad_code;
            if (kind(entry) == EntryKind::plain) {
                if (made_ == out_bytes_) return InflateStatus::too_long;
                put(value(entry));
                continue;
            }
            if (kind(entry) == EntryKind::end) return InflateStatus::ok;
            if (kind(entry) == EntryKind::without_meaning) return InflateStatus::bad_code;
            const uint32_t length = value(entry) + take(extra_bits(entry));
            refill();
            const Entry second = next_distance();
            if (second == 0 || kind(second) == EntryKind::without_meaning) return InflateStatus::bad_code;
            const uint32_t distance = value(second) + take(extra_bits(second));
            if (distance > made_) return InflateStatus::bad_distance;
            if (length > out_bytes_ - made_) return InflateStatus::too_long;
            repeat(length, distance);
        }
    }

    // Bytes. Literals wait in pending_ for others or for a match, the last one highest. Of a match of no more
    // bytes than there are lanes each lane keeps its own, and writes it when something follows: so the
    // symbols behind it are looked up while it is read.

    constexpr void put(uint32_t literal) {
        pending_ = pending_ >> 8 | uint64_t{literal} << 56;
        ++made_;
        if (++pending_bytes_ == sizeof pending_) write_out();
    }
    constexpr void write_out() {
        warp_.each([&](uint32_t lane) {
            if (lane < copied_bytes_) out_[copied_begin_ + lane] = copied_[lane];
            if (lane < pending_bytes_)
                out_[made_ - pending_bytes_ + lane] =
                    static_cast<uint8_t>(pending_ >> 8 * (sizeof pending_ - pending_bytes_ + lane));
        });
        copied_bytes_ = pending_bytes_ = 0;
    }
    /// Reads only what is before it, from the last `distance` bytes as often as needed.
    constexpr void repeat(uint32_t length, uint32_t distance) {
        write_out();
        const uint32_t from = made_ - distance;
        if (length <= k_warp_lanes) {
            warp_.each([&](uint32_t lane) {
                if (lane < length) copied_[lane] = out_[from + (distance < length ? lane % distance : lane)];
            });
            copied_begin_ = made_;
            copied_bytes_ = length;
        } else {
            warp_.each([&](uint32_t lane) {
                for (uint32_t k = lane; k < length; k += k_warp_lanes)
                    out_[made_ + k] = out_[from + (distance < length ? k % distance : k)];
            });
        }
        made_ += length;
    }

    // Checksum: lane k has the words k, k + 32, ...; a step of all of them is a row of 128 bytes.

    constexpr uint32_t crc32() {
        constexpr uint32_t k_row_bytes = k_warp_lanes * k_bytes_of_word;
        auto& crc = shared_.crc;
        warp_.each([&](uint32_t lane) {
            crc.of_bit[lane] = product(1u << lane, power_of_x(8 * k_row_bytes));
            crc.state[lane] = 0;
        });
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < k_bytes_of_word * k_byte_values; k += k_warp_lanes) {
                uint32_t sum = 0;
                for (uint32_t bit = 0; bit < 8; ++bit)
                    sum ^= (k >> bit & 1) != 0 ? crc.of_bit[k / k_byte_values * 8 + bit] : 0;
                crc.of_byte[k] = sum;
            }
        });
        const uint32_t rows = out_bytes_ / k_row_bytes;
        warp_.each([&](uint32_t lane) {
            uint32_t state = 0;
            for (uint32_t row = 0; row < rows; ++row) {
                const uint32_t word = out_words_[row * k_warp_lanes + lane];
                state = crc.of_byte[state & 255] ^ crc.of_byte[256 + (state >> 8 & 255)] ^
                        crc.of_byte[512 + (state >> 16 & 255)] ^ crc.of_byte[768 + (state >> 24)] ^ word;
                if (row == 0 && lane == 0) state = ~state;
            }
            crc.state[lane] = state;
        });
        uint32_t power = power_of_x(8 * k_bytes_of_word);
        for (uint32_t distance = 1; distance < k_warp_lanes; distance *= 2, power = product(power, power)) {
            warp_.each([&](uint32_t lane) {
                if (lane % (2 * distance) == 0)
                    crc.state[lane] = product(crc.state[lane], power) ^ crc.state[lane + distance];
            });
        }
        uint32_t state = rows == 0 ? ~0u : product(crc.state[0], power_of_x(8 * k_bytes_of_word));
        for (uint32_t k = rows * k_row_bytes; k < out_bytes_; ++k) {
            state ^= out_[k];
            for (uint32_t bit = 0; bit < 8; ++bit) state = times_x(state);
        }
        return ~state;
    }

    Warp warp_;
    WarpShared& shared_;
    const uint32_t* stream_;
    uint32_t stream_bytes_;
    uint8_t* out_;
    const uint32_t* out_words_;
    uint32_t out_bytes_;
    uint32_t crc32_;
    uint32_t* status_;
    uint64_t bits_ = 0;  ///< that follow, held_ of them
    uint32_t held_ = 0;
    uint32_t ahead_ = 0;  ///< the word behind them
    uint32_t next_word_ = 0;
    uint64_t pending_ = 0;
    uint32_t pending_bytes_ = 0;
    uint32_t copied_begin_ = 0;
    uint32_t copied_bytes_ = 0;
    OfLane<Warp, uint8_t> copied_;
    uint32_t made_ = 0;  ///< bytes, also those that are not written yet
    // Of the code that was made last:
    int32_t room_ = 0;  ///< for words of 15 bits; less than 0: there are too many words
    bool has_no_word_ = false;
    bool has_one_short_word_ = false;
};

}  // namespace gannet::kernels::inflate
