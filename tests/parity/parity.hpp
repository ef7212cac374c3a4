// SPDX-License-Identifier: MIT
// Provides the parity suite's harness: cases of an op, run on every backend of this machine and compared with
// `reference` byte by byte.
//
// An op is added by a type that satisfies the concept ParityOp and a call of register_op<Op>() in main.cpp.
// Each case of an op is one test, which runs with seeds 1, 2, ... until its part of the requested number of
// jobs is done. Every batch runs as it is and again permuted, with jobs repeated, and split in two; a job's
// result must be equal each time. A failure prints op, case, seed, backend and first difference; --replay
// OP:CASE:SEED runs it alone.
#pragma once

#include "kernels/op_table.hpp"
#include "tests/parity/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::parity {

/// A backend under test.
struct Target {
    kernels::OpTable table;
    std::string name;
};

/// What the command line requests.
struct Options {
    uint64_t jobs = 20000;  ///< per op, over all its cases, divided by its cost()
    std::string backends;   ///< only these, separated by commas; empty: all that this machine has
    uint64_t shard = 0;     ///< of `shards` programs that divide the jobs among them, each with other seeds
    uint64_t shards = 1;
    std::string replay_case;  ///< empty: all; else "op:case"
    uint64_t replay_seed = 0;
};
Options& options();

/// All backends and SIMD levels that this machine has, but for `reference`. A backend that
/// GANNET_REQUIRE_BACKENDS names (separated by commas) and that is missing is reported as a failure.
std::vector<Target> targets();
/// A stream of the table's backend that earlier batches have used, and a new one now and then: what they left
/// behind must not change a result.
kernels::Stream& stream_of(const kernels::OpTable& table);
kernels::OpTable reference_table();

/// A case of an op, and its fraction of the requested number of jobs: weight / sum of weights, at least one
/// batch.
struct Case {
    std::string name;
    uint32_t weight = 1;
};

/// A case and what makes its jobs.
template <class Jobs>
struct Maker {
    Case which;
    void (*make)(Random&, Jobs&);
};

/// The base of an op whose cases are a table of makers: gives Jobs, cases() and make().
template <class JobsOfOp, const auto& makers>
struct MadeByTable {
    using Jobs = JobsOfOp;

    static std::vector<Case> cases() {
        std::vector<Case> result;
        for (const Maker<Jobs>& maker : makers) result.push_back(maker.which);
        return result;
    }
    static Jobs make(size_t index, uint64_t seed) {
        Random random(seed * 1000003 + index);
        Jobs jobs;
        makers[index].make(random, jobs);
        return jobs;
    }
};

template <class Op>
concept ParityOp = requires(const kernels::OpTable& table, const typename Op::Jobs& jobs,
                            const typename Op::Results& results, std::span<const uint32_t> order,
                            uint64_t seed, size_t index) {
    { Op::name() } -> std::convertible_to<std::string>;
    /// How many of the requested jobs one job of this op counts for.
    { Op::cost() } -> std::convertible_to<uint64_t>;
    /// Where some backends do not have the op: whether a table has it: Op::has(table).
    /// The index of a case is given back to make().
    { Op::cases() } -> std::same_as<std::vector<Case>>;
    { Op::make(index, seed) } -> std::same_as<typename Op::Jobs>;
    { Op::size(jobs) } -> std::convertible_to<size_t>;
    /// The jobs that `order` names, in this order.
    { Op::select(jobs, order) } -> std::same_as<typename Op::Jobs>;
    /// Runs the op on outputs that held something else before, and checks the guards after them (guarded()).
    { Op::run(table, jobs) } -> std::same_as<typename Op::Results>;
    /// Empty if actual[k] equals expected[order[k]] for all k, else a description of the first difference.
    { Op::difference(results, results, order) } -> std::convertible_to<std::string>;
};

inline constexpr size_t k_guard_elements = 64;

/// Makes `output` hold stale values, longer than the op will leave it, so that writes beyond its end can be
/// seen.
template <class T>
void dirty(std::vector<T>& output, size_t elements) {
    output.assign(elements + k_guard_elements, static_cast<T>(0x5a5a5a5a));
}
/// True when the op left `output` with `elements` elements and did not write beyond them. Reads memory that
/// the vector still owns.
template <class T>
bool guarded(const std::vector<T>& output, size_t elements) {
    if (output.size() != elements) return false;
    if (output.capacity() < elements + k_guard_elements) return true;
    const T* const end = output.data() + elements;
    return std::all_of(end, end + k_guard_elements,
                       [](T value) { return value == static_cast<T>(0x5a5a5a5a); });
}

