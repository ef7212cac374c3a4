// SPDX-License-Identifier: MIT
// Provides the op find_candidates on the host, its checks and the choice of its backend.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_tuning.hpp"
#include "kernels/candidates/candidates_warps.hpp"
#include "kernels/candidates/candidates_words.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/find_candidates/find_candidates_backends.hpp"
#include "kernels/seeds/seeds_backends.hpp"
#include "kernels/seeds/seeds_driver.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

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

/// A warp of the search takes one read at a time; seeding needs less.
uint64_t find_candidates_scratch_bytes(uint64_t reads) {
    return std::min<uint64_t>(candidates::k_max_warps, reads) * sizeof(candidates::WarpScratch);
}

namespace {

/// What a thread keeps from call to call.
struct Scratch {
    seeds::BlockScratch block;
    std::vector<uint32_t> in_block;
    candidates::WordsScratch words;
};

}  // namespace

void find_candidates_reference(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                               const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    static thread_local SeedHits hits;
    find_candidates::check(parameters, index, reads);
    // Seeding fills the caller's arrays.
    std::swap(static_cast<SeedNotes&>(found), static_cast<SeedNotes&>(hits));
    seeds_reference(index, genome, reads, hits);
    candidates_reference(parameters, genome, reads, hits.view(), found);
    std::swap(static_cast<SeedNotes&>(found), static_cast<SeedNotes&>(hits));
}

/// A block of reads goes from its seeds to its candidates before the next one begins: what the steps leave
/// for each other is in the caches still.
void find_candidates_simd(Stream&, const CandidateParameters& parameters, const SeedIndexView& index,
                          const GenomeView& genome, const ReadBatchView& reads, FoundCandidates& found) {
    static thread_local Scratch scratch;
    find_candidates::check(parameters, index, reads);
    found.clear();
    LockstepSeeder seeder(index, genome, scratch.block.seeds);
    candidates::BlockSearch search(parameters, genome, reads, scratch.words, found);
    constexpr auto k_block = static_cast<uint32_t>(k_lockstep_reads);
    static_assert(k_block % 2 == 0, "mates are in one block");
    for (uint32_t first = 0; first < reads.reads; first += k_block) {
        scratch.in_block.resize(std::min(k_block, reads.reads - first));
        std::iota(scratch.in_block.begin(), scratch.in_block.end(), first);
        seeds::seed_block(seeder, reads, scratch.in_block, scratch.block);
        search.begin(first);
        for (size_t i = 0; i < scratch.in_block.size(); ++i) {
            scratch.words.hits.clear();
            seeds::collect(seeder, i, scratch.words.hits, found);
            search.add(scratch.words.hits);
        }
        search.finish();
    }
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
