// SPDX-License-Identifier: MIT
// Provides the choice of one sample of an alignment file, and of the records that belong to it.
#pragma once

#include "data/read_group.hpp"
#include "data/record.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace gannet::pipeline::stages {

/// A file whose read groups (@RG) name one sample, or none, is taken to be all of that sample. Where they
/// name several, each record belongs to the sample of its RG tag.
class SampleFilter {
  public:
    /// `wanted` empty: the file's only sample. Throws Error(usage), with the samples there are, when the file
    /// has several and none is wanted, or not the one wanted. Where no read group names a sample, `wanted` is
    /// taken as it is.
    SampleFilter(const std::vector<data::ReadGroup>& groups, const std::string& wanted, std::string file);

    const std::string& sample() const { return sample_; }  ///< empty when neither file nor user names one
    /// Drops the entries of other samples. Throws Error(malformed_input) on a record whose RG tag is missing
    /// or names no read group with a sample: whose it is cannot be known. Thread-safe.
    void apply(data::RecordBatch& batch) const;

  private:
    std::string file_;
    std::string sample_;
    bool keeps_all_ = true;
    std::unordered_map<std::string, bool> wanted_;  ///< by id of the read group, those with a sample
};

}  // namespace gannet::pipeline::stages
