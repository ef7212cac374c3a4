// SPDX-License-Identifier: MIT
// Provides the plan of a run.
#include "pipeline/jobs/dry_run.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/output_file.hpp"
#include "data/output_path.hpp"
#include "pipeline/jobs/checkpoint.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr size_t k_title_columns = 14;

/// The folder that a path is in or, where that is missing, the nearest one that exists.
std::string existing_folder(const std::string& path) {
    std::error_code fault;
    fs::path folder = path.empty() ? fs::path(".") : fs::path(path);
    while (!fs::exists(folder, fault) && folder.has_parent_path() && folder != folder.parent_path())
        folder = folder.parent_path();
    return fs::exists(folder, fault) ? folder.string() : ".";
}

std::string need_text(const SpaceNeed& need) {
    if (need.likely == 0) return "nothing";
    if (need.minimum == 0 || need.minimum == need.likely) return "about " + size_text(need.likely);
    return size_text(need.minimum) + " to " + size_text(need.likely);
}

std::string base_pairs(uint64_t bases) {
    char text[32];
    if (bases >= 1'000'000)
        std::snprintf(text, sizeof text, "%.1f Mb", static_cast<double>(bases) / 1e6);
    else
        std::snprintf(text, sizeof text, "%.1f kb", static_cast<double>(bases) / 1e3);
    return text;
}

std::string plural(uint64_t count, const std::string& one, const std::string& ending = "s") {
    return std::to_string(count) + " " + one + (count == 1 ? "" : ending);
}

}  // namespace

PlannedIndex plan_index(const std::string& reference_path, const std::string& index_path,
                        const std::string& fallback_folder) {
    std::error_code fault;
    PlannedIndex plan;
    const std::string beside = align::default_index_path(reference_path);
    const std::string fallback =
        fallback_folder.empty() ? "" : (fs::path(fallback_folder) / fs::path(beside).filename()).string();
    if (!index_path.empty() && !fs::exists(index_path, fault))
        throw data::Error(
            data::ErrorKind::malformed_input,
            index_path + ": no such file: make it with gannet index " + reference_path + " -o " + index_path);
    plan.path = !index_path.empty() ? index_path
                : !fs::exists(beside, fault) && !fallback.empty() &&
                        (fs::exists(fallback, fault) || access(folder_of(beside).c_str(), W_OK) != 0)
                    ? fallback
                    : beside;
    if (fs::exists(plan.path, fault)) {
        plan.index = align::Index::open(plan.path);
        plan.reference = plan.index->reference();
        plan.bytes = plan.index->size_bytes();
        if (fs::exists(reference_path, fault) &&
            !plan.index->source().is_same_file(align::SourceFile::of(reference_path))) {
            log_info(doubt_of_reference(*plan.index, plan.path, reference_path) +
                     ": a run compares the MD5 of their contigs first");
            check_no_pipe(reference_path);
            compare_contig_extents(*plan.reference, plan.path, reference_path);
        }
        return plan;
    }
    check_readable(reference_path);
    check_no_pipe(reference_path);
    std::vector<std::string> warnings;
    plan.reference = data::fasta::load(reference_path, &warnings);
    for (const std::string& warning : warnings) log_warning(warning);
    return plan;
}

void check_outputs(const JobFiles& files, const std::string& makes_folder) {
    files.check();
    std::error_code fault;
    const bool is_missing = !makes_folder.empty() && !fs::exists(makes_folder, fault);
    if (is_missing) {
        const std::string parent = existing_folder(makes_folder);
        if (access(parent.c_str(), W_OK | X_OK) != 0) data::throw_output_failed(makes_folder, errno);
    }
    const fs::path made = fs::absolute(fs::path(makes_folder) / "x", fault).lexically_normal().parent_path();
    for (const std::string& path : files.outputs()) {
        const bool is_in_it =
            is_missing && fs::absolute(path, fault).lexically_normal().parent_path() == made;
        if (!is_in_it) check_writable(path);
    }
}

