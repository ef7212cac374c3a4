// SPDX-License-Identifier: MIT
// Provides the building of haplotypes from candidate alleles and the reads that link them.
#include "variants/alleles/haplotypes.hpp"

#include "variants/model/alleles.hpp"
#include "variants/reads/alignment_walk.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace gannet::variants {

namespace {

// With fewer spanning reads, other combinations are tried too.
constexpr uint32_t k_min_spanning = alleles_number("haplotypes_min_spanning");
// As with fewer than one in eight of the reads.
constexpr uint32_t k_min_spanning_fraction = alleles_number("haplotypes_min_spanning_part");
constexpr size_t k_max_product_alleles = alleles_number("haplotypes_max_product_alleles");
constexpr size_t k_always_product_alleles = alleles_number("haplotypes_always_product_alleles");
constexpr uint32_t k_min_combination = alleles_number("haplotypes_min_combination");  // reads
// Combinations, the most frequent ones, that are joined in pairs.
constexpr size_t k_max_joined = alleles_number("haplotypes_max_joined");
constexpr size_t k_max_with_joined = alleles_number("haplotypes_max_with_joined");  // haplotypes
// Between alleles that reads may show one at a time.
constexpr int64_t k_min_joined_bp = alleles_number("haplotypes_min_joined_bp");
// Counted for an assembled allele: assembly required several reads.
constexpr uint32_t k_assembled_support = alleles_number("haplotypes_assembled_support");
constexpr uint8_t k_min_snp_quality = alleles_number("haplotypes_min_snp_quality");
constexpr size_t k_max_realigned_alleles = alleles_number("haplotypes_max_realigned_alleles");

constexpr AlleleSet bit(size_t allele) { return AlleleSet{1} << allele; }

/// Indels of one VCF record exclude each other, and a deletion excludes what it deletes.
bool exclude(const Allele& a, const Allele& b) {
    if (a.is_indel() && b.is_indel() && a.position == b.position) return true;
    const Allele& left = a.position <= b.position ? a : b;
    const Allele& right = a.position <= b.position ? b : a;
    if (left.position == right.position) {
        // An insertion is before the base that the other changes.
        return left.reference_length > 0 && right.reference_length > 0;
    }
    return left.end() > right.position;
}

/// Whether a read that comes to the insertion from one side, and is aligned without a gap, shows the SNV: the
/// first base on either side that the inserted sequence does not share with the reference.
bool mimics(const ReferenceSlice& slice, const Allele& insertion, const Allele& snv,
            const std::vector<data::Base>& arena) {
    if (insertion.reference_length != 0 || snv.is_indel()) return false;
    const auto inserted = bases_of(insertion, arena);
    const data::Base base = arena[snv.alternate];
    if (snv.position == insertion.position - 1) return base == inserted.back();
    const int64_t shift_bp = rightward_shift_bp(slice, insertion, arena);
    if (snv.position != insertion.position + shift_bp) return false;
    const auto size = static_cast<int64_t>(inserted.size());
    return base ==
           (shift_bp < size ? inserted[static_cast<size_t>(shift_bp)] : slice.at(snv.position - size));
}

/// Alleles in order, without overlap, all within (begin, end).
bool is_sound(std::span<const Allele> alleles, int64_t begin, int64_t end) {
    for (size_t i = 0; i < alleles.size(); ++i) {
        if (alleles[i].record_position() <= begin || alleles[i].end() >= end) return false;
        if (i > 0 && exclude(alleles[i - 1], alleles[i])) return false;
    }
    return true;
}

}  // namespace

void RegionHaplotypes::clear() {
    alleles.clear();
    haplotypes.clear();
    longest_change = 0;
}

bool HaplotypeBuilder::fits(AlleleSet set) const {
    for (AlleleSet rest = set; rest != 0; rest &= rest - 1) {
        if ((conflicts_[static_cast<size_t>(std::countr_zero(rest))] & set) != 0) return false;
    }
    return true;
}

