// SPDX-License-Identifier: MIT
// Provides the stage `pairhmm`: the op on the jobs of the input's active regions.
#include "data/error.hpp"
#include "pipeline/bench/op_bench.hpp"
#include "variants/caller.hpp"

#include <utility>

namespace gannet::pipeline::bench {
namespace {

/// Windows of so many reads go into one batch, as in the graph of `gannet call`.
constexpr uint64_t k_batch_records = 6000;

/// Takes windows, and keeps the jobs of what they leave.
class JobCollector {
  public:
    explicit JobCollector(std::shared_ptr<const data::Reference> reference)
        : caller_(std::move(reference), {}, {}) {}

    void add(variants::WindowReads&& window) {
        records_ += window.records.size();
        windows_.push_back(std::move(window));
        if (records_ >= k_batch_records) flush();
    }
    void flush() {
        if (windows_.empty()) return;
        caller_.begin(std::exchange(windows_, {}), work_);
        records_ = 0;
        regions += static_cast<double>(work_.region_count());
        candidates += static_cast<double>(work_.allele_count());
        if (work_.jobs.pairs() != 0) jobs.push_back(work_.jobs);
    }

    std::vector<kernels::PairHmmBatch> jobs;
    double regions = 0;
    double candidates = 0;

  private:
    variants::Caller caller_;
    variants::CallWork work_;
    std::vector<variants::WindowReads> windows_;
    uint64_t records_ = 0;
};

}  // namespace

void add_pair_hmm_stage(BenchContext& context) {
    const auto reference = context.input().reference();
    JobCollector collector(reference);
    {
        variants::WindowFeeder feeder(
            *reference, {}, [&](variants::WindowReads&& window) { collector.add(std::move(window)); });
        for (auto& chunk : context.input().sorted_records()) feeder.push(std::move(chunk));
        feeder.finish();
        collector.flush();
    }
    if (collector.jobs.empty()) {
        throw data::Error(data::ErrorKind::malformed_input,
                          "pairhmm: no region of the input needs the pair-HMM; give more of it");
    }
    Result result;
    result.stage = result.name = "pairhmm";
    result.work = {{"regions", collector.regions}, {"candidates", collector.candidates}};
    add_pair_hmm(context, std::move(result), std::move(collector.jobs));
}

}  // namespace gannet::pipeline::bench
