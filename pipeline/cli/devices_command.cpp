// SPDX-License-Identifier: MIT
// Provides `gannet devices` and `gannet version`.
#include "kernels/backend.hpp"
#include "kernels/cuda/device.hpp"
#include "pipeline/cli/commands.hpp"
#include "pipeline/cli/option_groups.hpp"
#include "pipeline/energy/nvml.hpp"
#include "pipeline/jobs/device_check.hpp"
#include "pipeline/jobs/device_plan.hpp"
#include "pipeline/jobs/device_self_test.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/temporary_folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::cli {
namespace {

constexpr size_t k_name_width = 12;

std::string padded(std::string_view text) {
    std::string result(text);
    result.resize(std::max(result.size(), k_name_width), ' ');
    return result;
}

/// "op BACKEND, op BACKEND": what runs each op.
std::string list_ops(kernels::Backend backend) {
    std::string text;
    for (const auto& [op, runs_on] : kernels::op_backends(backend)) {
        text += (text.empty() ? "" : ", ") + op + " on " + std::string(kernels::name(runs_on));
    }
    return text;
}

/// ", PCIe 5.0 x16 (now 1.0 x16)"; empty where NVML does not say.
std::string link_text(const kernels::cuda::DeviceInfo& device) {
    const auto link = Nvml::instance().link(device.uuid);
    if (!link) return "";
    const auto text = [](unsigned generation, unsigned width) {
        return std::to_string(generation) + ".0 x" + std::to_string(width);
    };
    const std::string most = text(link->max_generation, link->max_width);
    const std::string now = text(link->generation, link->width);
    return ", PCIe " + most + (now == most ? "" : " (now " + now + ")");
}

void list_devices() {
    constexpr double k_gb = 1 << 30;
    if (const std::string build = kernels::cuda::build_text(); !build.empty())
        std::cout << padded("") << build << "\n";
    for (const kernels::cuda::DeviceInfo& device : kernels::cuda::devices()) {
        std::cout << padded("  device " + std::to_string(device.ordinal))
                  << (device.unfit.empty() ? "fit" : "unfit") << "  " << device.name
                  << (device.uuid.empty() ? "" : ", " + device.uuid) << ", compute capability "
                  << device.capability_major << "." << device.capability_minor << ", "
                  << device.multiprocessors << " multiprocessors, "
                  << std::lround(static_cast<double>(device.memory_bytes) / k_gb) << " GB"
                  << link_text(device) << (device.unfit.empty() ? "" : ": " + device.unfit) << "\n";
    }
}

/// Compares the ops of the devices with simd's. Throws DeviceUnfit where they differ.
int test_devices(const ResourceOptions& resources) {
    if (!resources.devices.empty()) kernels::cuda::use_devices(resources.devices);
    const kernels::OpTable table = kernels::make_op_table(kernels::Backend::cuda, std::nullopt);
    const TemporaryFolder folder(std::filesystem::temp_directory_path());
    const std::vector<std::string> differing = differing_ops(table, folder.path());
    if (differing.empty()) {
        std::cout << "self-test   passed on " << table.choice << "\n";
        return 0;
    }
    std::string ops;
    for (const std::string& op : differing) ops += (ops.empty() ? "" : ", ") + op;
    throw kernels::DeviceUnfit("the device failed its self-test: other results than simd of " + ops +
                               "; please report it, and use --backend simd");
}

/// A line on the self-test of devices; nothing where there is none.
void list_self_test() {
    if (kernels::cuda::self_test_identity().empty()) return;
    const DeviceCheck check = check_devices();
    std::cout << padded("self-test") << (check.fault.empty() ? "passed" : check.fault)
              << (check.was_remembered ? " before, with this driver and build" : "") << "\n";
}

struct DevicesOptions {
    bool self_test = false;
    std::string reference;
    std::string index;
    ResourceOptions resources;
};

int devices(const DevicesOptions& options) {
    if (options.self_test) return test_devices(options.resources);
    for (const kernels::BackendStatus& status : kernels::backend_status()) {
        std::cout << padded(kernels::name(status.backend))
                  << (status.available ? "available    " : "unavailable  ") << status.detail << "\n"
                  << padded("") << "ops: " << list_ops(status.backend) << "\n";
        if (status.backend == kernels::Backend::cuda) list_devices();
    }
    list_self_test();
    std::cout << padded("auto") << choose_ops("auto").choice << "\n";
    if (!options.reference.empty())
        std::cout << describe_plan(options.reference, options.index, options.resources);
    return 0;
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand(
        "devices", "List the backends and devices of this machine, and why one cannot be used.");
    const auto options = std::make_shared<DevicesOptions>();
    command
        ->add_option("REF", options->reference,
                     "reference (FASTA): also print what a run with it would take of memory and devices")
        ->check(not_empty());
    command->add_flag(
        "--self-test", options->self_test,
        "compare the ops of the devices with simd's, a thousand jobs each; exit 5 where they differ");
    add_index_option(*command, options->index);
    add_threads_option(*command, options->resources.threads);
    add_memory_option(*command, options->resources.memory_bytes);
    add_device_options(*command, options->resources);
    command->footer("Examples:\n  gannet devices\n  gannet devices GRCh38.fa -t 16 --devices 0,1");
    options->resources.log.quiet = true;
    command->callback([options, &action] {
        action = [options] {
            set_up(options->resources);
            return devices(*options);
        };
    });
}

void add_version_command(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("version", "Print the version.");
    command->callback([&action] {
        action = [] {
            std::cout << program_name() << "\n";
            return 0;
        };
    });
}

}  // namespace gannet::pipeline::cli