void HaplotypeBuilder::collect_alleles(const HaplotypeInput& input, const ActiveRegion& region,
                                       RegionHaplotypes& out) {
    const auto& arena = input.evidence.arena;
    sources_.clear();
    for (uint32_t i = region.first; i < region.last; ++i) {
        if (input.candidates[i].kind != CandidateKind::clip) sources_.push_back(input.candidates[i]);
    }
    for (const Allele& allele : input.assembled) {
        const bool known = std::any_of(sources_.begin(), sources_.end(), [&](const Candidate& c) {
            return compare_alleles(c.allele, allele, arena) == 0;
        });
        if (!known) {
            const CandidateKind kind = allele.is_indel() ? CandidateKind::indel : CandidateKind::snp;
            sources_.push_back({allele.position, allele.end(), kind, allele, k_assembled_support});
        }
    }
    if (sources_.size() > k_max_alleles) {
        std::sort(sources_.begin(), sources_.end(), [&](const Candidate& a, const Candidate& b) {
            return a.support != b.support ? a.support > b.support
                                          : compare_alleles(a.allele, b.allele, arena) < 0;
        });
        sources_.resize(k_max_alleles);
    }
    std::sort(sources_.begin(), sources_.end(), [&](const Candidate& a, const Candidate& b) {
        return compare_alleles(a.allele, b.allele, arena) < 0;
    });
    for (const Candidate& source : sources_) out.alleles.push_back(source.allele);
    conflicts_.assign(sources_.size(), 0);
    for (size_t i = 0; i < sources_.size(); ++i) {
        for (size_t j = 0; j < sources_.size(); ++j) {
            if (i != j && exclude(sources_[i].allele, sources_[j].allele)) conflicts_[i] |= bit(j);
        }
    }
}

void HaplotypeBuilder::read_alleles(const HaplotypeInput& input, const RegionHaplotypes& out) {
    has_repeat_indel_ = false;
    read_alleles_.assign(input.region_reads.size(), {});
    for (size_t a = 0; a < out.alleles.size(); ++a) {
        const Candidate& source = sources_[a];
        if (source.kind == CandidateKind::indel) {
            const int64_t shift_bp = rightward_shift_bp(input.slice, source.allele, input.evidence.arena);
            has_repeat_indel_ |= shift_bp >= std::abs(source.allele.size_change());
            for (size_t r = 0; r < input.region_reads.size(); ++r) {
                const CallRead& read = input.reads.reads[input.region_reads[r]];
                if (read.begin <= source.allele.record_position() &&
                    read.end > source.allele.end() + shift_bp)
                    read_alleles_[r].known |= bit(a);
            }
            for (uint32_t e = source.first_event; e < source.last_event; ++e) {
                const auto found = std::lower_bound(input.region_reads.begin(), input.region_reads.end(),
                                                    input.evidence.indels[e].read);
                if (found == input.region_reads.end() || *found != input.evidence.indels[e].read) continue;
                ReadAlleles& read = read_alleles_[static_cast<size_t>(found - input.region_reads.begin())];
                read.carried |= bit(a);
                read.known |= bit(a);
            }
            continue;
        }
        const data::Base base = input.evidence.arena[source.allele.alternate];
        for (size_t r = 0; r < input.region_reads.size(); ++r) {
            const CallRead& read = input.reads.reads[input.region_reads[r]];
            if (source.allele.position < read.begin || source.allele.position >= read.end) continue;
            const int64_t offset = read_offset_at(input.reads, read, source.allele.position);
            if (offset < 0) {
                read_alleles_[r].known |= bit(a);  // is deleted
                continue;
            }
            const size_t at = read.bases + static_cast<size_t>(offset);
            if (input.reads.qualities[at] < k_min_snp_quality) continue;
            read_alleles_[r].known |= bit(a);
            if (input.reads.bases[at] == base) read_alleles_[r].carried |= bit(a);
        }
    }
    leave_out_mimics(input, out);
}

