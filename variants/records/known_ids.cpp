// SPDX-License-Identifier: MIT
// Provides the look-up of known alleles.
#include "variants/records/known_ids.hpp"

#include "variants/records/missing_alleles.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace gannet::variants {

namespace {

/// Variants no further apart are looked up together.
constexpr int64_t k_shared_bp = 4096;

/// `removed` at a position become `inserted`, neither with bases that the other has at an end.
struct Change {
    int64_t position = 0;
    std::string_view removed;
    std::string_view inserted;
};

Change change_of(int64_t position, std::string_view reference, std::string_view alternate) {
    while (!reference.empty() && !alternate.empty() && reference.back() == alternate.back()) {
        reference.remove_suffix(1);
        alternate.remove_suffix(1);
    }
    while (!reference.empty() && !alternate.empty() && reference.front() == alternate.front()) {
        reference.remove_prefix(1);
        alternate.remove_prefix(1);
        ++position;
    }
    return {position, reference, alternate};
}

/// Letters of the reference from a position on.
struct Letters {
    int64_t begin = 0;
    std::string text;
    char before(int64_t position) const { return text[static_cast<size_t>(position - 1 - begin)]; }
    bool holds(int64_t position, std::string_view letters) const {
        return text.compare(static_cast<size_t>(position - begin), letters.size(), letters) == 0;
    }
    int64_t end() const { return begin + static_cast<int64_t>(text.size()); }
};

/// Shifts an insertion or deletion to the left, as far as the letters reach; `moved` holds its bases then.
void left_align(const Letters& letters, Change& change, std::string& moved) {
    if (change.removed.empty() == change.inserted.empty()) return;
    std::string_view& bases = change.removed.empty() ? change.inserted : change.removed;
    moved = bases;
    size_t last = moved.size() - 1;  // of the bases, which are rotated
    size_t shift = 0;
    while (change.position > letters.begin && moved[last] == letters.before(change.position)) {
        --change.position;
        ++shift;
        last = last == 0 ? moved.size() - 1 : last - 1;
    }
    const auto middle = static_cast<std::ptrdiff_t>(moved.size() - shift % moved.size());
    std::rotate(moved.begin(), moved.begin() + (middle % static_cast<std::ptrdiff_t>(moved.size())),
                moved.end());
    bases = moved;
}

/// An alternate allele of ours, and the IDs found for it.
struct Wanted {
    Change change;
    size_t variant = 0;
    std::string ids;
};

/// Appends those of `ids`, separated by semicolons, that the text does not have yet.
void append_ids(std::string_view ids, std::string& text) {
    while (!ids.empty()) {
        const size_t end = std::min(ids.find(';'), ids.size());
        const std::string_view id = ids.substr(0, end);
        ids.remove_prefix(std::min(end + 1, ids.size()));
        if (id.empty() || id == ".") continue;
        bool is_there = false;
        for (std::string_view rest = text; !rest.empty() && !is_there;) {
            const size_t next = std::min(rest.find(';'), rest.size());
            is_there = rest.substr(0, next) == id;
            rest.remove_prefix(std::min(next + 1, rest.size()));
        }
        if (is_there) continue;
        if (!text.empty()) text += ';';
        text += id;
    }
}

bool is_before(const Wanted& wanted, int64_t position) { return wanted.change.position < position; }

/// Ours, sorted by position.
std::vector<Wanted> wanted_of(std::span<const data::Variant> variants) {
    std::vector<Wanted> wanted;
    for (size_t i = 0; i < variants.size(); ++i) {
        for (size_t a = 1; a < variants[i].alleles.size(); ++a) {
            if (variants[i].alleles[a] == "*") continue;
            wanted.push_back(
                {change_of(variants[i].position, variants[i].alleles[0], variants[i].alleles[a]), i, ""});
        }
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const Wanted& a, const Wanted& b) { return a.change.position < b.change.position; });
    return wanted;
}

/// Whether an allele of the record may be one of ours.
bool is_near(const std::vector<Wanted>& wanted, const data::vcf::KnownSite& site) {
    const auto length = static_cast<int64_t>(site.reference.size());
    const bool is_snv = length == 1 && site.alternates.size() == 1;
    const int64_t first = is_snv ? site.position : site.position - KnownIds::k_max_shift_bp;
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), first, is_before);
    return at != wanted.end() && at->change.position <= site.position + length;
}

