// SPDX-License-Identifier: MIT
// Provides a simulated device: the interface of kernels/cuda/device.hpp on threads, with a latency and
// with faults.
//
// Linked with the whole of gannet into the test program gannet_fake_device, in place of the object that
// looks for CUDA devices. A call of an op prepares as on a device (the plan of banded_sw, the memory that it
// needs); submit() only enqueues; a thread of the stream computes the batch later, with the simd functions
// (deflate: emulated), while it holds one of its device's engines for the batch's time. Memory of devices and
// pinned memory are counted and grow as on a device, but nothing is written there; an op whose index or
// genome is not resident is refused. Settings are those of tests/support/fake_settings.hpp.
// Faults are reported with the messages of the real device where these do not mention CUDA.
#include "kernels/banded_sw/banded_sw_sections.hpp"
#include "kernels/cuda/arena.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_choice.hpp"
#include "kernels/cuda/launch_shape.hpp"
#include "kernels/cuda/lost_device.hpp"
#include "kernels/cuda/memory_budget.hpp"
#include "kernels/deflate/deflate_sections.hpp"
#include "kernels/find_candidates/find_candidates_sections.hpp"
#include "kernels/inflate/inflate_sections.hpp"
#include "kernels/pair_hmm/pair_hmm_sections.hpp"
#include "kernels/pairing/pairing_sections.hpp"
#include "kernels/rescue/rescue_sections.hpp"
#include "tests/support/fake_codecs.hpp"
#include "tests/support/fake_reports.hpp"
#include "tests/support/fake_settings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace gannet::kernels::cuda {
namespace {

using std::chrono::steady_clock;
using tests::cpu_report;
using tests::meetings;
using tests::setting;

uint64_t mixed(uint64_t value) {  // splitmix64's finaliser
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch())
        .count();
}

