// SPDX-License-Identifier: MIT
// Provides the tables and loops behind data/sequence.hpp.
#include "data/sequence.hpp"

#include "data/sixteen_bases.hpp"

namespace gannet::data {
namespace {

constexpr std::array<Base, 256> make_base_of_letter() {
    std::array<Base, 256> table{};
    for (auto& code : table) code = k_base_n;
    table['A'] = table['a'] = 0;
    table['C'] = table['c'] = 1;
    table['G'] = table['g'] = 2;
    table['T'] = table['t'] = table['U'] = table['u'] = 3;
    return table;
}

constexpr std::array<uint8_t, 256> make_is_iupac() {
    std::array<uint8_t, 256> table{};
    for (const char letter :
         {'A', 'C', 'G', 'T', 'U', 'M', 'R', 'W', 'S', 'Y', 'K', 'V', 'H', 'D', 'B', 'N'}) {
        table[static_cast<uint8_t>(letter)] = 1;
        table[static_cast<uint8_t>(letter - 'A' + 'a')] = 1;
    }
    return table;
}

}  // namespace

constinit const std::array<Base, 256> k_base_of_letter = make_base_of_letter();
constinit const std::array<uint8_t, 256> k_is_iupac = make_is_iupac();

void reverse_complement(std::span<const Base> in, std::span<Base> out) {
    using namespace sixteen_bases;
    const size_t size = in.size();
    each_at_once(
        size,
        [&](size_t i) {
            store(out.data() + i, complement_each(reversed(load(in.data() + size - k_at_once - i))));
        },
        [&](size_t i) { out[i] = complement(in[size - 1 - i]); });
}

std::string to_letters(std::span<const Base> bases) {
    std::string letters(bases.size(), 'N');
    for (size_t i = 0; i < bases.size(); ++i) letters[i] = k_letter_of_base[bases[i] < 4 ? bases[i] : 4];
    return letters;
}

void to_bases(std::string_view letters, std::span<Base> out) {
    for (size_t i = 0; i < letters.size(); ++i) out[i] = k_base_of_letter[static_cast<uint8_t>(letters[i])];
}

}  // namespace gannet::data
