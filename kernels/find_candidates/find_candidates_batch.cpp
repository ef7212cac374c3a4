// SPDX-License-Identifier: MIT
// Provides the op find_candidates on the host, one step after the other, its checks and the choice of its
// backend.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/find_candidates/find_candidates_backends.hpp"
#include "kernels/seeds/seeds_backends.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

void FoundCandidates::clear() {
    SeedNotes::clear();
    candidates::clear(*this);
}

namespace find_candidates {

void check(const CandidateParameters& parameters, const SeedIndexView& index, const ReadBatchView& reads) {
    seeds::check(index);
    candidates::check(parameters, reads.reads);
    if (parameters.kmer != index.kmer)
        throw std::invalid_argument("find_candidates: seeds of " + std::to_string(parameters.kmer) +
                                    " bp for an index of " + std::to_string(index.kmer));
}

}  // namespace find_candidates

namespace {

/// `seeding`, `search`: the steps of a backend.
template <class Seeding, class Search>
void run_steps(Seeding seeding, Search search, const CandidateParameters& parameters,
               const SeedIndexView& index, const GenomeView& genome, const ReadBatchView& reads,
               FoundCandidates& found) {
    static thread_local SeedHits hits;
    find_candidates::check(parameters, index, reads);
    // Seeding fills the caller's arrays.
    std::swap(static_cast<SeedNotes&>(found), static_cast<SeedNotes&>(hits));
    seeding(index, genome, reads, hits);
    search(parameters, genome, reads, hits.view(), found);
    std::swap(static_cast<SeedNotes&>(found), static_cast<SeedNotes&>(hits));
}

}  // namespace

void find_candidates_reference(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                               const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    run_steps(seeds_reference, candidates_reference, parameters, index, genome, reads, found);
}

void find_candidates_simd(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                          const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    run_steps(seeds_lockstep, candidates_words, parameters, index, genome, reads, found);
}

FindCandidatesFunction find_candidates_function(Backend backend, SimdLevel) {
    switch (backend) {
        case Backend::reference:
            return find_candidates_reference;
        case Backend::emulated:
            return find_candidates_emulated;
        case Backend::cuda:
            if (const FindCandidatesFunction on_device = cuda::find_candidates(); on_device != nullptr)
                return on_device;
            break;
        case Backend::simd:
            break;
    }
    return find_candidates_simd;
}

}  // namespace gannet::kernels
