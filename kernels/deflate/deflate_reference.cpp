// SPDX-License-Identifier: MIT
// Provides the backend `reference` of the op deflate: the contract, step by step.
#include "kernels/deflate/deflate_backends.hpp"
#include "kernels/deflate/deflate_cell.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace gannet::kernels {

namespace {

using namespace deflate;
using Bytes = std::span<const uint8_t>;

/// The order in which the lengths of the code of code lengths are written (RFC 1951, 3.2.7).
constexpr uint8_t k_code_length_order[k_code_lengths] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                         11, 4,  12, 3, 13, 2, 14, 1, 15};

/// A byte, or so many bytes that are `distance` bytes before.
struct Token {
    uint32_t length = 0;  ///< 0: a literal
    uint32_t distance = 0;
    uint8_t literal = 0;
};

struct Match {
    uint32_t length = 0;  ///< 0: none
    uint32_t distance = 0;
};

/// Steps 1 and 2.
class Parser {
  public:
    explicit Parser(Bytes bytes) : bytes_(bytes), buckets_(k_buckets) {}

    std::vector<Token> parse() {
        std::vector<Token> tokens;
        uint32_t next = 0;
        for (uint32_t begin = 0; begin < bytes_.size(); begin += k_tile) {
            const uint32_t end = std::min(begin + k_tile, static_cast<uint32_t>(bytes_.size()));
            std::array<Match, k_tile + 1> matches;
            for (uint32_t p = begin; p < end; ++p) matches[p - begin] = longest_match(p);
            while (next < end) {
                const Match match = matches[next - begin];
                const bool is_taken = match.length > 0 && matches[next - begin + 1].length <= match.length;
                tokens.push_back(is_taken ? Token{match.length, match.distance, 0}
                                          : Token{0, 0, bytes_[next]});
                next += is_taken ? match.length : 1;
            }
            enter(begin, end);
        }
        return tokens;
    }

  private:
    /// Of the positions with this hash: the last one of each of the last two tiles that have any.
    struct Bucket {
        int64_t last = -1;
        int64_t before = -1;
    };

    uint32_t bucket_at(uint32_t p) const {
        uint64_t word = 0;
        for (uint32_t k = 0; k < k_min_match; ++k) word |= uint64_t{bytes_[p + k]} << 8 * k;
        return bucket_of(word);
    }

    Match longest_match(uint32_t p) const {
        Match best;
        if (p + k_min_match > bytes_.size()) return best;
        const Bucket& bucket = buckets_[bucket_at(p)];
        for (const int64_t q : {int64_t{p} - 1, bucket.last, bucket.before}) {
            if (q < 0 || p - q > k_max_distance) continue;
            const auto distance = static_cast<uint32_t>(p - q);
            uint32_t length = 0;
            while (length < k_max_length && p + length < bytes_.size() &&
                   bytes_[p + length] == bytes_[p + length - distance])
                ++length;
            if (length >= k_min_match && length > best.length) best = {length, distance};
        }
        return best;
    }

    void enter(uint32_t begin, uint32_t end) {
        for (uint32_t p = begin; p < end && p + k_min_match <= bytes_.size(); ++p) {
            Bucket& bucket = buckets_[bucket_at(p)];
            if (bucket.last < begin) bucket.before = bucket.last;
            bucket.last = p;
        }
    }

    Bytes bytes_;
    std::vector<Bucket> buckets_;
};

using Frequencies = std::vector<uint32_t>;
using Lengths = std::vector<uint8_t>;

