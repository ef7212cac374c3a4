// SPDX-License-Identifier: MIT
// Provides the stage `read`: FASTQ files inflated and parsed, against inflating alone.
#include "data/input_stream.hpp"
#include "pipeline/bench/stage_table.hpp"

#include <algorithm>
#include <thread>

namespace gannet::pipeline::bench {
namespace {

struct Text {
    double bytes = 0;
    double cpu_s = 0;
};

/// Inflates one file in this thread to its end and throws the bytes away.
Text inflate(const std::string& path) {
    constexpr size_t k_buffer_bytes = size_t{1} << 20;
    std::vector<uint8_t> buffer(k_buffer_bytes);
    Text text;
    const double begin = thread_seconds();
    data::InputStream stream(path);
    while (const size_t got = stream.read(buffer)) text.bytes += static_cast<double>(got);
    text.cpu_s = thread_seconds() - begin;
    return text;
}

/// Both files at once, the best of several times.
Text inflate(const data::fastq::Lane& lane) {
    constexpr int k_times = 5;
    Text best;
    for (int i = 0; i < k_times; ++i) {
        Text first;
        Text second;
        {
            std::jthread other;
            if (!lane.second.empty()) other = std::jthread([&] { second = inflate(lane.second); });
            first = inflate(lane.first);
        }
        const Text both{first.bytes + second.bytes, first.cpu_s + second.cpu_s};
        if (i == 0 || both.cpu_s < best.cpu_s) best = both;
    }
    return best;
}

}  // namespace

void add_read_stage(BenchContext& context) {
    const data::fastq::Lane& lane = context.input().lane();
    double reads = 0;
    for (const data::ReadBatch& batch : context.input().reads()) reads += static_cast<double>(batch.reads());
    const Text text = inflate(lane);

    Result result;
    result.stage = result.name = "read";
    result.threads = context.session().threads();  // one parses, all inflate
    result.work = {{"reads", reads}, {"bytes", text.bytes}};
    const Roof& roof = context.roofs().add(
        {"inflate", text.bytes / std::max(1e-9, text.cpu_s), "bytes",
         "the same files inflated and checked by the same libraries, their text thrown away"});
    result.bound = {roof.name, text.bytes / roof.rate};
    context.add(std::move(result), [&context, &lane] {
        Session& session = context.session();
        session.in_arena([&] {
            const auto reader =
                data::fastq::LaneReader::open(lane, {session.batch_bases()}, &session.input_tasks());
            data::ReadBatch batch;
            while (reader->read(batch)) {
            }
        });
    });
}

}  // namespace gannet::pipeline::bench
