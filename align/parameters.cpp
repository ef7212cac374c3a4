// SPDX-License-Identifier: MIT
// Provides the text of the aligner's parameters for output headers.
#include "align/parameters.hpp"

namespace gannet::align {

namespace {

/// Mean, standard deviation, maximum and minimum, as -I takes them.
std::string model_text(const InsertSizeModel& model) {
    return std::to_string(model.mean_bp) + "," + std::to_string(model.sd_bp) + "," +
           std::to_string(model.high_bp) + "," + std::to_string(model.low_bp);
}

}  // namespace

std::string AlignerParameters::to_text() const {
    return "match=" + std::to_string(scoring.match) + " mismatch=" + std::to_string(scoring.mismatch) +
           " gap_open=" + std::to_string(scoring.gap_open) +
           " gap_extend=" + std::to_string(scoring.gap_extend) + " band=" + std::to_string(band) +
           " end_bonus=" + std::to_string(scoring.end_bonus) +
           " minimum_score=" + std::to_string(minimum_score.score) +
           (minimum_score.lower_for_short_reads ? "" : " of_any_length") +
           " unpaired_penalty=" + std::to_string(unpaired_penalty) + (trim_adapters ? " trim_adapters" : "") +
           (insert_size.valid ? " insert_size=" + model_text(insert_size) : "");
}

}  // namespace gannet::align
