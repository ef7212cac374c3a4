// SPDX-License-Identifier: MIT
// Provides the headers of outputs: nothing in them depends on the time, the folder, the threads, the memory
// or the SIMD level of a run.
#pragma once

#include "data/contig_classes.hpp"
#include "data/read_group.hpp"
#include "data/reference.hpp"
#include "data/vcf/writer.hpp"
#include "kernels/op_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline {

/// "gannet 0.1.0".
std::string program_name();
std::string_view program_version();

/// The command as outputs record it: inputs and the options that affect results, in a fixed order. Paths of
/// outputs, threads, memory, temporary folder, backend, log and trace are left out, so that two runs can be
/// compared byte for byte.
class CommandText {
  public:
    explicit CommandText(std::string_view subcommand) : text_("gannet " + std::string(subcommand)) {}
    CommandText& word(std::string_view value);  ///< quoted where a shell would need it
    CommandText& option(std::string_view flag, std::string_view value);  ///< left out when the value is empty
    CommandText& flag(std::string_view name, bool set);
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// "backend simd": the one thing in a header that depends on the machine. The SIMD level and the reason of
/// the choice, which never affect a result, are in the log and in run.json.
std::string backend_text(const kernels::OpTable& ops);

struct BamHeaderFacts {
    bool sorted = true;
    std::vector<data::ReadGroup> read_groups;
    std::string command;
    std::vector<std::string> comments;  ///< @CO lines
};
/// Alternate contigs get AH:*, as bwa mem writes it.
std::string bam_header(const data::Reference& reference, const data::ContigClasses& classes,
                       const BamHeaderFacts& facts);

/// The header of records that are sorted by coordinate: `text`, that of their input, with SO:coordinate, and
/// with a line @PG of `command` that follows the last one there is.
std::string sorted_header(std::string_view text, const std::string& command);

data::vcf::HeaderFacts vcf_facts(const std::string& sample, const std::string& command,
                                 const std::string& backend, const std::string& parameters,
                                 const std::string& ploidy, const std::string& sample_profile,
                                 const std::string& scorer, std::vector<data::FilterDescription> filters);

/// The first comment of a file of duplicate metrics. It names a Picard tool and its input, from which MultiQC
/// takes the name of the sample.
std::string metrics_comment(const std::string& sample, const std::string& command);

}  // namespace gannet::pipeline
