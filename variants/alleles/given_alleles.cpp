// SPDX-License-Identifier: MIT
// Provides the normal form of given alleles, and records of those without reads.
#include "variants/alleles/given_alleles.hpp"

#include "variants/reads/alignment_walk.hpp"

#include <algorithm>
#include <cstdlib>

namespace gannet::variants {

namespace {

constexpr int64_t k_first_reach_bp = 512;  // to the left; doubled where a repeat extends further

bool is_before(const Allele& a, const Allele& b, const std::vector<data::Base>& arena) {
    if (a.record_position() != b.record_position()) return a.record_position() < b.record_position();
    if (a.is_indel() != b.is_indel()) return b.is_indel();
    return compare_alleles(a, b, arena) < 0;
}

bool is_symbolic(std::string_view allele) { return allele.find_first_of("<>[]*.") != std::string_view::npos; }

}  // namespace

GivenAlleles::GivenAlleles(std::shared_ptr<const data::Reference> reference)
    : reference_(std::move(reference)), contigs_(reference_->contigs().size()) {}

uint32_t GivenAlleles::store(std::string_view letters) {
    const auto at = static_cast<uint32_t>(arena_.size());
    for (const char letter : letters) arena_.push_back(data::k_base_of_letter[static_cast<uint8_t>(letter)]);
    return at;
}

GivenAlleles::Outcome GivenAlleles::add(uint32_t contig, int64_t position, std::string_view reference,
                                        std::string_view alternate) {
    if (alternate.empty() || is_symbolic(alternate)) return Outcome::symbolic;
    if (alternate.find('N') != std::string_view::npos || reference.find('N') != std::string_view::npos)
        return Outcome::undefined;
    while (!reference.empty() && !alternate.empty() && reference.back() == alternate.back()) {
        reference.remove_suffix(1);
        alternate.remove_suffix(1);
    }
    while (!reference.empty() && !alternate.empty() && reference.front() == alternate.front()) {
        reference.remove_prefix(1);
        alternate.remove_prefix(1);
        ++position;
    }
    if (reference.empty() && alternate.empty()) return Outcome::undefined;
    if (reference.size() == alternate.size()) return add_snvs(contig, position, reference, alternate);
    if (std::max(reference.size(), alternate.size()) > static_cast<size_t>(k_max_indel_bp))
        return Outcome::too_long;
    if (!reference.empty() && !alternate.empty()) return add_changes(contig, position, reference, alternate);
    return add_indel(contig, {position, static_cast<int32_t>(reference.size()), store(alternate),
                              static_cast<int32_t>(alternate.size())});
}

GivenAlleles::Outcome GivenAlleles::add_snvs(uint32_t contig, int64_t position, std::string_view reference,
                                             std::string_view alternate) {
    for (size_t i = 0; i < reference.size(); ++i) {
        if (reference[i] == alternate[i]) continue;
        contigs_[contig].push_back({position + static_cast<int64_t>(i), 1, store(alternate.substr(i, 1)), 1});
    }
    return Outcome::added;
}

/// A replacement by a sequence of another length: the changes of its best alignment.
GivenAlleles::Outcome GivenAlleles::add_changes(uint32_t contig, int64_t position, std::string_view reference,
                                                std::string_view alternate) {
    std::vector<data::Base> bases(alternate.size());
    for (size_t i = 0; i < bases.size(); ++i)
        bases[i] = data::k_base_of_letter[static_cast<uint8_t>(alternate[i])];
    const int64_t end = position + static_cast<int64_t>(reference.size());
    slice_.load(*reference_, contig, position, end);
    changes_.clear();
    aligner_.differences(slice_, position, end, bases, arena_, changes_);
    Outcome outcome = Outcome::added;
    const std::vector<Allele> changes = changes_;
    for (const Allele& change : changes) {
        if (!change.is_indel()) {
            contigs_[contig].push_back(change);
        } else if (const Outcome of_indel = add_indel(contig, change); of_indel != Outcome::added) {
            outcome = of_indel;
        }
    }
    return outcome;
}

GivenAlleles::Outcome GivenAlleles::add_indel(uint32_t contig, Allele allele) {
    const Allele given = allele;
    const std::vector<data::Base> bases(arena_.begin() + given.alternate,
                                        arena_.begin() + given.alternate + given.alternate_length);
    for (int64_t reach = k_first_reach_bp;; reach *= 2) {
        slice_.load(*reference_, contig, given.position - reach, given.end() + 1);
        allele = given;
        std::copy(bases.begin(), bases.end(), arena_.begin() + given.alternate);
        left_align(slice_, allele, arena_);
        if (allele.position > slice_.begin() + 1 || slice_.begin() <= 0) break;
    }
    if (slice_.at(allele.position - 1) > 3 || slice_.at(allele.end() - 1) > 3) return Outcome::undefined;
    contigs_[contig].push_back(allele);
    return Outcome::added;
}

void GivenAlleles::finish() {
    for (std::vector<Allele>& alleles : contigs_) {
        std::sort(alleles.begin(), alleles.end(),
                  [&](const Allele& a, const Allele& b) { return is_before(a, b, arena_); });
        const auto last = std::unique(alleles.begin(), alleles.end(), [&](const Allele& a, const Allele& b) {
            return compare_alleles(a, b, arena_) == 0;
        });
        alleles.erase(last, alleles.end());
        alleles.shrink_to_fit();
    }
}

size_t GivenAlleles::size() const {
    size_t sum = 0;
    for (const std::vector<Allele>& alleles : contigs_) sum += alleles.size();
    return sum;
}

std::span<const Allele> GivenAlleles::within(uint32_t contig, int64_t begin, int64_t end) const {
    const std::vector<Allele>& alleles = contigs_[contig];
    const auto at = [&](int64_t position) {
        return std::partition_point(alleles.begin(), alleles.end(),
                                    [&](const Allele& a) { return a.record_position() < position; });
    };
    const auto first = at(begin);
    const auto last = std::max(first, at(end));
    return {first, last};
}

std::span<const Allele> first_site(std::span<const Allele> alleles) {
    size_t count = 1;
    while (count < std::min(alleles.size(), k_max_given_alleles) &&
           alleles[count].record_position() == alleles[0].record_position() &&
           alleles[count].is_indel() == alleles[0].is_indel())
        ++count;
    return alleles.first(count);
}

bool has_allele(const data::Variant& variant, const Allele& allele, const std::vector<data::Base>& arena) {
    if (variant.position != allele.record_position()) return false;
    const std::string& reference = variant.alleles[0];
    const size_t kept = allele.is_indel() ? 1 : 0;  // the base before
    const size_t replaced = kept + static_cast<size_t>(allele.reference_length);
    if (reference.size() < replaced) return false;
    std::string expected = reference.substr(0, kept);
    for (const data::Base base : bases_of(allele, arena)) expected += data::k_letter_of_base[base];
    expected += reference.substr(replaced);
    return std::find(variant.alleles.begin() + 1, variant.alleles.end(), expected) != variant.alleles.end();
}

void write_alleles(const data::Reference& reference, uint32_t contig, std::span<const Allele> alleles,
                   const std::vector<data::Base>& arena, data::Variant& variant) {
    variant.contig = contig;
    variant.position = alleles[0].record_position();
    int64_t end = variant.position + 1;
    for (const Allele& allele : alleles) end = std::max(end, allele.end());
    std::string text =
        reference.letters(contig, static_cast<uint64_t>(variant.position), static_cast<uint64_t>(end));
    for (char& letter : text) {
        if (data::k_base_of_letter[static_cast<uint8_t>(letter)] > 3) letter = 'N';  // VCF has no other codes
    }
    variant.alleles.assign(1, text);
    for (const Allele& allele : alleles) {
        std::string alternate = text.substr(0, allele.is_indel() ? 1 : 0);
        for (const data::Base base : bases_of(allele, arena)) alternate += data::k_letter_of_base[base];
        alternate += text.substr(static_cast<size_t>(allele.end() - variant.position));
        variant.alleles.push_back(std::move(alternate));
    }
}

void MissingAlleles::add(std::span<const data::Variant> variants, std::vector<data::Variant>& out) {
    for (size_t first = 0, last = 0; first < variants.size(); first = last) {
        const data::Variant& variant = variants[first];
        while (last < variants.size() && variants[last].contig == variant.contig &&
               variants[last].position == variant.position)
            ++last;
        add_until(variant.contig, variant.position, out);
        out.insert(out.end(), variants.begin() + static_cast<std::ptrdiff_t>(first),
                   variants.begin() + static_cast<std::ptrdiff_t>(last));
        add_missing(given_->within(variant.contig, variant.position, variant.position + 1),
                    variants.subspan(first, last - first), out);
        position_ = variant.position + 1;
    }
}

void MissingAlleles::finish(std::vector<data::Variant>& out) {
    add_until(static_cast<uint32_t>(given_->reference().contigs().size()), 0, out);
}

/// Adds what is missing before the position.
void MissingAlleles::add_until(uint32_t contig, int64_t position, std::vector<data::Variant>& out) {
    for (; contig_ < contig; ++contig_, position_ = 0)
        add_missing(given_->within(contig_, position_, INT64_MAX), {}, out);
    if (contig_ < given_->reference().contigs().size())
        add_missing(given_->within(contig_, position_, position), {}, out);
    position_ = position;
}

/// `beside`: the records of the same position.
void MissingAlleles::add_missing(std::span<const Allele> alleles, std::span<const data::Variant> beside,
                                 std::vector<data::Variant>& out) const {
    std::vector<Allele> lacking;
    while (!alleles.empty()) {
        const std::span<const Allele> site = first_site(alleles);
        alleles = alleles.subspan(site.size());
        const int64_t position = site[0].record_position();
        const uint8_t ploidy = ploidy_.at(contig_, position);
        if (ploidy == 0 || (!targets_.empty() && !targets_.contains(contig_, position))) continue;
        lacking.clear();
        for (const Allele& allele : site) {
            const bool is_there = std::any_of(
                beside.begin(), beside.end(),
                [&](const data::Variant& variant) { return has_allele(variant, allele, given_->arena()); });
            if (!is_there) lacking.push_back(allele);
        }
        if (lacking.empty()) continue;
        data::Variant variant;
        write_alleles(given_->reference(), contig_, lacking, given_->arena(), variant);
        variant.ploidy = ploidy;
        variant.filters = data::k_filter_not_applied;
        variant.allele_depth.assign(variant.alleles.size(), 0);
        out.push_back(std::move(variant));
    }
}

}  // namespace gannet::variants