int64_t thread_cpu_ns() {
    timespec used = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

/// Numbers of batches that are not of inflate.
constexpr uint64_t k_before_inflate = 1'000'000;

/// Blocks of memory that are only counted.
class CountedSource final : public MemorySource {
  public:
    explicit CountedSource(uint64_t max_block_bytes) : max_block_bytes_(max_block_bytes) {}
    void* allocate(uint64_t bytes) override { return bytes > max_block_bytes_ ? nullptr : new uint8_t; }
    void free(void* memory) noexcept override { delete static_cast<uint8_t*>(memory); }

  private:
    const uint64_t max_block_bytes_;
};

/// A device: its engines, its memory and whether it still works.
class Device {
  public:
    Device(DeviceInfo device, uint64_t memory_bytes)
        : info(std::move(device)),
          budget(memory_bytes, "device " + std::to_string(info.ordinal) + " (" + info.name + ")") {}

    const DeviceInfo info;
    CountedSource memory{setting("block_kb") << 10};
    MemoryBudget budget;
    /// What make_resident() was given; null: nothing is resident.
    std::atomic<const SeedEntry*> entries{nullptr};
    std::atomic<const uint64_t*> packed{nullptr};

    /// Does one batch's work on an engine; throws what the settings say.
    DeviceSpan run(uint64_t batch, const std::function<void()>& work) {
        {
            std::unique_lock lock(mutex_);
            freed_.wait(lock, [this] { return busy_ < setting("engines"); });
            ++busy_;
        }
        const auto end = steady_clock::now() + time_of(batch);
        DeviceSpan span;
        span.begin_ns = span.kernels_begin_ns = now_ns();
        std::exception_ptr fault;
        try {
            if (batch == setting("fails_at")) lost_ = true;
            if (lost_) raise_lost_device(info.name + ": batch " + std::to_string(batch));
            if (batch == setting("memory_at")) budget.take(UINT64_MAX / 2, "fake device: a batch");
            if (batch != setting("loses_at")) work();
        } catch (...) {
            fault = std::current_exception();
        }
        std::this_thread::sleep_until(end);
        span.end_ns = span.kernels_end_ns = now_ns();
        {
            const std::lock_guard lock(mutex_);
            --busy_;
        }
        freed_.notify_one();
        // Only now: the reads of the batch that is waited for may need the engine to be inflated.
        if (setting("meets") != 0 && batch <= k_before_inflate) meetings().wait_for_one_after(batch);
        if (fault) std::rethrow_exception(fault);
        return span;
    }

  private:
    static std::chrono::microseconds time_of(uint64_t batch) {
        const uint64_t latency = setting("latency_us");
        if (setting("jitter") == 0) return std::chrono::microseconds(latency);
        const uint64_t max_us = latency + latency * setting("jitter") / 100;
        return std::chrono::microseconds(mixed(setting("seed") * 0x9e3779b97f4a7c15ull + batch) %
                                         (max_us + 1));
    }

    std::atomic<bool> lost_{false};
    std::mutex mutex_;
    std::condition_variable freed_;
    uint64_t busy_ = 0;
};

/// All that the streams have in common.
struct Machine {
    std::vector<DeviceInfo> chosen;  ///< by use_devices()
    uint64_t limit_bytes = 0;
    CountedSource pinned_source{UINT64_MAX};
    MemoryBudget pinned{UINT64_MAX / 2, "host", "pinned memory", ""};
    std::vector<std::unique_ptr<Device>> used;
    size_t next = 0;
    std::atomic<uint64_t> inflated{k_before_inflate};  ///< number of the batch of inflate before the next
};
Machine& machine() {
    static Machine the_machine;
    return the_machine;
}

std::vector<std::unique_ptr<Device>>& used_devices() {
    Machine& all = machine();
    if (all.used.empty()) {
        for (const DeviceInfo& info : devices_in_use()) {
            const uint64_t own_bytes = setting("memory_mb") << 20;
            all.used.push_back(std::make_unique<Device>(
                info, all.limit_bytes == 0 ? own_bytes : std::min(own_bytes, all.limit_bytes)));
        }
        if (all.used.empty()) throw DeviceUnfit(device_status().detail);
    }
    return all.used;
}

Device& next_device() {
    const auto& used = used_devices();
    return *used[machine().next++ % used.size()];
}

/// An index and a genome on a device: counted, and what its ops ask for.
class HeldIndex {
  public:
    HeldIndex(Device& device, const SeedIndexView& index, const GenomeView& genome)
        : device_(device), bytes_(resident_bytes(index, genome)) {
        device.budget.take(bytes_, "the resident index and reference");
        device.entries = index.words;
        device.packed = genome.packed;
    }
    HeldIndex(const HeldIndex&) = delete;
    HeldIndex& operator=(const HeldIndex&) = delete;
    ~HeldIndex() {
        device_.entries = nullptr;
        device_.packed = nullptr;
        device_.budget.give_back(bytes_);
    }

  private:
    Device& device_;
    const uint64_t bytes_;
};

class FakeResident final : public Resident {
  public:
    FakeResident(const SeedIndexView& index, const GenomeView& genome) {
        for (const auto& device : used_devices())
            held_.push_back(std::make_unique<HeldIndex>(*device, index, genome));
    }

  private:
    std::vector<std::unique_ptr<HeldIndex>> held_;
};

/// Tasks run in order on a thread of the stream; the first fault is thrown by the next wait().
class FakeStream final : public Stream {
  public:
    explicit FakeStream(Device& device)
        : device_(device),
          device_arena_(device.memory, device.budget),
          pinned_arena_(machine().pinned_source, machine().pinned),
          thread_([this] {
              work();
              cpu_report().add(thread_cpu_ns());
          }) {}
    ~FakeStream() override {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    void start(const StreamSize& size) {
        device_arena_.start(size.device_bytes, "fake device: a stream");
        pinned_arena_.start(size.pinned_bytes, "fake device: a stream");
    }
    void reserve(uint64_t bytes, uint64_t least_scratch, uint64_t wanted_scratch) {
        pinned_arena_.reserve(bytes, bytes, "fake device: a batch");
        device_arena_.reserve(bytes + least_scratch, bytes + wanted_scratch, "fake device: a batch");
    }
    void prepared(std::function<void()> task, bool inflates = false) {
        prepared_ = std::move(task);
        inflates_ = inflates;
    }

    void submit() override {
        span_ = {};
        if (!prepared_) return;
        const uint64_t number = inflates_ ? ++machine().inflated : meetings().submitted();
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back([this, number, task = std::exchange(prepared_, nullptr)] {
                span_ = device_.run(number, task);
            });
        }
        changed_.notify_all();
    }
    void block() noexcept override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return tasks_.empty(); });
    }
    void wait() override {
        if (prepared_) submit();
        block();
        if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
    }
    DeviceSpan device_span() const override { return span_; }
    StreamSize memory() const override { return {device_arena_.bytes(), pinned_arena_.bytes()}; }
    bool is_synchronous() const override { return false; }
    const Device& device() const { return device_; }

    banded_sw::WarpPlan plan;
    pair_hmm::WarpPlan pairs;
    rescue::NamedReads named;
    deflate::WarpPlan blocks;
    inflate::WarpPlan streams;
    pairing::ComparedReads compared;

  private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            const std::function<void()>& task = tasks_.front();  // a deque's elements stay where they are
            lock.unlock();
            std::exception_ptr fault;
            try {
                task();
            } catch (...) {
                fault = std::current_exception();
            }
            lock.lock();
            if (fault && !fault_) fault_ = fault;
            tasks_.pop_front();
            changed_.notify_all();
        }
    }

    Device& device_;
    Arena device_arena_;
    Arena pinned_arena_;
    DeviceSpan span_;
    std::function<void()> prepared_;
    bool inflates_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::exception_ptr fault_;
    bool closing_ = false;
    std::thread thread_;  // last: it uses the others
};

