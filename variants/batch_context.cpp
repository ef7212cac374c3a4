// SPDX-License-Identifier: MIT
// Provides the regions of a batch and the alleles of its records.
#include "variants/batch_context.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gannet::variants {

namespace {

constexpr const char* k_spanning_deletion = "*";

}  // namespace

RegionCase BatchContext::region_of(const RegionTask& task) const {
    const CallWork::State& s = state();
    RegionCase region;
    region.alleles = std::span(s.alleles).subspan(task.first_allele, task.alleles);
    region.priors = std::span(s.priors).subspan(task.first_allele, task.alleles);
    region.haplotypes = std::span(s.haplotypes).subspan(task.first_haplotype, task.haplotypes);
    region.rows = std::span(s.rows).subspan(task.first_row, task.rows);
    region.likelihoods =
        std::span(work.likelihoods).subspan(task.first_pair, size_t{task.rows} * task.haplotypes);
    region.allele_ends = std::span(s.allele_ends).subspan(task.first_allele, task.alleles);
    region.contamination = sample.contamination;
    const uint32_t haplotype = work.jobs.pair_haplotype[task.first_pair];
    region.haplotype_bp = work.jobs.haplotype_offset[haplotype + 1] - work.jobs.haplotype_offset[haplotype];
    region.region_bp = task.end - task.begin;
    return region;
}

void BatchContext::note_record(uint32_t window, const data::Variant& variant) const {
    if (!blocks.enabled) return;
    const auto length = static_cast<int64_t>(variant.alleles.front().size());
    state().blocks[window].covered.push_back({variant.position, variant.position + length});
}

void BatchContext::note_doubt(uint32_t window, int64_t position, const SiteEvidence& evidence) const {
    const data::Region& region = state().grid_windows[window];
    if (!blocks.enabled || position < region.begin || position >= region.end) return;
    state().blocks[window].doubts.push_back({position, evidence.reference_likelihoods()});
}

void BatchContext::load_site_alleles(const RegionCase& region, const RegionSite& site) const {
    CallWork::State& s = state();
    s.site_alleles.clear();
    for (const uint32_t index : site.alleles) s.site_alleles.push_back(region.alleles[index]);
}

void BatchContext::write_alleles(std::span<const Allele> alleles, data::Variant& variant) const {
    const CallWork::State& s = state();
    const Allele& first = alleles.front();
    variant.position = first.record_position();
    int64_t end = first.end();
    for (const size_t index : s.called_alleles) {
        if (index > 0 && index <= alleles.size()) end = std::max(end, alleles[index - 1].end());
    }
    const auto begin = static_cast<uint64_t>(variant.position);
    std::string text = reference.letters(variant.contig, begin, static_cast<uint64_t>(end));
    for (char& letter : text) {
        if (data::k_base_of_letter[static_cast<uint8_t>(letter)] > 3) letter = 'N';  // VCF has no other codes
    }
    int64_t excess = end;  // REF ends with the longest deletion that was called
    variant.alleles.assign(1, text);
    for (const size_t index : s.called_alleles) {
        if (index == 0) continue;
        if (index > alleles.size()) {
            variant.alleles.emplace_back(k_spanning_deletion);
            continue;
        }
        const Allele& allele = alleles[index - 1];
        excess = std::min(excess, end - allele.end());
        std::string alternate = allele.is_indel() ? text.substr(0, 1) : std::string();
        for (const data::Base base : bases_of(allele, s.arena)) alternate += data::k_letter_of_base[base];
        alternate += text.substr(static_cast<size_t>(allele.end() - variant.position));
        variant.alleles.push_back(std::move(alternate));
    }
    for (std::string& allele : variant.alleles) {
        if (allele != k_spanning_deletion) allele.resize(allele.size() - static_cast<size_t>(excess));
    }
}

