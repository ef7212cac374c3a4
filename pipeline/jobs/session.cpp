// SPDX-License-Identifier: MIT
// Provides the session of a job and its pre-flight checks.
#include "pipeline/jobs/session.hpp"

#include "data/error.hpp"
#include "data/memory_budget.hpp"
#include "data/output_file.hpp"
#include "data/read_ahead.hpp"
#include "kernels/cuda/device.hpp"
#include "pipeline/graph/sleeping_graph.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/log.hpp"
#include "pipeline/machine.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/stages/stream_sizes.hpp"
#include "pipeline/temporary_folder.hpp"
#include "pipeline/thread_check.hpp"

#include <tbb/task_group.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using data::Error;
using data::ErrorKind;

constexpr uint64_t k_mb = 1ull << 20;
constexpr uint64_t k_base_bytes = 96 * k_mb;    // program, writers, readers of two lanes (k_max_input_bytes)
constexpr uint64_t k_thread_bytes = 48 * k_mb;  // batches in flight and their scratch memory, per thread
/// Enough reads for full groups of banded_sw's lanes in each of its rounds (docs/alignment.md), few enough
/// for the cache.
constexpr uint64_t k_batch_bases = 800'000;
/// Each round of a batch on a device wakes threads that have run out of work before: with four times as many
/// reads a batch that costs a quarter.
constexpr uint64_t k_device_batch_bases = 1'600'000;
/// Of a device: the driver's first answer, its context, and memory (0.3 to 0.4 s on an H200).
constexpr double k_device_start_s = 0.3;
constexpr uint64_t k_pile_up_bytes =
    48 * k_mb;  // windows of very deep coverage, and the first pass of calling
constexpr uint64_t k_min_sorter_bytes = 32 * k_mb;
constexpr uint64_t k_sample_bytes = 1536 * k_mb;  // work of 2^17 templates kept at once

/// Read ahead of a lane of two files and of the next one.
constexpr uint64_t k_max_input_files = 4;
constexpr uint64_t k_max_input_bytes = k_max_input_files * data::ReadAhead::k_max_buffer_bytes;
static_assert(3 * k_max_input_bytes < k_base_bytes);

/// Tasks wait in the first-in-first-out queue of the arena. Its threads look there when they have no step of
/// a batch to go on with. The time of the work is recorded as a stage.
class ArenaTasks final : public data::TaskRunner {
  public:
    ArenaTasks(tbb::task_arena& arena, int threads, Tracer& tracer, std::string stage)
        : arena_(arena), threads_(threads), tracer_(tracer), stage_(std::move(stage)) {}
    ~ArenaTasks() noexcept override {
        arena_.execute([this] { group_.wait(); });
    }
    ArenaTasks(const ArenaTasks&) = delete;
    ArenaTasks& operator=(const ArenaTasks&) = delete;

    unsigned threads() const override { return static_cast<unsigned>(threads_); }
    void submit(std::function<void()> task) override { arena_.enqueue(group_.defer(std::move(task))); }
    void run(const std::function<void()>& work) override {
        // The stage is made when it is first used, so that jobs without reads do not report it.
        const Span span(tracer_, tracer_.stage(stage_), 0);
        work();
    }

  private:
    tbb::task_arena& arena_;
    const int threads_;
    Tracer& tracer_;
    const std::string stage_;
    tbb::task_group group_;
};

/// The thread that waits for a graph has a place in the arena, also where it sleeps there.
int arena_places(int threads) { return graph::k_caller_sleeps ? threads + 1 : threads; }

ErrorKind space_or_failure() { return errno == ENOSPC ? ErrorKind::disk_space : ErrorKind::output_failed; }

}  // namespace