FakeStream& fake(Stream& stream) { return dynamic_cast<FakeStream&>(stream); }

void fake_banded_sw(Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results) {
    static const BandedSwFunction compute = banded_sw_function(Backend::simd, detected_simd_level());
    banded_sw::WarpPlan& plan = fake(stream).plan;
    plan.prepare(scoring, batch);
    fake(stream).reserve(banded_sw::lay_out(plan, batch.bases.size()).bytes, plan.min_scratch_bytes(),
                         plan.wanted_scratch_bytes());
    fake(stream).prepared([&] { compute(stream, scoring, batch, results); });
}

/// As the lookup of kernels/cuda/resident.hpp.
void expect_resident(Stream& stream, const GenomeView& genome, const SeedEntry* entries = nullptr) {
    const Device& device = fake(stream).device();
    if (device.packed != genome.packed || (entries != nullptr && device.entries != entries))
        throw std::logic_error("an op was given an index or a genome that is not resident on its device");
}

void fake_banded_sw_windows(Stream& stream, const BandedSwScoring& scoring, const GenomeView& genome,
                            const ReadBatchView& reads, const BandedSwWindows& windows,
                            BandedSwResults& results) {
    static const BandedSwWindowsFunction compute =
        banded_sw_windows_function(Backend::simd, detected_simd_level());
    expect_resident(stream, genome);
    banded_sw::WarpPlan& plan = fake(stream).plan;
    plan.prepare(scoring, banded_sw::WindowSource{genome, reads, windows});
    const banded_sw::BatchSections sections = banded_sw::lay_out(plan, 0);
    fake(stream).reserve(sections.bytes, sections.arena_bytes + plan.min_scratch_bytes(),
                         sections.arena_bytes + plan.wanted_scratch_bytes());
    fake(stream).prepared([&] { compute(stream, scoring, genome, reads, windows, results); });
}

void fake_find_candidates(Stream& stream, const CandidateParameters& parameters, const SeedIndexView& index,
                          const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    static const FindCandidatesFunction compute =
        find_candidates_function(Backend::simd, detected_simd_level());
    expect_resident(stream, genome, index.words);
    const find_candidates::BatchSections sections(reads, index.kmer);
    fake(stream).reserve(sections.bytes, sections.least_scratch_bytes(), sections.wanted_scratch_bytes());
    fake(stream).prepared([&] { compute(stream, parameters, index, genome, reads, found); });
}

void fake_rescue(Stream& stream, const CandidateParameters& parameters, const GenomeView& genome,
                 const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results) {
    static const RescueFunction compute = rescue_function(Backend::simd, detected_simd_level());
    expect_resident(stream, genome);
    rescue::NamedReads& named = fake(stream).named;
    named.take(reads, windows);
    fake(stream).reserve(rescue::BatchSections(named).bytes, 0, 0);
    fake(stream).prepared([&] { compute(stream, parameters, genome, reads, windows, results); });
}

void fake_pairing(Stream& stream, const PairingParameters& parameters, const GenomeView& genome,
                  const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out) {
    static const PairingFunction compute = pairing_function(Backend::simd, detected_simd_level());
    expect_resident(stream, genome);
    pairing::ComparedReads& compared = fake(stream).compared;
    compared.take(reads, batch);
    fake(stream).reserve(pairing::BatchSections(reads, batch, compared).bytes, 0, 0);
    fake(stream).prepared([&] { compute(stream, parameters, genome, reads, batch, out); });
}

void fake_pair_hmm(Stream& stream, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    static const PairHmmFunction compute = pair_hmm_function(Backend::simd, detected_simd_level());
    pair_hmm::WarpPlan& plan = fake(stream).pairs;
    plan.prepare(batch);
    const uint32_t blocks = blocks_for("pair_hmm", plan.groups(), pair_hmm::k_warps_per_block);
    fake(stream).reserve(pair_hmm::BatchSections(plan).bytes, pair_hmm::block_scratch_bytes(plan),
                         pair_hmm::wanted_scratch_bytes(plan, blocks));
    fake(stream).prepared([&] {
        compute(stream, batch, likelihood);
        if (setting("self_test") == 2) ++likelihood.at(0);
    });
}

void fake_deflate(Stream& stream, const DeflateBatch& batch, DeflateResults& results) {
    fake(stream).blocks.prepare(batch);
    fake(stream).reserve(deflate::BatchSections(fake(stream).blocks).bytes, deflate::k_block_scratch_bytes,
                         deflate::wanted_scratch_bytes(batch.size()));
    fake(stream).prepared([&] {
        if (setting("quick_deflate") != 0)
            tests::deflate_by_library(batch, results);
        else
            deflate_function(Backend::emulated)(stream, batch, results);
    });
}

