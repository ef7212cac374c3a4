// SPDX-License-Identifier: MIT
// Tests the choice of devices by number and by UUID; needs none.
#include "kernels/cuda/device_choice.hpp"

#include <gtest/gtest.h>

namespace gannet::kernels::cuda {
namespace {

const char* const k_first = "GPU-1a2b3c4d-0000-1111-2222-333344445555";
const char* const k_second = "GPU-1a2bffff-0000-1111-2222-333344445555";
const char* const k_instance = "MIG-77777777-0000-1111-2222-333344445555";

std::vector<DeviceInfo> three() {
    std::vector<DeviceInfo> all(3);
    for (int k = 0; k < 3; ++k) {
        all[static_cast<size_t>(k)].ordinal = k;
        all[static_cast<size_t>(k)].name = "toy";
    }
    all[0].uuid = k_first;
    all[1].uuid = k_second;
    all[2].uuid = k_instance;
    return all;
}

std::vector<int> chosen(const std::vector<std::string>& references) {
    std::vector<int> ordinals;
    for (const DeviceInfo& device : choose_devices(three(), references, {}))
        ordinals.push_back(device.ordinal);
    return ordinals;
}

std::string refusal(const std::vector<DeviceInfo>& all, const std::vector<std::string>& references,
                    const DeviceStatus& status = {}) {
    try {
        choose_devices(all, references, status);
    } catch (const DeviceUnfit& fault) {
        EXPECT_EQ(std::string(fault.what()).find('\n'), std::string::npos);
        return fault.what();
    }
    return "";
}

TEST(DeviceChoice, by_number_by_uuid_and_by_its_beginning_in_the_order_given) {
    EXPECT_EQ(chosen({"2", "0"}), (std::vector<int>{2, 0}));
    EXPECT_EQ(chosen({k_second, k_instance}), (std::vector<int>{1, 2}));
    EXPECT_EQ(chosen({"GPU-1a2bf", "gpu-1A2B3"}), (std::vector<int>{1, 0}));
    EXPECT_EQ(chosen({"MIG-"}), (std::vector<int>{2}));
}

TEST(DeviceChoice, what_is_not_there_unclear_or_twice_is_refused) {
    EXPECT_NE(refusal(three(), {"3"}).find("--devices 3: no such device; there are 0 (GPU-1a2b3c4d"),
              std::string::npos);
    EXPECT_NE(refusal(three(), {"GPU-1a2b"}).find("more than one device"), std::string::npos);
    EXPECT_NE(refusal(three(), {"1", "GPU-1a2bf"}).find("named twice"), std::string::npos);
    EXPECT_NE(refusal(three(), {"MIG-8"}).find("CUDA_VISIBLE_DEVICES"), std::string::npos);
    EXPECT_NE(refusal({}, {"0"}, {false, "no NVIDIA driver"}).find("--devices 0: no NVIDIA driver"),
              std::string::npos);
}

TEST(DeviceChoice, an_unfit_one_is_refused_with_the_reason) {
    std::vector<DeviceInfo> all = three();
    all[1].unfit = "compute capability below 8.0";
    EXPECT_NE(refusal(all, {"0", "1"}).find("--devices 1: toy is unfit: compute capability below 8.0"),
              std::string::npos);
}

TEST(DeviceStatus, names_the_first_fit_one_and_counts_the_others) {
    std::vector<DeviceInfo> all = three();
    EXPECT_EQ(status_of(all).detail, "toy and 2 more");
    all[0].unfit = all[1].unfit = "old";
    EXPECT_TRUE(status_of(all).usable);
    EXPECT_EQ(status_of({all[0]}).detail, "toy: old");
    EXPECT_FALSE(status_of({all[0]}).usable);
}

}  // namespace
}  // namespace gannet::kernels::cuda
