// SPDX-License-Identifier: MIT
// Checks that operations of length zero in a CIGAR change nothing that quality control counts.
#include "tests/unit/pipeline/qc_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline::qc {
namespace {

using namespace data;
using Cigar = std::vector<uint32_t>;

constexpr uint32_t k_read_bp = 100;

struct Alignment {
    Cigar cigar;
    std::string mismatches;  ///< as tag MD
};

/// Matches alone, with clips at one end or both, with an insertion or a deletion; some bases differ.
std::vector<Alignment> alignments() {
    const auto part = [](uint32_t bases, CigarOp op) { return cigar_element(bases, op); };
    constexpr CigarOp k_m = k_cigar_match;
    return {
        {{part(100, k_m)}, "100"},
        {{part(100, k_m)}, "10A30C58"},
        {{part(7, k_cigar_soft_clip), part(93, k_m)}, "20T72"},
        {{part(90, k_m), part(10, k_cigar_soft_clip)}, "50G39"},
        {{part(4, k_cigar_hard_clip), part(5, k_cigar_soft_clip), part(80, k_m), part(15, k_cigar_soft_clip)},
         "80"},
        {{part(40, k_m), part(3, k_cigar_insertion), part(57, k_m)}, "41A55"},
        {{part(30, k_m), part(2, k_cigar_deletion), part(70, k_m)}, "30^CA5G64"}};
}

std::string text_of(const Cigar& cigar) {
    std::string text;
    for (const uint32_t element : cigar)
        text += std::to_string(cigar_length(element)) + "MIDNSHP=X"[cigar_op(element)];
    return text;
}

/// With operations of length zero within and between the matches and gaps.
Cigar with_zeros(const Cigar& cigar, std::mt19937& random) {
    constexpr CigarOp k_ops[] = {k_cigar_insertion, k_cigar_deletion, k_cigar_skip, k_cigar_pad,
                                 k_cigar_match};
    const auto is_clip = [](uint32_t element) {
        return cigar_op(element) == k_cigar_soft_clip || cigar_op(element) == k_cigar_hard_clip;
    };
    const auto zero = [&] { return cigar_element(0, k_ops[random() % std::size(k_ops)]); };
    Cigar out;
    for (size_t i = 0; i < cigar.size(); ++i) {
        out.push_back(cigar[i]);
        if (cigar_op(cigar[i]) == k_cigar_match) {
            out.back() = cigar_element(17, k_cigar_match);
            out.push_back(zero());
            out.push_back(cigar_element(cigar_length(cigar[i]) - 17, k_cigar_match));
        }
        if (i + 1 < cigar.size() && !is_clip(cigar[i]) && !is_clip(cigar[i + 1])) out.push_back(zero());
    }
    return out;
}

/// Pairs, sorted.
RecordBatch pairs_of(bool has_zeros) {
    static const std::vector<Alignment> all = alignments();
    std::mt19937 random(5);
    std::mt19937 zeros(6);
    std::vector<Made> made;
    for (int i = 0; i < 600; ++i) {
        const auto at = static_cast<int32_t>(random() % 2000);
        const auto apart = static_cast<int32_t>(random() % 150);
        const Alignment& one = all[random() % all.size()];
        const Alignment& two = all[random() % all.size()];
        constexpr uint16_t k_both = k_flag_paired | k_flag_proper_pair;
        const auto add = [&](uint16_t flag, int32_t position, int32_t mate_position, int32_t length,
                             const Alignment& own, const Alignment& mate) {
            made.push_back({static_cast<uint16_t>(k_both | flag), 0, position,
                            has_zeros ? with_zeros(own.cigar, zeros) : own.cigar, k_read_bp,
                            text_of(mate.cigar), mate_position, length, "r" + std::to_string(i),
                            own.mismatches});
        };
        add(k_flag_mate_reverse | k_flag_read1, at, at + apart, apart + 100, one, two);
        add(k_flag_reverse | k_flag_read2, at + apart, at, -apart - 100, two, one);
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const Made& a, const Made& b) { return a.position < b.position; });
    RecordBatch batch;
    for (size_t i = 0; i < made.size(); ++i) append(batch, made[i], static_cast<unsigned>(i));
    return batch;
}

std::vector<std::string> texts_of(const RecordBatch& batch) {
    static const std::vector<uint64_t> packed = [] {
        std::mt19937_64 random(1);
        std::vector<uint64_t> words(8192 / 32);
        for (uint64_t& word : words) word = random();
        return words;
    }();
    const Reference of("ref.fa", {{"a", 5000, 64, ""}}, packed, {}, nullptr);
    QualityControl counted(of, {{{0, 500, 900}, ""}, {{0, 850, 1700}, "x"}});
    ChunkDepths depths;
    counted.count(batch.bytes, batch.entries, depths);
    counted.append(batch.bytes, batch.entries, depths);
    counted.finish();
    return all_texts(counted, of);
}

TEST(QualityControl, operations_of_length_zero_change_no_count) {
    const std::vector<std::string> plain = texts_of(pairs_of(false));
    const std::vector<std::string> zeros = texts_of(pairs_of(true));
    for (size_t i = 0; i < plain.size(); ++i) {
        const auto [a, b] = std::mismatch(plain[i].begin(), plain[i].end(), zeros[i].begin(), zeros[i].end());
        const auto from = static_cast<size_t>(std::max<std::ptrdiff_t>(0, a - plain[i].begin() - 60));
        EXPECT_TRUE(plain[i] == zeros[i]) << "text " << i << ": " << plain[i].substr(from, 120)
                                          << "\n--- with zeros: " << zeros[i].substr(from, 120);
    }
}

}  // namespace
}  // namespace gannet::pipeline::qc
