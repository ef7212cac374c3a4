// SPDX-License-Identifier: MIT
// Provides the variants of a simulated sample and the haplotypes that carry them.
#include "data/simulate/sample.hpp"

#include "data/simulate/random.hpp"
#include "data/tandem_repeats.hpp"
#include "data/vcf/reader.hpp"

#include <algorithm>

namespace gannet::data::simulate {

namespace {

constexpr double k_snv_rate = 1.0e-3;
constexpr double k_indel_rate = 1.25e-4;
constexpr double k_tract_share = 0.5;
constexpr uint64_t k_margin_bp = 60;  ///< no variant this close to unknown sequence
constexpr uint32_t k_longest_indel = 50;

using Bases = std::vector<Base>;

/// A maximal stretch of repeated units of 1 to 6 bases.
struct Tract {
    uint64_t begin = 0;
    uint64_t length = 0;
    uint32_t period = 0;
    uint64_t weight() const { return length * length / period; }
};

/// Known bases throughout, and a known one before.
std::vector<Tract> find_tracts(const Bases& bases) {
    constexpr ShortestRepeats k_shortest{6, 9, 12, 15, 18, 21};
    TandemRepeats repeats;
    repeats.find(bases);
    std::vector<Tract> tracts;
    for_each_tandem_repeat(repeats, k_shortest, [&](const TandemRepeats::Repeat& repeat) {
        if (repeat.begin > 0 && bases[repeat.begin - 1] < k_base_n)
            tracts.push_back({repeat.begin, repeat.length(), static_cast<uint32_t>(repeat.period)});
    });
    return tracts;
}

uint32_t draw_indel_length(Random& random) {
    return random.chance(0.04) ? static_cast<uint32_t>(random.between(11, k_longest_indel))
                               : random.geometric(0.45, k_longest_indel);
}

/// Random variants of one contig, as candidates that may still overlap.
class VariantMaker {
  public:
    VariantMaker(const Sequence& sequence, uint64_t seed, uint64_t contig)
        : sequence_(sequence), bases_(sequence.bases), random_(seed, Stream::variants, contig) {}

    std::vector<TruthSite> make() {
        add_snvs_and_indels();
        add_tract_indels();
        std::stable_sort(sites_.begin(), sites_.end(),
                         [](const TruthSite& a, const TruthSite& b) { return a.position < b.position; });
        std::vector<TruthSite> kept;
        for (TruthSite& site : sites_)
            if (kept.empty() || site.position >= kept.back().end()) kept.push_back(std::move(site));
        return kept;
    }

  private:
    bool usable(uint64_t begin, uint64_t end) const {
        return begin >= k_margin_bp && end + k_margin_bp <= bases_.size() &&
               is_known(sequence_.unknown, begin - k_margin_bp, end + k_margin_bp);
    }
    std::string letters(uint64_t begin, uint64_t count) const { return to_letters({&bases_[begin], count}); }

    /// Two in three heterozygous, either phase; of these, some carry a second ALT.
    std::array<uint8_t, 2> draw_genotype(size_t alts) {
        if (alts == 2)
            return random_.chance(0.5) ? std::array<uint8_t, 2>{1, 2} : std::array<uint8_t, 2>{2, 1};
        if (random_.chance(1.0 / 3)) return {1, 1};
        return random_.chance(0.5) ? std::array<uint8_t, 2>{0, 1} : std::array<uint8_t, 2>{1, 0};
    }
    void add(uint64_t position, std::vector<std::string> alleles) {
        const auto genotype = draw_genotype(alleles.size() - 1);
        sites_.push_back({position, std::move(alleles), genotype});
    }

    void add_snvs_and_indels() {
        constexpr uint64_t window_bp = 10000;
        constexpr std::array<double, 5> pace{0.3, 0.6, 1.0, 1.4, 1.7};  // mean 1
        constexpr double cpg_factor = 6;
        const uint64_t indel = probability(k_indel_rate * (1 - k_tract_share)).threshold >> 32;
        uint64_t plain = 0;
        uint64_t cpg = 0;
        for (uint64_t p = 0; p < bases_.size(); ++p) {
            if (p % window_bp == 0) {
                // CpG sites, about 1 % of the bases, reduce the rate of the others.
                const double rate = k_snv_rate * pace[random_.below(pace.size())] * 0.89;
                plain = probability(rate).threshold >> 32;
                cpg = probability(rate * cpg_factor).threshold >> 32;
            }
            const uint64_t x = random_.next();
            const bool at_cpg = (bases_[p] == 1 && p + 1 < bases_.size() && bases_[p + 1] == 2) ||
                                (bases_[p] == 2 && p > 0 && bases_[p - 1] == 1);
            if (x >> 32 < (at_cpg ? cpg : plain) && usable(p, p + 1)) add_snv(p, at_cpg);
            if ((x & 0xFFFFFFFF) < indel) add_plain_indel(p);
        }
    }

