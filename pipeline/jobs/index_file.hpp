// SPDX-License-Identifier: MIT
// Provides the index of a reference to a job: found beside it and checked against it, or built.
#pragma once

#include "align/index/index.hpp"
#include "pipeline/jobs/options.hpp"
#include "pipeline/jobs/session.hpp"

#include <memory>
#include <string>

namespace gannet::pipeline {

struct OpenIndex {
    std::shared_ptr<const align::Index> index;
    std::string path;
    uint64_t bytes = 0;
};

/// Opens `index_path` (empty: beside the reference). Where there is none it is built: beside the reference,
/// or in `fallback_folder` when that folder cannot be written. Two processes that build at once end with one
/// whole file (partial + rename). Throws Error(reference_mismatch) when the index is of another reference
/// than the FASTA.
OpenIndex open_or_build_index(const std::string& reference_path, const std::string& index_path,
                              const std::string& fallback_folder, Session& session);

/// `gannet index`.
void run_index(const IndexOptions& options);

/// The reference for jobs that need no index: viewed in the index where there is one, else loaded from the
/// FASTA.
std::shared_ptr<const data::Reference> open_reference(const std::string& reference_path,
                                                      const std::string& index_path);

}  // namespace gannet::pipeline
