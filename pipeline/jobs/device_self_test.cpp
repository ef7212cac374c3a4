// SPDX-License-Identifier: MIT
// Provides the self-test of devices.
#include "pipeline/jobs/device_self_test.hpp"

#include "align/aligner.hpp"
#include "align/index/index.hpp"
#include "data/checksum.hpp"
#include "data/fasta/reader.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "data/simulate/genome.hpp"
#include "data/simulate/random.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/resident.hpp"
#include "pipeline/bench/kernel_jobs.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace gannet::pipeline {
namespace {

using data::simulate::Random;
using kernels::OpTable;
using kernels::Stream;

constexpr size_t k_jobs = 1000;
constexpr uint64_t k_genome_bp = 100'000;
constexpr uint32_t k_read_bp = 150;
constexpr size_t k_deflate_blocks = 40;
constexpr size_t k_deflate_bytes = 4'000;

bool same(const kernels::BandedSwResults& a, const kernels::BandedSwResults& b) {
    return a.score == b.score && a.query_end == b.query_end && a.target_end == b.target_end &&
           a.to_end == b.to_end && a.cigar_offset == b.cigar_offset && a.cigar == b.cigar;
}

/// Runs `call` on each side; whether both results are the same.
template <class Results, class Call, class Same>
bool agree(Stream& device, Stream& host, const Call& call, const Same& same_results) {
    Results of_device;
    Results of_host;
    call(device, true, of_device);
    device.wait();
    call(host, false, of_host);
    host.wait();
    return same_results(of_device, of_host);
}

bool banded_sw_agrees(const OpTable& device, const OpTable& host, Stream& stream, Stream& host_stream) {
    for (const bench::BandedSwClass& each : bench::banded_sw_classes()) {
        const kernels::BandedSwBatch batch =
            bench::make_jobs(each, k_jobs / bench::banded_sw_classes().size());
        const auto call = [&](Stream& on, bool is_device, kernels::BandedSwResults& results) {
            (is_device ? device : host).banded_sw(on, each.scoring(), batch, results);
        };
        if (!agree<kernels::BandedSwResults>(stream, host_stream, call, same)) return false;
    }
    return true;
}

bool pair_hmm_agrees(const OpTable& device, const OpTable& host, Stream& stream, Stream& host_stream) {
    for (const bench::PairHmmClass& each : bench::pair_hmm_classes()) {
        const kernels::PairHmmBatch batch = bench::make_jobs(each, 1);  // 384
        const auto call = [&](Stream& on, bool is_device, std::vector<int32_t>& results) {
            (is_device ? device : host).pair_hmm(on, batch, results);
        };
        if (!agree<std::vector<int32_t>>(stream, host_stream, call, std::equal_to<>())) return false;
    }
    return true;
}

bool network_agrees(const OpTable& device, const OpTable& host, Stream& stream, Stream& host_stream) {
    const kernels::PileupNetworkWeights weights = bench::make_network_weights();
    const kernels::PileupNetworkBatch batch = bench::make_jobs(bench::pileup_network_classes()[0], k_jobs);
    const auto call = [&](Stream& on, bool is_device, std::vector<int32_t>& results) {
        (is_device ? device : host).pileup_network(on, weights, batch, results);
    };
    return agree<std::vector<int32_t>>(stream, host_stream, call, std::equal_to<>());
}

/// Letters with repeats, as text has them.
kernels::DeflateBatch letter_blocks() {
    Random random(1, data::simulate::Stream::sequencing, 4);
    kernels::DeflateBatch batch;
    for (size_t block = 0; block < k_deflate_blocks; ++block) {
        const size_t begin = batch.bytes.size();
        while (batch.bytes.size() < begin + k_deflate_bytes) {
            const size_t made = batch.bytes.size() - begin;
            if (made > 100 && random.below(4) == 0) {
                const size_t from = begin + random.below(made - 60);
                for (size_t k = 0; k < 50; ++k) batch.bytes.push_back(batch.bytes[from + k]);
            } else {
                for (size_t k = 0; k < 20; ++k)
                    batch.bytes.push_back(static_cast<uint8_t>('A' + random.below(block % 20 + 2)));
            }
        }
        batch.end_block();
    }
    return batch;
}

bool deflate_agrees(const OpTable& device, Stream& stream, Stream& host_stream) {
    if (device.deflate == nullptr) return true;
    const kernels::DeflateBatch batch = letter_blocks();
    const kernels::DeflateFunction host = kernels::deflate_function(kernels::Backend::reference);
    const auto call = [&](Stream& on, bool is_device, kernels::DeflateResults& results) {
        (is_device ? device.deflate : host)(on, batch, results);
    };
    const auto same_streams = [](const kernels::DeflateResults& a, const kernels::DeflateResults& b) {
        return a.bytes == b.bytes && a.offset == b.offset;
    };
    return agree<kernels::DeflateResults>(stream, host_stream, call, same_streams);
}

/// The same blocks again, and one that is damaged. A CPU has no other op: the reference is the judge.
bool inflate_agrees(const OpTable& device, Stream& stream, Stream& host_stream) {
    if (device.inflate == nullptr) return true;
    const kernels::DeflateBatch batch = letter_blocks();
    kernels::DeflateResults streams;
    kernels::deflate_function(kernels::Backend::reference)(host_stream, batch, streams);
    streams.bytes[streams.stream(0).size() / 2] ^= 0xff;
    struct Results {
        std::vector<uint8_t> bytes;
        std::vector<kernels::InflateStatus> statuses;
    };
    std::vector<kernels::InflateBlock> blocks;
    const kernels::InflateFunction host = kernels::inflate_function(kernels::Backend::reference);
    const auto call = [&](Stream& on, bool is_device, Results& results) {
        results.bytes.resize(batch.bytes.size());
        blocks.clear();
        for (size_t k = 0; k < batch.size(); ++k) {
            const std::span<const uint8_t> block = batch.block(k);
            blocks.push_back({streams.stream(k),
                              std::span(results.bytes).subspan(batch.offset[k], block.size()),
                              data::crc32(block)});
        }
        (is_device ? device.inflate : host)(on, blocks, results.statuses);
    };
    const auto same_bytes = [&](const Results& a, const Results& b) {
        return a.bytes == b.bytes && a.statuses == b.statuses && a.statuses[1] == kernels::InflateStatus::ok;
    };
    return agree<Results>(stream, host_stream, call, same_bytes);
}

// The ops of the aligner.

std::string write_genome(const std::string& folder) {
    const data::simulate::Genome genome = data::simulate::make_genome(k_genome_bp, 7);
    const std::string path = folder + "/genome.fa";
    std::ofstream file(path);
    for (const data::simulate::Sequence& sequence : genome.sequences) {
        file << ">" << sequence.name << "\n";
        for (const data::Base base : sequence.bases) file << "ACGTN"[base];
        file << "\n";
    }
    return path;
}

/// With errors; of some mates so many that only the op rescue finds them.
void append_read(const std::vector<data::Base>& fragment, bool is_second, uint32_t errors_percent,
                 Random& random, data::ReadBatch& batch) {
    for (uint32_t k = 0; k < k_read_bp; ++k) {
        const uint32_t skipped = k > 75 && errors_percent == 3 ? 2 : 0;  // a deletion
        const data::Base base =
            is_second ? fragment[fragment.size() - 1 - k - skipped] : fragment[k + skipped];
        const data::Base oriented = is_second && base < 4 ? static_cast<data::Base>(3 - base) : base;
        const bool is_error = random.below(100) < errors_percent;
        batch.bases.push_back(is_error ? static_cast<data::Base>(random.below(4)) : oriented);
        batch.qualities.push_back(static_cast<uint8_t>(2 + random.below(39)));
    }
    batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
}

data::ReadBatch make_reads(const data::Reference& reference) {
    Random random(1, data::simulate::Stream::sequencing, 5);
    data::ReadBatch batch;
    batch.clear();
    batch.paired = true;
    const data::simulate::Genome genome = data::simulate::genome_of(reference);
    const std::vector<data::Base>& bases = genome.sequences.front().bases;
    for (size_t pair = 0; pair < k_jobs / 2; ++pair) {
        const uint64_t length = 300 + random.below(200);
        const uint64_t begin = random.below(bases.size() - length);
        const std::vector<data::Base> fragment(bases.begin() + static_cast<std::ptrdiff_t>(begin),
                                               bases.begin() + static_cast<std::ptrdiff_t>(begin + length));
        const std::string name = "r" + std::to_string(pair);
        batch.names.insert(batch.names.end(), name.begin(), name.end());
        batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
        append_read(fragment, false, pair % 3 == 0 ? 3 : 1, random, batch);
        append_read(fragment, true, pair % 2 == 0 ? 12 : 1, random, batch);
    }
    return batch;
}

/// From seeding to the bytes of records.
data::RecordBatch align_reads(const align::Aligner& aligner, const OpTable& ops, Stream& stream,
                              const data::ReadBatch& reads) {
    align::AlignmentWork work;
    align::InsertSizeModel model;
    for (const align::Round round : align::k_rounds) {
        aligner.prepare(round, reads, model, work);
        if (aligner.call(round, ops, stream, work)) stream.wait();
        if (round != align::Round::extension) continue;
        std::vector<int32_t> inserts;
        aligner.sample_insert_sizes(reads, work, inserts);
        model = align::estimate_insert_sizes(std::move(inserts));
    }
    data::RecordBatch records;
    aligner.build_records(reads, work, 0, reads.templates(), records);
    return records;
}

}  // namespace

