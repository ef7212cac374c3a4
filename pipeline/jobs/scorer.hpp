// SPDX-License-Identifier: MIT
// Provides the choice of the neural scorer: whether there is one, which model, and what outputs say of it.
#pragma once

#include "ml/weights.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/options.hpp"
#include "variants/sample/sample_model.hpp"

#include <memory>
#include <string>

namespace gannet::pipeline {

/// The model that calls are scored with; null: the caller alone. Without options it is the shipped one, if
/// its manifest says so. Throws Error(usage) on contradictions and where --scorer has no model to use, and
/// what ml::load_model throws.
std::shared_ptr<const ml::Model> choose_scorer(const ScorerOptions& options);

/// The options as the command of an output records them.
void describe_scorer(CommandText& command, const ScorerOptions& options);

/// "version=germline-1 sha256=... manifest_sha256=... strata=12 settle=40"; empty without a model.
std::string scorer_text(const ml::Model* model);

/// Logs where the sample's reads are not such as the model has learned from: too long, or not proper pairs.
void note_unscored_reads(const ml::Model* model, const variants::SampleModel& sample);

variants::ScoringParameters scoring_parameters(const ml::Model* model);

}  // namespace gannet::pipeline
