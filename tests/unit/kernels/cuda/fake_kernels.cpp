// SPDX-License-Identifier: MIT
// Provides the kernels of all ops on the fake runtime.
#include "tests/unit/kernels/cuda/fake_kernels.hpp"

#include "kernels/banded_sw/banded_sw_emulated.hpp"
#include "kernels/banded_sw/banded_sw_windows_schedule.hpp"
#include "kernels/candidates/candidates_schedule.hpp"
#include "kernels/deflate/deflate_schedule.hpp"
#include "kernels/inflate/inflate_schedule.hpp"
#include "kernels/pair_hmm/pair_hmm_schedule.hpp"
#include "kernels/pairing/pairing_schedule.hpp"
#include "kernels/pileup_network/pileup_network_emulated.hpp"
#include "kernels/pileup_network/pileup_network_schedule.hpp"
#include "kernels/rescue/rescue_schedule.hpp"
#include "kernels/seeds/seeds_schedule.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace gannet::tests {

namespace {

using namespace kernels;

/// `work` of each warp of a launch, by its number among all.
template <class Work>
std::function<void()> of_each_warp(const FakeLaunch& launch, Work work) {
    const uint32_t warps = launch.blocks * (launch.threads / k_warp_lanes);
    return [warps, work]() mutable {
        for (uint32_t warp = warps; warp-- > 0;) work(warp, warps);
    };
}

/// Memory of a warp that holds what others have left there.
template <class T>
class Dirty {
  public:
    Dirty() : value_(new T) { std::memset(static_cast<void*>(value_.get()), 0x5a, sizeof(T)); }
    T& operator*() const { return *value_; }