MemoryPlan plan_memory(uint64_t total_bytes, uint64_t index_bytes, int threads, size_t slots,
                       uint64_t device_bytes) {
    const size_t usual_slots = static_cast<size_t>(threads) + k_look_ahead;
    if (slots == 0) slots = usual_slots;
    const uint64_t batches = static_cast<uint64_t>(threads) + (slots > usual_slots ? slots - usual_slots : 0);
    const uint64_t fixed = index_bytes + k_base_bytes + batches * k_thread_bytes + device_bytes;
    if (total_bytes < fixed + k_min_sorter_bytes) {
        throw Error(ErrorKind::host_memory,
                    "--memory " + size_text(total_bytes) + " is too little: this reference and " +
                        std::to_string(threads) + " threads need " + size_text(fixed + k_min_sorter_bytes));
    }
    MemoryPlan plan;
    const uint64_t rest = total_bytes - fixed;
    // What is left covers what the allocator holds beyond the buffers, and the windows of a pile-up.
    plan.sorter_bytes = std::max(k_min_sorter_bytes, (rest - std::min(rest, k_pile_up_bytes)) / 2);
    plan.marker_bytes = rest / 10;
    plan.keep_sample = rest > 2 * k_sample_bytes;
    plan.align_slots = slots;
    plan.emit_slots = slots;
    plan.call_slots = slots;
    return plan;
}

namespace {

uint64_t memory_of(const ResourceOptions& options) {
    return options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes();
}

}  // namespace

void limit_headers(const ResourceOptions& options) { data::set_memory_budget(memory_of(options)); }

Session::Session(const ResourceOptions& options, const SessionStart& start)
    : options_(options),
      threads_(options.threads > 0 ? options.threads : default_threads()),
      memory_bytes_(memory_of(options)),
      tracer_(!options.trace.empty()),
      choice_(request_of(start), tracer_, [this](const std::string& reason) { announce(reason); }),
      energy_(std::make_unique<EnergyMeter>()),
      control_(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(arena_places(threads_))),
      arena_(arena_places(threads_)),
      input_tasks_(std::make_unique<ArenaTasks>(arena_, threads_, tracer_, "align.inflate")) {
    limit_headers(options);
    if (!options.temporary.empty()) check_temporary_parent(options.temporary);
    start_threads(arena_, arena_places(threads_) - 1);
    tracer_.in_flight().set_memory_limit(memory_bytes_);
    if (!start.is_beside) (void)ops();
}

BackendRequest Session::request_of(const SessionStart& start) const {
    // Before the driver is asked: it reads the environment, and the limit must be known. What is logged
    // meanwhile waits for the lines that come first.
    kernels::cuda::set_environment();
    kernels::cuda::limit_memory(options_.device_memory_bytes);
    hold_log();
    const bool is_little = start.cpu_s && *start.cpu_s / threads_ < k_device_start_s;
    return {options_.backend, options_.devices, is_little};
}

void Session::announce(const std::string& reason) const {
    const kernels::OpTable& ops = choice_.ops();
    // Why no device was chosen is of interest where there is one; elsewhere it is in run.json only.
    std::string backend = "backend " + std::string(kernels::name(ops.backend));
    if (ops.backend == kernels::Backend::simd)
        backend += " (" + std::string(kernels::name(ops.simd_level)) + ")";
    if (!kernels::cuda::devices().empty()) backend = reason;
    release_log({program_name() + " on " + machine_text(this_machine()),
                 "using " + std::to_string(threads_) + (threads_ == 1 ? " thread, " : " threads, ") +
                     size_text(memory_bytes_) + " of memory, " + backend});
}

const kernels::OpTable& Session::ops() const {
    std::call_once(is_chosen_, [this] {
        const kernels::OpTable& ops = choice_.ops();
        open_log();
        if (ops.backend != kernels::Backend::cuda) return;
        std::vector<std::string> uuids;
        for (const kernels::cuda::DeviceInfo& device : kernels::cuda::devices_in_use())
            uuids.push_back(device.uuid);
        energy_->add_devices(uuids);
    });
    return choice_.ops();
}

size_t Session::slots() const {
    if (options_.slots > 0) return options_.slots;
    const bool device = ops().backend == kernels::Backend::cuda;
    return static_cast<size_t>(threads_) + k_look_ahead + (device ? k_device_slots : 0);
}

