// SPDX-License-Identifier: MIT
// Provides the choice of the backend.
#include "pipeline/jobs/backend_choice.hpp"

#include "data/error.hpp"
#include "kernels/cuda/device.hpp"
#include "pipeline/jobs/device_check.hpp"

#include <cstdlib>
#include <utility>

namespace gannet::pipeline {

namespace {

using data::Error;
using data::ErrorKind;
using kernels::Backend;

/// Empty: what is the best.
struct Asked {
    std::optional<Backend> backend;
    std::optional<kernels::SimdLevel> level;
};

Asked asked_for(const std::string& given, bool names_devices) {
    const char* const from_environment = std::getenv("GANNET_BACKEND");
    std::string text = given;
    if (text.empty() || text == "auto") text = from_environment != nullptr ? from_environment : "auto";
    Asked asked;
    if (text != "auto" && !text.empty()) {
        asked.backend = kernels::parse_backend(text);
        if (!asked.backend) {
            throw Error(ErrorKind::usage,
                        "backend " + text + " is none of auto, cuda, simd, reference, emulated");
        }
    }
    if (names_devices) {
        if (asked.backend && asked.backend != Backend::cuda)
            throw Error(ErrorKind::usage, "--devices is for the backend cuda, not " + text);
        asked.backend = Backend::cuda;
    }
    if (const char* const simd = std::getenv("GANNET_SIMD"); simd != nullptr && *simd != '\0') {
        asked.level = kernels::parse_simd_level(simd);
        if (!asked.level)
            throw Error(ErrorKind::usage,
                        std::string("GANNET_SIMD=") + simd + " is none of avx512, avx2, sse4.2");
    }
    return asked;
}

/// The best of the host, chosen for `why`.
kernels::OpTable host_table(std::optional<kernels::SimdLevel> level, const std::string& why) {
    const bool has_simd = kernels::detected_simd_level() != kernels::SimdLevel::none;
    kernels::OpTable table = kernels::make_op_table(has_simd ? Backend::simd : Backend::reference, level);
    table.choice = "backend " + std::string(kernels::name(table.backend)) +
                   (has_simd ? " (" + std::string(kernels::name(table.simd_level)) + ")" : "") +
                   ", chosen: " + why;
    return table;
}

/// Waits for the driver where a device may be chosen.
kernels::OpTable choose(const Asked& asked, const std::vector<std::string>& devices) {
    if (!devices.empty()) kernels::cuda::use_devices(devices);
    kernels::OpTable table = kernels::make_op_table(asked.backend, asked.level);
    if (table.backend != Backend::cuda) return table;
    const std::string fault = check_devices().fault;
    if (fault.empty()) return table;
    if (asked.backend)
        throw kernels::DeviceUnfit("backend cuda was requested, but cannot be trusted: " + fault);
    return host_table(asked.level, fault);
}

/// Why a run with little work has the backend that it has.
std::string reason_of_little_work(const kernels::OpTable& table) {
    const kernels::BackendStatus device = kernels::backend_status(Backend::cuda);
    return host_table(
               table.simd_level == kernels::SimdLevel::none ? std::nullopt : std::optional(table.simd_level),
               device.available ? "too little work for the device (" + device.detail + ")"
                                : "no usable CUDA device (" + device.detail + ")")
        .choice;
}

}  // namespace

kernels::OpTable choose_ops(const std::string& backend, const std::vector<std::string>& devices) {
    return choose(asked_for(backend, !devices.empty()), devices);
}

BackendChoice::BackendChoice(BackendRequest request, Tracer& tracer,
                             std::function<void(const std::string&)> announce)
    : tracer_(tracer), announce_(std::move(announce)) {
    const Asked asked = asked_for(request.backend, !request.devices.empty());
    const bool asks_driver = asked.backend ? asked.backend == Backend::cuda : !request.is_little_work;
    if (!asks_driver) {
        // The driver is asked for the log only.
        kernels::OpTable table =
            asked.backend ? kernels::make_op_table(asked.backend, asked.level) : host_table(asked.level, "");
        if (asked.backend) reason_ = table.choice;
        made_.set_value(std::move(table));
    }
    thread_.emplace(1);
    thread_->submit([this, asked, asks_driver, devices = std::move(request.devices)] {
        const int64_t begin = Tracer::wall_ns();
        const int64_t cpu = Tracer::thread_cpu_ns();
        try {
            if (asks_driver) made_.set_value(choose(asked, devices));
            if (asks_driver) reason_ = ops().choice;
            if (reason_.empty()) reason_ = reason_of_little_work(ops());
        } catch (...) {
            if (asks_driver) made_.set_exception(std::current_exception());
            known_.set_value();
            return;
        }
        if (!kernels::cuda::devices().empty()) {
            tracer_.record(tracer_.stage("device.driver"), 0, 0, begin, Tracer::wall_ns(),
                           Tracer::thread_cpu_ns() - cpu);
        }
        announce_(reason_);
        known_.set_value();
        if (ops().backend == Backend::cuda) make_contexts();
    });
}

void BackendChoice::make_contexts() {
    const Span span(tracer_, tracer_.stage("device.context"), 0);
    try {
        kernels::cuda::prepare_devices();
    } catch (...) {
        // Who uses the devices meets it again.
    }
}

}  // namespace gannet::pipeline
