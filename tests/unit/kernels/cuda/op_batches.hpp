// SPDX-License-Identifier: MIT
// Provides batches of ops whose results can be compared with the reference's, and those of find_candidates.
#pragma once

#include "kernels/find_candidates/find_candidates_sections.hpp"
#include "kernels/op_table.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "tests/parity/seed_genome.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace gannet::kernels {

using parity::Codes;
using parity::Random;

/// What an op takes of a device's memory for a batch.
struct Sizes {
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;        ///< and the results
    uint64_t least_bytes = 0;  ///< and the least scratch
};

/// A batch of an op, and its results.
class Batch {
  public:
    virtual ~Batch() = default;
    /// On the table's backend, into results that hold something else before.
    virtual void call(const OpTable& table, Stream& stream) = 0;
    virtual bool is_as_before() const = 0;
    /// Equal to what the reference makes of the batch.
    virtual bool is_right() const = 0;
    virtual Sizes sizes() const = 0;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline const OpTable& reference() {
    static const OpTable table = make_op_table(Backend::reference, std::nullopt);
    return table;
}

/// Calls the reference on the same inputs, into `results`.
template <class Call>
void on_reference(const Call& call) {
    const auto stream = reference().make_stream();
    call(*stream);
}

/// Where reads are from.
struct Origin {
    uint64_t begin = 0;
    uint64_t size = 0;              ///< without the length of a read
    uint32_t too_long_percent = 0;  ///< for the device
};

class FindCandidatesBatch final : public Batch {
  public:
    FindCandidatesBatch(const parity::SeedGenome& genome, uint64_t seed, uint32_t jobs, Origin from)
        : genome_(genome.genome()), index_(genome.index()) {
        Random random(seed);
        for (uint32_t k = 0; k < jobs; ++k) {
            const auto place = static_cast<int64_t>(from.begin + random.below(from.size));
            const uint32_t length = random.chance(from.too_long_percent) ? 400 : random.between(20, 260);
            const Codes read = mutated(random, genome.made.codes(place, length), 2);
            Codes qualities(read.size());
            for (uint8_t& quality : qualities) quality = static_cast<uint8_t>(random.below(60));
            reads_.add(random.chance(50) ? read : parity::reverse_complement(read), qualities);
        }
        parameters_.kmer = index_.kmer;
    }
    void call(const OpTable& table, Stream& stream) override {
        found_.candidate_begin.assign(3, 77);
        table.find_candidates(stream, parameters_, index_, genome_, view_ = reads_.view(), found_);
    }
    bool is_as_before() const override { return found_.candidate_begin == std::vector<uint32_t>(3, 77); }
    bool is_right() const override {
        FoundCandidates expected;
        on_reference([&](Stream& stream) {
            reference().find_candidates(stream, parameters_, index_, genome_, view_, expected);
        });
        return same(found_.candidate_begin, expected.candidate_begin) &&
               same(found_.candidates, expected.candidates) && same(found_.left_out, expected.left_out) &&
               same(found_.jobs, expected.jobs) && same(found_.complete_seeds, expected.complete_seeds) &&
               same(found_.narrowed, expected.narrowed) && same(found_.part_offset, expected.part_offset) &&
               same(found_.parts, expected.parts);
    }
    Sizes sizes() const override {
        const find_candidates::BatchSections sections(reads_.view(), index_.kmer);
        return {sections.input_bytes, sections.bytes, sections.bytes + sections.least_scratch_bytes()};
    }
    /// That come down whatever the batch holds.
    uint64_t fixed_bytes() const {
        const find_candidates::BatchSections sections(reads_.view(), index_.kmer);
        return sections.pools_begin - sections.input_bytes;
    }
    /// Of the results that have no place of their own.
    uint64_t used_bytes() const {
        return found_.candidates.size() * sizeof(Candidate) + found_.jobs.size() * sizeof(ExtensionJob) +
               found_.parts.size() * sizeof(DistinctPart);
    }
    bool has_all_pools() const {
        return !found_.candidates.empty() && !found_.jobs.empty() && !found_.parts.empty();
    }

  private:
    GenomeView genome_;
    SeedIndexView index_;
    CandidateParameters parameters_;
    PackedReads reads_;
    ReadBatchView view_;
    FoundCandidates found_;
};

}  // namespace gannet::kernels