uint64_t Session::batch_bases() const {
    if (options_.batch_bases > 0) return options_.batch_bases;
    return ops().backend == kernels::Backend::cuda ? k_device_batch_bases : k_batch_bases;
}

uint64_t Session::pinned_bytes() const {
    if (ops().backend != kernels::Backend::cuda) return 0;
    // The graphs of aligning, and of emitting and calling, run one after the other.
    uint64_t aligning = slots() * stages::align_stream_size(batch_bases(), ops()).pinned_bytes;
    if (ops().inflate != nullptr) {
        const size_t pieces = stages::inflate_batch_pieces(batch_bases());
        aligning += stages::k_inflate_streams * stages::inflate_stream_size(pieces).pinned_bytes;
    }
    return std::max(aligning, slots() * (stages::call_stream_size(options_.batch_records).pinned_bytes +
                                         stages::emit_stream_size().pinned_bytes));
}

uint64_t Session::read_ahead_bytes() const {
    if (ops().inflate == nullptr) return 0;
    const size_t pieces = stages::inflate_batch_pieces(batch_bases());
    return k_max_input_files * data::ReadAhead::max_buffer_bytes(pieces) - k_max_input_bytes;
}

void Session::write_trace() const {
    if (!options_.trace.empty()) tracer_.write(options_.trace);
}

std::string folder_of(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

void check_no_folder(const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        throw Error(ErrorKind::output_failed, path + ": is a folder; name a file");
}

void check_writable(const std::string& path) {
    using data::OutputPath;
    const OutputPath target = data::resolve_output(path);
    if (target.kind == OutputPath::Kind::descriptor) {
        const int flags = fcntl(target.descriptor, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) data::throw_output_failed(path, EBADF);
        return;
    }
    if (target.kind == OutputPath::Kind::in_place) {
        if (access(path.c_str(), W_OK) != 0) data::throw_output_failed(path, errno);
        return;
    }
    std::error_code ignored;
    const std::string folder = folder_of(target.path);
    check_no_folder(path);
    if (!fs::is_directory(folder, ignored)) {
        throw Error(ErrorKind::output_failed, path + ": there is no folder " + folder + "; create it first");
    }
    if (access(folder.c_str(), W_OK) != 0) {
        throw Error(ErrorKind::output_failed,
                    path + ": cannot be written (permission of folder " + folder + ")");
    }
    // A rename would replace it all the same, which is not what its owner meant.
    if (access(target.path.c_str(), F_OK) == 0 && access(target.path.c_str(), W_OK) != 0) {
        throw Error(ErrorKind::output_failed,
                    path + ": is write-protected: choose another name, or make it writable (chmod)");
    }
}

void make_output_folder(const std::string& path) {
    if (path == "-")
        throw Error(ErrorKind::usage, "-o -: a folder is written, which standard output is not: name one");
    std::error_code fault;
    fs::create_directories(path, fault);
    if (fault || !fs::is_directory(path)) {
        throw Error(space_or_failure(), path + ": cannot be made a folder (" + fault.message() + ")");
    }
    if (access(path.c_str(), W_OK) != 0) {
        throw Error(ErrorKind::output_failed, path + ": folder cannot be written to (permission)");
    }
}

void check_standard_input() {
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY)
        throw Error(ErrorKind::malformed_input, "standard input is closed: open it, or name a file");
}

void check_no_pipe(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        throw Error(ErrorKind::malformed_input, path + ": is a pipe; a file is needed");
}

void throw_not_found(const std::string& path, int error_number) {
    const bool is_missing = error_number == ENOENT || error_number == ENOTDIR;
    throw Error(ErrorKind::malformed_input,
                path + (is_missing ? ": no such file"
                                   : std::string(": cannot be opened: ") + std::strerror(error_number)));
}

void check_readable(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) throw_not_found(path, errno);
    if (S_ISDIR(status.st_mode)) throw Error(ErrorKind::malformed_input, path + ": is a folder, not a file");
    if (access(path.c_str(), R_OK) != 0) {
        throw Error(ErrorKind::malformed_input, path + ": cannot be read (permission)");
    }
}

}  // namespace gannet::pipeline
