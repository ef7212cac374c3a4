// SPDX-License-Identifier: MIT
// Tests how much of the results of find_candidates is copied from a device, on a runtime without one.
#include "kernels/cuda/stream.hpp"
#include "kernels/op_table.hpp"
#include "kernels/resident.hpp"
#include "tests/parity/seed_genome.hpp"
#include "tests/unit/kernels/cuda/fake_kernels.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"
#include "tests/unit/kernels/cuda/op_batches.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace gannet::kernels {
namespace {

using tests::fake_cuda_runtime;

/// A genome of which one half has each stretch once, the other two or twenty times, with a difference here
/// and there. Of twenty copies seeds leave some out.
parity::SeedGenome half_repeated_genome() {
    Random random(8);
    Codes contig = random_codes(random, 12'000);
    for (const auto& [size, copies] : {std::pair(4500, 2), std::pair(150, 20)}) {
        const Codes stretch = random_codes(random, static_cast<size_t>(size));
        for (int copy = 0; copy < copies; ++copy) {
            const Codes own = mutated(random, stretch, 2);
            contig.insert(contig.end(), own.begin(), own.end());
        }
    }
    return parity::make_seed_genome({contig}, 1, {});
}

class PoolsOfFindCandidates : public testing::Test {
  protected:
    PoolsOfFindCandidates() {
        tests::add_fake_kernels();
        fake_cuda_runtime().fails.clear();
        fake_cuda_runtime().largest_block = UINT64_MAX;
        resident_ = make_resident(Backend::cuda, genome_.index(), genome_.genome());
        stream_ = table_.make_stream();
    }
    ~PoolsOfFindCandidates() override {
        stream_.reset();
        EXPECT_EQ(fake_cuda_runtime().refused, 0);
        EXPECT_EQ(fake_cuda_runtime().overruns, 0);
    }

    FindCandidatesBatch once(uint32_t jobs) const { return {genome_, 3, jobs, {0, 11'000}}; }
    FindCandidatesBatch repeated(uint32_t jobs) const { return {genome_, 4, jobs, {12'000, 11'000}}; }

    struct Copied {
        uint64_t bytes = 0;   ///< down, of the pools
        bool in_one = false;  ///< nothing was enqueued after submit()
    };
    /// Runs the batch, which is right then. `blocks`: as a graph does, which has a thread that only waits.
    Copied run(FindCandidatesBatch& batch, bool blocks = true) {
        const uint64_t down = fake_cuda_runtime().from_device_bytes;
        batch.call(table_, *stream_);
        stream_->submit();
        const int enqueued = fake_cuda_runtime().enqueued;
        if (blocks) stream_->block();
        EXPECT_TRUE(!blocks || batch.is_as_before());
        const int after_block = fake_cuda_runtime().enqueued;
        stream_->wait();
        EXPECT_TRUE(!blocks || fake_cuda_runtime().enqueued == after_block)
            << "left to a thread of the graph";
        EXPECT_TRUE(batch.is_right());
        return {fake_cuda_runtime().from_device_bytes - down - batch.fixed_bytes(),
                fake_cuda_runtime().enqueued == enqueued};
    }

    const parity::SeedGenome genome_ = half_repeated_genome();
    const OpTable table_ = make_op_table(Backend::cuda, std::nullopt);
    std::unique_ptr<Resident> resident_;
    std::unique_ptr<Stream> stream_;
};

TEST_F(PoolsOfFindCandidates, come_down_as_far_as_batches_use_them) {
    FindCandidatesBatch batch = repeated(300);
    const Copied first = run(batch);
    ASSERT_TRUE(batch.has_all_pools());
    EXPECT_EQ(first.bytes, batch.used_bytes());
    EXPECT_FALSE(first.in_one);
    const Copied second = run(batch);
    EXPECT_TRUE(second.in_one);
    EXPECT_GE(second.bytes, batch.used_bytes() * 17 / 16);
    EXPECT_LE(second.bytes, batch.used_bytes() * 9 / 8);
}

TEST_F(PoolsOfFindCandidates, have_their_rest_copied_where_a_batch_uses_more) {
    for (const bool blocks : {true, false}) {
        stream_ = table_.make_stream();
        FindCandidatesBatch usual = once(300);
        run(usual, blocks);
        EXPECT_TRUE(run(usual, blocks).in_one);
        FindCandidatesBatch more = repeated(300);
        const Copied copied = run(more, blocks);
        EXPECT_FALSE(copied.in_one);
        ASSERT_GT(more.used_bytes(), 2 * usual.used_bytes());
        EXPECT_EQ(copied.bytes, more.used_bytes());
        EXPECT_TRUE(run(more, blocks).in_one);
        // And not more for long than batches use.
        uint64_t last = 0;
        for (int k = 0; k < 20; ++k) last = run(usual, blocks).bytes;
        EXPECT_LE(last, usual.used_bytes() * 5 / 4);
    }
}

TEST_F(PoolsOfFindCandidates, are_not_collected_where_the_rest_is_refused) {
    for (const bool blocks : {true, false}) {
        for (const int after : {0, 1, 2}) {
            stream_ = table_.make_stream();
            FindCandidatesBatch batch = repeated(100);
            batch.call(table_, *stream_);
            stream_->submit();
            fake_cuda_runtime().fails["cudaMemcpyAsync"] = {cudaErrorInvalidValue, after};
            if (blocks) stream_->block();
            EXPECT_THROW(stream_->wait(), DeviceError) << after;
            EXPECT_TRUE(fake_cuda_runtime().fails.empty());
            EXPECT_TRUE(batch.is_as_before());
            stream_->wait();
            EXPECT_TRUE(batch.is_as_before());
            run(batch, blocks);
        }
    }
}

}  // namespace
}  // namespace gannet::kernels
