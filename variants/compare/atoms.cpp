// SPDX-License-Identifier: MIT
// Provides the splitting of VCF records into atoms, their left alignment and the merging of equal ones.
#include "variants/compare/atoms.hpp"

#include "data/sequence.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace gannet::variants::compare {
namespace {

bool is_sequence(const std::string& allele) {
    return !allele.empty() && allele.find_first_not_of("ACGT") == std::string::npos;
}

std::string to_codes(const std::string& letters, size_t from, size_t count) {
    std::string codes(count, '\0');
    for (size_t i = 0; i < count; ++i) {
        codes[i] = static_cast<char>(data::k_base_of_letter[static_cast<uint8_t>(letters[from + i])]);
    }
    return codes;
}

/// Shifts an insertion or deletion of `bases` at `begin` to the left as far as the sequence stays the same
/// (Tan, Abecasis and Kang 2015). Reads the reference in small windows.
void left_align(const data::Reference& reference, uint32_t contig, int64_t& begin, std::string& bases) {
    constexpr int64_t k_window_bp = 64;
    std::array<data::Base, k_window_bp> window;
    size_t shift = 0;  // bases are rotated by this much: kept apart so that a step costs O(1)
    const size_t size = bases.size();
    while (begin > 0) {
        const int64_t from = std::max<int64_t>(0, begin - k_window_bp);
        const auto count = static_cast<size_t>(begin - from);
        reference.bases(contig, from, {window.data(), count});
        size_t step = 0;
        while (step < count) {
            const data::Base before = window[count - 1 - step];
            if (before >= data::k_base_n ||
                before != static_cast<data::Base>(bases[size - 1 - shift % size])) {
                break;
            }
            ++step;
            ++shift;
        }
        begin -= static_cast<int64_t>(step);
        if (step < count) {
            break;
        }
    }
    std::rotate(bases.begin(), bases.end() - static_cast<std::ptrdiff_t>(shift % size), bases.end());
}

auto replay_key(const Atom& atom) {
    return std::tuple(atom.contig, atom.begin, atom.end, std::string_view(atom.bases));
}

/// Keeps the first of atoms that are written alike in several records, with the copies of all. Atoms that are
/// alike only after normalisation stay apart: two repeat units may each lose their copy.
void merge_equal(std::vector<Atom>& atoms) {
    size_t kept = 0;
    for (size_t i = 0; i < atoms.size(); ++i) {
        if (kept > 0 && replay_key(atoms[kept - 1]) == replay_key(atoms[i])) {
            atoms[kept - 1].copies =
                static_cast<uint8_t>(std::min(2, atoms[kept - 1].copies + atoms[i].copies));
            continue;
        }
        if (kept != i) {
            atoms[kept] = std::move(atoms[i]);
        }
        ++kept;
    }
    atoms.resize(kept);
}

}  // namespace

CallSetBuilder::CallSetBuilder(const data::Reference& reference, Selection selection)
    : reference_(reference), selection_(selection) {}

void CallSetBuilder::add(const data::vcf::Site& site) {
    const double quality = std::max(0.0F, site.quality);
    if ((selection_.pass_only && !site.pass) || quality < selection_.minimum_quality ||
        site.alleles.size() < 2) {
        return;
    }
    Record record{site.contig, site.position, site.alleles[0], site.alleles[1], site.genotype,
                  site.ploidy, site.phased,   site.quality,    site.depth};
    for (size_t i = 2; i < site.alleles.size(); ++i) {
        record.alternate_alleles += ',' + site.alleles[i];
    }
    if (is_repeated(record)) {
        ++set_.repeated_records;
        return;
    }
    set_.known_genotypes += !site.has_genotype || site.genotype[0] >= 0 || site.genotype[1] >= 0 ? 1 : 0;
    set_.records.push_back(std::move(record));
    for (size_t allele = 1; allele < site.alleles.size(); ++allele) {
        const auto carried = std::count(site.genotype.begin(), site.genotype.end(), static_cast<int>(allele));
        const auto copies = static_cast<uint8_t>(site.has_genotype ? carried : 1);
        if (copies == 0) {
            continue;
        }
        if (is_sequence(site.alleles[0]) && is_sequence(site.alleles[allele])) {
            add_allele(set_.records.back(), site.alleles[allele], copies);
        } else {
            ++set_.skipped_alleles;
        }
    }
}

