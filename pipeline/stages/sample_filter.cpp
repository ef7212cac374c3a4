// SPDX-License-Identifier: MIT
// Provides the choice of a sample among those that read groups name.
#include "pipeline/stages/sample_filter.hpp"

#include "data/error.hpp"

#include <algorithm>
#include <utility>

namespace gannet::pipeline::stages {

using data::Error;
using data::ErrorKind;

SampleFilter::SampleFilter(const std::vector<data::ReadGroup>& groups, const std::string& wanted,
                           std::string file)
    : file_(std::move(file)), sample_(wanted) {
    std::vector<std::string> samples;
    for (const data::ReadGroup& group : groups) {
        if (!group.sample.empty() && std::find(samples.begin(), samples.end(), group.sample) == samples.end())
            samples.push_back(group.sample);
    }
    if (samples.empty()) return;
    std::string list;
    for (const std::string& name : samples) list += (list.empty() ? "" : ", ") + name;
    if (wanted.empty() && samples.size() > 1) {
        throw Error(ErrorKind::usage, file_ + ": holds several samples (" + list +
                                          "): choose one with --sample; `gannet joint` joins their gVCFs");
    }
    if (wanted.empty()) sample_ = samples.front();
    if (std::find(samples.begin(), samples.end(), sample_) == samples.end()) {
        throw Error(ErrorKind::usage,
                    file_ + ": has no sample '" + sample_ + "': its read groups are of " + list);
    }
    keeps_all_ = samples.size() == 1;
    for (const data::ReadGroup& group : groups) {
        if (!group.sample.empty()) wanted_.emplace(group.id, group.sample == sample_);
    }
}

void SampleFilter::apply(data::RecordBatch& batch) const {
    if (keeps_all_) return;
    const auto is_of_another = [&](const data::RecordEntry& entry) {
        const data::RecordView record({batch.bytes.data() + entry.offset, entry.size_bytes});
        const auto id = record.string_tag("RG");
        const auto found = id ? wanted_.find(std::string(*id)) : wanted_.end();
        if (found != wanted_.end()) return !found->second;
        data::throw_malformed(
            file_, "record '" + std::string(record.name()) + "': " +
                       (id ? "its read group '" + std::string(*id) + "' has no sample in the header"
                           : "has no read group (RG)") +
                       ", but the file holds several samples: whose it is cannot be known");
    };
    std::erase_if(batch.entries, is_of_another);
}

}  // namespace gannet::pipeline::stages
