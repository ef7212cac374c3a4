// SPDX-License-Identifier: MIT
// Provides the writer of VCF/BCF: header from the run's facts, records from data::Variant, index (TBI/CSI)
// while writing.
#pragma once

#include "data/reference.hpp"
#include "data/variant.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gannet::data::vcf {

struct HeaderFacts {
    std::string sample;
    std::string source;                      ///< "gannet 0.1.0"
    std::vector<std::string> extra_lines;    ///< "##key=value", in order: command, backend, parameters
    std::vector<FilterDescription> filters;  ///< every filter that a record may have
};

/// Format by name: .vcf, .vcf.gz, .bcf; "-" is VCF on stdout. A PartialFile that close() renames, as the BAM
/// writer's. Not thread-safe.
class Writer {
  public:
    Writer(const std::string& path, const Reference& reference, const HeaderFacts& facts);
    ~Writer();
    void write(std::span<const Variant> variants);
    void close();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The VCF text of one record without newline: the one formatter, integer arithmetic only.
std::string to_text(const Variant& variant, const Reference& reference);

}  // namespace gannet::data::vcf
