// SPDX-License-Identifier: MIT
// Provides the variant caller: the steps over each window of a batch, before and after the pair-HMM.
#include "variants/caller.hpp"

#include "variants/filters.hpp"
#include "variants/window_caller.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gannet::variants {

namespace {

constexpr int64_t k_slice_margin_bp = 1024;  // beyond the padding: repeats and haplotypes may reach out of it
constexpr int64_t k_read_reach_bp = 5;       // reads that end this near a region are its reads too
constexpr int32_t k_least_written_centi = 300;

/// The steps of begin() and finish() for one batch.
class BatchCaller {
  public:
    BatchCaller(const data::Reference& reference, const CallerParameters& parameters,
                const data::RegionSet& targets, CallWork& work)
        : reference_(reference),
          parameters_(parameters),
          targets_(targets),
          work_(work),
          state_(*work.state) {}

    void begin_window(const WindowReads& window);
    void finish(std::vector<data::Variant>& out);

  private:
    bool is_mine(const data::Region& window, int64_t position) const {
        return position >= window.begin && position < window.end &&
               (targets_.empty() || targets_.contains(window.contig, position));
    }
    void collect_reads(int64_t begin, int64_t end);
    void assemble(ActiveRegion& region);
    bool is_of_another_region(const ActiveRegion& region, const Allele& allele) const;
    void call_simple(const data::Region& window, const ActiveRegion& region);
    void enqueue(uint32_t window, ActiveRegion region);
    void judge(const RegionTask& task, std::vector<data::Variant>& out);
    void write_alleles(const RegionSite& site, std::span<const Allele> alleles, data::Variant& variant) const;

    const data::Reference& reference_;
    const CallerParameters& parameters_;
    const data::RegionSet& targets_;
    CallWork& work_;
    CallWork::State& state_;
};

void BatchCaller::begin_window(const WindowReads& reads) {
    CallWork::State& s = state_;
    const data::Region& window = reads.window;
    const auto index = static_cast<uint32_t>(s.windows.size());
    s.windows.push_back(window);
    const int64_t begin = window.begin - k_window_padding_bp;
    const int64_t end = window.end + k_window_padding_bp;
    s.slice.load(reference_, window.contig, begin - k_slice_margin_bp, end + k_slice_margin_bp);
    load_reads(reads.records, parameters_.minimum_mapping_quality, s.reads, s.slots);
    gather_evidence(s.reads, s.slice, begin, end, parameters_.minimum_base_quality, s.evidence);
    find_candidates(s.reads, s.slice, s.evidence, s.candidates);
    find_active_regions(s.candidates, s.regions);
    s.extra_copy.load(s.evidence, s.candidates);
    for (const ActiveRegion& region : s.regions) {
        const int64_t reach =
            region.needs_assembly ? k_assembly_flank_bp + k_longest_shift_bp : k_realign_flank_bp;
        if (region.end + reach <= window.begin || region.begin - reach >= window.end) continue;
        if (!targets_.empty() && !targets_.overlaps(window.contig, region.begin - reach, region.end + reach))
            continue;
        if (region.is_simple)
            call_simple(window, region);
        else
            enqueue(index, region);
    }
}

void BatchCaller::call_simple(const data::Region& window, const ActiveRegion& region) {
    CallWork::State& s = state_;
    for (uint32_t i = region.first; i < region.last;) {
        const int64_t position = s.candidates[i].begin;
        std::array<data::Base, 5> bases{s.slice.at(position)};
        size_t count = 1;
        for (; i < region.last && s.candidates[i].begin == position; ++i) {
            bases[count++] = s.evidence.arena[s.candidates[i].allele.alternate];
        }
        if (!is_mine(window, position)) continue;
        pile_up(s.reads, position, std::span(bases).first(count), parameters_.minimum_base_quality, s.site);
        data::Variant variant;
        if (!call_site(s.site, k_least_written_centi, variant, s.called_alleles)) continue;
        variant.contig = window.contig;
        variant.position = position;
        for (const size_t allele : s.called_alleles) {
            variant.alleles.emplace_back(1, data::k_letter_of_base[bases[allele]]);
        }
        variant.filters = s.extra_copy.at(position);
        apply_filters(parameters_, variant);
        s.called.push_back(std::move(variant));
    }
}

/// Reads over [begin, end); beyond the maximum depth those with the smallest hash of their names stay, mates
/// together.
void BatchCaller::collect_reads(int64_t begin, int64_t end) {
    CallWork::State& s = state_;
    auto& chosen = s.region_reads;
    chosen.clear();
    for (size_t i = s.reads.first_over(begin); i < s.reads.reads.size() && s.reads.reads[i].begin < end;
         ++i) {
        if (s.reads.reads[i].end > begin) chosen.push_back(static_cast<uint32_t>(i));
    }
    const auto most = static_cast<size_t>(parameters_.maximum_depth);
    if (chosen.size() <= most) return;
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most), chosen.end(),
                     [&](uint32_t a, uint32_t b) {
                         const uint64_t left = s.reads.reads[a].name_hash;
                         const uint64_t right = s.reads.reads[b].name_hash;
                         return left != right ? left < right : a < b;
                     });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
}