    void add_snv(uint64_t position, bool at_cpg) {
        const Base ref = bases_[position];
        const bool is_transition = random_.chance(at_cpg ? 0.95 : 0.62);
        const Base first = static_cast<Base>(ref ^ (is_transition ? 2 : random_.chance(0.5) ? 1 : 3));
        std::vector<std::string> alleles{letters(position, 1), to_letters({&first, 1})};
        if (random_.chance(0.004)) {
            const Base second = static_cast<Base>(ref ^ (is_transition ? 1 : 2));
            alleles.push_back(to_letters({&second, 1}));
        }
        add(position, std::move(alleles));
    }

    void add_plain_indel(uint64_t position) {
        const uint32_t length = draw_indel_length(random_);
        if (!usable(position, position + length)) return;
        if (random_.chance(0.52)) {
            while (usable(position, position + length) &&
                   bases_[position - 1] == bases_[position + length - 1])
                --position;
            if (!usable(position - 1, position + length)) return;
            add(position - 1, {letters(position - 1, length + 1), letters(position - 1, 1)});
            return;
        }
        Bases inserted(length);
        const bool duplicates = random_.chance(0.5);
        for (uint32_t k = 0; k < length; ++k)
            inserted[k] = duplicates ? bases_[position + k] : static_cast<Base>(random_.below(4));
        while (usable(position, position) && bases_[position - 1] == inserted.back()) {
            std::rotate(inserted.begin(), inserted.end() - 1, inserted.end());
            --position;
        }
        if (!usable(position - 1, position)) return;
        const std::string anchor = letters(position - 1, 1);
        add(position - 1, {anchor, anchor + to_letters(inserted)});
    }

    void add_tract_indels() {
        const std::vector<Tract> tracts = find_tracts(bases_);
        double weights = 0;
        for (const Tract& tract : tracts) weights += static_cast<double>(tract.weight());
        double known = static_cast<double>(bases_.size());
        for (const BaseRun& run : sequence_.unknown) known -= static_cast<double>(run.end - run.begin);
        const double wanted = known * k_indel_rate * k_tract_share * 1.1;  // some are lost to overlaps
        for (const Tract& tract : tracts) {
            const double p = wanted * static_cast<double>(tract.weight()) / weights;
            if (random_.chance(std::min(p, 0.35)) && usable(tract.begin - 1, tract.begin + tract.length))
                add_tract_indel(tract);
        }
    }

    /// Units more or fewer; the anchor is the base before the tract, so that the site is left-aligned
    /// already.
    void add_tract_indel(const Tract& tract) {
        const auto draw = [&] {
            const auto most =
                static_cast<int64_t>(std::min<uint64_t>(tract.length, k_longest_indel) / tract.period);
            const auto units = static_cast<int64_t>(random_.geometric(0.62, 16));
            if (random_.chance(0.5)) return std::max(-most, -units);
            return std::min<int64_t>(units, k_longest_indel / tract.period);
        };
        std::vector<int64_t> changes{draw()};
        if (random_.chance(0.06)) {
            const int64_t second = draw();
            if (second != changes[0]) changes.push_back(second);
        }
        const int64_t lost = std::max<int64_t>(0, -*std::min_element(changes.begin(), changes.end()));
        const std::string unit = letters(tract.begin, tract.period);
        const auto allele = [&](int64_t units) {
            std::string text = letters(tract.begin - 1, 1);
            for (int64_t k = 0; k < units; ++k) text += unit;
            return text;
        };
        std::vector<std::string> alleles{allele(lost)};
        for (const int64_t change : changes) alleles.push_back(allele(lost + change));
        add(tract.begin - 1, std::move(alleles));
    }

