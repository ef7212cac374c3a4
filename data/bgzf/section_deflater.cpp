// SPDX-License-Identifier: MIT
// Provides the search for repeats by kind of section, and the writing of the deflate block.
#include "data/bgzf/section_deflater.hpp"

#include "data/bgzf/huffman_code.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace gannet::data::bgzf {
namespace {

constexpr size_t k_max_distance = 32768;
constexpr size_t k_max_copy = 258;
constexpr size_t k_min_copy = 3;
constexpr size_t k_end_of_block = 256;
constexpr unsigned k_code_order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
/// Of a code of the letters: four of them and what is left of a byte fit 64 bits.
constexpr unsigned k_max_letter_bits = 14;
constexpr unsigned k_max_distance_bits = 15;
constexpr unsigned k_max_code_bits = 7;

/// Qualities that are tried for repeats, and the part of them that has to be one for the search to pay.
/// Measured (docs/sorting.md): 0.1 to 0.2 without repeats worth the search, 0.3 to 0.8 with them.
constexpr size_t k_tried_bytes = 2000;
constexpr size_t k_min_repeated = 5;  // one in
constexpr size_t k_min_repeat = 6;

uint32_t load4(const uint8_t* at) {
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
uint64_t load8(const uint8_t* at) {
    uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

constexpr unsigned k_hash_bits = 13;
uint32_t hash_of(uint64_t value) {
    return static_cast<uint32_t>(value * 0x9e3779b97f4a7c15 >> (64 - k_hash_bits));
}
uint64_t first_six(uint64_t value) { return value << 16; }

/// How many bytes from `a` on are those from `b` on, `b` before `a`; at most to `end`.
size_t equal_bytes(const uint8_t* a, const uint8_t* b, const uint8_t* end) {
    const uint8_t* const begin = a;
    for (; a + 8 <= end; a += 8, b += 8) {
        if (const uint64_t difference = load8(a) ^ load8(b); difference != 0)
            return static_cast<size_t>(a - begin) + static_cast<size_t>(std::countr_zero(difference)) / 8;
    }
    while (a < end && *a == *b) ++a, ++b;
    return static_cast<size_t>(a - begin);
}

const uint8_t* copy_limit(const uint8_t* at, const uint8_t* end) {
    return static_cast<size_t>(end - at) > k_max_copy ? at + k_max_copy : end;
}

// RFC 1951, 3.2.5: lengths and distances, counted from the least, are a symbol and extra bits. There are
// 2^(group + 1) symbols without extra bits, then 2^group symbols for each number of them.
constexpr unsigned k_length_group = 2;
constexpr unsigned k_distance_group = 1;
constexpr unsigned k_length_symbols = 29;  // the last one, of the greatest length, has no extra bits

constexpr uint8_t symbol_of(unsigned value, unsigned group) {
    if (value < 2u << group) return static_cast<uint8_t>(value);
    const auto bits = static_cast<unsigned>(std::bit_width(value)) - 1 - group;
    return static_cast<uint8_t>((bits << group) + (value >> bits));
}
constexpr unsigned extra_bits(unsigned symbol, unsigned group) {
    return symbol < 2u << group ? 0 : (symbol >> group) - 1;
}
constexpr unsigned length_extra_bits(unsigned symbol) {
    return symbol + 1 == k_length_symbols ? 0 : extra_bits(symbol, k_length_group);
}
constexpr uint64_t lowest(size_t value, unsigned bits) { return value & ((uint64_t{1} << bits) - 1); }

/// By length.
constexpr auto k_length_symbol = [] {
    std::array<uint8_t, k_max_copy + 1> symbols{};
    for (size_t length = k_min_copy; length < k_max_copy; ++length)
        symbols[length] = symbol_of(static_cast<unsigned>(length - k_min_copy), k_length_group);
    symbols[k_max_copy] = k_length_symbols - 1;
    return symbols;
}();

}  // namespace

class SectionDeflater::BitWriter {
  public:
    explicit BitWriter(uint8_t* out) : at_(out) {}
    /// Fewer than 64 bits, with those left of the last byte, between two calls of flush().
    void put(uint64_t bits, unsigned count) {
        bits_ |= bits << count_;
        count_ += count;
    }
    void flush() {
        std::memcpy(at_, &bits_, sizeof bits_);
        at_ += count_ / 8;
        bits_ >>= count_ & ~7u;
        count_ &= 7;
    }
    uint8_t* finish() {
        flush();
        return count_ == 0 ? at_ : at_ + 1;
    }

  private:
    uint8_t* at_;
    uint64_t bits_ = 0;
    unsigned count_ = 0;
};

/// The lengths of both codes as the block has them: with runs, in a code of their own.
struct SectionDeflater::Lengths {
    struct Item {
        uint8_t symbol;
        uint8_t extra;
    };
    static constexpr size_t k_symbols = 19;

    Lengths(std::span<const uint8_t> letters, std::span<const uint8_t> distances) {
        while (letters_ > k_end_of_block + 1 && letters[letters_ - 1] == 0) --letters_;
        while (distances_ > 1 && distances[distances_ - 1] == 0) --distances_;
        std::array<uint8_t, k_letters + k_distances> all;
        std::copy_n(letters.begin(), letters_, all.begin());
        std::copy_n(distances.begin(), distances_, all.begin() + static_cast<std::ptrdiff_t>(letters_));
        add_runs(std::span(all).first(letters_ + distances_));
        code_lengths(count_, k_max_code_bits, length_);
        while (codes_ > 4 && length_[k_code_order[codes_ - 1]] == 0) --codes_;
    }
    /// With the block's first bits.
    uint64_t bits() const {
        uint64_t sum = 3 + 14 + 3 * codes_;
        for (size_t i = 0; i < k_symbols; ++i)
            sum += uint64_t{count_[i]} * (length_[i] + run_bits(static_cast<uint8_t>(i)));
        return sum;
    }
    void write(BitWriter& out) const {
        std::array<uint16_t, k_symbols> code;
        code_bits(length_, code);
        out.put(0b101, 3);  // the last block, with codes of its own
        out.put(letters_ - 257, 5);
        out.put(distances_ - 1, 5);
        out.put(codes_ - 4, 4);
        for (size_t i = 0; i < codes_; ++i) {
            out.flush();
            out.put(length_[k_code_order[i]], 3);
        }
        for (size_t i = 0; i < items_; ++i) {
            const Item item = item_[i];
            out.flush();
            out.put(code[item.symbol], length_[item.symbol]);
            out.put(item.extra, run_bits(item.symbol));
        }
        out.flush();
    }

  private:
    static constexpr uint8_t k_repeat = 16;
    static constexpr uint8_t k_zeros = 17;
    static constexpr uint8_t k_many_zeros = 18;

    static unsigned run_bits(uint8_t symbol) {
        return symbol == k_repeat ? 2 : symbol == k_zeros ? 3 : symbol == k_many_zeros ? 7 : 0;
    }
    void add(uint8_t symbol, size_t extra = 0) {
        item_[items_++] = {symbol, static_cast<uint8_t>(extra)};
        ++count_[symbol];
    }
    void add_runs(std::span<const uint8_t> all) {
        for (size_t i = 0; i < all.size();) {
            const uint8_t value = all[i];
            size_t run = 0;
            while (i < all.size() && all[i] == value) ++i, ++run;
            if (value != 0) {
                add(value);
                --run;
            }
            while (run > 2) {
                const size_t most = value != 0 ? 6 : run < 11 ? 10 : 138;
                const size_t part = std::min(run, most);
                if (value != 0)
                    add(k_repeat, part - 3);
                else if (most == 10)
                    add(k_zeros, part - 3);
                else
                    add(k_many_zeros, part - 11);
                run -= part;
            }
            for (; run > 0; --run) add(value);
        }
    }

    size_t letters_ = k_letters;
    size_t distances_ = k_distances;
    size_t codes_ = k_symbols;
    std::array<Item, k_letters + k_distances> item_;
    size_t items_ = 0;
    std::array<uint32_t, k_symbols> count_{};
    std::array<uint8_t, k_symbols> length_;
};

void SectionDeflater::add_copy(const uint8_t* at, size_t length, size_t distance) {
    steps_.push_back({static_cast<uint32_t>(at - literals_), static_cast<uint16_t>(length),
                      static_cast<uint16_t>(distance)});
    literals_ = at + length;
}

bool SectionDeflater::suits(std::span<const uint8_t> payload, std::span<const PayloadSection> sections) {
    assert(payload.size() <= k_max_payload_bytes);
    begin_ = payload.data();
    bases_seen_.fill(0);
    size_t tried = 0;
    size_t repeated = 0;
    for (size_t i = 0; i < sections.size() && tried < k_tried_bytes; ++i) {
        if (sections[i].kind != SectionKind::qualities) continue;
        const uint8_t* at = begin_ + (i == 0 ? 0 : sections[i - 1].end);
        const uint8_t* const end = begin_ + sections[i].end;
        tried += static_cast<size_t>(end - at);
        while (at + 8 <= end) {
            const uint64_t six = first_six(load8(at));
            const uint32_t hash = hash_of(six);
            const uint8_t* const seen = last_seen(bases_seen_, hash);
            note(bases_seen_, hash, at);
            if (seen == nullptr || first_six(load8(seen)) != six) {
                ++at;
                continue;
            }
            const size_t length = k_min_repeat + equal_bytes(at + k_min_repeat, seen + k_min_repeat, end);
            repeated += length;
            at += length;
        }
    }
    return tried > 0 && repeated * k_min_repeated <= tried;
}

/// Takes the last place with the same four bytes.
void SectionDeflater::find_text(const uint8_t* at, const uint8_t* end) {
    constexpr size_t k_min = 4;
    while (at + k_min <= end) {
        const uint32_t four = load4(at);
        const uint32_t hash = hash_of(four);
        const uint8_t* const seen = last_seen(text_seen_, hash);
        note(text_seen_, hash, at);
        if (seen == nullptr || static_cast<size_t>(at - seen) > k_max_distance || load4(seen) != four) {
            ++at;
            continue;
        }
        const size_t length = k_min + equal_bytes(at + k_min, seen + k_min, copy_limit(at, end));
        add_copy(at, length, static_cast<size_t>(at - seen));
        const uint8_t* const next = at + length;
        for (++at; at < next && at + k_min <= end; ++at) note(text_seen_, hash_of(load4(at)), at);
        at = next;
    }
}

/// Takes the last place with the same sixteen bases. After a difference it mostly goes on at the same
/// distance.
void SectionDeflater::find_bases(const uint8_t* at, const uint8_t* end) {
    const uint8_t* const begin = at;
    size_t distance = 0;
    while (at + 8 <= end) {
        const uint64_t eight = load8(at);
        bool is_repeat = distance != 0 && static_cast<uint32_t>(eight) == load4(at - distance);
        if (!is_repeat) {
            const uint8_t* const seen = last_seen(bases_seen_, hash_of(eight));
            is_repeat =
                seen != nullptr && static_cast<size_t>(at - seen) <= k_max_distance && load8(seen) == eight;
            if (is_repeat) distance = static_cast<size_t>(at - seen);
        }
        if (!is_repeat) {
            ++at;
            continue;
        }
        const size_t length = equal_bytes(at, at - distance, copy_limit(at, end));
        add_copy(at, length, distance);
        at += length;
    }
    for (at = begin; at + 8 <= end; ++at) note(bases_seen_, hash_of(load8(at)), at);
}

void SectionDeflater::count_symbols() {
    // Four counters of each byte: equal ones in a row would wait for each other.
    std::array<std::array<uint32_t, 256>, 4> bytes{};
    letter_count_.fill(0);
    distance_count_.fill(0);
    const uint8_t* at = begin_;
    for (Step& step : steps_) {
        uint32_t i = 0;
        for (; i + 4 <= step.literals; i += 4) {
            const uint32_t four = load4(at + i);
            ++bytes[0][four & 255];
            ++bytes[1][four >> 8 & 255];
            ++bytes[2][four >> 16 & 255];
            ++bytes[3][four >> 24];
        }
        for (; i < step.literals; ++i) ++bytes[0][at[i]];
        at += step.literals + step.length;
        if (step.length == 0) continue;
        step.length_symbol = k_length_symbol[step.length];
        step.distance_symbol = symbol_of(step.distance - 1u, k_distance_group);
        ++letter_count_[k_end_of_block + 1 + step.length_symbol];
        ++distance_count_[step.distance_symbol];
    }
    for (size_t i = 0; i < 256; ++i) letter_count_[i] = bytes[0][i] + bytes[1][i] + bytes[2][i] + bytes[3][i];
    letter_count_[k_end_of_block] = 1;
}

/// Of all that follows the lengths of the codes.
uint64_t SectionDeflater::body_bits() const {
    uint64_t bits = 0;
    for (size_t i = 0; i < k_letters; ++i) bits += uint64_t{letter_count_[i]} * letter_length_[i];
    for (unsigned i = 0; i < k_length_symbols; ++i)
        bits += uint64_t{letter_count_[k_end_of_block + 1 + i]} * length_extra_bits(i);
    for (unsigned i = 0; i < k_distances; ++i)
        bits += uint64_t{distance_count_[i]} * (distance_length_[i] + extra_bits(i, k_distance_group));
    return bits;
}

void SectionDeflater::write_steps(BitWriter& out) const {
    struct Code {
        uint16_t bits;
        uint16_t length;
    };
    std::array<uint16_t, k_letters> letter_bits;
    std::array<uint16_t, k_distances> distance_bits;
    code_bits(letter_length_, letter_bits);
    code_bits(distance_length_, distance_bits);
    std::array<Code, k_letters> letter;
    for (size_t i = 0; i < k_letters; ++i) letter[i] = {letter_bits[i], letter_length_[i]};
    const auto put_two = [&letter, &out](const uint8_t* at) {
        const Code first = letter[at[0]];
        const Code second = letter[at[1]];
        out.put(uint64_t{first.bits} | uint64_t{second.bits} << first.length,
                unsigned{first.length} + second.length);
    };
    const uint8_t* at = begin_;
    for (const Step& step : steps_) {
        uint32_t i = 0;
        for (; i + 4 <= step.literals; i += 4) {
            put_two(at + i);
            put_two(at + i + 2);
            out.flush();
        }
        for (; i < step.literals; ++i) out.put(letter[at[i]].bits, letter[at[i]].length);
        out.flush();
        at += step.literals + step.length;
        if (step.length == 0) continue;
        const Code code = letter[k_end_of_block + 1 + step.length_symbol];
        const unsigned length_extra = length_extra_bits(step.length_symbol);
        out.put(code.bits, code.length);
        out.put(lowest(step.length - k_min_copy, length_extra), length_extra);
        const unsigned distance_extra = extra_bits(step.distance_symbol, k_distance_group);
        out.put(distance_bits[step.distance_symbol], distance_length_[step.distance_symbol]);
        out.put(lowest(step.distance - 1u, distance_extra), distance_extra);
        out.flush();
    }
    out.put(letter[k_end_of_block].bits, letter[k_end_of_block].length);
}

size_t SectionDeflater::deflate(std::span<const uint8_t> payload, std::span<const PayloadSection> sections,
                                uint8_t* out, size_t room) {
    assert(payload.size() <= k_max_payload_bytes && !sections.empty() &&
           sections.back().end == payload.size());
    begin_ = literals_ = payload.data();
    steps_.clear();
    text_seen_.fill(0);
    bases_seen_.fill(0);
    const uint8_t* at = begin_;
    for (const PayloadSection& section : sections) {
        const uint8_t* const end = begin_ + section.end;
        if (section.kind == SectionKind::text) find_text(at, end);
        if (section.kind == SectionKind::bases) find_bases(at, end);
        at = end;
    }
    add_copy(at, 0, 0);
    count_symbols();
    code_lengths(letter_count_, k_max_letter_bits, letter_length_);
    code_lengths(distance_count_, k_max_distance_bits, distance_length_);
    const Lengths lengths(letter_length_, distance_length_);
    const uint64_t bytes = (lengths.bits() + body_bits() + 7) / 8;
    if (payload.empty() || bytes > room) return 0;
    BitWriter writer(out);
    lengths.write(writer);
    write_steps(writer);
    const uint8_t* const end = writer.finish();
    assert(static_cast<size_t>(end - out) == bytes);
    return static_cast<size_t>(end - out);
}

}  // namespace gannet::data::bgzf
