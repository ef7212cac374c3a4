// SPDX-License-Identifier: MIT
// Provides the batch of the op pair_hmm and the choice of its backend.
#include "kernels/cuda/device.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pair_hmm/pair_hmm_backends.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace {

uint32_t append(std::vector<uint8_t>& bases, std::vector<uint32_t>& offset, std::span<const uint8_t> added,
                uint32_t longest) {
    if (added.empty() || added.size() > longest)
        throw std::invalid_argument("pair_hmm: a sequence of " + std::to_string(added.size()) +
                                    " bases; 1 to " + std::to_string(longest) + " are allowed");
    if (offset.empty()) offset.push_back(0);
    bases.insert(bases.end(), added.begin(), added.end());
    offset.push_back(static_cast<uint32_t>(bases.size()));
    return static_cast<uint32_t>(offset.size() - 2);
}

}  // namespace

void PairHmmBatch::clear() {
    for (auto* bytes : {&read_bases, &read_qualities, &read_gap_qualities, &haplotype_bases}) bytes->clear();
    for (auto* numbers : {&read_offset, &haplotype_offset, &pair_read, &pair_haplotype}) numbers->clear();
}

uint32_t PairHmmBatch::add_read(std::span<const uint8_t> bases, std::span<const uint8_t> qualities,
                                std::span<const uint8_t> gap_qualities) {
    if (qualities.size() != bases.size() || gap_qualities.size() != bases.size())
        throw std::invalid_argument("pair_hmm: bases and qualities of a read differ in number");
    const uint32_t read = append(read_bases, read_offset, bases, k_pair_hmm_max_read);
    read_qualities.insert(read_qualities.end(), qualities.begin(), qualities.end());
    read_gap_qualities.insert(read_gap_qualities.end(), gap_qualities.begin(), gap_qualities.end());
    return read;
}

uint32_t PairHmmBatch::add_haplotype(std::span<const uint8_t> bases) {
    return append(haplotype_bases, haplotype_offset, bases, k_pair_hmm_max_haplotype);
}

void PairHmmBatch::add_pair(uint32_t read, uint32_t haplotype) {
    pair_read.push_back(read);
    pair_haplotype.push_back(haplotype);
}

PairHmmFunction pair_hmm_function(Backend backend, SimdLevel level) {
    if (backend == Backend::reference) return pair_hmm_reference;
    if (backend == Backend::emulated) return pair_hmm_emulated;
    if (backend == Backend::cuda && cuda::pair_hmm() != nullptr) return cuda::pair_hmm();
    if (level == SimdLevel::avx512) return pair_hmm_avx512;
    if (level == SimdLevel::avx2) return pair_hmm_avx2;
    return pair_hmm_reference;
}

}  // namespace gannet::kernels
