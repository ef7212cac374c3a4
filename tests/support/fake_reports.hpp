// SPDX-License-Identifier: MIT
// Provides what the simulated device writes to standard error at the end of its program, if its settings ask
// for it, however that ends (pipeline/exit.hpp).
#pragma once

#include "tests/support/fake_settings.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace gannet::tests {

/// What the threads of the streams have used, from their begin to their end.
class CpuReport {
  public:
    ~CpuReport() { print(); }
    void print() const {
        if (setting("report") != 0)
            std::fprintf(stderr, "fake device: %.3f CPU s\n", 1e-9 * static_cast<double>(ns_.load()));
    }
    void add(int64_t ns) { ns_ += ns; }

  private:
    std::atomic<int64_t> ns_{0};
};
inline CpuReport& cpu_report() {
    static CpuReport report;
    static const int at_once = std::at_quick_exit([] { cpu_report().print(); });
    (void)at_once;
    return report;
}

/// How many batches were submitted, and whether others came while a batch was on its device.
class Meetings {
  public:
    ~Meetings() { print(); }
    void print() const {
        if (setting("meets") != 0)
            std::fprintf(stderr, "fake device: %llu batches met another, %llu waited in vain\n",
                         static_cast<unsigned long long>(met_), static_cast<unsigned long long>(in_vain_));
    }
    /// The number of a batch, from 1 on.
    uint64_t submitted() {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
        return ++batches_;
    }
    /// Sleeps until a batch after this one is submitted. Where none has met another and many have waited in
    /// vain, no more wait: such a host waits for its device, and the test would take minutes.
    void wait_for_one_after(uint64_t batch) {
        std::unique_lock lock(mutex_);
        const auto come = [this, batch] { return batches_ > batch; };
        const bool waits = in_vain_ < (met_ == 0 ? k_max_in_vain : k_max_in_vain_of_some);
        if (waits) changed_.wait_for(lock, k_patience, come);
        if (come())
            ++met_;
        else if (waits)
            ++in_vain_;
    }

  private:
    static constexpr std::chrono::milliseconds k_patience{500};
    static constexpr uint64_t k_max_in_vain = 8;
    static constexpr uint64_t k_max_in_vain_of_some = 60;
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t batches_ = 0;
    uint64_t met_ = 0;
    uint64_t in_vain_ = 0;
};
inline Meetings& meetings() {
    static Meetings all;
    static const int at_once = std::at_quick_exit([] { meetings().print(); });
    (void)at_once;
    return all;
}

}  // namespace gannet::tests
