// SPDX-License-Identifier: MIT
// Provides the energy that a run takes, by phase, from counters of the machine. What has no counter is said
// to have none; nothing is estimated.
#pragma once

#include "pipeline/energy/rapl.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gannet::pipeline {

/// Energy from one instant to another.
struct Energy {
    double seconds = 0;
    std::optional<double> host_joules;  ///< of all processors of the machine, whatever runs on them
    double device_seconds = 0;          ///< of these, since add_devices()
    std::vector<std::optional<double>> device_joules;  ///< of each device in use, all of it
};

class EnergyMeter {
  public:
    explicit EnergyMeter(const std::string& powercap = "/sys/class/powercap");
    ~EnergyMeter();
    EnergyMeter(const EnergyMeter&) = delete;
    EnergyMeter& operator=(const EnergyMeter&) = delete;

    /// UUIDs of those in use, which are counted from now on; once. NVML takes 0.05 s to start.
    void add_devices(const std::vector<std::string>& devices);
    /// Ends the phase before it, if any.
    void begin_phase(std::string name);

    struct Phase {
        std::string name;
        Energy energy;
    };
    struct Report {
        std::string host_zones;    ///< "package-0, package-1"
        std::string host_fault;    ///< why the host has no joules; empty: it has
        std::string device_fault;  ///< why a device has none; empty: all have, or no device is in use
        std::vector<std::string> devices;
        Energy total;
        std::vector<Phase> phases;
    };
    /// Of all until now; the phase that is going on as far as it is.
    Report report();

  private:
    struct Instant {
        std::chrono::steady_clock::time_point time;
        std::chrono::steady_clock::time_point devices_time;  ///< later only at the beginning
        std::optional<double> host;
        std::vector<std::optional<double>> devices;
    };
    Instant now();
    static Energy between(const Instant& begin, const Instant& end);
    void watch();

    std::mutex mutex_;
    std::vector<std::string> devices_;
    Rapl rapl_;
    Instant start_;
    Instant phase_start_;
    std::string phase_;
    std::vector<Phase> phases_;
    std::condition_variable ending_;
    bool ends_ = false;
    std::thread watcher_;  ///< reads the counters before they begin anew
};

}  // namespace gannet::pipeline
