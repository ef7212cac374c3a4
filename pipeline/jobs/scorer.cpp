// SPDX-License-Identifier: MIT
// Provides the choice of the neural scorer.
#include "pipeline/jobs/scorer.hpp"

#include "data/error.hpp"
#include "pipeline/log.hpp"
#include "variants/sample/sample_model.hpp"
#include "variants/scorer/site_scorer.hpp"

#include <utility>

namespace gannet::pipeline {

std::shared_ptr<const ml::Model> choose_scorer(const ScorerOptions& options) {
    if (options.never && (options.always || !options.model.empty())) {
        throw data::Error(data::ErrorKind::usage,
                          "--no-scorer contradicts " + std::string(options.always ? "--scorer" : "--model"));
    }
    if (options.never) return nullptr;
    std::shared_ptr<const ml::Model> model;
    if (!options.model.empty()) {
        model = std::make_shared<const ml::Model>(ml::load_model(options.model));
    } else {
        auto shipped = ml::shipped_model();
        if (!shipped && options.always) {
            throw data::Error(data::ErrorKind::usage,
                              "--scorer: this build holds no model; name one with --model FILE");
        }
        if (!shipped || !(options.always || shipped->is_default)) return nullptr;
        model = std::make_shared<const ml::Model>(std::move(*shipped));
    }
    log_info("scorer: " + model->version + " (" + model->source + ")");
    if (model->decision.strata.empty())
        log_info("scorer: the model's manifest names no strata: calls are those without the scorer");
    return model;
}

void describe_scorer(CommandText& command, const ScorerOptions& options) {
    command.flag("--no-scorer", options.never)
        .flag("--scorer", options.always)
        .option("--model", options.model);
}

void note_unscored_reads(const ml::Model* model, const variants::SampleModel& sample) {
    if (model == nullptr) return;
    if (sample.read_bp > variants::k_max_scored_read_bp) {
        log_info("scorer: not used: reads of " + std::to_string(sample.read_bp) +
                 " bp are longer than those that it has learned from");
    } else if (sample.has_improper_pairs) {
        log_info("scorer: not used: most pairs are not proper ones (flag 0x2), unlike those of its training");
    }
}

variants::ScoringParameters scoring_parameters(const ml::Model* model) {
    variants::ScoringParameters parameters;
    parameters.enabled = model != nullptr;
    if (model != nullptr) parameters.decision = model->decision;
    return parameters;
}

std::string scorer_text(const ml::Model* model) {
    if (model == nullptr) return "";
    const variants::ScoringParameters parameters = scoring_parameters(model);
    return "version=" + model->version + " sha256=" + model->sha256 +
           " manifest_sha256=" + model->manifest_sha256 +
           " strata=" + std::to_string(parameters.decision.strata.size()) +
           " settle=" + std::to_string(parameters.decision.settle_phred);
}

}  // namespace gannet::pipeline
