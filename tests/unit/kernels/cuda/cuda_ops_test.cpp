// SPDX-License-Identifier: MIT
// Tests the shells of the ops find_candidates, rescue, pairing, deflate and inflate on a runtime without a
// device: memory that grows, that is just enough and that is refused, faults, and several streams. Their
// results on it are compared with the reference by parity_fake_cuda_test, all ops'.
#include "kernels/cuda/stream.hpp"
#include "kernels/deflate/deflate_sections.hpp"
#include "kernels/inflate/inflate_sections.hpp"
#include "kernels/op_table.hpp"
#include "kernels/pairing/pairing_sections.hpp"
#include "kernels/rescue/rescue_sections.hpp"
#include "kernels/resident.hpp"
#include "tests/parity/seed_genome.hpp"
#include "tests/unit/kernels/cuda/fake_kernels.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"
#include "tests/unit/kernels/cuda/op_batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gannet::kernels {
namespace {

using tests::fake_cuda_runtime;

class RescueBatch final : public Batch {
  public:
    RescueBatch(const parity::MadeGenome& genome, uint64_t seed, uint32_t jobs) : genome_(genome.view()) {
        Random random(seed);
        for (uint32_t k = 0; k < jobs; ++k) {
            const int64_t place = static_cast<int64_t>(random.below(genome.size() - 400));
            const Codes read = mutated(random, genome.codes(place, random.between(60, 200)), 5);
            reads_.add(random.chance(50) ? read : parity::reverse_complement(read));
            windows_.push_back({place - 90, place + 60, k, static_cast<uint32_t>(random.below(2))});
        }
    }
    void call(const OpTable& table, Stream& stream) override {
        results_.window.assign(3, 77);
        table.rescue(stream, parameters_, genome_, view_ = reads_.view(),
                     of_windows_ = {windows_.data(), windows_.size()}, results_);
    }
    bool is_as_before() const override { return results_.window == std::vector<uint32_t>(3, 77); }
    bool is_right() const override {
        RescueResults expected;
        on_reference([&](Stream& stream) {
            reference().rescue(stream, parameters_, genome_, view_, of_windows_, expected);
        });
        return same(results_.candidates, expected.candidates) && same(results_.window, expected.window) &&
               same(results_.jobs, expected.jobs);
    }
    Sizes sizes() const override {
        rescue::NamedReads named;
        named.take(reads_.view(), {windows_.data(), windows_.size()});
        const rescue::BatchSections sections(named);
        return {sections.input_bytes, sections.bytes, sections.bytes};
    }

  private:
    GenomeView genome_;
    CandidateParameters parameters_;
    PackedReads reads_;
    std::vector<RescueWindow> windows_;
    ReadBatchView view_;
    RescueWindows of_windows_;
    RescueResults results_;
};

class PairingBatchOf final : public Batch {
  public:
    PairingBatchOf(const parity::MadeGenome& genome, uint64_t seed, uint32_t jobs) : genome_(genome.view()) {
        Random random(seed);
        packed_.paired = true;
        parameters_.mean_bp = 400;
        parameters_.sd_bp = 50;
        parameters_.low_bp = 200;
        parameters_.high_bp = 600;
        label_begin_.push_back(0);
        for (uint32_t k = 0; k < jobs; ++k) {
            const int64_t place = static_cast<int64_t>(random.below(genome.size() - 500));
            for (uint32_t mate = 0; mate < 2; ++mate) add_read(random, genome, place, mate);
            labels_.insert(labels_.end(), {'r', static_cast<char>(random.between(32, 126))});
            label_begin_.push_back(static_cast<uint32_t>(labels_.size()));
        }
        batch_ = {reads_.data(),
                  candidates_.data(),
                  static_cast<uint32_t>(candidates_.size()),
                  parts_.data(),
                  static_cast<uint32_t>(parts_.size()),
                  labels_.data(),
                  label_begin_.data()};
    }
    void call(const OpTable& table, Stream& stream) override {
        placed_.assign(3, PlacedRead{7, 7, 7, true, true, true, true, true, true, 7});
        table.pairing(stream, parameters_, genome_, view_ = packed_.view(), batch_, placed_);
    }
    bool is_as_before() const override { return placed_.size() == 3 && placed_[0].zero == 7; }
    bool is_right() const override {
        std::vector<PlacedRead> expected;
        on_reference([&](Stream& stream) {
            reference().pairing(stream, parameters_, genome_, view_, batch_, expected);
        });
        return same(placed_, expected);
    }
    Sizes sizes() const override {
        pairing::ComparedReads compared;
        compared.take(packed_.view(), batch_);
        const pairing::BatchSections sections(packed_.view(), batch_, compared);
        return {sections.input_bytes, sections.bytes, sections.bytes};
    }

