// SPDX-License-Identifier: MIT
// Provides the resolution of lanes, read groups and sample.
#include "pipeline/jobs/inputs.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/log.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <regex>
#include <sys/stat.h>
#include <unistd.h>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

using data::Error;
using data::ErrorKind;

/// A lane as the user wrote it, and what an error about it begins with.
struct LaneText {
    std::string first, second, read_group;
    std::string where;  ///< option, or file and record
    ErrorKind kind = ErrorKind::usage;

    [[noreturn]] void refuse(const std::string& cause) const { throw Error(kind, where + ": " + cause); }
};

std::vector<std::string> split(std::string_view text, char separator, size_t max_parts) {
    std::vector<std::string> parts;
    while (parts.size() + 1 < max_parts) {
        const size_t at = text.find(separator);
        if (at == std::string_view::npos) break;
        parts.emplace_back(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    parts.emplace_back(text);
    return parts;
}

LaneText lane_of_parts(std::vector<std::string> parts, std::string where, ErrorKind kind) {
    parts.resize(3);
    if (parts[1] == ".") parts[1].clear();
    if (parts[2] == ".") parts[2].clear();
    LaneText lane{parts[0], parts[1], parts[2], std::move(where), kind};
    if (lane.first.empty() || lane.first == ".") {
        lane.refuse("names no first file: " + std::string(kind == ErrorKind::usage
                                                              ? "write R1,R2[,RG]"
                                                              : "columns are R1, R2, read group"));
    }
    return lane;
}

std::vector<LaneText> read_lanes_file(const std::string& path) {
    data::LineReader lines(std::make_unique<data::InputStream>(path));
    std::vector<LaneText> lanes;
    std::string_view line;
    while (lines.read(line)) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line[0] == '#') continue;
        std::vector<std::string> parts = split(line, '\t', 4);
        if (lines.number() == 1 && (parts[0] == "R1" || parts[0] == "fastq_1")) continue;
        std::string where = lines.name() + ": record " + std::to_string(lines.number());
        if (parts.size() > 3) {
            throw Error(ErrorKind::malformed_input,
                        where +
                            ": has more than three columns (R1, R2, read group); within a read group "
                            "write \\t for a tab");
        }
        lanes.push_back(lane_of_parts(std::move(parts), std::move(where), ErrorKind::malformed_input));
    }
    if (lanes.empty()) data::throw_malformed(path, "names no lane");
    return lanes;
}

std::vector<LaneText> all_lanes(const InputOptions& options) {
    const bool named = !options.lanes.empty() || !options.lanes_file.empty();
    if (named && !options.reads.empty()) {
        std::string message = options.reads[0] + ": files of reads cannot be given beside --lane or --lanes";
        if (!options.lanes.empty()) {
            message += "; the two files of a lane are joined by a comma: --lane " + options.lanes[0] + "," +
                       options.reads[0];
        }
        throw Error(ErrorKind::usage, message);
    }
    std::vector<LaneText> lanes;
    if (!options.reads.empty()) {
        lanes.push_back(lane_of_parts(options.reads, "READS", ErrorKind::usage));
    }
    for (const std::string& text : options.lanes) {
        lanes.push_back(lane_of_parts(split(text, ',', 3), "--lane " + text, ErrorKind::usage));
        // Mostly a variable of a script that was never set.
        if (text.ends_with(',')) lanes.back().refuse("nothing follows the last comma: leave it out");
    }
    if (!options.lanes_file.empty()) {
        for (LaneText& lane : read_lanes_file(options.lanes_file)) lanes.push_back(std::move(lane));
    }
    if (lanes.empty())
        throw Error(ErrorKind::usage, "no reads given: name R1.fq.gz [R2.fq.gz], --lane or --lanes");
    return lanes;
}

/// The files of a run: each must be readable, and none may be given twice, under whatever name. Device and
/// inode decide: two pipes differ in them, the same pipe under two names does not.
class FileChecks {
  public:
    void add(const std::string& path) {
        struct stat status = {};
        const bool found = path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path.c_str(), &status) == 0;
        const int error = errno;
        if (path == "-") check_standard_input();
        if (!found && path != "-") throw_not_found(path, error);
        if (S_ISDIR(status.st_mode))
            throw Error(ErrorKind::malformed_input, path + ": is a folder, not a file of reads");
        if (path != "-" && access(path.c_str(), R_OK) != 0)
            throw Error(ErrorKind::malformed_input, path + ": cannot be read (permission)");
        for (const Known& known : known_) {
            if (known.path == path) throw Error(ErrorKind::usage, path + ": given twice");
            if (S_ISCHR(status.st_mode)) continue;  // /dev/null may be an empty file of reads more than once
            if (known.device == status.st_dev && known.inode == status.st_ino) {
                throw Error(ErrorKind::usage, path + ": is the same file as " + known.path +
                                                  ": each file of reads can be given once");
            }
        }
        known_.push_back({path, status.st_dev, status.st_ino});
    }

  private:
    struct Known {
        std::string path;
        dev_t device;
        ino_t inode;
    };
    std::vector<Known> known_;
};

/// Whether the file can be opened only once: standard input, a pipe, a process substitution.
bool is_stream(const std::string& path) {
    std::error_code fault;
    return path == "-" || !fs::is_regular_file(path, fault);
}