  private:
    std::shared_ptr<T> value_;  // of all copies of a kernel's work
};

std::function<void()> rescue_search(const FakeLaunch& launch) {
    const auto arrays = launch.argument<rescue::RescueArrays>(0);
    return of_each_warp(launch, [arrays, shared = Dirty<rescue::SearchShared>()](uint32_t warp, uint32_t) {
        if (warp < arrays.count) rescue::search_window(HostWarp(warp), arrays, *shared, warp);
    });
}

std::function<void()> rescue_compare(const FakeLaunch& launch) {
    const auto arrays = launch.argument<rescue::RescueArrays>(0);
    return of_each_warp(launch, [arrays, shared = Dirty<rescue::CompareShared>()](uint32_t warp, uint32_t) {
        const uint32_t first = warp * k_warp_lanes;
        if (first < arrays.count) rescue::compare_windows(HostWarp(warp), arrays, *shared, first);
    });
}

std::function<void()> place_templates(const FakeLaunch& launch) {
    const auto arrays = launch.argument<pairing::PairingArrays>(0);
    return of_each_warp(launch, [arrays, shared = Dirty<pairing::WarpShared>()](uint32_t warp, uint32_t) {
        const uint32_t first = warp * k_warp_lanes;
        if (first < arrays.templates()) pairing::place_templates(HostWarp(warp), arrays, *shared, first);
    });
}

std::function<void()> compress_blocks(const FakeLaunch& launch) {
    const auto arrays = launch.argument<deflate::DeflateArrays>(0);
    auto* const scratch = launch.argument<deflate::WarpScratch*>(1);
    return of_each_warp(
        launch, [arrays, scratch, shared = Dirty<deflate::WarpShared>()](uint32_t warp, uint32_t warps) {
            for (uint32_t block = warp; block < arrays.count; block += warps)
                deflate::BlockSchedule<HostWarp>(HostWarp(warp), arrays, *shared, scratch[warp], block).run();
        });
}

std::function<void()> inflate_streams(const FakeLaunch& launch) {
    const auto arrays = launch.argument<inflate::InflateArrays>(0);
    return of_each_warp(launch, [arrays, shared = Dirty<inflate::WarpShared>()](uint32_t warp, uint32_t) {
        if (warp < arrays.count)
            inflate::StreamSchedule<HostWarp>(HostWarp(warp), arrays, *shared, warp).run();
    });
}

std::function<void()> search_reads(const FakeLaunch& launch) {
    const auto arrays = launch.argument<candidates::CandidateArrays>(0);
    auto* const scratch = launch.argument<candidates::WarpScratch*>(1);
    return of_each_warp(
        launch, [arrays, scratch, shared = Dirty<candidates::WarpShared>()](uint32_t warp, uint32_t warps) {
            for (uint32_t read = warp; read < arrays.reads.reads; read += warps)
                candidates::ReadSchedule(HostWarp(warp), arrays, *shared, scratch[warp], read).run();
        });
}

/// The seeds of a warp's read are in dynamic shared memory where the launch has no other.
std::function<void()> seed_reads(const FakeLaunch& launch) {
    const auto job = launch.argument<seeds::Job>(0);
    auto* const memory = launch.argument<uint64_t*>(1);
    const uint64_t words = launch.argument<uint64_t>(2) / sizeof(uint64_t);
    const uint32_t in_block = launch.threads / k_warp_lanes;
    const auto own = std::make_shared<std::vector<uint64_t>>(launch.shared_bytes / sizeof(uint64_t));
    return of_each_warp(launch, [=, scratch = Dirty<seeds::WarpScratch>()](uint32_t warp, uint32_t warps) {
        uint64_t* const begin =
            memory == nullptr ? own->data() + warp % in_block * words : memory + warp * words;
        const seeds::SeedArrays arrays = seeds::SeedArrays::in(
            begin, reinterpret_cast<uint32_t*>(begin + job.seed_capacity), job.seed_capacity);
        for (uint32_t read = warp; read < job.reads.reads; read += warps)
            seeds::WarpSeeder<HostWarp>(HostWarp(warp), job, arrays, *scratch, read).run();
    });
}

std::function<void()> score_pairs(const FakeLaunch& launch) {
    const auto arrays = launch.argument<pair_hmm::WarpArrays>(0);
    float* const scratch = launch.argument<float*>(1);
    const uint64_t floats = launch.argument<uint64_t>(2);
    return of_each_warp(launch, [=](uint32_t warp, uint32_t warps) {
        for (uint32_t group = warp; group < arrays.groups(); group += warps) {
            for (uint32_t lane = k_warp_lanes; lane-- > 0;) {
                const uint32_t slot = group * k_warp_lanes + lane;
                if (slot < arrays.count)
                    pair_hmm::PairSchedule(arrays, arrays.pairs[slot], scratch + warp * floats + lane).run();
            }
        }
    });
}

std::function<void()> read_rows(const FakeLaunch& launch) {
    const auto batch = launch.argument<pileup::NetworkArrays>(0);
    return of_each_warp(launch, [batch, scratch = Dirty<pileup::RowScratch>()](uint32_t row, uint32_t) {
        if (row >= batch.row_count) return;
        pileup::read_row(pileup::NetworkWarp(row), batch.network,
                         batch.rows + uint64_t{row} * pileup::k_row_bytes, *scratch,
                         batch.read + uint64_t{row} * batch.network.read.outputs);
    });
}

std::function<void()> score_examples(const FakeLaunch& launch) {
    const auto batch = launch.argument<pileup::NetworkArrays>(0);
    return of_each_warp(
        launch, [batch, scratch = Dirty<pileup::ExampleScratch>()](uint32_t example, uint32_t) {
            if (example >= batch.examples) return;
            const uint64_t begin = batch.row_offset[example];
            pileup::score_example(pileup::NetworkWarp(example), batch.network,
                                  batch.rows + begin * pileup::k_row_bytes,
                                  batch.read + begin * batch.network.read.outputs,
                                  batch.row_offset[example + 1] - static_cast<uint32_t>(begin),
                                  batch.sites + uint64_t{example} * pileup::k_site_bytes, *scratch,
                                  batch.output + uint64_t{example} * pileup::k_outputs);
        });
}

/// Of words and of halves. A pass is of one kind of traceback, which is the template's argument.
std::function<void()> extend_groups(const FakeLaunch& launch) {
    const auto batch = launch.argument<banded_sw::WarpBatch>(0);
    const uint32_t begin = launch.argument<uint32_t>(1);
    const uint32_t end = launch.argument<uint32_t>(2);
    const bool halves = launch.kernel.find("extend_half_groups") != std::string::npos;
    const char trace = launch.kernel.at(launch.kernel.find('>') - 1);
    return of_each_warp(launch, [=](uint32_t warp, uint32_t) {
        if (warp >= end - begin) return;
        const banded_sw::WarpGroup& group = batch.groups[end - 1 - warp];
        if (group.halves != halves || trace != '0' + static_cast<char>(group.trace))
            throw std::logic_error("a group was given to the kernel of another kind");
        banded_sw::emulated::run_group(batch, group);
    });
}

std::function<void()> write_windows(const FakeLaunch& launch) {
    const auto arrays = launch.argument<banded_sw::WindowArrays>(0);
    return of_each_warp(launch, [arrays](uint32_t job, uint32_t) {
        if (job < arrays.count) banded_sw::write_window(HostWarp(job), arrays, job);
    });
}

}  // namespace

void add_fake_kernels() {
    const std::string all = "gannet::kernels::";
    fake_cuda_runtime().kernels = {{all + "rescue::on_device::search_windows", rescue_search},
                                   {all + "rescue::on_device::compare_found", rescue_compare},
                                   {all + "pairing::on_device::place_templates_kernel", place_templates},
                                   {all + "deflate::on_device::compress_blocks", compress_blocks},
                                   {all + "inflate::on_device::inflate_streams", inflate_streams},
                                   {all + "find_candidates::on_device::seed_reads", seed_reads},
                                   {all + "find_candidates::on_device::search_reads", search_reads},
                                   {all + "pair_hmm::on_device::score_pairs", score_pairs},
                                   {all + "pileup::on_device::read_rows", read_rows},
                                   {all + "pileup::on_device::score_examples", score_examples},
                                   {all + "banded_sw::on_device::extend_groups", extend_groups},
                                   {all + "banded_sw::on_device::extend_half_groups", extend_groups},
                                   {all + "banded_sw::on_device::write_windows", write_windows}};
}

}  // namespace gannet::tests
