// SPDX-License-Identifier: MIT
// Provides the seed index of a reference: built once, stored in one file, memory-mapped by every run.
#pragma once

#include "data/reference.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gannet::align {

struct IndexParameters {
    uint32_t kmer = 21;    ///< odd, at most 31
    uint32_t window = 11;  ///< minimizer window, in k-mers
};

/// Builds REF's index and writes it to `path` (partial file, rename). `threads` changes no byte of it.
void build_index(const data::Reference& reference, const IndexParameters& parameters, const std::string& path,
                 int threads);

/// Default place of the index of a reference: REF.fa.gannet
std::string default_index_path(const std::string& reference_path);

class Index {
  public:
    /// Maps the file; checks magic, version, size and checksum of the header. Error(reference_mismatch) with
    /// advice when it is another version's or another program's, Error(malformed_input) when damaged.
    static std::shared_ptr<const Index> open(const std::string& path);
    virtual ~Index() = default;
    virtual const std::shared_ptr<const data::Reference>& reference() const = 0;
    virtual const IndexParameters& parameters() const = 0;
};

}  // namespace gannet::align