/// A read without a gap that is known to have an insertion shows it as an SNV. Where two reads do, that SNV
/// is on no haplotype of the region with the insertion.
void HaplotypeBuilder::leave_out_mimics(const HaplotypeInput& input, const RegionHaplotypes& out) {
    for (size_t a = 0; a < out.alleles.size(); ++a) {
        AlleleSet mimicking = 0;
        for (size_t b = 0; b < out.alleles.size(); ++b) {
            if (mimics(input.slice, out.alleles[a], out.alleles[b], input.evidence.arena))
                mimicking |= bit(b);
        }
        const auto is_shown_ungapped = [&](size_t r) {
            return (read_alleles_[r].carried & bit(a)) != 0 && (read_alleles_[r].carried & mimicking) != 0 &&
                   !has_gap(input.reads.cigar(input.reads.reads[input.region_reads[r]]));
        };
        reads_.clear();
        for (size_t r = 0; mimicking != 0 && r < read_alleles_.size(); ++r) {
            if (is_shown_ungapped(r)) reads_.push_back(r);
        }
        if (reads_.size() < k_min_combination) continue;
        AlleleSet left_out = 0;
        for (const size_t r : reads_) {
            left_out |= read_alleles_[r].carried & mimicking;
            read_alleles_[r].carried &= ~mimicking;
        }
        conflicts_[a] |= left_out;
        for (; left_out != 0; left_out &= left_out - 1)
            conflicts_[static_cast<size_t>(std::countr_zero(left_out))] |= bit(a);
    }
}

void HaplotypeBuilder::count_combinations(const HaplotypeInput& input, const ActiveRegion& region) {
    combinations_.clear();
    partial_.clear();
    spanning_ = 0;
    const auto count = [&](std::vector<Combination>& combinations, AlleleSet set) {
        const auto known = std::find_if(combinations.begin(), combinations.end(),
                                        [&](const Combination& c) { return c.alleles == set; });
        if (known != combinations.end())
            ++known->count;
        else if (fits(set))
            combinations.push_back({set, 1});
    };
    for (size_t r = 0; r < read_alleles_.size(); ++r) {
        const CallRead& read = input.reads.reads[input.region_reads[r]];
        if (read_alleles_[r].carried != 0) count(partial_, read_alleles_[r].carried);
        if (read.begin > region.begin || read.end < region.end) continue;
        ++spanning_;
        count(combinations_, read_alleles_[r].carried);
    }
    const auto is_before = [](const Combination& a, const Combination& b) {
        return a.count != b.count ? a.count > b.count : a.alleles < b.alleles;
    };
    std::sort(combinations_.begin(), combinations_.end(), is_before);
    std::sort(partial_.begin(), partial_.end(), is_before);
}

/// An aligner shows an indel in a repeat in the reads that end well beyond it, and the reads that also have a
/// more distant allele may all end too near. So frequent combinations are also tried together.
void HaplotypeBuilder::join_distant(const RegionHaplotypes& out, std::vector<AlleleSet>& chosen) const {
    const auto first_position = [&](AlleleSet set) {
        return out.alleles[static_cast<size_t>(std::countr_zero(set))].position;
    };
    const auto last_position = [&](AlleleSet set) {
        return out.alleles[static_cast<size_t>(std::bit_width(set)) - 1].position;
    };
    const auto has_indel = [&](AlleleSet set) {
        for (; set != 0; set &= set - 1) {
            if (out.alleles[static_cast<size_t>(std::countr_zero(set))].is_indel()) return true;
        }
        return false;
    };
    // What lies between two combinations, no read shows beside both: the most frequent combination's alleles.
    const auto between = [&](AlleleSet a, AlleleSet b) {
        const int64_t begin = std::min(last_position(a), last_position(b));
        const int64_t end = std::max(first_position(a), first_position(b));
        AlleleSet inside = 0;
        for (size_t i = 0; i < out.alleles.size(); ++i) {
            if (out.alleles[i].position > begin && out.alleles[i].position < end) inside |= bit(i);
        }
        for (const Combination& combination : partial_) {
            if ((combination.alleles & inside) != 0) return combination.alleles & inside;
        }
        return AlleleSet{0};
    };
    const size_t count = std::min(partial_.size(), k_max_joined);
    for (size_t i = 1; i < count && partial_[i].count >= k_min_combination; ++i) {
        for (size_t k = 0; k < i; ++k) {
            const AlleleSet a = partial_[i].alleles, b = partial_[k].alleles;
            const bool is_apart = std::max(first_position(a) - last_position(b),
                                           first_position(b) - last_position(a)) >= k_min_joined_bp;
            if (!is_apart || !has_indel(a | b)) continue;
            for (const AlleleSet joined : {a | b, a | b | between(a, b)}) {
                if (chosen.size() >= k_max_with_joined) return;
                if (fits(joined) && std::find(chosen.begin(), chosen.end(), joined) == chosen.end())
                    chosen.push_back(joined);
            }
        }
    }
}

