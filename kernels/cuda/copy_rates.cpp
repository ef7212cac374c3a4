// SPDX-License-Identifier: MIT
// Provides the measured rates of copies to, from and within a device.
#include "kernels/backend.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device_set.hpp"
#include "kernels/cuda/event.hpp"

#include <algorithm>

namespace gannet::kernels::cuda {

namespace {

constexpr int k_rounds = 5;

/// A stream and blocks of memory that end with the measurement.
class Measurement {
  public:
    Measurement(MemoryBudget& budget, uint64_t bytes)
        : bytes_(bytes), pinned_(pinned_source_, pinned_memory().budget), device_(device_source_, budget) {
        pinned_.reserve(bytes, bytes, "copy rates");
        device_.reserve(2 * bytes, 2 * bytes, "copy rates");
        // Last: what throws in here runs no destructor.
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream");
    }
    ~Measurement() { ignore(cudaStreamDestroy(stream_)); }
    Measurement(const Measurement&) = delete;
    Measurement& operator=(const Measurement&) = delete;

    double to_device() { return rate(device_.data(), pinned_.data(), cudaMemcpyHostToDevice); }
    double from_device() { return rate(pinned_.data(), device_.data(), cudaMemcpyDeviceToHost); }
    double on_device() { return 2 * rate(device_.data() + bytes_, device_.data(), cudaMemcpyDeviceToDevice); }

  private:
    double rate(void* to, const void* from, cudaMemcpyKind kind) {
        double best = 0;
        for (int round = 0; round < k_rounds; ++round) {
            begin_.record(stream_, "copy rates");
            check(cudaMemcpyAsync(to, from, bytes_, kind, stream_), "copy rates");
            end_.record(stream_, "copy rates");
            end_.wait("copy rates");
            best = std::max(best, static_cast<double>(bytes_) / end_.ms_since(begin_) * 1e3);
        }
        return best;
    }

    const uint64_t bytes_;
    cudaStream_t stream_ = nullptr;
    PinnedMemory pinned_source_;
    DeviceMemory device_source_;
    Arena pinned_;
    Arena device_;
    Event begin_{Waiting::spin};
    Event end_{Waiting::spin};
};

}  // namespace

CopyRates measure_copies(const DeviceInfo& device, uint64_t bytes) {
    if (!device.unfit.empty()) throw DeviceUnfit(device.name + ": " + device.unfit);
    check(cudaSetDevice(device.ordinal), "selection of the device");
    MemoryBudget budget(usable_bytes(device), device.name);
    Measurement measurement(budget, bytes);
    CopyRates rates;
    rates.to_device = measurement.to_device();
    rates.from_device = measurement.from_device();
    rates.on_device = measurement.on_device();
    return rates;
}

}  // namespace gannet::kernels::cuda
