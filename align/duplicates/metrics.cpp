// SPDX-License-Identifier: MIT
// Provides duplicate metrics as the text of Picard's METRICS_FILE.
#include "align/duplicates/duplicates.hpp"

namespace gannet::align::duplicates {
namespace {

/// e^-x in units of 2^-62 for x = numerator / denominator, by Taylor's series on x/2^k and squaring: integers
/// only.
uint64_t exp_minus_fixed(unsigned __int128 numerator, uint64_t denominator) {
    constexpr unsigned k_bits = 62;
    constexpr uint64_t k_one = uint64_t{1} << k_bits;
    if (numerator >= static_cast<unsigned __int128>(denominator) * 43) return 0;  // below 2^-62
    unsigned halvings = 0;
    while (numerator > static_cast<unsigned __int128>(denominator) << halvings) ++halvings;
    halvings += 4;
    // x / 2^halvings <= 1/16: ten terms reach 2^-62.
    const auto x = static_cast<uint64_t>((numerator << (k_bits - halvings)) / denominator);
    unsigned __int128 term = k_one;
    __int128 sum = k_one;
    for (unsigned i = 1; i <= 12; ++i) {
        term = (term * x >> k_bits) / i;
        sum += i % 2 ? -static_cast<__int128>(term) : static_cast<__int128>(term);
    }
    auto result = static_cast<uint64_t>(sum);
    for (; halvings > 0; --halvings) {
        result = static_cast<uint64_t>(static_cast<unsigned __int128>(result) * result >> k_bits);
    }
    return result;
}

/// Distinct molecules X in the library, from pairs N and distinct pairs C: C / X = 1 - e^(-N / X) (Lander and
/// Waterman 1988). 0 when it cannot be estimated (no pair seen twice).
uint64_t estimated_library_size(uint64_t pairs, uint64_t distinct) {
    if (distinct == 0 || distinct >= pairs) return 0;
    constexpr unsigned __int128 k_one = static_cast<unsigned __int128>(1) << 62;
    // X (1 - e^(-N/X)) grows with X, from below C at X = C towards N.
    const auto expected_distinct = [pairs](uint64_t size) {
        return static_cast<uint64_t>(size * (k_one - exp_minus_fixed(pairs, size)) >> 62);
    };
    uint64_t low = distinct;
    uint64_t high = distinct;
    while (expected_distinct(high) < distinct) {
        low = high;
        if (high > uint64_t{1} << 50) return 0;
        high *= 2;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (expected_distinct(middle) < distinct) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > distinct ? low - 1 : low;  // rounded down, as Picard does
}

/// numerator / denominator with six digits, a half rounded down as by htsjdk's FormatUtil; "0" when the
/// denominator is 0.
std::string fraction(uint64_t numerator, uint64_t denominator) {
    if (denominator == 0 || numerator == 0) return "0";
    const uint64_t scaled = numerator * 1000000;
    const uint64_t millionths = scaled / denominator + (2 * (scaled % denominator) > denominator ? 1 : 0);
    std::string digits = std::to_string(millionths % 1000000);
    digits.insert(0, 6 - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    const std::string whole = std::to_string(millionths / 1000000);
    return digits.empty() ? whole : whole + "." + digits;
}

}  // namespace

std::string metrics_text(const Decision& decision, const std::string& command_line) {
    std::string text =
        "## htsjdk.samtools.metrics.StringHeader\n# " + command_line +
        "\n\n## METRICS CLASS\tpicard.sam.DuplicationMetrics\n"
        "LIBRARY\tUNPAIRED_READS_EXAMINED\tREAD_PAIRS_EXAMINED\tSECONDARY_OR_SUPPLEMENTARY_RDS\t"
        "UNMAPPED_READS\tUNPAIRED_READ_DUPLICATES\tREAD_PAIR_DUPLICATES\t"
        "READ_PAIR_OPTICAL_DUPLICATES\tPERCENT_DUPLICATION\tESTIMATED_LIBRARY_SIZE\n";
    for (const LibraryMetrics& m : decision.metrics) {
        text += m.library.empty() ? "Unknown Library" : m.library;
        for (const uint64_t count :
             {m.unpaired_reads_examined, m.read_pairs_examined, m.secondary_or_supplementary,
              m.unmapped_reads, m.unpaired_read_duplicates, m.read_pair_duplicates,
              m.read_pair_optical_duplicates}) {
            text += "\t" + std::to_string(count);
        }
        const uint64_t size = estimated_library_size(m.read_pairs_examined - m.read_pair_optical_duplicates,
                                                     m.read_pairs_examined - m.read_pair_duplicates);
        text += "\t" +
                fraction(m.unpaired_read_duplicates + 2 * m.read_pair_duplicates,
                         m.unpaired_reads_examined + 2 * m.read_pairs_examined) +
                "\t" + (size == 0 ? "" : std::to_string(size)) + "\n";
    }
    return text + "\n";
}

}  // namespace gannet::align::duplicates
