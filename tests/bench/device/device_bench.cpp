// SPDX-License-Identifier: MIT
// Measures the ops on a backend, with their plans made before: one line of JSON for each combination of
// class, jobs and streams, written as soon as it is known.
//
//   device_bench copies | banded_sw | pair_hmm | pileup_network | seeds | candidates | deflate
//                [--backend NAME] [--jobs N,...] [--streams N,...] [--threads N] [--seconds S] [--bytes N]
//                [--classes NAME,...]
//                [--index REF.gannet --reads FASTQ]
//
// The jobs of seeds and candidates are the first reads of FASTQ, from its beginning again where it has fewer;
// those of deflate are blocks of BAM records of these reads, which are compressed as a run does it where the
// backend does not have the op.
// On a device, the batches of all streams are prepared, then submitted together; the time is the device's
// own: the union of the spans of the batches, with the copies (device_s) and without them (kernels_s). On a
// CPU backend --threads threads work side by side, each on a batch of its own, and the time is that of a wall
// clock; --streams is not looked at.
#include "align/aligner.hpp"
#include "align/index/index.hpp"
#include "data/bam/packer.hpp"
#include "data/fastq/reader.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/op_table.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "kernels/resident.hpp"
#include "pipeline/bench/kernel_jobs.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace gannet::kernels;
using gannet::pipeline::bench::BandedSwClass;
using gannet::pipeline::bench::PairHmmClass;
using gannet::pipeline::bench::PileupNetworkClass;
using Json = nlohmann::ordered_json;
using steady_clock = std::chrono::steady_clock;

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
    std::string reads;

    /// Batches under way at the same time, at most.
    size_t most_lanes() const { return std::max(threads, *std::max_element(streams.begin(), streams.end())); }
};

std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

std::vector<size_t> numbers_of(const std::string& text) {
    std::vector<size_t> numbers;
    for (const std::string& part : parts_of(text)) numbers.push_back(std::stoull(part));
    return numbers;
}

Options options_of(int argc, char** argv) {
    Options options;
    if (argc < 2 || argc % 2 != 0) throw std::invalid_argument("device_bench OP [--option VALUE]...");
    options.op = argv[1];
    for (int k = 2; k < argc; k += 2) {
        const std::string name = argv[k];
        const std::string value = argv[k + 1];
        if (name == "--backend")
            options.backend = value;
        else if (name == "--jobs")
            options.jobs = numbers_of(value);
        else if (name == "--streams")
            options.streams = numbers_of(value);
        else if (name == "--threads")
            options.threads = std::stoull(value);
        else if (name == "--seconds")
            options.seconds = std::stod(value);
        else if (name == "--bytes")
            options.bytes = std::stoull(value);
        else if (name == "--classes")
            options.classes = parts_of(value);
        else if (name == "--index")
            options.index = value;
        else if (name == "--reads")
            options.reads = value;
        else
            throw std::invalid_argument("no such option: " + name);
    }
    return options;
}

double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

/// Seconds in which at least one of the spans runs.
double union_s(std::vector<std::pair<int64_t, int64_t>> spans) {
    std::sort(spans.begin(), spans.end());
    int64_t total = 0;
    int64_t end = INT64_MIN;
    for (const auto& [from, to] : spans) {
        if (to > end) total += to - std::max(from, end);
        end = std::max(end, to);
    }
    return static_cast<double>(total) * 1e-9;
}

struct Times {
    uint64_t batches = 0;
    double device_s = 0;
    double kernels_s = 0;
    double wall_s = 0;  ///< from the first submission to the last result
};

/// `call(stream, k)` calls the op for the k-th stream.
template <class Call>
Times measure_device(const OpTable& table, size_t streams, double seconds, const Call& call) {
    std::vector<std::unique_ptr<Stream>> all = table.make_streams(streams, {});
    Times times;
    const auto begin = steady_clock::now();
    for (int round = 0; round < 2 || seconds_since(begin) < seconds; ++round) {
        for (size_t k = 0; k < streams; ++k) call(*all[k], k);
        const auto submitted = steady_clock::now();
        for (const auto& stream : all) stream->submit();
        for (const auto& stream : all) stream->block();
        const double wall_s = seconds_since(submitted);
        std::vector<std::pair<int64_t, int64_t>> whole;
        std::vector<std::pair<int64_t, int64_t>> kernels;
        for (const auto& stream : all) {
            stream->wait();
            const DeviceSpan span = stream->device_span();
            whole.emplace_back(span.begin_ns, span.end_ns);
            kernels.emplace_back(span.kernels_begin_ns, span.kernels_end_ns);
        }
        if (round == 0) continue;  // takes memory and loads the kernels
        times.batches += streams;
        times.wall_s += wall_s;
        times.device_s += union_s(whole);
        times.kernels_s += union_s(kernels);
    }
    return times;
}

