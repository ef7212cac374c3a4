// SPDX-License-Identifier: MIT
// Provides the resolution of lanes, read groups and sample.
#include "pipeline/jobs/inputs.hpp"

#include "data/error.hpp"
#include "pipeline/progress.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <unistd.h>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using data::Error;
using data::ErrorKind;

struct LaneText {
    std::string first, second, read_group;
};

std::vector<std::string> split(std::string_view text, char separator, size_t most) {
    std::vector<std::string> parts;
    while (parts.size() + 1 < most) {
        const size_t at = text.find(separator);
        if (at == std::string_view::npos) break;
        parts.emplace_back(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    parts.emplace_back(text);
    return parts;
}

LaneText lane_of_parts(std::vector<std::string> parts) {
    parts.resize(3);
    if (parts[1] == ".") parts[1].clear();
    if (parts[2] == ".") parts[2].clear();
    return {parts[0], parts[1], parts[2]};
}

std::vector<LaneText> read_lanes_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error(ErrorKind::malformed_input, path + ": cannot be opened");
    std::vector<LaneText> lanes;
    uint64_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || line[0] == '#') continue;
        LaneText lane = lane_of_parts(split(line, '\t', 3));
        if (number == 1 && (lane.first == "R1" || lane.first == "fastq_1")) continue;
        if (lane.first.empty())
            data::throw_malformed(path, number, "no first file: columns are R1, R2, read group");
        lanes.push_back(std::move(lane));
    }
    if (lanes.empty()) data::throw_malformed(path, "names no lane");
    return lanes;
}

std::vector<LaneText> all_lanes(const InputOptions& options) {
    std::vector<LaneText> lanes;
    if (!options.reads.empty()) {
        lanes.push_back({options.reads[0], options.reads.size() > 1 ? options.reads[1] : "", ""});
    }
    for (const std::string& text : options.lanes) lanes.push_back(lane_of_parts(split(text, ',', 3)));
    if (!options.lanes_file.empty()) {
        for (LaneText& lane : read_lanes_file(options.lanes_file)) lanes.push_back(std::move(lane));
    }
    if (lanes.empty())
        throw Error(ErrorKind::usage, "no reads given: name R1.fq.gz [R2.fq.gz], --lane or --lanes");
    return lanes;
}

void check_file(const std::string& path, std::set<std::string>& seen) {
    if (path != "-") {
        std::error_code fault;
        if (!fs::exists(path, fault)) throw Error(ErrorKind::malformed_input, path + ": no such file");
        if (fs::is_directory(path, fault))
            throw Error(ErrorKind::malformed_input, path + ": is a folder, not a file of reads");
        if (access(path.c_str(), R_OK) != 0)
            throw Error(ErrorKind::malformed_input, path + ": cannot be read (permission)");
    }
    if (!seen.insert(path).second) throw Error(ErrorKind::usage, path + ": given twice");
}

bool is_alignment_file(const std::string& path) {
    return path.ends_with(".bam") || path.ends_with(".cram") || path.ends_with(".sam");
}

/// What a lane says of its read group: its own column, the file's header, or -R for all; nothing at all
/// leaves `id` empty.
data::ReadGroup given_read_group(const LaneText& text, const data::fastq::Lane& lane,
                                 const InputOptions& options) {
    if (text.read_group.starts_with("@RG")) return data::ReadGroup::parse(text.read_group);
    data::ReadGroup group;
    if (!options.read_group.empty()) {
        group = data::ReadGroup::parse(options.read_group);
    } else if (lane.second.empty() && is_alignment_file(lane.first)) {
        group = data::fastq::LaneReader::open(lane)->embedded_read_group();
    }
    if (!text.read_group.empty()) group.id = text.read_group;
    return group;
}