/// Whether some reads agree with the haplotype and with none of these.
bool HaplotypeBuilder::explains_more(AlleleSet haplotype, std::span<const AlleleSet> others) const {
    uint32_t reads = 0;
    for (const ReadAlleles& read : read_alleles_) {
        const auto agrees = [&read](AlleleSet set) { return ((set ^ read.carried) & read.known) == 0; };
        if (agrees(haplotype) && std::none_of(others.begin(), others.end(), agrees)) ++reads;
    }
    return reads >= k_min_combination;
}

void HaplotypeBuilder::choose(const RegionHaplotypes& out, std::vector<AlleleSet>& chosen) {
    const auto add = [&](AlleleSet set) {
        if (chosen.size() < k_max_haplotypes &&
            std::find(chosen.begin(), chosen.end(), set) == chosen.end()) {
            chosen.push_back(set);
        }
    };
    chosen.assign(1, 0);
    const size_t alleles = out.alleles.size();
    if (alleles <= k_max_product_alleles &&
        (spanning_ < k_min_spanning || alleles <= k_always_product_alleles)) {
        for (AlleleSet set = 1; set < bit(alleles); ++set) {
            if (fits(set)) add(set);
        }
    }
    for (const AlleleSet set : assembled_) add(set);
    AlleleSet covered = 0;
    for (const Combination& combination : combinations_) {
        if (combination.count < k_min_combination) break;
        add(combination.alleles);
    }
    const size_t first_linked = chosen.size();
    if (alleles > k_always_product_alleles && !has_repeat_indel_) {
        for (const AlleleSet set : linked_.find(read_alleles_, conflicts_, k_max_haplotypes)) {
            if (explains_more(set, chosen)) add(set);
        }
    }
    const size_t last_linked = chosen.size();
    if (spanning_ <
        std::max(k_min_spanning, static_cast<uint32_t>(read_alleles_.size()) / k_min_spanning_fraction)) {
        // Few reads span the region: partial combinations are joined.
        for (size_t i = 0; i < partial_.size() && partial_[i].count >= k_min_combination; ++i) {
            add(partial_[i].alleles);
            for (size_t k = 0; k < i; ++k) {
                const AlleleSet joined = partial_[i].alleles | partial_[k].alleles;
                if (fits(joined)) add(joined);
            }
        }
    }
    // Where no read knows two alleles, that they are linked is a guess: they are tried by themselves too.
    for (size_t i = 0; i < chosen.size(); ++i)
        if (i < first_linked || i >= last_linked) covered |= chosen[i];
    for (size_t a = 0; a < alleles; ++a) {  // the most frequent combination with each allele that is left
        if ((covered & bit(a)) != 0) continue;
        const auto most_frequent = std::find_if(partial_.begin(), partial_.end(), [&](const Combination& c) {
            return (c.alleles & bit(a)) != 0;
        });
        const AlleleSet best = most_frequent != partial_.end() ? most_frequent->alleles : bit(a);
        add(best);
        covered |= best;
    }
    join_distant(out, chosen);  // beside their parts, which may be on the two haplotypes of the sample
}

