// SPDX-License-Identifier: MIT
// Provides the device schedule of the op deflate: a warp takes a block. In each phase its lanes have
// positions of a tile, symbols of a code or words of the stream of their own; what is short and in order (the
// tree of a code, the lengths of codes) the first lane does. Between two phases all lanes have the same
// numbers.
#pragma once

#include "kernels/deflate/deflate_warps.hpp"

#include <cstdint>

namespace gannet::kernels::deflate {

/// Bits in order, by one lane.
class SerialBits {
  public:
    constexpr SerialBits(uint32_t* stream, uint32_t bits, uint32_t left)
        : stream_(stream + bits / 32), pending_(left), used_(bits % 32) {}
    constexpr void put(uint32_t value, uint32_t bits) {
        pending_ |= uint64_t{value} << used_;
        used_ += bits;
        if (used_ < 32) return;
        *stream_++ = static_cast<uint32_t>(pending_);
        pending_ >>= 32;
        used_ -= 32;
    }
    /// Of the last word that has been begun.
    constexpr uint32_t left() const { return static_cast<uint32_t>(pending_); }
    constexpr void end() { *stream_ = left(); }

  private:
    uint32_t* stream_;
    uint64_t pending_;
    uint32_t used_;
};

/// The bytes of a block from a position on, eight at a time; each word is read once.
class BytesFrom {
  public:
    constexpr BytesFrom(const uint64_t* words, uint32_t p)
        : next_(words + p / 8 + 1), shift_(p % 8 * 8), low_(words[p / 8]) {}
    constexpr uint64_t next() {
        const uint64_t high = *next_++;
        const uint64_t bytes = low_ >> shift_ | high << 1 << (63 - shift_);
        low_ = high;
        return bytes;
    }

  private:
    const uint64_t* next_;
    uint32_t shift_;
    uint64_t low_;
};

template <class Warp>
class BlockSchedule {
  public:
    constexpr BlockSchedule(const Warp& warp, const DeflateArrays& arrays, WarpShared& shared,
                            WarpScratch& scratch, uint32_t block)
        : warp_(warp),
          shared_(shared),
          scratch_(scratch),
          words_(arrays.words + arrays.blocks[block].first_word),
          bytes_(arrays.blocks[block].bytes),
          stream_(arrays.streams + arrays.blocks[block].first_stream_word),
          stream_bytes_(arrays.stream_bytes + block) {}

    constexpr void run() {
        clear();
        for (uint32_t tile = 0; tile < tiles(); ++tile) find_tokens(tile);
        warp_.each([&](uint32_t lane) {
            if (lane == 0) shared_.frequency[k_end_symbol] = 1;
        });
        make_code(shared_.frequency, k_literals, k_max_code_bits, shared_.literal_bits);
        make_code(shared_.frequency + k_literals, k_distances, k_max_code_bits, shared_.distance_bits);
        make_header();
        const uint32_t tail = extra_bits_of_tokens();
        const uint32_t own = 3 + header_bits() + tail + bits_with([&](uint32_t symbol) {
                                 return symbol < k_literals ? shared_.literal_bits[symbol]
                                                            : shared_.distance_bits[symbol - k_literals];
                             });
        const uint32_t fixed =
            3 + tail + bits_with([](uint32_t symbol) {
                return symbol < k_literals ? fixed_literal_bits(symbol) : k_fixed_distance_bits;
            });
        const uint32_t stored = 8 * (bytes_ + k_deflate_stored_bytes);
        if (stored <= own && stored <= fixed)
            store();
        else
            write(fixed <= own);
    }

  private:
    constexpr uint32_t tiles() const { return (bytes_ + k_tile - 1) / k_tile; }

    /// Eight bytes from position p on, zeros behind the block.
    constexpr uint64_t load(uint32_t p) const { return BytesFrom(words_, p).next(); }
    constexpr uint32_t byte_at(uint32_t p) const {
        return static_cast<uint32_t>(words_[p / 8] >> p % 8 * 8) & 0xff;
    }

