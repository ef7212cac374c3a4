// SPDX-License-Identifier: MIT
// Provides what the ops of device_bench have in common: options, and the measurement of a row.
#pragma once

#include "kernels/op_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::device_bench {

struct Options {
    std::string op;
    std::string backend = "cuda";
    std::vector<size_t> jobs;
    std::vector<size_t> streams{1};
    std::vector<std::string> classes;
    size_t threads = 1;
    double seconds = 0.5;
    uint64_t bytes = 256 << 20;
    std::string index;
    std::vector<std::string> reads;  ///< one file, or two of mates

    /// Batches under way at the same time, at most.
    size_t most_lanes() const { return std::max(threads, *std::max_element(streams.begin(), streams.end())); }
};

/// Of the words of a command line: argv[1] is the op. Throws std::invalid_argument.
Options options_of(int argc, char** argv);

/// Calls the op on the stream that has this number.
using Call = std::function<void(kernels::Stream&, size_t)>;
/// A unit, and how many of it a batch has.
using Work = std::pair<std::string, double>;

/// Measures a batch of `jobs`, and writes a row for each number of streams.
void write_rows(const Options& options, const kernels::OpTable& table, std::string_view of, size_t jobs,
                const std::vector<Work>& work, const Call& call);

/// Cells of the bands of all jobs.
double band_cells(const kernels::BandedSwBatch& batch);

// The rows of an op. Those of jobs that are made (kernel_rows.cpp):
void banded_sw_rows(const Options& options, const kernels::OpTable& table);
void pair_hmm_rows(const Options& options, const kernels::OpTable& table);
void pileup_network_rows(const Options& options, const kernels::OpTable& table);
// of reads that are aligned to an index (aligner_rows.cpp):
void find_candidates_rows(const Options& options, const kernels::OpTable& table);
void banded_sw_windows_rows(const Options& options, const kernels::OpTable& table);
void rescue_rows(const Options& options, const kernels::OpTable& table);
void pairing_rows(const Options& options, const kernels::OpTable& table);
// of records of reads (deflate_rows.cpp):
void deflate_rows(const Options& options, const kernels::OpTable& table);
// and of the blocks of a file (inflate_rows.cpp):
void inflate_rows(const Options& options, const kernels::OpTable& table);

}  // namespace gannet::device_bench
