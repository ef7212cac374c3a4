// SPDX-License-Identifier: MIT
// Provides the alleles of --alleles, read and checked.
#pragma once

#include "data/reference.hpp"
#include "variants/alleles/forced_alleles.hpp"

#include <memory>
#include <string>

namespace gannet::pipeline {

/// Reads the alternate alleles of all records. Null where `path` is empty. Symbolic alleles and others that
/// cannot be genotyped are left out, with a warning that counts them. Throws Error: malformed_input, or
/// reference_mismatch where a contig or REF is not the reference's.
std::shared_ptr<const variants::ForcedAlleles> read_forced_alleles(
    const std::string& path, std::shared_ptr<const data::Reference> reference);

}  // namespace gannet::pipeline
