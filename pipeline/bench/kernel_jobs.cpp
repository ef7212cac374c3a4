// SPDX-License-Identifier: MIT
// Provides the classes of jobs and the making of their jobs.
#include "pipeline/bench/kernel_jobs.hpp"

#include "data/simulate/random.hpp"

#include <array>
#include <vector>

namespace gannet::pipeline::bench {
namespace {

using data::simulate::Random;

constexpr std::array<uint16_t, 1> k_no_band{1000};
constexpr std::array<uint16_t, 4> k_narrow_bands{16, 24, 32, 41};
constexpr std::array<uint16_t, 1> k_aligner_band{100};
constexpr std::array<uint16_t, 9> k_any_band{16, 20, 27, 33, 41, 55, 70, 85, 100};

constexpr std::array k_banded_sw{
    BandedSwClass{"full_150x250_words", 150, 150, 250, k_no_band, true, false},
    BandedSwClass{"full_150x250_bytes", 150, 150, 250, k_no_band, false, false},
    BandedSwClass{"reads_band_16_41", 20, 130, 0, k_narrow_bands, false, false},
    BandedSwClass{"reads_band_100", 20, 130, 0, k_aligner_band, false, false},
    BandedSwClass{"reads_any_band", 20, 130, 0, k_any_band, false, false},
    BandedSwClass{"reads_any_band_words", 20, 130, 0, k_any_band, true, false},
    BandedSwClass{"reads_any_band_cigar", 20, 130, 0, k_any_band, false, true},
    BandedSwClass{"reads_band_100_cigar", 20, 130, 0, k_aligner_band, false, true}};

constexpr std::array k_pair_hmm{
    PairHmmClass{"100x200", 100, 200, false}, PairHmmClass{"150x300", 150, 300, false},
    PairHmmClass{"150x300_ragged", 150, 300, true}, PairHmmClass{"250x500", 250, 500, false}};

constexpr std::array k_pileup_network{PileupNetworkClass{"10_rows", 10}, PileupNetworkClass{"30_rows", 30},
                                      PileupNetworkClass{"48_rows", 48}};

uint8_t any_base(Random& random) { return static_cast<uint8_t>(random.below(4)); }

void change(std::vector<uint8_t>& query, Random& random) {
    for (uint8_t& base : query) {
        if (random.below(100) < 2) base = any_base(random);
    }
    if (random.below(100) < 50) {  // an indel, which is why the job needs alignment at all
        query.erase(query.begin() + static_cast<std::ptrdiff_t>(random.below(query.size())));
        query.push_back(any_base(random));
    }
    if (random.below(100) < 15) {  // a clip
        for (size_t i = random.below(query.size()); i < query.size(); ++i) query[i] = any_base(random);
    }
}

void add_region(const PairHmmClass& of, Random& random, kernels::PairHmmBatch& batch) {
    constexpr uint32_t k_haplotypes = 6;
    constexpr uint32_t k_reads = 64;
    std::vector<uint8_t> haplotype(of.haplotype_length);
    for (uint8_t& base : haplotype) base = any_base(random);
    std::array<uint32_t, k_haplotypes> haplotypes{};
    for (uint32_t& added : haplotypes) {
        haplotype[random.below(of.haplotype_length)] = any_base(random);
        added = batch.add_haplotype(
            std::span(haplotype).first(of.haplotype_length - (of.ragged ? random.below(12) : 0)));
    }
    const std::vector<uint8_t> gaps(of.read_length, 45);
    std::vector<uint8_t> qualities(of.read_length);
    for (uint32_t r = 0; r < k_reads; ++r) {
        const size_t length = of.read_length - (of.ragged ? random.below(of.read_length / 2) : 0);
        const auto begin = static_cast<std::ptrdiff_t>(random.below(of.haplotype_length - length + 1));
        std::vector<uint8_t> read(haplotype.begin() + begin,
                                  haplotype.begin() + begin + static_cast<std::ptrdiff_t>(length));
        read[random.below(length)] = any_base(random);
        for (uint8_t& quality : qualities) quality = static_cast<uint8_t>(20 + random.below(20));
        const uint32_t added =
            batch.add_read(read, std::span(qualities).first(length), std::span(gaps).first(length));
        for (const uint32_t haplotype_index : haplotypes) batch.add_pair(added, haplotype_index);
    }
}

kernels::QuantisedLayer any_layer(uint32_t inputs, uint32_t outputs, Random& random) {
    kernels::QuantisedLayer layer;
    layer.inputs = inputs;
    layer.outputs = outputs;
    for (uint32_t k = 0; k < inputs * outputs; ++k)
        layer.weight.push_back(static_cast<int8_t>(random.between(-63, 63)));
    layer.bias.assign(outputs, 1000);
    layer.multiplier.assign(outputs, 20000);
    layer.shift.assign(outputs, 22);
    return layer;
}

}  // namespace

kernels::BandedSwScoring BandedSwClass::scoring() const {
    kernels::BandedSwScoring scoring;
    if (words) scoring.end_bonus = 400;
    return scoring;
}

std::span<const BandedSwClass> banded_sw_classes() { return k_banded_sw; }
std::span<const PairHmmClass> pair_hmm_classes() { return k_pair_hmm; }
std::span<const PileupNetworkClass> pileup_network_classes() { return k_pileup_network; }

kernels::BandedSwBatch make_jobs(const BandedSwClass& of, size_t jobs) {
    Random random(1, data::simulate::Stream::sequencing, 0);
    kernels::BandedSwBatch batch;
    std::vector<uint8_t> query;
    std::vector<uint8_t> target;
    for (size_t job = 0; job < jobs; ++job) {
        const auto length = static_cast<uint32_t>(random.between(of.shortest_query, of.longest_query));
        const uint16_t band = of.bands[random.below(of.bands.size())];
        target.resize(of.target_length != 0 ? of.target_length : length + band);
        for (uint8_t& base : target) base = any_base(random);
        query.assign(target.begin(), target.begin() + length);
        change(query, random);
        uint8_t flags = of.traceback ? kernels::k_sw_traceback : 0;
        if (of.traceback && random.below(2) != 0) flags |= kernels::k_sw_gaps_late;
        batch.add(query, target, band, flags);
    }
    return batch;
}

kernels::PairHmmBatch make_jobs(const PairHmmClass& of, size_t regions) {
    Random random(1, data::simulate::Stream::sequencing, 1);
    kernels::PairHmmBatch batch;
    for (size_t region = 0; region < regions; ++region) add_region(of, random, batch);
    return batch;
}

kernels::PileupNetworkBatch make_jobs(const PileupNetworkClass& of, size_t examples) {
    namespace pileup = kernels::pileup;
    Random random(1, data::simulate::Stream::sequencing, 2);
    kernels::PileupNetworkBatch batch;
    std::vector<uint8_t> rows(size_t{of.rows} * pileup::k_row_bytes);
    std::vector<uint8_t> site(pileup::k_site_bytes);
    for (size_t example = 0; example < examples; ++example) {
        for (auto* bytes : {&rows, &site}) {
            for (uint8_t& byte : *bytes) byte = static_cast<uint8_t>(random.below(256));
        }
        batch.add(rows, site);
    }
    return batch;
}

kernels::PileupNetworkWeights make_network_weights() {
    namespace pileup = kernels::pileup;
    constexpr uint32_t k_conv1 = 16;
    constexpr uint32_t k_conv2 = 32;
    constexpr uint32_t k_read = 96;
    constexpr uint32_t k_site1 = 192;
    constexpr uint32_t k_site2 = 64;
    Random random(1, data::simulate::Stream::sequencing, 3);
    kernels::PileupNetworkWeights weights;
    weights.conv1 = any_layer(pileup::k_window * pileup::k_channels, k_conv1, random);
    weights.conv2 = any_layer(pileup::k_window * k_conv1, k_conv2, random);
    weights.read = any_layer(pileup::k_conv2_positions * k_conv2 + pileup::k_row_features, k_read, random);
    weights.site1 = any_layer(2 * pileup::k_pools * k_read + pileup::k_site_bytes, k_site1, random);
    weights.site2 = any_layer(k_site1, k_site2, random);
    weights.output = any_layer(k_site2, pileup::k_outputs, random);
    weights.prepare();
    return weights;
}

}  // namespace gannet::pipeline::bench
