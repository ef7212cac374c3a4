// SPDX-License-Identifier: MIT
// Provides small references and sites written by hand for the tests of the comparison.
#pragma once

#include "data/reference.hpp"
#include "data/sequence.hpp"
#include "data/vcf/reader.hpp"
#include "variants/compare/atoms.hpp"
#include "variants/compare/matcher.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gannet::variants::compare::test {

/// One contig "c" with these letters.
inline data::Reference make_reference(const std::string& letters) {
    const uint64_t padded = (letters.size() + 63) / 64 * 64;
    auto packed = std::make_shared<std::vector<uint64_t>>((padded + 128) / 32, 0);
    for (size_t i = 0; i < letters.size(); ++i) {
        const uint64_t code = data::k_base_of_letter[static_cast<uint8_t>(letters[i])] & 3;
        (*packed)[(64 + i) / 32] |= code << 2 * ((64 + i) % 32);
    }
    auto runs = std::make_shared<std::vector<data::NonAcgtRun>>();
    runs->push_back({0, 64, 'N', {}});
    runs->push_back({64 + letters.size(), padded + 128, 'N', {}});
    auto keep = std::make_shared<std::pair<decltype(packed), decltype(runs)>>(packed, runs);
    return data::Reference("test.fa", {{"c", letters.size(), 64, ""}}, *packed, *runs, keep);
}

/// `position` is 1-based as in VCF; genotype as "0/1".
inline data::vcf::Site site(int64_t position, std::vector<std::string> alleles, const std::string& genotype) {
    data::vcf::Site out;
    out.position = position - 1;
    out.alleles = std::move(alleles);
    out.genotype = {genotype[0] - '0', genotype[2] - '0'};
    out.phased = genotype[1] == '|';
    out.has_genotype = true;
    out.quality = 50;
    return out;
}

inline CallSet call_set(const data::Reference& reference, const std::vector<data::vcf::Site>& sites) {
    CallSetBuilder builder(reference, {});
    for (const data::vcf::Site& one : sites) {
        builder.add(one);
    }
    return builder.finish();
}

/// Atoms of each side, and how many of them matched.
struct Tally {
    size_t truth = 0, truth_matched = 0, truth_allele = 0;
    size_t calls = 0, calls_matched = 0, calls_allele = 0;
    bool operator==(const Tally&) const = default;
};

inline Tally compare(const data::Reference& reference, const std::vector<data::vcf::Site>& truth_sites,
                     const std::vector<data::vcf::Site>& call_sites) {
    CallSet truth = call_set(reference, truth_sites);
    CallSet calls = call_set(reference, call_sites);
    match(reference, truth, calls, MatchBy::genotype);
    match(reference, truth, calls, MatchBy::allele);
    Tally tally;
    for (const Atom& atom : truth.atoms) {
        ++tally.truth;
        tally.truth_matched += atom.matched;
        tally.truth_allele += atom.matched_allele;
    }
    for (const Atom& atom : calls.atoms) {
        ++tally.calls;
        tally.calls_matched += atom.matched;
        tally.calls_allele += atom.matched_allele;
    }
    return tally;
}

}  // namespace gannet::variants::compare::test
