// SPDX-License-Identifier: MIT
// Provides the stage `extend`: seeding of the reads, and the extension round on the jobs that it leaves.
#include "align/pack_reads.hpp"
#include "align/work_state.hpp"
#include "kernels/genome/fetch.hpp"
#include "kernels/host_stream.hpp"
#include "pipeline/bench/op_bench.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

namespace gannet::pipeline::bench {
namespace {

/// Hashes of all seeds of the reads, in order.
std::vector<uint64_t> seed_hashes(BenchContext& context) {
    const align::IndexParameters& parameters = context.input().index().parameters();
    align::AlignmentWork work;
    std::vector<kernels::Syncmer> syncmers;
    std::vector<uint64_t> hashes;
    for (const data::ReadBatch& batch : context.input().reads()) {
        align::pack_reads(batch, *work.state);
        for (size_t read = 0; read < batch.reads(); ++read) {
            const align::ReadState& state = work.state->reads[read];
            syncmers.clear();
            kernels::find_syncmers(parameters.kmer, parameters.smer, batch.read_bases(read), state.has_n,
                                   work.state->packed.data() + state.packed, 0, work.state->syncmer,
                                   syncmers);
            for (const kernels::Syncmer& syncmer : syncmers) hashes.push_back(syncmer.hash);
        }
    }
    return hashes;
}

/// CPU seconds of finding the bucket of every hash and fetching its first entry, in blocks, asked for as the
/// aligner does; the best of several times.
double look_up(const align::Index& index, const std::vector<uint64_t>& hashes, uint64_t& sum) {
    constexpr size_t k_block = 512;
    constexpr int k_times = 5;
    const kernels::SeedIndexView seeds = index.view();
    std::vector<kernels::SeedBucket> buckets(k_block);
    double best = 0;
    for (int time = 0; time < k_times; ++time) {
        const double begin = thread_seconds();
        for (size_t first = 0; first < hashes.size(); first += k_block) {
            const auto block = std::span(hashes).subspan(first, std::min(k_block, hashes.size() - first));
            for (const uint64_t hash : block) kernels::fetch(kernels::block_of(seeds, hash));
            for (const uint64_t hash : block) kernels::fetch(seeds.words + *kernels::block_of(seeds, hash));
            for (size_t i = 0; i < block.size(); ++i) {
                buckets[i] = kernels::bucket_of(seeds, block[i]);
                kernels::fetch(seeds.words + buckets[i].begin);
            }
            for (size_t i = 0; i < block.size(); ++i) sum += seeds.words[buckets[i].begin].value();
        }
        const double took = thread_seconds() - begin;
        if (time == 0 || took < best) best = took;
    }
    return best;
}

/// With the op find_candidates of the host, which needs no index on a device.
kernels::OpTable host_ops(BenchContext& context) {
    kernels::OpTable ops = context.session().ops().without_resident();
    ops.find_candidates = kernels::find_candidates_function(kernels::Backend::simd, ops.simd_level);
    return ops;
}

void find_candidates(const align::Aligner& aligner, const kernels::OpTable& ops, const data::ReadBatch& batch,
                     align::AlignmentWork& work) {
    kernels::HostStream stream;
    aligner.prepare(align::Round::find_candidates, batch, {}, work);
    aligner.call(align::Round::find_candidates, ops, stream, work);
}

void add_seeds(BenchContext& context, double reads) {
    const auto& batches = context.input().reads();
    const align::Aligner& aligner = context.input().aligner();
    const std::vector<uint64_t> hashes = seed_hashes(context);
    Result result;
    result.stage = "extend";
    result.name = "extend.seeds";
    result.threads = context.session().threads();
    result.work = {{"reads", reads}, {"seeds", static_cast<double>(hashes.size())}};
    // The sum goes into the digest: the loads behind it cannot be left out, and seeds of equal reads are
    // equal.
    const double seconds = look_up(context.input().index(), hashes, result.digest);
    const Roof& roof = context.roofs().add(
        {"look_ups", static_cast<double>(hashes.size()) / std::max(1e-9, seconds), "seeds",
         "bucket and first entry of the same seeds fetched from the same index, prefetched, nothing else"});
    result.bound = {roof.name, static_cast<double>(hashes.size()) / roof.rate};
    const auto works = std::make_shared<tbb::enumerable_thread_specific<align::AlignmentWork>>();
    const kernels::OpTable ops = host_ops(context);
    context.add(std::move(result), [&context, &batches, &aligner, works, ops] {
        context.for_each(batches.size(),
                         [&](size_t i) { find_candidates(aligner, ops, batches[i], works->local()); });
    });
}

}  // namespace

void add_extend_stage(BenchContext& context) {
    const align::Aligner& aligner = context.input().aligner();
    double reads = 0;
    std::vector<kernels::BandedSwBatch> jobs;
    align::AlignmentWork work;
    const kernels::OpTable ops = host_ops(context);
    for (const data::ReadBatch& batch : context.input().reads()) {
        find_candidates(aligner, ops, batch, work);
        aligner.prepare(align::Round::extension, batch, {}, work);
        aligner.copy_jobs(work, jobs.emplace_back());
        reads += static_cast<double>(batch.reads());
    }
    add_seeds(context, reads);
    Result result;
    result.stage = result.name = "extend";
    result.work = {{"reads", reads}};
    add_banded_sw(context, std::move(result), aligner.parameters().scoring, std::move(jobs));
}

}  // namespace gannet::pipeline::bench
