// SPDX-License-Identifier: MIT
// Provides the views of called sites.
#include "variants/scorer/site_view.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gannet::variants {

namespace {

/// The bytes of one example.
void copy_example(const ExampleBatch& examples, size_t index, AlleleView& view) {
    const kernels::PileupNetworkBatch& network = examples.network;
    const uint8_t* const site = network.sites.data() + index * ml::pileup::k_site_bytes;
    view.site.assign(site, site + ml::pileup::k_site_bytes);
    const uint8_t* const rows = network.rows.data();
    view.rows.assign(rows + size_t{network.row_offset[index]} * ml::pileup::k_row_bytes,
                     rows + size_t{network.row_offset[index + 1]} * ml::pileup::k_row_bytes);
}

/// Null: none.
const SiteTrace* trace_of(std::span<const SiteTrace> traces, const data::Variant& record) {
    const SiteTrace* found = nullptr;
    for (const SiteTrace& trace : traces) {
        if (trace.position != record.position) continue;
        if (trace.quality_centi == record.quality_centi) return &trace;
        if (found == nullptr) found = &trace;
    }
    return found;
}

}  // namespace

SiteView view_of(const CallModel& model, const ml::Decision& decision, const SiteTrace& trace,
                 uint32_t contig, const std::vector<data::Base>& arena, const ExampleBatch& examples,
                 std::span<const int32_t> outputs) {
    SiteView view{contig, trace.position, trace.asked, trace.decided, {}};
    for (size_t i = 0; i < trace.alleles.size(); ++i) {
        const std::array<size_t, 1> called{i + 1};
        data::Variant record;
        write_alleles(model.reference, contig, trace.alleles, arena, called, record);
        AlleleView& allele = view.alleles.emplace_back();
        allele.reference = record.alleles[0];
        allele.alternate = record.alleles[1];
        const auto candidate =
            std::find_if(trace.candidates.begin(), trace.candidates.end(),
                         [&](const ScoredAllele& one) { return one.statistics.index == i + 1; });
        if (candidate == trace.candidates.end()) continue;
        allele.facts = candidate->facts;
        if (const ml::Stratum* const stratum = stratum_of(decision, candidate->facts))
            allele.stratum = *stratum;
        if (trace.asked != Asked::yes) continue;
        const size_t example =
            trace.first_example + static_cast<size_t>(candidate - trace.candidates.begin());
        const int32_t* const raw = outputs.data() + example * k_copy_classes;
        std::copy(raw, raw + k_copy_classes, allele.raw.begin());
        allele.correction = candidate->correction;
        allele.posterior = candidate->corrected;
        copy_example(examples, example, allele);
    }
    return view;
}

void offer_views(const CallModel& model, const ml::Decision& decision, std::span<const SiteTrace> traces,
                 const std::vector<data::Base>& arena, const ExampleBatch& examples,
                 std::span<const int32_t> outputs, std::span<const data::Variant> records, SiteViews& views) {
    for (const data::Variant& record : records) {
        if (!views.wants(record, true)) continue;
        const SiteTrace* const trace = trace_of(traces, record);
        const Asked asked = trace == nullptr ? Asked::given : trace->asked;
        if (asked != Asked::yes && !views.wants(record, false)) continue;
        views.take(record, trace == nullptr
                               ? SiteView{record.contig, record.position, asked, Decided::caller, {}}
                               : view_of(model, decision, *trace, record.contig, arena, examples, outputs));
    }
}

}  // namespace gannet::variants
