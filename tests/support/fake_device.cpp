// SPDX-License-Identifier: MIT
// Provides a simulated device: the interface of kernels/cuda/device.hpp on threads, with a latency and
// with faults.
//
// Linked with the whole of gannet into the test program gannet_fake_device, in place of the object that
// looks for CUDA devices. A call of an op only enqueues; a thread of the stream computes it later, with the
// simd functions, while it holds one of the device's engines for the batch's time. The environment variable
// GANNET_FAKE_DEVICE holds settings as "name=value,name=value", all optional:
//   latency_us   minimum time per batch [0]
//   jitter       the time is drawn uniformly from 0 to (1 + jitter/100) times latency_us [0]
//   seed         of the jitter, with the number of the batch [1]
//   engines      batches computed at once [1]
//   fails_at     at this batch, numbered from 1 in the order of enqueueing, the device fails permanently
//   memory_at    at this batch device memory runs out
//   loses_at     this batch comes back without results
//   memory_mb    memory of the device, of which a stream takes 1 MB [1024]
//   unfit        1: the device cannot be used
// Faults are reported with the messages of the real device where these do not mention CUDA.
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/lost_device.hpp"
#include "kernels/cuda/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace gannet::kernels::cuda {
namespace {

using std::chrono::steady_clock;

std::map<std::string, uint64_t> settings_of_environment() {
    std::map<std::string, uint64_t> settings{{"latency_us", 0}, {"jitter", 0},       {"seed", 1},
                                             {"engines", 1},    {"fails_at", 0},     {"memory_at", 0},
                                             {"loses_at", 0},   {"memory_mb", 1024}, {"unfit", 0}};
    const char* const given = std::getenv("GANNET_FAKE_DEVICE");
    std::string text = given != nullptr ? given : "";
    while (!text.empty()) {
        const std::string one = text.substr(0, text.find(','));
        text.erase(0, one.size() + 1);
        const size_t equals = one.find('=');
        const auto at = settings.find(one.substr(0, equals));
        if (at == settings.end() || equals == std::string::npos)
            throw std::runtime_error("GANNET_FAKE_DEVICE: no such setting: " + one);
        at->second = std::strtoull(one.c_str() + equals + 1, nullptr, 10);
    }
    return settings;
}

uint64_t mixed(uint64_t value) {  // splitmix64's finaliser
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

/// The state that all streams have in common.
class Device {
  public:
    uint64_t setting(const std::string& name) const { return settings_.at(name); }
    uint64_t next_batch() { return ++batches_; }
    MemoryBudget& memory() { return memory_; }

    /// Does one batch's work on an engine; throws what the settings say.
    void run(uint64_t batch, const std::function<void()>& work) {
        {
            std::unique_lock lock(mutex_);
            freed_.wait(lock, [this] { return busy_ < setting("engines"); });
            ++busy_;
        }
        const auto end = steady_clock::now() + time_of(batch);
        std::exception_ptr fault;
        try {
            if (batch == setting("fails_at")) lost_ = true;
            if (lost_) raise_lost_device("fake device: batch " + std::to_string(batch));
            if (batch == setting("memory_at")) memory_.take(UINT64_MAX / 2, "fake device: a batch");
            if (batch != setting("loses_at")) work();
        } catch (...) {
            fault = std::current_exception();
        }
        std::this_thread::sleep_until(end);
        {
            const std::lock_guard lock(mutex_);
            --busy_;
        }
        freed_.notify_one();
        if (fault) std::rethrow_exception(fault);
    }

  private:
    std::chrono::microseconds time_of(uint64_t batch) const {
        const uint64_t latency = setting("latency_us");
        if (setting("jitter") == 0) return std::chrono::microseconds(latency);
        const uint64_t max_us = latency + latency * setting("jitter") / 100;
        return std::chrono::microseconds(mixed(setting("seed") * 0x9e3779b97f4a7c15ull + batch) %
                                         (max_us + 1));
    }

    const std::map<std::string, uint64_t> settings_ = settings_of_environment();
    MemoryBudget memory_{setting("memory_mb") << 20, "device 0 (fake device)"};
    std::atomic<uint64_t> batches_{0};
    std::atomic<bool> lost_{false};
    std::mutex mutex_;
    std::condition_variable freed_;
    uint64_t busy_ = 0;
};

Device& device() {
    static Device the_device;
    return the_device;
}

/// Tasks run in order on a thread of the stream; the first fault is thrown by the next wait().
class FakeStream final : public Stream {
  public:
    FakeStream() {
        device().memory().take(k_bytes, "fake device: a stream");
        thread_ = std::thread([this] { work(); });
    }
    ~FakeStream() override {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        changed_.notify_all();
        thread_.join();
        device().memory().give_back(k_bytes);
    }
    void enqueue(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_all();
    }
    void wait() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return tasks_.empty(); });
        if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
    }
    bool is_synchronous() const override { return false; }

  private:
    static constexpr uint64_t k_bytes = 1 << 20;

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            const std::function<void()>& task = tasks_.front();  // a deque's elements stay where they are
            lock.unlock();
            std::exception_ptr fault;
            try {
                task();
            } catch (...) {
                fault = std::current_exception();
            }
            lock.lock();
            if (fault && !fault_) fault_ = fault;
            tasks_.pop_front();
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::exception_ptr fault_;
    bool closing_ = false;
    std::thread thread_;
};

void enqueue_batch(Stream& stream, std::function<void()> work) {
    const uint64_t number = device().next_batch();
    dynamic_cast<FakeStream&>(stream).enqueue(
        [number, work = std::move(work)] { device().run(number, work); });
}

void fake_banded_sw(Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results) {
    static const BandedSwFunction compute = banded_sw_function(Backend::simd, detected_simd_level());
    enqueue_batch(stream, [&] { compute(stream, scoring, batch, results); });
}

void fake_pileup_network(Stream& stream, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output) {
    static const PileupNetworkFunction compute =
        pileup_network_function(Backend::simd, detected_simd_level());
    enqueue_batch(stream, [&] { compute(stream, weights, batch, output); });
}

}  // namespace

DeviceStatus device_status() {
    if (device().setting("unfit") != 0) return {false, "fake device: set to be unfit"};
    return {true, "fake device"};
}

std::vector<DeviceInfo> devices() {
    DeviceInfo info;
    info.name = "fake device";
    if (device().setting("unfit") != 0) info.unfit = "set to be unfit";
    return {info};
}

void limit_memory(uint64_t) {}

std::unique_ptr<Stream> make_stream() { return std::make_unique<FakeStream>(); }

BandedSwFunction banded_sw() { return fake_banded_sw; }
PileupNetworkFunction pileup_network() { return fake_pileup_network; }

}  // namespace gannet::kernels::cuda
