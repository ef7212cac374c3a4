// SPDX-License-Identifier: MIT
// Provides what every job needs: threads and their arena, the ops, the plan of memory, the trace, and
// pre-flight checks.
#pragma once

#include "data/task_runner.hpp"
#include "kernels/op_table.hpp"
#include "pipeline/energy/energy_meter.hpp"
#include "pipeline/jobs/backend_choice.hpp"
#include "pipeline/jobs/options.hpp"
#include "pipeline/trace.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace gannet::pipeline {

/// Batches in flight in each graph beyond one per thread.
constexpr size_t k_look_ahead = 2;
/// More of them where there is a device: with six rounds on it a batch waits there most of the time, and with
/// less in flight the simulated device was idle for a sixth of the host's time.
constexpr size_t k_device_slots = 4;

/// How --memory is divided. Nothing here affects a result.
struct MemoryPlan {
    uint64_t sorter_bytes = 0;  ///< records held before they spill
    uint64_t marker_bytes = 0;  ///< keys of duplicates held before they spill
    bool keep_sample = false;   ///< the insert-size sample keeps its work
    size_t align_slots = 0;
    size_t emit_slots = 0;
    size_t call_slots = 0;
};

/// Throws Error(host_memory) when `total` cannot hold what a run with this index needs. `slots`: batches in
/// flight in each graph; 0 is threads + 2. `device_bytes`: of the host, for devices: pinned memory of the
/// streams, and what is read ahead for them.
MemoryPlan plan_memory(uint64_t total_bytes, uint64_t index_bytes, int threads, size_t slots = 0,
                       uint64_t device_bytes = 0);

/// Holds headers and lists of contigs to --memory, also those that are read before there is a Session
/// (data::require_memory).
void limit_headers(const ResourceOptions& options);

/// How a session begins.
struct SessionStart {
    /// The driver is asked beside what the job does until it first needs the ops. It must ask for these
    /// before it writes anything, so that a missing device ends it with nothing written.
    bool is_beside = false;
    /// CPU seconds that all of the run takes on the host's own backend, where they are known: with less than
    /// a device takes to start, `auto` takes none.
    std::optional<double> cpu_s;
};

/// Resolves the options; one object per process. Messages wait for its own first ones, which wait for the
/// driver. Throws what choose_ops() throws, with `is_beside` when the ops are first asked for.
class Session {
  public:
    explicit Session(const ResourceOptions& options, const SessionStart& start = {});

    int threads() const { return threads_; }
    uint64_t memory_bytes() const { return memory_bytes_; }
    /// Batches in flight in each graph: one per thread, some look-ahead, and more where there is a device.
    size_t slots() const;
    /// Bases of reads per batch: more where there is a device.
    uint64_t batch_bases() const;
    /// Pinned memory that the streams of these slots, and of inflating, take at the start; 0 without a
    /// device.
    uint64_t pinned_bytes() const;
    /// Of reads that are read ahead because an op inflates them, beyond what plan_memory() counts for all.
    uint64_t read_ahead_bytes() const;
    /// Waits for the choice of the backend; the first call opens the file of --log.
    const kernels::OpTable& ops() const;
    /// The backend and why it was chosen. Waits for the driver.
    const std::string& backend_choice() const { return choice_.reason(); }
    Tracer& tracer() { return tracer_; }
    EnergyMeter& energy() const { return *energy_; }
    const ResourceOptions& options() const { return options_; }
    /// Runs `body` with the session's threads; flow graphs belong in here.
    void in_arena(const std::function<void()>& body) { arena_.execute(body); }
    /// The same threads for inflating the input.
    data::TaskRunner& input_tasks() { return *input_tasks_; }
    /// Writes the trace file, if one was asked for.
    void write_trace() const;

  private:
    BackendRequest request_of(const SessionStart& start) const;
    /// The first messages of a job.
    void announce(const std::string& reason) const;

    ResourceOptions options_;
    int threads_;
    uint64_t memory_bytes_;
    Tracer tracer_;
    BackendChoice choice_;
    mutable std::once_flag is_chosen_;
    std::unique_ptr<EnergyMeter> energy_;
    tbb::global_control control_;
    tbb::task_arena arena_;
    std::unique_ptr<data::TaskRunner> input_tasks_;
};

/// Error(output_failed) unless `path` can be written: for a file, its folder exists and is writable, and it
/// is neither a folder itself nor write-protected; a device, pipe or descriptor is open to writing.
void check_writable(const std::string& path);
/// Error(output_failed) if `path` is a folder.
void check_no_folder(const std::string& path);
/// Makes the folder where it is missing; Error(output_failed) when it cannot be made or written to.
void make_output_folder(const std::string& path);
/// Error(malformed_input) for an input of which stat() fails.
[[noreturn]] void throw_not_found(const std::string& path, int error_number);
/// Error(malformed_input) unless `path` is a file that can be read.
void check_readable(const std::string& path);
/// Throws Error(malformed_input) where standard input is closed, which a read of it would take for its end.
void check_standard_input();
/// Throws Error(malformed_input) of a pipe, where a file is needed that can be read more than once, or from
/// the middle.
void check_no_pipe(const std::string& path);
/// Folder of a file, "." where it has none.
std::string folder_of(const std::string& path);

}  // namespace gannet::pipeline
