// SPDX-License-Identifier: MIT
// Tests the residency of index and genome on a runtime without a device: what is copied, what it takes of the
// device's memory, and what is refused.
#include "kernels/backend.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/resident_layout.hpp"
#include "kernels/cuda/staged_upload.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace gannet::kernels::cuda {
namespace {

using tests::fake_cuda_runtime;

class CudaResident : public testing::Test {
  protected:
    CudaResident() : packed(4096), fine(9), coarse(1), begin{64}, length{1000}, block_begin(33), words(100) {
        std::iota(packed.begin(), packed.end(), uint64_t{1} << 40);
        std::iota(fine.begin(), fine.end(), 7u);
        std::iota(block_begin.begin(), block_begin.end(), 3u);
        for (uint64_t i = 0; i < words.size(); ++i) words[i] = SeedEntry(i * 77, i, i % 2 == 0);
        genome.packed = packed.data();
        genome.words = packed.size();
        genome.contig_begin = begin.data();
        genome.contig_length = length.data();
        genome.contigs = 1;
        genome.ambiguous = ambiguous.data();
        genome.ambiguous_count = 2;
        genome.ambiguous_fine = fine.data();
        genome.ambiguous_coarse = coarse.data();
        index = {21, 11, 37, block_begin.size(), block_begin.data(), words.data(), words.size()};
        fake_cuda_runtime().fails.clear();
        fake_cuda_runtime().largest_block = UINT64_MAX;
    }
    std::vector<uint64_t> packed, fine, coarse, begin, length;
    std::vector<uint32_t> block_begin;
    std::vector<SeedEntry> words;
    std::vector<GenomeInterval> ambiguous{{0, 64}, {1064, 1152}};
    GenomeView genome;
    SeedIndexView index;
};

TEST_F(CudaResident, every_array_is_on_the_device_and_no_pointer_is_of_the_host) {
    const Device& device = next_device();
    const std::unique_ptr<Resident> resident = upload(index, genome);
    const ResidentViews there = resident_views(device, index, genome);
    const auto same = [](const auto* copy, const auto& values) {
        return static_cast<const void*>(copy) != values.data() &&
               std::memcmp(copy, values.data(), values.size() * sizeof(values[0])) == 0;
    };
    EXPECT_TRUE(same(there.genome.packed, packed));
    EXPECT_TRUE(same(there.genome.contig_begin, begin));
    EXPECT_TRUE(same(there.genome.contig_length, length));
    EXPECT_TRUE(same(there.genome.ambiguous, ambiguous));
    EXPECT_TRUE(same(there.genome.ambiguous_fine, fine));
    EXPECT_TRUE(same(there.genome.ambiguous_coarse, coarse));
    EXPECT_TRUE(same(there.index.block_begin, block_begin));
    EXPECT_TRUE(same(there.index.words, words));
    EXPECT_EQ(there.genome.words, packed.size());
    EXPECT_EQ(there.index.bucket_shift, 37u);
}

TEST_F(CudaResident, a_genome_alone_is_found_by_ops_that_need_no_index) {
    const Device& device = next_device();
    {
        const std::unique_ptr<Resident> resident = upload({}, genome);
        const GenomeView there = resident_genome(device, genome);
        EXPECT_NE(there.packed, genome.packed);
        EXPECT_EQ(std::memcmp(there.packed, packed.data(), packed.size() * sizeof(packed[0])), 0);
        EXPECT_THROW(resident_views(device, index, genome), std::logic_error);
        const std::unique_ptr<Resident> with_index = upload(index, genome);
        EXPECT_NE(resident_views(device, index, genome).genome.packed, there.packed);
    }
    EXPECT_THROW(resident_genome(device, genome), std::logic_error);
}

TEST_F(CudaResident, its_memory_is_counted_and_comes_back) {
    const Device& device = next_device();
    const uint64_t before = device.budget.used_bytes();
    const int blocks = fake_cuda_runtime().blocks;
    std::unique_ptr<Resident> resident = upload(index, genome);
    EXPECT_EQ(device.budget.used_bytes() - before, ResidentLayout(index, genome).bytes);
    resident.reset();
    EXPECT_EQ(device.budget.used_bytes(), before);
    EXPECT_EQ(fake_cuda_runtime().blocks, blocks);
    EXPECT_THROW(resident_views(device, index, genome), std::logic_error);
}

TEST_F(CudaResident, what_does_not_fit_is_refused_with_its_size_and_nothing_is_taken) {
    const Device& device = next_device();
    const uint64_t before = device.budget.used_bytes();
    index.word_count = uint64_t{1} << 28;  // 2 GB, which are not touched
    try {
        upload(index, genome);
        FAIL() << "2 GB fit into 1 GB";
    } catch (const DeviceOutOfMemory& error) {
        EXPECT_NE(std::string(error.what()).find("2049 MB"), std::string::npos) << error.what();
    }
    EXPECT_EQ(device.budget.used_bytes(), before);
}

TEST_F(CudaResident, a_failed_copy_leaves_nothing_behind) {
    const Device& device = next_device();
    const uint64_t before = device.budget.used_bytes();
    const int streams = fake_cuda_runtime().streams;
    fake_cuda_runtime().fails["cudaMemcpyAsync"] = {1};
    EXPECT_THROW(upload(index, genome), DeviceError);
    EXPECT_EQ(device.budget.used_bytes(), before);
    EXPECT_EQ(fake_cuda_runtime().streams, streams);
    EXPECT_THROW(resident_views(device, index, genome), std::logic_error);
}

/// The runtime copies when somebody waits: a buffer that is filled too early is seen.
TEST_F(CudaResident, large_arrays_go_to_all_devices_through_two_pinned_buffers) {
    const std::vector<DeviceInfo>& infos = survey().devices;
    ASSERT_EQ(infos.size(), 2u);
    std::vector<uint32_t> values(5 * StagedUpload::k_buffer_bytes / sizeof(uint32_t) + 3);
    std::iota(values.begin(), values.end(), 11u);
    const uint64_t bytes = values.size() * sizeof(values[0]);
    std::vector<std::unique_ptr<Device>> devices;
    std::vector<Device*> pointers;
    std::vector<void*> to;
    for (const DeviceInfo& info : infos) {
        devices.push_back(std::make_unique<Device>(info, 2 * bytes));
        pointers.push_back(devices.back().get());
        pointers.back()->select();
        to.push_back(devices.back()->memory.allocate(bytes));
        ASSERT_NE(to.back(), nullptr);
    }
    const uint64_t pinned = pinned_memory().budget.used_bytes();
    const uint64_t copied = fake_cuda_runtime().to_device_bytes;
    {
        StagedUpload upload(pointers, "values");
        EXPECT_EQ(pinned_memory().budget.used_bytes() - pinned, 2 * StagedUpload::k_buffer_bytes);
        upload.add(to, values.data(), bytes);
        upload.add(to, nullptr, 0);
        const std::vector<uint32_t> expected = values;
        std::fill(values.begin(), values.end(), 0u);  // it has been read
        upload.finish();
        for (void* const copy : to) EXPECT_EQ(std::memcmp(copy, expected.data(), bytes), 0);
    }
    EXPECT_EQ(fake_cuda_runtime().to_device_bytes - copied, 2 * bytes);
    EXPECT_EQ(pinned_memory().budget.used_bytes(), pinned);
    for (size_t i = 0; i < to.size(); ++i) devices[i]->memory.free(to[i]);
}

TEST_F(CudaResident, a_failed_wait_for_a_buffer_leaves_nothing_behind) {
    const Device& device = next_device();
    words.resize(3 * StagedUpload::k_buffer_bytes / sizeof(SeedEntry));
    index.words = words.data();
    index.word_count = words.size();
    const uint64_t before = device.budget.used_bytes();
    const int blocks = fake_cuda_runtime().blocks;
    const int events = fake_cuda_runtime().events;
    fake_cuda_runtime().fails["cudaEventSynchronize"] = {1};
    EXPECT_THROW(upload(index, genome), DeviceError);
    EXPECT_EQ(device.budget.used_bytes(), before);
    EXPECT_EQ(fake_cuda_runtime().blocks, blocks);
    EXPECT_EQ(fake_cuda_runtime().events, events);
}

}  // namespace
}  // namespace gannet::kernels::cuda