/// Aligners align one read at a time and with other scores. If a haplotype has several alleles, one of them
/// an indel, its alleles are taken from its own best alignment, so that callers and truth sets represent them
/// alike.
void HaplotypeBuilder::realign(const HaplotypeInput& input, ActiveRegion& region, RegionHaplotypes& out) {
    auto& arena = input.evidence.arena;
    lists_.clear();
    list_ends_.clear();
    bool is_changed = false;
    for (const AlleleSet set : out.haplotypes) {
        const size_t first = lists_.size();
        bool has_indel = false;
        for (size_t a = 0; a < out.alleles.size(); ++a)
            has_indel |= (set & bit(a)) != 0 && out.alleles[a].is_indel();
        if (has_indel && std::popcount(set) > 1) {
            const int64_t begin = region.begin - k_realign_flank_bp;
            const int64_t end = region.end + k_realign_flank_bp;
            write_haplotype(input.slice, begin, end, out.alleles, set, arena, bases_);
            aligner_.differences(input.slice, begin, end, bases_, arena, lists_);
            const bool is_inside = is_sound(std::span(lists_).subspan(first), begin, end);
            is_changed |= is_inside;
            if (!is_inside) lists_.resize(first);
        }
        if (lists_.size() == first) {
            for (size_t a = 0; a < out.alleles.size(); ++a) {
                if ((set & bit(a)) != 0) lists_.push_back(out.alleles[a]);
            }
        }
        list_ends_.push_back(static_cast<uint32_t>(lists_.size()));
    }
    if (!is_changed) return;
    const auto is_less = [&](const Allele& a, const Allele& b) { return compare_alleles(a, b, arena) < 0; };
    std::vector<Allele> alleles = lists_;
    std::sort(alleles.begin(), alleles.end(), is_less);
    const auto last = std::unique(alleles.begin(), alleles.end(), [&](const Allele& a, const Allele& b) {
        return compare_alleles(a, b, arena) == 0;
    });
    alleles.erase(last, alleles.end());
    if (alleles.size() > k_max_realigned_alleles) return;
    out.alleles = std::move(alleles);
    for (const Allele& allele : out.alleles) {
        region.begin = std::min(region.begin, allele.record_position());
        region.end = std::max(region.end, allele.end());
    }
    size_t at = 0;
    for (size_t h = 0; h < list_ends_.size(); ++h) {
        out.haplotypes[h] = 0;
        for (; at < list_ends_[h]; ++at) {
            const auto found = std::lower_bound(out.alleles.begin(), out.alleles.end(), lists_[at], is_less);
            out.haplotypes[h] |= bit(static_cast<size_t>(found - out.alleles.begin()));
        }
    }
}

void HaplotypeBuilder::build(const HaplotypeInput& input, ActiveRegion& region, RegionHaplotypes& out) {
    out.clear();
    collect_alleles(input, region, out);
    read_alleles(input, out);
    count_combinations(input, region);
    assembled_.clear();
    size_t at = 0;
    for (const uint32_t size : input.assembled_sizes) {
        AlleleSet set = 0;
        for (size_t i = 0; i < size; ++i, ++at) {
            for (size_t a = 0; a < out.alleles.size(); ++a) {
                if (compare_alleles(out.alleles[a], input.assembled[at], input.evidence.arena) == 0)
                    set |= bit(a);
            }
        }
        if (fits(set)) assembled_.push_back(set);
    }
    choose(out, out.haplotypes);
    realign(input, region, out);
    for (const AlleleSet set : out.haplotypes) {
        int32_t change = 0;
        for (size_t a = 0; a < out.alleles.size(); ++a) {
            if ((set & bit(a)) != 0) change += std::abs(out.alleles[a].size_change());
        }
        out.longest_change = std::max(out.longest_change, change);
    }
}

void write_haplotype(const ReferenceSlice& slice, int64_t begin, int64_t end, std::span<const Allele> alleles,
                     AlleleSet carried, const std::vector<data::Base>& arena, std::vector<data::Base>& out) {
    out.clear();
    int64_t at = begin;
    for (size_t a = 0; a < alleles.size(); ++a) {
        if ((carried & bit(a)) == 0) continue;
        const auto before = slice.span(at, alleles[a].position);
        out.insert(out.end(), before.begin(), before.end());
        const auto alternate = bases_of(alleles[a], arena);
        out.insert(out.end(), alternate.begin(), alternate.end());
        at = alleles[a].end();
    }
    const auto rest = slice.span(at, end);
    out.insert(out.end(), rest.begin(), rest.end());
}

}  // namespace gannet::variants
