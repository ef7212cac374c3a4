// SPDX-License-Identifier: MIT
// Provides the stage `sort`: records scattered, sorted and their duplicates marked, against copying them.
#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "pipeline/bench/stage_table.hpp"

namespace gannet::pipeline::bench {

void add_sort_stage(BenchContext& context) {
    const std::vector<data::RecordBatch>& batches = context.input().records();
    const auto reference = context.input().reference();
    const auto threads = static_cast<unsigned>(context.session().threads());
    double records = 0;
    double bytes = 0;
    for (const data::RecordBatch& batch : batches) {
        records += static_cast<double>(batch.entries.size());
        bytes += static_cast<double>(batch.bytes.size());
    }
    Result result;
    result.stage = result.name = "sort";
    result.threads = context.session().threads();
    result.work = {{"records", records}, {"bytes", bytes}};
    // Every byte moves at least twice: into its bucket, and to its position in it.
    const Roof& roof = context.roofs().copy(static_cast<size_t>(bytes));
    result.bound = {roof.name, 2 * bytes / roof.rate};
    context.add(std::move(result), [&context, &batches, reference, threads] {
        align::sort::Sorter sorter(*reference, {context.session().memory_bytes(), context.input().folder()});
        align::duplicates::Marker marker(context.input().read_groups());
        context.for_each(batches.size(), [&](size_t i) {
            sorter.add(batches[i]);
            marker.add(batches[i]);
        });
        sorter.finish_input();
        const align::duplicates::Decision decision = marker.decide(threads);
        context.for_each(sorter.buckets(), [&](size_t i) {
            align::sort::SortedBucket bucket = sorter.load(i);
            align::duplicates::apply(decision, bucket);
        });
    });
}

}  // namespace gannet::pipeline::bench