    const Sequence& sequence_;
    const Bases& bases_;
    Random random_;
    std::vector<TruthSite> sites_;
};

bool is_acgt(const std::string& allele) {
    return !allele.empty() && std::all_of(allele.begin(), allele.end(), [](char letter) {
        return k_base_of_letter[static_cast<uint8_t>(letter)] < k_base_n;
    });
}

}  // namespace

Truth make_variants(const Genome& genome, uint64_t seed) {
    Truth truth;
    for (size_t i = 0; i < genome.sequences.size(); ++i)
        truth.push_back(VariantMaker(genome.sequences[i], seed, i).make());
    return truth;
}

Truth read_variants(const std::string& path, const Reference& reference, uint64_t seed, uint64_t& skipped) {
    Truth truth(reference.contigs().size());
    Random random(seed, Stream::phase, 0);
    vcf::Reader reader(path, reference);
    for (vcf::Site site; reader.read(site);) {
        const auto [a, b] = site.genotype;
        const auto alleles = static_cast<int>(site.alleles.size());
        const bool wanted = site.has_genotype && a >= 0 && b >= 0 && a < alleles && b < alleles &&
                            (a > 0 || b > 0) && alleles <= 127 &&
                            std::all_of(site.alleles.begin(), site.alleles.end(), is_acgt);
        if (!wanted) {
            ++skipped;
            continue;
        }
        std::array<uint8_t, 2> genotype{static_cast<uint8_t>(a), static_cast<uint8_t>(b)};
        if (!site.phased && a != b && random.chance(0.5)) std::swap(genotype[0], genotype[1]);
        truth[site.contig].push_back({static_cast<uint64_t>(site.position), site.alleles, genotype});
    }
    for (std::vector<TruthSite>& sites : truth) {
        std::stable_sort(sites.begin(), sites.end(),
                         [](const TruthSite& x, const TruthSite& y) { return x.position < y.position; });
        uint64_t end = 0;
        skipped += std::erase_if(sites, [&end](const TruthSite& site) {
            const bool overlaps = site.position < end;
            if (!overlaps) end = site.end();
            return overlaps;
        });
    }
    return truth;
}

void make_haploid(std::vector<TruthSite>& sites) {
    std::erase_if(sites, [](const TruthSite& site) { return site.genotype[0] == 0; });
    for (TruthSite& site : sites) {
        site.ploidy = 1;
        if (site.alleles.size() > 2) {
            // REF may be longer than the one allele needs.
            std::string from = site.alleles[0];
            std::string to = site.alleles[site.genotype[0]];
            while (from.size() > 1 && to.size() > 1 && from.back() == to.back()) {
                from.pop_back();
                to.pop_back();
            }
            site.alleles = {from, to};
        }
        site.genotype = {1, 1};
    }
}

const Haplotype::Stretch& Haplotype::stretch_of(uint64_t position) const {
    const auto after = std::upper_bound(stretches.begin(), stretches.end(), position,
                                        [](uint64_t at, const Stretch& s) { return at < s.begin; });
    return *(after - 1);
}

uint64_t Haplotype::reference_position(uint64_t position) const {
    const Stretch& stretch = stretch_of(position);
    const uint64_t into = position - stretch.begin;
    switch (stretch.kind) {
        case Kind::inserted:
            return stretch.reference;
        case Kind::hidden_backwards:
            return stretch.reference - std::min(stretch.reference, into);
        default:
            return stretch.reference + into;
    }
}

bool Haplotype::is_hidden(uint64_t position) const {
    const Kind kind = stretch_of(position).kind;
    return kind == Kind::hidden || kind == Kind::hidden_backwards;
}

Haplotype make_haplotype(const Sequence& sequence, const std::vector<TruthSite>& sites, uint32_t contig,
                         uint32_t side, const std::vector<Insertion>& insertions) {
    using Kind = Haplotype::Kind;
    Haplotype out;
    out.contig = contig;
    out.side = side;
    out.bases.reserve(sequence.bases.size() + sequence.bases.size() / 1000);
    out.stretches.push_back({0, 0, Kind::shared});
    uint64_t reference = 0;
    auto insertion = insertions.begin();
    const auto append_until = [&](uint64_t end) {
        out.bases.insert(out.bases.end(), sequence.bases.begin() + static_cast<ptrdiff_t>(reference),
                         sequence.bases.begin() + static_cast<ptrdiff_t>(end));
        reference = end;
    };
    const auto copy_until = [&](uint64_t end) {
        for (; insertion != insertions.end() && insertion->position <= end; ++insertion) {
            append_until(insertion->position);
            out.stretches.push_back({out.bases.size(), insertion->origin,
                                     insertion->backwards ? Kind::hidden_backwards : Kind::hidden});
            out.bases.insert(out.bases.end(), insertion->bases.begin(), insertion->bases.end());
            out.stretches.push_back({out.bases.size(), reference, Kind::shared});
        }
        append_until(end);
    };
    for (const TruthSite& site : sites) {
        const std::string& from = site.alleles[0];
        const std::string& to = site.alleles[site.genotype[side]];
        if (to == from) continue;
        copy_until(site.position);
        for (size_t k = 0; k < to.size(); ++k) {
            if (k == from.size()) out.stretches.push_back({out.bases.size(), site.end(), Kind::inserted});
            out.bases.push_back(k_base_of_letter[static_cast<uint8_t>(to[k])]);
        }
        reference = site.end();
        if (to.size() != from.size()) out.stretches.push_back({out.bases.size(), reference, Kind::shared});
    }
    copy_until(sequence.bases.size());
    out.unknown = unknown_runs(out.bases);
    out.strong.reserve(out.bases.size() / Haplotype::k_strong_step + 2);
    uint32_t strong = 0;
    for (uint64_t i = 0; i < out.bases.size(); ++i) {
        if (i % Haplotype::k_strong_step == 0) out.strong.push_back(strong);
        strong += out.bases[i] == 1 || out.bases[i] == 2;
    }
    out.strong.push_back(strong);
    return out;
}

}  // namespace gannet::data::simulate
