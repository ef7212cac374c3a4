// SPDX-License-Identifier: MIT
// Provides the choice of the backend, made beside what a job does until it needs it: the driver's first
// answer takes 0.1 to 0.2 s, and the context of a device as much again.
#pragma once

#include "data/threads.hpp"
#include "kernels/op_table.hpp"
#include "pipeline/trace.hpp"

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// --backend or GANNET_BACKEND (the option wins), GANNET_SIMD. `devices`: those that are asked for with
/// --devices, which asks for cuda too. Throws Error(usage) on a name that is none and on devices for another
/// backend, DeviceUnfit where a device is not there, is unfit or, of those that were asked for, fails its
/// self-test (device_check.hpp). `auto` then takes simd.
kernels::OpTable choose_ops(const std::string& backend, const std::vector<std::string>& devices = {});

/// What a choice is made of.
struct BackendRequest {
    std::string backend;
    std::vector<std::string> devices;
    /// `auto` takes no device, and does not wait for the driver.
    bool is_little_work = false;
};

class BackendChoice {
  public:
    /// Begins. `announce` is called with the backend and the reason of its choice, for log and report, in a
    /// thread of its own, once the driver has answered; not where no choice could be made. Afterwards that
    /// thread makes the contexts of the devices, if these are to be used.
    BackendChoice(BackendRequest request, Tracer& tracer, std::function<void(const std::string&)> announce);
    BackendChoice(const BackendChoice&) = delete;
    BackendChoice& operator=(const BackendChoice&) = delete;
    /// Waits for all of that.
    ~BackendChoice() = default;

    /// Waits until it is known; throws what choose_ops() throws, each time. The reason is that of reason().
    const kernels::OpTable& ops() const { return ops_.get(); }
    /// Waits for the driver's answer too.
    const std::string& reason() const {
        announced_.wait();
        return reason_;
    }

  private:
    void make_contexts();

    Tracer& tracer_;
    const std::function<void(const std::string&)> announce_;
    std::string reason_;
    std::promise<kernels::OpTable> made_;
    const std::shared_future<kernels::OpTable> ops_{made_.get_future().share()};
    std::promise<void> known_;
    const std::shared_future<void> announced_{known_.get_future().share()};
    std::optional<data::ThreadPool> thread_;  // destroyed first
};

}  // namespace gannet::pipeline
