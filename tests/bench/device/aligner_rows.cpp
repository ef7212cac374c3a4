// SPDX-License-Identifier: MIT
// Provides the rows of the ops of the aligner: of reads of a file, by the aligner's own rounds.
#include "align/aligner.hpp"
#include "align/index/index.hpp"
#include "align/work_state.hpp"
#include "data/fastq/reader.hpp"
#include "data/read_batch.hpp"
#include "kernels/resident.hpp"
#include "tests/bench/device/rows.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

namespace gannet::device_bench {

namespace {

using namespace kernels;
using align::AlignmentWork;

constexpr std::string_view k_class = "reads_of_file";

/// Index, aligner and reads. The rounds before the op that is measured are done on simd.
class AlignerInput {
  public:
    AlignerInput(const Options& options, const OpTable& table)
        : index_(align::Index::open(options.index)),
          aligner_(index_, {}, {}),
          resident_(make_resident(table.backend, index(), genome())) {
        if (options.reads.empty()) throw std::invalid_argument("--reads is missing");
        const auto reader = data::fastq::LaneReader::open(
            {options.reads[0], options.reads.size() > 1 ? options.reads[1] : ""});
        const size_t wanted = *std::max_element(options.jobs.begin(), options.jobs.end());
        size_t reads = 0;
        for (data::ReadBatch batch; reads < wanted && reader->read(batch); batch = {}) {
            reads += batch.reads();
            batches_.push_back(std::move(batch));
        }
        if (reads == 0) throw std::invalid_argument(options.reads[0] + " has no reads");
    }
    SeedIndexView index() const { return aligner_.index_view(); }
    const GenomeView& genome() const { return aligner_.genome_view(); }
    CandidateParameters parameters() const {
        CandidateParameters result;
        result.kmer = index_->parameters().kmer;
        return result;
    }
    const align::Aligner& aligner() const { return aligner_; }

    /// So many reads, or one less where they come in pairs.
    data::ReadBatch batch(size_t reads) const {
        data::ReadBatch all;
        all.clear();
        all.paired = batches_[0].paired;
        const size_t each = all.paired ? 2 : 1;
        for (size_t at = 0; all.reads() + each <= reads; at = (at + 1) % batches_.size()) {
            for (size_t t = 0; t < batches_[at].templates() && all.reads() + each <= reads; ++t)
                append(batches_[at], t, each, all);
        }
        return all;
    }

    // A batch up to the op of a round that is prepared, `work` being new.
    void prepare_first(const data::ReadBatch& batch, AlignmentWork& work) const {
        aligner_.prepare(align::Round::find_candidates, batch, {}, work);
    }
    void prepare_extension(const data::ReadBatch& batch, AlignmentWork& work) const {
        prepare_first(batch, work);
        run(align::Round::find_candidates, work);
        aligner_.prepare(align::Round::extension, batch, {}, work);
    }
    /// Up to one behind extension.
    void prepare(align::Round last, const data::ReadBatch& batch, AlignmentWork& work) const {
        prepare_extension(batch, work);
        run(align::Round::extension, work);
        std::vector<int32_t> inserts;
        aligner_.sample_insert_sizes(batch, work, inserts);
        const align::InsertSizeModel model = align::estimate_insert_sizes(std::move(inserts));
        for (const align::Round round : align::k_rounds) {
            if (round <= align::Round::extension) continue;
            aligner_.prepare(round, batch, model, work);
            if (round == last) return;
            run(round, work);
        }
    }

  private:
    static void append(const data::ReadBatch& from, size_t t, size_t each, data::ReadBatch& to) {
        const std::string_view name = from.name(t);
        to.names.insert(to.names.end(), name.begin(), name.end());
        to.name_offset.push_back(static_cast<uint32_t>(to.names.size()));
        for (size_t read = t * each; read < (t + 1) * each; ++read) {
            const auto bases = from.read_bases(read);
            const auto qualities = from.read_qualities(read);
            to.bases.insert(to.bases.end(), bases.begin(), bases.end());
            to.qualities.insert(to.qualities.end(), qualities.begin(), qualities.end());
            to.base_offset.push_back(static_cast<uint32_t>(to.bases.size()));
        }
    }
    void run(align::Round round, AlignmentWork& work) const {
        if (aligner_.call(round, host_, *stream_, work)) stream_->wait();
    }

