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
constexpr int32_t k_few_fragments = 10;  // fewer: the network says whether there is a copy, not how many
// Log10 odds for an allele that the caller calls and does not filter, against one that it doubts: false
// candidates are rarer in genomes than in what networks are trained on.
constexpr int32_t k_callers_word = ml::k_base_scale;

/// The steps of begin() and finish() for one batch.
class BatchCaller {
  public:
    BatchCaller(const data::Reference& reference, const CallerParameters& parameters,
                const ScoringParameters& scoring, const data::RegionSet& targets, CallWork& work)
        : reference_(reference),
          parameters_(parameters),
          scoring_(scoring),
          targets_(targets),
          work_(work),
          state_(*work.state) {}

    void begin_window(const WindowReads& window);
    void finish(std::vector<data::Variant>& out);
    void encode();
    void finish_scored(std::vector<data::Variant>& out);

  private:
    bool is_mine(const data::Region& window, int64_t position) const {
        return position >= window.begin && position < window.end &&
               (targets_.empty() || targets_.contains(window.contig, position));
    }
    void collect_reads(int64_t begin, int64_t end);
    void assemble(ActiveRegion& region);
    bool is_of_another_region(const ActiveRegion& region, const Allele& allele) const;
    void call_simple(const ActiveRegion& region);
    void enqueue(uint32_t window, ActiveRegion region);
    RegionCase case_of(const RegionTask& task) const;
    void judge(const RegionTask& task, std::vector<data::Variant>& out);
    void propose(const RegionTask& task);
    void propose(WindowState& window, std::span<const Allele> alleles, uint32_t filters,
                 std::span<const uint32_t> bits, SiteLikelihoods* region);
    bool is_doubted(size_t example) const;
    bool score(const ScoredSite& site, data::Variant& variant);
    void write_alleles(std::span<const Allele> alleles, data::Variant& variant) const;

    const data::Reference& reference_;
    const CallerParameters& parameters_;
    const ScoringParameters& scoring_;
    const data::RegionSet& targets_;
    CallWork& work_;
    CallWork::State& state_;
    WindowState* window_ = nullptr;  // the one that begins
};

void BatchCaller::begin_window(const WindowReads& reads) {
    CallWork::State& s = state_;
    const data::Region& window = reads.window;
    const auto index = static_cast<uint32_t>(s.places.size());
    s.places.push_back(window);
    // Examples need the reads until the likelihoods are there.
    if (scoring_.enabled || s.window_count == 0) ++s.window_count;
    if (s.windows.size() < s.window_count) s.windows.push_back(std::make_unique<WindowState>());
    WindowState& w = *s.windows[s.window_count - 1];
    window_ = &w;
    w.window = window;
    const int64_t begin = window.begin - k_window_padding_bp;
    const int64_t end = window.end + k_window_padding_bp;
    w.slice.load(reference_, window.contig, begin - k_slice_margin_bp, end + k_slice_margin_bp);
    load_reads(reads.records, parameters_.minimum_mapping_quality, w.reads, s.slots);
    gather_evidence(w.reads, w.slice, begin, end, parameters_.minimum_base_quality, w.evidence);
    find_candidates(w.reads, w.slice, w.evidence, w.candidates);
    find_active_regions(w.candidates, w.regions);
    w.extra_copy.load(w.evidence, w.candidates);
    if (scoring_.enabled) {
        w.profiles.clear(w.reads.reads.size());
        count_unused_depth(reads.records, parameters_.minimum_mapping_quality, begin, end, w.unused_depth);
    }
    for (const ActiveRegion& region : w.regions) {
        const int64_t reach =
            region.needs_assembly ? k_assembly_flank_bp + k_longest_shift_bp : k_realign_flank_bp;
        if (region.end + reach <= window.begin || region.begin - reach >= window.end) continue;
        if (!targets_.empty() && !targets_.overlaps(window.contig, region.begin - reach, region.end + reach))
            continue;
        if (region.is_simple)
            call_simple(region);
        else
            enqueue(index, region);
    }
}