void check_first_reads(const Inputs& inputs) {
    for (const data::fastq::Lane& lane : inputs.lanes) {
        std::vector<std::string> files = {lane.first};
        if (!lane.second.empty()) files.push_back(lane.second);
        if (!are_files(files)) continue;  // what is taken from a pipe is gone
        data::ReadBatch batch;
        data::fastq::LaneReader::open(lane, {1})->read(batch);
    }
}

Plan::Plan(const std::string& command) : text_("plan of " + command + "; nothing is written\n") {}

void Plan::add(const std::string& title, const std::string& text) {
    std::string padded = "  " + title;
    padded.resize(std::max(padded.size() + 1, k_title_columns), ' ');
    text_ += padded + text + "\n";
}

void Plan::add_resources(const Session& session, const MemoryPlan& memory, const PlannedIndex* index) {
    add("backend", session.backend_choice());
    add("threads", std::to_string(session.threads()));
    std::string use = size_text(session.memory_bytes()) + ": ";
    if (index != nullptr && index->index) use += size_text(index->bytes) + " of index (memory-mapped), ";
    use += size_text(memory.sorter_bytes) + " of sorted records before they spill, " +
           plural(memory.align_slots, "batch", "es") + " in flight";
    if (session.pinned_bytes() > 0) use += ", " + size_text(session.pinned_bytes()) + " pinned for devices";
    add("memory", use);
    if (index == nullptr) return;
    add("index", index->index
                     ? index->path + ", " + size_text(index->bytes)
                     : index->path + ", to be built of " + extent_text(data::RegionSet(), *index->reference) +
                           "; its memory is not counted above");
}

void Plan::add_reads(const Inputs& inputs, const InputSizes& sizes) {
    add("sample", inputs.sample);
    add("reads", plural(inputs.lanes.size(), "lane") + ", " + plural(inputs.files().size(), "file") +
                     (sizes.total() > 0 ? ", " + size_text(sizes.total()) : ""));
}

void Plan::add_disk(const std::string& output_folder, const std::string& temporary, const InputSizes& sizes,
                    const MemoryPlan& memory, bool sorts) {
    const auto line = [this](const std::string& title, const std::string& folder, const SpaceNeed& need) {
        add(title, folder + ": " + need_text(need) + " needed, " +
                       size_text(free_disk_bytes(existing_folder(folder))) + " free");
    };
    if (!output_folder.empty()) line("disk", output_folder, output_need(sizes));
    if (sorts) line("temporary", temporary, spill_need(sizes, memory));
}

void Plan::add_outputs(const JobFiles& files, const std::string& but) {
    for (const std::string& path : files.outputs()) {
        if (path == but) continue;
        const bool of_mates = path.ends_with(".R2_fastqc.zip");
        const char* const more = of_mates                ? ", if there are second reads"
                                 : files.has_index(path) ? ", with its index"
                                                         : "";
        add("writes", path == "-" ? "standard output" : path + more);
    }
    for (const std::string& path : files.existing_outputs()) add("replaces", path);
}

void Plan::add_checkpoint(const ResourceOptions& resources, const std::string& temporary,
                          const std::string& output) {
    if (resources.checkpoint)
        add("writes", checkpoint_folder(temporary, output) + ", which is removed at the end");
}

std::string extent_text(const data::RegionSet& regions, const data::Reference& reference) {
    if (regions.empty()) {
        uint64_t bases = 0;
        for (const data::Contig& contig : reference.contigs()) bases += contig.length;
        return base_pairs(bases) + " in " + plural(reference.contigs().size(), "contig");
    }
    std::set<uint32_t> contigs;
    for (const data::Region& region : regions.regions()) contigs.insert(region.contig);
    return base_pairs(regions.total_bp()) + " in " + plural(regions.regions().size(), "interval") + " of " +
           plural(contigs.size(), "contig");
}

}  // namespace gannet::pipeline