std::vector<std::string> differing_ops(const OpTable& device, const std::string& folder) {
    const OpTable host = kernels::make_op_table(kernels::detected_simd_level() == kernels::SimdLevel::none
                                                    ? kernels::Backend::reference
                                                    : kernels::Backend::simd,
                                                std::nullopt);
    const auto reference = data::fasta::load(write_genome(folder));
    align::build_index(*reference, {}, folder + "/genome.gannet", {});
    const align::Aligner aligner(align::Index::open(folder + "/genome.gannet"), {}, {});
    const auto resident = kernels::make_resident(device.backend, aligner.index_view(), aligner.genome_view());
    const data::ReadBatch reads = make_reads(*reference);
    const auto host_stream = host.make_stream();
    const data::RecordBatch expected = align_reads(aligner, host, *host_stream, reads);
    std::vector<std::string> result;
    const auto check = [&result](const char* op, bool agrees) {
        if (!agrees && std::find(result.begin(), result.end(), op) == result.end()) result.emplace_back(op);
    };
    // Streams are dealt out to the devices in turn.
    const size_t devices = std::max<size_t>(1, kernels::cuda::devices_in_use().size());
    for (const auto& stream : device.make_streams(devices, {})) {
        check("banded_sw", banded_sw_agrees(device, host, *stream, *host_stream));
        check("pair_hmm", pair_hmm_agrees(device, host, *stream, *host_stream));
        check("pileup_network", network_agrees(device, host, *stream, *host_stream));
        check("deflate", deflate_agrees(device, *stream, *host_stream));
        check("inflate", inflate_agrees(device, *stream, *host_stream));
        check("alignment", align_reads(aligner, device, *stream, reads).bytes == expected.bytes);
    }
    return result;
}

}  // namespace gannet::pipeline