void BatchCaller::call_simple(const ActiveRegion& region) {
    CallWork::State& s = state_;
    WindowState& w = *window_;
    for (uint32_t i = region.first; i < region.last;) {
        const int64_t position = w.candidates[i].begin;
        std::array<data::Base, 5> bases{w.slice.at(position)};
        size_t count = 1;
        for (; i < region.last && w.candidates[i].begin == position; ++i) {
            bases[count++] = w.evidence.arena[w.candidates[i].allele.alternate];
        }
        if (!is_mine(w.window, position)) continue;
        pile_up(w.reads, position, std::span(bases).first(count), parameters_.minimum_base_quality, s.site);
        if (scoring_.enabled) {
            s.site_alleles.clear();
            for (size_t a = 1; a < count; ++a) {
                s.site_alleles.push_back({position, 1, static_cast<uint32_t>(s.arena.size()), 1});
                s.arena.push_back(bases[a]);
            }
            propose(w, s.site_alleles, w.extra_copy.at(position), {}, nullptr);
            continue;
        }
        data::Variant variant;
        if (!call_site(s.site, k_least_written_centi, variant, s.called_alleles)) continue;
        variant.contig = w.window.contig;
        variant.position = position;
        for (const size_t allele : s.called_alleles) {
            variant.alleles.emplace_back(1, data::k_letter_of_base[bases[allele]]);
        }
        variant.filters = w.extra_copy.at(position);
        apply_filters(parameters_, variant);
        s.called.push_back(std::move(variant));
    }
}

/// Reads over [begin, end); beyond the maximum depth those with the smallest hash of their names stay, mates
/// together.
void BatchCaller::collect_reads(int64_t begin, int64_t end) {
    CallWork::State& s = state_;
    WindowState& w = *window_;
    auto& chosen = s.region_reads;
    chosen.clear();
    for (size_t i = w.reads.first_over(begin); i < w.reads.reads.size() && w.reads.reads[i].begin < end;
         ++i) {
        if (w.reads.reads[i].end > begin) chosen.push_back(static_cast<uint32_t>(i));
    }
    const auto most = static_cast<size_t>(parameters_.maximum_depth);
    if (chosen.size() <= most) return;
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most), chosen.end(),
                     [&](uint32_t a, uint32_t b) {
                         const uint64_t left = w.reads.reads[a].name_hash;
                         const uint64_t right = w.reads.reads[b].name_hash;
                         return left != right ? left < right : a < b;
                     });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
}

bool BatchCaller::is_of_another_region(const ActiveRegion& region, const Allele& allele) const {
    const int64_t position = allele.record_position();
    return std::any_of(window_->regions.begin(), window_->regions.end(), [&](const ActiveRegion& other) {
        return other.first != region.first && other.begin <= position && position < other.end;
    });
}

/// Alleles of assembled haplotypes; the region grows over them.
void BatchCaller::assemble(ActiveRegion& region) {
    CallWork::State& s = state_;
    WindowState& w = *window_;
    const int64_t begin = region.begin - k_assembly_flank_bp;
    const int64_t end = region.end + k_assembly_flank_bp;
    collect_reads(begin, end);
    if (!s.assembler.assemble(w.reads, s.region_reads, w.slice.span(begin, end), s.assembled_bases,
                              s.assembled_offsets))
        return;
    int64_t grown_begin = region.begin;
    int64_t grown_end = region.end;
    for (size_t h = 0; h + 1 < s.assembled_offsets.size(); ++h) {
        const size_t first = s.assembled.size();
        const std::span<const data::Base> bases{s.assembled_bases.data() + s.assembled_offsets[h],
                                                s.assembled_offsets[h + 1] - s.assembled_offsets[h]};
        s.aligner.differences(w.slice, begin, end, bases, w.evidence.arena, s.assembled);
        const auto foreign =
            std::remove_if(s.assembled.begin() + static_cast<std::ptrdiff_t>(first), s.assembled.end(),
                           [&](const Allele& allele) { return is_of_another_region(region, allele); });
        s.assembled.erase(foreign, s.assembled.end());
        if (s.assembled.size() == first) continue;
        s.assembled_sizes.push_back(static_cast<uint32_t>(s.assembled.size() - first));
        for (size_t i = first; i < s.assembled.size(); ++i) {
            const Allele& allele = s.assembled[i];
            const int64_t room = allele.is_indel() ? rightward_room(w.slice, allele, w.evidence.arena) : 0;
            grown_begin = std::min(grown_begin, allele.record_position());
            grown_end = std::max(grown_end, allele.end() + room + 1);
        }
    }
    region.begin = grown_begin;
    region.end = grown_end;
}