/// Step 3: the lengths of words of at most `most` bits; 0: the symbol is not used.
Lengths code_lengths(Frequencies frequency, uint32_t most) {
    struct Node {
        uint64_t weight;
        size_t left, right;
    };
    for (size_t s = 0; std::count(frequency.begin(), frequency.end(), 0u) + 1 >= std::ssize(frequency); ++s)
        frequency[s] = std::max(frequency[s], 1u);
    std::vector<std::pair<uint32_t, uint32_t>> used;  // frequency, symbol
    for (uint32_t s = 0; s < frequency.size(); ++s) {
        if (frequency[s] > 0) used.emplace_back(frequency[s], s);
    }
    std::sort(used.begin(), used.end());
    std::vector<Node> nodes;  // the symbols, then what joins two nodes
    for (const auto& [weight, symbol] : used) nodes.push_back({weight, 0, 0});
    size_t leaf = 0;
    size_t joined = used.size();
    const auto lightest = [&] {
        const bool is_leaf =
            leaf < used.size() && (joined == nodes.size() || nodes[leaf].weight <= nodes[joined].weight);
        return is_leaf ? leaf++ : joined++;
    };
    while (nodes.size() < 2 * used.size() - 1) {
        const size_t left = lightest();
        const size_t right = lightest();
        nodes.push_back({nodes[left].weight + nodes[right].weight, left, right});
    }
    std::vector<uint32_t> depth(nodes.size());
    std::vector<uint32_t> words(most + 1);  // of each length
    for (size_t n = nodes.size(); n-- > 0;) {
        if (n < used.size())
            ++words[std::min(depth[n], most)];
        else
            depth[nodes[n].left] = depth[nodes[n].right] = depth[n] + 1;
    }
    // Words that were cut to `most` bits leave no room for all.
    uint64_t room = 0;
    for (uint32_t bits = 1; bits <= most; ++bits) room += uint64_t{words[bits]} << (most - bits);
    for (; room > uint64_t{1} << most; --room) {
        uint32_t bits = most - 1;
        while (words[bits] == 0) --bits;
        --words[bits];
        words[bits + 1] += 2;
        --words[most];
    }
    Lengths lengths(frequency.size());
    size_t next = 0;
    for (uint32_t bits = most; bits > 0; --bits) {
        for (uint32_t k = 0; k < words[bits]; ++k) lengths[used[next++].second] = static_cast<uint8_t>(bits);
    }
    return lengths;
}

/// The words of a code (RFC 1951, 3.2.2), turned round.
std::vector<uint32_t> code_words(const Lengths& lengths) {
    std::vector<uint32_t> words(lengths.size());
    uint32_t word = 0;
    for (uint32_t bits = 1; bits <= k_max_code_bits; ++bits, word <<= 1) {
        for (size_t s = 0; s < lengths.size(); ++s) {
            if (lengths[s] == bits) words[s] = reversed(word++, bits);
        }
    }
    return words;
}

class BitWriter {
  public:
    explicit BitWriter(std::vector<uint8_t>& out) : out_(out) {}
    void put(uint32_t value, uint32_t bits) {
        for (uint32_t k = 0; k < bits; ++k, ++used_) {
            if (used_ % 8 == 0) out_.push_back(0);
            out_.back() |= static_cast<uint8_t>((value >> k & 1) << used_ % 8);
        }
    }

  private:
    std::vector<uint8_t>& out_;
    uint64_t used_ = 0;
};

/// The two codes of a deflate block.
struct Codes {
    Lengths literal, distance;
};

Codes fixed_codes() {
    Codes codes;
    for (uint32_t s = 0; s < k_fixed_literals; ++s)
        codes.literal.push_back(static_cast<uint8_t>(fixed_literal_bits(s)));
    codes.distance.assign(k_distances, k_fixed_distance_bits);
    return codes;
}

/// Bits of tokens and end.
uint64_t body_bits(const std::vector<Token>& tokens, const Codes& codes) {
    uint64_t bits = codes.literal[k_end_symbol];
    for (const Token& token : tokens) {
        if (token.length == 0) {
            bits += codes.literal[token.literal];
            continue;
        }
        const Coded length = coded_length(token.length);
        const Coded distance = coded_distance(token.distance);
        bits += codes.literal[length.symbol] + length.extra_bits + codes.distance[distance.symbol] +
                distance.extra_bits;
    }
    return bits;
}

void put_body(const std::vector<Token>& tokens, const Codes& codes, BitWriter& out) {
    const std::vector<uint32_t> literal = code_words(codes.literal);
    const std::vector<uint32_t> distance = code_words(codes.distance);
    for (const Token& token : tokens) {
        if (token.length == 0) {
            out.put(literal[token.literal], codes.literal[token.literal]);
            continue;
        }
        const Coded first = coded_length(token.length);
        out.put(literal[first.symbol], codes.literal[first.symbol]);
        out.put(first.extra, first.extra_bits);
        const Coded second = coded_distance(token.distance);
        out.put(distance[second.symbol], codes.distance[second.symbol]);
        out.put(second.extra, second.extra_bits);
    }
    out.put(literal[k_end_symbol], codes.literal[k_end_symbol]);
}

