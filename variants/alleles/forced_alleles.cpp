// SPDX-License-Identifier: MIT
// Provides the normal form of forced alleles.
#include "variants/alleles/forced_alleles.hpp"

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

ForcedAlleles::ForcedAlleles(std::shared_ptr<const data::Reference> reference)
    : reference_(std::move(reference)),
      contigs_(reference_->contigs().size()),
      names_(reference_->contigs().size()) {}

uint32_t ForcedAlleles::store(std::string_view letters) {
    const auto at = static_cast<uint32_t>(arena_.size());
    for (const char letter : letters) arena_.push_back(data::k_base_of_letter[static_cast<uint8_t>(letter)]);
    return at;
}

ForcedAlleles::Outcome ForcedAlleles::add(uint32_t contig, int64_t position, std::string_view reference,
                                          std::string_view alternate, std::string_view id) {
    const size_t before = contigs_[contig].size();
    const Outcome outcome = add_allele(contig, position, reference, alternate);
    if (!id.empty() && contigs_[contig].size() == before + 1) {
        names_[contig].push_back({contigs_[contig].back(), static_cast<uint32_t>(texts_.size()),
                                  static_cast<uint32_t>(id.size())});
        texts_ += id;
    }
    return outcome;
}

ForcedAlleles::Outcome ForcedAlleles::add_allele(uint32_t contig, int64_t position,
                                                 std::string_view reference, std::string_view alternate) {
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

ForcedAlleles::Outcome ForcedAlleles::add_snvs(uint32_t contig, int64_t position, std::string_view reference,
                                               std::string_view alternate) {
    for (size_t i = 0; i < reference.size(); ++i) {
        if (reference[i] == alternate[i]) continue;
        contigs_[contig].push_back({position + static_cast<int64_t>(i), 1, store(alternate.substr(i, 1)), 1});
    }
    return Outcome::added;
}

/// A replacement by a sequence of another length: the changes of its best alignment.
ForcedAlleles::Outcome ForcedAlleles::add_changes(uint32_t contig, int64_t position,
                                                  std::string_view reference, std::string_view alternate) {
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

ForcedAlleles::Outcome ForcedAlleles::add_indel(uint32_t contig, Allele allele) {
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

void ForcedAlleles::finish() {
    for (std::vector<Allele>& alleles : contigs_) {
        std::sort(alleles.begin(), alleles.end(),
                  [&](const Allele& a, const Allele& b) { return is_before(a, b, arena_); });
        const auto last = std::unique(alleles.begin(), alleles.end(), [&](const Allele& a, const Allele& b) {
            return compare_alleles(a, b, arena_) == 0;
        });
        alleles.erase(last, alleles.end());
        alleles.shrink_to_fit();
    }
    for (std::vector<Name>& names : names_) {
        std::stable_sort(names.begin(), names.end(),
                         [&](const Name& a, const Name& b) { return is_before(a.allele, b.allele, arena_); });
    }
}

size_t ForcedAlleles::size() const {
    size_t sum = 0;
    for (const std::vector<Allele>& alleles : contigs_) sum += alleles.size();
    return sum;
}

std::span<const Allele> ForcedAlleles::within(uint32_t contig, int64_t begin, int64_t end) const {
    const std::vector<Allele>& alleles = contigs_[contig];
    const auto at = [&](int64_t position) {
        return std::partition_point(alleles.begin(), alleles.end(),
                                    [&](const Allele& a) { return a.record_position() < position; });
    };
    const auto first = at(begin);
    const auto last = std::max(first, at(end));
    return {first, last};
}

std::span<const ForcedAlleles::Name> ForcedAlleles::names_at(uint32_t contig, int64_t position) const {
    const std::vector<Name>& names = names_[contig];
    const auto at = [&](int64_t wanted) {
        return std::partition_point(names.begin(), names.end(),
                                    [&](const Name& name) { return name.allele.record_position() < wanted; });
    };
    return {at(position), at(position + 1)};
}

std::span<const Allele> first_site(std::span<const Allele> alleles) {
    size_t count = 1;
    while (count < std::min(alleles.size(), k_max_forced_alleles) &&
           alleles[count].record_position() == alleles[0].record_position() &&
           alleles[count].is_indel() == alleles[0].is_indel())
        ++count;
    return alleles.first(count);
}

}  // namespace gannet::variants
