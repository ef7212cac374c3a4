// SPDX-License-Identifier: MIT
// Measures the ops on a backend, with their plans made before: one line of JSON for each combination of
// class, jobs and streams, written as soon as it is known.
//
//   device_bench copies | banded_sw | pair_hmm | pileup_network | find_candidates | banded_sw_windows |
//   rescue |
//                pairing | deflate | inflate
//                [--backend NAME] [--jobs N,...] [--streams N,...] [--threads N] [--seconds S] [--bytes N]
//                [--classes NAME,...]
//                [--index REF.gannet --reads FASTQ[,FASTQ]]
//
// The jobs of the ops of the aligner are the first reads of the file, or of the two files of mates, from
// their beginning again where they have fewer; simd does the steps before. Those of deflate are blocks of
// BAM records of the reads of the first file, which are compressed as a run does it where the backend does
// not have the op. Those of inflate are the blocks of the first file, which is BGZF.
// On a device, the batches of all streams are prepared, then submitted together; the time is the device's
// own: the union of the spans of the batches, with the copies (device_s) and without them (kernels_s). On a
// CPU backend --threads threads work side by side, each on a batch of its own, and the time is that of a wall
// clock; --streams is not looked at.
#include "kernels/cuda/device.hpp"
#include "tests/bench/device/rows.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <optional>
#include <stdexcept>

namespace gannet::device_bench {

namespace {

using Json = nlohmann::ordered_json;
namespace cuda = kernels::cuda;

constexpr struct {
    std::string_view op;
    void (*rows)(const Options&, const kernels::OpTable&);
} k_ops[] = {{"banded_sw", banded_sw_rows},
             {"pair_hmm", pair_hmm_rows},
             {"pileup_network", pileup_network_rows},
             {"find_candidates", find_candidates_rows},
             {"banded_sw_windows", banded_sw_windows_rows},
             {"rescue", rescue_rows},
             {"pairing", pairing_rows},
             {"deflate", deflate_rows},
             {"inflate", inflate_rows}};

void copies_rows(const Options& options) {
    for (const cuda::DeviceInfo& device : cuda::devices()) {
        const cuda::CopyRates rates = cuda::measure_copies(device, options.bytes);
        std::cout << Json{{"op", "copies"},
                          {"device", device.ordinal},
                          {"name", device.name},
                          {"bytes", options.bytes},
                          {"to_device_gb_per_s", rates.to_device * 1e-9},
                          {"from_device_gb_per_s", rates.from_device * 1e-9},
                          {"on_device_gb_per_s", rates.on_device * 1e-9}}
                         .dump()
                  << std::endl;
    }
}

void run(const Options& options) {
    if (options.op == "copies") return copies_rows(options);
    const std::optional<kernels::Backend> backend = kernels::parse_backend(options.backend);
    if (!backend || options.jobs.empty() || options.streams.empty() || options.threads == 0)
        throw std::invalid_argument("--backend, --jobs, --streams or --threads makes no sense");
    for (const auto& each : k_ops) {
        if (each.op == options.op) return each.rows(options, kernels::make_op_table(backend, std::nullopt));
    }
    throw std::invalid_argument("no such op: " + options.op);
}

}  // namespace

}  // namespace gannet::device_bench

int main(int argc, char** argv) {
    try {
        gannet::device_bench::run(gannet::device_bench::options_of(argc, argv));
        return 0;
    } catch (const std::exception& fault) {
        std::cerr << "device_bench: " << fault.what() << "\n";
        return 1;
    }
}
