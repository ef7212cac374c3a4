// SPDX-License-Identifier: MIT
// Provides the writing of examples.
#include "variants/scorer/example_builder.hpp"

#include "variants/scorer/example_summary.hpp"

#include <algorithm>
#include <vector>

namespace gannet::variants {

namespace {

/// Of more reads than an example holds, those with the smallest hash of their names are shown, mates
/// together.
void write_rows(const ExampleView& example, kernels::PileupNetworkBatch& batch) {
    const WindowAlleles& window = example.window;
    std::vector<uint32_t> order(example.reads.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    if (order.size() > ml::pileup::k_max_rows) {
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            const uint64_t left = window.reads.reads[example.reads[a].read].name_hash;
            const uint64_t right = window.reads.reads[example.reads[b].read].name_hash;
            return left != right ? left < right : a < b;
        });
        order.resize(ml::pileup::k_max_rows);
        std::sort(order.begin(), order.end());
    }
    std::vector<data::Base> reference(ml::pileup::k_columns);
    const int64_t first = example.place.allele.position - ml::k_event_column;
    for (size_t i = 0; i < reference.size(); ++i)
        reference[i] = window.slice.at(first + static_cast<int64_t>(i));
    if (batch.row_offset.empty()) batch.row_offset.push_back(0);
    const size_t begin = batch.rows.size();
    batch.rows.resize(begin + order.size() * ml::pileup::k_row_bytes);
    uint8_t* out = batch.rows.data() + begin;
    for (const uint32_t index : order) {
        ml::encode_row(example.place.allele, reference, example.reads[index].input,
                       {out, ml::pileup::k_row_bytes});
        out += ml::pileup::k_row_bytes;
    }
    batch.row_offset.push_back(batch.row_offset.back() + static_cast<uint32_t>(order.size()));
}

uint32_t hash_of(const Allele& allele, const std::vector<data::Base>& arena) {
    uint32_t hash = 0x811c9dc5u;
    const auto fold = [&](uint64_t value) {
        for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> (8 * i) & 255)) * 0x01000193u;
    };
    fold(static_cast<uint64_t>(allele.position));
    fold(static_cast<uint64_t>(allele.reference_length));
    for (const data::Base base : bases_of(allele, arena)) fold(base);
    return hash;
}

}  // namespace

void add_example(const CallerParameters& parameters, const WindowAlleles& window, ReadProfiles& profiles,
                 const ExampleRequest& request, ExampleBatch& out) {
    const ExampleView example = view_example(parameters, window, profiles, request);
    const size_t at = out.network.sites.size();
    out.network.sites.resize(at + ml::pileup::k_site_bytes);
    write_summary(example, {out.network.sites.data() + at, ml::pileup::k_site_bytes});
    write_rows(example, out.network);
    const Allele& allele = request.allele;
    const auto first_base = static_cast<uint32_t>(out.fact_bases.size());
    const auto bases = bases_of(allele, request.arena);
    out.fact_bases.insert(out.fact_bases.end(), bases.begin(), bases.end());
    ml::ExampleFacts facts = request.facts;
    facts.contig = request.contig;
    facts.position = static_cast<uint32_t>(allele.record_position());
    facts.allele = hash_of(allele, request.arena);
    facts.change_begin = allele.position;
    facts.reference_length = allele.reference_length;
    facts.first_base = first_base;
    facts.alternate_length = allele.alternate_length;
    out.facts.push_back(facts);
}

}  // namespace gannet::variants