    std::shared_ptr<const align::Index> index_;
    align::Aligner aligner_;
    std::unique_ptr<Resident> resident_;
    std::vector<data::ReadBatch> batches_;
    const OpTable host_ = make_op_table(Backend::simd, std::nullopt);
    const std::unique_ptr<Stream> stream_ = host_.make_stream();
};

Work number_of(const char* unit, size_t count) { return {unit, static_cast<double>(count)}; }

/// `rows` is called with a batch for each number of reads.
template <class Rows>
void for_each_size(const Options& options, const OpTable& table, const Rows& rows) {
    AlignerInput input(options, table);
    for (const size_t count : options.jobs) {
        const data::ReadBatch batch = input.batch(count);
        AlignmentWork work;
        rows(input, batch, work);
    }
}

}  // namespace

void find_candidates_rows(const Options& options, const OpTable& table) {
    for_each_size(
        options, table, [&](AlignerInput& input, const data::ReadBatch& batch, AlignmentWork& work) {
            input.prepare_first(batch, work);
            const SeedIndexView index = input.index();
            const CandidateParameters parameters = input.parameters();
            std::vector<FoundCandidates> found(options.most_lanes());
            const Call call = [&](Stream& stream, size_t k) {
                table.find_candidates(stream, parameters, index, input.genome(), work.state->op_inputs.reads,
                                      found[k]);
            };
            write_rows(options, table, k_class, batch.reads(), {number_of("reads", batch.reads())}, call);
        });
}

void banded_sw_windows_rows(const Options& options, const OpTable& table) {
    for_each_size(
        options, table, [&](AlignerInput& input, const data::ReadBatch& batch, AlignmentWork& work) {
            const BandedSwScoring scoring = input.aligner().parameters().scoring;
            std::vector<BandedSwResults> results(options.most_lanes());
            const auto round = [&](std::string_view of) {
                BandedSwBatch copied;
                input.aligner().copy_jobs(work, copied);
                const BandedSwWindows windows{work.jobs.data(), work.jobs.size(), work.state->traced};
                const Call call = [&](Stream& stream, size_t k) {
                    table.banded_sw_windows(stream, scoring, input.genome(), work.state->op_inputs.reads,
                                            windows, results[k]);
                };
                write_rows(options, table, of, batch.reads(),
                           {number_of("reads", batch.reads()),
                            number_of("windows", windows.count),
                            {"cells", band_cells(copied)}},
                           call);
            };
            input.prepare_extension(batch, work);
            round("extension");
            input.prepare(align::Round::traceback, batch, work);
            round("traceback");
        });
}

void rescue_rows(const Options& options, const OpTable& table) {
    for_each_size(
        options, table, [&](AlignerInput& input, const data::ReadBatch& batch, AlignmentWork& work) {
            input.prepare(align::Round::rescue_search, batch, work);
            const AlignmentWork::State& state = *work.state;
            const RescueWindows windows{state.windows.data(), state.windows.size()};
            std::vector<RescueResults> results(options.most_lanes());
            const Call call = [&](Stream& stream, size_t k) {
                table.rescue(stream, state.op_inputs.parameters, input.genome(), state.op_inputs.reads,
                             windows, results[k]);
            };
            write_rows(options, table, k_class, batch.reads(),
                       {number_of("reads", batch.reads()), number_of("windows", windows.count)}, call);
        });
}

void pairing_rows(const Options& options, const OpTable& table) {
    for_each_size(
        options, table, [&](AlignerInput& input, const data::ReadBatch& batch, AlignmentWork& work) {
            input.prepare(align::Round::pairing, batch, work);
            const AlignmentWork::State::OpInputs& inputs = work.state->op_inputs;
            std::vector<std::vector<PlacedRead>> placed(options.most_lanes());
            const Call call = [&](Stream& stream, size_t k) {
                table.pairing(stream, inputs.pairing, input.genome(), inputs.reads, inputs.pairs, placed[k]);
            };
            write_rows(
                options, table, k_class, batch.reads(),
                {number_of("reads", batch.reads()), number_of("candidates", inputs.pairs.candidate_count)},
                call);
        });
}

}  // namespace gannet::device_bench