void BatchCaller::enqueue(uint32_t window, ActiveRegion region) {
    CallWork::State& s = state_;
    WindowState& w = *window_;
    s.assembled.clear();
    s.assembled_sizes.clear();
    const int64_t filter_position = region.begin;
    if (region.needs_assembly) assemble(region);
    collect_reads(region.begin - k_read_reach_bp, region.end + k_read_reach_bp);
    s.builder.build(
        {w.reads, w.slice, w.evidence, w.candidates, s.region_reads, s.assembled, s.assembled_sizes}, region,
        s.region_haplotypes);
    RegionTask task;
    task.window = window;
    task.begin = region.begin;
    task.end = region.end;
    task.filters = w.extra_copy.at(filter_position);
    task.first_row = static_cast<uint32_t>(s.rows.size());
    task.first_pair = work_.jobs.pairs();
    add_jobs(w.reads, w.slice, w.evidence.arena, region, s.region_reads, s.region_haplotypes, work_.jobs,
             s.rows, s.jobs);
    task.rows = static_cast<uint32_t>(s.rows.size()) - task.first_row;
    if (task.rows == 0) return;
    task.first_allele = static_cast<uint32_t>(s.alleles.size());
    task.alleles = static_cast<uint32_t>(s.region_haplotypes.alleles.size());
    for (Allele allele : s.region_haplotypes.alleles) {
        s.priors.push_back(allele_prior(w.slice, allele, w.evidence.arena));
        const auto bases = bases_of(allele, w.evidence.arena);
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
void BatchCaller::write_alleles(std::span<const Allele> alleles, data::Variant& variant) const {
    const Allele& first = alleles.front();
    variant.position = first.record_position();
    int64_t end = first.end();
    for (const size_t index : state_.called_alleles) {
        if (index > 0) end = std::max(end, alleles[index - 1].end());
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
        const Allele& allele = alleles[index - 1];
        shortest = std::min(shortest, end - allele.end());
        std::string text = allele.is_indel() ? reference.substr(0, 1) : std::string();
        for (const data::Base base : bases_of(allele, state_.arena)) text += data::k_letter_of_base[base];
        text += reference.substr(static_cast<size_t>(allele.end() - variant.position));
        variant.alleles.push_back(std::move(text));
    }
    for (std::string& allele : variant.alleles) allele.resize(allele.size() - static_cast<size_t>(shortest));
}

RegionCase BatchCaller::case_of(const RegionTask& task) const {
    const CallWork::State& s = state_;
    RegionCase region;
    region.alleles = std::span(s.alleles).subspan(task.first_allele, task.alleles);
    region.priors = std::span(s.priors).subspan(task.first_allele, task.alleles);
    region.haplotypes = std::span(s.haplotypes).subspan(task.first_haplotype, task.haplotypes);
    region.rows = std::span(s.rows).subspan(task.first_row, task.rows);
    region.likelihoods =
        std::span(work_.likelihoods).subspan(task.first_pair, size_t{task.rows} * task.haplotypes);
    return region;
}

void BatchCaller::judge(const RegionTask& task, std::vector<data::Variant>& out) {
    CallWork::State& s = state_;
    const RegionCase region = case_of(task);
    s.genotyper.load(region);
    const data::Region& window = s.places[task.window];
    for (const RegionSite& site : s.genotyper.sites()) {
        if (!is_mine(window, region.alleles[site.alleles.front()].record_position())) continue;
        s.genotyper.evidence_of(site, s.site);
        data::Variant variant;
        if (!call_site(s.site, k_least_written_centi, variant, s.called_alleles)) continue;
        variant.contig = window.contig;
        s.site_alleles.clear();
        for (const uint32_t index : site.alleles) s.site_alleles.push_back(region.alleles[index]);
        write_alleles(s.site_alleles, variant);
        variant.filters = task.filters;
        apply_filters(parameters_, variant);
        out.push_back(std::move(variant));
    }
}

/// Sites of a region that are mine become candidates.
void BatchCaller::propose(const RegionTask& task) {
    CallWork::State& s = state_;
    const RegionCase region = case_of(task);
    s.genotyper.load(region);
    WindowState& window = *s.windows[task.window];
    for (const RegionSite& site : s.genotyper.sites()) {
        if (!is_mine(window.window, region.alleles[site.alleles.front()].record_position())) continue;
        s.genotyper.evidence_of(site, s.site);
        s.site_alleles.clear();
        for (const uint32_t index : site.alleles) s.site_alleles.push_back(region.alleles[index]);
        SiteLikelihoods likelihoods{region.rows,  region.likelihoods, region.haplotypes, 0,
                                    task.alleles, task.begin,         task.end};
        propose(window, s.site_alleles, task.filters, site.alleles, &likelihoods);
    }
}

/// Examples of those alleles of state_.site that the reads may carry.
void BatchCaller::propose(WindowState& window, std::span<const Allele> alleles, uint32_t filters,
                          std::span<const uint32_t> bits, SiteLikelihoods* region) {
    CallWork::State& s = state_;
    s.called_alleles.clear();
    for (size_t i = 1; i < s.site.alleles; ++i) {
        const auto base = copies_posterior(s.site, i);
        if (log_add(base[1], base[2]) >= scoring_.least_presence) s.called_alleles.push_back(i);
    }
    if (s.called_alleles.empty()) return;
    if (s.sites.size() == s.site_count) s.sites.emplace_back();
    ScoredSite& site = s.sites[s.site_count++];
    site.contig = window.window.contig;
    site.filters = filters;
    site.evidence = s.site;
    site.alleles.assign(alleles.begin(), alleles.end());
    site.scored = s.called_alleles;
    site.first_example = static_cast<uint32_t>(work_.examples.size());
    site.settled = scoring_.settle_phred > 0 &&
                   is_plain(window, s.site, alleles.front(), filters, scoring_.settle_phred);
    if (site.settled) return;
    for (const size_t index : site.scored) {
        if (region != nullptr) region->allele = bits[index - 1];
        s.examples.add(parameters_, window,
                       {site.evidence, index, alleles[index - 1], s.arena, region, filters, site.contig},
                       work_);
    }
}

void BatchCaller::encode() {
    for (const RegionTask& task : state_.tasks) propose(task);
}

/// The caller would not write the allele, or would filter it for more than its quality.
bool BatchCaller::is_doubted(size_t example) const {
    const std::array<int32_t, 3>& base = work_.facts[example].base;
    if (base[0] >= std::max(base[1], base[2])) return true;
    const auto filters =
        work_.examples.sites.begin() + static_cast<std::ptrdiff_t>((example + 1) * ml::pileup::k_site_bytes -
                                                                   ml::k_summary_bytes + ml::k_site_filters);
    return std::any_of(filters + 1, filters + 5, [](uint8_t set) { return set != 0; });  // LowQual is first
}

bool BatchCaller::score(const ScoredSite& site, data::Variant& variant) {
    CallWork::State& s = state_;
    bool is_called = false;
    if (site.settled) {
        is_called = call_site(site.evidence, k_least_written_centi, variant, s.called_alleles);
    } else {
        s.scores.clear();
        for (size_t i = 0; i < site.scored.size(); ++i) {
            const size_t example = site.first_example + i;
            std::array<int32_t, 3> score = work_.facts[example].base;
            score[0] += is_doubted(example) ? k_callers_word : -k_callers_word;
            for (size_t c = 0; c < score.size(); ++c)
                score[c] += work_.corrections[example * score.size() + c];
            if (site.evidence.fragments < k_few_fragments) {
                // Whether one copy or two is a matter of counting, which the likelihoods do best.
                const std::array<int32_t, 3>& base = work_.facts[example].base;
                const int32_t gain = log_add(score[1], score[2]) - log_add(base[1], base[2]);
                score[1] = base[1] + gain;
                score[2] = base[2] + gain;
            }
            const int32_t total = log_add(log_add(score[0], score[1]), score[2]);
            for (int32_t& value : score) value -= total;
            s.scores.push_back(score);
        }
        is_called = call_scored_site(site.evidence, site.scored, s.scores, k_least_written_centi, variant,
                                     s.called_alleles);
    }
    if (!is_called) return false;
    variant.contig = site.contig;
    write_alleles(site.alleles, variant);
    if (variant.quality_centi < scoring_.minimum_quality_centi) variant.filters |= data::k_filter_low_quality;
    return true;
}

void sort_variants(std::span<data::Variant> variants) {
    std::sort(variants.begin(), variants.end(), [](const data::Variant& a, const data::Variant& b) {
        if (a.contig != b.contig) return a.contig < b.contig;
        if (a.position != b.position) return a.position < b.position;
        return a.alleles < b.alleles;
    });
}

void BatchCaller::finish_scored(std::vector<data::Variant>& out) {
    CallWork::State& s = state_;
    const size_t first = out.size();
    for (size_t i = 0; i < s.site_count; ++i) {
        data::Variant variant;
        if (score(s.sites[i], variant)) out.push_back(std::move(variant));
    }
    sort_variants(std::span(out).subspan(first));
}

void BatchCaller::finish(std::vector<data::Variant>& out) {
    CallWork::State& s = state_;
    const size_t first = out.size();
    for (data::Variant& variant : s.called) out.push_back(std::move(variant));
    for (const RegionTask& task : s.tasks) judge(task, out);
    sort_variants(std::span(out).subspan(first));
}

}  // namespace

CallWork::CallWork() : state(std::make_unique<State>()) {}
CallWork::~CallWork() = default;
CallWork::CallWork(CallWork&&) noexcept = default;
CallWork& CallWork::operator=(CallWork&&) noexcept = default;

Caller::Caller(std::shared_ptr<const data::Reference> reference, CallerParameters parameters,
               data::RegionSet targets, ScoringParameters scoring)
    : reference_(std::move(reference)),
      parameters_(parameters),
      scoring_(scoring),
      targets_(std::move(targets)) {}
Caller::~Caller() = default;

void Caller::begin(std::vector<WindowReads> windows, CallWork& work) const {
    CallWork::State& s = *work.state;
    work.jobs.clear();
    work.likelihoods.clear();
    work.examples.rows.clear();
    work.examples.row_offset.clear();
    work.examples.sites.clear();
    work.facts.clear();
    work.fact_bases.clear();
    work.corrections.clear();
    s.places.clear();
    s.window_count = 0;
    s.site_count = 0;
    s.tasks.clear();
    s.alleles.clear();
    s.priors.clear();
    s.arena.clear();
    s.haplotypes.clear();
    s.rows.clear();
    s.called.clear();
    BatchCaller batch(*reference_, parameters_, scoring_, targets_, work);
    for (const WindowReads& window : windows) batch.begin_window(window);
}

void Caller::encode(CallWork& work) const {
    BatchCaller(*reference_, parameters_, scoring_, targets_, work).encode();
}

void Caller::finish_scored(CallWork& work, std::vector<data::Variant>& out) const {
    BatchCaller(*reference_, parameters_, scoring_, targets_, work).finish_scored(out);
}

void Caller::finish(CallWork& work, std::vector<data::Variant>& out) const {
    BatchCaller(*reference_, parameters_, scoring_, targets_, work).finish(out);
}

}  // namespace gannet::variants
