// SPDX-License-Identifier: MIT
// Provides the way of a window from its records to its active regions.
#include "variants/alleles/window_alleles.hpp"

#include "variants/evidence/damaged_bases.hpp"
#include "variants/model/alleles.hpp"
#include "variants/model/reads.hpp"
#include "variants/reads/run_end_quality.hpp"
#include "variants/reads/spliced_reads.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

// Beyond the padding: repeats and haplotypes may extend past it.
constexpr int64_t k_slice_margin_bp = reads_number("slice_margin_bp");
// Of looking for extra copies in what is left.
constexpr int32_t k_max_copy_rounds = alleles_number("hidden_max_rounds");

}  // namespace

void AlleleFinder::find(const WindowInput& input, WindowReads&& reads, WindowAlleles& out) {
    const CallerParameters& parameters = input.parameters;
    const int64_t begin = reads.window.begin - k_window_padding_bp;
    const int64_t end = reads.window.end + k_window_padding_bp;
    out.window = reads.window;
    out.slice.load(input.reference, reads.window.contig, begin - k_slice_margin_bp, end + k_slice_margin_bp);
    mapping_filter_.load(reads.records, input.sample.mapping, parameters.minimum_mapping_quality,
                         parameters.doubtful_mapping_quality, begin, end);
    load_reads(reads.records, mapping_filter_, input.sample.qualities, input.sample.primers, out.reads,
               slots_);
    split_spliced_reads(begin, end, out.reads);
    if (input.counts_unused_depth)
        count_unused_depth(reads.records, mapping_filter_, begin, end, out.unused_depth);
    reads = {};  // in a very deep window the records are as large as all that is made of them
    cap_qualities_after_runs(out.reads);
    realigner_.realign(out.slice, out.reads);
    cap_damaged_bases(input.sample.damage, out.slice, out.reads);
    gather_evidence(out.reads, out.slice, begin, end, parameters.minimum_base_quality, out.evidence);
    find_candidates(out.reads, out.slice, out.evidence, out.candidates);
    leave_out_extra_copies(input, out);
    cap_damaged_alternates(input.sample.damage, out.slice, out.evidence, out.candidates, out.reads);
    find_active_regions(out.reads, out.slice, out.evidence, out.candidates, out.regions);
}

/// Takes the reads of copies that the reference lacks out of the window, as far as they are recognised. What
/// is left may show further ones.
void AlleleFinder::leave_out_extra_copies(const WindowInput& input, WindowAlleles& out) {
    out.all = {};
    const int32_t minimum_base_quality = input.parameters.minimum_base_quality;
    const int32_t copies = input.ploidy >= 2 ? input.sample.depth.copies_of(out.window.contig)
                                             : std::max<int32_t>(1, input.ploidy);
    input.sample.depth.of_bins(out.slice, out.evidence.begin, out.evidence.end, diploid_depth_);
    find_tandem_copies(out.reads, tandem_copies_);
    const ExpectedDepth& depth = input.sample.depth;
    out.extra_copy.load(out.evidence, out.candidates,
                        {diploid_depth_, depth.is_uneven, depth.deviation_percent}, copies, tandem_copies_);
    for (int32_t round = 0; round < k_max_copy_rounds; ++round) {
        hidden_copies_.find(out.reads, out.extra_copy.copy_number(), out.extra_copy.partial_fractions(),
                            copies, input.sample.depth.dispersion_size, minimum_base_quality);
        if (hidden_copies_.extra_reads().empty()) return;
        if (input.keeps_all_reads && round == 0) out.all = {out.reads.reads, out.evidence};
        remove_reads(out.reads, hidden_copies_.extra_reads());
        gather_evidence(out.reads, out.slice, out.evidence.begin, out.evidence.end, minimum_base_quality,
                        out.evidence);
        find_candidates(out.reads, out.slice, out.evidence, out.candidates);
        out.extra_copy.load_remaining(out.evidence, out.candidates);
    }
}

}  // namespace gannet::variants
