// SPDX-License-Identifier: MIT
// Provides records with random bases for tests of quality control, and all of its texts.
#pragma once

#include "pipeline/qc/quality_control.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gannet::pipeline::qc {

struct Made {
    uint16_t flag = 0;
    int32_t contig = 0;
    int32_t position = 0;
    std::vector<uint32_t> cigar;
    uint32_t length = 0;
    std::string mate_cigar;
    int32_t mate_position = 0;
    int32_t template_length = 0;
    std::string name{};
    std::string mismatches{};  ///< as tag MD
};

inline void append(data::RecordBatch& batch, const Made& made, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<data::Base> bases(made.length);
    std::vector<uint8_t> qualities(made.length);
    for (data::Base& base : bases) base = static_cast<data::Base>(random() % 41 / 10);
    for (uint8_t& quality : qualities) quality = static_cast<uint8_t>(2 + random() % 40);
    data::RecordFields fields;
    fields.contig = fields.mate_contig = made.contig;
    fields.position = made.position;
    fields.mate_position = made.mate_position;
    fields.template_length = made.template_length;
    fields.mapping_quality = static_cast<uint8_t>(random() % 61);
    fields.flag = made.flag;
    fields.name = made.name;
    fields.cigar = made.cigar;
    fields.bases = bases;
    fields.qualities = qualities;
    data::RecordAppender appender(batch, fields);
    appender.tag("NM", static_cast<int64_t>(random() % 2));
    if (!made.mismatches.empty()) appender.tag("MD", made.mismatches);
    if (!made.mate_cigar.empty()) appender.tag("MC", made.mate_cigar);
}

inline std::vector<std::string> all_texts(const QualityControl& counted, const data::Reference& of) {
    const Origin origin{"gannet", "align", "s"};
    return {stats_text(counted.counts(), counted.depth(), counted.gc_depth(), origin),
            mosdepth_summary_text(counted.counts(), counted.depth()),
            mosdepth_distribution_text(counted.counts(), counted.depth()),
            mosdepth_region_distribution_text(counted.counts(), counted.depth()),
            mosdepth_regions_text(counted.depth()),
            insert_size_text(counted.counts(), origin),
            alignment_summary_text(counted.counts(), origin),
            wgs_text(counted.counts(), counted.good_depth(), of, origin),
            gc_bias_detail_text(counted.counts(), counted.gc_windows(), origin),
            hs_text(counted.counts(), counted.target_coverage(), counted.depth(), "t", origin)};
}

}  // namespace gannet::pipeline::qc
