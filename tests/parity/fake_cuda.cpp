// SPDX-License-Identifier: MIT
// Provides the parity suite with the backend cuda on a runtime without a device: the shells of the ops,
// their memory, copies and launches are those of a device, and the kernels are run by the host.
#include "tests/unit/kernels/cuda/fake_kernels.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <gtest/gtest.h>

namespace {

using gannet::tests::fake_cuda_runtime;

class FakeCuda : public testing::Environment {
  public:
    void SetUp() override { gannet::tests::add_fake_kernels(); }
    void TearDown() override {
        EXPECT_EQ(fake_cuda_runtime().refused, 0);
        EXPECT_EQ(fake_cuda_runtime().overruns, 0);
        EXPECT_GT(fake_cuda_runtime().enqueued, 0);
    }
};

const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new FakeCuda);

}  // namespace