/// The read group in the header of an unaligned BAM or CRAM; `id` is empty for other files. A pipe stays open
/// in the lane, since it can be read only once.
data::ReadGroup embedded_read_group(data::fastq::Lane& lane) {
    if (!lane.second.empty()) return {};
    data::ReadGroup group;
    if (is_stream(lane.first)) {
        auto reader = data::fastq::LaneReader::open(lane);
        group = reader->embedded_read_group();
        lane.opened = std::make_shared<std::unique_ptr<data::fastq::LaneReader>>(std::move(reader));
    } else if (data::InputStream(lane.first).holds_alignments()) {
        group = data::fastq::LaneReader::open(lane)->embedded_read_group();
    }
    const auto is_control = [](char letter) { return std::iscntrl(static_cast<unsigned char>(letter)) != 0; };
    std::string others = group.extra;
    std::replace(others.begin(), others.end(), '\t', ' ');  // between its fields
    for (const std::string* value :
         {&group.id, &group.sample, &group.library, &group.platform_unit, &others}) {
        if (std::any_of(value->begin(), value->end(), is_control)) {
            data::throw_malformed(lane.first,
                                  "its read group holds a control character: mend its header "
                                  "(samtools reheader)");
        }
    }
    return group;
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
}

/// What a lane says of its read group: its own column, -R for all, or the file's header; `id` stays empty
/// where none of these is given.
data::ReadGroup given_read_group(const LaneText& text, data::fastq::Lane& lane, const InputOptions& options) {
    if (text.read_group.starts_with("@RG")) {
        if (!options.read_group.empty())
            text.refuse("has a complete @RG line beside -R: give an id only, or leave -R out");
        try {
            return data::ReadGroup::parse(text.read_group);
        } catch (const Error& fault) {
            text.refuse(fault.what());
        }
    }
    if (!is_printable(text.read_group)) {
        text.refuse(
            "its read group id holds a tab, newline or other character that SAM headers cannot hold; "
            "give an id of printable ASCII, or a complete @RG line");
    }
    data::ReadGroup group =
        options.read_group.empty() ? embedded_read_group(lane) : data::ReadGroup::parse(options.read_group);
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
                                              ", others (or --sample) of " + sample + ": one sample per run");
        }
    }
    if (sample.empty()) sample = default_sample(first_file);
    check_sample_name(sample);
    return sample;
}

/// Gives every lane its read group; lanes with equal ones have it in common, one id with two meanings is
/// refused.
void settle_read_groups(Inputs& inputs, std::vector<data::ReadGroup> groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
        data::ReadGroup& group = groups[i];
        if (group.id.empty()) {
            group.id = groups.size() == 1 ? inputs.sample : inputs.sample + ".L" + std::to_string(i + 1);
            for (const data::ReadGroup& other : groups) {
                if (&other == &group || other.id != group.id) continue;
                throw Error(ErrorKind::usage, inputs.lanes[i].first + ": has no read group of its own, and " +
                                                  group.id + " is taken: name one for each lane");
            }
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

void check_sample_name(const std::string& sample) {
    if (sample.empty()) throw Error(ErrorKind::usage, "--sample is empty: give a name, or leave it out");
    if (sample.front() == ' ' || sample.back() == ' ') {
        throw Error(ErrorKind::usage, "the sample name '" + sample +
                                          "' begins or ends with a blank, which readers of VCF do not take: "
                                          "give a plain one (--sample, or SM of the read group)");
    }
    if (!is_printable(sample) || sample.find('/') != std::string::npos) {
        std::string shown = sample;
        std::replace_if(
            shown.begin(), shown.end(),
            [](char letter) {
                return !is_printable({&letter, 1});
            },
            '?');
        throw Error(ErrorKind::usage, "the sample name '" + shown +
                                          "' holds a slash, tab, newline or other character than printable "
                                          "ASCII: give a plain one (--sample, or SM of the read group)");
    }
}

std::string default_sample(const std::string& path) {
    // "/dev/fd/63" and the pipe behind it are no names of a sample.
    const bool nameless = path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
    std::string sample = nameless ? "sample" : sample_of_file(path);
    std::replace_if(
        sample.begin(), sample.end(),
        [](char letter) {
            return !is_printable({&letter, 1});
        },
        '_');
    log_info("sample: " + sample +
             (nameless ? " (the input has no file name; --sample gives another)"
                       : " (from the file's name; --sample gives another)"));
    return sample;
}

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

uint64_t Inputs::stored_bytes() const {
    for (const std::string& file : files()) {
        std::error_code fault;
        if (!fs::is_regular_file(file, fault)) return 0;
    }
    return total_bytes();
}

Inputs resolve_inputs(const InputOptions& options) {
    Inputs inputs;
    FileChecks checks;
    std::vector<data::ReadGroup> groups;
    if (!options.sample.empty()) check_sample_name(options.sample);
    const std::vector<LaneText> texts = all_lanes(options);
    for (const LaneText& text : texts) {
        checks.add(text.first);
        if (text.second.empty()) continue;
        checks.add(text.second);
        if (options.interleaved) {
            throw Error(ErrorKind::usage,
                        "--interleaved means one file per lane, but " + text.first + " has " + text.second);
        }
    }
    for (const LaneText& text : texts) {
        inputs.lanes.push_back({text.first, text.second, options.interleaved});
        inputs.lanes.back().comment_tags = options.comment_tags;
        groups.push_back(given_read_group(text, inputs.lanes.back(), options));
    }
    inputs.sample = choose_sample(options, groups, inputs.lanes.front().first);
    settle_read_groups(inputs, std::move(groups));
    return inputs;
}

}  // namespace gannet::pipeline