void fake_inflate(Stream& stream, std::span<const InflateBlock> blocks,
                  std::vector<InflateStatus>& statuses) {
    fake(stream).streams.prepare(blocks);
    fake(stream).reserve(inflate::BatchSections(fake(stream).streams).bytes, 0, 0);
    const auto inflate = [&stream, blocks, &statuses] {
        std::vector<InflateStatus> found(blocks.size(), InflateStatus::ok);
        for (size_t k = 0; k < blocks.size(); ++k) {
            if (tests::inflate_by_library(blocks[k])) continue;
            std::vector<InflateStatus> one;
            inflate_function(Backend::emulated)(stream, blocks.subspan(k, 1), one);
            found[k] = one.at(0);
        }
        statuses = found;
    };
    fake(stream).prepared(inflate, true);
}

void fake_pileup_network(Stream& stream, const PileupNetworkWeights& weights, const PileupNetworkBatch& batch,
                         std::vector<int32_t>& output) {
    static const PileupNetworkFunction compute =
        pileup_network_function(Backend::simd, detected_simd_level());
    fake(stream).reserve(batch.rows.size() + batch.sites.size(), 0, 0);
    fake(stream).prepared([&] { compute(stream, weights, batch, output); });
}

}  // namespace

std::vector<DeviceInfo> devices() {
    std::vector<DeviceInfo> all;
    for (uint64_t ordinal = 0; ordinal < setting("devices"); ++ordinal) {
        DeviceInfo& info = all.emplace_back();
        info.ordinal = static_cast<int>(ordinal);
        info.name = ordinal == 0 ? "fake device" : "fake device " + std::to_string(ordinal);
        info.uuid = "GPU-fa4e000" + std::to_string(ordinal) + "-0000-4000-8000-000000000000";
        info.memory_bytes = setting("memory_mb") << 20;
        if (setting("unfit") == 1 || (setting("unfit") == 2 && ordinal == 1)) info.unfit = "set to be unfit";
    }
    return all;
}

DeviceStatus device_status() { return status_of(machine().chosen.empty() ? devices() : machine().chosen); }

void use_devices(const std::vector<std::string>& references) {
    machine().chosen = choose_devices(devices(), references, device_status());
}

std::vector<DeviceInfo> devices_in_use() { return used_of(devices(), machine().chosen); }

void set_environment() {}

void prepare_devices() {}

std::string build_text() { return "driver 1.2, runtime 3.4; simulated"; }

std::string self_test_identity() {
    std::string text;
    if (setting("self_test") == 0) return text;
    for (const DeviceInfo& device : devices_in_use()) text += (text.empty() ? "" : ", ") + device.uuid;
    return text;
}

void limit_memory(uint64_t bytes) { machine().limit_bytes = bytes; }

std::vector<std::unique_ptr<Stream>> make_streams(size_t count, const StreamSize& size) {
    std::vector<std::unique_ptr<FakeStream>> streams(count);
    for (auto& stream : streams) stream = std::make_unique<FakeStream>(next_device());
    for (const auto& stream : streams) stream->start(size);
    return {std::make_move_iterator(streams.begin()), std::make_move_iterator(streams.end())};
}

MemoryUse memory_use() {
    MemoryUse use;
    for (const auto& device : machine().used) {
        use.devices.push_back({device->info, device->budget.total_bytes(), device->budget.most_used_bytes(),
                               device->budget.most_common_bytes(), device->memory.growths()});
    }
    use.most_pinned_bytes = machine().pinned.most_used_bytes();
    use.pinned_growths = machine().pinned_source.growths();
    return use;
}

uint64_t usable_bytes(const DeviceInfo& device) {
    const uint64_t limit = machine().limit_bytes;
    return limit == 0 ? device.memory_bytes : std::min(device.memory_bytes, limit);
}

CopyRates measure_copies(const DeviceInfo&, uint64_t) { throw DeviceUnfit("the fake device copies nothing"); }

BandedSwFunction banded_sw() { return fake_banded_sw; }
BandedSwWindowsFunction banded_sw_windows() { return fake_banded_sw_windows; }
PileupNetworkFunction pileup_network() { return fake_pileup_network; }
FindCandidatesFunction find_candidates() { return fake_find_candidates; }
RescueFunction rescue() { return fake_rescue; }
PairingFunction pairing() { return fake_pairing; }
PairHmmFunction pair_hmm() { return fake_pair_hmm; }
DeflateFunction deflate() { return fake_deflate; }
InflateFunction inflate() { return fake_inflate; }
std::unique_ptr<Resident> make_resident(const SeedIndexView& index, const GenomeView& genome) {
    return std::make_unique<FakeResident>(index, genome);
}

}  // namespace gannet::kernels::cuda
