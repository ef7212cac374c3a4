// SPDX-License-Identifier: MIT
// Provides a mutex for what takes less than a microsecond.
#pragma once

#include <mutex>

namespace gannet::data {

/// A mutex that is held for tens of nanoseconds at a time: a thread that finds it taken looks again for a
/// microsecond or two before it sleeps, since sleeping and being woken cost it tens of microseconds on
/// virtual machines. For std::lock_guard.
class BriefMutex {
  public:
    void lock() {
        constexpr int k_looks = 40;
        for (int look = 0; look < k_looks; ++look) {
            if (mutex_.try_lock()) return;
            __builtin_ia32_pause();
        }
        mutex_.lock();
    }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

  private:
    std::mutex mutex_;
};

}  // namespace gannet::data