/// What comes before the body of a dynamic block.
class DynamicHeader {
  public:
    explicit DynamicHeader(const Codes& codes) {
        while (literals_ > k_first_length_symbol && codes.literal[literals_ - 1] == 0) --literals_;
        while (distances_ > 1 && codes.distance[distances_ - 1] == 0) --distances_;
        lengths_.assign(codes.literal.begin(), codes.literal.begin() + literals_);
        lengths_.insert(lengths_.end(), codes.distance.begin(), codes.distance.begin() + distances_);
        Frequencies frequency(k_code_lengths);
        each([&](uint32_t symbol, uint32_t, uint32_t extra_bits) {
            ++frequency[symbol];
            bits_ += extra_bits;
        });
        code_ = code_lengths(frequency, k_max_code_length_bits);
        for (uint32_t s = 0; s < k_code_lengths; ++s) bits_ += uint64_t{frequency[s]} * code_[s];
        while (written_ > 4 && code_[k_code_length_order[written_ - 1]] == 0) --written_;
        bits_ += 5 + 5 + 4 + 3 * written_;
    }
    uint64_t bits() const { return bits_; }
    void put(BitWriter& out) const {
        out.put(literals_ - k_first_length_symbol, 5);
        out.put(distances_ - 1, 5);
        out.put(written_ - 4, 4);
        for (uint32_t k = 0; k < written_; ++k) out.put(code_[k_code_length_order[k]], 3);
        const std::vector<uint32_t> words = code_words(code_);
        each([&](uint32_t symbol, uint32_t extra, uint32_t extra_bits) {
            out.put(words[symbol], code_[symbol]);
            out.put(extra, extra_bits);
        });
    }

  private:
    template <class Visit>
    void each(const Visit& visit) const {
        each_run(lengths_.data(), static_cast<uint32_t>(lengths_.size()), visit);
    }

    uint32_t literals_ = k_literals;
    uint32_t distances_ = k_distances;
    uint32_t written_ = k_code_lengths;
    uint64_t bits_ = 0;
    Lengths lengths_, code_;
};

Codes own_codes(const std::vector<Token>& tokens) {
    Frequencies literal(k_literals);
    Frequencies distance(k_distances);
    for (const Token& token : tokens) {
        if (token.length == 0) {
            ++literal[token.literal];
        } else {
            ++literal[coded_length(token.length).symbol];
            ++distance[coded_distance(token.distance).symbol];
        }
    }
    literal[k_end_symbol] = 1;
    return {code_lengths(literal, k_max_code_bits), code_lengths(distance, k_max_code_bits)};
}

void put_stored(Bytes bytes, std::vector<uint8_t>& out) {
    BitWriter writer(out);
    writer.put(1, 8);
    writer.put(static_cast<uint32_t>(bytes.size()), 16);
    writer.put(~static_cast<uint32_t>(bytes.size()), 16);
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Step 4.
void compress(Bytes bytes, std::vector<uint8_t>& out) {
    const std::vector<Token> tokens = Parser(bytes).parse();
    const Codes own = own_codes(tokens);
    const DynamicHeader header(own);
    const Codes fixed = fixed_codes();
    const uint64_t stored_bits = 8 * (k_deflate_stored_bytes + uint64_t{bytes.size()});
    const uint64_t fixed_bits = 3 + body_bits(tokens, fixed);
    const uint64_t own_bits = 3 + header.bits() + body_bits(tokens, own);
    if (stored_bits <= std::min(fixed_bits, own_bits)) return put_stored(bytes, out);
    BitWriter writer(out);
    writer.put(1, 1);
    if (fixed_bits <= own_bits) {
        writer.put(1, 2);
        return put_body(tokens, fixed, writer);
    }
    writer.put(2, 2);
    header.put(writer);
    put_body(tokens, own, writer);
}

}  // namespace

void deflate_reference(Stream&, const DeflateBatch& batch, DeflateResults& results) {
    check(batch);
    results.bytes.clear();
    results.offset.assign(1, 0);
    for (size_t k = 0; k < batch.size(); ++k) {
        compress(batch.block(k), results.bytes);
        results.offset.push_back(static_cast<uint32_t>(results.bytes.size()));
    }
}

}  // namespace gannet::kernels