bool BatchCaller::is_of_another_region(const ActiveRegion& region, const Allele& allele) const {
    const int64_t position = allele.record_position();
    return std::any_of(state_.regions.begin(), state_.regions.end(), [&](const ActiveRegion& other) {
        return other.first != region.first && other.begin <= position && position < other.end;
    });
}

/// Alleles of assembled haplotypes; the region grows over them.
void BatchCaller::assemble(ActiveRegion& region) {
    CallWork::State& s = state_;
    const int64_t begin = region.begin - k_assembly_flank_bp;
    const int64_t end = region.end + k_assembly_flank_bp;
    collect_reads(begin, end);
    if (!s.assembler.assemble(s.reads, s.region_reads, s.slice.span(begin, end), s.assembled_bases,
                              s.assembled_offsets))
        return;
    int64_t grown_begin = region.begin;
    int64_t grown_end = region.end;
    for (size_t h = 0; h + 1 < s.assembled_offsets.size(); ++h) {
        const size_t first = s.assembled.size();
        const std::span<const data::Base> bases{s.assembled_bases.data() + s.assembled_offsets[h],
                                                s.assembled_offsets[h + 1] - s.assembled_offsets[h]};
        s.aligner.differences(s.slice, begin, end, bases, s.evidence.arena, s.assembled);
        const auto foreign =
            std::remove_if(s.assembled.begin() + static_cast<std::ptrdiff_t>(first), s.assembled.end(),
                           [&](const Allele& allele) { return is_of_another_region(region, allele); });
        s.assembled.erase(foreign, s.assembled.end());
        if (s.assembled.size() == first) continue;
        s.assembled_sizes.push_back(static_cast<uint32_t>(s.assembled.size() - first));
        for (size_t i = first; i < s.assembled.size(); ++i) {
            const Allele& allele = s.assembled[i];
            const int64_t room = allele.is_indel() ? rightward_room(s.slice, allele, s.evidence.arena) : 0;
            grown_begin = std::min(grown_begin, allele.record_position());
            grown_end = std::max(grown_end, allele.end() + room + 1);
        }
    }
    region.begin = grown_begin;
    region.end = grown_end;
}

void BatchCaller::enqueue(uint32_t window, ActiveRegion region) {
    CallWork::State& s = state_;
    s.assembled.clear();
    s.assembled_sizes.clear();
    const int64_t filter_position = region.begin;
    if (region.needs_assembly) assemble(region);
    collect_reads(region.begin - k_read_reach_bp, region.end + k_read_reach_bp);
    s.builder.build(
        {s.reads, s.slice, s.evidence, s.candidates, s.region_reads, s.assembled, s.assembled_sizes}, region,
        s.region_haplotypes);
    RegionTask task;
    task.window = window;
    task.filters = s.extra_copy.at(filter_position);
    task.first_row = static_cast<uint32_t>(s.rows.size());
    task.first_pair = work_.jobs.pairs();
    add_jobs(s.reads, s.slice, s.evidence.arena, region, s.region_reads, s.region_haplotypes, work_.jobs,
             s.rows, s.jobs);
    task.rows = static_cast<uint32_t>(s.rows.size()) - task.first_row;
    if (task.rows == 0) return;
    task.first_allele = static_cast<uint32_t>(s.alleles.size());
    task.alleles = static_cast<uint32_t>(s.region_haplotypes.alleles.size());
    for (Allele allele : s.region_haplotypes.alleles) {
        s.priors.push_back(allele_prior(s.slice, allele, s.evidence.arena));
        const auto bases = bases_of(allele, s.evidence.arena);
        allele.alternate = static_cast<uint32_t>(s.arena.size());
        s.arena.insert(s.arena.end(), bases.begin(), bases.end());
        s.alleles.push_back(allele);
    }
    task.first_haplotype = static_cast<uint32_t>(s.haplotypes.size());
    task.haplotypes = static_cast<uint32_t>(s.region_haplotypes.haplotypes.size());
    s.haplotypes.insert(s.haplotypes.end(), s.region_haplotypes.haplotypes.begin(),
                        s.region_haplotypes.haplotypes.end());
    s.tasks.push_back(task);
}