SiteStatistics BatchContext::statistics_of(const data::Variant& variant) const {
    SiteStatistics site = variants::statistics_of(variant);
    if (site.is_snp) {
        const auto letter = static_cast<uint8_t>(variant.alleles[1].front());
        weigh_systematic_error(variant.contig, variant.position, data::k_base_of_letter[letter], site);
    }
    return site;
}

void BatchContext::weigh_systematic_error(uint32_t contig, int64_t position, data::Base alternate,
                                          SiteStatistics& site) const {
    const auto last = static_cast<int64_t>(reference.contigs()[contig].length) - 1;
    if (sample.errors.none() || position == 0 || position == last) return;
    std::array<data::Base, 3> around{};
    reference.bases(contig, position - 1, around);
    const auto& strands = site.strand_counts;
    site.systematic_error_odds =
        systematic_error_odds(sample.errors, {{strands[0], strands[1]}, {strands[2], strands[3]}},
                              {around[0] == alternate, around[2] == alternate});
}

void BatchContext::add_call(data::Variant&& variant, uint32_t window, const SiteEvidence& evidence) const {
    CallWork::State& s = state();
    note_record(window, variant);
    Call call;
    call.window = window;
    call.is_written = is_in_targets(s.grid_windows[window], variant.position);
    call.first_seen = static_cast<uint32_t>(s.seen.size());
    const auto [first, second] = variant.genotype;
    if (variant.ploidy == 2 && first != second) {
        for (size_t i = 0; i < call.alleles.size(); ++i)
            call.alleles[i] =
                static_cast<uint8_t>(s.called_alleles[static_cast<size_t>(variant.genotype[i])]);
        // What is likely no variant, or not of this place, is no evidence for the phase of others.
        if (variant.filters == 0) s.seen.insert(s.seen.end(), evidence.seen.begin(), evidence.seen.end());
    }
    call.seen = static_cast<uint32_t>(s.seen.size()) - call.first_seen;
    call.variant = std::move(variant);
    s.calls.push_back(std::move(call));
}

/// Phases the heterozygous variants of one window, sorted by position.
void BatchContext::phase(std::span<Call> calls) const {
    CallWork::State& s = state();
    s.phase_sites.clear();
    s.phased_calls.clear();
    for (size_t i = 0; i < calls.size(); ++i) {
        const Call& call = calls[i];
        if (call.variant.ploidy != 2 || call.variant.genotype[0] == call.variant.genotype[1]) continue;
        s.phase_sites.push_back(
            {call.variant.position, call.alleles, std::span(s.seen).subspan(call.first_seen, call.seen)});
        s.phased_calls.push_back(i);
    }
    s.phaser.run(s.phase_sites, s.phases);
    for (size_t i = 0; i < s.phases.size(); ++i) {
        data::Variant& variant = calls[s.phased_calls[i]].variant;
        variant.phase_set = s.phases[i].set;
        if (s.phases[i].is_swapped) std::swap(variant.genotype[0], variant.genotype[1]);
    }
}

void BatchContext::finish_calls(std::vector<data::Variant>& out) const {
    std::vector<Call>& calls = state().calls;
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
        const data::Variant& left = a.variant;
        const data::Variant& right = b.variant;
        if (left.contig != right.contig) return left.contig < right.contig;
        if (left.position != right.position) return left.position < right.position;
        if (left.alleles != right.alleles) return left.alleles < right.alleles;
        return left.quality_centi > right.quality_centi;
    });
    // Two regions may both find an allele that is between them, by assembly: the record of higher quality
    // stays.
    const auto last_call = std::unique(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
        return a.variant.contig == b.variant.contig && a.variant.position == b.variant.position &&
               a.variant.alleles == b.variant.alleles;
    });
    calls.erase(last_call, calls.end());
    for (size_t first = 0, last = 0; first < calls.size(); first = last) {
        while (last < calls.size() && calls[last].window == calls[first].window) ++last;
        phase(std::span(calls).subspan(first, last - first));
    }
    for (Call& call : calls) {
        if (call.is_written) out.push_back(std::move(call.variant));
    }
}

}  // namespace gannet::variants