template <class Call>
Times measure_host(const OpTable& table, size_t threads, double seconds, const Call& call) {
    std::vector<std::unique_ptr<Stream>> all = table.make_streams(threads, {});
    for (size_t k = 0; k < threads; ++k) call(*all[k], k);  // takes memory
    std::atomic<uint64_t> batches{0};
    std::vector<std::thread> running;
    const auto begin = steady_clock::now();
    for (size_t k = 0; k < threads; ++k) {
        running.emplace_back([&, k] {
            do {
                call(*all[k], k);
                ++batches;
            } while (seconds_since(begin) < seconds);
        });
    }
    for (std::thread& thread : running) thread.join();
    Times times;
    times.batches = batches;
    times.wall_s = seconds_since(begin);
    return times;
}

/// One row: `work` of a batch, in `unit`, by whatever the backend's clock is.
template <class Call>
void write_row(const Options& options, const OpTable& table, const std::string& of, size_t jobs,
               size_t streams, const std::string& unit, double work, const Call& call) {
    const bool on_device = table.backend == Backend::cuda;
    const size_t lanes = on_device ? streams : options.threads;
    const Times times = on_device ? measure_device(table, lanes, options.seconds, call)
                                  : measure_host(table, lanes, options.seconds, call);
    const double total = work * static_cast<double>(times.batches);
    Json row = {{"op", options.op}, {"class", of}, {"backend", name(table.backend)}, {"jobs", jobs}};
    row[on_device ? "streams" : "threads"] = lanes;
    row["batches"] = times.batches;
    row["wall_s"] = times.wall_s;
    row[unit + "_per_s"] = total / times.wall_s;
    if (on_device) {
        row["device_s"] = times.device_s;
        row["kernels_s"] = times.kernels_s;
        row[unit + "_per_device_s"] = total / times.device_s;
        row[unit + "_per_kernels_s"] = total / times.kernels_s;
    }
    std::cout << row.dump() << std::endl;
}

double band_cells(const BandedSwBatch& batch) {
    double cells = 0;
    for (size_t job = 0; job < batch.size(); ++job) {
        const int64_t columns = batch.target_length[job];
        for (int64_t i = 1; i <= batch.query_length[job]; ++i) {
            const int64_t first = std::max<int64_t>(1, i - batch.band[job]);
            const int64_t last = std::min<int64_t>(columns, i + batch.band[job]);
            cells += static_cast<double>(std::max<int64_t>(0, last - first + 1));
        }
    }
    return cells;
}

bool is_wanted(const Options& options, std::string_view of) {
    return options.classes.empty() ||
           std::find(options.classes.begin(), options.classes.end(), of) != options.classes.end();
}

void banded_sw_rows(const Options& options, const OpTable& table) {
    for (const BandedSwClass& of : gannet::pipeline::bench::banded_sw_classes()) {
        if (!is_wanted(options, of.name)) continue;
        for (const size_t jobs : options.jobs) {
            const BandedSwBatch batch = make_jobs(of, jobs);
            const BandedSwScoring scoring = of.scoring();
            std::vector<BandedSwResults> results(options.most_lanes());
            const auto call = [&](Stream& stream, size_t k) {
                table.banded_sw(stream, scoring, batch, results[k]);
            };
            for (const size_t streams : options.streams)
                write_row(options, table, std::string(of.name), jobs, streams, "cells", band_cells(batch),
                          call);
        }
    }
}

