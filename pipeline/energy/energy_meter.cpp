// SPDX-License-Identifier: MIT
// Provides the energy that a run takes.
#include "pipeline/energy/energy_meter.hpp"

#include "pipeline/energy/nvml.hpp"

#include <system_error>
#include <utility>

namespace gannet::pipeline {

EnergyMeter::EnergyMeter(const std::string& powercap) : rapl_(powercap), start_(now()), phase_start_(start_) {
    if (!rapl_.fault().empty()) return;
    try {
        watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
        // No thread could be had: a long phase may lack what was used before the counters began anew.
    }
}

EnergyMeter::~EnergyMeter() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    ending_.notify_all();
    if (watcher_.joinable()) watcher_.join();
}

void EnergyMeter::watch() {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, std::chrono::seconds(30), [this] { return ends_; })) rapl_.joules();
}

EnergyMeter::Instant EnergyMeter::now() {
    Instant instant;
    instant.time = std::chrono::steady_clock::now();
    instant.devices_time = instant.time;
    if (rapl_.fault().empty()) instant.host = rapl_.joules();
    for (const std::string& uuid : devices_) instant.devices.push_back(Nvml::instance().joules(uuid));
    return instant;
}

Energy EnergyMeter::between(const Instant& begin, const Instant& end) {
    const auto difference = [](const std::optional<double>& from, const std::optional<double>& to) {
        return from && to ? std::optional<double>(*to - *from) : std::nullopt;
    };
    Energy energy;
    energy.seconds = std::chrono::duration<double>(end.time - begin.time).count();
    energy.device_seconds = std::chrono::duration<double>(end.devices_time - begin.devices_time).count();
    energy.host_joules = difference(begin.host, end.host);
    for (size_t device = 0; device < begin.devices.size(); ++device)
        energy.device_joules.push_back(difference(begin.devices[device], end.devices[device]));
    return energy;
}

void EnergyMeter::add_devices(const std::vector<std::string>& devices) {
    const std::lock_guard lock(mutex_);
    if (!devices.empty()) (void)Nvml::instance();
    devices_ = devices;
    const Instant instant = now();
    for (Instant* const begin : {&start_, &phase_start_}) {
        begin->devices = instant.devices;
        begin->devices_time = instant.time;
    }
}

void EnergyMeter::begin_phase(std::string name) {
    const std::lock_guard lock(mutex_);
    const Instant instant = now();
    if (!phase_.empty()) phases_.push_back({phase_, between(phase_start_, instant)});
    phase_ = std::move(name);
    phase_start_ = instant;
}

EnergyMeter::Report EnergyMeter::report() {
    const std::lock_guard lock(mutex_);
    const Instant instant = now();
    Report report;
    report.host_zones = rapl_.zones();
    report.host_fault = rapl_.fault();
    report.devices = devices_;
    report.total = between(start_, instant);
    report.phases = phases_;
    if (!phase_.empty()) report.phases.push_back({phase_, between(phase_start_, instant)});
    for (const std::optional<double>& joules : report.total.device_joules) {
        if (joules) continue;
        report.device_fault = Nvml::instance().fault().empty()
                                  ? "NVML counts no energy of this device (before Volta, or a MIG instance)"
                                  : Nvml::instance().fault();
    }
    return report;
}

}  // namespace gannet::pipeline