    constexpr void clear() {
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < k_buckets; k += k_warp_lanes) shared_.buckets[k] = 0;
            for (uint32_t k = lane; k < k_literals + k_distances; k += k_warp_lanes) shared_.frequency[k] = 0;
            if (lane == 0) shared_.length[k_warp_lanes] = 0;
        });
    }

    // Tokens.

    constexpr uint32_t match_length(uint32_t p, uint32_t distance) const {
        const uint32_t limit = bytes_ - p < k_max_length ? bytes_ - p : k_max_length;
        BytesFrom here(words_, p);
        BytesFrom there(words_, p - distance);
        for (uint32_t length = 0; length < limit; length += 8) {
            const uint64_t difference = here.next() ^ there.next();
            if (difference == 0) continue;
            length += trailing_zeros(difference) / 8;
            return length < limit ? length : limit;
        }
        return limit;
    }

    constexpr void find_match(uint32_t lane, uint32_t p, uint32_t entry) {
        const uint32_t before[] = {p, entry >> 16, entry & 0xffff};  // 1 + each candidate; 0: none
        uint32_t best = k_min_match - 1;
        for (const uint32_t q : before) {
            const uint32_t distance = p + 1 - q;
            if (q == 0 || distance > k_max_distance) continue;
            const uint32_t length = match_length(p, distance);
            if (length <= best) continue;
            best = shared_.length[lane] = length;
            shared_.distance[lane] = distance;
        }
    }

    constexpr void find_tokens(uint32_t tile) {
        const uint32_t begin = tile * k_tile;
        const uint32_t count = bytes_ - begin < k_tile ? bytes_ - begin : k_tile;
        warp_.each([&](uint32_t lane) {
            const uint32_t p = begin + lane;
            shared_.length[lane] = 0;
            shared_.bucket[lane] = k_buckets;
            if (p + k_min_match > bytes_) return;
            const uint32_t bucket = bucket_of(load(p));
            const uint32_t entry = shared_.buckets[bucket];
            shared_.bucket[lane] = bucket;
            shared_.entry[lane] = (p + 1) << 16 | entry >> 16;
            if (p >= next_) find_match(lane, p, entry);
        });
        const uint32_t good = warp_.ballot([&](uint32_t lane) {
            return shared_.length[lane] > 0 && shared_.length[lane + 1] <= shared_.length[lane];
        });
        const TileTokens tokens = choose_tokens(begin, count, good);
        warp_.each([&](uint32_t lane) {
            if (tokens.literals >> lane & 1) Warp::add(&shared_.frequency[byte_at(begin + lane)], 1);
            if (tokens.matches >> lane & 1) keep_match(lane, tokens.matches);
            // Of the positions in a bucket the last one stays.
            if (shared_.bucket[lane] < k_buckets)
                Warp::raise(&shared_.buckets[shared_.bucket[lane]], shared_.entry[lane]);
            if (lane == 0) scratch_.tiles[tile] = tokens;
        });
        matches_ += bit_count(tokens.matches);
    }

    constexpr TileTokens choose_tokens(uint32_t begin, uint32_t count, uint32_t good) {
        TileTokens tokens;
        uint32_t at = next_ - begin;
        while (at < count) {
            const uint32_t ahead = good >> at << at;
            const uint32_t match = ahead == 0 ? count : trailing_zeros(ahead);
            tokens.literals |= bits_below(match) & ~bits_below(at);
            at = match;
            if (match == count) break;
            tokens.matches |= 1u << match;
            at += shared_.length[match];
        }
        next_ = begin + at;
        return tokens;
    }

    static constexpr uint32_t bits_below(uint32_t lane) {
        return lane == k_warp_lanes ? ~0u : (1u << lane) - 1;
    }

    constexpr void keep_match(uint32_t lane, uint32_t matches) {
        const uint32_t length = shared_.length[lane];
        const uint32_t distance = shared_.distance[lane];
        const uint32_t before = bit_count(matches & bits_below(lane));
        scratch_.matches[matches_ + before] = length << 16 | (distance - 1);
        Warp::add(&shared_.frequency[coded_length(length).symbol], 1);
        Warp::add(&shared_.frequency[k_literals + coded_distance(distance).symbol], 1);
    }

    // Codes.

    /// The lengths of a code for these frequencies.
    constexpr void make_code(const uint32_t* frequency, uint32_t count, uint32_t most, uint8_t* bits) {
        uint32_t used = warp_.sum([&](uint32_t lane) {
            uint32_t own = 0;
            for (uint32_t s = lane; s < count; s += k_warp_lanes) own += frequency[s] > 0;
            return own;
        });
        uint32_t added = 0;  // a bit for each symbol that counts once though it does not occur
        for (uint32_t s = 0; used < 2; ++s) {
            if (frequency[s] > 0) continue;
            added |= 1u << s;
            ++used;
        }
        const auto weight = [&](uint32_t s) {
            return s < k_warp_lanes && (added >> s & 1) ? 1 : frequency[s];
        };
        CodeScratch& code = shared_.code;
        warp_.each([&](uint32_t lane) {
            for (uint32_t s = lane; s < count; s += k_warp_lanes) {
                bits[s] = 0;
                const uint32_t own = weight(s);
                if (own == 0) continue;
                uint32_t rank = 0;
                for (uint32_t other = 0; other < count; ++other) {
                    const uint32_t value = weight(other);
                    rank += value > 0 && (value < own || (value == own && other < s));
                }
                code.sorted[rank] = s;
                code.weight[rank] = own;
            }
        });
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            join(code, used);
            count_words(code, used, most);
            uint32_t next = 0;
            for (uint32_t length = most; length > 0; --length) {
                for (uint32_t k = 0; k < code.words[length]; ++k)
                    bits[code.sorted[next++]] = static_cast<uint8_t>(length);
            }
        });
    }

    /// Huffman's algorithm on sorted weights: what is joined comes in order of weight too.
    static constexpr void join(CodeScratch& code, uint32_t used) {
        uint32_t leaf = 0;
        uint32_t joined = 0;
        for (uint32_t made = 0; made + 1 < used; ++made) {
            uint32_t total = 0;
            for (uint32_t side = 0; side < 2; ++side) {
                if (leaf < used && (joined == made || code.weight[leaf] <= code.joined[joined])) {
                    total += code.weight[leaf++];
                } else {
                    total += code.joined[joined];
                    code.parent[joined++] = made;
                }
            }
            code.joined[made] = total;
        }
    }

    /// Of each length, from the depths of what was joined: two branches each, of which some are joined ones.
    static constexpr void count_words(CodeScratch& code, uint32_t used, uint32_t most) {
        for (uint32_t length = 0; length <= most; ++length) code.inner[length] = 0;
        for (uint32_t k = used - 1; k-- > 0;) {
            const uint32_t depth = k + 2 == used ? 0 : code.parent[code.parent[k]] + 1;
            code.parent[k] = depth;
            if (depth <= most) ++code.inner[depth];
        }
        uint32_t left = used;
        uint32_t room = 0;
        for (uint32_t length = 1; length <= most; ++length) {
            const uint32_t own = length == most ? left : 2 * code.inner[length - 1] - code.inner[length];
            code.words[length] = own;
            left -= own;
            room += own << (most - length);
        }
        for (; room > 1u << most; --room) {
            uint32_t length = most - 1;
            while (code.words[length] == 0) --length;
            --code.words[length];
            code.words[length + 1] += 2;
            --code.words[most];
        }
    }

    /// The words of a code of these lengths (RFC 1951, 3.2.2), turned round.
    constexpr void make_words(const uint8_t* bits, uint32_t count, uint32_t* words) {
        CodeScratch& code = shared_.code;
        warp_.each([&](uint32_t lane) {
            if (lane == 0) {
                for (uint32_t length = 0; length <= k_max_code_bits; ++length) code.words[length] = 0;
                for (uint32_t s = 0; s < count; ++s) ++code.words[bits[s]];
                code.words[0] = code.first[0] = 0;
                for (uint32_t length = 1; length <= k_max_code_bits; ++length)
                    code.first[length] = (code.first[length - 1] + code.words[length - 1]) << 1;
            }
        });
        warp_.each([&](uint32_t lane) {
            for (uint32_t s = lane; s < count; s += k_warp_lanes) {
                uint32_t rank = 0;
                for (uint32_t other = 0; other < s; ++other) rank += bits[other] == bits[s];
                words[s] = uint32_t{bits[s]} << 16 | reversed(code.first[bits[s]] + rank, bits[s]);
            }
        });
    }

    /// What comes before a body with codes of its own.
    constexpr void make_header() {
        literals_ = k_literals;
        while (literals_ > k_first_length_symbol && shared_.literal_bits[literals_ - 1] == 0) --literals_;
        distances_ = k_distances;
        while (distances_ > 1 && shared_.distance_bits[distances_ - 1] == 0) --distances_;
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < literals_ + distances_; k += k_warp_lanes)
                shared_.sequence[k] =
                    k < literals_ ? shared_.literal_bits[k] : shared_.distance_bits[k - literals_];
        });
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            for (uint32_t s = 0; s < k_code_lengths; ++s) shared_.length_frequency[s] = 0;
            each_run(shared_.sequence, literals_ + distances_,
                     [&](uint32_t symbol, uint32_t, uint32_t) { ++shared_.length_frequency[symbol]; });
        });
        make_code(shared_.length_frequency, k_code_lengths, k_max_code_length_bits, shared_.length_bits);
        lengths_ = k_code_lengths;
        while (lengths_ > 4 && shared_.length_bits[code_length_in_order(lengths_ - 1)] == 0) --lengths_;
    }

    constexpr uint32_t header_bits() const {
        const uint32_t* const runs = shared_.length_frequency;
        uint32_t bits = 5 + 5 + 4 + 3 * lengths_ + 2 * runs[16] + 3 * runs[17] + 7 * runs[18];
        for (uint32_t s = 0; s < k_code_lengths; ++s) bits += runs[s] * shared_.length_bits[s];
        return bits;
    }

    constexpr uint32_t extra_bits_of_tokens() const {
        return bits_with([](uint32_t symbol) {
            return symbol < k_literals ? literal_extra_bits(symbol)
                                       : distance_extra_bits(symbol - k_literals);
        });
    }

    /// Of all tokens, where each symbol has as many as `bits_of` says; distances follow literals.
    template <class BitsOf>
    constexpr uint32_t bits_with(const BitsOf& bits_of) const {
        return warp_.sum([&](uint32_t lane) {
            uint32_t bits = 0;
            for (uint32_t s = lane; s < k_literals + k_distances; s += k_warp_lanes)
                bits += shared_.frequency[s] * bits_of(s);
            return bits;
        });
    }

    // The stream.

    constexpr void store() {
        const uint64_t head = 1 | uint64_t{bytes_} << 8 | uint64_t{~bytes_ & 0xffff} << 24;
        const uint32_t size = bytes_ + k_deflate_stored_bytes;
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k * 4 < size; k += k_warp_lanes) {
                uint64_t bytes = head;
                if (k == 1) bytes = head >> 32 | load(0) << 8;
                if (k > 1) bytes = load(k * 4 - k_deflate_stored_bytes);
                if (k == 0) bytes = head;
                stream_[k] = static_cast<uint32_t>(bytes);
            }
            if (lane == 0) *stream_bytes_ = size;
        });
    }

    constexpr void write(bool is_fixed) {
        if (is_fixed) {
            warp_.each([&](uint32_t lane) {
                for (uint32_t s = lane; s < k_fixed_literals; s += k_warp_lanes)
                    shared_.literal_bits[s] = static_cast<uint8_t>(fixed_literal_bits(s));
                if (lane < k_distances) shared_.distance_bits[lane] = k_fixed_distance_bits;
            });
        }
        make_words(shared_.literal_bits, is_fixed ? k_fixed_literals : k_literals, shared_.words);
        make_words(shared_.distance_bits, k_distances, shared_.words + k_fixed_literals);
        if (!is_fixed) make_words(shared_.length_bits, k_code_lengths, shared_.length_words);
        warp_.each([&](uint32_t lane) {
            for (uint32_t k = lane; k < std::size(shared_.out); k += k_warp_lanes) shared_.out[k] = 0;
        });
        warp_.each([&](uint32_t lane) {
            if (lane == 0) write_header(is_fixed);
        });
        uint32_t bits = 3 + (is_fixed ? 0 : header_bits());
        matches_ = 0;
        for (uint32_t tile = 0; tile < tiles(); ++tile) bits += write_tokens(tile, bits);
        const uint32_t end = shared_.words[k_end_symbol];
        warp_.each([&](uint32_t lane) {
            if (lane != 0) return;
            SerialBits out(stream_, bits, shared_.out[0]);
            out.put(end & 0xffff, end >> 16);
            out.end();
            *stream_bytes_ = (bits + (end >> 16) + 7) / 8;
        });
    }

    constexpr void write_header(bool is_fixed) {
        SerialBits out(stream_, 0, 0);
        out.put(1, 1);
        out.put(is_fixed ? 1 : 2, 2);
        if (!is_fixed) {
            out.put(literals_ - k_first_length_symbol, 5);
            out.put(distances_ - 1, 5);
            out.put(lengths_ - 4, 4);
            for (uint32_t k = 0; k < lengths_; ++k) out.put(shared_.length_bits[code_length_in_order(k)], 3);
            each_run(shared_.sequence, literals_ + distances_,
                     [&](uint32_t symbol, uint32_t extra, uint32_t extra_count) {
                         const uint32_t word = shared_.length_words[symbol];
                         out.put(word & 0xffff, word >> 16);
                         out.put(extra, extra_count);
                     });
        }
        shared_.out[0] = out.left();
    }

    /// The bits of a token, and how many.
    constexpr uint32_t token_bits(uint32_t lane, uint32_t p, const TileTokens& tokens,
                                  uint64_t& value) const {
        if (tokens.literals >> lane & 1) {
            const uint32_t word = shared_.words[byte_at(p)];
            value = word & 0xffff;
            return word >> 16;
        }
        if ((tokens.matches >> lane & 1) == 0) return 0;
        const uint32_t before = bit_count(tokens.matches & bits_below(lane));
        const uint32_t match = scratch_.matches[matches_ + before];
        const Coded length = coded_length(match >> 16);
        const Coded distance = coded_distance((match & 0xffff) + 1);
        uint32_t count = 0;
        const auto put = [&](uint32_t bits, uint32_t size) {
            value |= uint64_t{bits} << count;
            count += size;
        };
        const uint32_t first = shared_.words[length.symbol];
        const uint32_t second = shared_.words[k_fixed_literals + distance.symbol];
        put(first & 0xffff, first >> 16);
        put(length.extra, length.extra_bits);
        put(second & 0xffff, second >> 16);
        put(distance.extra, distance.extra_bits);
        return count;
    }

    /// Returns the number of bits that the tokens of a tile have, which come behind `bits`.
    constexpr uint32_t write_tokens(uint32_t tile, uint32_t bits) {
        const TileTokens tokens = scratch_.tiles[tile];
        if ((tokens.literals | tokens.matches) == 0) return 0;
        const uint32_t added = warp_.sum(
            [&](uint32_t lane) {
                uint64_t value = 0;
                const uint32_t count = token_bits(lane, tile * k_tile + lane, tokens, value);
                shared_.bits[lane] = value;
                return count;
            },
            shared_.before);
        warp_.each([&](uint32_t lane) {
            const uint64_t value = shared_.bits[lane];
            const uint32_t at = bits % 32 + shared_.before[lane];
            uint32_t* const word = shared_.out + at / 32;
            const uint32_t shift = at % 32;
            const uint64_t low = value << shift;
            if (static_cast<uint32_t>(low) != 0) Warp::set_bits(word, static_cast<uint32_t>(low));
            if (low >> 32 != 0) Warp::set_bits(word + 1, static_cast<uint32_t>(low >> 32));
            const uint64_t high = shift == 0 ? 0 : value >> (64 - shift);
            if (high != 0) Warp::set_bits(word + 2, static_cast<uint32_t>(high));
        });
        const uint32_t whole = (bits % 32 + added) / 32;
        warp_.each([&](uint32_t lane) {
            if (lane < whole) stream_[bits / 32 + lane] = shared_.out[lane];
            if (lane == 0) shared_.before[0] = shared_.out[whole];
        });
        warp_.each([&](uint32_t lane) {
            if (lane < std::size(shared_.out)) shared_.out[lane] = lane == 0 ? shared_.before[0] : 0;
        });
        matches_ += bit_count(tokens.matches);
        return added;
    }

    const Warp& warp_;
    WarpShared& shared_;
    WarpScratch& scratch_;
    const uint64_t* const words_;
    const uint32_t bytes_;
    uint32_t* const stream_;
    uint32_t* const stream_bytes_;
    uint32_t next_ = 0;      ///< where the next token begins
    uint32_t matches_ = 0;   ///< of the tiles before
    uint32_t literals_ = 0;  ///< lengths that are written, of the three codes
    uint32_t distances_ = 0;
    uint32_t lengths_ = 0;
};

}  // namespace gannet::kernels::deflate