double pair_cells(const PairHmmBatch& batch) {
    double cells = 0;
    for (size_t pair = 0; pair < batch.pairs(); ++pair) {
        const uint32_t read = batch.pair_read[pair];
        const uint32_t haplotype = batch.pair_haplotype[pair];
        cells += static_cast<double>(batch.read_offset[read + 1] - batch.read_offset[read]) *
                 (batch.haplotype_offset[haplotype + 1] - batch.haplotype_offset[haplotype]);
    }
    return cells;
}

/// The jobs are pairs: of as many regions as have them.
void pair_hmm_rows(const Options& options, const OpTable& table) {
    for (const PairHmmClass& of : gannet::pipeline::bench::pair_hmm_classes()) {
        if (!is_wanted(options, of.name)) continue;
        const size_t pairs_of_region = make_jobs(of, 1).pairs();
        for (const size_t jobs : options.jobs) {
            const PairHmmBatch batch = make_jobs(of, (jobs + pairs_of_region - 1) / pairs_of_region);
            std::vector<std::vector<int32_t>> likelihoods(options.most_lanes());
            const auto call = [&](Stream& stream, size_t k) {
                table.pair_hmm(stream, batch, likelihoods[k]);
            };
            for (const size_t streams : options.streams)
                write_row(options, table, std::string(of.name), batch.pairs(), streams, "cells",
                          pair_cells(batch), call);
        }
    }
}

void pileup_network_rows(const Options& options, const OpTable& table) {
    PileupNetworkWeights weights = gannet::pipeline::bench::make_network_weights();
    weights.prepare();
    for (const PileupNetworkClass& of : gannet::pipeline::bench::pileup_network_classes()) {
        if (!is_wanted(options, of.name)) continue;
        for (const size_t examples : options.jobs) {
            const PileupNetworkBatch batch = make_jobs(of, examples);
            std::vector<std::vector<int32_t>> outputs(options.most_lanes());
            const auto call = [&](Stream& stream, size_t k) {
                table.pileup_network(stream, weights, batch, outputs[k]);
            };
            for (const size_t streams : options.streams)
                write_row(options, table, std::string(of.name), examples, streams, "candidates",
                          static_cast<double>(examples), call);
        }
    }
}

/// Index, genome and reads of the aligner's first ops.
class AlignerInput {
  public:
    explicit AlignerInput(const Options& options)
        : index_(gannet::align::Index::open(options.index)), aligner_(index_, {}, {}) {
        const auto reader = gannet::data::fastq::LaneReader::open({options.reads, ""});
        const size_t wanted = *std::max_element(options.jobs.begin(), options.jobs.end());
        size_t reads = 0;
        for (gannet::data::ReadBatch batch; reads < wanted && reader->read(batch); batch = {}) {
            reads += batch.reads();
            batches_.push_back(std::move(batch));
        }
        if (reads == 0) throw std::invalid_argument(options.reads + " has no reads");
    }
    SeedIndexView index() const { return aligner_.index_view(); }
    const GenomeView& genome() const { return aligner_.genome_view(); }
    CandidateParameters parameters() const {
        CandidateParameters result;
        result.kmer = index_->parameters().kmer;
        return result;
    }
    PackedReads reads(size_t count) const {
        PackedReads packed;
        for (size_t done = 0, at = 0; done < count; at = (at + 1) % batches_.size()) {
            const gannet::data::ReadBatch& batch = batches_[at];
            for (size_t read = 0; read < batch.reads() && done < count; ++read, ++done)
                packed.add(batch.read_bases(read), batch.read_qualities(read));
        }
        return packed;
    }

  private:
    std::shared_ptr<const gannet::align::Index> index_;
    gannet::align::Aligner aligner_;
    std::vector<gannet::data::ReadBatch> batches_;
};

void seeds_rows(const Options& options, const OpTable& table) {
    const AlignerInput input(options);
    const SeedIndexView index = input.index();
    const auto resident = make_resident(table.backend, index, input.genome());
    for (const size_t count : options.jobs) {
        const PackedReads packed = input.reads(count);
        const ReadBatchView reads = packed.view();
        std::vector<SeedHits> hits(options.most_lanes());
        const auto call = [&](Stream& stream, size_t k) {
            table.seeds(stream, index, input.genome(), reads, hits[k]);
        };
        for (const size_t streams : options.streams)
            write_row(options, table, "reads_of_file", count, streams, "reads", static_cast<double>(count),
                      call);
    }
}

