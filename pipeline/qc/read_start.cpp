// SPDX-License-Identifier: MIT
// Provides the packing and hashing of the starts of reads.
#include "pipeline/qc/read_start.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gannet::pipeline::qc {
namespace {

using data::Base;

static_assert(std::endian::native == std::endian::little);

uint64_t load_bases(const Base* from, size_t count = sizeof(uint64_t)) {
    uint64_t word = 0;
    if (count > 0) std::memcpy(&word, from, count);  // a read without bases has no address
    return word;
}

/// Eight codes of a byte each as eight of three bits.
uint64_t squeezed(uint64_t codes) {
    codes = (codes | codes >> 5) & 0x003f003f003f003f;
    codes = (codes | codes >> 10) & 0x00000fff00000fff;
    return (codes | codes >> 20) & 0xffffff;
}

inline uint64_t hash_of_bases(const Base* bases, size_t size) {
    // Sums of products with odd numbers (digits of pi): none waits for another.
    constexpr std::array<uint64_t, 10> k_factors{
        0x243f6a8885a308d3, 0x13198a2e03707345, 0xa4093822299f31d1, 0x082efa98ec4e6c89, 0x452821e638d01377,
        0xbe5466cf34e90c6d, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917, 0x9216d5d98979fb1b, 0xd1310ba698dfb5ad};
    constexpr size_t k_word = sizeof(uint64_t);
    uint64_t sum = size * 0x2ffd72dbd01adfb7;
    if (size < k_word) {
        sum += load_bases(bases, size) * k_factors[0];
    } else {
        const size_t words = size / k_word;
        for (size_t word = 0; word < words; ++word)
            sum += load_bases(bases + word * k_word) * k_factors[word];
        if (size % k_word != 0) sum += load_bases(bases + size - k_word) * k_factors[words];
    }
    sum = (sum ^ sum >> 32) * 0xb8e1afed6a267e97;
    return sum ^ sum >> 29;
}

}  // namespace

uint64_t hash_of(std::span<const Base> start) {
    // Nearly all reads: without a loop.
    if (start.size() == k_read_start_bp) return hash_of_bases(start.data(), k_read_start_bp);
    return hash_of_bases(start.data(), start.size());
}

ReadStart::ReadStart(std::span<const Base> start) {
    std::array<Base, 88> padded{};  // whole words beyond the last base
    std::copy(start.begin(), start.end(), padded.begin());
    for (size_t i = 0; i < words_.size() && i * k_word_bases < start.size(); ++i) {
        const Base* const from = padded.data() + i * k_word_bases;
        words_[i] = squeezed(load_bases(from)) | squeezed(load_bases(from + 8)) << 24 |
                    squeezed(load_bases(from + 16, k_word_bases - 16)) << 48;
    }
    words_.back() |= uint64_t{start.size()} << k_length_shift;
}

std::string ReadStart::letters() const {
    std::string letters(length(), ' ');
    for (size_t i = 0; i < letters.size(); ++i) letters[i] = data::k_letter_of_base[base(i)];
    return letters;
}

uint64_t ReadStart::hash() const {
    std::array<Base, k_max_whole_read_bp> bases{};
    for (size_t i = 0; i < length(); ++i) bases[i] = base(i);
    return hash_of(std::span(bases).first(length()));
}

bool ReadStart::is_valid() const {
    if (length() > k_max_whole_read_bp) return false;
    std::array<Base, k_max_whole_read_bp> bases{};
    for (size_t i = 0; i < length(); ++i) {
        bases[i] = base(i);
        if (bases[i] > data::k_base_n) return false;
    }
    return *this == ReadStart(std::span(bases).first(length()));
}

}  // namespace gannet::pipeline::qc
