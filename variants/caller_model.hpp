// SPDX-License-Identifier: MIT
// Provides the caller's model: every number that can change a call, by the folder that uses it.
//
// A number is in one place: its row in variants/model/. A source reads it by name
// (alleles_number("region_snp_margin_bp")), which does not compile if there is no such row; a row that
// nothing reads, and a number outside of the table, fail tests/layers/check_model.py. docs/caller_model.md is
// made of the table by scripts/update_model; its hash is in the header of each VCF.
#pragma once

#include "variants/model/alleles.hpp"
#include "variants/model/cohort.hpp"
#include "variants/model/genotype.hpp"
#include "variants/model/model_number.hpp"
#include "variants/model/reads.hpp"
#include "variants/model/records.hpp"
#include "variants/model/sample.hpp"
#include "variants/model/scorer.hpp"
#include "variants/model/sequence.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gannet::variants {

/// The numbers of one folder of variants/.
struct ModelPart {
    std::string_view folder;
    std::span<const ModelNumber> numbers;
};

inline constexpr auto k_caller_model = std::to_array<ModelPart>({
    {"sample", k_sample_numbers},
    {"sequence", k_sequence_numbers},
    {"reads", k_reads_numbers},
    {"alleles", k_alleles_numbers},
    {"genotype", k_genotype_numbers},
    {"records", k_records_numbers},
    {"scorer", k_scorer_numbers},
});

/// Of joint calling; not in the hash, which is of the calls of one sample.
inline constexpr ModelPart k_cohort_model = {"cohort", k_cohort_numbers};

/// FNV-1a of the names and values, in the order of the table; units and sources do not count.
constexpr uint64_t hash_of_model(std::span<const ModelPart> model) {
    uint64_t hash = 0xcbf29ce484222325u;
    const auto add = [&hash](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
    for (const ModelPart& part : model) {
        for (const ModelNumber& number : part.numbers) {
            for (const char letter : number.name) add(static_cast<uint8_t>(letter));
            add(0);
            for (size_t i = 0; i < number.size(); ++i) {
                for (int shift = 0; shift < 64; shift += 8)
                    add(static_cast<uint8_t>(static_cast<uint64_t>(number.at(i)) >> shift));
            }
            add(0);
        }
    }
    return hash;
}

/// The hash of k_caller_model, sixteen hexadecimal digits.
std::string caller_model_hash();

/// Both tables as Markdown, a section for each folder.
std::string caller_model_markdown();

}  // namespace gannet::variants