/// Runs an op whose output is one list of `elements` values: run(stream, output) fills it.
template <class T, class Run>
std::vector<T> run_guarded(const kernels::OpTable& table, size_t elements, const Run& run) {
    std::vector<T> output;
    dirty(output, elements);
    kernels::Stream& stream = stream_of(table);
    run(stream, output);
    stream.wait();
    EXPECT_TRUE(guarded(output, elements)) << "the output has the wrong size, or was written beyond its end";
    return output;
}

/// Runs one batch on all targets; adds the number of its jobs to `done`.
template <ParityOp Op>
void run_batch(size_t index, uint64_t seed, const std::vector<Target>& all, uint64_t& done) {
    const std::string name = Op::name() + ":" + Op::cases()[index].name;
    const typename Op::Jobs jobs = Op::make(index, seed);
    const typename Op::Results expected = Op::run(reference_table(), jobs);
    std::vector<uint32_t> order(Op::size(jobs));
    for (uint32_t job = 0; job < order.size(); ++job) order[job] = job;
    const std::vector<uint32_t> as_given = order;
    Random random(seed ^ 0x9e3779b97f4a7c15);
    for (size_t k = 0; k < as_given.size() / 4; ++k) {
        order.push_back(static_cast<uint32_t>(random.below(as_given.size())));
    }
    for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    const size_t cut = order.empty() ? 0 : random.below(order.size() + 1);
    const std::span<const uint32_t> shuffled(order);
    for (const Target& target : all) {
        for (const std::span<const uint32_t> part :
             {std::span<const uint32_t>(as_given), shuffled.first(cut), shuffled.subspan(cut)}) {
            const std::string difference =
                Op::difference(expected, Op::run(target.table, Op::select(jobs, part)), part);
            ASSERT_EQ(difference, "") << "op:case " << name << ", seed " << seed << ", backend "
                                      << target.name << "; again: --replay " << name << ":" << seed;
        }
    }
    done += as_given.size();
}

template <ParityOp Op>
class CaseTest : public testing::Test {
  public:
    explicit CaseTest(size_t index) : index_(index) {}
    void TestBody() override {
        std::vector<Target> all = targets();
        const std::vector<Case> cases = Op::cases();
        uint64_t weights = 0;
        for (const Case& each : cases) weights += each.weight;
        if constexpr (requires { Op::has(reference_table()); })
            std::erase_if(all, [](const Target& target) { return !Op::has(target.table); });
        if (all.empty()) GTEST_SKIP() << "no backend to compare has this";
        uint64_t done = 0;
        if (options().replay_seed != 0) return run_batch<Op>(index_, options().replay_seed, all, done);
        const uint64_t jobs = options().jobs / options().shards;
        const uint64_t wanted = jobs / Op::cost() * cases[index_].weight / weights;
        uint64_t seed = options().shard + 1;
        do {
            run_batch<Op>(index_, seed, all, done);
            seed += options().shards;
        } while (done < wanted && !HasFatalFailure());
        RecordProperty("jobs", std::to_string(done));
    }

  private:
    size_t index_;
};

template <ParityOp Op>
void register_op() {
    const std::vector<Case> cases = Op::cases();
    for (size_t index = 0; index < cases.size(); ++index) {
        const std::string name = cases[index].name;
        if (!options().replay_case.empty() && options().replay_case != Op::name() + ":" + name) continue;
        testing::RegisterTest(("Parity_" + Op::name()).c_str(), name.c_str(), nullptr, nullptr, __FILE__,
                              __LINE__, [index]() -> testing::Test* { return new CaseTest<Op>(index); });
    }
}

void register_banded_sw();
void register_banded_sw_windows();
void register_candidates();
void register_deflate();
void register_find_candidates();
void register_inflate();
void register_pair_hmm();
void register_pairing();
void register_pileup_network();
void register_rescue();
void register_seeds();

}  // namespace gannet::parity
