// SPDX-License-Identifier: MIT
// Provides a driver that measures the aligner's steps on batches of reads that it holds: one batch for each
// line that it is given, so that several processes can take turns (tests/bench/align_steps).
#include "align/aligner.hpp"
#include "data/error.hpp"
#include "data/fastq/reader.hpp"
#include "kernels/op_table.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace gannet;

/// The order of tests/bench/align_steps: a step is what the host prepares for an op, and the op.
enum Step { k_find_candidates, k_banded_sw, k_prepare_rescue, k_choose_pairs, k_build_records, k_steps };

/// Taking the results of banded_sw is the rescue's and the pairing's, as their preparation does it.
Step step_of(align::Round round) {
    switch (round) {
        case align::Round::find_candidates:
            return k_find_candidates;
        case align::Round::rescue_search:
            return k_prepare_rescue;
        case align::Round::pairing:
            return k_choose_pairs;
        default:
            return k_banded_sw;
    }
}

/// Whose results the preparation of a round takes.
Step prepared_by(align::Round round) {
    switch (round) {
        case align::Round::extension:
            return k_find_candidates;
        case align::Round::rescue:
            return k_prepare_rescue;
        case align::Round::traceback:
            return k_choose_pairs;
        default:
            return step_of(round);
    }
}

uint64_t thread_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/// FNV-1a: tells whether two builds give the same records.
uint64_t digest_of(const data::RecordBatch& records) {
    uint64_t digest = 0xcbf29ce484222325;
    for (size_t i = 0; i < records.entries.size(); ++i) {
        for (const uint8_t byte : records.view(i).bytes()) digest = (digest ^ byte) * 0x100000001b3;
    }
    return digest;
}

class Driver {
  public:
    Driver(const align::Aligner& aligner, std::vector<data::ReadBatch> batches)
        : aligner_(aligner), batches_(std::move(batches)), stream_(ops_.make_stream()) {
        std::vector<int32_t> inserts;
        for (const data::ReadBatch& batch : batches_) {
            run_rounds(batch, align::Round::extension);
            aligner_.sample_insert_sizes(batch, work_, inserts);
        }
        model_ = align::estimate_insert_sizes(std::move(inserts));
    }

    /// Aligns the next batch and prints its reads, the nanoseconds of each step, and the digest of its
    /// records.
    void run_batch() {
        const data::ReadBatch& batch = batches_[next_];
        next_ = (next_ + 1) % batches_.size();
        spent_.fill(0);
        run_rounds(batch, align::k_rounds.back());
        timed(k_build_records, [&] { aligner_.build_records(batch, work_, 0, batch.templates(), records_); });
        std::printf("%zu", batch.reads());
        for (const uint64_t ns : spent_) std::printf(" %" PRIu64, ns);
        std::printf(" %016" PRIx64 "\n", digest_of(records_));
        std::fflush(stdout);
    }

  private:
    void run_rounds(const data::ReadBatch& batch, align::Round last) {
        for (const align::Round round : align::k_rounds) {
            if (round > last) return;
            timed(prepared_by(round), [&] { aligner_.prepare(round, batch, model_, work_); });
            timed(step_of(round), [&] {
                if (aligner_.call(round, ops_, *stream_, work_)) stream_->wait();
            });
        }
    }
    template <class Work>
    void timed(Step step, const Work& work) {
        const uint64_t begin = thread_ns();
        work();
        spent_[step] += thread_ns() - begin;
    }

    const align::Aligner& aligner_;
    std::vector<data::ReadBatch> batches_;
    kernels::OpTable ops_ = kernels::make_op_table(std::nullopt, std::nullopt);
    std::unique_ptr<kernels::Stream> stream_;
    align::AlignmentWork work_;
    data::RecordBatch records_;
    align::InsertSizeModel model_;
    size_t next_ = 0;
    std::array<uint64_t, k_steps> spent_{};
};

std::vector<data::ReadBatch> read_batches(const std::string& first, const std::string& second, size_t most) {
    std::vector<data::ReadBatch> batches;
    const auto reader = data::fastq::LaneReader::open({first, second});
    data::ReadBatch batch;
    for (size_t reads = 0; reads < most && reader->read(batch); reads += batch.reads()) {
        batch.ordinal = batches.size();
        batches.push_back(batch);
    }
    return batches;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 5) {
        std::fprintf(stderr,
                     "usage: align_steps REF.fa.gannet R1.fq R2.fq READS\n"
                     "prints `ready BATCHES`, then for each line on standard input: reads, "
                     "nanoseconds of find_candidates, banded_sw, prepare_rescue, choose_pairs and "
                     "build_records, digest of the records\n");
        return 2;
    }
    const auto index = align::Index::open(argv[1]);
    const align::Aligner aligner(index, {}, {data::ReadGroup::parse("@RG\\tID:s\\tSM:sample\\tPL:ILLUMINA")});
    std::vector<data::ReadBatch> batches = read_batches(argv[2], argv[3], std::stoul(argv[4]));
    const size_t count = batches.size();
    if (count == 0) return 3;
    Driver driver(aligner, std::move(batches));
    std::printf("ready %zu\n", count);
    std::fflush(stdout);
    for (int c = std::getchar(); c != EOF; c = std::getchar()) {
        if (c == '\n') driver.run_batch();
    }
    return 0;
} catch (const data::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
}