bool CallSetBuilder::is_repeated(const Record& record) const {
    const auto key = [](const Record& of) {
        return std::tie(of.contig, of.position, of.reference_allele, of.alternate_alleles, of.genotype,
                        of.ploidy);
    };
    for (auto before = set_.records.rbegin(); before != set_.records.rend(); ++before) {
        if (before->contig != record.contig || before->position != record.position) return false;
        if (key(*before) == key(record)) return true;
    }
    return false;
}

void CallSetBuilder::add_allele(const Record& record, const std::string& allele, uint8_t copies) {
    const std::string& ref = record.reference_allele;
    size_t ref_end = ref.size();
    size_t alt_end = allele.size();
    size_t first = 0;
    // From the left first: an insertion stays behind its anchor, before which another one may end.
    while (first < std::min(ref_end, alt_end) && ref[first] == allele[first]) {
        ++first;
    }
    while (ref_end > first && alt_end > first && ref[ref_end - 1] == allele[alt_end - 1]) {
        --ref_end;
        --alt_end;
    }
    const size_t shared = std::min(ref_end, alt_end);
    for (size_t i = first; i < shared; ++i) {
        if (ref[i] != allele[i]) {
            const int64_t at = record.position + static_cast<int64_t>(i);
            add_atom(record.contig, at, at + 1, to_codes(allele, i, 1), copies);
        }
    }
    if (ref_end != alt_end) {
        const int64_t at = record.position + static_cast<int64_t>(shared);
        add_atom(record.contig, at, at + static_cast<int64_t>(ref_end - shared),
                 to_codes(allele, shared, alt_end - shared), copies);
    }
}

void CallSetBuilder::add_atom(uint32_t contig, int64_t begin, int64_t end, std::string bases,
                              uint8_t copies) {
    Atom atom;
    atom.record = static_cast<uint32_t>(set_.records.size() - 1);
    atom.contig = contig;
    atom.begin = begin;
    atom.end = end;
    atom.bases = std::move(bases);
    atom.normal_begin = begin;
    atom.copies = copies;
    if (atom.is_snp()) {
        atom.normal_bases = atom.bases;
    } else if (atom.is_insertion()) {
        atom.normal_bases = atom.bases;
        left_align(reference_, contig, atom.normal_begin, atom.normal_bases);
    } else {
        std::vector<data::Base> removed(static_cast<size_t>(end - begin));
        reference_.bases(contig, begin, removed);
        std::string text(removed.begin(), removed.end());
        left_align(reference_, contig, atom.normal_begin, text);
    }
    set_.atoms.push_back(std::move(atom));
}

CallSet CallSetBuilder::finish() {
    std::vector<uint32_t> order(set_.records.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto place = [&](uint32_t i) {
        return std::tuple(set_.records[i].contig, set_.records[i].position, i);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    std::vector<uint32_t> rank(order.size());
    std::vector<Record> sorted;
    sorted.reserve(order.size());
    for (uint32_t i : order) {
        rank[i] = static_cast<uint32_t>(sorted.size());
        sorted.push_back(std::move(set_.records[i]));
    }
    set_.records = std::move(sorted);
    for (Atom& atom : set_.atoms) {
        atom.record = rank[atom.record];
    }
    std::stable_sort(set_.atoms.begin(), set_.atoms.end(),
                     [](const Atom& a, const Atom& b) { return replay_key(a) < replay_key(b); });
    merge_equal(set_.atoms);
    return std::move(set_);
}

}  // namespace gannet::variants::compare
