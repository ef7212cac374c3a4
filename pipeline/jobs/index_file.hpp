// SPDX-License-Identifier: MIT
// Provides the index of a reference to a job: found beside it and checked against it, or built.
#pragma once

#include "align/index/huge_pages.hpp"
#include "align/index/index.hpp"
#include "pipeline/jobs/options.hpp"
#include "pipeline/jobs/session.hpp"

#include <memory>
#include <string>

namespace gannet::pipeline {

struct OpenIndex {
    std::shared_ptr<const align::Index> index;
    std::string path;
    uint64_t bytes = 0;  ///< with what its contigs take in memory
};

/// Of the names of contigs, here and in the headers of inputs and outputs.
uint64_t bytes_of_contigs(const data::Reference& reference);

/// Opens `index_path` (empty: beside the reference), verifies its checksums as the session's options demand,
/// and makes sure that it is of this FASTA: accepted when the FASTA has the size, the modification time and
/// the samples that the index recorded, else decided by the MD5 of the contigs. Where there is no index it is
/// built: beside the reference, or in `fallback_folder` when that folder cannot be written. Where another
/// process is building it, this one waits and uses that index. Throws Error: malformed_input (damaged),
/// reference_mismatch (of another FASTA or version), host_memory (the build needs more than --memory).
OpenIndex open_or_build_index(const std::string& reference_path, const std::string& index_path,
                              const std::string& fallback_folder, Session& session);

/// The same of an index that is there; null where none is and no `index_path` is given.
std::shared_ptr<const align::Index> open_existing_index(const std::string& reference_path,
                                                        const std::string& index_path, Session& session);

/// Moves the index to huge pages while the result lives, which is for aligning on the host: look-ups are all
/// over it, and most of their time is the walk through the tables of small pages. Null where that cannot pay
/// (few reads, look-ups on a device) or where less memory is free than the session may use. `input_bytes`: of
/// the files of reads; 0: not known.
std::unique_ptr<align::HugePages> move_to_huge_pages(const align::Index& index, uint64_t input_bytes,
                                                     Session& session);

/// The part of the comparison by contigs for which no checksum is needed: number, names and lengths. Throws
/// Error(reference_mismatch). Cost: one pass over the text, or up to the first that differs.
void compare_contig_extents(const data::Reference& reference, const std::string& index,
                            const std::string& fasta);
/// For a message: why size, time and samples do not show that the index at `path` is of this FASTA.
std::string doubt_of_reference(const align::Index& index, const std::string& path, const std::string& fasta);

/// `gannet index`.
void run_index(const IndexOptions& options);

/// The reference for jobs that need no index: viewed in the index where there is one (opened as above), else
/// loaded from the FASTA; so too, with a warning, where the index beside it is of another version of gannet.
std::shared_ptr<const data::Reference> open_reference(const std::string& reference_path,
                                                      const std::string& index_path, Session& session);

}  // namespace gannet::pipeline