/// REF spans the longest deletion of the site; alternates are filled up with what follows theirs.
void BatchCaller::write_alleles(const RegionSite& site, std::span<const Allele> alleles,
                                data::Variant& variant) const {
    const Allele& first = alleles[site.alleles.front()];
    variant.position = first.record_position();
    int64_t end = first.end();
    for (const size_t index : state_.called_alleles) {
        if (index > 0) end = std::max(end, alleles[site.alleles[index - 1]].end());
    }
    const auto begin = static_cast<uint64_t>(variant.position);
    std::string reference = reference_.letters(variant.contig, begin, static_cast<uint64_t>(end));
    for (char& letter : reference) {
        if (data::k_base_of_letter[static_cast<uint8_t>(letter)] > 3) letter = 'N';  // VCF has no other codes
    }
    int64_t shortest = end;  // REF ends with the longest deletion that was called
    variant.alleles.assign(1, reference);
    for (const size_t index : state_.called_alleles) {
        if (index == 0) continue;
        const Allele& allele = alleles[site.alleles[index - 1]];
        shortest = std::min(shortest, end - allele.end());
        std::string text = allele.is_indel() ? reference.substr(0, 1) : std::string();
        for (const data::Base base : bases_of(allele, state_.arena)) text += data::k_letter_of_base[base];
        text += reference.substr(static_cast<size_t>(allele.end() - variant.position));
        variant.alleles.push_back(std::move(text));
    }
    for (std::string& allele : variant.alleles) allele.resize(allele.size() - static_cast<size_t>(shortest));
}

void BatchCaller::judge(const RegionTask& task, std::vector<data::Variant>& out) {
    CallWork::State& s = state_;
    RegionCase region;
    region.alleles = std::span(s.alleles).subspan(task.first_allele, task.alleles);
    region.priors = std::span(s.priors).subspan(task.first_allele, task.alleles);
    region.haplotypes = std::span(s.haplotypes).subspan(task.first_haplotype, task.haplotypes);
    region.rows = std::span(s.rows).subspan(task.first_row, task.rows);
    region.likelihoods =
        std::span(work_.likelihoods).subspan(task.first_pair, size_t{task.rows} * task.haplotypes);
    s.genotyper.load(region);
    const data::Region& window = s.windows[task.window];
    for (const RegionSite& site : s.genotyper.sites()) {
        if (!is_mine(window, region.alleles[site.alleles.front()].record_position())) continue;
        s.genotyper.evidence_of(site, s.site);
        data::Variant variant;
        if (!call_site(s.site, k_least_written_centi, variant, s.called_alleles)) continue;
        variant.contig = window.contig;
        write_alleles(site, region.alleles, variant);
        variant.filters = task.filters;
        apply_filters(parameters_, variant);
        out.push_back(std::move(variant));
    }
}

void BatchCaller::finish(std::vector<data::Variant>& out) {
    CallWork::State& s = state_;
    const size_t first = out.size();
    for (data::Variant& variant : s.called) out.push_back(std::move(variant));
    for (const RegionTask& task : s.tasks) judge(task, out);
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
              [](const data::Variant& a, const data::Variant& b) {
                  if (a.contig != b.contig) return a.contig < b.contig;
                  if (a.position != b.position) return a.position < b.position;
                  return a.alleles < b.alleles;
              });
}

}  // namespace

CallWork::CallWork() : state(std::make_unique<State>()) {}
CallWork::~CallWork() = default;
CallWork::CallWork(CallWork&&) noexcept = default;
CallWork& CallWork::operator=(CallWork&&) noexcept = default;

Caller::Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
               data::RegionSet targets)
    : reference_(std::move(reference)), parameters_(parameters), targets_(std::move(targets)) {}
Caller::~Caller() = default;

void Caller::begin(std::vector<WindowReads> windows, CallWork& work) const {
    CallWork::State& s = *work.state;
    work.jobs.clear();
    work.likelihoods.clear();
    s.windows.clear();
    s.tasks.clear();
    s.alleles.clear();
    s.priors.clear();
    s.arena.clear();
    s.haplotypes.clear();
    s.rows.clear();
    s.called.clear();
    BatchCaller batch(*reference_, parameters_, targets_, work);
    for (const WindowReads& window : windows) batch.begin_window(window);
}

void Caller::finish(CallWork& work, std::vector<data::Variant>& out) const {
    BatchCaller(*reference_, parameters_, targets_, work).finish(out);
}

}  // namespace gannet::variants