/// One sample for all: --sample, else that of the read groups, else of the first file's name.
std::string choose_sample(const InputOptions& options, const std::vector<data::ReadGroup>& groups,
                          const std::string& first_file) {
    std::string sample = options.sample;
    for (const data::ReadGroup& group : groups) {
        if (group.sample.empty()) continue;
        if (sample.empty()) sample = group.sample;
        if (sample != group.sample) {
            throw Error(ErrorKind::usage, "read group " + group.id + " is of sample " + group.sample +
                                              ", others (or --sample) of " + sample + ": one sample a run");
        }
    }
    if (sample.empty()) {
        sample = first_file == "-" ? "sample" : sample_of_file(first_file);
        log_info("sample: " + sample + " (from the file's name; --sample gives another)");
    }
    if (sample.find_first_of("\t\n/") != std::string::npos) {
        throw Error(ErrorKind::usage, "--sample " + sample + ": a name without tabs and slashes is needed");
    }
    return sample;
}

/// Gives every lane its read group; equal ones are shared, one id with two meanings is refused.
void settle_read_groups(Inputs& inputs, std::vector<data::ReadGroup> groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
        data::ReadGroup& group = groups[i];
        if (group.id.empty()) {
            group.id = groups.size() == 1 ? inputs.sample : inputs.sample + ".L" + std::to_string(i + 1);
        }
        group.sample = inputs.sample;
        if (group.library.empty()) group.library = inputs.sample;
        size_t at = 0;
        while (at < inputs.read_groups.size() && inputs.read_groups[at].id != group.id) ++at;
        if (at == inputs.read_groups.size()) {
            inputs.read_groups.push_back(group);
        } else if (inputs.read_groups[at].to_sam() != group.to_sam()) {
            throw Error(ErrorKind::usage, "read group " + group.id + " is given twice with different fields");
        }
        inputs.lanes[i].read_group = static_cast<uint32_t>(at);
    }
}

}  // namespace

std::string sample_of_file(std::string_view path) {
    std::string name = fs::path(path).filename().string();
    static const std::regex endings(R"(\.(gz|bgz|bz2)$)");
    static const std::regex formats(R"(\.(fastq|fq|bam|ubam|cram|sam|txt)$)", std::regex::icase);
    static const std::regex mates(R"(([._-](R?[12]|reads?_?[12]))(_001)?$)", std::regex::icase);
    static const std::regex lane(R"(_L00[0-9]$)");
    name = std::regex_replace(name, endings, "");
    name = std::regex_replace(name, formats, "");
    const std::string without_mate = std::regex_replace(name, mates, "");
    if (!without_mate.empty()) name = without_mate;
    name = std::regex_replace(name, lane, "");
    return name.empty() ? "sample" : name;
}

std::vector<std::string> Inputs::files() const {
    std::vector<std::string> all;
    for (const data::fastq::Lane& lane : lanes) {
        all.push_back(lane.first);
        if (!lane.second.empty()) all.push_back(lane.second);
    }
    return all;
}

uint64_t Inputs::total_bytes() const {
    uint64_t total = 0;
    for (const std::string& file : files()) {
        std::error_code fault;
        const uint64_t size = fs::is_regular_file(file, fault) ? fs::file_size(file, fault) : 0;
        if (!fault) total += size;
    }
    return total;
}

Inputs resolve_inputs(const InputOptions& options) {
    Inputs inputs;
    std::set<std::string> seen;
    std::vector<data::ReadGroup> groups;
    for (const LaneText& text : all_lanes(options)) {
        if (text.first.empty()) throw Error(ErrorKind::usage, "--lane: R1,R2[,RG] needs at least R1");
        check_file(text.first, seen);
        if (!text.second.empty()) {
            check_file(text.second, seen);
            if (options.interleaved) {
                throw Error(ErrorKind::usage,
                            "--interleaved means one file a lane, but " + text.first + " has " + text.second);
            }
        }
        inputs.lanes.push_back({text.first, text.second, options.interleaved, 0});
        groups.push_back(given_read_group(text, inputs.lanes.back(), options));
    }
    inputs.sample = choose_sample(options, groups, inputs.lanes.front().first);
    settle_read_groups(inputs, std::move(groups));
    return inputs;
}

}  // namespace gannet::pipeline
