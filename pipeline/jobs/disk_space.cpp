// SPDX-License-Identifier: MIT
// Provides the estimates of disk space and their comparison with what is free.
#include "pipeline/jobs/disk_space.hpp"

#include "data/error.hpp"
#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

// Measured on 30x of a human genome with 40 different base qualities (docs/sorting.md): records have 2.3
// times the bytes of their FASTQ in gzip and as many as it has as text, and take 0.36 of their own when they
// are spilled. FASTQ from a fast compressor may be 20 % larger; what is refused must be beyond doubt.
constexpr uint64_t k_records_percent = 228;  // of compressed reads
constexpr uint64_t k_min_spilled_percent = 28;
constexpr uint64_t k_likely_spilled_percent = 40;
constexpr uint64_t k_key_percent = 6;  // keys and names of duplicate marking, of the records

bool is_plain_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return file.get() == '@';
}

bool same_disk(const std::string& a, const std::string& b) {
    struct stat first {};
    struct stat second {};
    return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev;
}

void compare(const std::string& folder, const SpaceNeed& need, const std::string& what,
             const std::string& advice) {
    const uint64_t free = free_disk_bytes(folder);
    if (free < need.minimum) {
        throw data::Error(data::ErrorKind::disk_space, folder + ": " + size_text(free) + " free, but " +
                                                           what + " need at least " +
                                                           size_text(need.minimum) + advice);
    }
    if (free < need.likely) {
        log_warning(folder + ": " + size_text(free) + " free may not be enough: " + what + " need about " +
                    size_text(need.likely));
    }
}

}  // namespace

InputSizes InputSizes::of(const Inputs& inputs) { return of(inputs.files()); }

InputSizes InputSizes::of(const std::vector<std::string>& files) {
    InputSizes sizes;
    for (const std::string& file : files) {
        std::error_code fault;
        if (!fs::is_regular_file(file, fault)) continue;
        const uint64_t bytes = fs::file_size(file, fault);
        if (fault) continue;
        (is_plain_text(file) ? sizes.plain : sizes.compressed) += bytes;
    }
    return sizes;
}

SpaceNeed output_need(const InputSizes& input) {
    return {input.compressed / 2 + input.plain / 5, input.compressed + input.plain / 2};
}

SpaceNeed spill_need(const InputSizes& input, const MemoryPlan& plan) {
    const uint64_t records = input.compressed / 100 * k_records_percent + input.plain;
    SpaceNeed need;
    if (records > plan.sorter_bytes) {
        const uint64_t spilled = records - plan.sorter_bytes;
        need.minimum = spilled / 100 * k_min_spilled_percent;
        need.likely = records / 100 * k_likely_spilled_percent;
    }
    const uint64_t keys = records / 100 * k_key_percent;
    if (keys > plan.marker_bytes) need.likely += keys;
    return need;
}

void check_output_space(const std::string& folder, const InputSizes& input) {
    compare(folder, output_need(input), "the alignments of " + size_text(input.total()) + " of reads",
            ": free space there or choose another folder");
}

void check_temporary_space(const std::string& temporary, const std::string& output_folder,
                           const InputSizes& input, const MemoryPlan& plan, const Checkpoint* checkpoint) {
    if (checkpoint != nullptr && checkpoint->saved()) return;
    SpaceNeed need = spill_need(input, checkpoint != nullptr ? MemoryPlan() : plan);
    if (need.likely == 0) return;
    std::string what = "the temporary files of " + size_text(input.total()) + " of reads";
    if (!output_folder.empty() && same_disk(temporary, output_folder)) {
        // The output grows as the temporary files shrink; not on every file system.
        const SpaceNeed output = output_need(input);
        need = {std::max(need.minimum, output.minimum), need.likely + output.likely};
        what = "the output and " + what;
    }
    compare(temporary, need, what,
            ": free space there, give another folder (--tmp) or more memory (--memory)");
}

}  // namespace gannet::pipeline