void match(const data::vcf::KnownSite& site, const Letters& letters, std::vector<Wanted>& wanted) {
    std::string moved;
    for (std::string_view rest = site.alternates; !rest.empty();) {
        const size_t end = std::min(rest.find(','), rest.size());
        const std::string_view alternate = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (alternate.empty() || alternate.find_first_not_of("ACGT") != std::string_view::npos) continue;
        Change change = change_of(site.position, site.reference, alternate);
        left_align(letters, change, moved);
        for (auto at = std::lower_bound(wanted.begin(), wanted.end(), change.position, is_before);
             at != wanted.end() && at->change.position == change.position; ++at) {
            if (at->change.removed == change.removed && at->change.inserted == change.inserted)
                append_ids(site.id, at->ids);
        }
    }
}

}  // namespace

KnownIds::KnownIds(std::unique_ptr<data::vcf::IndexedSites> sites,
                   std::shared_ptr<const data::Reference> reference)
    : reference_(std::move(reference)), first_(sites->another()) {
    idle_.push_back(std::move(sites));
}

std::unique_ptr<data::vcf::IndexedSites> KnownIds::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto sites = std::move(idle_.back());
            idle_.pop_back();
            return sites;
        }
    }
    return first_->another();
}

void KnownIds::give_back(std::unique_ptr<data::vcf::IndexedSites> sites) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(sites));
}

void KnownIds::annotate(std::span<data::Variant> variants) {
    if (variants.empty()) return;
    auto sites = take();
    for (size_t first = 0, last = 0; first < variants.size(); first = last) {
        while (last < variants.size() && variants[last].contig == variants[first].contig &&
               (last == first || variants[last].position - variants[last - 1].position < k_shared_bp))
            ++last;
        annotate_near(*sites, variants.subspan(first, last - first));
    }
    give_back(std::move(sites));
}

void KnownIds::annotate_near(data::vcf::IndexedSites& sites, std::span<data::Variant> variants) {
    std::vector<Wanted> wanted = wanted_of(variants);
    if (wanted.empty()) return;
    const uint32_t contig = variants.front().contig;
    const auto length = static_cast<int64_t>(reference_->contigs()[contig].length);
    int64_t end = 0;
    for (const data::Variant& variant : variants)
        end = std::max(end, variant.position + static_cast<int64_t>(variant.alleles[0].size()));
    const data::Region region{contig, variants.front().position, std::min(length, end + k_max_shift_bp)};
    // Records that begin before the region are there as well, if they reach into it.
    Letters letters{std::max<int64_t>(0, region.begin - k_max_shift_bp), ""};
    letters.text = reference_->letters(contig, static_cast<uint64_t>(letters.begin),
                                       static_cast<uint64_t>(std::min(length, region.end + k_max_shift_bp)));
    sites.visit(region, [&](const data::vcf::KnownSite& site) {
        const int64_t site_end = site.position + static_cast<int64_t>(site.reference.size());
        if (!is_near(wanted, site) || site.position < letters.begin || site_end > letters.end()) return;
        if (letters.holds(site.position, site.reference))
            match(site, letters, wanted);
        else
            ++foreign_;
    });
    // By variant and allele: positions of the changes of one record differ.
    for (size_t i = 0; i < variants.size(); ++i) {
        for (size_t a = 1; a < variants[i].alleles.size(); ++a) {
            const Change change =
                change_of(variants[i].position, variants[i].alleles[0], variants[i].alleles[a]);
            for (auto at = std::lower_bound(wanted.begin(), wanted.end(), change.position, is_before);
                 at != wanted.end() && at->change.position == change.position; ++at) {
                if (at->variant == i && at->change.removed == change.removed &&
                    at->change.inserted == change.inserted)
                    append_ids(at->ids, variants[i].id);
            }
        }
    }
}

void add_given_ids(const ForcedAlleles& given, std::span<data::Variant> variants) {
    for (data::Variant& variant : variants) {
        for (const ForcedAlleles::Name& name : given.names_at(variant.contig, variant.position)) {
            if (has_allele(variant, name.allele, given.arena())) append_ids(given.text_of(name), variant.id);
        }
    }
}

}  // namespace gannet::variants