  private:
    /// With its place, and one or two beside it.
    void add_read(Random& random, const parity::MadeGenome& genome, int64_t place, uint32_t mate) {
        PairingRead read;
        read.length = 100;
        read.candidate_begin = static_cast<uint32_t>(candidates_.size());
        read.part_begin = static_cast<uint32_t>(parts_.size());
        const int64_t diagonal = mate == 0 ? place : place + 300;
        for (uint32_t k = 0; k < random.between(1, 3); ++k) {
            Candidate candidate;
            candidate.diagonal = diagonal + 700 * k;
            candidate.strand = static_cast<uint8_t>(mate);
            candidate.query_end = read.length;
            candidate.target_begin = candidate.diagonal;
            candidate.target_end = candidate.diagonal + read.length;
            candidate.score = 100 - static_cast<int32_t>(5 * k);
            candidates_.push_back(candidate);
        }
        read.narrowed = random.chance(50);
        if (read.narrowed) parts_.push_back({20, 80});
        read.candidate_end = static_cast<uint32_t>(candidates_.size());
        read.part_end = static_cast<uint32_t>(parts_.size());
        reads_.push_back(read);
        const Codes oriented = mutated(random, genome.codes(diagonal, read.length), 1);
        packed_.add(mate == 0 ? oriented : parity::reverse_complement(oriented));
    }

    GenomeView genome_;
    PairingParameters parameters_;
    PackedReads packed_;
    ReadBatchView view_;
    std::vector<PairingRead> reads_;
    std::vector<Candidate> candidates_;
    std::vector<DistinctPart> parts_;
    std::vector<char> labels_;
    std::vector<uint32_t> label_begin_;
    PairingBatch batch_;
    std::vector<PlacedRead> placed_;
};

class DeflateBatchOf final : public Batch {
  public:
    DeflateBatchOf(const parity::MadeGenome& genome, uint64_t seed, uint32_t jobs) {
        Random random(seed);
        for (uint32_t k = 0; k < jobs; ++k) {
            const Codes text = genome.codes(static_cast<int64_t>(random.below(2000)), random.between(0, 900));
            blocks_.bytes.insert(blocks_.bytes.end(), text.begin(), text.end());
            blocks_.end_block();
        }
    }
    void call(const OpTable& table, Stream& stream) override {
        results_.offset = {77, 78};
        table.deflate(stream, blocks_, results_);
    }
    bool is_as_before() const override { return results_.offset == std::vector<uint32_t>{77, 78}; }
    bool is_right() const override {
        DeflateResults expected;
        on_reference([&](Stream& stream) { reference().deflate(stream, blocks_, expected); });
        return same(results_.bytes, expected.bytes) && same(results_.offset, expected.offset);
    }
    Sizes sizes() const override {
        deflate::WarpPlan plan;
        plan.prepare(blocks_);
        const deflate::BatchSections sections(plan);
        return {sections.input_bytes, sections.bytes, sections.bytes + deflate::k_block_scratch_bytes};
    }

  private:
    DeflateBatch blocks_;
    DeflateResults results_;
};

class InflateBatchOf final : public Batch {
  public:
    /// Streams of the op deflate; of every fifth the checksum is another.
    InflateBatchOf(const parity::MadeGenome& genome, uint64_t seed, uint32_t jobs) {
        Random random(seed);
        DeflateBatch batch;
        for (uint32_t k = 0; k < jobs; ++k) {
            const Codes text = genome.codes(static_cast<int64_t>(random.below(2000)), random.between(0, 900));
            batch.bytes.insert(batch.bytes.end(), text.begin(), text.end());
            batch.end_block();
        }
        on_reference([&](Stream& stream) { reference().deflate(stream, batch, streams_); });
        out_.assign(batch.bytes.size(), 0x5a);
        for (uint32_t k = 0; k < jobs; ++k) {
            uint32_t crc = ~0u;
            for (const uint8_t byte : batch.block(k)) {
                crc ^= byte;
                for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
            }
            const std::span<uint8_t> out =
                std::span(out_).subspan(batch.offset[k], batch.offset[k + 1] - batch.offset[k]);
            blocks_.push_back({streams_.stream(k), out, k % 5 == 4 ? crc : ~crc});
            if (k % 5 != 4)
                std::copy(batch.block(k).begin(), batch.block(k).end(), std::back_inserter(expected_));
            else
                expected_.insert(expected_.end(), out.size(), 0x5a);
            statuses_expected_.push_back(k % 5 == 4 ? InflateStatus::bad_checksum : InflateStatus::ok);
        }
        untouched_ = out_;
    }
    void call(const OpTable& table, Stream& stream) override {
        statuses_.assign(3, InflateStatus::bad_block);
        table.inflate(stream, blocks_, statuses_);
    }
    bool is_as_before() const override {
        return out_ == untouched_ && statuses_ == std::vector<InflateStatus>(3, InflateStatus::bad_block);
    }
    bool is_right() const override { return out_ == expected_ && statuses_ == statuses_expected_; }
    Sizes sizes() const override {
        inflate::WarpPlan plan;
        plan.prepare(blocks_);
        const inflate::BatchSections sections(plan);
        return {sections.input_bytes, sections.bytes, sections.bytes};
    }

