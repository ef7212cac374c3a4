// SPDX-License-Identifier: MIT
// Provides the table of stages, and what measuring one takes.
#include "pipeline/bench/stage_table.hpp"

#include "pipeline/log.hpp"

#include <tbb/parallel_for.h>

#include <array>
#include <utility>

namespace gannet::pipeline::bench {
namespace {

constexpr std::array k_stages{
    Stage{"read", "FASTQ inflated and parsed into batches", add_read_stage},
    Stage{"extend", "seeds looked up; the extension round of banded_sw on the reads' own jobs",
          add_extend_stage},
    Stage{"sort", "records sorted and duplicates marked", add_sort_stage},
    Stage{"pairhmm", "the pair_hmm jobs of the input's active regions", add_pair_hmm_stage},
    Stage{"kernels", "each op by class of lengths, on jobs of its own", add_kernels_stage}};

}  // namespace

std::span<const Stage> stages() { return k_stages; }

void BenchContext::add(Result result, std::function<void()> work) {
    log_info("ready: " + result.name);
    tasks_.push_back({std::move(result), std::move(work)});
}

void BenchContext::for_each(size_t count, const std::function<void(size_t)>& body) {
    session_.in_arena([&] {
        tbb::parallel_for(
            size_t{0}, count, [&body](size_t index) { body(index); }, tbb::simple_partitioner());
    });
}

}  // namespace gannet::pipeline::bench
