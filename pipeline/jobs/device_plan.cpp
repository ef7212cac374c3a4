// SPDX-License-Identifier: MIT
// Provides the plan of a run: index, slots and batches on the host, streams and what is left on the devices.
#include "pipeline/jobs/device_plan.hpp"

#include "align/aligner.hpp"
#include "align/index/index.hpp"
#include "kernels/cuda/device.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/stages/resident_index.hpp"
#include "pipeline/stages/stream_sizes.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace gannet::pipeline {
namespace {

namespace cuda = kernels::cuda;

constexpr size_t k_title_width = 14;

std::string line(const std::string& title, const std::string& text) {
    std::string padded = "  " + title;
    padded.resize(std::max(padded.size() + 1, k_title_width), ' ');
    return padded + text + "\n";
}

std::string count_text(uint64_t count, const std::string& one, const std::string& more) {
    return std::to_string(count) + " " + (count == 1 ? one : more);
}

std::string host_text(const Session& session, uint64_t index_bytes) {
    const MemoryPlan plan = plan_memory(session.memory_bytes(), index_bytes, session.threads(),
                                        session.slots(), session.pinned_bytes() + session.read_ahead_bytes());
    std::string text = count_text(static_cast<uint64_t>(session.threads()), "thread", "threads") + ", " +
                       size_text(session.memory_bytes()) +
                       " of memory: " + count_text(plan.align_slots, "batch", "batches") +
                       " in flight (slots), each of " + std::to_string(session.batch_bases()) +
                       " bases of reads; " + size_text(plan.sorter_bytes) + " for sorting";
    if (session.pinned_bytes() > 0)
        text += "; " + size_text(session.pinned_bytes()) + " pinned for the devices";
    return text;
}

/// Where the BAM is compressed while variants are called: a device's memory is shared evenly by the streams
/// of both.
std::string compression_text(const Session& session, uint64_t usable_bytes, uint64_t streams) {
    const uint64_t wanted = stages::emit_stream_size().device_bytes;
    const uint64_t calling = stages::call_stream_size(session.options().batch_records).device_bytes;
    const bool fits = wanted <= usable_bytes / (2 * streams) && streams * (wanted + calling) <= usable_bytes;
    return fits ? "; later " + size_text(wanted) + " each to compress the BAM"
                : "; the BAM is compressed on the CPU";
}

/// What the streams that inflate reads take of the `left` bytes, or that they take none.
std::string inflating_text(const Session& session, uint64_t left, size_t devices) {
    if (session.ops().inflate == nullptr) return {};
    const size_t pieces = stages::inflate_batch_pieces(session.batch_bases());
    const uint64_t wanted = stages::inflate_device_bytes(pieces, devices);
    return stages::leaves_room_to_inflate(left, wanted) ? "; " + size_text(wanted) + " to inflate reads"
                                                        : "; reads are inflated on the CPU";
}

std::string device_text(const Session& session, const cuda::DeviceInfo& device, size_t devices,
                        const align::Aligner* aligner) {
    const uint64_t batch_bases = session.batch_bases();
    const uint64_t streams = (session.slots() + devices - 1) / devices;
    stages::ResidentPlan resident{0, 0, cuda::usable_bytes(device)};
    if (aligner != nullptr) resident = stages::plan_resident(device, *aligner, session.slots(), batch_bases);
    const bool is_resident = aligner != nullptr && resident.fits();
    const kernels::StreamSize size = stages::align_stream_size(
        batch_bases, is_resident ? session.ops() : session.ops().without_resident());
    const uint64_t left = resident.usable_bytes - (is_resident ? resident.index_bytes : 0);
    const uint64_t each = std::min(size.device_bytes, left / streams);
    std::string text = device.name + ", " + size_text(resident.usable_bytes) + " usable: ";
    if (is_resident) text += size_text(resident.index_bytes) + " of index and reference, ";
    text += count_text(streams, "stream", "streams") + " with " + size_text(each) + " each" +
            (each < size.device_bytes
                 ? " (" + size_text(size.device_bytes) + " are wanted: batches take several passes)"
                 : "");
    text += inflating_text(session, left - each * streams, devices);
    text += compression_text(session, resident.usable_bytes, streams);
    if (aligner == nullptr || is_resident) return text;
    return text + "; index and reference (" + size_text(resident.index_bytes) + ") do not fit beside " +
           size_text(resident.streams_bytes) +
           " of the streams: seeding and the search for candidates run on the CPU";
}

}  // namespace

std::string describe_plan(const std::string& reference_path, const std::string& index_path,
                          const ResourceOptions& options) {
    check_readable(reference_path);
    Session session(options);
    const std::string path = index_path.empty() ? align::default_index_path(reference_path) : index_path;
    const std::shared_ptr<const align::Index> index =
        open_existing_index(reference_path, index_path, session);
    std::string text = "plan of a run with " + reference_path + ", backend " +
                       std::string(kernels::name(session.ops().backend)) + "\n";
    if (index) {
        text += line("index", path + ", " + size_text(index->size_bytes()) +
                                  " on the host (memory-mapped), of which the 2-bit reference has " +
                                  size_text(index->reference()->packed().size_bytes()));
    } else {
        text += line("index", path + " does not exist yet (gannet index): not counted");
    }
    text += line("host", host_text(session, index ? index->size_bytes() : 0));
    if (session.ops().backend != kernels::Backend::cuda) return text + line("devices", "none is used");
    std::optional<align::Aligner> aligner;
    if (index) aligner.emplace(index, align::AlignerParameters{}, std::vector<data::ReadGroup>{});
    const std::vector<cuda::DeviceInfo> used = cuda::devices_in_use();
    for (const cuda::DeviceInfo& device : used)
        text += line("device " + std::to_string(device.ordinal),
                     device_text(session, device, used.size(), aligner ? &*aligner : nullptr));
    return text;
}

}  // namespace gannet::pipeline
