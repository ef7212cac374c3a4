// SPDX-License-Identifier: MIT
// Provides the search for reads that begin with an Illumina adapter.
#include "pipeline/qc/adapters.hpp"

#include "pipeline/qc/known_adapters.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <string_view>
#include <tuple>
#include <vector>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr size_t k_bases = 16;
constexpr uint32_t k_low_bits = 0x55555555;

/// 16 bases of two bits, and the low bits of those that are none.
struct Word {
    uint32_t bases = 0;
    uint32_t unknown = 0;
    void push(Base base) {
        bases = bases << 2 | (base & 3u) * (base < 4 ? 1u : 0u);
        unknown = unknown << 2 | (base < 4 ? 0u : 1u);
    }
    auto key() const { return std::tuple(bases, unknown); }
};

int differences(Word a, Word b) {
    const uint32_t different = a.bases ^ b.bases;
    return std::popcount(((different | different >> 1) & k_low_bits) | (a.unknown ^ b.unknown));
}

/// Every 16 bases of the known adapters with at most one N, on both strands.
std::vector<Word> make_words() {
    std::vector<Word> words;
    for (const KnownAdapter& known : k_known_adapters) {
        const std::string_view adapter = known.bases;
        for (size_t begin = 0; begin + k_bases <= adapter.size(); ++begin) {
            Word forward;
            Word reverse;
            for (size_t i = 0; i < k_bases; ++i) {
                const auto base_at = [&](size_t at) {
                    return k_base_of_letter[static_cast<uint8_t>(adapter[begin + at])];
                };
                forward.push(base_at(i));
                reverse.push(complement(base_at(k_bases - 1 - i)));
            }
            if (std::popcount(forward.unknown) > 1) continue;
            words.push_back(forward);
            words.push_back(reverse);
        }
    }
    std::sort(words.begin(), words.end(), [](Word a, Word b) { return a.key() < b.key(); });
    words.erase(std::unique(words.begin(), words.end(), [](Word a, Word b) { return a.key() == b.key(); }),
                words.end());
    return words;
}

/// With at most one difference, eight of the bases are equal at one end or the other.
class Halves {
  public:
    explicit Halves(const std::vector<Word>& words) {
        for (const Word& word : words) {
            first_[word.bases >> 16] = true;
            last_[word.bases & 0xffff] = true;
        }
    }
    bool has(const Word& word) const {
        return word.unknown != 0 || first_[word.bases >> 16] || last_[word.bases & 0xffff];
    }

  private:
    std::bitset<1 << 16> first_, last_;
};

}  // namespace

bool begins_with_adapter(const RecordView& record, bool reverse) {
    static const std::vector<Word> words = make_words();
    const size_t length = record.read_length();
    if (length < k_bases) return false;
    Word start;
    for (size_t i = 0; i < k_bases; ++i)
        start.push(reverse ? complement(record.base(length - 1 - i)) : record.base(i));
    static const Halves halves(words);
    if (!halves.has(start)) return false;
    return std::any_of(words.begin(), words.end(),
                       [start](const Word& word) { return differences(start, word) <= 1; });
}

}  // namespace gannet::pipeline::qc