  private:
    DeflateResults streams_;
    std::vector<uint8_t> out_, untouched_, expected_;
    std::vector<InflateBlock> blocks_;
    std::vector<InflateStatus> statuses_, statuses_expected_;
};

enum class Op { find_candidates, rescue, pairing, deflate, inflate };
std::string name_of(Op op) {
    switch (op) {
        case Op::find_candidates:
            return "find_candidates";
        case Op::rescue:
            return "rescue";
        case Op::pairing:
            return "pairing";
        case Op::deflate:
            return "deflate";
        case Op::inflate:
            break;
    }
    return "inflate";
}

class CudaOps : public testing::TestWithParam<Op> {
  protected:
    CudaOps() {
        tests::add_fake_kernels();
        fake_cuda_runtime().fails.clear();
        fake_cuda_runtime().largest_block = UINT64_MAX;
        Random random(5);
        genome_ = parity::make_seed_genome({random_codes(random, 20'000)}, 1, {});
        resident_ = make_resident(Backend::cuda, genome_.index(), genome_.genome());
        stream_ = table_.make_stream();
    }
    ~CudaOps() override {
        stream_.reset();
        EXPECT_EQ(fake_cuda_runtime().refused, 0);
        EXPECT_EQ(fake_cuda_runtime().overruns, 0);
    }

    std::unique_ptr<Batch> batch(uint64_t seed, uint32_t jobs) const {
        if (GetParam() == Op::find_candidates)
            return std::make_unique<FindCandidatesBatch>(
                genome_, seed, jobs, Origin{0, static_cast<uint64_t>(genome_.made.size()) - 600, 10});
        if (GetParam() == Op::rescue) return std::make_unique<RescueBatch>(genome_.made, seed, jobs);
        if (GetParam() == Op::pairing) return std::make_unique<PairingBatchOf>(genome_.made, seed, jobs);
        if (GetParam() == Op::deflate) return std::make_unique<DeflateBatchOf>(genome_.made, seed, jobs);
        return std::make_unique<InflateBatchOf>(genome_.made, seed, jobs);
    }
    void expect_right(uint64_t seed, uint32_t jobs) {
        const auto one = batch(seed, jobs);
        one->call(table_, *stream_);
        stream_->wait();
        EXPECT_TRUE(one->is_right()) << jobs << " jobs, seed " << seed;
    }
    /// The batch throws what the device says, and leaves its results alone.
    void expect_fault(const char* function, tests::FakeFailure failure) {
        const auto one = batch(1, 40);
        one->call(table_, *stream_);
        fake_cuda_runtime().fails[function] = failure;
        EXPECT_THROW(stream_->wait(), DeviceError) << function << ", after " << failure.after;
        EXPECT_TRUE(fake_cuda_runtime().fails.empty());
        EXPECT_TRUE(one->is_as_before());
        stream_->wait();
        EXPECT_TRUE(one->is_as_before());
    }
    /// The next batch is right again: nothing of this one is under way.
    void expect_refusal(const char* function, tests::FakeFailure failure) {
        expect_fault(function, failure);
        expect_right(2, 50);
    }

    parity::SeedGenome genome_;
    const OpTable table_ = make_op_table(Backend::cuda, std::nullopt);
    std::unique_ptr<Resident> resident_;
    std::unique_ptr<Stream> stream_;
};

TEST_P(CudaOps, are_right_in_batches_that_grow_and_shrink) {
    uint64_t seed = 0;
    for (const uint32_t jobs : {0, 1, 40, 3, 200, 0, 31, 33, 200}) expect_right(++seed, jobs);
    const int allocations = fake_cuda_runtime().allocations;
    for (const uint32_t jobs : {200, 100, 0, 1}) expect_right(9, jobs);  // the last batch and smaller ones
    EXPECT_EQ(fake_cuda_runtime().allocations, allocations);
    const int blocks = fake_cuda_runtime().blocks;
    stream_.reset();
    EXPECT_EQ(fake_cuda_runtime().blocks, blocks - 2);
}

TEST_P(CudaOps, do_with_the_least_memory) {
    const auto one = batch(1, 150);
    const uint64_t least = one->sizes().least_bytes;
    fake_cuda_runtime().largest_block = least;
    one->call(table_, *stream_);
    EXPECT_EQ(stream_->memory().device_bytes, least);
    stream_->wait();
    EXPECT_TRUE(one->is_right());
}

TEST_P(CudaOps, refuse_a_batch_that_the_driver_has_no_memory_for) {
    const auto one = batch(1, 150);
    const auto smaller = batch(2, 20);
    ASSERT_LT(smaller->sizes().least_bytes, one->sizes().least_bytes);
    fake_cuda_runtime().largest_block = one->sizes().least_bytes - 1;
    try {
        one->call(table_, *stream_);
        FAIL() << "memory that the driver does not have";
    } catch (const DeviceOutOfMemory& fault) {
        EXPECT_NE(std::string(fault.what()).find(name_of(GetParam()) + " needs"), std::string::npos)
            << fault.what();
    }
    EXPECT_TRUE(one->is_as_before());
    expect_right(2, 20);
}

TEST_P(CudaOps, refuse_a_batch_that_the_budget_has_no_room_for) {
    cuda::MemoryBudget& budget = cuda::Stream::of(*stream_).device().budget;
    const auto one = batch(1, 150);
    const uint64_t taken = budget.total_bytes() - budget.used_bytes() - one->sizes().least_bytes + 1;
    budget.take(taken, "the test");
    EXPECT_THROW(one->call(table_, *stream_), DeviceOutOfMemory);
    budget.give_back(taken - 1);
    EXPECT_TRUE(one->is_as_before());
    one->call(table_, *stream_);
    stream_->wait();
    budget.give_back(1);
    EXPECT_TRUE(one->is_right());
}

TEST_P(CudaOps, copy_inputs_up_and_results_down_once) {
    const auto one = batch(1, 70);
    const Sizes sizes = one->sizes();
    const uint64_t up = fake_cuda_runtime().to_device_bytes;
    const uint64_t down = fake_cuda_runtime().from_device_bytes;
    one->call(table_, *stream_);
    EXPECT_EQ(fake_cuda_runtime().to_device_bytes, up);
    stream_->submit();
    EXPECT_TRUE(one->is_as_before());
    stream_->block();
    EXPECT_TRUE(one->is_as_before());
    stream_->wait();
    EXPECT_TRUE(one->is_right());
    EXPECT_EQ(fake_cuda_runtime().to_device_bytes - up, sizes.input_bytes);
    const uint64_t results = sizes.bytes - sizes.input_bytes;
    if (GetParam() == Op::find_candidates) {  // which copies what was used of them
        EXPECT_LT(fake_cuda_runtime().from_device_bytes - down, results);
    } else {
        EXPECT_EQ(fake_cuda_runtime().from_device_bytes - down, results);
    }
}

TEST_P(CudaOps, leave_nothing_under_way_where_a_call_is_refused) {
    expect_refusal("cudaMemcpyAsync", {cudaErrorInvalidValue});
    expect_refusal("cudaMemcpyAsync", {cudaErrorInvalidValue, 1});
    expect_refusal("cudaMemsetAsync", {cudaErrorInvalidValue});
    expect_refusal("cudaLaunchKernel", {cudaErrorLaunchOutOfResources});
    if (GetParam() == Op::find_candidates || GetParam() == Op::rescue)
        expect_refusal("cudaLaunchKernel", {cudaErrorLaunchOutOfResources, 1});
}

TEST_P(CudaOps, leave_the_results_alone_where_the_device_fails) {
    expect_fault("cudaEventSynchronize", {cudaErrorIllegalAddress});
}

TEST_P(CudaOps, keep_the_batches_of_several_streams_apart) {
    const auto streams = table_.make_streams(5, {});
    std::vector<std::unique_ptr<Batch>> batches;
    for (uint32_t round = 0; round < 3; ++round) {
        batches.clear();
        for (uint32_t k = 0; k < streams.size(); ++k) {
            batches.push_back(batch(10 * round + k, 20 + 30 * k));
            batches[k]->call(table_, *streams[k]);
        }
        for (const auto& stream : streams) stream->submit();
        for (size_t k = streams.size(); k-- > 0;) streams[k]->wait();
        for (const auto& each : batches) EXPECT_TRUE(each->is_right()) << round;
    }
}

TEST_P(CudaOps, refuse_a_genome_that_is_not_on_the_device) {
    if (GetParam() == Op::deflate || GetParam() == Op::inflate) return;  // needs none
    resident_.reset();
    EXPECT_THROW(expect_right(1, 10), std::logic_error);
    resident_ = make_resident(Backend::cuda, genome_.index(), genome_.genome());
    expect_right(1, 10);
}

INSTANTIATE_TEST_SUITE_P(All, CudaOps,
                         testing::Values(Op::find_candidates, Op::rescue, Op::pairing, Op::deflate,
                                         Op::inflate),
                         [](const auto& instance) { return name_of(instance.param); });

}  // namespace
}  // namespace gannet::kernels