void candidates_rows(const Options& options, const OpTable& table) {
    const AlignerInput input(options);
    const auto resident = make_resident(table.backend, input.index(), input.genome());
    const OpTable host = make_op_table(Backend::simd, std::nullopt);
    const CandidateParameters parameters = input.parameters();
    for (const size_t count : options.jobs) {
        const PackedReads packed = input.reads(count);
        const ReadBatchView reads = packed.view();
        SeedHits found;
        host.seeds(*host.make_stream(), input.index(), input.genome(), reads, found);
        const SeedHitsView hits = found.view();
        std::vector<CandidateResults> results(options.most_lanes());
        const auto call = [&](Stream& stream, size_t k) {
            table.candidates(stream, parameters, input.genome(), reads, hits, results[k]);
        };
        for (const size_t streams : options.streams)
            write_row(options, table, "reads_of_file", count, streams, "reads", static_cast<double>(count),
                      call);
    }
}

/// Blocks of records of the reads, unaligned.
DeflateBatch record_blocks(const Options& options, size_t count) {
    using namespace gannet::data;
    DeflateBatch blocks;
    while (blocks.size() < count) {
        const size_t before = blocks.size();
        const auto reader = fastq::LaneReader::open({options.reads, ""});
        for (ReadBatch batch; blocks.size() < count && reader->read(batch); batch = {}) {
            RecordBatch records;
            for (size_t read = 0; read < batch.reads(); ++read) {
                RecordFields fields;
                fields.name = batch.name(batch.paired ? read / 2 : read);
                fields.bases = batch.read_bases(read);
                fields.qualities = batch.read_qualities(read);
                const RecordAppender appender(records, fields);
            }
            std::vector<RecordView> views;
            for (size_t k = 0; k < records.entries.size(); ++k) views.push_back(records.view(k));
            bam::PackedRecords packed;
            bam::BlockCutter cutter;
            for (cutter.begin(views, packed); blocks.size() < count && cutter.next(blocks.bytes);)
                blocks.end_block();
        }
        if (blocks.size() == before) throw std::invalid_argument(options.reads + " has no reads");
    }
    return blocks;
}

void deflate_rows(const Options& options, const OpTable& table) {
    using gannet::data::bgzf::BlockBytes;
    using gannet::data::bgzf::BlockCompressor;
    for (const size_t count : options.jobs) {
        const DeflateBatch blocks = record_blocks(options, count);
        std::vector<DeflateResults> results(options.most_lanes());
        const auto call = [&](Stream& stream, size_t k) {
            if (table.deflate != nullptr) return table.deflate(stream, blocks, results[k]);
            BlockCompressor compressor(1, BlockBytes::on_this_machine);
            results[k].clear();
            for (size_t block = 0; block < blocks.size(); ++block)
                compressor.append(blocks.block(block), results[k].bytes);
        };
        for (const size_t streams : options.streams)
            write_row(options, table, "records_of_file", count, streams, "bytes",
                      static_cast<double>(blocks.bytes.size()), call);
    }
}

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

int run(const Options& options) {
    if (options.op == "copies") {
        copies_rows(options);
        return 0;
    }
    const std::optional<Backend> backend = parse_backend(options.backend);
    if (!backend || options.jobs.empty() || options.streams.empty() || options.threads == 0)
        throw std::invalid_argument("--backend, --jobs, --streams or --threads makes no sense");
    const OpTable table = make_op_table(backend, std::nullopt);
    if (options.op == "banded_sw")
        banded_sw_rows(options, table);
    else if (options.op == "pileup_network")
        pileup_network_rows(options, table);
    else if (options.op == "pair_hmm")
        pair_hmm_rows(options, table);
    else if (options.op == "seeds")
        seeds_rows(options, table);
    else if (options.op == "candidates")
        candidates_rows(options, table);
    else if (options.op == "deflate")
        deflate_rows(options, table);
    else
        throw std::invalid_argument("no such op: " + options.op);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(options_of(argc, argv));
    } catch (const std::exception& fault) {
        std::cerr << "device_bench: " << fault.what() << "\n";
        return 1;
    }
}
